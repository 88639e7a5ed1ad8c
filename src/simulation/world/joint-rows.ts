// The rows of a member that need no contact: limits of joints, dry friction, velocity motors, coupled joints, loop joints.

import type { IslandLink, IslandProblem } from '../../contact/solver/island-problem.js';
import { KIND_BOX, KIND_LIMIT } from '../../contact/solver/kernel/layout.js';
import { grown } from '../../contact/solver/problem.js';
import { createLoops, type LoopScratch, updateLoops } from '../../engines/plain/assembly/loop-joint.js';
import { forceToA, TRANSFORM } from '../../spatial/spatial.js';
import { noRecords } from './loop-impulse.js';
import type { Member } from './member.js';
import { DEEP, recoveryOffset } from './recovery.js';

/** Limits nearer than this (radians, metres) are looked at even when nothing moves. */
const NEAR = 2e-2;

interface Limit {
  /** In the order of the articulation, and in q. */
  readonly at: number;
  readonly iq: number;
  readonly lower: number;
  readonly upper: number;
}

export class JointRows {
  readonly #member: Member;
  readonly #limits: Limit[] = [];
  readonly #friction: { readonly at: number; readonly force: number }[] = [];
  readonly #couplings: { readonly at: number; readonly source: number; readonly multiplier: number }[] = [];
  readonly #loops: LoopScratch | undefined;
  readonly #wrench = new Float64Array(6);
  readonly #X = new Float64Array(TRANSFORM);
  /** Impulses of the last step by row: limits 2 at (lower) and 2 at + 1, then friction, motors, couplings, loops. */
  readonly kept: Float64Array;
  readonly #marked: Float64Array;
  /** Rows of this step: which, and their blocks. */
  #count = 0;
  #id = new Int32Array(16);
  #block = new Int32Array(16);
  /** Rows of loops in this step: the links that they push, and the wrench about the origin of the first. */
  #loopRows: { readonly row: number; readonly link: number; readonly other: number; readonly wrench: Float64Array }[] =
    [];

