// The contact problem of an island, as data: what the bodies would do, what must not happen, and what may act to prevent it.
//
//   v = v* + H^-1 J^T lambda            H: mass matrices of the members (block-sparse), v*: velocities without lambda
//   u = J v + b + R lambda              one row for each direction of each block; R: compliance of contacts, along the normal
//
//   contact   lambda in the cone |lambda_t| <= mu lambda_n;  u_n >= 0, no impulse where it opens; where it slides, friction is
//             mu lambda_n against the slip; where it sticks, u_t = 0 (Coulomb's law, exact cone)
//   limit     lambda >= 0, u >= 0, one of them zero
//   box       |lambda| <= bound; u = 0 within, u against lambda at the bound: dry friction, motors with a largest force, and
//             with an infinite bound what must hold always: loop joints, coupled joints
//
// Rows come in groups that share what moves them: the relative motion T v of two bodies (six rows), or of a joint. A block's
// rows are F^T T, with F the wrenches of its directions: J = F^T T. So many contacts of one pair of bodies cost one T.

import type { BlockStructure } from './block-matrix.js';

export const CONTACT = 0;
export const LIMIT = 1;
export const BOX = 2;

/** A mass matrix: the numbers, and its factors. */
export interface Inertia {
  readonly structure: BlockStructure;
  readonly H: Float64Array;
  readonly factors: Float64Array;
}

/** Rows of a block, by its kind. */
export const DIMENSION = [3, 1, 1] as const;

export class ContactProblem {
  members: readonly Inertia[] = [];
  /** First node and first velocity of each member; one more entry each. */
  firstNode = new Int32Array(8);
  firstVelocity = new Int32Array(8);
  /** Rows and first velocity of each node of the island. */
  nodeSize = new Int32Array(16);
  nodeStart = new Int32Array(16);
  /** v*: velocities of all members without lambda. */
  free = new Float64Array(64);
  /** Rows of T of each group. */
  groups = 0;
  groupRows = new Uint8Array(16);
  /** First entry of each group; an entry is a node with numbers in T. One more. */
  firstEntry = new Int32Array(17);
  entryNode = new Int32Array(64);
  /** Offset in T of the numbers of an entry, rows x size of the node. */
  entryAt = new Int32Array(65);
  T = new Float64Array(1024);
  blocks = 0;
  kind = new Uint8Array(16);
  group = new Int32Array(16);
  /** First row of each block; one more. */
  firstRow = new Int32Array(17);
  /** Offset in F of each block's wrenches, rows of the group x rows of the block; one more. */
  wrenchAt = new Int32Array(17);
  F = new Float64Array(256);
  /** Coefficient of friction of contacts; bound of boxes. */
  mu = new Float64Array(16);
  /** R of the first row of each block. */
  compliance = new Float64Array(16);
  b = new Float64Array(64);
  /** Impulses: the warm start, then the solution. */
  lambda = new Float64Array(64);
  /** The velocity that residuals are relative to. */
  scale = 1;

  /** Nodes of all members. */
  get nodes(): number {
    return this.firstNode[this.members.length];
  }

  /** Velocities of all members. */
  get velocities(): number {
    return this.firstVelocity[this.members.length];
  }

  get rows(): number {
    return this.firstRow[this.blocks];
  }

  /** Empties it, for an island of these members. `free` is to be filled. */
  begin(members: readonly Inertia[]): void {
    this.members = members;
    this.firstNode = grown(this.firstNode, members.length + 1);
    this.firstVelocity = grown(this.firstVelocity, members.length + 1);
    members.forEach(({ structure: { nodes, start, size } }, k) => {
      const [node, velocity] = [this.firstNode[k], this.firstVelocity[k]];
      this.firstNode[k + 1] = node + nodes;
      this.firstVelocity[k + 1] = velocity + start[nodes];
      this.nodeSize = grown(this.nodeSize, node + nodes);
      this.nodeStart = grown(this.nodeStart, node + nodes);
      for (let i = 0; i < nodes; i++) {
        this.nodeSize[node + i] = size[i];
        this.nodeStart[node + i] = velocity + start[i];
      }
    });
    this.free = grown(this.free, this.velocities);
    this.groups = 0;
    this.blocks = 0;
    this.scale = 1;
  }

  /** A group without entries; returns its number. Entries follow at once, nodes ascending. */
  addGroup(rows: number): number {
    const g = this.groups++;
    this.groupRows = grown(this.groupRows, g + 1);
    this.firstEntry = grown(this.firstEntry, g + 2);
    this.groupRows[g] = rows;
    this.firstEntry[g + 1] = this.firstEntry[g];
    return g;
  }

  /** A node of a member moves the last group; returns where in T its numbers go (rows x size of the node), all zero. */
  addEntry(member: number, node: number): number {
    const g = this.groups - 1;
    const e = this.firstEntry[g + 1]++;
    this.entryNode = grown(this.entryNode, e + 1);
    this.entryAt = grown(this.entryAt, e + 2);
    const at = this.entryAt[e];
    const end = at + this.groupRows[g] * this.members[member].structure.size[node];
    this.entryNode[e] = this.firstNode[member] + node;
    this.entryAt[e + 1] = end;
    this.T = grown(this.T, end);
    this.T.fill(0, at, end);
    return at;
  }

  /** A block without wrenches, b and lambda zero; returns its number. */
  addBlock(kind: number, group: number, mu: number): number {
    const c = this.blocks++;
    const dim = DIMENSION[kind];
    this.kind = grown(this.kind, c + 1);
    this.group = grown(this.group, c + 1);
    this.mu = grown(this.mu, c + 1);
    this.compliance = grown(this.compliance, c + 1);
    this.compliance[c] = 0;
    this.firstRow = grown(this.firstRow, c + 2);
    this.wrenchAt = grown(this.wrenchAt, c + 2);
    this.kind[c] = kind;
    this.group[c] = group;
    this.mu[c] = mu;
    const row = this.firstRow[c];
    const at = this.wrenchAt[c];
    const end = at + dim * this.groupRows[group];
    this.firstRow[c + 1] = row + dim;
    this.wrenchAt[c + 1] = end;
    this.F = grown(this.F, end);
    this.F.fill(0, at, end);
    this.b = grown(this.b, row + dim);
    this.lambda = grown(this.lambda, row + dim);
    this.b.fill(0, row, row + dim);
    this.lambda.fill(0, row, row + dim);
    return c;
  }
}

type Numbers = Float64Array | Int32Array | Uint8Array;

/** The array, or a longer copy of it. */
export function grown<A extends Numbers>(array: A, length: number): A {
  if (array.length >= length) return array;
  const longer = new (array.constructor as new (n: number) => A)(Math.max(length, 2 * array.length));
  longer.set(array);
  return longer;
}
