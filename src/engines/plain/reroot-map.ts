// Between the author's coordinates and those of a tree that has another body at its root: positions, velocities and
// forces on the way in, accelerations on the way out. Internal coordinates change only where a joint
// of several degrees of freedom is read backwards; the floating joint of the old root becomes that of the new one.
// Cost: the joints between the two roots.

import { JOINT_TYPES, PARAMETERS } from '../../joints/index.js';
import { GROUND } from '../../mechanism/mechanism.js';
import { createTree, type Tree } from '../../mechanism/tree.js';
import { multiplyMotionSpace } from '../../reference/links.js';
import { type Mat3, quaternionFromRotation, transpose } from '../../spatial/matrix3.js';
import { addCrossMotion, compose, invert, motionToA, motionToB, TRANSFORM } from '../../spatial/spatial.js';

export class RerootMap {
  /** The tree with the new root. */
  readonly tree: Tree;
  /** Coordinates for that tree, written by toTree. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly tau: Float64Array;
  /** 6 for each body: forces on it, body coordinates. */
  readonly external: Float64Array;
  readonly #author: Tree;
  /** Links of the author's tree from the old root to the new one. */
  readonly #path: readonly number[];
  readonly #reversed: readonly number[];
  // For each link of the path, as in the author's tree: transform from its parent (the first: from the ground), motion
  // space, velocity, velocity product.
  readonly #X: Float64Array;
  readonly #S: Float64Array;
  readonly #v: Float64Array;
  readonly #c: Float64Array;
  readonly #work = new Float64Array(3 * TRANSFORM);

