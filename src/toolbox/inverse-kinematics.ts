// Inverse kinematics: positions of the joints that meet tasks, by the method of Levenberg and Marquardt on the manifold of
// positions. Limits of the joints hold at every step: what would leave them stops at them, and stays there while the tasks push
// it outwards. Loops are closed before everything else, coupled joints follow their sources.

import { type Dynamics, dynamics } from '../dynamics/dynamics.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { Random } from '../mechanism/random.js';
import { State } from '../mechanism/state.js';
import { freeDofs, limitsOf } from './ik-freedoms.js';
import { type StepLevel, StepSolver } from './ik-step.js';
import { type IkTask, type Kinematics, LOOPS, loopRows, rowsOf, type TaskRows } from './ik-tasks.js';
import { checkNumbers } from './numbers.js';

/** How positions are searched for; all may be left out. */
export interface IkOptions {
  /** Positions to begin with, mechanism.nq numbers; the neutral ones (within the limits) where left out. */
  readonly start?: Float64Array;
  /** Tasks are met where what is left of them is less than this, metres and radians; 1e-9 where left out. */
  readonly tolerance?: number;
  /** Starts that are tried, at random places after the first, until one meets all tasks; 1 only follows the first. 100 where left out. */
  readonly starts?: number;
  /** Of the random starts. */
  readonly seed?: number;
  /** Steps from one start; 100 where left out. */
  readonly iterations?: number;
  /** Joints that may move; all where left out. */
  readonly joints?: readonly string[];
  /** Whether joints keep within their limits; true where left out. */
  readonly limits?: boolean;
}

/** How far a task is from being met. */
export interface IkTaskReport {
  readonly name: string;
  /** What is left, metres and radians. */
  readonly error: number;
  readonly met: boolean;
}

/** What inverse kinematics found: the best of its starts. */
export interface IkResult {
  /** Positions of the joints. */
  readonly q: Float64Array;
  /** Whether all tasks are met. */
  readonly converged: boolean;
  /** Steps, of all starts together, and the starts that were needed. */
  readonly iterations: number;
  readonly starts: number;
  /** The largest of the errors. */
  readonly error: number;
  /** In the order of their priorities, the loops of the mechanism first. */
  readonly tasks: readonly IkTaskReport[];
}

/** Positions that meet the tasks, or come nearest to it. For many solves of the same tasks take `new InverseKinematics`. */
export function inverseKinematics(mechanism: Mechanism, tasks: readonly IkTask[], options: IkOptions = {}): IkResult {
  return new InverseKinematics(mechanism, tasks, options).solve(options.start);
}

const ACCEPT = 0.3;
const REJECT = 6;
/** A start that has not halved what is left in so many steps is left for another. */
const PATIENCE = 6;
const POLISHING = 5;
/** What a priority counts beside the one before it, where a step is judged. */
const LOWER_PRIORITY = 1e-3;

/**
 * Inverse kinematics of the same tasks again and again: targets are read at every `solve`, which starts from the last result unless
 * told otherwise.
 */
export class InverseKinematics {
  readonly mechanism: Mechanism;
  readonly tasks: readonly IkTask[];
  readonly #door: Dynamics;
  readonly #state: State;
  readonly #tolerance: number;
  readonly #starts: number;
  readonly #iterations: number;
  readonly #random: Random;
  readonly #rows: readonly TaskRows[];
  readonly #levels: StepLevel[];
  readonly #kinematics: Kinematics;
  readonly #intoPoses: { readonly out: Float64Array };
  readonly #intoColumns: { readonly out: Float64Array };
  readonly #r: Float64Array;
  readonly #trial: Float64Array;
  readonly #J: Float64Array;
  readonly #packed: Float64Array;
  /** Degrees of freedom that may move, with the places of their positions where they have limits. */
  readonly #free: Int32Array;
  readonly #lower: Float64Array;
  readonly #upper: Float64Array;
  readonly #place: Int32Array;
  readonly #held: Uint8Array;
  readonly #columns: Int32Array;
  readonly #d: Float64Array;
  readonly #step: Float64Array;
  readonly #from: Float64Array;
  readonly #best: Float64Array;
  readonly #moving: readonly number[];
  readonly #solver: StepSolver;

