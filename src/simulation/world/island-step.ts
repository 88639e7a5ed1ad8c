// A step of one island: bodies that contacts join. It is computed in one of three ways:
//
//   half way   nothing new is touched: velocities, forces and contacts at the pose half way, the mean velocity moves the bodies
//              (Moreau's midpoint step), which keeps the energy of what swings, rolls and slides
//   resting    nothing moves: half way is here
//   landing    something is about to touch: contacts at the start, gap / h is the fastest that they may close, and the new
//              velocity moves the bodies, so that they touch without entering each other. Energy is lost, never gained
//
// The ledger then looks at the energy. Where it had to be set right by too much, the step is to be taken again in halves.
//
// What rests on the ground slower than the accuracy of the solution stops.
//
// Restitution is for the first way: bodies bounce where they would touch half way, and the mean velocity takes them back out.
// Penetration is removed afterwards by a motion without friction whose velocity is not kept.
//
// Nothing but the island itself decides about its numbers: whoever computes it, and what was computed before, changes no bit.

import { TOLERANCE } from '../../contact/solver/impulse-solvers.js';
import { type IslandLink, IslandProblem } from '../../contact/solver/island-problem.js';
import { KIND_CONTACT } from '../../contact/solver/kernel/layout.js';
import { grown } from '../../contact/solver/problem.js';
import { OPEN, SLIDE, STICK } from '../../contact/solver/sweeps.js';
import { SimulationError } from '../../mechanism/errors.js';
import type { Vec3 } from '../../spatial/matrix3.js';
import type { Detection } from './detection.js';
import { type Doings, IslandLedger } from './island-ledger.js';
import { type IslandReport, IslandSolve } from './island-solve.js';
import type { Island } from './islands.js';
import type { Member } from './member.js';
import { hasNumbers, nonFiniteError } from './non-finite.js';
import { DEEP, RECOVERY_SPEED, recoveryOffset, SLOP } from './recovery.js';
import { addSpin, keepSpin } from './spin.js';
import type { ShapePair } from './world-shape.js';

/** Contacts that are open and approach slower than this (m/s) have no friction yet. */
const SLOW = 0.1;
/** Nothing moves further than this (m, rad) in a step: resting. */
const STILL = 1e-8;
/** Velocities of what rests that are errors of the solution: this part of those that residuals are relative to. */
const AT_REST = 2e-8;
/** A part of all velocities to which the recovery of positions is solved. */
const RECOVERY_TOLERANCE = 1e-6;

/** Times that motors at their limit are looked for. */
const MOST_ROUNDS = 3;

/** What is common to all islands of a step. */
export interface StepSetting {
  readonly gravity: Vec3;
  /** Its length. */
  readonly g: number;
  /** Length of the step and when it begins, seconds. */
  readonly h: number;
  readonly time: number;
  /** Whether it will not be taken in halves once more. */
  readonly last: boolean;
}

export class IslandStep {
  readonly #detection: Detection;
  readonly #problem = new IslandProblem();
  /** One for each island, by its first member, so that structures are kept from step to step. */
  readonly #solvers = new Map<number, IslandSolve>();
  /** Mean velocities of the step, and those of the rows. */
  #mean = new Float64Array(64);
  #meanU = new Float64Array(64);
  readonly #ledger = new IslandLedger();
  /** First block of each pair. */
  #first = new Int32Array(16);
  /** Number of each member in its island. */
  #placeOf = new Int32Array(16);
  /** Of the last island; undefined where nothing could act on it. */
  report: IslandReport | undefined;

  constructor(detection: Detection) {
    this.#detection = detection;
  }

