import { ScheduleError } from './errors.js';
import { emptyFlatTree, type FlatTree, place, preorder, type Slot, TOP_SLOT } from './flat-tree.js';
import type { LinkGraph } from './topology.js';

/**
 * A schedule tree ([002] Section II-C) as nested data: the joint added last, then the tree that assembles the partial
 * chain on its root side, then the one on its end side; null for a side that is a bare link.
 *
 * A joint that closes a loop joins two links of one partial chain. Its node has that chain as its only side, in the
 * first place: `[joint, chain, null]`. Which joint of a loop that is depends on the schedule: the last one of the loop.
 */
export type ScheduleTree = readonly [joint: number, rootSide: ScheduleTree | null, endSide: ScheduleTree | null];

function badTree(message: string, fields: ConstructorParameters<typeof ScheduleError>[2] = {}): ScheduleError {
  return new ScheduleError('bad-tree', message, fields);
}

/** Reads nested data into arrays. Refuses what is not a tree of joint numbers, each at most once. */
export function flattenTree(tree: unknown, joints: number): FlatTree {
  const flat = emptyFlatTree(joints);
  const seen = new Uint8Array(joints);
  const stack: { node: unknown; slot: Slot }[] = [{ node: tree, slot: TOP_SLOT }];
  while (stack.length > 0) {
    const { node, slot } = stack.pop() as { node: unknown; slot: Slot };
    if (!Array.isArray(node) || node.length !== 3) {
      const where = slot.parent < 0 ? 'the top' : `the ${slot.side} side of joint ${slot.parent}`;
      throw badTree(`The schedule tree has no [joint, rootSide, endSide] at ${where}.`, {
        expected: '[joint, rootSide, endSide]',
        found: typeof node,
        ...(slot.parent < 0 ? {} : { joint: slot.parent }),
      });
    }
    const [joint, rootSide, endSide] = node as [unknown, unknown, unknown];
    if (typeof joint !== 'number' || !Number.isInteger(joint) || joint < 0 || joint >= joints) {
      throw badTree(`The schedule tree names joint ${String(joint)}; expected an integer from 0 to ${joints - 1}.`, {
        expected: `integer 0..${joints - 1}`,
        found: String(joint),
      });
    }
    if (seen[joint])
      throw badTree(`Joint ${joint} appears twice in the schedule tree; every joint belongs there once.`, { joint });
    seen[joint] = 1;
    place(flat, slot, joint);
    if (endSide !== null) stack.push({ node: endSide, slot: { parent: joint, side: 'end' } });
    if (rootSide !== null) stack.push({ node: rootSide, slot: { parent: joint, side: 'root' } });
  }
  return flat;
}

/** Nested data of a tree in arrays. */
export function nestTree(flat: FlatTree, order = preorder(flat)): ScheduleTree {
  const nested = new Array<ScheduleTree | undefined>(flat.rootSide.length);
  for (let i = order.length - 1; i >= 0; i--) {
    const joint = order[i];
    const [root, end] = [flat.rootSide[joint], flat.endSide[joint]];
    nested[joint] = [
      joint,
      root < 0 ? null : (nested[root] as ScheduleTree),
      end < 0 ? null : (nested[end] as ScheduleTree),
    ];
  }
  return nested[flat.top] as ScheduleTree;
}

/** JSON text of a tree. JSON.stringify recurses, and the tree of a long chain is as deep as the chain. */
export function stringifyTree(tree: ScheduleTree): string {
  const text: string[] = [];
  const stack: (ScheduleTree | string | null)[] = [tree];
  while (stack.length > 0) {
    const item = stack.pop() as ScheduleTree | string | null;
    if (item === null) text.push('null');
    else if (typeof item === 'string') text.push(item);
    else {
      text.push(`[${item[0]},`);
      stack.push(']', item[2], ',', item[1]);
    }
  }
  return text.join('');
}

/**
 * Whether a tree is a legal schedule of the mechanism: every joint once, and each joins exactly the partial chains that
 * its two sides assemble. Works from the leaves to the root with disjoint sets of links, in nearly linear time.
 */
export function checkFlatTree(flat: FlatTree, graph: LinkGraph): void {
  const order = preorder(flat);
  if (order.length !== graph.joints) {
    const present = new Uint8Array(graph.joints);
    for (const joint of order) present[joint] = 1;
    const joint = present.indexOf(0);
    throw badTree(`Joint ${joint} is missing from the schedule tree; every joint belongs there once.`, { joint });
  }
  const group = Int32Array.from({ length: graph.links }, (_, link) => link);
  const find = (link: number): number => {
    let head = link;
    while (group[head] !== head) {
      group[head] = group[group[head]];
      head = group[head];
    }
    return head;
  };
  const top = new Int32Array(graph.links).fill(-1); // by group: the joint that completed it, -1 for a bare link
  for (let i = order.length - 1; i >= 0; i--) {
    const joint = order[i];
    const rootGroup = find(graph.rootEnd[joint]);
    const endGroup = find(graph.endEnd[joint]);
    const [rootSide, endSide] = [flat.rootSide[joint], flat.endSide[joint]];
    if (rootGroup === endGroup) {
      if (rootSide !== top[rootGroup] || endSide >= 0) {
        throw badTree(
          `Joint ${joint} closes a loop; its only side must be the chain it closes, as [joint, chain, null].`,
          { joint },
        );
      }
    } else {
      expectSide(joint, 'root', rootSide, top[rootGroup], endSide === top[rootGroup] && endSide >= 0);
      expectSide(joint, 'end', endSide, top[endGroup], false);
      group[endGroup] = rootGroup;
    }
    top[rootGroup] = joint;
  }
}

function expectSide(joint: number, side: 'root' | 'end', found: number, expected: number, swapped: boolean): void {
  if (found === expected) return;
  const name = (each: number): string => (each < 0 ? 'a bare link' : `the chain completed by joint ${each}`);
  const hint = swapped ? '; its two sides are swapped' : '';
  throw badTree(`The ${side} side of joint ${joint} must be ${name(expected)}, not ${name(found)}${hint}.`, {
    joint,
    expected: name(expected),
    found: name(found),
  });
}
