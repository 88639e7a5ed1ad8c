// Generic kernels: the steps of aba.ts and of inverse dynamics for one link, with all numbers read from its record. There
// is one kernel for each combination of what changes the formulas (joint type, kind of rotation, ...), made when a
// mechanism first needs it.

import type { FormulaType } from '../plan/plan.js';
import { isFreeAboutZ } from '../plan/turn-frames.js';
import { accelerate, assemble, type EliminatedColumn, type Lag, move, restarts, rigidInertia } from './aba.js';
import type { Node } from './graph.js';
import { forceToParent } from './inverse.js';
import { alongJoint, hasMatrix, hasTurn, type LinkFormulas, type Pose, poseNumbers, poseOf, slides } from './joints.js';
import { DEGREES, RECORD, ROW, type TypeFields, typeFields, VISIT } from './kernel-records.js';
import { type Composite, momentum, toParent } from './mass-matrix.js';
import { inertialForce, type LinkMotion, pointAcceleration, step } from './motion.js';
import { sincos } from './trig.js';
import { type NodeVec3, type Vec6, VectorGraph } from './vectors.js';

/** What distinguishes kernels of one pass. */
export interface KernelKey {
  readonly type: FormulaType;
  /** Rotation of the placement: none, axes renamed one way or the other, or any. */
  readonly rotation: 'none' | 'yzx' | 'zxy' | 'any';
  readonly armature: boolean;
  /** Positive coordinates go against z. */
  readonly negative: boolean;
  readonly grounded: boolean;
  /** The reference motion of the parent is rest. */
  readonly parentRests: boolean;
  readonly leaf: boolean;
  /** The first of its siblings to reach the parent in the inward pass. */
  readonly first: boolean;
}

/** The passes over all links that make up a task. */
export const PASSES = {
  forward: ['move', 'assemble', 'accelerate'],
  /** With forces from outside, and armatures, that are read from the arrays. */
  forwardLoaded: ['move', 'assembleLoaded', 'accelerate'],
  inverse: ['inverseOut', 'inverseIn'],
  /** The last goes over visits (generic-records.ts), not over links. */
  massMatrix: ['pose', 'composite', 'carry'],
} as const;
export type GenericTask = keyof typeof PASSES;
export type GenericPass = (typeof PASSES)[GenericTask][number];

/** Names a kernel: equal for keys whose difference does not matter in that pass. */
export function kernelName(pass: GenericPass, key: KernelKey): string {
  const { type, rotation, armature, negative, grounded, parentRests, leaf, first } = key;
  const flag = (on: boolean, name: string): string => (on ? ` ${name}` : '');
  const outwards = pass === 'move' || pass === 'inverseOut' || pass === 'pose';
  // Types with a whole matrix use the placement only to make it.
  const turn = outwards || !hasMatrix(type) ? ` ${rotation}` : '';
  const common = `${pass} ${type}${turn}${flag(negative, 'negative')}${flag(grounded, 'grounded')}`;
  if (outwards) return common + flag(pass === 'move' && parentRests, 'from rest');
  if (pass === 'carry') return common;
  if (pass === 'accelerate') return common + flag(armature, 'armature');
  return common + flag(armature, 'armature') + flag(leaf, 'leaf') + flag(first, 'first');
}

/** Arrays of a kernel's graph: pointers in a row of the link table. */
export const OWN = 0;
export const PARENT = 1;
export const Q = 2;
export const V = 3;
export const TAU = 4;
export const QDD = 5;
const ARMATURE = 6;
const EXTERNAL = 7;
/** In place of V and what follows, in `composite`. */
const COLUMNS = 3;
const ROWS = 4;
/** In place of PARENT and what follows, in `carry`. */
const FROM = 1;
const TO = 2;
const ENTRY_ROW = 3;
const ENTRY_COLUMN = 4;
/** All kernels but those that are loaded do without the last two. */
const POINTERS = [ROW.own, ROW.parent, ROW.q, ROW.v, ROW.tau, ROW.qdd, ROW.armature, ROW.external];
export function kernelPointers(pass: GenericPass): readonly number[] {
  if (pass === 'assembleLoaded') return POINTERS;
  if (pass === 'composite') return [...POINTERS.slice(0, COLUMNS), ROW.columns, ...ROW.rows];
  if (pass === 'carry') return [VISIT.own, VISIT.from, VISIT.to, VISIT.row, ...VISIT.column];
  return POINTERS.slice(0, ARMATURE);
}

