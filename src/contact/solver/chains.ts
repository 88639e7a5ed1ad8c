// Nodes of a tree for matrices: joints that follow each other without a branch are one node, so that blocks are few and large.

import { type BlockStructure, createStructure } from './block-matrix.js';

/** The most velocities of a node that is not a single joint. */
const MOST = 8;

/** A tree of links by chains of joints; the velocities of a node are consecutive. */
export interface Chains {
  /** Node of each link: that of the last joint at or before it that can move; -1: none does. */
  readonly nodeOf: Int32Array;
  /** Parent of each node; -1 for none. */
  readonly parent: Int32Array;
  /** One past the last velocity that moves each link. */
  readonly last: Int32Array;
  /** Link of each velocity. */
  readonly linkOf: Int32Array;
  /** A block for each node and each of its ancestors. */
  readonly structure: BlockStructure;
}

/** `parent`: of each link, before it; `dof`: first velocity of each link, one more; `alone`: links whose joint is a node of its own. */
export function createChains(parent: ArrayLike<number>, dof: ArrayLike<number>, alone: ArrayLike<number>): Chains {
  const links = parent.length;
  /** The last link at or before each link that moves. */
  const moving = new Int32Array(links);
  const children = new Int32Array(links);
  const last = new Int32Array(links);
  const linkOf = new Int32Array(dof[links]);
  for (let i = 0; i < links; i++) {
    const above = parent[i] < 0 ? -1 : moving[parent[i]];
    const moves = dof[i + 1] > dof[i];
    moving[i] = moves ? i : above;
    if (moves && above >= 0) children[above]++;
    last[i] = moves ? dof[i + 1] : above < 0 ? 0 : last[above];
    linkOf.fill(i, dof[i], dof[i + 1]);
  }
  const nodeOf = new Int32Array(links).fill(-1);
  const parents: number[] = [];
  const sizes: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < links; i++) {
    const own = dof[i + 1] - dof[i];
    const above = parent[i] < 0 ? -1 : moving[parent[i]];
    const node = above < 0 ? -1 : nodeOf[above];
    if (own === 0) {
      nodeOf[i] = node;
      continue;
    }
    const joins =
      above >= 0 &&
      children[above] === 1 &&
      ends[node] === dof[i] &&
      alone[above] === 0 &&
      alone[i] === 0 &&
      sizes[node] + own <= MOST;
    if (joins) {
      nodeOf[i] = node;
      sizes[node] += own;
      ends[node] = dof[i + 1];
      continue;
    }
    nodeOf[i] = sizes.length;
    parents.push(node);
    sizes.push(own);
    ends.push(dof[i + 1]);
  }
  const ancestors = parents.map((_, n) => {
    const list: number[] = [];
    for (let p = parents[n]; p >= 0; p = parents[p]) list.push(p);
    return list;
  });
  return {
    nodeOf,
    parent: Int32Array.from(parents),
    last,
    linkOf,
    structure: createStructure(sizes, ancestors, 'given'),
  };
}
