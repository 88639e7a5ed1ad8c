// Forward dynamics as formulas in the order that suits a GPU: depth first, so that a limb is finished, from its joint to
// its tip and back, before the next one begins, and few numbers are alive at any time. The steps are those of
// src/formulas/aba.ts. For kernels that must not keep everything in registers the algorithm is cut in two: inwards (motion
// and assembly, whose columns are kept) and outwards (accelerations); what the second half needs of poses and motions it
// computes again.

import type { SumForm } from '../../emit/multiply-add-sums.js';
import {
  type Articulated,
  accelerate,
  assembleAtJoint,
  type EliminatedColumn,
  type Lag,
  move,
  rigidInertia,
  solved,
  toParentOrigin,
} from '../../formulas/aba.js';
import type { Node } from '../../formulas/graph.js';
import { type Pose, poseNumbers, poseOf } from '../../formulas/joints.js';
import { singleUnits } from '../../formulas/lanes.js';
import { Q, QDD, readUnit, TAU, type UnitFormulas, unitFormulas, V, writeUnit } from '../../formulas/links.js';
import { groundMotion, type LinkMotion, pointAcceleration } from '../../formulas/motion.js';
import type { Passive } from '../../formulas/rollout-step.js';
import { type Vec6, VectorGraph } from '../../formulas/vectors.js';
import { inShortestUnits, type ScaledPlan } from '../../plan/length-units.js';
import type { LowInertiaAxis } from '../../plan/low-inertia-axes.js';
import { lowInertiaAxes } from '../../plan/low-inertia-axes.js';
import type { Plan, PlanLink } from '../../plan/plan.js';
import { alignFrames } from '../../plan/principal-frames.js';
import { type Mat3, transpose } from '../../spatial/matrix3.js';
import { preciseQuaternionMatrix } from './quaternion.js';

/** The array that keeps columns between the halves, by its number in the graph. */
export const KEPT = 7;
/** Numbers that stay in registers from one graph of a kernel to the next. */
export const LOCAL = 12;
/** A number that is zero, but not for the compiler. */
export const ZERO = 11;
/** Added to the number of an array: the same numbers, read once more. */
export const AGAIN = 16;

/** What becomes of a joint's accelerations: written as qdd, or used for a step in time. */
export type Finish = (g: VectorGraph, link: UnitFormulas, qdd: readonly Node[]) => void;

/** A graph in which the same numbers can be read twice: what is made of them is computed twice too. */
export class GpuGraph extends VectorGraph {
  readonly sums: SumForm;
  /** Sums that never become part of others. */
  readonly apart = new Set<Node>();
  #again = 0;

  constructor(sums: SumForm = 'merged') {
    super({ opaqueTrig: true });
    this.sums = sums;
  }

  override input(array: number, i: number, j = -1): Node {
    return super.input(array === Q || array === V ? array + this.#again : array, i, j);
  }

  /** Most of the products are smaller than a: where sums are grouped they are added up first, and rounded less. */
  override lessProducts(a: Node, x: readonly Node[], y: readonly Node[]): Node {
    return this.sums === 'grouped' ? this.sub(a, this.dot(x, y)) : super.lessProducts(a, x, y);
  }

  /** What is read within `make` are other nodes than those read outside. */
  again<T>(make: () => T): T {
    this.#again = AGAIN;
    try {
      return make();
    } finally {
      this.#again = 0;
    }
  }

  /** The same value as another node: formulas of it are computed anew instead of kept since they were first needed. */
  anew(n: Node): Node {
    return this.isConstant(n) ? n : this.add(n, this.input(ZERO, 0));
  }
}

/** For formulas other than those of batches: their sums hang on small differences. */
export const graphForGpu = (): GpuGraph => new GpuGraph('grouped');

/** The links of a plan with what all passes need of them. */
export class Links {
  readonly g: GpuGraph;
  readonly plan: ScaledPlan;
  readonly links: readonly UnitFormulas[];
  readonly children: readonly (readonly number[])[];
  readonly roots: readonly number[];
  readonly poses: Pose[] = [];
  readonly motions: LinkMotion[] = [];
  readonly lags: Lag[] = [];
  readonly forces: Vec6[] = [];
  readonly columns: (readonly EliminatedColumn[])[] = [];
  readonly deltas: Vec6[] = [];
  readonly sums: (readonly Node[])[] = [];
  readonly #ground: LinkMotion;
  readonly #passive: Passive | undefined;

  /** Link frames that were turned (align.ts). */
  readonly #turns: ReadonlyMap<number, Mat3>;
  readonly #lowInertia: readonly (LowInertiaAxis | undefined)[];
  /** With `twice`, links that make poses and forces anew on the way back instead of keeping them. */
  readonly #second: readonly UnitFormulas[] | undefined;