/** Numbers of a column on its way to the root: six, and room for the next six. */
export const COLUMN_NUMBERS = 12;

/** What every record of a key's kernels holds from the start, and none of them writes. */
export function isConstantField(key: KernelKey, i: number): boolean {
  const { t, turn, E } = typeFields(key.type, key.rotation === 'any');
  return (i >= t && i < turn) || i >= E;
}

export function kernelFormulas(pass: GenericPass, key: KernelKey): VectorGraph {
  const kernel = new Kernel(key);
  kernel[pass]();
  return kernel.g;
}

class Kernel {
  readonly g = new VectorGraph();
  readonly #key: KernelKey;
  readonly #fields: TypeFields;
  readonly #link: LinkFormulas;

  constructor(key: KernelKey) {
    this.#key = key;
    this.#fields = typeFields(key.type, key.rotation === 'any');
    this.#link = this.#readLink();
  }

  move(): void {
    const pose = this.#computePose();
    const { motion, lag, force } = move(this.g, this.#link, pose, this.#parentMotion(this.#key.parentRests));
    this.#writeMotion(motion);
    this.#write(OWN, this.#fields.force, force);
    if (restarts(this.#key.type)) this.#write(OWN, this.#fields.lag, [...lag.angular, ...lag.linear, ...lag.origin]);
  }

  assemble(): void {
    this.#assemble(this.#link, this.g.inputs(OWN, this.#fields.force, 6));
  }

  assembleLoaded(): void {
    const { g } = this;
    const force = g.inputs(OWN, this.#fields.force, 6);
    const external = g.inputs(EXTERNAL, 0, 6);
    const { armature } = this.#link;
    this.#assemble(
      { ...this.#link, armature: this.#key.armature ? g.inputs(ARMATURE, 0, armature.length) : armature },
      force.map((component, k) => g.sub(component, external[k])),
    );
  }

  #assemble(link: LinkFormulas, force: Vec6): void {
    const { g } = this;
    const { leaf } = this.#key;
    const rigid = [...rigidInertia(g, link), ...force];
    const whole = leaf ? rigid : g.addAll(g.inputs(OWN, RECORD.fromBelow, 27), rigid);
    const body = { I: whole.slice(0, 21), p: whole.slice(21) };
    const { columns, up } = assemble(g, link, this.#readPose(), this.#readLag(), body, this.#read(TAU));
    columns.forEach(({ G, y }, k) => {
      const at = this.#fields.columns + 7 * k;
      // 1 stands only along a plain axis, where pass 3 knows it.
      G.forEach((node, i) => {
        if (!g.is(node, 1)) g.output(OWN, at + i, node);
      });
      g.output(OWN, at + 6, y);
    });
    if (!this.#key.grounded) this.#addToParent([...up.I, ...up.p]);
  }

  accelerate(): void {
    const { g } = this;
    const pose = this.#readPose();
    const columns = pose.S.map((_, k): EliminatedColumn => {
      const at = this.#fields.columns + 7 * k;
      return { G: this.#readColumn(at, k, pose.S.length), y: g.input(OWN, at + 6) };
    });
    const from = this.#key.grounded ? new Array<Node>(6).fill(g.zero) : g.inputs(PARENT, RECORD.delta, 6);
    const { qdd, delta } = accelerate(g, this.#link, pose, this.#readLag(), columns, from);
    this.#write(QDD, 0, this.#signed(qdd));
    this.#write(OWN, RECORD.delta, delta);
  }

  inverseOut(): void {
    const { g } = this;
    const pose = this.#computePose();
    const { w, angular, linear, origin } = step(g, this.#link, pose, this.#parentMotion(false));
    const [alphaJ, aJ] = alongJoint(g, pose.S, this.#read(QDD));
    const alpha = g.plus(angular, alphaJ);
    const a = g.plus(g.plus(pose.rotation.toLink(origin), linear), aJ);
    const motion = { w, alpha, a, W: pointAcceleration(g, w, alpha) };
    this.#writeMotion(motion);
    this.#write(OWN, this.#fields.force, inertialForce(g, this.#link, motion));
  }

  inverseIn(): void {
    const { g } = this;
    const { leaf, grounded } = this.#key;
    const pose = this.#readPose();
    const own = g.inputs(OWN, this.#fields.force, 6);
    const p = leaf ? own : g.addAll(own, g.inputs(OWN, RECORD.fromBelow + 21, 6));
    const qdd = this.#read(QDD);
    const tau = pose.S.map((column, k) => g.add(g.dot(column, p), g.mul(this.#link.armature[k], qdd[k])));
    this.#write(TAU, 0, this.#signed(tau));
    if (!grounded) this.#addToParent(forceToParent(g, pose, p), 21);
  }

  pose(): void {
    this.#computePose();
  }

  /** The subtree as if rigid, the link's own block of the matrix, and its columns I S in parent coordinates. */
  composite(): void {
    const { g } = this;
    const { leaf, grounded } = this.#key;
    const { mass, h, sigma, armature } = this.#link;
    const own = [mass, ...h, ...sigma];
    const [m, hx, hy, hz, ...second] = leaf ? own : g.addAll(own, g.inputs(OWN, RECORD.fromBelow, 10));
    const whole: Composite = { mass: m, h: [hx, hy, hz], sigma: second };
    const pose = this.#readPose();
    const { S } = pose;
    S.forEach((column, k) => {
      const F = momentum(g, whole, column);
      for (let l = 0; l <= k; l++) {
        const entry = g.dot(S[l], F);
        g.output(ROWS + l, k, l === k ? g.add(entry, armature[k]) : entry);
        if (l < k) g.output(ROWS + k, l, entry);
      }
      if (!grounded) this.#write(COLUMNS, COLUMN_NUMBERS * k, this.#signed(forceToParent(g, pose, F)));
    });
    if (grounded) return;
    const up = toParent(g, pose, whole);
    this.#addToParent([up.mass, ...up.h, ...up.sigma]);
  }

  /** A column of a link below: its entries with this link's degrees of freedom, and on to the parent. */
  carry(): void {
    const { g } = this;
    const pose = this.#readPose();
    const F = g.inputs(FROM, 0, 6);
    this.#signed(pose.S.map((column) => g.dot(column, F))).forEach((entry, l) => {
      g.output(ENTRY_ROW, l, entry);
      g.output(ENTRY_COLUMN + l, 0, entry);
    });
    if (!this.#key.grounded) this.#write(TO, 0, forceToParent(g, pose, F));
  }

  /** Adds to what the children give the parent; the first of them writes without reading. */
  #addToParent(nodes: readonly Node[], offset = 0): void {
    const at = RECORD.fromBelow + offset;
    const before = this.#key.first ? undefined : this.g.inputs(PARENT, at, nodes.length);
    this.#write(PARENT, at, before === undefined ? nodes : this.g.addAll(before, nodes));
  }

  #write(array: number, at: number, nodes: readonly Node[]): void {
    nodes.forEach((node, k) => {
      this.g.output(array, at + k, node);
    });
  }

  #vector(at: number): NodeVec3 {
    return this.g.vec((k) => this.g.input(OWN, at + k));
  }

  #signed(nodes: readonly Node[]): Node[] {
    return nodes.map((node) => (this.#key.negative ? this.g.neg(node) : node));
  }

  /** The joint's numbers in tau or qdd. */
  #read(array: number): Node[] {
    return this.#signed(this.g.inputs(array, 0, DEGREES[this.#key.type]));
  }

  #readLink(): LinkFormulas {
    const { g } = this;
    const { type, rotation, armature, negative } = this.#key;
    const fields = this.#fields;
    const { zero, one } = g;
    const nv = DEGREES[type];
    const E = {
      none: [one, zero, zero, zero, one, zero, zero, zero, one],
      yzx: [zero, one, zero, zero, zero, one, one, zero, zero],
      zxy: [zero, zero, one, one, zero, zero, zero, one, zero],
      any: rotation === 'any' ? g.inputs(OWN, fields.E, 9) : [],
    }[rotation];
    // Frames are turned so (frames.ts).
    if (rotation === 'any' && isFreeAboutZ(type)) E[2] = zero;
    // What regrouping (plan.ts) has moved to the parent is zero.
    const massless = type === 'revolute' || type === 'spherical' || type === 'universal';
    const [hx, hy, hz] = this.#vector(fields.h);
    const sigma = g.inputs(OWN, fields.sigma, 6);
    const full = type === 'spherical' || type === 'universal' || type === 'floating';
    const sign = (node: Node): Node => (negative ? g.neg(node) : node);
    const turns = [0, 1].map((k) => g.inputs(OWN, k === 0 ? fields.turn : fields.secondTurn, 2) as [Node, Node]);
    const q = g.inputs(Q, 0, type === 'spherical' ? 4 : type === 'floating' ? 7 : nv).map(sign);
    const firstAngle = q[type === 'planar' ? 2 : 0];
    return {
      type,
      E,
      t: this.#vector(fields.t),
      mass: massless ? zero : g.input(OWN, fields.mass),
      h: [hx, hy, type === 'revolute' ? zero : hz],
      sigma: sigma.map((node, k) => (type === 'prismatic' || (k === 5 && !full) ? zero : node)),
      parameters:
        type === 'universal' ? this.#vector(fields.parameters) : [g.input(OWN, fields.parameters), zero, zero],
      armature: Array.from({ length: nv }, (_, k) => (armature ? g.input(OWN, fields.armature + k) : zero)),
      q,
      v: g.inputs(V, 0, nv).map(sign),
      // The angle kernel has done it.
      sincos: (x) => turns[x === firstAngle ? 0 : 1],
    };
  }

  #parentMotion(rests: boolean): LinkMotion {
    const { g } = this;
    const { grounded } = this.#key;
    const read = (at: number): NodeVec3 => g.vec((k) => g.input(PARENT, at + k));
    const { zero3, zero } = g;
    if (grounded) return { w: zero3, alpha: zero3, a: read(RECORD.a), W: new Array<Node>(9).fill(zero) };
    return {
      w: read(RECORD.w),
      alpha: rests ? zero3 : read(RECORD.alpha),
      a: rests ? zero3 : read(RECORD.a),
      W: g.inputs(PARENT, RECORD.W, 9),
    };
  }

  #writeMotion({ w, alpha, a, W }: LinkMotion): void {
    this.#write(OWN, RECORD.w, w);
    this.#write(OWN, RECORD.W, W);
    // At rest: the children's kernels know.
    if (alpha === this.g.zero3) return;
    this.#write(OWN, RECORD.alpha, alpha);
    this.#write(OWN, RECORD.a, a);
  }

  #computePose(): Pose {
    const { type } = this.#key;
    const numbers = poseNumbers(this.g, this.#link);
    if (hasMatrix(type)) this.#write(OWN, this.#fields.matrix, numbers.matrix);
    if (slides(type)) this.#write(OWN, this.#fields.r, numbers.r);
    this.#write(OWN, this.#fields.axis, numbers.axis);
    return poseOf(this.g, this.#link, numbers);
  }

  #readPose(): Pose {
    const { g } = this;
    const { type } = this.#key;
    const fields = this.#fields;
    return poseOf(g, this.#link, {
      turn: hasTurn(type) ? g.inputs(OWN, fields.turn, 2) : [],
      matrix: hasMatrix(type) ? g.inputs(OWN, fields.matrix, 9) : [],
      r: slides(type) ? this.#vector(fields.r) : this.#link.t,
      axis: type === 'universal' ? this.#vector(fields.axis) : [],
    });
  }

  /** Columns after column k are eliminated before it: along their plain axes nothing is left of U. */
  #readColumn(at: number, k: number, count: number): Vec6 {
    const { g } = this;
    const { type, armature } = this.#key;
    const plain = (type === 'spherical' || type === 'floating') && !armature;
    return [0, 1, 2, 3, 4, 5].map((i) => (plain && i > k && i < count ? g.zero : g.input(OWN, at + i)));
  }

  #readLag(): Lag {
    const { zero3 } = this.g;
    const { lag } = this.#fields;
    if (!restarts(this.#key.type)) return { angular: zero3, linear: zero3, origin: zero3 };
    const still = this.#key.type === 'spherical';
    return {
      angular: this.#vector(lag),
      linear: still ? zero3 : this.#vector(lag + 3),
      origin: this.#vector(lag + 6),
    };
  }
}

/** Arrays of the angle kernel: the pointers of its row, then the numbers in it. */
const ANGLE = { q: [0, 1], turn: [2, 3], numbers: 4 } as const;

/** Sine and cosine of two angles, sense times coordinate and something added, in the lanes of a vector. */
export function angleFormulas(): VectorGraph {
  const g = new VectorGraph();
  const { q, turn, numbers } = ANGLE;
  const coordinates = g.pair(g.input(q[0], 0), g.input(q[1], 0));
  const [s, c] = sincos(g, g.add(g.mul(g.input(numbers, 0, 1), coordinates), g.input(numbers, 2, 3)));
  for (const lane of [0, 1] as const) {
    g.output(turn[lane], 0, g.lane(s, lane));
    g.output(turn[lane], 1, g.lane(c, lane));
  }
  return g;
}
