import { describe, expect, it } from 'vitest';
import { scheduleBy } from '../../../../bench/simple-orders.js';
import { ada, createAda } from '../../../../src/engines/plain/assembly/ada.js';
import { endToRootSchedule } from '../../../../src/engines/plain/assembly/orders.js';
import { createAssemblyPlan } from '../../../../src/engines/plain/assembly/plan.js';
import { PlainDynamics } from '../../../../src/engines/plain/plain-dynamics.js';
import { MechanismBuilder } from '../../../../src/mechanism/builder.js';
import { createMechanism } from '../../../../src/mechanism/create.js';
import { SimulationError } from '../../../../src/mechanism/errors.js';
import type { Mechanism } from '../../../../src/mechanism/mechanism.js';
import { Random } from '../../../../src/mechanism/random.js';
import type { LoopSpec } from '../../../../src/mechanism/spec.js';
import { State } from '../../../../src/mechanism/state.js';
import { createTree } from '../../../../src/mechanism/tree.js';
import { mechanismSpec } from '../../../../src/mechanism/variants.js';
import { builtinMechanism } from '../../../../src/models/index.js';
import type { ScheduleTree } from '../../../../src/schedule/tree.js';
import { type Mat3, transpose, type Vec3 } from '../../../../src/spatial/matrix3.js';
import { closedSpec, sharedLoop } from '../../../support/closed-mechanisms.js';
import { randomVector, relativeError } from '../../../support/random-mechanism.js';
import { listShared } from '../../../support/shared.js';
import { randomClosedSchedule } from './closed-schedules.js';
import { constraintJacobian, solveConstrained, withoutLoops } from './constrained.js';

function compareWithDense(mechanism: Mechanism, seed: number): void {
  compareState(mechanism, State.random(mechanism, seed), seed);
}

/** At the positions of a state, with its velocities made to obey the loops. */
function compareState(
  mechanism: Mechanism,
  given: State,
  seed: number,
  schedule?: ScheduleTree,
): { forces: Float64Array; determined: boolean } {
  const tree = createTree(mechanism);
  const scratch = createAda(tree, schedule ?? endToRootSchedule(tree));
  const state = given.clone();
  const tau = randomVector(seed + 1, mechanism.nv, 2);
  const { v, qdd: expected, power } = solveConstrained(mechanism, state, tau);
  state.v.set(v);
  const qdd = new Float64Array(mechanism.nv);
  expect(ada(tree, scratch, qdd, state.q, state.v, tau, null)).toBe(-1);
  expect(relativeError(qdd, expected), `${mechanism.name}, seed ${seed}`).toBeLessThan(1e-8);
  // Constraint forces do no work: with them the joints of the open tree move in the same way.
  expect(power).toBeLessThan(1e-8);
  const determined = scratch.closes.every((close) => close === undefined || close.inverse.rank === close.k);
  return { forces: scratch.forces, determined };
}

/** A planar four-bar: crank, coupler, rocker, and a pin from the rocker to the ground. */
function fourBar(): Mechanism {
  const link = (name: string, parent: string | null, length: number, at: number, mass: number) => ({
    parent,
    joint: { type: 'revolute' as const, axis: [0, 0, 1] as const, name },
    at: [at, 0, 0] as const,
    mass,
    com: [length / 2, 0.02, 0.01] as const,
    inertia: [0.002, 0, 0, 0, (mass * length * length) / 10, 0, 0, 0, (mass * length * length) / 10] as const,
  });
  return new MechanismBuilder('four-bar')
    .gravity([0, -9.81, 0])
    .link('crank', link('crank', null, 0.4, 0, 1))
    .link('coupler', link('coupler', 'crank', 1, 0.4, 2))
    .link('rocker', link('rocker', 'coupler', 0.9, 1, 1.5))
    .loop({
      name: 'pin',
      type: 'revolute',
      axis: [0, 0, 1],
      a: { body: null, t: [1, 0, 0] },
      b: { body: 'rocker', t: [0.9, 0, 0] },
    })
    .build();
}

/** Closed at a crank angle of 1 rad, by the law of cosines; at rest. */
function closedFourBar(mechanism: Mechanism): State {
  const crank = 1;
  const [x, y] = [0.4 * Math.cos(crank), 0.4 * Math.sin(crank)];
  const [dx, dy] = [1 - x, -y];
  const d = Math.hypot(dx, dy);
  const towards = Math.atan2(dy, dx);
  const atCoupler = Math.acos((1 + d * d - 0.81) / (2 * d));
  const coupler = towards + atCoupler;
  const [ex, ey] = [x + Math.cos(coupler), y + Math.sin(coupler)];
  const rocker = Math.atan2(0 - ey, 1 - ex);
  return new State(mechanism)
    .set('crank', crank)
    .set('coupler', coupler - crank)
    .set('rocker', rocker - coupler);
}

