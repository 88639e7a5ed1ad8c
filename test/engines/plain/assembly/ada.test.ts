import { describe, expect, it } from 'vitest';
import { scheduleBy } from '../../../../bench/simple-orders.js';
import { ada, createAda } from '../../../../src/engines/plain/assembly/ada.js';
import { endToRootSchedule } from '../../../../src/engines/plain/assembly/orders.js';
import { Random } from '../../../../src/mechanism/random.js';
import { State } from '../../../../src/mechanism/state.js';
import { createTree, type Tree } from '../../../../src/mechanism/tree.js';
import { aba, abaForces, createAba } from '../../../../src/reference/aba.js';
import type { ScheduleTree } from '../../../../src/schedule/tree.js';
import { type RandomOptions, randomMechanism, randomVector, relativeError } from '../../../support/random-mechanism.js';

/** Largest relative difference of accelerations and of joint forces from the articulated-body algorithm. */
function difference(seed: number, options: RandomOptions, order: (tree: Tree) => ScheduleTree): number {
  const mechanism = randomMechanism(seed, options);
  const tree = createTree(mechanism);
  const { q, v } = State.random(mechanism, seed);
  const tau = randomVector(seed + 1, mechanism.nv, 5);
  const external = randomVector(seed + 2, 6 * tree.n, 3);
  const [reference, qdd] = [new Float64Array(mechanism.nv), new Float64Array(mechanism.nv)];
  const forces = new Float64Array(6 * tree.n);
  const [known, own] = [createAba(tree), createAda(tree, order(tree))];
  expect(aba(tree, known, reference, q, v, tau, external)).toBe(-1);
  abaForces(tree, known, forces);
  expect(ada(tree, own, qdd, q, v, tau, external)).toBe(-1);
  return Math.max(relativeError(qdd, reference), relativeError(own.forces, forces));
}

// Every shape with every schedule is in exhaustive.test.ts.
describe('assembly and disassembly', () => {
  it('does not mind the order in which the author lists the bodies', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = new Random(seed);
      const options = { bodies: 2 + random.below(29), armature: true, forest: true, shuffled: true };
      const order = (tree: Tree): ScheduleTree => scheduleBy(tree, (part) => random.pick(part));
      expect(difference(seed, options, order), `seed ${seed}`).toBeLessThan(1e-8);
    }
  });

  it('from the ends to the root is the articulated-body algorithm, to the last bit', () => {
    for (let seed = 1; seed <= 20; seed++) expect(difference(seed, { bodies: 12 }, endToRootSchedule)).toBe(0);
  });
});
