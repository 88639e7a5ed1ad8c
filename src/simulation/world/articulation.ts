// The dynamics of one mechanism as a World needs them: everything in axes of the ground about one point of the tree, so that
// nothing is transformed between links and contacts of all mechanisms meet in one set of coordinates.
//
//   V_i = V_p + S_i v_i                                    velocities
//   H_ij = S_j^T (inertia of the subtree at i) S_i         mass matrix, j an ancestor of i: block-sparse, no fill-in
//
// Velocities stand in the order of the links. Those of a free base (a floating joint to the ground) are angular velocity and
// velocity of the base's centre of mass, in axes of the ground: neither turns while the base flies, and the point everything is
// about is that centre of mass. All other joints have the author's velocities.

import { createStructure, factorise } from '../../contact/solver/block-matrix.js';
import { type Chains, createChains } from '../../contact/solver/chains.js';
import type { CarryingLinks, IslandTree } from '../../contact/solver/island-problem.js';
import { KINETIC, PlacedTree, TOTAL } from '../../contact/solver/placed-tree.js';
import type { Inertia } from '../../contact/solver/problem.js';
import type { LinkPlaces } from '../../contact/swept-shapes.js';
import { JOINT_TYPES, PARAMETERS } from '../../joints/index.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { createTree, type Tree } from '../../mechanism/tree.js';
import {
  addCrossForce,
  addCrossMotion,
  dot6,
  forceToA,
  forceToB,
  INERTIA,
  inertiaTimes,
  motionToA,
  TRANSFORM,
} from '../../spatial/spatial.js';

/** Pairs of joints that a third one hangs from, four bytes each and several times over. */
const MOST_PAIRS = 4e8;

export class Articulation implements Inertia, IslandTree {
  readonly mechanism: Mechanism;
  readonly tree: Tree;
  readonly structure: Inertia['structure'];
  /** The mass matrix with added inertia on its diagonal, and its factors. */
  readonly H: Float64Array;
  readonly factors: Float64Array;
  /** Inertia on the diagonal of the mass matrix besides that of the links. */
  readonly added: Float64Array;
  readonly moving: CarryingLinks;
  readonly chains: Chains;
  /** Degrees of freedom. */
  readonly nv: number;
  /** Of all links, kilograms. */
  readonly mass: number;
  /** Node of each link: of its own joint, or that of the nearest ancestor that can move; -1: part of the ground. */
  readonly nodeOf: Int32Array;
  /** Link of each node. */
  readonly linkOf: Int32Array;
  /** Parent of each node; -1 for the ground. */
  readonly parentNode: Int32Array;
  /** 1 where the link is a free base. */
  readonly free: Uint8Array;
  /** Link at the root of each link's tree: its reference point is that of the tree. */
  readonly root: Int32Array;
  readonly #placed: PlacedTree;
  readonly #subtree: Float64Array;
  /** n x 6: accelerations with qdd = 0 (less gravity), and forces. */
  readonly #a: Float64Array;
  readonly #f: Float64Array;
  readonly #vector = new Float64Array(24);
  readonly #X = new Float64Array(TRANSFORM);
  /** What joints whose axes turn in the link give, n x 6. */
  readonly #own: Float64Array;