/** The figure with its hands pinned to where they are, free to turn about y: a bar. */
function holding(figure: Mechanism, state: State, hands: readonly string[]): Mechanism {
  const poses = new PlainDynamics(figure).poses(state);
  const loops = hands.map((hand): LoopSpec => {
    const p = 12 * figure.bodyIndex(hand);
    const E = Array.from(poses.subarray(p, p + 9)) as unknown as Mat3;
    // Frame on the hand with the axes of the ground: y is the bar.
    return {
      name: `${hand}_grip`,
      type: 'revolute',
      axis: [0, 1, 0],
      a: { body: null, t: Array.from(poses.subarray(p + 9, p + 12)) as unknown as Vec3 },
      b: { body: hand, E: transpose(E) },
    };
  });
  return createMechanism({ ...mechanismSpec(figure), loops });
}

describe('closed chains', () => {
  it('random trees with random loop joints agree with a dense solve of the constrained system', () => {
    let compared = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const mechanism = createMechanism(closedSpec(seed, 6 + (seed % 5), 1));
      // With fewer freedoms than constraints nothing moves.
      const J = constraintJacobian(mechanism, State.random(mechanism, seed));
      if (J.rows.length + 3 > mechanism.nv) continue;
      compareWithDense(mechanism, seed);
      compared++;
    }
    expect(compared).toBeGreaterThan(30);
  });

  it('any order will do: loop joints may connect parts, and joints of the tree may close loops', () => {
    let closers = 0;
    let bridges = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const bodies = 3 + (seed % 6);
      const spec = closedSpec(seed, bodies, 1 + (seed % 2));
      // A joint with armature cannot close a loop.
      const mechanism = createMechanism({ ...spec, joints: spec.joints.map((joint) => ({ ...joint, armature: 0 })) });
      const J = constraintJacobian(mechanism, State.random(mechanism, seed));
      if (J.rows.length + 2 > mechanism.nv) continue;
      const all = Array.from({ length: mechanism.joints.length + mechanism.loops.length }, (_, k) => k);
      const schedule = randomClosedSchedule(mechanism, all, new Random(seed))!;
      const plan = createAssemblyPlan(createTree(mechanism), schedule);
      closers += plan.closers.length;
      bridges += plan.operations.filter(({ kind }) => kind === 'bridge').length;
      const forces = compareState(mechanism, State.random(mechanism, seed), seed, schedule);
      // The forces in the joints of the tree are those of the usual order, where they are determined.
      const usual = compareState(mechanism, State.random(mechanism, seed), seed);
      if (forces.determined && usual.determined)
        expect(relativeError(forces.forces, usual.forces), `forces, seed ${seed}`).toBeLessThan(1e-6);
    }
    expect(closers).toBeGreaterThan(20);
    expect(bridges).toBeGreaterThan(20);
  });

  it('a joint with armature cannot close a loop, and the reason is told', () => {
    const spec = mechanismSpec(fourBar());
    const mechanism = createMechanism({ ...spec, joints: spec.joints.map((joint) => ({ ...joint, armature: 0.1 })) });
    // The pin (3) connects the rocker with the ground before the crank (0) closes the ring.
    const order: ScheduleTree = [0, [1, null, [2, null, [3, null, null]]], null];
    const refused = () => createAssemblyPlan(createTree(mechanism), order);
    expect(refused).toThrow(/has armature and cannot be the one that closes a loop/);
  });

  it('a planar four-bar in space: two of five constraints too many, and it says which forces are open', () => {
    const mechanism = fourBar();
    const state = closedFourBar(mechanism);
    compareWithDense(mechanism, 3);
    const dynamics = new PlainDynamics(mechanism);
    const loopForces = new Float64Array(6);
    dynamics.forward(state, undefined, { loopForces });
    const { constraints, rank, indeterminate } = dynamics.loopReport();
    expect([constraints, rank]).toEqual([5, 2]);
    expect([...indeterminate].sort()).toEqual(['coupler', 'crank', 'pin', 'rocker']);
    // Of the pin only the forces in the plane are determined; the least norm leaves the others zero.
    expect(Math.abs(loopForces[0]) + Math.abs(loopForces[1]) + Math.abs(loopForces[5])).toBeLessThan(1e-9);
    expect(Math.hypot(loopForces[3], loopForces[4])).toBeGreaterThan(1);
  });

  it('a spatial four-bar with spherical joints is not redundant', () => {
    const mechanism = createMechanism({
      ...mechanismSpec(withoutLoops(fourBar())),
      joints: mechanismSpec(fourBar()).joints.map((joint) =>
        joint.name === 'coupler'
          ? { ...joint, type: 'spherical' as const }
          : { ...joint, axis: joint.name === 'rocker' ? [0.6, 0, 0.8] : [0, 0, 1] },
      ),
      loops: [
        {
          name: 'ball',
          type: 'spherical',
          a: { body: null, t: [1.1, 0.3, 0.2] },
          b: { body: 'rocker', t: [0.9, 0, 0] },
        },
      ],
    });
    compareWithDense(mechanism, 5);
    const dynamics = new PlainDynamics(mechanism);
    const bent = State.random(mechanism, 5);
    bent.v.fill(0);
    dynamics.forward(bent);
    expect(dynamics.loopReport()).toEqual({ constraints: 3, rank: 3, indeterminate: [], warnings: [] });
  });

  it('a closed ring of 100 links', () => {
    const count = 100;
    const step = (2 * Math.PI) / count;
    const builder = new MechanismBuilder('ring');
    for (let i = 0; i < count; i++)
      builder.link(`r${i}`, {
        parent: i === 0 ? null : `r${i - 1}`,
        joint:
          i === 0
            ? { type: 'floating' }
            : { type: i % 3 === 0 ? 'spherical' : 'revolute', axis: i % 2 === 0 ? [0, 0, 1] : [0, 1, 0] },
        at: i === 0 ? [0, 0, 0] : [0.1, 0, 0],
        rpy: i === 0 ? [0, 0, 0] : [0, 0, step],
        mass: 0.5,
        com: [0.05, 0, 0],
        inertia: [0.001, 0, 0, 0, 0.002, 0, 0, 0, 0.002],
      });
    builder.loop({ name: 'lock', type: 'spherical', a: { body: `r${count - 1}`, t: [0.1, 0, 0] }, b: { body: 'r0' } });
    const mechanism = builder.build();
    const state = new State(mechanism);
    state.v.set(randomVector(9, mechanism.nv, 0.3));
    compareState(mechanism, state, 11);
  });

  it('a figure that holds a bar with both hands, whatever the order of assembly', () => {
    const figure = builtinMechanism('human-34');
    const state = State.random(figure, 4);
    const mechanism = holding(figure, state, ['left_hand', 'right_hand']);
    const held = State.random(mechanism, 4);
    compareState(mechanism, held, 12);
    const schedules = [7, 8, 9].map((seed) => {
      const random = new Random(seed);
      const whole = scheduleBy(createTree(figure), (part) => random.pick(part));
      return [figure.joints.length, [figure.joints.length + 1, whole, null], null] as unknown as ScheduleTree;
    });
    for (const schedule of schedules) compareState(mechanism, held, 12, schedule);
  });

  it('contradicting constraints are an error of their own', () => {
    const mechanism = createMechanism({
      ...mechanismSpec(fourBar()),
      loops: [
        { name: 'first', type: 'fixed', a: { body: null, t: [1, 0, 0] }, b: { body: 'rocker', t: [0.9, 0, 0] } },
        { name: 'second', type: 'fixed', a: { body: null, t: [0, 1, 0] }, b: { body: 'coupler', t: [0.2, 0, 0] } },
      ],
    });
    const state = new State(mechanism);
    state.v.set([3, -2, 4]);
    expect(() => new PlainDynamics(mechanism).forward(state)).toThrow(SimulationError);
    expect(() => new PlainDynamics(mechanism).forward(state)).toThrow(/no force can bring about/);
  });

  describe.each(listShared('data/loops', ''))('shared mechanism %s', (folder) => {
    it('agrees with the dense solve', () => {
      const mechanism = sharedLoop(folder);
      // At the pose of the file the loops are closed.
      const state = new State(mechanism);
      state.v.set(randomVector(21, mechanism.nv, 0.5));
      compareState(mechanism, state, 22);
      const { constraints, rank } = reportOf(mechanism, state);
      const known = new Map([
        ['5bar_linkage', [6, 3]],
        ['robot_delta', [18, 9]],
      ]);
      if (known.has(folder)) expect([constraints, rank]).toEqual(known.get(folder));
    });
  });
});

function reportOf(mechanism: Mechanism, state: State) {
  const dynamics = new PlainDynamics(mechanism);
  const still = state.clone();
  still.v.fill(0);
  dynamics.forward(still);
  return dynamics.loopReport();
}