  constructor(mechanism: Mechanism, tasks: readonly IkTask[], options: IkOptions = {}) {
    const { nv, bodies } = mechanism;
    if (tasks.length === 0) throw MechanismError.of('ik', '', 'There are no tasks: say what shall be reached.');
    this.mechanism = mechanism;
    this.tasks = tasks;
    this.#door = dynamics(mechanism);
    this.#state = new State(mechanism);
    this.#tolerance = options.tolerance ?? 1e-9;
    this.#starts = options.starts ?? 100;
    this.#iterations = options.iterations ?? 100;
    for (const [what, count, least] of [
      ['starts', this.#starts, 1],
      ['iterations', this.#iterations, 0],
    ] as const)
      if (!(count >= least)) throw MechanismError.of('ik', what, `Expected ${least} or more, got ${count}.`);
    if (!(this.#tolerance > 0))
      throw MechanismError.of('ik', 'tolerance', `Expected a positive number, got ${this.#tolerance}.`);
    this.#random = new Random(options.seed ?? 1);
    this.#kinematics = {
      mechanism,
      state: this.#state,
      poses: new Float64Array(12 * bodies.length),
      columns: new Float64Array(6 * nv),
    };
    this.#intoPoses = { out: this.#kinematics.poses };
    this.#intoColumns = { out: this.#kinematics.columns };
    const rows = tasks.map((task) => rowsOf(task, this.#kinematics));
    const loops = loopRows(this.#door, this.#kinematics);
    this.#rows = [...(loops === undefined ? [] : [loops]), ...rows].sort((a, b) => a.priority - b.priority);
    this.#levels = levelsOf(this.#rows);
    const count = this.#rows.reduce((sum, task) => sum + task.rows, 0);
    this.#free = freeDofs(mechanism, this.#rows, options.joints);
    const n = this.#free.length;
    const limits = limitsOf(mechanism, this.#free, options.limits !== false);
    this.#lower = limits.lower;
    this.#upper = limits.upper;
    this.#place = limits.place;
    this.#held = new Uint8Array(n);
    this.#columns = new Int32Array(n);
    this.#r = new Float64Array(count);
    this.#trial = new Float64Array(count);
    this.#J = new Float64Array(count * nv);
    this.#packed = new Float64Array(count * n);
    this.#d = new Float64Array(n);
    this.#step = new Float64Array(nv);
    this.#from = new Float64Array(mechanism.nq);
    this.#best = new Float64Array(mechanism.nq);
    this.#solver = new StepSolver(n, count);
    const moved = new Set(this.#free);
    this.#moving = mechanism.joints.flatMap(({ iv, model }, i) => {
      for (let k = 0; k < model.nv; k++) if (moved.has(iv + k)) return [i];
      return [];
    });
    this.#clamp();
  }

  /**
   * Positions that meet the tasks as they are now. `start`: where to begin; where the last solve ended where left out. `out`: what an
   * earlier solve of these tasks gave, to be filled again.
   */
  solve(start?: Float64Array, out: IkResult = this.#newResult()): IkResult {
    checkNumbers('out.q', out.q, this.#best.length);
    const { q } = this.#state;
    if (start !== undefined) {
      checkNumbers('start', start, q.length);
      q.set(start);
    }
    for (const { check } of this.#rows) check?.();
    this.#clamp();
    let iterations = 0;
    let least = Number.POSITIVE_INFINITY;
    let starts = 0;
    while (starts < this.#starts) {
      if (starts > 0) this.#scatter();
      starts++;
      iterations += this.#descend(starts < this.#starts);
      const merit = this.#merit(this.#r);
      if (!Number.isFinite(merit)) this.#refuseTarget();
      if (merit < least) {
        least = merit;
        this.#best.set(q);
      }
      if (this.#met(this.#r)) break;
    }
    q.set(this.#best);
    if (this.#levels.length > 1) iterations += this.#polish();
    return this.#report(iterations, starts, out);
  }

  #refuseTarget(): never {
    const off = this.#report(0, 0, this.#newResult()).tasks.find(({ error }) => !Number.isFinite(error));
    throw MechanismError.of('ik', off?.name ?? '', 'The target must be finite numbers, and a direction not zero.');
  }

  #newResult(): IkResult {
    const tasks = this.#rows.map(({ name }): IkTaskReport => ({ name, error: 0, met: false }));
    const q = new Float64Array(this.mechanism.nq);
    return { q, converged: false, iterations: 0, starts: 0, error: 0, tasks };
  }

  #report(iterations: number, starts: number, given: IkResult): IkResult {
    const out: Writable<IkResult> = given;
    this.#residual(this.#r);
    out.q.set(this.#state.q);
    out.error = 0;
    let at = 0;
    for (let k = 0; k < this.#rows.length; k++) {
      const { rows, weight } = this.#rows[k];
      let sum = 0;
      for (const end = at + rows; at < end; at++) sum += (this.#r[at] / weight) ** 2;
      const task: Writable<IkTaskReport> = out.tasks[k];
      task.error = Math.sqrt(sum);
      task.met = task.error <= this.#tolerance;
      out.error = Math.max(out.error, task.error);
    }
    out.converged = out.error <= this.#tolerance;
    out.iterations = iterations;
    out.starts = starts;
    return out;
  }

  /** Steps from the positions in the state. `others`: whether to leave early, as there are other starts. */
  #descend(others: boolean): number {
    const { q } = this.#state;
    const [r, trial] = [this.#r, this.#trial];
    let factor = 1;
    this.#residual(r);
    let merit = this.#merit(r);
    let watched = merit;
    for (let k = 0; k < this.#iterations; k++) {
      if (this.#met(r)) return k;
      if (others && k > 0 && k % PATIENCE === 0) {
        if (merit > watched / 4) return k;
        watched = merit;
      }
      this.#jacobian();
      this.#from.set(q);
      let gained = false;
      for (let attempt = 0; attempt < 10; attempt++) {
        if (this.#displace(factor)) {
          this.#residual(trial);
          const next = this.#merit(trial);
          if (next < merit) {
            gained = merit - next > 1e-14 * merit;
            merit = next;
            r.set(trial);
            factor *= ACCEPT;
            break;
          }
        }
        q.set(this.#from);
        factor *= REJECT;
      }
      if (!gained) {
        this.#residual(r);
        return k + 1;
      }
    }
    return this.#iterations;
  }

  /** Steps for all priorities but the last, while that one is left as it is: a compromise of tasks ends where rounding lets it. */
  #polish(): number {
    const { q } = this.#state;
    const r = this.#r;
    const last = this.#levels.at(-1)!;
    const upper = (): number => {
      this.#residual(r);
      r.fill(0, last.from, last.end);
      return this.#merit(r);
    };
    let merit = upper();
    for (let k = 0; k < POLISHING; k++) {
      this.#jacobian();
      this.#from.set(q);
      const next = this.#displace(0) ? upper() : Number.POSITIVE_INFINITY;
      if (next < merit) merit = next;
      else {
        q.set(this.#from);
        return k;
      }
    }
    return POLISHING;
  }

  #residual(r: Float64Array): void {
    this.#door.poses(this.#state, this.#intoPoses);
    let at = 0;
    for (const task of this.#rows) {
      task.residual(r, at);
      if (task.weight !== 1) for (let k = 0; k < task.rows; k++) r[at + k] *= task.weight;
      at += task.rows;
    }
  }

  #jacobian(): void {
    const { nv, couplings, joints } = this.mechanism;
    const J = this.#J;
    this.#door.jacobians(this.#state, this.#intoColumns);
    let at = 0;
    if (couplings.length > 0) J.fill(0);
    for (const task of this.#rows) {
      task.jacobian(J, at);
      if (task.weight !== 1) for (let k = at * nv; k < (at + task.rows) * nv; k++) J[k] *= task.weight;
      if (task.priority !== LOOPS)
        for (const { joint, source, multiplier } of couplings)
          for (let row = at; row < at + task.rows; row++)
            J[row * nv + joints[source].iv] += multiplier * J[row * nv + joints[joint].iv];
      at += task.rows;
    }
  }

  /** Moves q by one step; false where there is none. */
  #displace(factor: number): boolean {
    const { q } = this.#state;
    const { nv } = this.mechanism;
    const [J, r, packed, d, free, held] = [this.#J, this.#r, this.#packed, this.#d, this.#free, this.#held];
    const n = free.length;
    const rows = r.length;
    held.fill(0);
    for (const level of this.#levels) {
      let sum = 0;
      for (let k = level.from; k < level.end; k++) sum += r[k] * r[k];
      // Rows of lower priorities may depend on each other in what is left to them.
      level.lambda = factor * sum + (level.from === 0 ? 1e-16 : 1e-10);
    }
    for (let round = 0; round <= n; round++) {
      let count = 0;
      for (let k = 0; k < n; k++) if (held[k] === 0) this.#columns[count++] = k;
      if (count === 0) return false;
      for (let row = 0; row < rows; row++)
        for (let k = 0; k < count; k++) packed[row * n + k] = J[row * nv + free[this.#columns[k]]];
      if (!this.#solver.solve(d, packed, r, count, this.#levels)) return false;
      // What stands at a limit and would go beyond it stays.
      let more = false;
      for (let k = 0; k < count; k++) {
        const at = this.#columns[k];
        const place = this.#place[at];
        if (place < 0) continue;
        if ((q[place] <= this.#lower[at] && d[k] < 0) || (q[place] >= this.#upper[at] && d[k] > 0)) {
          held[at] = 1;
          more = true;
        }
      }
      if (more) continue;
      this.#step.fill(0);
      for (let k = 0; k < count; k++) this.#step[free[this.#columns[k]]] = d[k];
      break;
    }
    const { joints } = this.mechanism;
    for (const i of this.#moving) {
      const { model, iq, iv } = joints[i];
      model.integrate(q, iq, this.#step, iv, 1);
    }
    this.#clamp();
    return true;
  }

  /** Into the limits; followers go with their sources. */
  #clamp(): void {
    const { q } = this.#state;
    for (let k = 0; k < this.#free.length; k++) {
      const place = this.#place[k];
      if (place >= 0) q[place] = Math.min(Math.max(q[place], this.#lower[k]), this.#upper[k]);
    }
    this.#state.applyCouplings();
  }

  /** Random positions of the joints that may move. */
  #scatter(): void {
    const { joints } = this.mechanism;
    const other = State.random(this.mechanism, 1 + this.#random.below(2 ** 30));
    const { q } = this.#state;
    for (const i of this.#moving) {
      const { iq, model } = joints[i];
      for (let k = 0; k < model.nq; k++) q[iq + k] = other.q[iq + k];
    }
    for (let k = 0; k < this.#free.length; k++) {
      const place = this.#place[k];
      if (place < 0) continue;
      const low = Math.max(this.#lower[k], -Math.PI);
      const high = Math.min(this.#upper[k], Math.PI);
      if (low < high) q[place] = this.#random.between(low, high);
    }
    this.#clamp();
  }

  #merit(r: Float64Array): number {
    let total = 0;
    let weight = 1;
    for (const { from, end } of this.#levels) {
      let sum = 0;
      for (let k = from; k < end; k++) sum += r[k] * r[k];
      total += weight * sum;
      weight *= LOWER_PRIORITY;
    }
    return total;
  }

  #met(r: Float64Array): boolean {
    let at = 0;
    for (const { rows, weight } of this.#rows) {
      let sum = 0;
      for (let k = at; k < at + rows; k++) sum += r[k] * r[k];
      if (!(sum <= (this.#tolerance * weight) ** 2)) return false;
      at += rows;
    }
    return true;
  }
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

function levelsOf(rows: readonly TaskRows[]): StepLevel[] {
  const levels: { from: number; end: number; lambda: number; priority: number }[] = [];
  let at = 0;
  for (const { rows: count, priority } of rows) {
    const last = levels.at(-1);
    if (last?.priority === priority) last.end += count;
    else levels.push({ from: at, end: at + count, lambda: 0, priority });
    at += count;
  }
  return levels;
}
