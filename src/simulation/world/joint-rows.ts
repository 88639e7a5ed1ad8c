// The rows of a member that need no contact: limits of joints, dry friction, velocity motors, coupled joints, loop joints.

import { BOX, type ContactProblem, LIMIT } from '../../contact/solver/problem.js';
import { createLoops, type LoopScratch, updateLoops } from '../../engines/plain/assembly/loop-joint.js';
import { forceToA, TRANSFORM } from '../../spatial/spatial.js';
import type { Member } from './member.js';
import { commanded } from './motors.js';
import { addCoupling, addForbidden, addJointRow, addRelativeMotion, type IslandBody } from './rows.js';

/** Limits nearer than this (radians, metres) are looked at even when nothing moves. */
const NEAR = 2e-2;

interface Limit {
  readonly node: number;
  /** In the order of the articulation, and in q. */
  readonly at: number;
  readonly iq: number;
  readonly lower: number;
  readonly upper: number;
}

interface Friction {
  readonly node: number;
  /** Which degree of freedom of the joint. */
  readonly k: number;
  readonly at: number;
  readonly force: number;
}

/** A row of the last step: what it was, and its impulse. */
export interface JointRowRecord {
  /** Which row: limits 2 at (lower) and 2 at + 1, then friction, motors, couplings and loops, each in their own range. */
  readonly id: number;
  readonly block: number;
}

export class JointRows {
  readonly #member: Member;
  readonly #limits: Limit[] = [];
  readonly #friction: Friction[] = [];
  readonly #couplings: { readonly node: number; readonly source: number; readonly multiplier: number }[] = [];
  readonly #loops: LoopScratch | undefined;
  readonly #wrench = new Float64Array(6);
  readonly #X = new Float64Array(TRANSFORM);
  /** Impulses of the last step by row, for the warm start. */
  impulses = new Map<number, number>();
  /** Rows of this step, and their blocks. */
  #rows: JointRowRecord[] = [];
  /** Links that the rows of loops push, by block: the wrench is about the origin of the first. */
  readonly #loopRows = new Map<number, { readonly link: number; readonly other: number }>();

