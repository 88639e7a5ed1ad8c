// The dispatches of one forward dynamics of a large mechanism, in their order, and the lists of operations they read.

import type { Contraction } from './contraction.js';
import { BLOCK, turnOf } from './motion-kernels.js';
import { movingType, type PartJoint } from './part-joints.js';
import { FUSED, type PartKernel } from './part-kernels.js';
import { NONE } from './part-layout.js';

export interface Dispatch {
  readonly kernel: PartKernel | 'fused';
  readonly count: number;
  /** Where its operations begin. */
  readonly ops: number;
}

/** So far a jump reaches: four times as far as the one before. */
const JUMP = 4;

/** All dispatches of a call in their order, and the lists of operations they read. */
export function planDispatches(
  parent: Int32Array,
  types: readonly PartJoint[],
  kept: Uint8Array,
  { rounds, roots, below, taken }: Contraction,
): { dispatches: Dispatch[]; kinds: PartKernel[]; ops: Uint32Array } {
  const n = parent.length;
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
    bodies[n + i] = turnOf(movingType(types[i]));
    bodies[2 * n + i] = taken.has(i) || kept[i] === 1 ? NONE - 1 : none(below[i]);
  }
  const ofBodies = add(bodies);
  const dispatches: Dispatch[] = [{ kernel: 'start', count: n, ops: ofBodies }];
  // Blocks of links have been put together by then.
  for (let reach = 1; reach < deepest; reach *= JUMP) dispatches.push({ kernel: 'jump', count: n, ops: ofBodies });
  dispatches.push({ kernel: 'rigid', count: n, ops: ofBodies });
  const backwards: Dispatch[] = [];
  /** Operations with a joint, by a word and the joint's type; each list is one dispatch there and one back. */
  const byType = <T extends { readonly joint: number }, W extends string>(
    list: readonly T[],
    word: (op: T) => W,
    fields: (op: T) => readonly number[],
    make: (type: PartJoint, count: number, ops: number, word: W) => void,
  ): void => {
    const groups = new Map<string, T[]>();
    for (const op of list) {
      const key = `${word(op)}: ${types[op.joint]}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [op]);
      else group.push(op);
    }
    for (const group of groups.values()) {
      const width = fields(group[0]).length;
      const numbers = new Uint32Array(width * group.length);
      group.forEach((op, i) => {
        fields(op).forEach((x, k) => {
          numbers[k * group.length + i] = x;
        });
      });
      make(types[group[0].joint], group.length, add(numbers), word(group[0]));
    }
  };
  /** Where the lists of what links have taken in begin, and their lengths. */
  const lists = new Map<number, readonly [number, number]>();
  const takenBy = (link: number): readonly [number, number] => {
    let list = lists.get(link);
    if (list === undefined) {
      const numbers = taken.get(link) ?? [];
      list = [add(Uint32Array.from(numbers)), numbers.length];
      lists.set(link, list);
    }
    return list;
  };
  const isKept = (link: number): boolean => kept[link] === 1;
  for (const { rakes, bodies: branches, joins } of rounds) {
    const back: Dispatch[] = [];
    byType(
      rakes,
      ({ joint, parent: p }) => `${isKept(joint) ? 'lift' : 'rake'}${isKept(p) ? '-link' : ''}` as const,
      ({ part, joint, parent: p }) => (isKept(joint) ? [joint, p, ...takenBy(joint)] : [part, joint, p]),
      (type, count, ops, word) => {
        const there = word === 'lift' || word === 'lift-link' ? 'lift' : 'rake';
        dispatches.push({ kernel: `${there} ${type}`, count, ops });
        back.push({ kernel: `un${word} ${type}`, count, ops });
      },
    );
    if (branches.length > 0) {
      const count = branches.length;
      const numbers = new Uint32Array(4 * count);
      branches.forEach((link, i) => {
        [link, none(below[link]), ...takenBy(link)].forEach((x, k) => {
          numbers[k * count + i] = x;
        });
      });
      dispatches.push({ kernel: 'branch', count, ops: add(numbers) });
    }
    byType(
      joins,
      () => 'join',
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
    ({ joint }) => (isKept(joint) ? 'base' : 'root'),
    ({ part, joint }) => (isKept(joint) ? [joint, ...takenBy(joint)] : [part, joint]),
    (type, count, ops, word) => {
      dispatches.push({ kernel: `${word} ${type}`, count, ops });
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