  constructor(g: GpuGraph, plan: Plan, passive?: Passive, twice = false) {
    this.g = g;
    const aligned = alignFrames(plan);
    this.plan = inShortestUnits(aligned.plan);
    this.#turns = aligned.turns;
    this.#lowInertia = lowInertiaAxes(aligned.plan);
    const read = (): readonly UnitFormulas[] =>
      unitFormulas(g, this.plan, singleUnits(plan), { twoStates: true }).map((link, i) => this.#prepared(link, i));
    this.links = read();
    if (twice) this.#second = g.again(read);
    const { children, roots } = orderedChildren(plan);
    this.children = children;
    this.roots = roots;
    this.#passive = passive;
    this.#ground = groundMotion(
      g,
      g.vec((k) => g.constant(this.plan.gravity[k])),
    );
  }

  /** Pose of a link. */
  place(i: number, link = this.links[i]): void {
    this.poses[i] = poseOf(this.g, link, poseNumbers(this.g, link));
  }

  /** Pose, reference motion and bias force of a link. */
  move(i: number): void {
    const { g } = this;
    const link = this.links[i];
    const { parent } = link.unit;
    this.place(i);
    const { motion, lag, force } = move(g, link, this.poses[i], parent < 0 ? this.#ground : this.motions[parent]);
    this.motions[i] = motion;
    this.lags[i] = lag;
    this.forces[i] = force;
  }

  /** Once more what the way back needs, from the parent's motion and the coordinates. */
  moveAgain(i: number): void {
    const { g } = this;
    const link = this.#second![i];
    const { parent } = link.unit;
    this.place(i, link);
    const from = parent < 0 ? this.#ground : motionAnew(g, this.motions[parent]);
    const { lag, force } = move(g, link, this.poses[i], from);
    this.lags[i] = lag;
    this.forces[i] = force;
  }

  /** Assembles link i, whose children have been, into its parent. */
  assemble(i: number): void {
    this.receive(i, this.handOver(i));
  }

  /** What the parent of link i receives, in its coordinates but at the origin of the link. */
  handOver(i: number): Articulated {
    const { g } = this;
    if (this.#second !== undefined) this.moveAgain(i);
    const link = this.links[i];
    const own = [...rigidInertia(g, link), ...this.forces[i]];
    // Velocity terms are small: term by term they would be rounded like the joint forces that they meet.
    if (this.#second !== undefined) for (const node of this.forces[i].slice(0, 3)) g.apart.add(node);
    const below = this.sums[i];
    const whole = below === undefined ? own : g.addAll(own, below);
    const { columns, up } = assembleAtJoint(
      g,
      this.#loaded(link),
      this.poses[i],
      this.lags[i],
      articulated(whole),
      this.#tau(link),
    );
    this.columns[i] = columns;
    return up;
  }

  receive(i: number, up: Articulated): void {
    const { g } = this;
    const { parent } = this.links[i].unit;
    if (parent < 0) return;
    const { I, p } = toParentOrigin(g, this.poses[i].r, up);
    const sum = this.sums[parent];
    const added = [...I, ...p];
    this.sums[parent] = sum === undefined ? added : g.addAll(sum, added);
  }

  /** Its columns as numbers to keep. */
  numbersOf(i: number): Node[] {
    return this.columns[i].flatMap(({ G, y }) => [...G, y]);
  }

  /** Columns of link i in as few numbers as there are for them: for those that wait in memory. */
  solve(i: number): void {
    this.columns[i] = solved(this.g, this.#loaded(this.links[i]), this.poses[i], this.columns[i]);
  }

  accelerate(i: number, finish: Finish): void {
    const { g } = this;
    const link = this.links[i];
    const { parent } = link.unit;
    const from = parent < 0 ? new Array<Node>(6).fill(g.zero) : this.deltas[parent];
    const { qdd, delta } = accelerate(g, this.#loaded(link), this.poses[i], this.lags[i], this.columns[i], from);
    this.deltas[i] = delta;
    // The inverse of a rate's factor is a force's, since the sense is 1 or -1.
    const inMetres = qdd.map((value, k) => g.mul(link.forces[k], value));
    const R = this.#turns.get(i);
    finish(g, link, R === undefined ? inMetres : turn(g, transpose(R), inMetres));
  }

  /** A link as 32 bits need it; where its frame was turned, with its coordinates turned as well. */
  #prepared(link: UnitFormulas, i: number): UnitFormulas {
    const R = this.#turns.get(i);
    const precise = { ...link, matrixOf: preciseQuaternionMatrix, lowInertia: this.#lowInertia[i] };
    if (R === undefined) return precise;
    const { g } = this;
    const [w, ...x] = link.q;
    return { ...precise, q: [w, ...turn(g, R, x)], v: turn(g, R, link.v) };
  }

  #loaded(link: UnitFormulas): UnitFormulas {
    if (this.#passive === undefined) return link;
    return { ...link, armature: this.#passive.armature(this.g, link, this.#linkOf(link)) };
  }

  #linkOf({ unit }: UnitFormulas): PlanLink {
    return this.plan.links[unit.links[0]];
  }

  #tau(link: UnitFormulas): Node[] {
    const { g } = this;
    const read = readUnit(g, this.plan, link.unit, TAU, (l) => l.iv, link.v.length);
    const whole = this.#passive === undefined ? read : this.#passive.forces(g, link, read, this.#linkOf(link));
    const forces = whole.map((x, k) => g.mul(link.forces[k], x));
    const R = this.#turns.get(link.unit.links[0]);
    return R === undefined ? forces : turn(g, R, forces);
  }
}

const turn = (g: VectorGraph, R: Mat3, [x, y, z]: readonly Node[]): Node[] => [
  ...g.apply(
    R.map((entry) => g.constant(entry)),
    [x, y, z],
  ),
];

export const writeAccelerations =
  (plan: Plan): Finish =>
  (g, { unit }, qdd) => {
    qdd.forEach((value, k) => {
      writeUnit(g, plan, unit, QDD, k, value);
    });
  };

/** All of forward dynamics in one graph. */
export function wholeForward(plan: Plan, finish: Finish, passive?: Passive): VectorGraph {
  const g = new GpuGraph();
  const all = new Links(g, plan, passive);
  for (const root of all.roots) inwards(all, root);
  for (const root of all.roots) outwards(all, root, finish);
  return g;
}

function inwards(all: Links, i: number, after?: (i: number) => void): void {
  all.move(i);
  for (const child of all.children[i]) inwards(all, child, after);
  all.assemble(i);
  after?.(i);
}

function outwards(all: Links, i: number, finish: Finish, before?: (i: number) => void): void {
  before?.(i);
  all.accelerate(i, finish);
  for (const child of all.children[i]) outwards(all, child, finish, before);
}

/** A row of numbers that one graph writes and others read; constants are known without. */
export class KeptRow {
  readonly #places: readonly (number | { readonly constant: number })[];
  readonly #array: number;

  constructor(g: GpuGraph, nodes: readonly Node[], take: () => number, array = KEPT) {
    this.#array = array;
    this.#places = nodes.map((node) => {
      if (g.isConstant(node)) return { constant: g.x[node] };
      const at = take();
      g.output(array, at, node);
      return at;
    });
  }

  read(g: GpuGraph): Node[] {
    return this.#places.map((at) => (typeof at === 'number' ? g.input(this.#array, at) : g.constant(at.constant)));
  }

  /** Where they are the columns of a link: those in another graph. */
  columns(g: GpuGraph): EliminatedColumn[] {
    const nodes = this.read(g);
    return Array.from({ length: nodes.length / 7 }, (_, k) => ({
      G: nodes.slice(7 * k, 7 * k + 6),
      y: nodes[7 * k + 6],
    }));
  }
}

/** Forward dynamics in two graphs of one kernel, with columns in registers between them; poses and motions are computed twice. */
export function halvedForward(plan: Plan, finish: Finish, passive?: Passive): GpuGraph[] {
  const first = new Links(new GpuGraph(), plan, passive);
  const columns = new Map<number, KeptRow>();
  let local = 0;
  const keep = (i: number): void => {
    columns.set(i, new KeptRow(first.g, first.numbersOf(i), () => local++, LOCAL));
  };
  for (const root of first.roots) inwards(first, root, keep);
  const second = new Links(new GpuGraph(), plan, passive);
  const restore = (i: number): void => {
    second.columns[i] = columns.get(i)!.columns(second.g);
    second.move(i);
  };
  for (const root of second.roots) outwards(second, root, finish, restore);
  return [first.g, second.g];
}

function motionAnew(g: GpuGraph, { w, alpha, a }: LinkMotion): LinkMotion {
  const anew = (x: LinkMotion['w']): LinkMotion['w'] => g.vec((k) => g.anew(x[k]));
  const angular = anew(w);
  const accelerated = anew(alpha);
  return { w: angular, alpha: accelerated, a: anew(a), W: pointAcceleration(g, angular, accelerated) };
}

export function articulated(nodes: readonly Node[]): Articulated {
  return { I: nodes.slice(0, 21), p: nodes.slice(21) };
}

/** Children of each link, the deepest first: then the fewest sums wait for others. */
export function orderedChildren({ links }: Plan): { children: number[][]; roots: number[] } {
  const height = new Int32Array(links.length);
  const children: number[][] = links.map(() => []);
  const roots: number[] = [];
  for (let i = links.length - 1; i >= 0; i--) {
    const { parent } = links[i];
    if (parent < 0) roots.unshift(i);
    else {
      children[parent].unshift(i);
      height[parent] = Math.max(height[parent], height[i] + 1);
    }
  }
  for (const list of children) list.sort((x, y) => height[y] - height[x] || x - y);
  return { children, roots };
}
