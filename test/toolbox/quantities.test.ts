// Centre of mass, momentum, Coriolis, operational inertia, regressors: against Pinocchio's values, and laws on random mechanisms.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import type { InOption } from '../../src/dynamics/frames.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import {
  biasForces,
  centroidalMotion,
  coriolisMatrix,
  gravityForces,
  inertialParameters,
  integrate,
  operationalInertia,
  regressor,
} from '../../src/toolbox/index.js';
import { closedSpec } from '../support/closed-mechanisms.js';
import { randomCoupled } from '../support/random-couplings.js';
import { randomMechanism, relativeError } from '../support/random-mechanism.js';
import { hasShared } from '../support/shared.js';
import { byDof, entries, inOrder, robots, six } from './reference.js';

const times = (matrix: Float64Array, x: Float64Array, rows: number): Float64Array =>
  Float64Array.from({ length: rows }, (_, i) => x.reduce((sum, value, j) => sum + matrix[i * x.length + j] * value, 0));

describe.skipIf(!hasShared('reference/toolbox.json'))("against Pinocchio's values", () => {
  it.each(robots().map((robot) => [robot.name, robot] as const))('%s', (_, robot) => {
    const { mechanism, state, qdd, values, at } = robot;
    const { nv } = mechanism;
    const door = dynamics(mechanism);
    const near = (ours: ArrayLike<number>, theirs: ArrayLike<number>, tolerance = 1e-12): void =>
      expect(relativeError(ours, theirs)).toBeLessThan(tolerance);
    near(gravityForces(door, state), inOrder(robot, 'gravityForce'));
    near(biasForces(door, state), inOrder(robot, 'nle'));
    const C = coriolisMatrix(door, state);
    near(times(C, state.v, nv), inOrder(robot, 'coriolisForce'));
    const symmetric: number[][] = [[], []];
    for (let i = 0; i < nv; i++)
      for (let j = 0; j < nv; j++) {
        symmetric[0].push(C[at[i] * nv + at[j]] + C[at[j] * nv + at[i]]);
        symmetric[1].push(values.coriolis[i][j] + values.coriolis[j][i]);
      }
    near(symmetric[0], symmetric[1]);
    const whole = centroidalMotion(door, state, { qdd });
    near([whole.mass], [values.mass]);
    near(whole.jacobian, byDof(robot, values.comJacobian, 3));
    near(whole.position, values.com);
    near(whole.velocity, values.comVelocity);
    near(whole.acceleration, values.comAcceleration);
    near(whole.matrix, byDof(robot, values.centroidal.matrix, 6));
    near(whole.momentum, six(values.centroidal.momentum));
    near(whole.momentumRate, six(values.centroidal.momentumRate));
    const { frames, matrix } = values.operationalInverse;
    const { inverse } = operationalInertia(door, state, frames, { in: 'aligned' });
    near(inverse, matrix.flat(), 1e-11 + 1e-15 * values.condM);
    const { torque, kinetic, potential } = regressor(door, state, qdd);
    const width = 10 * mechanism.bodies.length;
    for (const [body, expected] of Object.entries<Record<string, never>>(values.regressor)) {
      const from = 10 * mechanism.bodyIndex(body);
      const ours = (values.dofs as string[]).flatMap((_dof, k) =>
        Array.from(torque.subarray(at[k] * width + from, at[k] * width + from + 10)),
      );
      near(
        ours,
        (values.dofs as string[]).flatMap((dof) => (expected.torque as Record<string, number[]>)[dof]),
      );
      near(kinetic.subarray(from, from + 10), expected.kinetic);
      near(potential.subarray(from, from + 10), expected.potential);
    }
  });
});

