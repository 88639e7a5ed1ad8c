import { describe, expect, it } from 'vitest';
import { aba, abaForces, createAba } from '../../../src/dynamics/aba.js';
import { ada, createAda } from '../../../src/dynamics/assembly/ada.js';
import { endToRootSchedule, type ScheduleTree } from '../../../src/dynamics/assembly/plan.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { Random } from '../../../src/mechanism/random.js';
import { State } from '../../../src/mechanism/state.js';
import { createTree } from '../../../src/mechanism/tree.js';
import { randomMechanism, randomVector, relativeError } from '../../support/random-mechanism.js';
import { allSchedules, randomSchedule } from './schedules.js';

function compare(
  mechanism: Mechanism,
  schedules: Iterable<ScheduleTree | null>,
  seed: number,
  tolerance: number,
): number {
  const tree = createTree(mechanism);
  const state = State.random(mechanism, seed);
  const tau = randomVector(seed + 1, mechanism.nv, 5);
  const external = randomVector(seed + 2, 6 * tree.n, 3);
  const reference = new Float64Array(mechanism.nv);
  const forces = new Float64Array(6 * tree.n);
  const scratch = createAba(tree);
  expect(aba(tree, scratch, reference, state.q, state.v, tau, external)).toBe(-1);
  abaForces(tree, scratch, forces);
  let count = 0;
  for (const schedule of schedules) {
    const own = createAda(tree, schedule!);
    const qdd = new Float64Array(mechanism.nv);
    expect(ada(tree, own, qdd, state.q, state.v, tau, external)).toBe(-1);
    const text = `${mechanism.name} ${JSON.stringify(schedule)}`;
    expect(relativeError(qdd, reference), `qdd of ${text}`).toBeLessThan(tolerance);
    expect(relativeError(own.forces, forces), `forces of ${text}`).toBeLessThan(tolerance);
    count++;
  }
  return count;
}

describe('assembly and disassembly', () => {
  it.each([1, 2, 3, 4, 5])('every schedule of random trees of %i joints', (bodies) => {
    let count = 0;
    for (let seed = 1; seed <= 30; seed++) {
      const mechanism = randomMechanism(100 * bodies + seed, { bodies, forest: true, armature: true });
      const joints = mechanism.joints.map((_, i) => i);
      count += compare(mechanism, allSchedules(mechanism, joints), seed, 1e-9);
    }
    expect(count).toBeGreaterThanOrEqual(30);
  });

  it('random schedules of random trees of up to 60 joints', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new Random(seed);
      const mechanism = randomMechanism(seed, { bodies: 2 + random.below(59), armature: true });
      const joints = mechanism.joints.map((_, i) => i);
      compare(mechanism, [randomSchedule(mechanism, joints, random)], seed, 1e-8);
    }
  });

  it('from the ends to the root it is the articulated-body algorithm, to the last bit', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 12 });
      const tree = createTree(mechanism);
      compare(mechanism, [endToRootSchedule(tree)], seed, 1e-300);
    }
  });
});
