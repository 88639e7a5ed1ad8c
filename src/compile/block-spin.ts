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
import { writePair } from './mixed.js';
import type { Rotation } from './rotation.js';
import type { Vec3, VectorGraph } from './vectors.js';

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
  readonly spin: (unit: number) => Vec3;
}

export function spinDirect({ g, block, parents, unitOf, early, isFree, rotation, spin }: SpinWalk): void {
  const { spinFrom, children, source, base } = block;
  const known: (Vec3 | undefined)[] = [];
  let atBase: Vec3 | undefined;
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

/** [column 0 | column 1] and [column 2 | w] of what takes w of the segment's base to here, as vectors of pairs. */
export function spinRelative({ g, block, parents, unitOf, early, rotation, spin }: SpinWalk): void {
  const { top, base, children } = block;
  const start = (array: number): readonly [Vec3, Vec3] => [
    g.vec((i) => (top ? g.constant(i === 0 ? 1 : 0, i === 1 ? 1 : 0) : g.input(array, 2 * i, 2 * i + 1))),
    g.vec((i) => (top ? g.constant(i === 2 ? 1 : 0, 0) : g.input(array, 6 + 2 * i, 7 + 2 * i))),
  ];
  const known: (readonly [Vec3, Vec3])[] = [];
  for (let k = 0; k < parents.length; k++) {
    if (early[k] === 0) continue;
    const from = parents[k] < 0 ? start(REL) : known[parents[k]];
    if (base === 'free' && parents[k] < 0) {
      known[k] = from;
      continue;
    }
    const turn = rotation(k);
    const own = spin(k);
    const second = turn.toLink(from[1]);
    known[k] = [
      turn.toLink(from[0]),
      g.vec((i) => g.add(second[i], g.is(own[i], 0) ? g.zero : g.pair(g.zero, own[i]))),
    ];
  }
  children.forEach(({ leads, link }, c) => {
    if (!leads) return;
    known[unitOf[link]].forEach((vector, half) => {
      vector.forEach((node, i) => {
        const at = 6 * half + 2 * i;
        writePair(g, childArray(c, CHILD_REL), at, node);
      });
    });
  });
}
