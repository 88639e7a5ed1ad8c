// Makes a state obey its loop joints: velocities by the plastic impulse that the joints would give, positions by Newton's
// method, each step the small motion of least kinetic energy that closes the gaps to first order. Coupled joints stay coupled.

import { MechanismError, SimulationError } from '../../../mechanism/errors.js';
import type { State } from '../../../mechanism/state.js';
import type { Tree } from '../../../mechanism/tree.js';
import { type CoupledAbaScratch, coupledImpulse, createCoupledAba } from '../coupled-aba.js';
import { type AdaScratch, adaImpulse, createAda } from './ada.js';
import { type LoopScratch, updateLoops } from './loop-joint.js';
import { endToRootSchedule } from './orders.js';
import { loopForces, loopForcesOf } from './report.js';

/** Gaps (metres, radians) below this are closed. */
export const GAP_TOLERANCE = 1e-12;
/** Gaps (metres, radians) above this, of states that somebody gave, are mistakes. */
const LARGEST_GAP = 1e-3;
/** Forbidden velocities that may remain, as a part of those there were. */
const SLIP_TOLERANCE = 1e-6;
const MAX_ITERATIONS = 30;

/**
 * Where an engine has it: change <- the motion of least kinetic energy with J change = -broken at the positions q, `broken` by
 * loops and their constraints. False where only the algorithms of this folder can say.
 */
export type LoopImpulse = (q: Float64Array, broken: readonly Float64Array[], change: Float64Array) => boolean;

export class LoopClosing {
  readonly #still: Tree;
  /** One of them: assembly, or columns where joints are coupled. */
  readonly #ada: AdaScratch | undefined;
  readonly #coupled: CoupledAbaScratch | undefined;
  readonly #loops: LoopScratch;
  readonly #accelerations: Float64Array;
  readonly #change: Float64Array;
  readonly #zero: Float64Array;
  readonly #impulse: LoopImpulse | undefined;

  constructor(tree: Tree, impulse?: LoopImpulse) {
    this.#impulse = impulse;
    this.#still = { ...tree, gravity: [0, 0, 0] };
    if (tree.mechanism.couplings.length === 0) this.#ada = createAda(tree, endToRootSchedule(tree));
    else this.#coupled = createCoupledAba(tree);
    this.#loops = (this.#ada ?? this.#coupled!.closed)!.loops;
    this.#accelerations = (this.#ada ?? this.#coupled!).aba.a;
    this.#change = new Float64Array(tree.mechanism.nv);
    this.#zero = new Float64Array(tree.mechanism.nv);
  }

  /** The largest gap of all loops, metres or radians. */
  gap(state: State): number {
    return this.#broken(state, 'position');
  }

  /** The largest forbidden velocity of all loops. */
  slip(state: State): number {
    return this.#broken(state, 'velocity');
  }

  #broken({ q, v }: State, level: 'position' | 'velocity'): number {
    updateLoops(this.#still, this.#loops, level, this.#accelerations, q, v);
    let largest = 0;
    for (const beta of this.#loops.beta) for (const value of beta) largest = Math.max(largest, Math.abs(value));
    return largest;
  }

  /**
   * Changes v so that the loops hold, by the impulse that plastic contact in their joints gives. `impulses`, if given, gets six
   * numbers for each loop joint: its impulse on body b, at that body's origin, body coordinates.
   */
  hold(state: State, impulses?: Float64Array): void {
    const before = this.slip(state);
    this.#solve(state, 'velocity', impulses !== undefined);
    for (let k = 0; k < this.#change.length; k++) state.v[k] += this.#change[k];
    const slip = this.slip(state);
    if (!(slip <= SLIP_TOLERANCE * (1 + before)))
      throw new SimulationError(
        'open-loop',
        `The loop joints cannot all hold at time ${state.time}: they contradict each other, and a velocity of ${slip.toPrecision(3)} remains.`,
        { time: state.time },
      );
    if (impulses === undefined) return;
    if (this.#ada !== undefined) loopForces(this.#ada, impulses);
    else loopForcesOf(this.#still, this.#loops, this.#coupled!.closed!.lambda, impulses);
  }

  /** Changes q until the gaps are closed; returns the largest gap there was. */
  close(state: State): number {
    const first = this.gap(state);
    let gap = first;
    for (let k = 0; k < MAX_ITERATIONS && gap > GAP_TOLERANCE; k++) {
      this.#solve(state, 'position');
      for (const { model, iq, iv } of state.mechanism.joints) model.integrate(state.q, iq, this.#change, iv, 1);
      state.applyCouplings();
      const next = this.gap(state);
      // Rounding is all that is left once a step does not gain any more.
      if (next > gap / 2 && next < 1e3 * GAP_TOLERANCE) return first;
      gap = next;
    }
    if (!(gap < 1e3 * GAP_TOLERANCE))
      throw new SimulationError(
        'open-loop',
        `The loops cannot be closed from this state: a gap of ${gap.toPrecision(3)} (metres or radians) remains.`,
        { time: state.time },
      );
    return first;
  }

  /** Closes the loops of a state that somebody gave, `where` in messages, and makes its velocities fit; wide gaps are refused. */
  closeGiven(state: State, where: string): void {
    const gap = this.gap(state);
    if (gap > LARGEST_GAP)
      throw MechanismError.of(
        'gap',
        where,
        `The loops are open by ${gap.toPrecision(3)} (metres or radians) at the start; give a state that closes them.`,
      );
    this.close(state);
    this.hold(state);
  }

  /** After #broken of the same state and level. `forces`: those in the loop joints are wanted, too. */
  #solve({ q, v, time }: State, level: 'position' | 'velocity', forces = false): void {
    if (!forces && this.#impulse?.(q, this.#loops.beta, this.#change) === true) return;
    const status =
      this.#ada !== undefined
        ? adaImpulse(this.#still, this.#ada, level, this.#change, q, v, this.#zero)
        : coupledImpulse(this.#still, this.#coupled!, level, this.#change, q, v, this.#zero);
    if (status === -1) return;
    throw new SimulationError(
      'open-loop',
      `The loop joints cannot hold at time ${time}: the inertia beyond a joint is singular.`,
      { time },
    );
  }
}
