// Positions over time that motors follow.

import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import type { Positions } from '../motion/trajectory.js';

/** Where a mechanism is to be at a time, and how fast. */
export interface Guide {
  readonly mechanism: Mechanism;
  /** Seconds; it stays at its last position after them. */
  readonly duration: number;
  /** Fills positions q and velocities v. */
  at(time: number, q: Float64Array, v: Float64Array): void;
}

/** Between the samples each joint moves evenly, on its own manifold. */
export class SampledGuide implements Guide {
  readonly mechanism: Mechanism;
  readonly duration: number;
  readonly #positions: Positions;

  constructor(positions: Positions) {
    if (positions.count < 2) throw MechanismError.of('motion', '', 'A motion needs two or more frames.');
    this.#positions = positions;
    this.mechanism = positions.mechanism;
    this.duration = (positions.count - 1) * positions.interval;
  }

  at(time: number, q: Float64Array, v: Float64Array): void {
    const { q: rows, interval, count, mechanism } = this.#positions;
    const frames = Math.min(Math.max(time / interval, 0), count - 1);
    const from = Math.min(Math.floor(frames), count - 2);
    const moves = time > 0 && time < this.duration;
    const { nq } = mechanism;
    for (const { model, iq, iv } of mechanism.joints) {
      for (let k = 0; k < model.nq; k++) q[iq + k] = rows[from * nq + iq + k];
      model.difference(v, iv, rows, from * nq + iq, rows, (from + 1) * nq + iq);
      model.integrate(q, iq, v, iv, frames - from);
      for (let k = 0; k < model.nv; k++) v[iv + k] *= moves ? 1 / interval : 0;
    }
  }
}

/** Lists of positions of some joints of one degree of freedom; the others stay at `rest`. */
export class TrajectoryGuide implements Guide {
  readonly mechanism: Mechanism;
  readonly duration: number;
  readonly #rest: State;
  readonly #times: readonly number[];
  readonly #joints: readonly { readonly iq: number; readonly iv: number; readonly positions: readonly number[] }[];
  readonly #repeat: boolean;

  constructor(
    rest: State,
    times: readonly number[],
    joints: Readonly<Record<string, readonly number[]>>,
    repeat: boolean,
  ) {
    this.mechanism = rest.mechanism;
    this.#rest = rest;
    this.#times = times;
    this.#repeat = repeat;
    this.duration = repeat ? Number.POSITIVE_INFINITY : times[times.length - 1];
    this.#joints = Object.entries(joints).map(([name, positions]) => {
      const { iq, iv, model } = this.mechanism.joint(name);
      if (model.nv !== 1)
        throw MechanismError.of(
          'control',
          `joint "${name}"`,
          `A trajectory is for joints of one degree of freedom, this one has ${model.nv}; take a motion.`,
        );
      return { iq, iv, positions };
    });
  }

  at(time: number, q: Float64Array, v: Float64Array): void {
    const times = this.#times;
    const [first, last] = [times[0], times[times.length - 1]];
    const span = last - first;
    const t = this.#repeat ? first + ((((time - first) % span) + span) % span) : Math.min(Math.max(time, first), last);
    let k = 0;
    while (k < times.length - 2 && times[k + 1] <= t) k++;
    const length = times[k + 1] - times[k];
    const moves = this.#repeat || (time > first && time < last);
    q.set(this.#rest.q);
    v.fill(0);
    for (const { iq, iv, positions } of this.#joints) {
      const rate = (positions[k + 1] - positions[k]) / length;
      q[iq] = positions[k] + (t - times[k]) * rate;
      v[iv] = moves ? rate : 0;
    }
  }
}
