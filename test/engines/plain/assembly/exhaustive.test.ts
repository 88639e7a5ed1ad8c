// Every tree shape with every schedule, long random trees, mass ratios and massless links, illegal schedules.

import { describe, expect, it } from 'vitest';
import { balancedSchedule, cut, rootToEndSchedule, scheduleBy } from '../../../../bench/simple-orders.js';
import { alternating, formErrors, MASS_RATIOS } from '../../../../bench/suites/assembly.js';
import { ada, createAda } from '../../../../src/engines/plain/assembly/ada.js';
import { endToRootSchedule } from '../../../../src/engines/plain/assembly/orders.js';
import { createAssemblyPlan } from '../../../../src/engines/plain/assembly/plan.js';
import { createMechanism } from '../../../../src/mechanism/create.js';
import type { Mechanism } from '../../../../src/mechanism/mechanism.js';
import { Random } from '../../../../src/mechanism/random.js';
import type { MechanismSpec } from '../../../../src/mechanism/spec.js';
import { State } from '../../../../src/mechanism/state.js';
import { createTree, type Tree } from '../../../../src/mechanism/tree.js';
import { mechanismSpec } from '../../../../src/mechanism/variants.js';
import { builtinMechanism, chain } from '../../../../src/models/index.js';
import { aba, abaForces, createAba } from '../../../../src/reference/aba.js';
import { createRnea, rnea } from '../../../../src/reference/rnea.js';
import type { ScheduleTree } from '../../../../src/schedule/tree.js';
import { ALL_JOINT_TYPES, randomSpec, randomVector, relativeError } from '../../../support/random-mechanism.js';

const LONG = process.env.MANIKIN_LONG === '1';

/** All lists of parents, -1 for the ground, with parents before their children. */
function* shapes(joints: number): Generator<number[]> {
  if (joints === 0) {
    yield [];
    return;
  }
  for (const shape of shapes(joints - 1)) for (let parent = -1; parent < joints - 1; parent++) yield [...shape, parent];
}

/** A random mechanism of the given shape. */
function shaped(seed: number, shape: readonly number[], options: { armature?: boolean } = {}): MechanismSpec {
  const spec = randomSpec(seed, { bodies: shape.length, ...options });
  const joints = spec.joints.map((joint, i) => ({ ...joint, parent: shape[i] < 0 ? null : `b${shape[i]}` }));
  return { ...spec, joints };
}

/** Every schedule of a connected set of links, each standing for its joint. */
function allSchedules(tree: Tree, part: readonly number[]): (ScheduleTree | null)[] {
  if (part.length === 0) return [null];
  return part.flatMap((link) => {
    const [rootSide, endSide] = cut(tree, part, link);
    const ends = allSchedules(tree, endSide);
    return allSchedules(tree, rootSide).flatMap((first) =>
      ends.map((second): ScheduleTree => [tree.joint[link], first, second]),
    );
  });
}

/**
 * Compares qdd and the forces in the joints with the articulated-body algorithm, for each schedule, or for every so many
 * of them, others for each seed; returns how many there are.
 */
function compare(
  mechanism: Mechanism,
  schedulesOf: (tree: Tree) => readonly (ScheduleTree | null)[],
  seed: number,
  tolerance: number,
  every = 1,
): number {
  const tree = createTree(mechanism);
  const { q, v } = State.random(mechanism, seed);
  const tau = randomVector(seed + 1, mechanism.nv, 5);
  const external = randomVector(seed + 2, 6 * tree.n, 3);
  const [expected, qdd] = [new Float64Array(mechanism.nv), new Float64Array(mechanism.nv)];
  const forces = new Float64Array(6 * tree.n);
  const reference = createAba(tree);
  expect(aba(tree, reference, expected, q, v, tau, external)).toBe(-1);
  abaForces(tree, reference, forces);
  const schedules = schedulesOf(tree);
  for (let k = seed % every; k < schedules.length; k += every) {
    const schedule = schedules[k];
    const scratch = createAda(tree, schedule!);
    qdd.fill(Number.NaN);
    scratch.forces.fill(Number.NaN);
    const code = ada(tree, scratch, qdd, q, v, tau, external);
    const worst = Math.max(relativeError(qdd, expected), relativeError(scratch.forces, forces));
    // One call of expect for each schedule would take longer than the dynamics.
    if (code !== -1 || !(worst < tolerance))
      expect.fail(`${worst}, code ${code}: seed ${seed}, parents ${tree.parent}, ${JSON.stringify(schedule)}`);
  }
  return schedules.length;
}

