import { describe, expect, it } from 'vitest';
import { balancedSchedule, scheduleBy } from '../../../bench/simple-orders.js';
import { ada, CONTRADICTION, createAda } from '../../../src/engines/plain/assembly/ada.js';
import { endToRootSchedule } from '../../../src/engines/plain/assembly/orders.js';
import type { JointTypeName } from '../../../src/joints/index.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { Random } from '../../../src/mechanism/random.js';
import type { LoopSpec } from '../../../src/mechanism/spec.js';
import { State } from '../../../src/mechanism/state.js';
import { createTree, type Tree } from '../../../src/mechanism/tree.js';
import { createPrinted, printedAda } from '../../../src/papers/printed/ada.js';
import { setJointSpaces } from '../../../src/papers/printed/space.js';
import { aba, abaForces, createAba } from '../../../src/reference/aba.js';
import type { ScheduleTree } from '../../../src/schedule/tree.js';
import { rotationFromQuaternion } from '../../../src/spatial/matrix3.js';
import {
  ALL_JOINT_TYPES,
  randomMechanism,
  randomSpec,
  randomVector,
  relativeError,
} from '../../support/random-mechanism.js';

function randomSchedule(tree: Tree, random: Random): ScheduleTree {
  return scheduleBy(tree, (part) => random.pick(part));
}

/** Errors of qdd and of the joint forces against the articulated-body algorithm, external forces and all. */
function errors(mechanism: Mechanism, schedule: (tree: Tree) => ScheduleTree, seed: number): [number, number] {
  const tree = createTree(mechanism);
  const { q, v } = State.random(mechanism, seed);
  const tau = randomVector(seed + 1, mechanism.nv, 5);
  const external = randomVector(seed + 2, 6 * tree.n, 3);
  const [expected, qdd] = [new Float64Array(mechanism.nv), new Float64Array(mechanism.nv)];
  const forces = new Float64Array(6 * tree.n);
  const reference = createAba(tree);
  expect(aba(tree, reference, expected, q, v, tau, external)).toBe(-1);
  abaForces(tree, reference, forces);
  const scratch = createPrinted(tree, schedule(tree));
  expect(printedAda(tree, scratch, qdd, q, v, tau, external)).toBe(-1);
  return [relativeError(qdd, expected), relativeError(scratch.forces, forces)];
}

describe('the printed form', () => {
  it('agrees with the articulated-body algorithm on random trees of all joint types, in random order', () => {
    for (let seed = 1; seed <= 120; seed++) {
      const random = new Random(seed);
      const mechanism = randomMechanism(seed, { bodies: 1 + random.below(30), forest: seed % 2 === 0 });
      const [qdd, forces] = errors(mechanism, (tree) => randomSchedule(tree, random), seed);
      expect(qdd, `qdd, seed ${seed}`).toBeLessThan(1e-8);
      expect(forces, `forces, seed ${seed}`).toBeLessThan(1e-8);
    }
  });

  it.each(ALL_JOINT_TYPES)('chain of %s joints, from the ends, balanced and in random order', (type) => {
    const mechanism = randomMechanism(7, { bodies: 9, types: [type], base: 'floating' });
    const random = new Random(5);
    for (const schedule of [endToRootSchedule, balancedSchedule, (tree: Tree) => randomSchedule(tree, random)])
      expect(Math.max(...errors(mechanism, schedule, 3))).toBeLessThan(1e-8);
  });

  it('armature is a row of its own', () => {
    let withRotors = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 8, armature: true });
      withRotors += createTree(mechanism).armature.some((inertia) => inertia > 0) ? 1 : 0;
      const random = new Random(seed);
      expect(Math.max(...errors(mechanism, (tree) => randomSchedule(tree, random), seed))).toBeLessThan(1e-8);
    }
    expect(withRotors).toBeGreaterThan(20);
  });

  it('names the link without mass that it cannot invert', () => {
    const spec = randomSpec(3, { bodies: 5, types: ['revolute'] });
    const bodies = spec.bodies.map((body, i) => (i === 2 ? { name: body.name } : body));
    const tree = createTree(createMechanism({ ...spec, bodies }));
    const { q, v } = State.random(tree.mechanism, 1);
    const zero = new Float64Array(tree.mechanism.nv);
    const scratch = createPrinted(tree, endToRootSchedule(tree));
    expect(printedAda(tree, scratch, new Float64Array(zero.length), q, v, zero, null)).toBe(tree.link[2]);
  });
});

