import { describe, expect, it } from 'vitest';
import { serialChain } from '../../bench/suites/schedule.js';
import { scheduleByAStar } from '../../src/papers/astar/index.js';
import { type Schedule, type ScheduleTree, schedule, treeMakespan } from '../../src/schedule/index.js';
import { hasShared, readShared } from '../support/shared.js';

const REFERENCE = 'reference/schedule-optima.json';
/** The body of a skipped suite runs all the same. */
const EMPTY = '{"table1_paper": {}, "serial_1dof": {}, "branched": {}}';

interface Optimum {
  readonly makespan: number;
  readonly makespan_optimal_roots: number[] | 'all';
  readonly lexfirst_tree?: NestedReference | null;
}
type NestedReference = [number, ...(NestedReference | null)[]];
interface Reference {
  readonly table1_paper: Record<string, { a: number; b: number; c: number; d: number }>;
  readonly serial_1dof: Record<string, Record<string, Optimum>>;
  readonly branched: Record<
    string,
    { parent: number[]; dof: number[]; closed_form_P1: number; by_P: Record<string, Optimum> }
  >;
}

/**
 * The reference writes a tree down to the parts on one process, which are null, and leaves out sides without joints; a
 * joint with no joints on either side has one null.
 */
function asReference(found: Schedule, processors: number): NestedReference | null {
  const convert = (node: ScheduleTree, range: number): NestedReference | null => {
    if (range === 1) return null;
    const [joint, root, end] = node;
    if (root && end) {
      const half = Math.floor(range / 2);
      return [joint, convert(root, half), convert(end, range - half)];
    }
    const only = root ?? end;
    return [joint, only ? convert(only, range) : null];
  };
  return convert(found.tree, processors);
}

const available = hasShared(REFERENCE);

describe.runIf(available)('optima of the reference', () => {
  const reference = JSON.parse(available ? readShared(REFERENCE) : EMPTY) as Reference;

  for (const [joints, byProcessors] of Object.entries(reference.serial_1dof)) {
    for (const [processors, optimum] of Object.entries(byProcessors)) {
      it(`chain of ${joints} joints, ${processors} processors`, () => {
        const found = schedule(serialChain(Number(joints)), { processors: Number(processors) });
        expect(found.makespan).toBe(optimum.makespan);
        expect(found.optimal).toBe(true);
        expect(found.canonical).toBe(true);
        if (optimum.makespan_optimal_roots !== 'all') {
          expect(found.tree[0]).toBe(Math.min(...optimum.makespan_optimal_roots));
        }
        if (optimum.lexfirst_tree) expect(asReference(found, Number(processors))).toEqual(optimum.lexfirst_tree);
      });
    }
  }

  for (const [name, { parent, dof, closed_form_P1, by_P }] of Object.entries(reference.branched)) {
    it(name, () => {
      const topology = { joints: parent.length, parent, dof };
      expect(schedule(topology, { processors: 1 }).makespan).toBe(closed_form_P1);
      for (const [processors, optimum] of Object.entries(by_P)) {
        for (const search of [schedule, scheduleByAStar]) {
          const found = search(topology, { processors: Number(processors) });
          expect(found.makespan).toBe(optimum.makespan);
          expect(found.tree[0]).toBe(Math.min(...(optimum.makespan_optimal_roots as number[])));
        }
      }
    });
  }

  describe('Table I of the paper', () => {
    for (const [joints, { a, b, c, d }] of Object.entries(reference.table1_paper)) {
      it(`${joints} joints: the printed indices, and no schedule that is faster`, () => {
        const topology = serialChain(Number(joints));
        const two = schedule(topology, { processors: 2 });
        const four = schedule(topology, { processors: 4 });
        const tree = four.tree as [number, ScheduleTree, ScheduleTree];
        expect(two.tree[0]).toBe(a);
        expect([tree[0], tree[1][0], tree[2][0]]).toEqual([b, c, d]);
        expect([two.optimal, four.optimal]).toEqual([true, true]);
        expect(treeMakespan(topology, four.tree, 4)).toBe(four.makespan);
      });
    }
  });
});

describe('figures of the paper and its errata', () => {
  it('002-14: the chain of 200 joints takes 3197.4 us on one process and 1613.4 us on two', () => {
    const found = schedule(serialChain(200), { processors: 2 });
    expect(found.serial).toBe(3197.4);
    expect(found.makespan).toBe(1613.4);
  });

  it('002-10: a mechanism on which the printed priority misses the optimum', () => {
    const topology = { joints: 7, parent: [-1, -1, -1, 0, 3, 4, 5], dof: [1, 1, 1, 3, 6, 6, 1] };
    for (const search of [schedule, scheduleByAStar]) expect(search(topology, { processors: 8 }).makespan).toBe(51.4);
  });

  it('002-12: branches without handles, where counts frozen at the start give 67.2', () => {
    expect(schedule({ joints: 4, parent: [-1, -1, 0, 1], dof: [1, 1, 1, 1] }, { processors: 1 }).makespan).toBe(61.4);
  });
});
