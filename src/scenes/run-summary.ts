// What is told of a run: energies, contacts, and a hash over all its states.

import type { World } from '../simulation/world/world.js';

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
  #numbers = new Float64Array(64);
  #words = new Int32Array(this.#numbers.buffer);

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
      hash: [0x811c9dc5 | 0, 0x2545f491],
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
    for (const { state } of world.members) {
      this.#add(state.q);
      this.#add(state.v);
    }
  }

  /** Sixteen hexadecimal digits over q and v of all steps. */
  get hash(): string {
    return this.figures.hash.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }

  /** FNV-1a over the words of the numbers, twice, with different multipliers. */
  #add(values: Float64Array): void {
    if (values.length > this.#numbers.length) {
      this.#numbers = new Float64Array(2 * values.length);
      this.#words = new Int32Array(this.#numbers.buffer);
    }
    this.#numbers.set(values);
    let [a, b] = this.figures.hash;
    for (let k = 0; k < 2 * values.length; k++) {
      a = Math.imul(a ^ this.#words[k], 0x01000193);
      a ^= a >>> 15;
      b = Math.imul(b ^ this.#words[k], 0x9e3779b1 | 0);
      b ^= b >>> 13;
    }
    this.figures.hash = [a, b];
  }
}
