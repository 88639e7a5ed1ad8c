// The dispatches of one forward dynamics of a large mechanism, in their order, and the lists of operations they read.

import type { Tree } from '../mechanism/tree.js';
import type { Contraction } from './contraction.js';
import type { PartJoint } from './part-formulas.js';
import { BLOCK, FUSED, NONE, type PartKernel } from './part-kernels.js';

export interface Dispatch {
  readonly kernel: PartKernel | 'fused';
  readonly count: number;
  /** Where its operations begin. */
  readonly ops: number;
}

/** What a link's joint is to the kernels. */
const KIND = { revolute: 0, prismatic: 1, spherical: 2, fixed: 3, floating: 2 } as const;
/** So far a jump reaches: four times as far as the one before. */
const JUMP = 4;

/** All dispatches of a call in their order, and the lists of operations they read. */
export function planDispatches(
  { n, parent }: Tree,
  types: readonly PartJoint[],
  { rounds, roots, below, taken }: Contraction,
): { dispatches: Dispatch[]; kinds: PartKernel[]; ops: Uint32Array } {
  const chunks: Uint32Array[] = [];
  let top = 0;
  const add = (list: Uint32Array): number => {
    const at = top;
    chunks.push(list);
    top += list.length;
    return at;
  };
  const none = (x: number): number => (x < 0 ? NONE : x);
  const depth = new Int32Array(n);
  let deepest = 1;
  const bodies = new Uint32Array(3 * n);
  for (let i = 0; i < n; i++) {
    // Blocks between a link and the ground.
    const p = parent[i];
    depth[i] = p < 0 ? 1 : Math.floor(p / BLOCK) === Math.floor(i / BLOCK) ? depth[p] : depth[p] + 1;
    deepest = Math.max(deepest, depth[i]);
    bodies[i] = none(parent[i]);
    bodies[n + i] = KIND[types[i]];
    bodies[2 * n + i] = taken.has(i) ? NONE - 1 : none(below[i]);
  }
  const ofBodies = add(bodies);
  const dispatches: Dispatch[] = [{ kernel: 'start', count: n, ops: ofBodies }];
  // Blocks of links have been put together by then.
  for (let reach = 1; reach < deepest; reach *= JUMP) dispatches.push({ kernel: 'jump', count: n, ops: ofBodies });
  dispatches.push({ kernel: 'rigid', count: n, ops: ofBodies });
  const backwards: Dispatch[] = [];
  /** Operations with a joint, by its type; each list is one dispatch there and one back. */
  const byType = <T extends { readonly joint: number }>(
    list: readonly T[],
    fields: (op: T) => readonly number[],
    make: (type: PartJoint, count: number, ops: number) => void,
  ): void => {
    const groups = new Map<PartJoint, T[]>();
    for (const op of list) {
      const group = groups.get(types[op.joint]);
      if (group === undefined) groups.set(types[op.joint], [op]);
      else group.push(op);
    }
    for (const [type, group] of groups) {
      const width = fields(group[0]).length;
      const numbers = new Uint32Array(width * group.length);
      group.forEach((op, i) => {
        fields(op).forEach((x, k) => {
          numbers[k * group.length + i] = x;
        });
      });
      make(type, group.length, add(numbers));
    }
  };
  for (const { rakes, bodies: branches, joins } of rounds) {
    const back: Dispatch[] = [];
    byType(
      rakes,
      ({ part, joint, parent: p }) => [part, joint, p],
      (type, count, ops) => {
        dispatches.push({ kernel: `rake ${type}`, count, ops });
        back.push({ kernel: `unrake ${type}`, count, ops });
      },
    );
    if (branches.length > 0) {
      const count = branches.length;
      const lists = branches.map((body) => taken.get(body)!);
      const starts = lists.map((list) => add(Uint32Array.from(list)));
      const numbers = new Uint32Array(4 * count);
      branches.forEach((body, i) => {
        [body, none(below[body]), starts[i], lists[i].length].forEach((x, k) => {
          numbers[k * count + i] = x;
        });
      });
      dispatches.push({ kernel: 'branch', count, ops: add(numbers) });
    }
    byType(
      joins,
      ({ upper, lower, joint, result }) => [upper, lower, joint, result],
      (type, count, ops) => {
        dispatches.push({ kernel: `join ${type}`, count, ops });
        // Joins of a round are taken apart before its rakes.
        back.unshift({ kernel: `separate ${type}`, count, ops });
      },
    );
    backwards.unshift(...back);
  }
  byType(
    roots,
    ({ part, joint }) => [part, joint],
    (type, count, ops) => {
      dispatches.push({ kernel: `root ${type}`, count, ops });
    },
  );
  dispatches.push(...backwards);
  const { list: fewer, kinds } = fuse(dispatches, add);
  const ops = new Uint32Array(top);
  let at = 0;
  for (const chunk of chunks) {
    ops.set(chunk, at);
    at += chunk.length;
  }
  return { dispatches: fewer, kinds, ops };
}

/** One kernel with more kinds of operations (joint types times what is done with them) takes drivers long to compile. */
const MOST_KINDS = 7;

/** Consecutive dispatches with few operations become one. */
function fuse(
  dispatches: readonly Dispatch[],
  add: (list: Uint32Array) => number,
): { list: Dispatch[]; kinds: PartKernel[] } {
  const small = ({ kernel, count }: Dispatch): boolean => count <= FUSED && kernel !== 'start' && kernel !== 'jump';
  const first = dispatches.findIndex(small);
  let end = first;
  while (end < dispatches.length && end >= 0 && small(dispatches[end])) end++;
  if (first < 0 || end - first < 2) return { list: [...dispatches], kinds: [] };
  const run = dispatches.slice(first, end);
  const kinds = [...new Set(run.map(({ kernel }) => kernel as PartKernel))];
  if (kinds.length > MOST_KINDS) return { list: [...dispatches], kinds: [] };
  const numbers = run.flatMap(({ kernel, count, ops }) => [kinds.indexOf(kernel as PartKernel), count, ops]);
  const fused: Dispatch = { kernel: 'fused', count: run.length, ops: add(Uint32Array.from(numbers)) };
  return { list: [...dispatches.slice(0, first), fused, ...dispatches.slice(end)], kinds };
}