  constructor(member: Member) {
    this.#member = member;
    const { articulation } = member;
    const { tree, mechanism, nv } = articulation;
    const follower = new Set(mechanism.couplings.map(({ joint }) => joint));
    for (let i = 0; i < tree.n; i++) {
      const j = tree.joint[i];
      const { limits, model, iq, friction } = mechanism.joints[j];
      const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = limits;
      const at = tree.dof[i];
      if (model.nv === 1 && !follower.has(j) && (Number.isFinite(lower) || Number.isFinite(upper)))
        this.#limits.push({ at, iq, lower, upper });
      if (friction > 0) for (let k = 0; k < model.nv; k++) this.#friction.push({ at: at + k, force: friction });
    }
    for (const { joint, source, multiplier } of mechanism.couplings)
      this.#couplings.push({
        at: tree.dof[tree.joint.indexOf(joint)],
        source: tree.dof[tree.joint.indexOf(source)],
        multiplier,
      });
    this.#loops = mechanism.loops.length > 0 ? createLoops(tree) : undefined;
    const loopRows = this.#loops?.loops.reduce((sum, { k }) => sum + k, 0) ?? 0;
    this.kept = new Float64Array(4 * nv + this.#couplings.length + nv + loopRows);
    this.#marked = this.kept.slice();
  }

  /** Impulses of the last step that are not zero, by row, for the warm start. */
  get impulses(): Map<number, number> {
    const out = new Map<number, number>();
    this.kept.forEach((impulse, id) => {
      if (impulse !== 0) out.set(id, impulse);
    });
    return out;
  }

  set impulses(impulses: ReadonlyMap<number, number>) {
    this.kept.fill(0);
    for (const [id, impulse] of impulses) this.kept[id] = impulse;
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
    const velocity = this.#member.motors.some(({ motor }) => motor.kind === 'velocity' || motor.speed !== undefined);
    return (
      this.#limits.length > 0 ||
      this.#friction.length > 0 ||
      this.#couplings.length > 0 ||
      velocity ||
      this.#loops !== undefined
    );
  }

  /** Adds the rows to the problem of the island, the member being number `m` there. `reach`: the time the velocities act. */
  add(problem: IslandProblem, m: number, h: number, reach: number, slop: number): void {
    const { q, v0, motors } = this.#member;
    this.#count = 0;
    this.#loopRows.length = 0;
    const nv = v0.length;
    for (let k = 0; k < this.#limits.length; k++) {
      const { at, iq, lower, upper } = this.#limits[k];
      const near = NEAR + 2 * h * Math.abs(v0[at]);
      for (let sign = 1; sign >= -1; sign -= 2) {
        const gap = sign > 0 ? q[iq] - lower : upper - q[iq];
        if (!(gap < near)) continue;
        const c = problem.addRow(KIND_LIMIT, m, at, sign, 0);
        problem.offset[3 * c] = gap > 2 * slop ? (gap - slop) / reach : 0;
        this.#remember(problem, 2 * at + (sign > 0 ? 0 : 1), c);
      }
    }
    for (const { at, force } of this.#friction)
      this.#remember(problem, 2 * nv + at, problem.addRow(KIND_BOX, m, at, 1, h * force));
    for (const { motor, first, pace, command } of motors) {
      if (motor.kind !== 'velocity') {
        if (motor.speed === undefined || pace.sign === 0) continue;
        const c = problem.addRow(KIND_BOX, m, first, 1, (h * pace.force) / 2);
        problem.offset[3 * c] = -pace.sign * motor.speed;
        this.#remember(problem, 3 * nv + first, c);
        continue;
      }
      const bound = motor.limit === undefined ? Number.POSITIVE_INFINITY : h * motor.limit;
      const c = problem.addRow(KIND_BOX, m, first, 1, bound);
      problem.offset[3 * c] = -command[0];
      this.#remember(problem, 3 * nv + first, c);
    }
    this.#couplings.forEach(({ at, source, multiplier }, k) => {
      this.#remember(problem, 4 * nv + k, problem.addCoupling(KIND_BOX, m, at, source, -multiplier));
    });
    if (this.#loops !== undefined) this.#addLoops(problem, m, this.#loops);
  }

  #remember(problem: IslandProblem, id: number, block: number): void {
    const k = this.#count++;
    this.#id = grown(this.#id, k + 1);
    this.#block = grown(this.#block, k + 1);
    this.#id[k] = id;
    this.#block[k] = block;
    problem.lambda[3 * block] = this.kept[id];
  }

  /** Loop joints: directions in which their two bodies do not move against each other, at the origin of link b (or a). */
  #addLoops(problem: IslandProblem, m: number, loops: LoopScratch): void {
    const { articulation, q } = this.#member;
    const { tree, nv, pose } = articulation;
    const zero = new Float64Array(nv);
    updateLoops(tree, loops, 'velocity', noRecords(tree.n), q, zero);
    const body = (link: number): IslandLink => ({ member: link < 0 ? -1 : m, link });
    let id = 4 * nv + this.#couplings.length;
    loops.loops.forEach(({ a, b, k }, l) => {
      // The wrench on the body that is not the ground; on the other it is the opposite.
      const onB = b >= 0;
      const [link, other] = onB ? [b, a] : [a, b];
      const G = onB ? loops.Gb[l] : loops.Ga[l];
      const X = this.#X;
      X.fill(0);
      for (let j = 0; j < 9; j++) X[j] = pose[TRANSFORM * link + j];
      for (let row = 0; row < k; row++, id++) {
        forceToA(this.#wrench, 0, X, 0, G, 6 * row);
        const block = problem.addWrench(body(link), body(other), pose, TRANSFORM * link + 9, this.#wrench);
        this.#loopRows.push({ row: this.#count, link, other, wrench: this.#wrench.slice() });
        this.#remember(problem, id, block);
      }
    });
  }

  /** Keeps the impulses of the solved problem. */
  keep(problem: IslandProblem, h: number): void {
    this.kept.fill(0);
    for (let k = 0; k < this.#count; k++) this.kept[this.#id[k]] = problem.lambda[3 * this.#block[k]];
    for (const { row, link, other, wrench } of this.#loopRows) {
      const { articulation } = this.#member;
      const at = TRANSFORM * link + 9;
      const lambda = problem.lambda[3 * this.#block[row]];
      for (let k = 0; k < 6; k++) this.#wrench[k] = (wrench[k] * lambda) / h;
      this.#member.touch(link, articulation.pose, at, this.#wrench, 1);
      if (other >= 0) this.#member.touch(other, articulation.pose, at, this.#wrench, -1);
    }
  }

  /** Remembers the impulses as those at the start of a step. */
  mark(): void {
    this.#marked.set(this.kept);
  }

  /** Whether the impulses are those that were remembered. */
  get unchanged(): boolean {
    for (let k = 0; k < this.kept.length; k++) if (this.kept[k] !== this.#marked[k]) return false;
    return true;
  }

  /** Back to what was remembered. */
  undo(): void {
    this.kept.set(this.#marked);
  }

  /** For the projection of positions: offsets of limits; whether some are overstepped so far that they are to be removed. */
  overstep(problem: IslandProblem, h: number): boolean {
    const { q } = this.#member;
    let any = false;
    for (let k = 0, l = 0; k < this.#count; k++) {
      const block = this.#block[k];
      if (problem.kind[block] !== KIND_LIMIT) continue;
      const id = this.#id[k];
      // Rows of limits stand in the order of the limits.
      while (this.#limits[l].at !== id >> 1) l++;
      const { iq, lower, upper } = this.#limits[l];
      const gap = (id & 1) === 0 ? q[iq] - lower : upper - q[iq];
      problem.offset[3 * block] = recoveryOffset(gap, h);
      if (gap < -DEEP) any = true;
    }
    return any;
  }
}
