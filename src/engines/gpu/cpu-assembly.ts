// One large mechanism on the GPU while there is one, and on the CPU from the moment there is none, even in the middle of a call.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { PlainDynamics } from '../plain/plain-dynamics.js';
import { refuseForeign } from '../plain/refuse.js';
import { GpuError } from './errors.js';
import type { Assembly } from './types.js';

export class LastingAssembly implements Assembly {
  readonly mechanism: Mechanism;
  readonly #told: ((reason: string) => void) | undefined;
  /** On the GPU, or why it is not, and what computes instead. */
  #on: Assembly | { readonly reason: string; readonly dynamics: PlainDynamics };

  /** `on`: an assembly on the GPU, or why there is none; `told` hears why it is left. */
  constructor(mechanism: Mechanism, on: Assembly | string, told?: (reason: string) => void) {
    this.mechanism = mechanism;
    this.#told = told;
    this.#on = typeof on === 'string' ? { reason: on, dynamics: new PlainDynamics(mechanism) } : on;
  }

  get where(): 'gpu' | 'cpu' {
    return 'reason' in this.#on ? 'cpu' : 'gpu';
  }
  get adapter(): string {
    return 'reason' in this.#on ? '' : this.#on.adapter;
  }
  get rounds(): number {
    return 'reason' in this.#on ? 0 : this.#on.rounds;
  }
  get deviceSeconds(): number {
    return 'reason' in this.#on ? Number.NaN : this.#on.deviceSeconds;
  }

  async forward(state: State, tau?: Float64Array): Promise<Float64Array> {
    const on = this.#on;
    const { nv } = this.mechanism;
    if ('reason' in on) {
      refuseForeign(this.mechanism, state);
      if (tau !== undefined && tau.length !== nv)
        throw new GpuError('mechanism', `Expected ${nv} numbers in tau, got ${tau.length}.`);
      return on.dynamics.forward(state, tau ?? new Float64Array(nv));
    }
    // What was asked for, whatever becomes of these while the device is at work.
    const [before, forces] = [state.clone(), tau?.slice()];
    try {
      return await on.forward(state, tau);
    } catch (error) {
      if (!(error instanceof GpuError && error.code === 'lost')) throw error;
      if (this.#on === on) {
        on.dispose();
        this.#on = { reason: error.message, dynamics: new PlainDynamics(this.mechanism) };
        this.#told?.(error.message);
      }
      return this.forward(before, forces);
    }
  }

  explain(): string {
    const { name, joints } = this.mechanism;
    if (!('reason' in this.#on)) return this.#on.explain();
    return `On the CPU: ${this.#on.reason}\n${name}: ${joints.length} joints, one after the other.`;
  }

  dispose(): void {
    if (!('reason' in this.#on)) this.#on.dispose();
  }
}
