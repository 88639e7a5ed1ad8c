// The contact problem of an island by joints: which of them move each contact, limit, joint friction and loop.

import type { IslandProblem } from '../../contact/solver/island-problem.js';
import { KIND_CONTACT, KIND_LIMIT, KIND_WRENCH } from '../../contact/solver/kernel/layout.js';
import { BOX, CONTACT, type ContactProblem, grown, LIMIT } from '../../contact/solver/problem.js';
import type { Articulation } from './articulation.js';

/** A body of an island: number of its member there (-1: the ground), and its link. */
export interface IslandBody {
  readonly member: number;
  readonly articulation: Articulation | undefined;
  readonly link: number;
}

/** Nodes on the way from a link to the root, for both bodies. */
let pathA = new Int32Array(64);
let pathB = new Int32Array(64);
/** What two bodies that are part of the ground are about. */
const NOWHERE = new Float64Array(3);

/**
 * A group for the motion of a against b: angular and linear velocity at the point P, ground axes. Joints that carry both bodies move
 * neither against the other, and have no entry.
 */
export function addRelativeMotion(
  problem: ContactProblem,
  a: IslandBody,
  b: IslandBody,
  P: Float64Array,
  oP: number,
): number {
  const group = problem.addGroup(6);
  const longest = Math.max(a.articulation?.structure.nodes ?? 0, b.articulation?.structure.nodes ?? 0);
  pathA = grown(pathA, longest);
  pathB = grown(pathB, longest);
  if (a.member === b.member && a.articulation !== undefined) {
    const { articulation } = a;
    let na = pathTo(articulation, a.link, pathA);
    let nb = pathTo(articulation, b.link, pathB);
    while (na > 0 && nb > 0 && pathA[na - 1] === pathB[nb - 1]) {
      na--;
      nb--;
    }
    // Both lists end at their roots; nodes of parents have smaller numbers.
    for (na--, nb--; na >= 0 || nb >= 0; )
      if (nb < 0 || (na >= 0 && pathA[na] < pathB[nb])) addNode(problem, a.member, articulation, pathA[na--], 1, P, oP);
      else addNode(problem, a.member, articulation, pathB[nb--], -1, P, oP);
    return group;
  }
  const aFirst = a.member < b.member;
  for (const side of aFirst ? [0, 1] : [1, 0]) {
    const { member, articulation, link } = side === 0 ? a : b;
    if (articulation === undefined) continue;
    for (let k = pathTo(articulation, link, pathA) - 1; k >= 0; k--)
      addNode(problem, member, articulation, pathA[k], side === 0 ? 1 : -1, P, oP);
  }
  return group;
}

/** Nodes that move a link, from it to the root; how many. */
function pathTo({ nodeOf, parentNode }: Articulation, link: number, path: Int32Array): number {
  let n = 0;
  for (let k = nodeOf[link]; k >= 0; k = parentNode[k]) path[n++] = k;
  return n;
}

/** The entry of one joint: its motion space, moved to the point P. */
function addNode(
  problem: ContactProblem,
  member: number,
  { S, structure, linkOf, root, reference }: Articulation,
  node: number,
  sign: number,
  P: Float64Array,
  oP: number,
): void {
  const at = problem.addEntry(member, node);
  const { T } = problem;
  const size = structure.size[node];
  const r = 3 * root[linkOf[node]];
  const x = P[oP] - reference[r];
  const y = P[oP + 1] - reference[r + 1];
  const z = P[oP + 2] - reference[r + 2];
  for (let k = 0; k < size; k++) {
    const s = 6 * (structure.start[node] + k);
    const a = sign * S[s];
    const b = sign * S[s + 1];
    const c = sign * S[s + 2];
    T[at + k] = a;
    T[at + size + k] = b;
    T[at + 2 * size + k] = c;
    T[at + 3 * size + k] = sign * S[s + 3] + b * z - c * y;
    T[at + 4 * size + k] = sign * S[s + 4] + c * x - a * z;
    T[at + 5 * size + k] = sign * S[s + 5] + a * y - b * x;
  }
}

/** The island as the solvers on impulses take it: groups of rows over the joints of all members. */
export function expand(island: IslandProblem, articulations: readonly Articulation[], problem: ContactProblem): void {
  const { blocks, kind, sideA, sideB, mu, wrenchA, wrenchB, offset, lambda, free, firstLink, firstVelocity } = island;
  const body = (place: number): IslandBody => {
    if (place < 0) return { member: -1, articulation: undefined, link: -1 };
    let m = 0;
    while (place >= firstLink[m + 1]) m++;
    return { member: m, articulation: articulations[m], link: articulations[m].linkOf[place - firstLink[m]] };
  };
  problem.begin(articulations);
  problem.scale = island.scale;
  problem.free.set(free.subarray(0, problem.velocities));
  let group = -1;
  for (let c = 0; c < blocks; c++) {
    const contact = kind[c] === KIND_CONTACT;
    let block: number;
    if (contact || kind[c] === KIND_WRENCH) {
      const a = body(sideA[c]);
      const b = body(sideB[c]);
      const known = a.articulation !== undefined;
      if (c === 0 || kind[c - 1] !== kind[c] || sideA[c - 1] !== sideA[c] || sideB[c - 1] !== sideB[c]) {
        // About the point that the wrenches are about.
        const { articulation, link } = known ? a : b;
        const at = articulation === undefined ? 0 : 3 * articulation.root[link];
        group = addRelativeMotion(problem, a, b, articulation?.reference ?? NOWHERE, at);
      }
      block = problem.addBlock(contact ? CONTACT : BOX, group, mu[c]);
      const W = known ? wrenchA : wrenchB;
      const dim = contact ? 3 : 1;
      for (let r = 0; r < 6; r++)
        for (let k = 0; k < dim; k++) problem.F[problem.wrenchAt[block] + r * dim + k] = W[18 * c + 3 * r + k];
    } else {
      problem.addGroup(1);
      const sides = sideB[c] < 0 ? [0] : sideA[c] < sideB[c] ? [0, 1] : [1, 0];
      for (const side of sides) {
        const velocity = side === 0 ? sideA[c] : sideB[c];
        let m = 0;
        while (velocity >= firstVelocity[m + 1]) m++;
        const { start, nodes } = articulations[m].structure;
        let node = 0;
        while (node + 1 < nodes && velocity - firstVelocity[m] >= start[node + 1]) node++;
        const at = problem.addEntry(m, node);
        problem.T[at + velocity - firstVelocity[m] - start[node]] = wrenchA[18 * c + side];
      }
      block = problem.addBlock(kind[c] === KIND_LIMIT ? LIMIT : BOX, problem.groups - 1, mu[c]);
      problem.F[problem.wrenchAt[block]] = 1;
    }
    problem.compliance[block] = island.compliance[c];
    const row = problem.firstRow[block];
    for (let k = 0; k < (contact ? 3 : 1); k++) {
      problem.b[row + k] = offset[3 * c + k];
      problem.lambda[row + k] = lambda[3 * c + k];
    }
  }
}
