// Derivatives of closed loops against differences of forward dynamics: random mechanisms with loop joints of all types, with
// coupled joints beside them, and with loops that depend on each other. MANIKIN_LONG=1: 500 of each.

import { expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { SimulationError } from '../../src/mechanism/errors.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import type { MechanismSpec } from '../../src/mechanism/spec.js';
import { State } from '../../src/mechanism/state.js';
import { numericalDerivative } from '../../src/toolbox/index.js';
import { closedSpec } from '../support/closed-mechanisms.js';
import { withCouplings } from '../support/random-couplings.js';
import { relativeError } from '../support/random-mechanism.js';

const COUNT = process.env.MANIKIN_LONG === '1' ? 500 : 8;
/** Long steps err where the function bends, short ones round; of velocities it is a quadratic one, where no step is too long. */
const STEPS = { q: [0.003, 0.0008, 0.0015, 0.006, 0.0004, 0.012, 1e-4, 3e-5, 1e-5], v: [0.5, 0.3] };
/** Near positions where loops begin to depend on each other differences are no better than they agree among each other. */
const SPREADS = 3;

/** Undefined where the loops of a random state contradict each other. */
function accelerationsOf(compute: () => Float64Array): Float64Array | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof SimulationError) return undefined;
    throw error;
  }
}

/** Matrices of which differences do not tell 1e-9. */
let vague = 0;

/** The largest error, relative; undefined where there is nothing to compare. */
function errorOf(mechanism: Mechanism, state: State): number | undefined {
  const { nv } = mechanism;
  const tau = Float64Array.from({ length: nv }, (_, k) => Math.cos(nv + k));
  const door = dynamics(mechanism, { engine: 'plain' });
  const qdd = accelerationsOf(() => door.forward(state, tau));
  if (qdd === undefined) return undefined;
  const ours = dynamics(mechanism).forwardDerivatives(state, tau);
  let largest = 0;
  const before = vague;
  const accelerate = (moved: State): Float64Array => door.forward(moved, tau);
  for (const [by, matrix] of [
    ['q', ours.dq],
    ['v', ours.dv],
  ] as const) {
    let error = Number.POSITIVE_INFINITY;
    let spread = Number.POSITIVE_INFINITY;
    let last: Float64Array | undefined;
    for (const step of STEPS[by]) {
      if (error < 1e-9) break;
      // A long step may end where loops contradict each other.
      const differences = accelerationsOf(() => numericalDerivative(mechanism, state, by, accelerate, step));
      if (differences === undefined) continue;
      if (last !== undefined) spread = Math.min(spread, relativeError(differences, last));
      last = differences;
      error = Math.min(error, relativeError(matrix, differences));
    }
    // At other velocities redundant loops contradict each other: at these they do so, too, less than is refused.
    if (last === undefined) return undefined;
    if (error < SPREADS * spread && Number.isFinite(spread) && error >= 1e-9) {
      vague++;
      continue;
    }
    largest = Math.max(largest, error);
  }
  // Linear in the forces.
  const push = Float64Array.from({ length: nv }, (_, k) => Math.sin(k));
  const pushed = door.forward(
    state,
    tau.map((x, k) => x + push[k]),
  );
  const change = qdd.map((x, i) => x + push.reduce((sum, force, j) => sum + ours.dtau[nv * i + j] * force, 0));
  // Where differences are vague so are accelerations: two ways to them have fewer digits in common.
  const digits = vague > before ? 0.01 : 1;
  return Math.max(largest, digits * relativeError(ours.qdd, qdd), digits * relativeError(change, pushed));
}

/** Each loop a second time: as many redundant constraints as there are others, wherever it moves. */
const twice = (spec: MechanismSpec): MechanismSpec => ({
  ...spec,
  loops: spec.loops!.flatMap((loop) => [loop, { ...loop, name: `${loop.name} again` }]),
});

/** Joints of one degree of freedom follow each other: most of the others are made hinges. */
const coupled = (spec: MechanismSpec, seed: number): MechanismSpec =>
  withCouplings(seed, {
    ...spec,
    joints: spec.joints.map((joint, k) => (k % 3 === 2 ? joint : { ...joint, type: 'revolute' })),
  });

it.each([
  ['loops', 4, (spec: MechanismSpec) => spec],
  ['loops and coupled joints', 10, coupled],
  ['redundant loops', 4, twice],
  ['redundant loops and coupled joints', 10, (spec: MechanismSpec, seed: number) => twice(coupled(spec, seed))],
])(`${COUNT} random mechanisms with %s`, (what, bodies, change) => {
  let compared = 0;
  vague = 0;
  const wrong: string[] = [];
  for (let seed = 1; seed <= COUNT; seed++) {
    const spec = closedSpec(seed, bodies + (seed % 5), 1 + (seed % 2));
    // Both axes of a universal joint move: every second mechanism has one.
    const loops = spec.loops!.map((loop, k) => (k < seed % 2 ? { ...loop, type: 'universal' as const } : loop));
    const mechanism = createMechanism(change({ ...spec, loops }, seed));
    const error = errorOf(mechanism, State.random(mechanism, seed));
    if (error !== undefined) compared++;
    if (error !== undefined && !(error < 1e-9)) wrong.push(`${what}, seed ${seed}: ${error}`);
  }
  expect(wrong, `of ${compared} that were compared`).toEqual([]);
  expect(vague).toBeLessThanOrEqual(0.02 * COUNT);
  // The others have no freedom left, and a state in which they cannot stay.
  expect(compared).toBeGreaterThan(COUNT / 4);
});

const bar = { mass: 1, com: [0.1, 0.02, 0.03], inertia: [0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.03] } as const;

it.each(['revolute', 'fixed', 'cylindrical', 'planar', 'universal', 'spherical', 'prismatic', 'helical'] as const)(
  'a ring in a plane, closed by a joint in space: %s',
  (type) => {
    const bodies = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...bar }));
    const mechanism = createMechanism({
      name: `ring closed by ${type}`,
      bodies,
      joints: bodies.map(({ name }, k) => ({
        name: `to ${name}`,
        type: 'revolute',
        axis: [0, 0, 1],
        parent: k === 0 ? null : bodies[k - 1].name,
        child: name,
        t: k === 0 ? [0, 0, 0] : [0.3 + 0.1 * k, 0, 0],
      })),
      loops: [
        {
          name: 'closing',
          type,
          axis: type === 'prismatic' || type === 'universal' ? [1, 0, 0] : [0, 0, 1],
          axis2: [0, 0, 1],
          pitch: 0.1,
          a: { body: null, t: [0.5, 0.1, 0] },
          b: { body: 'd', t: [0.4, 0, 0] },
        },
      ],
    });
    expect(errorOf(mechanism, State.random(mechanism, 3))).toBeLessThan(1e-9);
  },
);
