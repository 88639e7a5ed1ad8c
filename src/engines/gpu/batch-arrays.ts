// The arrays of a batch on the GPU: where each number stands, and the windows through which kernels see them.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { GpuColumn } from './columns.js';
import type { OpenGpu } from './device.js';
import { TILE } from './kernel.js';
import { WHOLE, wholeStates } from './pipeline.js';
import type { ArrayName } from './types.js';

/** States of a batch that kernels see at a time. */
export interface Window {
  readonly first: number;
  readonly states: number;
}

/** Buffers in the place of the usual ones, and those of the next state. */
type Others = { readonly [name in 'q' | 'v' | 'nextQ' | 'nextV']?: GPUBuffer };

export class BatchArrays {
  readonly columns: { readonly [name in ArrayName]: GpuColumn };
  readonly flags: GpuColumn;
  /** States that the buffers have room for. */
  readonly whole: number;
  /** Each small enough for a binding. */
  readonly windows: readonly Window[];
  readonly #mechanism: Mechanism;

  /** `onHost`: with a copy of every array on the host. */
  constructor(gpu: OpenGpu, mechanism: Mechanism, states: number, onHost: boolean) {
    const { nq, nv } = mechanism;
    this.#mechanism = mechanism;
    this.whole = wholeStates(states);
    const per = WHOLE * Math.floor(gpu.maxBindingBytes / 4 / Math.max(nq, nv, 1) / WHOLE);
    // One dispatch has room for so many workgroups of 32 threads.
    const most = Math.min(per, WHOLE * Math.floor((gpu.maxGroups * 32) / WHOLE));
    this.windows = Array.from({ length: Math.ceil(this.whole / most) }, (_, k) => ({
      first: k * most,
      states: Math.min(most, this.whole - k * most),
    }));
    const column = (name: string, numbers: number): GpuColumn =>
      new GpuColumn(gpu, name, Math.max(4, numbers * this.whole), onHost);
    this.columns = { q: column('q', nq), v: column('v', nv), tau: column('tau', nv), qdd: column('qdd', nv) };
    this.flags = column('flags', 1);
  }

  /** Makes the mapped buffers of forward dynamics now; those of other tasks are made when they are needed. */
  prepare(): void {
    for (const name of ['q', 'v', 'tau'] as const) this.columns[name].prepare('up');
    for (const column of [this.columns.qdd, this.flags]) column.prepare('down');
  }

  get #all(): readonly GpuColumn[] {
    return [...Object.values(this.columns), this.flags];
  }

  /** Numbers of a state in an array. */
  numbers(name: ArrayName): number {
    return name === 'q' ? this.#mechanism.nq : this.#mechanism.nv;
  }

  at(name: ArrayName, k: number, s: number): number {
    return TILE * (Math.floor(s / TILE) * this.numbers(name) + k) + (s % TILE);
  }

  bindings({ first, states }: Window, others: Others) {
    const { nq, nv } = this.#mechanism;
    const window = (buffer: GPUBuffer, numbers: number): GPUBufferBinding => ({
      buffer,
      offset: 4 * first * numbers,
      size: Math.max(16, 4 * states * numbers),
    });
    const { q, v, tau, qdd } = this.columns;
    return {
      q: window(others.q ?? q.device, nq),
      v: window(others.v ?? v.device, nv),
      tau: window(tau.device, nv),
      qdd: window(qdd.device, nv),
      flags: window(this.flags.device, 1),
      ...(others.nextQ && { nextQ: window(others.nextQ, nq) }),
      ...(others.nextV && { nextV: window(others.nextV, nv) }),
    };
  }

  /** States whose flags are set. */
  flagged(count: number): number[] {
    const bits = this.flags.view;
    const flags = new Uint32Array(bits.buffer, bits.byteOffset, count);
    const flagged: number[] = [];
    for (let s = 0; s < count; s++) if (flags[s] !== 0) flagged.push(s);
    return flagged;
  }

  async settle(): Promise<void> {
    await Promise.all(this.#all.map((column) => column.settle()));
  }

  /** The device is gone. */
  release(): void {
    for (const column of this.#all) column.release();
  }

  destroy(): void {
    for (const column of this.#all) column.destroy();
  }
}