describe.skipIf(!hasShared('reference/toolbox.json')).each(['plain', 'auto'] as const)(
  "dynamics against Pinocchio's values, engine %s",
  (engine) => {
    it.each(robots().map((robot) => [robot.name, robot] as const))('%s', (_, robot) => {
      const { mechanism, state, qdd, tau, values } = robot;
      const { nv, bodies, joints } = mechanism;
      const door = dynamics(mechanism, { engine });
      const near = (ours: ArrayLike<number>, theirs: ArrayLike<number>, tolerance = 1e-12): void =>
        expect(relativeError(ours, theirs)).toBeLessThan(tolerance);
      near(door.inverse(state, qdd), inOrder(robot, 'inverseDynamics'));
      near(door.forward(state, tau), inOrder(robot, 'qdd'), 1e-11 + 1e-15 * values.condM);
      const { H } = door.massMatrix(state);
      near(...entries(robot, H, values.massMatrix));
      near(
        Float64Array.from({ length: nv }, (__, k) => H[(nv + 1) * k]),
        inOrder(robot, 'massDiag'),
      );
      near(...entries(robot, door.inverseMassMatrix(state).Hinv, values.massInverse), 1e-11 + 1e-15 * values.condM);
      const { kinetic, potential } = door.energy(state);
      near([kinetic], [values.energy.kinetic]);
      // Theirs leaves out links that are welded to the ground.
      const welded = (b: number): boolean => b < 0 || (joints[b].model.nv === 0 && welded(joints[b].parent));
      let still = 0;
      bodies.forEach(({ name, mass, com }, b) => {
        if (welded(b)) still += 9.81 * mass * door.pose(state, { frame: name, at: com }).t[2];
      });
      near([potential - still], [values.energy.potential]);
    });
  },
);

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('random mechanism %i', (seed) => {
  const mechanism = randomMechanism(seed + 600, { bodies: 7, forest: seed % 2 === 0 });
  const { nv } = mechanism;
  const door = dynamics(mechanism, { engine: 'plain' });
  const state = State.random(mechanism, seed);
  const qdd = Float64Array.from({ length: nv }, (_, k) => Math.cos(2 * k));
  const alongV = (f: (moved: State) => Float64Array): Float64Array => {
    const h = 1e-3;
    const at = (step: number): Float64Array => {
      const moved = state.clone();
      integrate(mechanism, state.q, state.v, step, moved.q);
      return f(moved).slice();
    };
    const [a, b, c, d] = [at(-2 * h), at(-h), at(h), at(2 * h)];
    return a.map((_, k) => (a[k] - 8 * b[k] + 8 * c[k] - d[k]) / (12 * h));
  };

  it('C v = bias - gravity, C + C^T = dH/dt', () => {
    const C = coriolisMatrix(door, state);
    const [bias, gravity] = [biasForces(door, state), gravityForces(door, state)];
    expect(
      relativeError(
        times(C, state.v, nv),
        bias.map((x, k) => x - gravity[k]),
      ),
    ).toBeLessThan(1e-11);
    const rate = alongV((moved) => door.massMatrix(moved).H);
    const sum = C.map((x, k) => x + C[nv * (k % nv) + Math.floor(k / nv)]);
    expect(relativeError(sum, rate)).toBeLessThan(1e-8);
  });

  it('momentum and its rates', () => {
    const whole = centroidalMotion(door, state, { qdd });
    expect(relativeError(times(whole.matrix, state.v, 6), whole.momentum)).toBeLessThan(1e-11);
    const rate = alongV((moved) => centroidalMotion(door, moved).matrix);
    expect(relativeError(whole.matrixRate, rate)).toBeLessThan(1e-8);
    const [first, second] = [times(whole.matrix, qdd, 6), times(whole.matrixRate, state.v, 6)];
    expect(
      relativeError(
        first.map((x, k) => x + second[k]),
        whole.momentumRate,
      ),
    ).toBeLessThan(1e-11);
    expect(relativeError(whole.matrix, door.centroidal(state))).toBeLessThan(1e-12);
    if (mechanism.joints.every(({ type, parent }) => type !== 'fixed' || parent >= 0))
      expect(relativeError(whole.position, door.energy(state).com)).toBeLessThan(1e-12);
  });

  it('regressors times parameters are forces and energies', () => {
    const { torque, kinetic, potential } = regressor(door, state, qdd);
    const parameters = inertialParameters(door);
    expect(relativeError(times(torque, parameters, nv), door.inverse(state, qdd))).toBeLessThan(1e-11);
    const energy = door.energy(state);
    expect(times(kinetic, parameters, 1)[0]).toBeCloseTo(energy.kinetic, 10);
    expect(times(potential, parameters, 1)[0]).toBeCloseTo(energy.potential, 9);
  });
});

describe.each([1, 2, 3, 4, 5, 6])('operational inertia, seed %i', (seed) => {
  const compare = (mechanism: Mechanism, state: State, options: InOption): void => {
    const door = dynamics(mechanism);
    const { nv } = mechanism;
    const names = [1, -1].map((at) => mechanism.bodies.at(at)!.name);
    const { inverse, jacobian, rows } = operationalInertia(door, state, names, options);
    // Forces at the frames change the accelerations of the joints, and those of the frames.
    const tau = Float64Array.from({ length: nv }, (_, k) => Math.sin(k));
    const before = door.forward(state, tau);
    for (let i = 0; i < rows; i++) {
      const pushed = tau.map((x, k) => x + jacobian[i * nv + k]);
      const change = door.forward(state, pushed).map((x, k) => x - before[k]);
      expect(relativeError(inverse.slice(i * rows, (i + 1) * rows), times(jacobian, change, rows))).toBeLessThan(1e-8);
    }
  };

  it('of trees, against the ground and against another frame', () => {
    const mechanism = randomMechanism(seed + 900, { bodies: 7, forest: seed % 2 === 0, armature: seed % 3 === 0 });
    const state = State.random(mechanism, seed);
    compare(mechanism, state, { in: 'aligned' });
    compare(mechanism, state, { relativeTo: mechanism.bodies[2].name });
  });

  it('of coupled joints and of closed loops', () => {
    const coupled = randomCoupled(seed);
    compare(coupled, State.random(coupled, seed), { in: 'world' });
    const closed = createMechanism(closedSpec(3, 6, 1));
    const state = new State(closed);
    for (let k = 0; k < closed.nv; k++) state.v[k] = Math.sin(seed + k);
    compare(closed, state, {});
  });
});

it('without mass nothing has a momentum, and the centre is the origin', () => {
  const mechanism = createMechanism({
    name: 'massless',
    bodies: [{ name: 'a', mass: 0 }],
    joints: [{ name: 'j', type: 'revolute', axis: [0, 0, 1], parent: null, child: 'a', armature: 1 }],
  });
  const { position, jacobian, matrix, acceleration } = centroidalMotion(dynamics(mechanism), new State(mechanism));
  for (const x of [...position, ...jacobian, ...matrix, ...acceleration]) expect(Math.abs(x)).toBe(0);
});