describe('closed chains in the printed form', () => {
  /** A random chain with loop joints from its last body to the ground (even seeds) or to bodies near its root. */
  function closed(seed: number, loopTypes: LoopSpec['type'][], bodies: number, types: JointTypeName[]): Tree {
    const random = new Random(seed);
    const spec = randomSpec(seed, { bodies, types });
    const joints = spec.joints.map((joint, i) => ({ ...joint, parent: i === 0 ? null : `b${i - 1}` }));
    const frame = (body: string | null): LoopSpec['a'] => ({
      body,
      E: rotationFromQuaternion(random.quaternion()),
      t: [random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(-0.3, 0.3)],
    });
    const loops = loopTypes.map((type, k): LoopSpec => {
      const [a, b] = [frame(seed % 2 === 0 ? null : `b${k}`), frame(`b${bodies - 1}`)];
      return { name: `l${k}`, type, axis: random.direction(), axis2: random.direction(), a, b };
    });
    return createTree(createMechanism({ ...spec, joints, loops }));
  }

  /** A chain that can still move with a loop or two. */
  function mobile(seed: number, ...loopTypes: LoopSpec['type'][]): Tree {
    return closed(seed, loopTypes, 8, ['spherical', 'universal', 'cylindrical', 'planar']);
  }

  function compareWithDefault(tree: Tree, schedule: ScheduleTree, seed: number): void {
    const { q, v } = State.random(tree.mechanism, seed);
    const tau = randomVector(seed + 1, tree.mechanism.nv, 2);
    const [expected, qdd] = [new Float64Array(tau.length), new Float64Array(tau.length)];
    const reference = createAda(tree, schedule);
    const scratch = createPrinted(tree, schedule);
    expect(ada(tree, reference, expected, q, v, tau, null)).toBe(-1);
    expect(printedAda(tree, scratch, qdd, q, v, tau, null)).toBe(-1);
    expect(relativeError(qdd, expected), `qdd, seed ${seed}`).toBeLessThan(1e-8);
    expect(relativeError(scratch.forces.subarray(0, 6 * tree.n), reference.forces)).toBeLessThan(1e-8);
    expect(qdd.every((x) => x === 0)).toBe(false);
  }

  it.each(ALL_JOINT_TYPES)('a %s joint closes a loop: as in the default form', (type) => {
    for (let seed = 1; seed <= 10; seed++) {
      const tree = mobile(seed, type);
      compareWithDefault(tree, endToRootSchedule(tree), seed);
    }
  });

  it('two loops at once, and a loop that is closed before the last joints are added', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const two = mobile(seed, 'spherical', 'revolute');
      compareWithDefault(two, endToRootSchedule(two), seed);
      const one = mobile(2 * seed + 1, 'spherical');
      const [loop, [first, none, rest]] = endToRootSchedule(one) as [number, ScheduleTree, null];
      expect([first, none]).toEqual([0, null]);
      compareWithDefault(one, [first, null, [loop, rest, null]], seed);
    }
  });

  it('says so where the loop joint asks for what no force can bring about', () => {
    // Two hinges turn between bodies that are to be one: their velocity product has nothing to be met with.
    const tree = closed(3, ['fixed'], 3, ['revolute']);
    const { q, v } = State.random(tree.mechanism, 2);
    const tau = new Float64Array(tree.mechanism.nv);
    const scratch = createPrinted(tree, endToRootSchedule(tree));
    expect(printedAda(tree, scratch, new Float64Array(tau.length), q, v, tau, null)).toBe(CONTRADICTION);
    v.fill(0);
    expect(printedAda(tree, scratch, new Float64Array(tau.length), q, v, tau, null)).toBe(-1);
  });
});

describe('motion and constraint space', () => {
  it('R S = 1, N R^T = 0, N N^T = 1 for any motion space', () => {
    const [R, N, Q] = [new Float64Array(36), new Float64Array(36), new Float64Array(36)];
    for (let nv = 0; nv <= 6; nv++)
      for (let seed = 1; seed <= 10; seed++) {
        const S = randomVector(100 * nv + seed, 36);
        setJointSpaces(R, N, S, 0, nv, Q);
        const dot = (A: Float64Array, a: number, B: Float64Array, b: number): number =>
          [0, 1, 2, 3, 4, 5].reduce((sum, j) => sum + A[6 * a + j] * B[6 * b + j], 0);
        for (let k = 0; k < nv; k++)
          for (let l = 0; l < nv; l++) expect(dot(R, k, S, l)).toBeCloseTo(k === l ? 1 : 0, 9);
        for (let k = 0; k < 6 - nv; k++) {
          for (let l = 0; l < nv; l++) expect(dot(N, k, R, l)).toBeCloseTo(0, 9);
          for (let l = 0; l < 6 - nv; l++) expect(dot(N, k, N, l)).toBeCloseTo(k === l ? 1 : 0, 12);
        }
      }
  });
});