  /** A step of an island; false where it should be taken in halves. */
  advance(island: Island, { gravity, g, h, time, last }: StepSetting): boolean {
    const { members, rows, pairs } = island;
    const solver = this.#solverOf(island);
    this.report = undefined;
    const ledger = this.#ledger;
    ledger.begin(members, gravity);
    const landing = isLanding(island, h, g);
    let bound = pairs.length > 0;
    for (let k = 0; k < rows.length; k++) bound ||= rows[k].always;
    if (!landing && isMoving(members, h)) {
      for (let k = 0; k < members.length; k++) members[k].goHalfWay(h);
      this.#detection.update(pairs, h, g);
    }
    this.#predict(solver, island, h, gravity, time);
    const doings = bound ? this.#solve(solver, island, h, g, landing) : fly(members, h, landing);
    if (!areNumbers(members, time, last)) return false;
    if (!settled(members, last)) return false;
    if (members.some(({ paced }) => paced)) {
      ledger.scale = 1;
      ledger.moved = false;
    } else if (!ledger.end(members, gravity, h, doings, last)) return false;
    for (let k = 0; k < members.length; k++) {
      members[k].scale = ledger.scale;
      members[k].arrive(ledger.moved);
    }
    // Velocities may be numbers, and their squares, which scale them, none.
    return areNumbers(members, time, last);
  }

