// Springs and dampers towards a target, on any joints: tau = K (target - q) - D v. Stiff ones oscillate faster than any step
// that somebody would take, so the steps of fixed length that know them take their forces where the step ends:
//
//   K (target - q - h v') - D v',   v' = v + h a      gives      (H + h D + h^2 K) a = ... + K (target - q - h v) - D v
//
// which is stable whatever the gains are, with h D + h^2 K in the armature.

import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';

/** What `pd(gains, target)` of manikin/batch makes will do. */
export interface DriveOptions {
  /** N m / rad or N / m: one number for all degrees of freedom, or nv. */
  readonly stiffness: number | ArrayLike<number>;
  readonly damping: number | ArrayLike<number>;
  /** nq positions; read at every step, so they may change between steps. Turns are taken the short way. */
  readonly target: ArrayLike<number>;
}

export class Drive {
  readonly #mechanism: Mechanism;
  readonly #stiffness: Float64Array;
  readonly #damping: Float64Array;
  readonly #given: ArrayLike<number>;
  readonly #target: Float64Array;
  readonly #gap: Float64Array;

  constructor(mechanism: Mechanism, { stiffness, damping, target }: DriveOptions) {
    const { nq, nv } = mechanism;
    const gains = (what: string, given: number | ArrayLike<number>): Float64Array => {
      const numbers = typeof given === 'number' ? new Float64Array(nv).fill(given) : Float64Array.from(given);
      if (numbers.length !== nv)
        throw MechanismError.of('length', 'drive', `Expected ${nv} numbers of ${what}, got ${numbers.length}.`);
      if (!numbers.every((gain) => gain >= 0 && Number.isFinite(gain)))
        throw MechanismError.of('gain', 'drive', `The ${what} of a drive must not be negative.`);
      return numbers;
    };
    this.#mechanism = mechanism;
    this.#stiffness = gains('stiffness', stiffness);
    this.#damping = gains('damping', damping);
    if (target.length !== nq)
      throw MechanismError.of('length', 'drive', `Expected ${nq} target positions, got ${target.length}.`);
    this.#given = target;
    this.#target = new Float64Array(nq);
    this.#gap = new Float64Array(nv);
  }

  /** tau += the forces at a state that moves on for `ahead` seconds. */
  add(tau: Float64Array, { q, v }: State, ahead = 0): void {
    this.#target.set(this.#given);
    for (const { model, iq, iv } of this.#mechanism.joints) model.difference(this.#gap, iv, q, iq, this.#target, iq);
    for (let k = 0; k < tau.length; k++)
      tau[k] += this.#stiffness[k] * (this.#gap[k] - ahead * v[k]) - this.#damping[k] * v[k];
  }

  /** armature += h D + h^2 K. */
  addSlope(armature: Float64Array, h: number): void {
    for (let k = 0; k < armature.length; k++) armature[k] += h * (this.#damping[k] + h * this.#stiffness[k]);
  }
}
