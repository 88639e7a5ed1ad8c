// Runge-Kutta steps of a mechanism that stays spread: every rank moves its own joints, and nobody is told of them but by the
// records of forward dynamics. The numbers are those of PlainStages (engines/plain/stages.ts), joint by joint.

import { RUNGE_KUTTA_4 } from '../../formulas/runge-kutta.js';
import { SimulationError } from '../../mechanism/errors.js';
import type { Joint, Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { reduceAngles } from '../plain/large-angles.js';
import { addDamping, addSprings } from '../plain/passive.js';
import type { OwnedRanges } from './messages.js';
import type { RankPart } from './spread-dynamics.js';

/** Two halves of a hash over all values that a coordinate has had. */
const [FIRST, SECOND] = [0x01000193, 0x9e3779b1 | 0];

/** Made by `simulate` of `mpi()`. All ranks make the same calls. */
export class SpreadSteps {
  /** Of this rank's joints what they are now; of others what `gather` has told last. */
  readonly state: State;
  readonly #part: RankPart;
  readonly #own: OwnMechanism;
  readonly #rates: readonly Float64Array[];
  readonly #accelerations: readonly Float64Array[];
  readonly #u: Float64Array;
  /** Of q, then of v. */
  readonly #hashes: Int32Array;

  constructor(state: State, part: RankPart) {
    const { mechanism } = state;
    const { nq, nv } = mechanism;
    const vectors = (): Float64Array[] => RUNGE_KUTTA_4.A.map(() => new Float64Array(nv));
    this.state = state.clone();
    this.#part = part;
    this.#own = ownMechanism(mechanism, part.owned);
    this.#rates = vectors();
    this.#accelerations = vectors();
    this.#u = new Float64Array(nv);
    this.#hashes = new Int32Array(2 * (nq + nv)).fill(7);
  }

  /** A step of the classical method, fourth order. */
  step(h: number): void {
    const { state } = this;
    const { A, B } = RUNGE_KUTTA_4;
    const [rates, u] = [this.#rates, this.#u];
    const { q, v } = this.#part.arrays;
    this.#load(state.q, state.v);
    for (const [at, count] of this.#own.ranges.v) rates[0].set(state.v.subarray(at, at + count), at);
    this.#accelerate(0);
    for (let s = 1; s < A.length; s++) {
      this.#move(A[s], s, h, q, v);
      this.#accelerate(s);
      for (const { model, iv } of this.#own.joints) model.localRate(rates[s], iv, u, iv, v, iv);
    }
    this.#move(B!, B!.length, h, q, v);
    for (const [at, count] of this.#own.ranges.q) state.q.set(q.subarray(at, at + count), at);
    for (const [at, count] of this.#own.ranges.v) state.v.set(v.subarray(at, at + count), at);
    state.time += h;
    this.#fold();
  }

  /** The whole state on every rank; an error on all of them where something has gone wrong anywhere. */
  gather(): void {
    const { state } = this;
    this.#load(state.q, state.v);
    this.#part.gatherState();
    state.q.set(this.#part.arrays.q);
    state.v.set(this.#part.arrays.v);
    reduceAngles(state.mechanism, state.q);
    for (const [i, { iq, iv, model, name }] of state.mechanism.joints.entries()) {
      let good = true;
      for (let k = 0; k < model.nq; k++) good &&= Number.isFinite(state.q[iq + k]);
      for (let k = 0; k < model.nv; k++) good &&= Number.isFinite(state.v[iv + k]);
      if (good) continue;
      const body = state.mechanism.bodies[i].name;
      const where = { time: state.time, body, joint: name };
      throw new SimulationError(
        'not-finite',
        `Joint "${name}" (body "${body}") left the range of numbers before time ${state.time}. Take a smaller step, or more damping.`,
        where,
      );
    }
  }

  /** Of q and v of all steps so far; the same for any number of ranks. Called by all. */
  hash(): string {
    const { nq, nv } = this.state.mechanism;
    const { arrays } = this.#part;
    // They travel as states do: first halves, then second ones.
    const halves = [0, 1].map((half) => {
      for (let k = 0; k < nq; k++) arrays.q[k] = this.#hashes[2 * k + half];
      for (let k = 0; k < nv; k++) arrays.v[k] = this.#hashes[2 * (nq + k) + half];
      this.#part.gatherState();
      let sum = 0x811c9dc5 | 0;
      for (const array of [arrays.q, arrays.v])
        for (let k = 0; k < array.length; k++) sum = Math.imul(sum ^ array[k], half === 0 ? FIRST : SECOND);
      return (sum >>> 0).toString(16).padStart(8, '0');
    });
    return halves.join('');
  }

  #fold(): void {
    const { q, v } = this.state;
    const { nq } = this.state.mechanism;
    const { ranges } = this.#own;
    for (const [at, count] of ranges.q) this.#foldRange(q, at, count, 0);
    for (const [at, count] of ranges.v) this.#foldRange(v, at, count, nq);
  }

  #foldRange(values: Float64Array, at: number, count: number, offset: number): void {
    const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    const hashes = this.#hashes;
    for (let k = at; k < at + count; k++) {
      const place = 2 * (offset + k);
      hashes[place] = Math.imul(hashes[place] ^ words[2 * k], FIRST) ^ words[2 * k + 1];
      hashes[place + 1] = Math.imul(hashes[place + 1] ^ words[2 * k + 1], SECOND) ^ words[2 * k];
    }
  }

  #load(q: Float64Array, v: Float64Array): void {
    const { arrays } = this.#part;
    for (const [at, count] of this.#own.ranges.q) arrays.q.set(q.subarray(at, at + count), at);
    for (const [at, count] of this.#own.ranges.v) arrays.v.set(v.subarray(at, at + count), at);
  }

  /** Positions and velocities for weights of the stages before, in place; and u. */
  #move(weights: readonly number[], stage: number, h: number, q: Float64Array, v: Float64Array): void {
    const { state } = this;
    const u = this.#u;
    this.#load(state.q, state.v);
    for (const [at, count] of this.#own.ranges.v) {
      u.fill(0, at, at + count);
      for (let r = 0; r < stage; r++) {
        const weight = h * weights[r];
        if (weight === 0) continue;
        const [rate, a] = [this.#rates[r], this.#accelerations[r]];
        for (let k = at; k < at + count; k++) {
          u[k] += weight * rate[k];
          v[k] += weight * a[k];
        }
      }
    }
    for (const { model, iq, iv } of this.#own.joints) model.integrate(q, iq, u, iv, 1);
  }

  #accelerate(s: number): void {
    const { arrays } = this.#part;
    const { q, v, tau, qdd } = arrays;
    for (const [at, count] of this.#own.ranges.v) tau.fill(0, at, at + count);
    addSprings(this.#own, tau, q);
    addDamping(this.#own, tau, v);
    this.#part.step();
    for (const [at, count] of this.#own.ranges.v) this.#accelerations[s].set(qdd.subarray(at, at + count), at);
  }
}

/** What a rank sees of a mechanism that it shares: its own joints. */
interface OwnMechanism {
  readonly joints: readonly Joint[];
  readonly ranges: OwnedRanges;
}

function ownMechanism(mechanism: Mechanism, ranges: OwnedRanges): OwnMechanism {
  const mine = new Uint8Array(mechanism.nv);
  for (const [at, count] of ranges.v) mine.fill(1, at, at + count);
  const joints = mechanism.joints.filter(({ model, iv }) => model.nv > 0 && mine[iv] === 1);
  return { joints, ranges };
}
