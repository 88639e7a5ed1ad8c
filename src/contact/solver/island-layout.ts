// Where an island stands in the memory of the kernels: integers and numbers of its trees, then those of what couples them, then
// its blocks. The first two are made once for the same trees and the same pairs of links that touch.

import { type BlockStructure, blockOffset, createStructure } from './block-matrix.js';
import type { IslandProblem, IslandTree } from './island-problem.js';
import * as at from './kernel/layout.js';

/** Integers for N from `base` on, with entries of the header; `end`: the first number of F behind everything. */
export interface Segment {
  readonly base: number;
  readonly integers: Int32Array;
  /** Pairs: an entry of the header, and its value. */
  readonly header: readonly number[];
  readonly end: number;
}

/** Of the trees of an island. */
export interface TreeSegment extends Segment {
  readonly trees: readonly IslandTree[];
  readonly structure: BlockStructure;
  readonly nodeOf: readonly number[];
  readonly nodeParent: readonly number[];
  readonly linkOf: readonly number[];
}

/** Of what couples links and joints. */
export interface PairSegment extends Segment {
  /** Kind and sides of each run of blocks between two links or two joints. */
  readonly pairs: readonly number[];
  /** Where the list of places of each pair begins. */
  readonly lists: readonly number[];
}

const WORK = 160;

/** Collects integers behind each other, and room for numbers behind them. */
class Space {
  readonly #base: number;
  #integers = new Int32Array(1024);
  #used = 0;
  readonly #header: number[] = [];
  #floats: number[] = [];

  constructor(base: number) {
    this.#base = base;
  }

  get next(): number {
    return this.#base + this.#used;
  }

  set(header: number, value: number): void {
    this.#header.push(header, value);
  }

