// The first phase of a block (block-formulas.ts): angular velocities on the way to blocks of other segments, or how they follow
// from that of the segment's base.

import {
  BASE,
  BASE_RECORD,
  type Block,
  CHILD_REL,
  CHILD_RISE,
  childArray,
  REL,
  RISE,
  SOURCE_V,
} from './block-records.js';
import { sourceRotation } from './block-source.js';
import type { Node } from './graph.js';
import { writePair } from './mixed.js';
import type { Rotation } from './rotation.js';
import type { NodeVec3, VectorGraph } from './vectors.js';

/** What the first phase sees of a block. */
export interface SpinWalk {
  readonly g: VectorGraph;
  readonly block: Block;
  /** Of each unit its parent, -1 for the base; unit of each link; 1 for units on the way. */
  readonly parents: readonly number[];
  readonly unitOf: Int32Array;
  readonly early: Uint8Array;
  readonly isFree: (unit: number) => boolean;
  readonly rotation: (unit: number) => Rotation;
  /** Angular velocity over that of the parent, link coordinates. */
  readonly spin: (unit: number) => NodeVec3;
}

export function spinDirect({ g, block, parents, unitOf, early, isFree, rotation, spin }: SpinWalk): void {
  const { spinFrom, children, source, base } = block;
  const known: (NodeVec3 | undefined)[] = [];
  let atBase: NodeVec3 | undefined;
  if (spinFrom === 'base') {
    const w = g.vec((i) => g.input(REL, i));
    atBase = base === 'ground' ? g.zero3 : w;
  } else {
    const start = unitOf[spinFrom === 'source' ? source!.link : children[spinFrom].link];
    const w =
      spinFrom === 'source'
        ? g.applyT(
            sourceRotation(g, source!),
            g.vec((i) => g.input(SOURCE_V, i)),
          )
        : g.vec((i) => g.input(childArray(spinFrom, CHILD_RISE), i));
    known[start] = w;
    for (let k = start; ; k = parents[k]) {
      if (isFree(k)) break;
      const below = g.minus(known[k]!, spin(k));
      const above = rotation(k).toParent(below);
      if (parents[k] < 0) {
        atBase = above;
        break;
      }
      known[parents[k]] = above;
    }
  }
  if (base === 'free') {
    // The root's own angular velocity is what the next phase reads.
    known[0]!.forEach((node, i) => {
      g.output(BASE, BASE_RECORD.w + i, node);
    });
  } else if (spinFrom !== 'base')
    atBase!.forEach((node, i) => {
      g.output(RISE, i, node);
    });
  for (let k = 0; k < parents.length; k++) {
    if (early[k] === 0 || known[k] !== undefined) continue;
    const parent = parents[k];
    const carried = rotation(k).toLink(parent < 0 ? atBase! : known[parent]!);
    known[k] = g.plus(carried, spin(k));
  }
  children.forEach(({ leads, link }, c) => {
    if (!leads || c === spinFrom) return;
    known[unitOf[link]]!.forEach((node, i) => {
      g.output(childArray(c, CHILD_REL), i, node);
    });
  });
}

/**
 * What takes w of the segment's base to here, w_here = R w + w_rel: columns of R, then w_rel, as four vectors, or two by two
 * in the lanes of two vectors.
 */
export function spinRelative({ g, block, parents, unitOf, early, rotation, spin }: SpinWalk): void {
  const { top, base, children } = block;
  /** Offset in the record (block-records.ts) of number i of vector c. */
  const place = (c: number, i: number): number => (c < 2 ? 2 * i + c : 4 + 2 * i + c);
  const vectors = g.wide ? [0, 1, 2, 3] : [0, 2];
  const last = vectors.length - 1;
  const atBase = (c: number): NodeVec3 =>
    g.vec((i) => {
      if (!top) return g.input(REL, place(c, i), g.wide ? -1 : place(c + 1, i));
      return g.wide ? g.constant(c === i ? 1 : 0) : g.constant(c === i ? 1 : 0, c + 1 === i ? 1 : 0);
    });
  const known: (readonly NodeVec3[])[] = [];
  for (let k = 0; k < parents.length; k++) {
    if (early[k] === 0) continue;
    const from = parents[k] < 0 ? vectors.map(atBase) : known[parents[k]];
    if (base === 'free' && parents[k] < 0) {
      known[k] = from;
      continue;
    }
    const turn = rotation(k);
    const own = spin(k);
    const inLast = (x: Node): Node => (g.wide || g.is(x, 0) ? x : g.pair(g.zero, x));
    known[k] = from.map((vector, m) => {
      const turned = turn.toLink(vector);
      return m < last ? turned : g.vec((i) => g.add(turned[i], inLast(own[i])));
    });
  }
  children.forEach(({ leads, link }, c) => {
    if (!leads) return;
    known[unitOf[link]].forEach((vector, m) => {
      vector.forEach((node, i) => {
        const at = place(vectors[m], i);
        if (g.wide) g.output(childArray(c, CHILD_REL), at, node);
        else writePair(g, childArray(c, CHILD_REL), at, node);
      });
    });
  });
}