  constructor(mechanism: Mechanism) {
    const tree = createTree(mechanism);
    const { n, dof, parent } = tree;
    this.mechanism = mechanism;
    this.tree = tree;
    this.nv = dof[n];
    let mass = 0;
    for (let i = 0; i < n; i++) mass += tree.inertia[INERTIA * i];
    this.mass = mass;
    this.nodeOf = new Int32Array(n);
    this.free = new Uint8Array(n);
    this.root = new Int32Array(n);
    const nodes: number[] = [];
    for (let i = 0; i < n; i++) {
      const p = parent[i];
      const moves = dof[i + 1] > dof[i];
      this.nodeOf[i] = moves ? nodes.length : p < 0 ? -1 : this.nodeOf[p];
      if (moves) nodes.push(i);
      this.root[i] = p < 0 ? i : this.root[p];
      const joint = mechanism.joints[tree.joint[i]];
      // What acts on the author's velocities of a joint keeps them.
      const plain = joint.armature === 0 && joint.damping === 0 && joint.friction === 0;
      this.free[i] = p < 0 && joint.type === 'floating' && plain && tree.inertia[INERTIA * i] > 0 ? 1 : 0;
    }
    this.linkOf = Int32Array.from(nodes);
    this.parentNode = Int32Array.from(nodes, (i) => (parent[i] < 0 ? -1 : this.nodeOf[parent[i]]));
    this.#refuseDeep();
    const ancestors = nodes.map((_, k) => {
      const list: number[] = [];
      for (let p = this.parentNode[k]; p >= 0; p = this.parentNode[p]) list.push(p);
      return list;
    });
    const sizes = nodes.map((i) => dof[i + 1] - dof[i]);
    this.structure = createStructure(sizes, ancestors, 'given');
    this.H = new Float64Array(this.structure.length);
    this.factors = new Float64Array(this.structure.length);
    this.added = new Float64Array(this.nv);
    const roots = new Int32Array(nodes.length);
    for (let k = 0; k < roots.length; k++) roots[k] = this.parentNode[k] < 0 ? k : roots[this.parentNode[k]];
    this.moving = {
      n: nodes.length,
      linkOf: this.linkOf,
      parent: this.parentNode,
      dof: Int32Array.from([...nodes.map((i) => dof[i]), this.nv]),
      root: roots,
      free: Uint8Array.from(nodes, (i) => this.free[i]),
      fixed: Int32Array.from(this.nodeOf.keys()).filter(
        (i) =>
          dof[i + 1] === dof[i] &&
          this.nodeOf[i] >= 0 &&
          tree.inertia.subarray(INERTIA * i, INERTIA * i + INERTIA).some((x) => x !== 0),
      ),
    };
    this.chains = createChains(this.moving.parent, this.moving.dof, this.moving.free);
    this.#subtree = new Float64Array(INERTIA * n);
    this.#a = new Float64Array(6 * n);
    this.#f = new Float64Array(6 * n);
    this.#placed = new PlacedTree(tree, this.free, this.root);
    this.#own = new Float64Array(this.#placed.turning.length > 0 ? 6 * n : 0);
  }