  /** `root`: a body that hangs from another one, in a part of the mechanism with a floating base. */
  constructor(author: Tree, root: number) {
    this.#author = author;
    const { mechanism } = author;
    this.tree = createTree(mechanism, root);
    this.q = new Float64Array(mechanism.nq);
    this.v = new Float64Array(mechanism.nv);
    this.tau = new Float64Array(mechanism.nv);
    this.external = new Float64Array(author.n * 6);
    const path: number[] = [];
    for (let b = root; b !== GROUND; b = mechanism.joints[b].parent) path.push(author.link[b]);
    this.#path = path.reverse();
    this.#reversed = [...this.tree.reversed.keys()].filter(
      (i) => this.tree.reversed[i] === 1 && JOINT_TYPES[this.tree.type[i]].reverse !== undefined,
    );
    this.#X = new Float64Array(path.length * TRANSFORM);
    this.#S = new Float64Array(path.length * 36);
    this.#v = new Float64Array(path.length * 6);
    this.#c = new Float64Array(path.length * 6);
  }

  /**
   * Whether an armature (one number for each of the author's velocities) means the same here: none at the joint that changed
   * its place, the same for all velocities of a joint that are exchanged or turned, none where they become others.
   */
  keeps(armature: Float64Array): boolean {
    const { tree } = this;
    const base = tree.iv[tree.link[tree.root]];
    for (let k = base; k < base + 6; k++) if (armature[k] !== 0) return false;
    for (const i of this.#reversed) {
      const { name, nv } = JOINT_TYPES[tree.type[i]];
      const first = armature[tree.iv[i]];
      if (first !== 0 && (name === 'planar' || name === 'floating')) return false;
      for (let k = 1; k < nv; k++) if (armature[tree.iv[i] + k] !== first) return false;
    }
    return true;
  }

  /** Writes q, v, tau and external from the author's; `external`: 6 for each body, body coordinates, or null. */
  toTree(q: Float64Array, v: Float64Array, tau: Float64Array, external: Float64Array | null): void {
    const { tree } = this;
    this.q.set(q);
    this.v.set(v);
    this.tau.set(tau);
    for (const i of this.#reversed) {
      const reverse = JOINT_TYPES[tree.type[i]].reverse!;
      const [iq, iv] = [tree.iq[i], tree.iv[i]];
      reverse.position(this.q, iq, q, iq);
      reverse.velocity(this.v, iv, q, iq, v, iv);
      reverse.force(this.tau, iv, this.q, iq, tau, iv);
    }
    if (external === null) this.external.fill(0);
    else this.external.set(external);
    this.#moveAlongPath(q, v);
    this.#setBase(tau);
  }

  /** X, S, v, c of the links of the path, in the author's tree. */
  #moveAlongPath(q: Float64Array, v: Float64Array): void {
    const author = this.#author;
    const work = this.#work;
    this.#path.forEach((i, k) => {
      const model = JOINT_TYPES[author.type[i]];
      const [iq, iv, ip] = [author.iq[i], author.iv[i], PARAMETERS * i];
      model.transform(work, 0, q, iq, author.parameters, ip);
      compose(this.#X, TRANSFORM * k, work, 0, author.X, TRANSFORM * i);
      model.motionSpace(this.#S, 36 * k, q, iq, author.parameters, ip);
      model.bias(this.#c, 6 * k, q, iq, v, iv, author.parameters, ip);
      multiplyMotionSpace(work, 0, this.#S, 6 * k, 6 * k + model.nv, v, iv);
      if (k === 0) this.#v.fill(0, 0, 6);
      else motionToB(this.#v, 6 * k, this.#X, TRANSFORM * k, this.#v, 6 * (k - 1));
      for (let j = 0; j < 6; j++) this.#v[6 * k + j] += work[j];
      addCrossMotion(this.#c, 6 * k, this.#v, 6 * k, work, 0);
    });
  }

  /** Pose and velocity of the new root; forces of the old root's joint become external forces on its body. */
  #setBase(tau: Float64Array): void {
    const { tree } = this;
    const author = this.#author;
    const work = this.#work;
    const [pose, next, inverse] = [0, TRANSFORM, 2 * TRANSFORM];
    const last = this.#path.length - 1;
    work.set(this.#X.subarray(0, TRANSFORM), pose);
    for (let k = 1; k <= last; k++) {
      compose(work, next, this.#X, TRANSFORM * k, work, pose);
      work.copyWithin(pose, next, next + TRANSFORM);
    }
    const end = this.#path[last];
    invert(work, inverse, author.offset, TRANSFORM * end);
    compose(work, next, work, inverse, work, pose);
    const base = tree.link[author.body[end]];
    const [iq, iv] = [tree.iq[base], tree.iv[base]];
    const E = Array.from(work.subarray(next, next + 9)) as unknown as Mat3;
    this.q.set(quaternionFromRotation(transpose(E)), iq);
    this.q.set(work.subarray(next + 9, next + 12), iq + 4);
    motionToA(this.v, iv, author.offset, TRANSFORM * end, this.#v, 6 * last);
    this.tau.fill(0, iv, iv + 6);
    const old = author.body[this.#path[0]];
    for (let k = 0; k < 6; k++) this.external[6 * old + k] += tau[iv + k];
  }

  /** qdd <- the author's accelerations from those of the tree; after toTree. */
  fromTree(qdd: Float64Array, treeQdd: Float64Array): void {
    const { tree } = this;
    const author = this.#author;
    const work = this.#work;
    qdd.set(treeQdd);
    for (const i of this.#reversed) {
      const [iq, iv] = [tree.iq[i], tree.iv[i]];
      JOINT_TYPES[tree.type[i]].reverse!.acceleration(qdd, iv, this.q, iq, this.v, iv, treeQdd, iv);
    }
    // Spatial acceleration of the new root, then up the path: A_p = X^-1 (A_i - c_i - S_i qdd_i).
    const last = this.#path.length - 1;
    const end = this.#path[last];
    motionToB(work, 0, author.offset, TRANSFORM * end, treeQdd, tree.iv[tree.link[author.body[end]]]);
    for (let k = last; k > 0; k--) {
      const i = this.#path[k];
      multiplyMotionSpace(work, 6, this.#S, 6 * k, 6 * k + author.dof[i + 1] - author.dof[i], qdd, author.iv[i]);
      for (let j = 0; j < 6; j++) work[j] -= this.#c[6 * k + j] + work[6 + j];
      motionToA(work, 0, this.#X, TRANSFORM * k, work, 0);
    }
    const base = author.iv[this.#path[0]];
    for (let k = 0; k < 6; k++) qdd[base + k] = work[k];
  }
}
