import { describe, expect, it } from 'vitest';
import { serialChain } from '../../bench/suites/schedule.js';
import {
  describeTree,
  ScheduleError,
  type ScheduleTree,
  stringifyTree,
  type Topology,
  treeDepth,
  treeMakespan,
  treeSerialCost,
  validateTree,
} from '../../src/schedule/index.js';

const chain4 = serialChain(4);
/** The trees of Fig. 3 of the paper. */
const A: ScheduleTree = [0, null, [1, null, [2, null, [3, null, null]]]];
const B: ScheduleTree = [2, [0, null, [1, null, null]], [3, null, null]];
const C: ScheduleTree = [2, [1, [0, null, null], null], [3, null, null]];

function reasonOf(topology: Topology, tree: unknown): string {
  try {
    validateTree(topology, tree);
  } catch (error) {
    expect(error).toBeInstanceOf(ScheduleError);
    expect((error as ScheduleError).code).toBe('bad-tree');
    return (error as ScheduleError).message;
  }
  return 'legal';
}

describe('legal schedules', () => {
  it('the trees of Fig. 3, and no others of their joints', () => {
    for (const tree of [A, B, C]) expect(reasonOf(chain4, tree)).toBe('legal');
    expect(reasonOf(chain4, [2, [3, null, null], [1, [0, null, null], null]])).toMatch(/root side of joint 2/);
    expect(reasonOf(chain4, [1, [2, null, [3, null, null]], [0, null, null]])).toMatch(
      /root side of joint 1 .* swapped/,
    );
  });

  it('reasons for refusal', () => {
    expect(reasonOf(chain4, [0, null, [1, null, [2, null, null]]])).toBe(
      'Joint 3 is missing from the schedule tree; every joint belongs there once.',
    );
    expect(reasonOf(chain4, [2, [1, [0, null, null], null], [2, null, null]])).toMatch(/Joint 2 appears twice/);
    expect(reasonOf(chain4, [4, null, null])).toMatch(/names joint 4; expected an integer from 0 to 3/);
    expect(reasonOf(chain4, [1.5, null, null])).toMatch(/names joint 1.5/);
    expect(reasonOf(chain4, null)).toMatch(/no \[joint, rootSide, endSide\] at the top/);
    expect(reasonOf(chain4, [2, 'x', [3, null, null]])).toMatch(/at the root side of joint 2/);
    expect(reasonOf(chain4, [2, [1, [0, null, null], null]])).toMatch(/at the top/);
    // Joint 3 hangs on link 2, not on what joint 0 completes.
    expect(reasonOf(chain4, [1, [0, null, [3, null, null]], [2, null, null]])).toMatch(
      /root side of joint 3 must be the chain completed by joint 2, not a bare link/,
    );
  });

  it('names the joint in machine-readable fields', () => {
    try {
      validateTree(chain4, [0, null, [1, null, [2, null, null]]]);
      expect.unreachable();
    } catch (error) {
      expect((error as ScheduleError).fields.joint).toBe(3);
    }
  });
});

describe('nodes, levels and costs', () => {
  it('external joints of Fig. 3', () => {
    const external = (tree: ScheduleTree): [number, number, number][] =>
      describeTree(chain4, tree).map(({ joint, level, externalJoints }) => [joint, level, externalJoints]);
    expect(external(A)).toEqual([
      [0, 0, 0],
      [1, 1, 1],
      [2, 2, 1],
      [3, 3, 1],
    ]);
    expect(external(B)).toEqual([
      [2, 0, 0],
      [0, 1, 1],
      [1, 2, 2],
      [3, 1, 1],
    ]);
    expect(external(C)).toEqual([
      [2, 0, 0],
      [1, 1, 1],
      [0, 2, 1],
      [3, 1, 1],
    ]);
  });

  it('eq. 11 and the critical path', () => {
    // C(0) = 13.4, C(1) = 16, C(2) = 21.8 for one degree of freedom.
    expect(treeSerialCost(chain4, A)).toBe(61.4);
    expect(treeSerialCost(chain4, B)).toBe(67.2);
    expect(treeMakespan(chain4, B, 2)).toBe(51.2);
    expect(treeMakespan(chain4, C, 2)).toBe(45.4);
    expect(treeMakespan(chain4, A, 4)).toBe(61.4);
    expect([treeDepth(A), treeDepth(B), treeDepth(C)]).toEqual([4, 3, 3]);
    expect(describeTree(chain4, B).map(({ cost }) => cost)).toEqual([13.4, 16, 21.8, 16]);
  });

  it('text of a tree is JSON', () => {
    expect(JSON.parse(stringifyTree(C))).toEqual(C);
    expect(stringifyTree(A)).toBe(JSON.stringify(A));
  });
});

describe('loops', () => {
  // A four-bar linkage: links 0, 1, 2 in series, and a loop joint (number 3) from link 2 back to the base.
  const fourBar: Topology = { joints: 3, parent: [-1, 0, 1], dof: [1, 1, 1], loops: [{ a: -1, b: 2, dof: 1 }] };

  it('a joint that closes a loop has one side, in the first place', () => {
    expect(reasonOf(fourBar, [3, [0, null, [1, null, [2, null, null]]], null])).toBe('legal');
    expect(reasonOf(fourBar, [3, null, [0, null, [1, null, [2, null, null]]]])).toMatch(/closes a loop/);
    // Any joint of the loop may close it.
    expect(reasonOf(fourBar, [1, [3, [0, null, null], [2, null, null]], null])).toBe('legal');
    // A joint cannot divide a chain that another one holds together.
    expect(reasonOf(fourBar, [1, [0, null, null], [2, [3, null, null], null]])).not.toBe('legal');
  });

  it('an open joint with both links in one chain counts once', () => {
    const nodes = describeTree(fourBar, [3, [0, null, [1, null, [2, null, null]]], null]);
    expect(nodes.map(({ joint, externalJoints, closesLoop }) => [joint, externalJoints, closesLoop])).toEqual([
      [3, 0, true],
      [0, 1, false],
      [1, 2, false],
      [2, 2, false],
    ]);
  });
});