  /** The factors of the mass matrix are listed pair by pair of what each joint hangs from: refused before memory runs out. */
  #refuseDeep(): void {
    const { parentNode, mechanism } = this;
    const depth = new Int32Array(parentNode.length);
    let [pairs, deepest] = [0, 0];
    for (let k = 0; k < depth.length; k++) {
      if (parentNode[k] >= 0) depth[k] = depth[parentNode[k]] + 1;
      deepest = Math.max(deepest, depth[k] + 1);
      pairs += depth[k] ** 2;
    }
    if (pairs > MOST_PAIRS)
      throw MechanismError.of(
        'too-large',
        '',
        `The mechanism "${mechanism.name}" has ${depth.length} moving joints, up to ${deepest} in a row, too many for contacts: about 1000 in a row can be. Without contacts it can be simulated.`,
      );
  }

  /** n x 12: ground to link frame. */
  get pose(): Float64Array {
    return this.#placed.pose;
  }

  /** n x 3, that of roots used: the point that everything of the tree is about. */
  get reference(): Float64Array {
    return this.#placed.reference;
  }

  /** 6 for each degree of freedom: motion spaces, ground axes, about the reference point. */
  get S(): Float64Array {
    return this.#placed.S;
  }

  /** n x 6: velocities, about the reference point. */
  get V(): Float64Array {
    return this.#placed.V;
  }

  /** n x 10: inertias about the reference point. */
  get I(): Float64Array {
    return this.#placed.I;
  }

  /** Where numbers of a link stand in the memory of the kernels. */
  placesOf(link: number): LinkPlaces {
    return this.#placed.placesOf(link, this.root[link]);
  }

  /** Kinetic energy, inertia and momentum of the whole about the first reference point; after place and move. See PlacedTree. */
  get books(): Float64Array {
    return this.#placed.books;
  }

  /** Poses, reference points, motion spaces and inertias at q. */
  place(q: Float64Array): void {
    this.#placed.place(q);
  }

  /** The same where nothing but the positions of free bases changed since. */
  translate(q: Float64Array): void {
    this.#placed.translate(q);
  }

  /** Velocities V of all links; after place. */
  move(v: Float64Array): void {
    this.#placed.move(v);
  }

  /** q <- q moved along v for the time h. */
  integrate(q: Float64Array, v: Float64Array, h: number): void {
    this.#placed.integrate(q, v, h);
  }

  /** H with `added` on its diagonal, and its factors; after place. False: some joint feels no inertia. */
  factorise(): boolean {
    const { S, H, I, structure, linkOf, factors, added } = this;
    const { n, parent, dof } = this.tree;
    const subtree = this.#subtree;
    const F = this.#vector;
    subtree.set(I);
    for (let i = n - 1; i >= 0; i--)
      if (parent[i] >= 0)
        for (let k = 0; k < INERTIA; k++) subtree[INERTIA * parent[i] + k] += subtree[INERTIA * i + k];
    const { nodes, size, first, column, diagonal, lower, upper } = structure;
    for (let a = 0; a < nodes; a++) {
      const i = linkOf[a];
      const s = size[a];
      for (let k = 0; k < s; k++) {
        inertiaTimes(F, 0, subtree, INERTIA * i, S, 6 * (dof[i] + k));
        for (let j = 0; j <= k; j++) {
          const value = dot6(F, 0, S, 6 * (dof[i] + j));
          H[diagonal[a] + k * s + j] = value;
          H[diagonal[a] + j * s + k] = value;
        }
        H[diagonal[a] + k * s + k] += added[dof[i] + k];
        for (let e = first[a]; e < first[a + 1]; e++) {
          const above = linkOf[column[e]];
          const columns = size[column[e]];
          for (let j = 0; j < columns; j++) {
            const value = dot6(F, 0, S, 6 * (dof[above] + j));
            H[lower[e] + k * columns + j] = value;
            H[upper[e] + j * s + k] = value;
          }
        }
      }
    }
    factors.set(H);
    return factorise(structure, factors);
  }

  /**
   * out <- 6 for each body: the whole force through the joint that carries it, body coordinates, at its origin. After place at q and
   * move at v; qdd in the order of the articulation, external as for bias.
   */
  jointForces(
    q: Float64Array,
    v: Float64Array,
    qdd: Float64Array,
    gravity: readonly number[],
    external: Float64Array,
    out: Float64Array,
  ): void {
    const { V, I, S, pose, reference, root, tree } = this;
    const { n, parent, dof, body, offset } = tree;
    const a = this.#a;
    const f = this.#f;
    const m = this.#vector;
    this.#ownAccelerations(q, v, gravity);
    const gained = new Float64Array(6 * n);
    for (let i = 0; i < n; i++) {
      const o = 6 * i;
      for (let k = 0; k < 6; k++) gained[o + k] = parent[i] < 0 ? 0 : gained[6 * parent[i] + k];
      for (let k = dof[i]; k < dof[i + 1]; k++) for (let j = 0; j < 6; j++) gained[o + j] += S[6 * k + j] * qdd[k];
      for (let k = 0; k < 6; k++) a[o + k] += gained[o + k];
      inertiaTimes(f, o, I, INERTIA * i, a, o);
      inertiaTimes(m, 0, I, INERTIA * i, V, o);
      addCrossForce(f, o, V, o, m, 0);
      for (let k = 0; k < 6; k++) f[o + k] -= external[o + k];
    }
    const X = this.#X;
    for (let i = n - 1; i >= 0; i--) {
      if (parent[i] >= 0) for (let k = 0; k < 6; k++) f[6 * parent[i] + k] += f[6 * i + k];
      for (let k = 0; k < 9; k++) X[k] = pose[TRANSFORM * i + k];
      for (let k = 0; k < 3; k++) X[9 + k] = pose[TRANSFORM * i + 9 + k] - reference[3 * root[i] + k];
      forceToB(m, 0, X, 0, f, 6 * i);
      forceToA(out, 6 * body[i], offset, TRANSFORM * i, m, 0);
    }
  }

  /** (dS/dt in the link) v of all links, ground axes; undefined where no joint has axes that turn in its link. After place. */
  turningAxes(q: Float64Array, v: Float64Array): Float64Array | undefined {
    if (this.#placed.turning.length === 0) return undefined;
    for (const i of this.#placed.turning) this.#turningAxis(i, q, v, this.#own, 6 * i);
    return this.#own;
  }

  #turningAxis(i: number, q: Float64Array, v: Float64Array, out: Float64Array, o: number): void {
    const { tree, pose, reference, root } = this;
    const m = this.#vector;
    const X = this.#X;
    const r = 3 * root[i];
    JOINT_TYPES[tree.type[i]].bias(m, 6, q, tree.iq[i], v, tree.dof[i], tree.parameters, PARAMETERS * i);
    for (let k = 0; k < 9; k++) X[k] = pose[TRANSFORM * i + k];
    for (let k = 0; k < 3; k++) X[9 + k] = pose[TRANSFORM * i + 9 + k] - reference[r + k];
    motionToA(out, o, X, 0, m, 6);
  }

  /** Accelerations of the links with qdd = 0, less gravity: a_i = a_p + V_i x vJ + (dS/dt in the link) v. */
  #ownAccelerations(q: Float64Array, v: Float64Array, gravity: readonly number[]): void {
    const { V, S, free, tree } = this;
    const { n, parent, dof } = tree;
    const a = this.#a;
    const m = this.#vector;
    for (let i = 0; i < n; i++) {
      const o = 6 * i;
      const p = parent[i];
      for (let k = 0; k < 6; k++) a[o + k] = p < 0 ? (k < 3 ? 0 : -gravity[k - 3]) : a[6 * p + k];
      const from = dof[i];
      if (dof[i + 1] === from) continue;
      if (free[i] === 1) {
        // The point is one of the body: its velocity, not that of a fixed place, is the coordinate.
        a[o + 3] -= V[o + 1] * V[o + 5] - V[o + 2] * V[o + 4];
        a[o + 4] -= V[o + 2] * V[o + 3] - V[o] * V[o + 5];
        a[o + 5] -= V[o] * V[o + 4] - V[o + 1] * V[o + 3];
        continue;
      }
      for (let k = 0; k < 6; k++) m[k] = 0;
      for (let k = from; k < dof[i + 1]; k++) for (let j = 0; j < 6; j++) m[j] += S[6 * k + j] * v[k];
      addCrossMotion(a, o, V, o, m, 0);
      this.#turningAxis(i, q, v, m, 12);
      for (let k = 0; k < 6; k++) a[o + k] += m[12 + k];
    }
  }

  /** Joules; after place and move. Rotor inertia counts. */
  get kineticEnergy(): number {
    return this.books[KINETIC];
  }

  /** Joules of gravity, zero at the ground's origin; after place. */
  gravityEnergy(gravity: readonly number[]): number {
    const { books, reference } = this;
    const r = 3 * this.root[0];
    let sum = 0;
    for (let k = 0; k < 3; k++) sum -= gravity[k] * (books[TOTAL + 1 + k] + books[TOTAL] * reference[r + k]);
    return sum;
  }

  /** Joules in the springs of the joints. */
  springEnergy(q: Float64Array): number {
    let sum = 0;
    for (const { stiffness, rest, iq } of this.mechanism.joints)
      if (stiffness !== 0) sum += 0.5 * stiffness * (q[iq] - rest) ** 2;
    return sum;
  }

  /** v <- the author's velocities, in the order of the links; after place. */
  fromAuthor(v: Float64Array, given: Float64Array): void {
    const { tree, free, pose, reference } = this;
    const { n, dof, iv } = tree;
    for (let i = 0; i < n; i++) {
      const o = dof[i];
      for (let k = 0; k < dof[i + 1] - o; k++) v[o + k] = given[iv[i] + k];
      if (free[i] === 1) {
        const X = this.#X;
        for (let k = 0; k < 9; k++) X[k] = pose[TRANSFORM * i + k];
        for (let k = 0; k < 3; k++) X[9 + k] = pose[TRANSFORM * i + 9 + k] - reference[3 * i + k];
        motionToA(v, o, X, 0, v, o);
      }
    }
  }

  /** given <- the author's velocities; after place. */
  toAuthor(given: Float64Array, v: Float64Array): void {
    const { tree, free, pose, reference } = this;
    const { n, dof, iv } = tree;
    const m = this.#vector;
    for (let i = 0; i < n; i++) {
      const o = dof[i];
      if (free[i] === 1) {
        const E = TRANSFORM * i;
        // Velocity at the link's origin, then its own axes.
        const x = pose[E + 9] - reference[3 * i];
        const y = pose[E + 10] - reference[3 * i + 1];
        const z = pose[E + 11] - reference[3 * i + 2];
        for (let k = 0; k < 3; k++) m[k] = v[o + k];
        m[3] = v[o + 3] + v[o + 1] * z - v[o + 2] * y;
        m[4] = v[o + 4] + v[o + 2] * x - v[o] * z;
        m[5] = v[o + 5] + v[o] * y - v[o + 1] * x;
        for (let half = 0; half < 6; half += 3)
          for (let k = 0; k < 3; k++)
            given[iv[i] + half + k] =
              pose[E + 3 * k] * m[half] + pose[E + 3 * k + 1] * m[half + 1] + pose[E + 3 * k + 2] * m[half + 2];
      } else for (let k = 0; k < dof[i + 1] - o; k++) given[iv[i] + k] = v[o + k];
    }
  }
}
