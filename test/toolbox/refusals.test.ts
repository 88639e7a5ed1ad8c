// Names that are not there, states of other mechanisms and wrong sizes: every function of the toolbox, and every method of the front
// door, says in one sentence what is wrong with what it was given.

import { expect, it } from 'vitest';
import { Dynamics } from '../../src/dynamics/checked-dynamics.js';
import { dynamics } from '../../src/index.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { CoordinateModel } from '../../src/motion/index.js';
import * as toolbox from '../../src/toolbox/index.js';
import { expectProperRefusal } from '../formats/support.js';

const mechanism = builtinMechanism('human-34');
const [door, state] = [dynamics(mechanism), State.random(mechanism, 1)];
const chain = builtinMechanism('chain-3');
const foreign = State.random(chain, 1);
const { nv } = mechanism;
const short = new Float64Array(1);
const [v, square] = [new Float64Array(nv), new Float64Array(nv * nv)];
const { q } = state;
const body = mechanism.bodies[3].name;
const missing = `${body}x`;
const joint = mechanism.joints[2].name;
const t = toolbox;
const centre = t.centroidalMotion(door, state);
const sample = { state, qdd: v, tau: v };
const markers = { labels: ['knee'], rate: 1, times: new Float64Array(1), positions: new Float64Array(3) };
const task = { kind: 'joint', joint, position: 0 } as const;

