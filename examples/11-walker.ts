// A walker is an ordinary mechanism: it swings on one foot, strikes with the other, and is re-rooted from foot to foot.
import { dynamics, impact, reroot, State, type Vec3 } from 'manikin';
import { compass } from 'manikin/models';
import { gaitOf, makeWalker, standingAt, type WalkerRequest, walk } from 'manikin/papers';

// One heel strike by hand: paper 001, Table 1, is the state just before it.
const biped = compass();
const before = new State(biped).set('support', -0.3236, -1.4939).set('hip', 0.5424, -0.3117);
const foot: Vec3 = [0.5349, 0, -0.0281]; // where the swing foot meets the slope
const axis: Vec3 = [0, -1, 0];
const free = reroot(biped, before, { top: 'swing_leg', at: foot, joint: { type: 'planar', axis } });
const struck = impact(free.mechanism, free.state, { body: 'swing_leg', at: foot, normal: [0.0524, 0, 1] });
const after = reroot(free.mechanism, struck.state, { top: 'swing_leg', at: foot, joint: { type: 'revolute', axis } });
const { kinetic } = dynamics(after.mechanism).energy(after.state);
console.log(`the strike takes ${struck.energyLost.toFixed(2)} J and leaves ${kinetic.toFixed(2)} J`);

// The same, many times: its gait, and whether it is stable.
const request: WalkerRequest = { model: 'compass', slope: 0.0524, sizes: {} };
const gait = gaitOf(request);
const walker = makeWalker(request);
const { steps } = walk(walker, standingAt(walker, gait.section), 3);
const [re, im] = gait.eigenvalues[0];
console.log(`${steps.length} steps of ${gait.step.period.toFixed(4)} s and ${gait.step.stepLength.toFixed(4)} m`);
console.log(`a disturbance shrinks to ${Math.hypot(re, im).toFixed(2)} of it with each step`);
// prints: the strike takes 1.10 J and leaves 1.78 J
// prints: 3 steps of 0.7344 s and 0.5356 m
// prints: a disturbance shrinks to 0.58 of it with each step