/** 0, 1, ..., n - 1. */
function count(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

describe('every schedule of every tree', () => {
  // n! lists of parents, each with its schedules. The totals are held as first counted; the next test has two of their
  // summands, which are known: n! for a star, Catalan's number for a chain. Of those of six joints every 32nd is computed,
  // others for each shape; all of them with MANIKIN_LONG=1.
  it.each([
    [1, 1],
    [2, 4],
    [3, 32],
    [4, 412],
    [5, 7664],
    [6, 193_080],
  ])('%i joints', { timeout: 300_000 }, (joints, expected) => {
    let schedules = 0;
    let seed = 0;
    for (const shape of shapes(joints)) {
      const mechanism = createMechanism(shaped(++seed, shape, { armature: seed % 2 === 0 }));
      const every = joints === 6 && !LONG ? 32 : 1;
      schedules += compare(mechanism, (tree) => allSchedules(tree, count(tree.n)), seed, 1e-9, every);
    }
    expect(schedules).toBe(expected);
  });

  it('of a star and of a chain there are as many as there must be', () => {
    const schedulesOf = (shape: number[]): Set<string> => {
      const tree = createTree(createMechanism(shaped(1, shape)));
      return new Set(allSchedules(tree, count(tree.n)).map((schedule) => JSON.stringify(schedule)));
    };
    expect(schedulesOf([-1, -1, -1, -1, -1, -1]).size).toBe(720);
    expect(schedulesOf([-1, 0, 1, 2, 3, 4]).size).toBe(132);
  });
});

describe('long trees', () => {
  it('random trees of up to 200 joints in random order', () => {
    let longest = 0;
    for (let seed = 1; seed <= (LONG ? 200 : 60); seed++) {
      const random = new Random(seed);
      const mechanism = createMechanism(
        randomSpec(seed, { bodies: 1 + random.below(200), forest: seed % 3 === 0, armature: seed % 2 === 0 }),
      );
      longest = Math.max(longest, mechanism.joints.length);
      compare(mechanism, (tree) => [scheduleBy(tree, (part) => random.pick(part))], seed, 1e-8);
    }
    expect(longest).toBeGreaterThan(190);
  });

  it.each([1, 2, 7, 8, 100, 1000])('the balanced schedule of a chain of %i joints has logarithmic depth', (n) => {
    const tree = createTree(builtinMechanism(`chain-${n}`));
    expect(createAssemblyPlan(tree, balancedSchedule(tree)).levels).toBe(Math.ceil(Math.log2(n + 1)));
    expect(createAssemblyPlan(tree, endToRootSchedule(tree)).levels).toBe(n);
  });
});

describe('illegal schedules are refused with the reason', () => {
  // A chain of three joints, and a branch: 0 - 1 - 2, and 3 on 0.
  const tree = createTree(createMechanism(shaped(1, [-1, 0, 1, 0])));
  it.each<[string, unknown, RegExp]>([
    ['a joint left out', [1, [0, null, null], [2, null, null]], /leaves out joint 3 \("j3"\)/],
    ['a joint twice', [1, [0, [3, null, null], null], [2, null, [0, null, null]]], /joint 0 \("j0"\) twice/],
    ['sides exchanged', [1, [2, null, null], [0, null, [3, null, null]]], /below joint 1 .* is not connected to it/],
    ['a part that is not connected', [0, null, [1, [2, null, null], [3, null, null]]], /is not connected to it/],
    ['nothing where a part is', [0, null, [1, [3, null, null], null]], /leaves out joint 2/],
    ['an unknown joint', [4, null, null], /numbers from 0 to 3, got 4/],
    ['a negative number', [-1, null, null], /numbers from 0 to 3, got -1/],
    ['half a joint', [0.5, null, null], /got 0.5/],
    ['a name', ['j0', null, null], /got j0/],
    ['no list', 0, /\[joint, root side, end side\]/],
    ['an empty list', [], /\[joint, root side, end side\]/],
    ['four entries', [0, null, null, null], /\[joint, root side, end side\]/],
  ])('%s', (_, schedule, reason) => {
    expect(() => createAssemblyPlan(tree, schedule as ScheduleTree)).toThrow(reason);
  });
});

/** Largest entry of RNEA(qdd) - tau, as a part of the largest force in the joints. */
function residual(tree: Tree, qdd: Float64Array, { q, v }: State, tau: Float64Array): number {
  const scratch = createRnea(tree);
  const needed = new Float64Array(tau.length);
  rnea(tree, scratch, needed, q, v, qdd, null);
  const size = scratch.f.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  return needed.reduce((worst, x, k) => Math.max(worst, Math.abs(x - tau[k])), 0) / size;
}

describe('mass ratio 1e6 on 32 links', () => {
  const spec = mechanismSpec(chain(32));

  it.each(MASS_RATIOS)('$links: the default form is within 1e-7 in any order', (ratio) => {
    const mechanism = createMechanism(alternating(spec, ratio));
    const tree = createTree(mechanism);
    const state = State.random(mechanism, 1);
    const tau = new Float64Array(mechanism.nv);
    const reference = new Float64Array(mechanism.nv);
    aba(tree, createAba(tree), reference, state.q, state.v, tau, null);
    expect(residual(tree, reference, state, tau)).toBeLessThan(1e-12);
    for (const seed of [1, 2, 3])
      for (const [schedule, error] of Object.entries(formErrors(alternating(spec, ratio), seed)))
        expect(error.default, schedule).toBeLessThan(1e-7);
  });

  it('the printed form is far from that where the light links are small too', () => {
    const small = MASS_RATIOS.find(({ links }) => links === 'light, same density')!;
    for (const seed of [1, 2, 3])
      for (const error of Object.values(formErrors(alternating(spec, small), seed))) {
        // Or it gives up: not a number.
        expect(error.printed).not.toBeLessThanOrEqual(1e-6);
        expect(error.default).toBeLessThan(1e-7);
      }
  });

  it.each(ALL_JOINT_TYPES.filter((type) => type !== 'fixed'))('random links on %s joints', (type) => {
    const heavy = MASS_RATIOS.find(({ links }) => links === 'heavy, same shape')!;
    for (const seed of [1, 2, 3]) {
      const random = randomSpec(seed, { bodies: 32, types: [type] });
      const joints = random.joints.map((joint, i) => ({ ...joint, parent: i === 0 ? null : `b${i - 1}` }));
      for (const [schedule, error] of Object.entries(formErrors(alternating({ ...random, joints }, heavy), seed)))
        expect(error.default, schedule).toBeLessThan(1e-7);
    }
  });
});

describe('links without mass', () => {
  /** A chain in which every third link has no mass. */
  function withMasslessLinks(seed: number): Tree {
    const random = randomSpec(seed, { bodies: 12, types: ['revolute', 'universal', 'prismatic', 'helical'] });
    const joints = random.joints.map((joint, i) => ({ ...joint, parent: i === 0 ? null : `b${i - 1}` }));
    const bodies = random.bodies.map((body, i) => (i % 3 === 1 ? { name: body.name } : body));
    return createTree(createMechanism({ ...random, joints, bodies }));
  }

  it('are no trouble where what they carry is assembled before their own joint', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const tree = withMasslessLinks(seed);
      const random = new Random(seed);
      const inOrder = (part: readonly number[]): number =>
        random.pick(part.filter((link) => !(tree.parent[link] % 3 === 1 && part.includes(tree.parent[link]))));
      const schedules = [endToRootSchedule(tree), ...count(10).map(() => scheduleBy(tree, inOrder))];
      compare(tree.mechanism, () => schedules, seed, 1e-9);
    }
  });

  it('are named where their own joint comes first and would feel no inertia', () => {
    const tree = withMasslessLinks(1);
    const { q, v } = State.random(tree.mechanism, 1);
    const tau = new Float64Array(tree.mechanism.nv);
    const scratch = createAda(tree, rootToEndSchedule(tree));
    expect(ada(tree, scratch, new Float64Array(tau.length), q, v, tau, null)).toBe(1);
  });
});