  /** Integers, whose place the entry of the header gets; returns it. */
  put(header: number | undefined, numbers: ArrayLike<number>): number {
    const where = this.next;
    const from = this.#used;
    this.#used += numbers.length;
    if (this.#used > this.#integers.length) {
      const more = new Int32Array(2 * this.#used);
      more.set(this.#integers.subarray(0, from));
      this.#integers = more;
    }
    this.#integers.set(numbers, from);
    if (header !== undefined) this.set(header, where);
    return where;
  }

  structure(header: number, s: BlockStructure): void {
    const head = new Array<number>(at.S_HEADER).fill(0);
    const where = this.put(header, head);
    const o = where - this.#base;
    this.#integers[o + at.S_NODES] = s.nodes;
    const lists: readonly (readonly [number, Int32Array])[] = [
      [at.S_SIZE, s.size],
      [at.S_START, s.start],
      [at.S_NODE, s.node],
      [at.S_FIRST, s.first],
      [at.S_COLUMN, s.column],
      [at.S_DIAGONAL, s.diagonal],
      [at.S_LOWER, s.lower],
      [at.S_UPPER, s.upper],
      [at.S_PAIRS, s.pairs],
      [at.S_TARGET, s.target],
    ];
    for (const [entry, list] of lists) {
      const begin = this.put(undefined, list);
      this.#integers[o + entry] = begin;
    }
  }

  /** Numbers in F, behind all integers. */
  room(header: number, count: number): void {
    this.#floats.push(header, count);
  }

  finish(): Segment {
    let end = (this.next + 1) >> 1;
    for (let k = 0; k < this.#floats.length; k += 2) {
      this.set(this.#floats[k], end);
      end += this.#floats[k + 1];
    }
    return { base: this.#base, integers: this.#integers.slice(0, this.#used), header: this.#header, end };
  }
}

export function layOutTrees({ members, firstLink, firstVelocity, links, velocities }: IslandProblem): TreeSegment {
  const parent: number[] = [];
  const dof: number[] = [];
  const nodeOf: number[] = [];
  const last: number[] = [];
  const free: number[] = [];
  const root: number[] = [];
  const linkOf: number[] = [];
  const nodeParent: number[] = [];
  const sizes: number[] = [];
  const ancestors: number[][] = [];
  members.forEach(({ moving, chains }, m) => {
    const [l, v, n] = [firstLink[m], firstVelocity[m], sizes.length];
    const shifted = (x: number, by: number): number => (x < 0 ? -1 : x + by);
    for (let i = 0; i < moving.n; i++) {
      parent.push(shifted(moving.parent[i], l));
      dof.push(moving.dof[i] + v);
      nodeOf.push(shifted(chains.nodeOf[i], n));
      last.push(chains.last[i] + v);
      free.push(moving.free[i]);
      root.push(moving.root[i] + l);
    }
    for (const link of chains.linkOf) linkOf.push(link + l);
    for (const p of chains.parent) nodeParent.push(shifted(p, n));
    const { nodes, size, first, column } = chains.structure;
    for (let k = 0; k < nodes; k++) {
      sizes.push(size[k]);
      ancestors.push(Array.from(column.subarray(first[k], first[k + 1]), (x) => x + n));
    }
  });
  dof.push(velocities);
  const structure = createStructure(sizes, ancestors, 'given');
  const space = new Space(at.HEADER);
  space.put(at.PARENT, parent);
  space.put(at.DOF, dof);
  space.put(at.NODE_OF, nodeOf);
  space.put(at.LAST, last);
  space.put(at.FREE, free);
  space.put(at.ROOT, root);
  space.put(at.LINK_OF, linkOf);
  space.put(at.NODE_PARENT, nodeParent);
  space.structure(at.TREE_STRUCTURE, structure);
  space.set(at.LINKS, links);
  space.set(at.DOFS, velocities);
  space.set(at.NODES, sizes.length);
  space.room(at.MOTION, 6 * velocities);
  space.room(at.INERTIAS, 10 * links);
  for (const header of [
    at.ADDED,
    at.START_VELOCITY,
    at.BIAS_VELOCITY,
    at.TAU,
    at.FREE_VELOCITY,
    at.FORCE,
    at.CHANGE,
    at.DV,
  ])
    space.room(header, velocities);
  for (const header of [at.EXTERNAL, at.OWN, at.ACCELERATION, at.LINK_VECTOR]) space.room(header, 6 * links);
  space.room(at.FACTORS, structure.length);
  space.room(at.COMPOSITE, 72 * links);
  space.room(at.PATHS, 6 * velocities);
  space.room(at.WORK, WORK);
  space.room(at.SCALARS, 4);
  return { trees: [...members], structure, nodeOf, nodeParent, linkOf, ...space.finish() };
}

export function layOutPairs(trees: TreeSegment, pairs: readonly number[]): PairSegment {
  const { structure, nodeOf, nodeParent, linkOf } = trees;
  const path = (node: number): number[] => {
    const out: number[] = [];
    for (let n = node; n >= 0; n = nodeParent[n]) out.push(n);
    return out;
  };
  // Nodes that each pair couples: those on the way from one link to its root with those of the other.
  const coupled: { kind: number; a: number; b: number; x: number[]; y: number[] }[] = [];
  for (let k = 0; k < pairs.length; k += 3) {
    const [kind, a, b] = [pairs[k], pairs[k + 1], pairs[k + 2]];
    const row = kind === at.KIND_BOX;
    const [x, y] = row ? [[nodeOf[linkOf[a]]], [nodeOf[linkOf[b]]]] : [path(nodeOf[a]), path(nodeOf[b])];
    coupled.push({ kind, a, b, x, y });
  }
  const { nodes, first, column, size, start } = structure;
  let island = structure;
  if (coupled.length > 0) {
    const neighbours = Array.from({ length: nodes }, (_, n) => [...column.subarray(first[n], first[n + 1])]);
    for (const { x, y } of coupled) for (const i of x) for (const j of y) if (i !== j) neighbours[i].push(j);
    island = createStructure(size, neighbours, 'minimum-degree');
  }
  const space = new Space(2 * trees.end);
  if (island === structure) {
    // That of the trees stands already.
    for (let k = 0; k < trees.header.length; k += 2)
      if (trees.header[k] === at.TREE_STRUCTURE) space.set(at.ISLAND_STRUCTURE, trees.header[k + 1]);
  } else space.structure(at.ISLAND_STRUCTURE, island);
  const rowOf: number[] = [];
  for (let n = 0; n < nodes; n++) for (let e = first[n]; e < first[n + 1]; e++) rowOf.push(n);
  space.put(
    at.IN_DIAGONAL,
    Array.from(size, (_, n) => blockOffset(island, n, n)),
  );
  space.put(
    at.IN_LOWER,
    rowOf.map((n, e) => blockOffset(island, n, column[e])),
  );
  space.put(
    at.IN_UPPER,
    rowOf.map((n, e) => blockOffset(island, column[e], n)),
  );
  const lists = coupled.map(({ kind, a, b, x, y }) => {
    const places: number[] = [];
    for (const i of x)
      for (const j of y) {
        let [ij, ji] = [blockOffset(island, i, j), blockOffset(island, j, i)];
        if (kind === at.KIND_BOX) {
          // The element itself.
          const [p, q] = [a - start[i], b - start[j]];
          ij += p * size[j] + q;
          ji += q * size[i] + p;
        }
        places.push(ij, ji);
      }
    return space.put(undefined, places);
  });
  space.set(at.K_LENGTH, island.length);
  space.room(at.K, island.length);
  return { pairs, lists, ...space.finish() };
}