const CALLS: Readonly<Record<string, readonly (() => unknown)[]>> = {
  pose: [
    () => door.pose(state, missing),
    () => door.pose(foreign, body),
    () => door.pose(state, body, { out: { E: [1, 0] as never, t: [0, 0, 0] } }),
  ],
  velocity: [
    () => door.velocity(state, missing),
    () => door.velocity(foreign, body),
    () => door.velocity(state, body, { out: { angular: [0, 0, 0], linear: [] as never } }),
  ],
  acceleration: [
    () => door.acceleration(state, missing),
    () => door.acceleration(foreign, body),
    () => door.acceleration(state, body, { qdd: short }),
  ],
  jacobian: [
    () => door.jacobian(state, missing),
    () => door.jacobian(foreign, body),
    () => door.jacobian(state, body, { out: short }),
  ],
  jacobianRate: [
    () => door.jacobianRate(state, missing),
    () => door.jacobianRate(foreign, body),
    () => door.jacobianRate(state, body, { out: short }),
  ],
  jacobians: [() => door.jacobians(foreign), () => door.jacobians(state, { out: short })],
  centroidal: [() => door.centroidal(foreign), () => door.centroidal(state, { out: short })],
  poses: [() => door.poses(foreign), () => door.poses(state, { out: short })],
  velocities: [
    () => door.velocities(foreign),
    () => door.velocities(state, { out: short }),
    () => door.velocities(state, { poses: short }),
  ],
  forward: [
    () => door.forward(foreign),
    () => door.forward(state, short),
    () => door.forward(state, v, { out: short }),
  ],
  inverse: [
    () => door.inverse(foreign),
    () => door.inverse(state, short),
    () => door.inverse(state, v, { out: short }),
  ],
  massMatrix: [() => door.massMatrix(foreign), () => door.massMatrix(state, { out: short })],
  inverseMassMatrix: [() => door.inverseMassMatrix(foreign), () => door.inverseMassMatrix(state, { out: short })],
  solve: [() => door.solve(foreign, v), () => door.solve(state, short), () => door.solve(state, v, { out: short })],
  energy: [() => door.energy(foreign)],
  inverseDerivatives: [
    () => door.inverseDerivatives(foreign),
    () => door.inverseDerivatives(state, short),
    () => door.inverseDerivatives(state, v, { out: { dq: short, dv: square } }),
    () => door.inverseDerivatives(state, v, { out: { dq: square, dv: short } }),
  ],
  forwardDerivatives: [
    () => door.forwardDerivatives(foreign),
    () => door.forwardDerivatives(state, short),
    () => door.forwardDerivatives(state, v, { out: { qdd: short, dq: square, dv: square, dtau: square } }),
    () => door.forwardDerivatives(state, v, { out: { qdd: v, dq: short, dv: square, dtau: square } }),
    () => door.forwardDerivatives(state, v, { out: { qdd: v, dq: square, dv: short, dtau: square } }),
    () => door.forwardDerivatives(state, v, { out: { qdd: v, dq: square, dv: square, dtau: short } }),
  ],
  numericalDerivative: [() => t.numericalDerivative(mechanism, foreign, 'q', ({ q }) => q)],
  integrate: [
    () => t.integrate(mechanism, short, v),
    () => t.integrate(mechanism, q, short),
    () => t.integrate(mechanism, q, v, 1, short),
  ],
  difference: [
    () => t.difference(mechanism, short, q),
    () => t.difference(mechanism, q, short),
    () => t.difference(mechanism, q, q, short),
  ],
  interpolate: [
    () => t.interpolate(mechanism, short, q, 0.5),
    () => t.interpolate(mechanism, q, short, 0.5),
    () => t.interpolate(mechanism, q, q, 0.5, short),
  ],
  integrateDerivatives: [() => t.integrateDerivatives(mechanism, short)],
  differenceDerivatives: [
    () => t.differenceDerivatives(mechanism, short, q),
    () => t.differenceDerivatives(mechanism, q, short),
  ],
  interpolateDerivatives: [
    () => t.interpolateDerivatives(mechanism, short, q, 0.5),
    () => t.interpolateDerivatives(mechanism, q, short, 0.5),
  ],
  constrainedInverse: [
    () => t.constrainedInverse(door, foreign),
    () => t.constrainedInverse(door, state, short),
    () => t.constrainedInverse(door, state, v, { external: short }),
    () => t.constrainedInverse(door, state, v, { weights: short }),
    () => t.constrainedInverse(door, state, v, { limits: short }),
    () => t.constrainedInverse(door, state, v, { actuated: [missing] }),
    () => t.constrainedInverse(door, state, v, { supports: [{ frame: missing, friction: 1 }] }),
  ],
  identify: [
    () => t.identify(mechanism, []),
    () => t.identify(mechanism, [{ ...sample, state: foreign }]),
    () => t.identify(mechanism, [{ ...sample, qdd: short }]),
    () => t.identify(mechanism, [{ ...sample, tau: short }]),
  ],
  inverseKinematics: [
    () => t.inverseKinematics(mechanism, [{ kind: 'position', frame: missing, position: [0, 0, 0] }]),
    () => t.inverseKinematics(mechanism, [{ ...task, joint: missing }]),
    () => t.inverseKinematics(mechanism, [task], { start: short }),
  ],
  InverseKinematics: [
    () => new t.InverseKinematics(mechanism, [task]).solve(short),
    () => {
      const solver = new t.InverseKinematics(mechanism, [task]);
      return solver.solve(undefined, { ...solver.solve(), q: short });
    },
  ],
  criterionSplit: [() => t.criterionSplit(mechanism, { criterion: 'least' as never })],
  trackMarkers: [
    () => t.trackMarkers(CoordinateModel.ofMechanism(mechanism), markers),
    () => t.trackMarkers(CoordinateModel.ofMechanism(mechanism), markers, { weights: new Map([['knee', 1]]) }),
  ],
  gravityForces: [() => t.gravityForces(door, foreign), () => t.gravityForces(door, state, short)],
  biasForces: [() => t.biasForces(door, foreign), () => t.biasForces(door, state, short)],
  coriolisMatrix: [() => t.coriolisMatrix(door, foreign), () => t.coriolisMatrix(door, state, short)],
  centroidalMotion: [
    () => t.centroidalMotion(door, foreign),
    () => t.centroidalMotion(door, state, { qdd: short }),
    ...(['jacobian', 'matrix', 'matrixRate', 'momentum', 'momentumRate'] as const).map(
      (name) => () => t.centroidalMotion(door, state, { out: { ...centre, [name]: short } }),
    ),
  ],
  operationalInertia: [
    () => t.operationalInertia(door, foreign, [body]),
    () => t.operationalInertia(door, state, [body, missing]),
  ],
  regressor: [() => t.regressor(door, foreign), () => t.regressor(door, state, short)],
  inertialDerivatives: [() => t.inertialDerivatives(door, foreign), () => t.inertialDerivatives(door, state, short)],
  stepDerivatives: [
    () => t.stepDerivatives(door, foreign, v, { step: 0.1 }),
    () => t.stepDerivatives(door, state, short, { step: 0.1 }),
    () => t.stepDerivatives(door, state, v, { step: -1 }),
  ],
};

it.each(Object.entries(CALLS))('%s', (_, calls) => {
  for (const call of calls) {
    let refused: unknown;
    try {
      call();
    } catch (error) {
      refused = error;
    }
    expect(refused, String(call)).toBeDefined();
    expectProperRefusal(refused);
  }
});

it('none is left out', () => {
  // Nothing can be wrong with what these are given.
  const free = ['inertialParameters', 'loopReport', 'report', 'dispose', 'ready', 'explain', 'still', 'stages'];
  const methods = Object.getOwnPropertyNames(Dynamics.prototype).filter(
    (name) =>
      name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(Dynamics.prototype, name)?.value === 'function',
  );
  const functions = Object.entries(toolbox).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  expect([...methods, ...functions].filter((name) => !free.includes(name)).sort()).toEqual(Object.keys(CALLS).sort());
});
