// Handles and partial chains of the printed form (printed.ts), laid out from the operations that plan.ts has checked.
//
// A handle is one side of a joint that is not assembled yet. Both sides of a tree joint are expressed in the frame of the
// link it carries, as in paper 002: the blocks of two parts can be added without any transform. The two ends of a loop
// joint are expressed in the frames of their own links, where loop-joint.ts has its constraint rows. The fixed base has
// Phi = 0 and b = 0 for ever (errata 002-1), so that handles on it are left out.

import type { LoopScratch } from '../../engines/plain/assembly/loop-joint.js';
import { createAssemblyPlan } from '../../engines/plain/assembly/plan.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { Tree } from '../../mechanism/tree.js';
import type { ScheduleTree } from '../../schedule/tree.js';
import { BLOCK } from '../../spatial/blocks.js';

export interface Handle {
  /** Parent side of a tree joint: the link the joint carries, whose transform leads to the handle's frame. Otherwise -1. */
  readonly carries: number;
  /** Offset of the joint's force in PrintedScratch.forces, and the sign with which it acts here (errata 002-6). */
  readonly force: number;
  readonly sign: 1 | -1;
}

/** A partial chain: at `at`, blocks Phi_ts for s <= t of its k handles, then k vectors b. */
export interface PrintedPart {
  readonly handles: readonly Handle[];
  readonly at: number;
}

/** Joint i between part A (its parent's) and part B. */
export interface PrintedJoin {
  readonly kind: 'join';
  readonly link: number;
  readonly A: PrintedPart;
  readonly B: PrintedPart;
  /** Handle i of either part; -1 where A's is on the fixed base. */
  readonly iA: number;
  readonly iB: number;
  /** Its handles are those of A but i, then those of B but i. */
  readonly C: PrintedPart;
}

/** Loop joints between links of one part. */
export interface PrintedClose {
  readonly kind: 'close';
  readonly loops: readonly number[];
  readonly A: PrintedPart;
  /** For both ends of each loop the handle of A; -1 on the fixed base. */
  readonly ends: readonly (readonly [a: number, b: number])[];
  readonly C: PrintedPart;
  /** For each handle of C its number in A. */
  readonly from: Int32Array;
}

export interface PrintedPlan {
  readonly operations: readonly (PrintedJoin | PrintedClose)[];
  /** What each link is before any joint is assembled. */
  readonly links: readonly PrintedPart[];
  /** Numbers needed for all parts. */
  readonly memory: number;
}

/** Offset of Phi_ts, s <= t; for s > t take the transpose of Phi_st. */
export function phiAt(part: PrintedPart, t: number, s: number): number {
  return part.at + BLOCK * ((t * (t + 1)) / 2 + s);
}

export function biasAt({ at, handles: { length: k } }: PrintedPart, t: number): number {
  return at + BLOCK * ((k * (k + 1)) / 2) + 6 * t;
}

/** Offset of the force on one end of a loop joint: after those of the n tree joints. */
export function loopForceAt(tree: Tree, loop: number, end: 0 | 1): number {
  return 6 * (tree.n + 2 * loop + end);
}

/** The handles that each link has at the start. */
function handlesOfLinks(tree: Tree, { loops }: LoopScratch): Handle[][] {
  const handles = Array.from({ length: tree.n }, (_, i): Handle[] => [{ carries: -1, force: 6 * i, sign: 1 }]);
  for (let i = 0; i < tree.n; i++)
    if (tree.parent[i] >= 0) handles[tree.parent[i]].push({ carries: i, force: 6 * i, sign: -1 });
  loops.forEach(({ a, b }, l) => {
    if (a >= 0) handles[a].push({ carries: -1, force: loopForceAt(tree, l, 0), sign: 1 });
    if (b >= 0) handles[b].push({ carries: -1, force: loopForceAt(tree, l, 1), sign: 1 });
  });
  return handles;
}

function find(part: PrintedPart, force: number, sign: number): number {
  return part.handles.findIndex((handle) => handle.force === force && handle.sign === sign);
}

export function createPrintedPlan(tree: Tree, schedule: ScheduleTree, loops: LoopScratch): PrintedPlan {
  let memory = 0;
  const keep = (handles: readonly Handle[]): PrintedPart => {
    const part = { handles, at: memory };
    memory = biasAt(part, handles.length);
    return part;
  };
  const links = handlesOfLinks(tree, loops).map(keep);
  // The part of each link, the ground first: a forest of parts in which every join makes a new root.
  const parts = [keep([]), ...links];
  const above = parts.map((_, k) => k);
  const partOf = (link: number): number => {
    let k = link + 1;
    while (above[k] !== k) k = above[k] = above[above[k]];
    return k;
  };
  const replace = (old: readonly number[], part: PrintedPart): void => {
    for (const k of old) above[k] = parts.length;
    above.push(parts.length);
    parts.push(part);
  };
  const operations = createAssemblyPlan(tree, schedule).operations.map((operation): PrintedJoin | PrintedClose => {
    if (operation.kind === 'join') {
      const { a, b } = operation;
      const [rootSide, endSide] = [partOf(a), partOf(b)];
      const [A, B] = [parts[rootSide], parts[endSide]];
      const [iA, iB] = [find(A, 6 * b, -1), find(B, 6 * b, 1)];
      const C = keep([...A.handles.filter((_, k) => k !== iA), ...B.handles.filter((_, k) => k !== iB)]);
      replace([rootSide, endSide], C);
      return { kind: 'join', link: b, A, B, iA, iB, C };
    }
    if (operation.kind === 'bridge')
      throw MechanismError.of(
        'schedule',
        '',
        'The printed form takes schedules in which loop joints come after the joints of the tree between their ends.',
      );
    const first = loops.loops[operation.loops[0]];
    const whole = partOf(Math.max(first.a, first.b));
    const A = parts[whole];
    const ends = operation.loops.map(
      (l) => [find(A, loopForceAt(tree, l, 0), 1), find(A, loopForceAt(tree, l, 1), 1)] as const,
    );
    const closed = new Set(ends.flat());
    const C = keep(A.handles.filter((_, k) => !closed.has(k)));
    replace([whole], C);
    const from = Int32Array.from(C.handles, (handle) => A.handles.indexOf(handle));
    return { kind: 'close', loops: operation.loops, A, ends, C, from };
  });
  return { operations, links, memory };
}
