// Rows of the contact problem: which motion of which bodies each contact, limit, joint friction and loop is about.

import { BOX, CONTACT, type ContactProblem, grown, type LIMIT } from '../../contact/solver/problem.js';
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

/** A contact: wrenches of its normal and two directions across, at a point d from the group's point. `frame`: 9 numbers. */
export function addContact(
  problem: ContactProblem,
  group: number,
  mu: number,
  frame: Float64Array,
  oF: number,
  dx: number,
  dy: number,
  dz: number,
): number {
  const c = problem.addBlock(CONTACT, group, mu);
  const { F } = problem;
  const at = problem.wrenchAt[c];
  for (let k = 0; k < 3; k++) {
    const x = frame[oF + 3 * k];
    const y = frame[oF + 3 * k + 1];
    const z = frame[oF + 3 * k + 2];
    F[at + k] = dy * z - dz * y;
    F[at + 3 + k] = dz * x - dx * z;
    F[at + 6 + k] = dx * y - dy * x;
    F[at + 9 + k] = x;
    F[at + 12 + k] = y;
    F[at + 15 + k] = z;
  }
  return c;
}

/** A row of one degree of freedom: a limit (sign 1: from below), or a box of that bound. */
export function addJointRow(
  problem: ContactProblem,
  member: number,
  node: number,
  k: number,
  kind: typeof LIMIT | typeof BOX,
  sign: number,
  bound: number,
): number {
  const group = problem.addGroup(1);
  const at = problem.addEntry(member, node);
  problem.T[at + k] = sign;
  const c = problem.addBlock(kind, group, bound);
  problem.F[problem.wrenchAt[c]] = 1;
  return c;
}

/** A joint that follows another: v - multiplier v_source = 0. */
export function addCoupling(
  problem: ContactProblem,
  member: number,
  node: number,
  source: number,
  multiplier: number,
): number {
  const group = problem.addGroup(1);
  for (const k of node < source ? [node, source] : [source, node]) {
    const at = problem.addEntry(member, k);
    problem.T[at] = k === node ? 1 : -multiplier;
  }
  const c = problem.addBlock(BOX, group, Number.POSITIVE_INFINITY);
  problem.F[problem.wrenchAt[c]] = 1;
  return c;
}

/** A direction in which two bodies may not move against each other: one row of a loop joint. */
export function addForbidden(problem: ContactProblem, group: number, wrench: Float64Array, o: number): number {
  const c = problem.addBlock(BOX, group, Number.POSITIVE_INFINITY);
  const at = problem.wrenchAt[c];
  for (let k = 0; k < 6; k++) problem.F[at + k] = wrench[o + k];
  return c;
}
