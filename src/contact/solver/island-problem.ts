// The contact problem of an island as it is first solved: trees of links, and blocks of rows on links or on joints. The laws are
// those of problem.ts.

import type { Chains } from './chains.js';
import { KIND_CONTACT, KIND_SPIN, KIND_WRENCH } from './kernel/layout.js';
import { grown } from './problem.js';

/** Links with joints that can move; what is fixed to them is a part of them: everything of a tree is about one point. */
export interface CarryingLinks {
  readonly n: number;
  /** The link of each in the tree. */
  readonly linkOf: Int32Array;
  /** Parent (-1: the ground), first velocity (one more), and that at the root of its tree. */
  readonly parent: Int32Array;
  readonly dof: Int32Array;
  readonly root: Int32Array;
  /** 1 for a free base whose velocities are those of the link. */
  readonly free: Uint8Array;
  /** Links with mass that are fixed to them. */
  readonly fixed: Int32Array;
}

/** A tree of links of the island, in axes of the ground about one point for each tree. */
export interface IslandTree {
  readonly moving: CarryingLinks;
  readonly nv: number;
  readonly chains: Chains;
  /** Number among the moving links of that which carries each link; -1: part of the ground. */
  readonly nodeOf: Int32Array;
  /** Link at the root of each link's tree. */
  readonly root: Int32Array;
  /** 6 for each velocity: motion spaces. */
  readonly S: Float64Array;
  /** 10 for each link: inertias. */
  readonly I: Float64Array;
  /** Inertia added to each velocity. */
  readonly added: Float64Array;
  /** Three for each root: the point that everything is about. */
  readonly reference: Float64Array;
}

/** A link of a member of the island; member -1 is the ground. */
export interface IslandLink {
  member: number;
  link: number;
}

export class IslandProblem {
  members: readonly IslandTree[] = [];
  /** First moving link and first velocity of each member; one more each. */
  firstLink = new Int32Array(8);
  firstVelocity = new Int32Array(8);
  blocks = 0;
  kind = new Int32Array(16);
  /** Links of wrenches, velocities of rows of joints; -1 for none. */
  sideA = new Int32Array(16);
  sideB = new Int32Array(16);
  /** Coefficient of friction of contacts; bound of boxes. */
  mu = new Float64Array(16);
  /** R: velocity with which the normal of a contact gives way for each unit of impulse; 0 for what is rigid. */
  compliance = new Float64Array(16);
  /** 18 for each block, 6 x 3: wrenches on a about the point of its tree, and those on b; factors of rows of joints. */
  wrenchA = new Float64Array(288);
  wrenchB = new Float64Array(288);
  /** Three for each block. */
  offset = new Float64Array(48);
  lambda = new Float64Array(48);
  u = new Float64Array(48);
  /** Velocities without impulses; then what impulses add to them, and J^T lambda. */
  free = new Float64Array(64);
  change = new Float64Array(64);
  force = new Float64Array(64);
  /** The velocity that residuals are relative to. */
  scale = 1;

  get links(): number {
    return this.firstLink[this.members.length];
  }

  get velocities(): number {
    return this.firstVelocity[this.members.length];
  }

  /** Empties it, for an island of these members. `free` is to be filled. */
  begin(members: readonly IslandTree[]): void {
    this.members = members;
    this.firstLink = grown(this.firstLink, members.length + 1);
    this.firstVelocity = grown(this.firstVelocity, members.length + 1);
    for (let m = 0; m < members.length; m++) {
      this.firstLink[m + 1] = this.firstLink[m] + members[m].moving.n;
      this.firstVelocity[m + 1] = this.firstVelocity[m] + members[m].nv;
    }
    const { velocities } = this;
    this.free = grown(this.free, velocities);
    this.change = grown(this.change, velocities);
    this.force = grown(this.force, velocities);
    this.blocks = 0;
    this.scale = 1;
  }

