// What is told of a run: energies, contacts, and a hash over all its states.

import type { World } from '../simulation/world/world.js';
import { hashText, StateHash } from './state-hash.js';

/** Residuals above this are counted as unsolved. */
const SOLVED = 1e-8;

/** How a run went so far: plain data that a checkpoint can keep. */
export interface RunFigures {
  steps: number;
  /** Joules: at the start, the least so far, and the largest rise above the least before it. */
  energyStart: number;
  energyLeast: number;
  largestGain: number;
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

  constructor(world: World) {
    const { total } = world.energy();
    this.figures = {
      steps: 0,
      energyStart: total,
      energyLeast: total,
      largestGain: 0,
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
    const { total } = world.energy();
    const { residual, contacts, depth } = world.report;
    figures.steps++;
    figures.energyLeast = Math.min(figures.energyLeast, total);
    figures.largestGain = Math.max(figures.largestGain, total - figures.energyLeast);
    figures.mostContacts = Math.max(figures.mostContacts, contacts);
    figures.deepest = Math.max(figures.deepest, depth);
    figures.residual = Math.max(figures.residual, residual);
    if (residual > SOLVED) figures.unsolved++;
    this.#hash.halves = figures.hash;
    for (const { state } of world.members) {
      this.#hash.add(state.q);
      this.#hash.add(state.v);
    }
    figures.hash = this.#hash.halves;
  }

  /** Sixteen hexadecimal digits over q and v of all steps. */
  get hash(): string {
    return hashText(this.figures.hash);
  }
}
