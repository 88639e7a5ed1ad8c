// What is told of a run: energies, contacts, and a hash over all its states.

import { SimulationError } from '../mechanism/errors.js';
import type { World } from '../simulation/world/world.js';
import { hashText, StateHash } from './state-hash.js';

/** Residuals above this are counted as unsolved. */
const SOLVED = 1e-8;

/** Of the most kinetic energy there was: what nothing drives may not gain more. */
const GAIN = 1e-3;
/** The same of what gravity gives in a step: slower than that the ledger books nothing. */
const UNBOOKED = 1e-2;
/** Gains below this part of the energy are rounding. */
const ROUNDING = 1e-9;

/** How a run went so far: plain data that a checkpoint can keep. */
export interface RunFigures {
  steps: number;
  /** Joules: at the start, the least so far, and the largest rise above the least before it. */
  energyStart: number;
  energyLeast: number;
  largestGain: number;
  /** The most kinetic energy. */
  kineticMost: number;
  mostContacts: number;
  deepest: number;
  residual: number;
  unsolved: number;
  /** Two halves of the hash. */
  hash: [number, number];
}

/** Keeps the figures of a run; look at the world after every step. */
export class RunSummary {
  figures: RunFigures;
  readonly #hash = new StateHash();
  readonly #driven: boolean;
  /** Newtons, and the longest way from a base (m): how much energy a position that is off by a metre, or a radian, is at most. */
  readonly #weight: number;
  readonly #reach: number;
  readonly #bodies: number;
  /** Joules that it takes at most to bring joints back that began beyond their limits. */
  readonly #toLimits: number;
  /** Joules that gravity gives a body that falls from rest in one step. */
  readonly #oneStep: number;

  /** `driven`: motors, pushes or changes of structure may do work. What nothing drives must not gain energy. */
  constructor(world: World, { driven = true }: { readonly driven?: boolean } = {}) {
    const { total, kinetic } = world.energy();
    this.#driven = driven;
    let [mass, reach, bodies, beyond] = [0, 0, 0, 0];
    for (const { articulation, state } of world.members) {
      const { joints } = articulation.mechanism;
      mass += articulation.mass;
      reach = Math.max(
        reach,
        joints.reduce((sum, { t }) => sum + Math.hypot(...t), 0),
      );
      bodies += joints.length;
      for (const { model, iq, limits } of joints) {
        const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = limits;
        if (model.nv === 1) beyond += Math.max(0, lower - state.q[iq], state.q[iq] - upper);
      }
    }
    this.#weight = mass * Math.hypot(...world.gravity);
    this.#reach = reach;
    this.#bodies = bodies;
    this.#oneStep = 0.5 * mass * (Math.hypot(...world.gravity) * world.stepSize) ** 2;
    this.#toLimits = this.#weight * Math.max(1, reach) * beyond;
    this.figures = {
      steps: 0,
      energyStart: total,
      energyLeast: total,
      largestGain: 0,
      kineticMost: kinetic,
      mostContacts: 0,
      deepest: 0,
      residual: 0,
      unsolved: 0,
      hash: [...this.#hash.halves],
    };
  }

  /** After a step. */
  look(world: World): void {
    const { figures } = this;
    const { total, kinetic } = world.energy();
    const { residual, contacts, depth } = world.report;
    figures.steps++;
    figures.energyLeast = Math.min(figures.energyLeast, total);
    figures.largestGain = Math.max(figures.largestGain, total - figures.energyLeast);
    figures.kineticMost = Math.max(figures.kineticMost, kinetic);
    figures.mostContacts = Math.max(figures.mostContacts, contacts);
    figures.deepest = Math.max(figures.deepest, depth);
    figures.residual = Math.max(figures.residual, residual);
    if (residual > SOLVED) figures.unsolved++;
    if (!this.#driven) this.#refuseGain(world, total);
    this.#hash.halves = figures.hash;
    for (const { state } of world.members) {
      this.#hash.add(state.q);
      this.#hash.add(state.v);
    }
    figures.hash = this.#hash.halves;
  }

  /**
   * Bodies that began inside of each other are lifted out, by no more than all of them by the deepest of these depths; joints that
   * began beyond their limits are moved back.
   */
  #refuseGain({ time, stepSize }: World, total: number): void {
    const { largestGain, kineticMost, deepest } = this.figures;
    const rounding = ROUNDING * (Math.abs(total) + this.#weight * this.#reach);
    const rise = rounding + Math.max(GAIN * kineticMost, UNBOOKED * this.#oneStep) + this.#toLimits;
    if (largestGain <= rise + this.#bodies * this.#weight * deepest) return;
    throw new SimulationError(
      'energy',
      `The energy grew by ${largestGain.toPrecision(3)} J without a cause until time ${Number(time.toPrecision(9))}. Take a step below ${stepSize} s.`,
      { time },
    );
  }

  /** Sixteen hexadecimal digits over q and v of all steps. */
  get hash(): string {
    return hashText(this.figures.hash);
  }
}
