// One large mechanism on the CPU, with the calls of the one on the GPU: for machines without one, and for when it is lost.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { PlainDynamics } from '../plain/plain-dynamics.js';
import { refuseForeign } from '../plain/refuse.js';
import { GpuError } from './errors.js';
import type { Assembly } from './types.js';

export class CpuAssembly implements Assembly {
  readonly where = 'cpu';
  readonly adapter = '';
  readonly rounds = 0;
  readonly deviceSeconds = Number.NaN;
  readonly mechanism: Mechanism;
  readonly #reason: string;
  readonly #dynamics: PlainDynamics;

  constructor(mechanism: Mechanism, reason: string) {
    this.mechanism = mechanism;
    this.#reason = reason;
    this.#dynamics = new PlainDynamics(mechanism);
  }

  async forward(state: State, tau?: Float64Array): Promise<Float64Array> {
    const { nv } = this.mechanism;
    refuseForeign(this.mechanism, state);
    if (tau !== undefined && tau.length !== nv)
      throw new GpuError('mechanism', `Expected ${nv} numbers in tau, got ${tau.length}.`);
    return this.#dynamics.forward(state, tau ?? new Float64Array(nv));
  }

  explain(): string {
    return `On the CPU: ${this.#reason}\n${this.mechanism.name}: ${this.mechanism.joints.length} joints, one after the other.`;
  }

  dispose(): void {}
}

/** An assembly that goes on, on the CPU, when its device is lost, even in the middle of a call. */
export class LastingAssembly implements Assembly {
  #inner: Assembly;
  readonly #told: ((reason: string) => void) | undefined;

  constructor(inner: Assembly, told: ((reason: string) => void) | undefined) {
    this.#inner = inner;
    this.#told = told;
  }

  get mechanism(): Mechanism {
    return this.#inner.mechanism;
  }
  get where(): 'gpu' | 'cpu' {
    return this.#inner.where;
  }
  get adapter(): string {
    return this.#inner.adapter;
  }
  get rounds(): number {
    return this.#inner.rounds;
  }
  get deviceSeconds(): number {
    return this.#inner.deviceSeconds;
  }

  async forward(state: State, tau?: Float64Array): Promise<Float64Array> {
    // What was asked for, whatever becomes of these while the device is at work.
    const [before, forces] = [state.clone(), tau?.slice()];
    try {
      return await this.#inner.forward(state, tau);
    } catch (error) {
      if (!(error instanceof GpuError && error.code === 'lost')) throw error;
      if (this.where === 'gpu') {
        const { mechanism } = this;
        this.#inner.dispose();
        this.#inner = new CpuAssembly(mechanism, error.message);
        this.#told?.(error.message);
      }
      return this.#inner.forward(before, forces);
    }
  }

  explain(): string {
    return this.#inner.explain();
  }

  dispose(): void {
    this.#inner.dispose();
  }
}
