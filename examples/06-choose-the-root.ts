// Any body of a free-flying figure can be the root of the computation. The result does not depend on it.
import { dynamics, State } from 'manikin';
import { builtinMechanism } from 'manikin/models';

const figure = builtinMechanism('human-40');
const state = State.random(figure, 5);
const fromPelvis = dynamics(figure).forward(state);
const fromHand = dynamics(figure, { root: 'left_hand' }).forward(state);
const size = Math.max(...fromPelvis.map(Math.abs));
const difference = Math.max(...fromPelvis.map((a, k) => Math.abs(a - fromHand[k]))) / size;
console.log(`relative difference below 1e-10: ${difference < 1e-10}`);
// prints: relative difference below 1e-10: true
