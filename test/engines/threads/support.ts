import type { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import type { ParallelDynamics } from '../../../src/engines/threads/parallel-dynamics.js';
import { State } from '../../../src/mechanism/state.js';

/** Moves a state on by semi-implicit Euler, and folds all of its bits into a number (FNV-1a). */
export class Walker {
  readonly state: State;
  readonly #dynamics: Pick<PlainDynamics | ParallelDynamics, 'forward'>;
  readonly #out: { out: Float64Array };
  readonly #tau: Float64Array;
  hash = 0x811c9dc5;

  constructor(dynamics: ParallelDynamics, seed: number) {
    const { mechanism } = dynamics;
    this.#dynamics = dynamics;
    this.state = State.random(mechanism, seed);
    this.#out = { out: new Float64Array(mechanism.nv) };
    this.#tau = Float64Array.from({ length: mechanism.nv }, (_, k) => 1e-3 * Math.sin(k + seed));
  }

  step(h = 1e-6): void {
    const { state } = this;
    const a = this.#dynamics.forward(state, this.#tau, this.#out);
    for (let k = 0; k < a.length; k++) state.v[k] += h * a[k];
    for (const { model, iq, iv } of state.mechanism.joints) model.integrate(state.q, iq, state.v, iv, h);
    state.time += h;
    for (const array of [state.q, state.v]) {
      const words = new Uint32Array(array.buffer, array.byteOffset, 2 * array.length);
      for (const word of words) this.hash = Math.imul(this.hash ^ word, 0x01000193) >>> 0;
    }
  }
}