  #solverOf({ numbers }: Island): IslandSolve {
    const known = this.#solvers.get(numbers[0]);
    if (known !== undefined) return known;
    const solver = new IslandSolve();
    this.#solvers.set(numbers[0], solver);
    return solver;
  }

  /**
   * Velocities of an island at the end of the step without contacts; its mass matrices are factorised on the way. Half way, velocity
   * terms are those of the mean velocity, by a second evaluation.
   */
  #predict(solver: IslandSolve, { members, articulations }: Island, h: number, gravity: Vec3, time: number): void {
    const problem = this.#problem;
    problem.begin(articulations);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      for (let m = 0; m < members.length; m++) members[m].assemble(h, round === 0);
      if (!solver.begin(problem)) {
        const { name } = members.find(({ articulation }) => !articulation.factorise()) ?? members[0];
        const message = `The mass matrix of "${name}" is singular at time ${time}: a joint feels no inertia.`;
        throw new SimulationError('singular', message, { time });
      }
      solver.predict(problem, members, h, gravity);
      if (members[0].halfWay) {
        for (let m = 0; m < members.length; m++) members[m].takeMean(problem.free, problem.firstVelocity[m]);
        solver.predictAgain(problem, members, h, gravity);
      }
      for (let m = 0; m < members.length; m++) members[m].takePrediction(problem.free, problem.firstVelocity[m]);
      let saturated = false;
      for (const member of members) saturated = member.saturate(h) || saturated;
      if (!saturated) break;
    }
  }

  #solve(solver: IslandSolve, island: Island, h: number, g: number, landing: boolean): Doings {
    const problem = this.#problem;
    const { members, articulations, rows, pairs } = island;
    const reach = landing ? h : h / 2;
    problem.scale = Math.max(g * h, 1e-9);
    this.#addPairs(problem, island, h, g, reach, landing);
    for (let k = 0; k < rows.length; k++) rows[k].add(problem, k, h, reach, SLOP);
    if (problem.blocks === 0) {
      for (let k = 0; k < members.length; k++) rows[k].keep(problem, h);
      this.report = { members: members.length, contacts: 0, residual: 0, iterations: 0, solver: 'warm' };
      return fly(members, h, landing);
    }
    const { residual, iterations, solver: name } = solver.solve(problem, articulations);
    const { change } = problem;
    const touched = keepImpulses(problem, pairs, this.#first, h, solver.accepted);
    for (let k = 0; k < members.length; k++) {
      const { v, predicted } = members[k];
      const o = problem.firstVelocity[k];
      for (let j = 0; j < v.length; j++) v[j] = predicted[j] + change[o + j];
      rows[k].keep(problem, h);
    }
    if (!landing && touched === BY_GROUND && residual <= TOLERANCE && isRigid(pairs))
      stopAtRest(members, AT_REST * problem.scale);
    let work = this.#workOfRows(solver, problem, members);
    let pushed = touched === BY_GROUND;
    for (let k = 0; k < members.length; k++) {
      pushed ||= members[k].pushed;
      work += members[k].work(h);
      members[k].finish(h, landing);
    }
    let contacts = 0;
    for (let p = 0; p < pairs.length; p++) contacts += pairs[p].count;
    this.report = { members: members.length, contacts, residual, iterations, solver: name };
    this.#recover(solver, problem, island, h);
    return { work, touched: landing || touched !== UNTOUCHED, pushed };
  }

  /**
   * Work of all rows, the impulses acting at the mean velocities. Contacts, limits and dry friction only ever take energy, and what
   * must hold always does no work: where the length of the step makes it seem otherwise, it is not booked.
   */
  #workOfRows(solver: IslandSolve, problem: IslandProblem, members: readonly Member[]): number {
    const { blocks, kind, mu, lambda, compliance, velocities } = problem;
    this.#mean = grown(this.#mean, velocities);
    this.#meanU = grown(this.#meanU, 3 * blocks);
    const mean = this.#mean;
    const u = this.#meanU;
    for (let k = 0; k < members.length; k++) {
      const { v, v0 } = members[k];
      const o = problem.firstVelocity[k];
      for (let j = 0; j < v.length; j++) mean[o + j] = 0.5 * (v0[j] + v[j]);
    }
    solver.motion(problem, mean, u);
    let [work, springs] = [0, 0];
    for (let c = 0; c < blocks; c++) {
      if (kind[c] !== KIND_CONTACT && mu[c] === Number.POSITIVE_INFINITY) continue;
      for (let k = 3 * c; k < 3 * c + 3; k++) work += lambda[k] * u[k];
      if (compliance[c] === 0) continue;
      // What gave way comes back.
      work -= lambda[3 * c] * u[3 * c];
      springs += lambda[3 * c] * u[3 * c];
    }
    return springs + Math.min(0, work);
  }

  /** Adds all contacts. */
  #addPairs(problem: IslandProblem, island: Island, h: number, g: number, reach: number, landing: boolean): void {
    this.#first = grown(this.#first, island.pairs.length);
    const { numbers } = island;
    const placeOf = grown(this.#placeOf, numbers[numbers.length - 1] + 1);
    this.#placeOf = placeOf;
    for (let k = 0; k < numbers.length; k++) placeOf[numbers[k]] = k;
    for (let p = 0; p < island.pairs.length; p++) {
      const { a, b, count, position, frame, gap, approach, impulse, friction, restitution, compliance, relaxation } =
        island.pairs[p];
      this.#first[p] = problem.blocks;
      if (count === 0) continue;
      sideA.member = a.node < 0 ? -1 : placeOf[a.memberIndex];
      sideA.link = a.link;
      sideB.member = b.node < 0 ? -1 : placeOf[b.memberIndex];
      sideB.link = b.link;
      // Where some points touch and others are about to, all of them close to the nearest: gaps of a face stay those of a plane, so that
      // what is asked of its corners does not contradict itself. Where the others stay away, to close gaps of a nanometre between those
      // that touch may be what other contacts forbid.
      let nearest = Number.POSITIVE_INFINITY;
      let closing = false;
      for (let k = 0; k < count; k++) {
        nearest = Math.min(nearest, gap[k]);
        closing ||= gap[k] > 2 * SLOP && gap[k] + reach * (approach[k] - g * h) < 2 * SLOP;
      }
      const mixed = closing && nearest <= 2 * SLOP;
      const touching = mixed ? nearest : SLOP;
      for (let k = 0; k < count; k++) {
        const open = gap[k] > 2 * SLOP;
        const slow = approach[k] > -SLOW - g * h;
        const c = problem.addContact(sideA, sideB, open && slow ? 0 : friction, position, 3 * k, frame, 9 * k);
        const bounces = !landing && restitution > 0 && gap[k] <= 0 && approach[k] < -bounceSpeed(g, h);
        problem.offset[3 * c] = bounces ? restitution * approach[k] : open || mixed ? (gap[k] - touching) / reach : 0;
        if (compliance > 0) {
          // A spring and a damper at the end of the step: lambda = -h (gap + (reach + relaxation) u) / compliance.
          problem.compliance[c] = compliance / (h * (reach + relaxation));
          problem.offset[3 * c] = gap[k] / (reach + relaxation);
        }
        for (let d = 0; d < 3; d++) {
          const f = 9 * k + 3 * d;
          problem.lambda[3 * c + d] =
            frame[f] * impulse[3 * k] + frame[f + 1] * impulse[3 * k + 1] + frame[f + 2] * impulse[3 * k + 2];
        }
      }
      addSpin(problem, island.pairs[p], this.#first[p], sideA, sideB);
    }
  }

  /** Moves bodies out of each other: the smallest motion (in the sense of the mass matrix) without friction, not kept as velocity. */
  #recover(solver: IslandSolve, problem: IslandProblem, { members, rows, pairs }: Island, h: number): void {
    let any = false;
    const { blocks, offset, mu, kind } = problem;
    offset.fill(0, 0, 3 * blocks);
    for (let p = 0; p < pairs.length; p++) {
      const { count, gap, approach, compliance } = pairs[p];
      for (let k = 0; k < count; k++) {
        // What bounces or gives way comes out by itself.
        const inside = gap[k] < -SLOP && approach[k] > -SLOW && compliance === 0;
        offset[3 * (this.#first[p] + k)] = inside ? recoveryOffset(gap[k], h) : Math.max(0, gap[k]) / h;
        any ||= inside && gap[k] < -DEEP;
      }
    }
    for (const own of rows) any = own.overstep(problem, h) || any;
    if (!any) return;
    problem.free.fill(0, 0, problem.velocities);
    problem.lambda.fill(0, 0, 3 * blocks);
    for (let c = 0; c < blocks; c++) if (kind[c] === KIND_CONTACT || mu[c] < Number.POSITIVE_INFINITY) mu[c] = 0;
    problem.scale = RECOVERY_SPEED;
    solver.again(problem, RECOVERY_TOLERANCE);
    const { lambda, u, change } = problem;
    // Jammed bodies may need a large motion elsewhere: no more of it than the whole island would have at that speed.
    let energy = 0;
    for (let k = 0; k < 3 * blocks; k++) energy += 0.5 * lambda[k] * (u[k] - offset[k]);
    let mass = 0;
    for (const { articulation } of members) mass += articulation.mass;
    const most = 0.5 * mass * RECOVERY_SPEED * RECOVERY_SPEED;
    const part = energy > most ? Math.sqrt(most / energy) : 1;
    members.forEach(({ articulation, state }, k) => {
      const o = problem.firstVelocity[k];
      articulation.integrate(state.q, change.subarray(o, o + articulation.nv), part * h);
    });
  }
}

/** Whether positions and velocities are numbers; only the `last` resort fails. */
function areNumbers(members: readonly Member[], time: number, last: boolean): boolean {
  for (let k = 0; k < members.length; k++)
    if (!hasNumbers(members[k])) {
      if (!last) return false;
      throw nonFiniteError(members[k], time);
    }
  return true;
}

/** Whether the loops of the members could be closed where the step ended; a shorter step may, so only the `last` resort fails. */
function settled(members: readonly Member[], last: boolean): boolean {
  try {
    for (const member of members) member.settle();
    return true;
  } catch (error) {
    if (last || !(error instanceof SimulationError)) throw error;
    return false;
  }
}

/** A step of members that nothing touches. */
function fly(members: readonly Member[], h: number, landing: boolean): Doings {
  let work = 0;
  let pushed = false;
  for (const member of members) {
    member.v.set(member.predicted);
    work += member.work(h);
    pushed ||= member.pushed;
    member.finish(h, landing);
  }
  return { work, touched: landing, pushed };
}

const sideA: IslandLink = { member: -1, link: -1 };
const sideB: IslandLink = { member: -1, link: -1 };

/** Slower than this nothing bounces: gravity alone brings bodies to such speeds within a step. */
function bounceSpeed(g: number, h: number): number {
  return 2 * g * h + 1e-3;
}

/** Whether a contact closes in this step that neither bounces nor gives way, or a joint runs into its limit. */
export function isLanding({ pairs, rows }: Island, h: number, g: number): boolean {
  for (let p = 0; p < pairs.length; p++) {
    const { count, gap, approach, restitution, compliance } = pairs[p];
    if (compliance > 0) continue;
    for (let k = 0; k < count; k++) {
      if (restitution > 0 && approach[k] < -bounceSpeed(g, h)) continue;
      if (h * approach[k] < -SLOP && gap[k] + h * (approach[k] - g * h) < SLOP) return true;
    }
  }
  for (let k = 0; k < rows.length; k++) if (rows[k].landing(h, SLOP)) return true;
  return false;
}

/** Whether something moves further than what counts as resting. */
function isMoving(members: readonly Member[], h: number): boolean {
  for (let m = 0; m < members.length; m++) {
    const { v0 } = members[m];
    for (let k = 0; k < v0.length; k++) if (Math.abs(v0[k]) * h > STILL) return true;
  }
  return false;
}

/** Velocities of members that did not move and are left alone are zero, if none is faster than `slowest`. */
function stopAtRest(members: readonly Member[], slowest: number): void {
  for (let m = 0; m < members.length; m++) {
    const { v, v0, halfWay, leftAlone } = members[m];
    if (halfWay || !leftAlone) return;
    for (let k = 0; k < v.length; k++) if (!(Math.abs(v[k]) <= slowest && Math.abs(v0[k]) <= slowest)) return;
  }
  for (let m = 0; m < members.length; m++) members[m].v.fill(0);
}

/** Whether no point gives way, which takes its time. */
function isRigid(pairs: readonly ShapePair[]): boolean {
  for (let p = 0; p < pairs.length; p++) if (pairs[p].compliance > 0) return false;
  return true;
}

const wrench = new Float64Array(6);

/** Who an island is touched by. */
const UNTOUCHED = 0;
const BY_EACH_OTHER = 1;
const BY_GROUND = 2;

/** Impulses of the points in ground axes, and what each point does; who touched whom. */
function keepImpulses(
  problem: IslandProblem,
  pairs: readonly ShapePair[],
  first: Int32Array,
  h: number,
  accepted: boolean,
): number {
  const { lambda, u, mu, scale } = problem;
  let touched = UNTOUCHED;
  for (let p = 0; p < pairs.length; p++) {
    const { a, b, count, impulse, moment, frame, mode, position } = pairs[p];
    for (let k = 0; k < count; k++) {
      const c = first[p] + k;
      const o = 3 * c;
      // Those that were right already stay, to the bit.
      if (!accepted) {
        for (let j = 0; j < 3; j++) {
          const f = 9 * k + j;
          impulse[3 * k + j] = frame[f] * lambda[o] + frame[f + 3] * lambda[o + 1] + frame[f + 6] * lambda[o + 2];
        }
        keepSpin(problem, pairs[p], first[p], k);
      }
      const normal = lambda[o];
      const slip = Math.sqrt(u[o + 1] * u[o + 1] + u[o + 2] * u[o + 2]);
      const friction = Math.sqrt(lambda[o + 1] * lambda[o + 1] + lambda[o + 2] * lambda[o + 2]);
      // On the cone and moving; a contact at the brink that does not move sticks.
      const slides = friction >= mu[c] * normal * (1 - 1e-6) && slip > 1e-8 * scale;
      mode[k] = normal <= 0 ? OPEN : slides ? SLIDE : STICK;
      if (!(normal > 0)) continue;
      touched = Math.max(touched, a.node < 0 || b.node < 0 ? BY_GROUND : BY_EACH_OTHER);
      for (let j = 0; j < 3; j++) {
        wrench[j] = moment[3 * k + j] / h;
        wrench[3 + j] = impulse[3 * k + j] / h;
      }
      if (a.member !== undefined) a.member.touch(a.link, position, 3 * k, wrench, 1);
      if (b.member !== undefined) b.member.touch(b.link, position, 3 * k, wrench, -1);
    }
  }
  return touched;
}