  constructor(member: Member) {
    this.#member = member;
    const { articulation } = member;
    const { tree, mechanism, nodeOf } = articulation;
    const follower = new Set(mechanism.couplings.map(({ joint }) => joint));
    for (let i = 0; i < tree.n; i++) {
      const j = tree.joint[i];
      const { limits, model, iq, friction } = mechanism.joints[j];
      const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = limits;
      const at = tree.dof[i];
      if (model.nv === 1 && !follower.has(j) && (Number.isFinite(lower) || Number.isFinite(upper)))
        this.#limits.push({ node: nodeOf[i], at, iq, lower, upper });
      if (friction > 0)
        for (let k = 0; k < model.nv; k++) this.#friction.push({ node: nodeOf[i], k, at: at + k, force: friction });
    }
    for (const { joint, source, multiplier } of mechanism.couplings)
      this.#couplings.push({
        node: nodeOf[tree.joint.indexOf(joint)],
        source: nodeOf[tree.joint.indexOf(source)],
        multiplier,
      });
    this.#loops = mechanism.loops.length > 0 ? createLoops(tree) : undefined;
  }

  /** Whether a joint runs into its limit within the step. */
  landing(h: number, slop: number): boolean {
    const { q0, v0 } = this.#member;
    return this.#limits.some(({ at, iq, lower, upper }) => {
      const move = h * v0[at];
      return (move < -slop && q0[iq] - lower + move < slop) || (move > slop && upper - q0[iq] - move < slop);
    });
  }

  /** Whether there can be rows without contacts. */
  get always(): boolean {
    const velocity = this.#member.motors.some(({ motor }) => motor.kind === 'velocity');
    return (
      this.#limits.length > 0 ||
      this.#friction.length > 0 ||
      this.#couplings.length > 0 ||
      velocity ||
      this.#loops !== undefined
    );
  }

  /** Adds the rows to the problem of the island, the member being number `m` there. `reach`: the time the velocities act. */
  add(problem: ContactProblem, m: number, h: number, reach: number, slop: number): void {
    const { q, v0, motors, state } = this.#member;
    this.#rows = [];
    this.#loopRows.clear();
    const nv = v0.length;
    const remember = (id: number, block: number): void => {
      this.#rows.push({ id, block });
      problem.lambda[problem.firstRow[block]] = this.impulses.get(id) ?? 0;
    };
    for (const { node, at, iq, lower, upper } of this.#limits)
      for (const sign of [1, -1]) {
        const gap = sign > 0 ? q[iq] - lower : upper - q[iq];
        if (!(gap < NEAR + 2 * h * Math.abs(v0[at]))) continue;
        const c = addJointRow(problem, m, node, 0, LIMIT, sign, 0);
        problem.b[problem.firstRow[c]] = gap > 2 * slop ? (gap - slop) / reach : 0;
        remember(2 * at + (sign > 0 ? 0 : 1), c);
      }
    for (const { node, k, at, force } of this.#friction)
      remember(2 * nv + at, addJointRow(problem, m, node, k, BOX, 1, h * force));
    for (const { joint, motor, first } of motors) {
      if (motor.kind !== 'velocity') continue;
      const node = this.#member.articulation.nodeOf[this.#member.articulation.tree.joint.indexOf(joint.index)];
      const bound = motor.limit === undefined ? Number.POSITIVE_INFINITY : h * motor.limit;
      const c = addJointRow(problem, m, node, 0, BOX, 1, bound);
      problem.b[problem.firstRow[c]] = -commanded(motor.velocity, state.time, state);
      remember(3 * nv + first, c);
    }
    this.#couplings.forEach(({ node, source, multiplier }, k) => {
      remember(4 * nv + k, addCoupling(problem, m, node, source, multiplier));
    });
    if (this.#loops !== undefined) this.#addLoops(problem, m, this.#loops, remember);
  }

  /** Loop joints: directions in which their two bodies do not move against each other, at the origin of link b (or a). */
  #addLoops(
    problem: ContactProblem,
    m: number,
    loops: LoopScratch,
    remember: (id: number, block: number) => void,
  ): void {
    const { articulation, q } = this.#member;
    const { tree, nv, pose } = articulation;
    const zero = new Float64Array(nv);
    updateLoops(tree, loops, 'velocity', noRecords(tree.n), q, zero);
    const ground: IslandBody = { member: -1, articulation: undefined, link: -1 };
    const body = (link: number): IslandBody => (link < 0 ? ground : { member: m, articulation, link });
    let id = 5 * nv;
    loops.loops.forEach(({ a, b, k }, l) => {
      // The wrench on the body that is not the ground; on the other it is the opposite.
      const onB = b >= 0;
      const link = onB ? b : a;
      const G = onB ? loops.Gb[l] : loops.Ga[l];
      const X = this.#X;
      X.fill(0);
      for (let j = 0; j < 9; j++) X[j] = pose[TRANSFORM * link + j];
      const group = addRelativeMotion(problem, body(link), body(onB ? a : b), pose, TRANSFORM * link + 9);
      for (let row = 0; row < k; row++, id++) {
        forceToA(this.#wrench, 0, X, 0, G, 6 * row);
        const block = addForbidden(problem, group, this.#wrench, 0);
        this.#loopRows.set(block, { link, other: onB ? a : b });
        remember(id, block);
      }
    });
  }

  /** Keeps the impulses of the solved problem. */
  keep(problem: ContactProblem, h: number): void {
    this.impulses.clear();
    for (const { id, block } of this.#rows) {
      const lambda = problem.lambda[problem.firstRow[block]];
      this.impulses.set(id, lambda);
      const loop = this.#loopRows.get(block);
      if (loop === undefined) continue;
      const { articulation } = this.#member;
      const at = TRANSFORM * loop.link + 9;
      for (let k = 0; k < 6; k++) this.#wrench[k] = (problem.F[problem.wrenchAt[block] + k] * lambda) / h;
      this.#member.touch(loop.link, articulation.pose, at, this.#wrench, 1);
      if (loop.other >= 0) this.#member.touch(loop.other, articulation.pose, at, this.#wrench, -1);
    }
  }

  /** For the projection of positions: how far limits are overstepped; whether some are by more than slop. */
  overstep(problem: ContactProblem, h: number, part: number, fastest: number, slop: number): boolean {
    const { q } = this.#member;
    let any = false;
    for (const { id, block } of this.#rows) {
      if (problem.kind[block] !== LIMIT) continue;
      const { iq, lower, upper } = this.#limits.find(({ at }) => at === id >> 1)!;
      const gap = (id & 1) === 0 ? q[iq] - lower : upper - q[iq];
      problem.b[problem.firstRow[block]] =
        gap < -slop ? Math.max((part * (gap + slop)) / h, -fastest) : Math.max(0, gap) / h;
      if (gap < -slop) any = true;
    }
    return any;
  }
}

let records = new Float64Array(0);

/** Records of accelerations, which nothing but the acceleration level reads. */
function noRecords(links: number): Float64Array {
  const size = 128 * (links + 1);
  if (records.length < size) records = new Float64Array(size);
  return records;
}