  #addBlock(kind: number, a: number, b: number, mu: number): number {
    const c = this.blocks++;
    if (c === this.kind.length) this.#grow(2 * c);
    this.kind[c] = kind;
    this.sideA[c] = a;
    this.sideB[c] = b;
    this.mu[c] = mu;
    this.compliance[c] = 0;
    for (let k = 3 * c; k < 3 * c + 3; k++) this.offset[k] = this.lambda[k] = 0;
    return c;
  }

  #grow(blocks: number): void {
    for (const name of ['kind', 'sideA', 'sideB'] as const) this[name] = grown(this[name], blocks);
    this.mu = grown(this.mu, blocks);
    this.compliance = grown(this.compliance, blocks);
    this.wrenchA = grown(this.wrenchA, 18 * blocks);
    this.wrenchB = grown(this.wrenchB, 18 * blocks);
    for (const name of ['offset', 'lambda', 'u'] as const) this[name] = grown(this[name], 3 * blocks);
  }

  /** A contact at P: `frame` has its normal and two directions across, ground axes. The blocks of a pair follow each other. */
  addContact(
    a: IslandLink,
    b: IslandLink,
    mu: number,
    P: Float64Array,
    oP: number,
    frame: Float64Array,
    oF: number,
  ): number {
    const c = this.#addBlock(KIND_CONTACT, this.#place(a), this.#place(b), mu);
    if (a.member >= 0) this.#setWrenches(this.wrenchA, c, a, 3, P, oP, frame, oF);
    if (b.member >= 0) this.#setWrenches(this.wrenchB, c, b, 3, P, oP, frame, oF);
    return c;
  }

  /**
   * Moments of a contact that stands `behind` blocks before, about its normal and across it, with their coefficients (metres); see
   * kernel/spin.ts. They stand behind all contacts of the pair.
   */
  addSpin(
    a: IslandLink,
    b: IslandLink,
    behind: number,
    torsional: number,
    rolling: number,
    frame: Float64Array,
    oF: number,
  ): number {
    const c = this.#addBlock(KIND_SPIN + behind - 1, this.#place(a), this.#place(b), 1);
    for (const [side, at] of [
      [a, this.wrenchA],
      [b, this.wrenchB],
    ] as const) {
      if (side.member < 0) continue;
      at.fill(0, 18 * c + 9, 18 * c + 18);
      for (let r = 0; r < 3; r++)
        for (let k = 0; k < 3; k++) at[18 * c + 3 * r + k] = (k === 0 ? torsional : rolling) * frame[oF + 3 * k + r];
    }
    return c;
  }

  /** A wrench at P (torque, force; ground axes) between two links that stops all motion along it. */
  addWrench(a: IslandLink, b: IslandLink, P: Float64Array, oP: number, wrench: Float64Array): number {
    const c = this.#addBlock(KIND_WRENCH, this.#place(a), this.#place(b), Number.POSITIVE_INFINITY);
    for (const [side, at] of [
      [a, this.wrenchA],
      [b, this.wrenchB],
    ] as const) {
      if (side.member < 0) continue;
      this.#setWrenches(at, c, side, 1, P, oP, wrench, 3);
      for (let r = 0; r < 3; r++) at[18 * c + 3 * r] += wrench[r];
    }
    return c;
  }

  /** A row of a joint: a limit, or a box of that bound, on factor times the velocity. */
  addRow(kind: number, member: number, velocity: number, factor: number, bound: number): number {
    const c = this.#addBlock(kind, this.firstVelocity[member] + velocity, -1, bound);
    this.wrenchA[18 * c] = factor;
    this.wrenchA[18 * c + 1] = 0;
    return c;
  }

  /** A row of two joints: a box on x + factor times y. */
  addCoupling(kind: number, member: number, x: number, y: number, factor: number): number {
    const c = this.addRow(kind, member, x, 1, Number.POSITIVE_INFINITY);
    this.sideB[c] = this.firstVelocity[member] + y;
    this.wrenchA[18 * c + 1] = factor;
    return c;
  }

  #place({ member, link }: IslandLink): number {
    if (member < 0) return -1;
    const node = this.members[member].nodeOf[link];
    return node < 0 ? -1 : this.firstLink[member] + node;
  }

  /** Forces along `rows` directions at P, about the point of the link's tree; other columns are zero. */
  #setWrenches(
    out: Float64Array,
    c: number,
    { member, link }: IslandLink,
    rows: number,
    P: Float64Array,
    oP: number,
    directions: Float64Array,
    oD: number,
  ): void {
    const { root, reference } = this.members[member];
    const r = 3 * root[link];
    const dx = P[oP] - reference[r];
    const dy = P[oP + 1] - reference[r + 1];
    const dz = P[oP + 2] - reference[r + 2];
    const at = 18 * c;
    if (rows < 3) out.fill(0, at, at + 18);
    for (let k = 0; k < rows; k++) {
      const x = directions[oD + 3 * k];
      const y = directions[oD + 3 * k + 1];
      const z = directions[oD + 3 * k + 2];
      out[at + k] = dy * z - dz * y;
      out[at + 3 + k] = dz * x - dx * z;
      out[at + 6 + k] = dx * y - dy * x;
      out[at + 9 + k] = x;
      out[at + 12 + k] = y;
      out[at + 15 + k] = z;
    }
  }
}
