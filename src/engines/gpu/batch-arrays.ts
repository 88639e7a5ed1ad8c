// The arrays of a batch on the GPU: where each number stands, and the windows through which kernels see them.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { GpuColumn } from './columns.js';
import type { OpenGpu } from './device.js';
import { GpuError } from './errors.js';
import { TILE } from './kernel.js';
import { WHOLE, wholeStates } from './pipeline.js';
import type { ArrayName, MatrixName } from './types.js';

const isMatrix = (name: ArrayName | MatrixName): name is MatrixName =>
  name === 'dq' || name === 'dv' || name === 'dtau';

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
  readonly #gpu: OpenGpu;
  readonly #onHost: boolean;
  /** Derivatives, from their first computation on, and the windows through which they are computed. */
  #matrices: { readonly [name in MatrixName]: GpuColumn } | undefined;
  #matrixWindows: readonly Window[] = [];

  /** `onHost`: with a copy of every array on the host. */
  constructor(gpu: OpenGpu, mechanism: Mechanism, states: number, onHost: boolean) {
    const { nq, nv } = mechanism;
    this.#mechanism = mechanism;
    this.#gpu = gpu;
    this.#onHost = onHost;
    this.whole = wholeStates(states);
    this.windows = this.#windowsFor(Math.max(nq, nv, 1));
    const column = (name: string, numbers: number): GpuColumn => this.#column(name, numbers);
    this.columns = { q: column('q', nq), v: column('v', nv), tau: column('tau', nv), qdd: column('qdd', nv) };
    this.flags = column('flags', 1);
  }

  /** For arrays with so many numbers for each state. */
  #windowsFor(numbers: number): readonly Window[] {
    const { maxBindingBytes, maxGroups } = this.#gpu;
    const per = WHOLE * Math.floor(maxBindingBytes / 4 / numbers / WHOLE);
    // One dispatch has room for so many workgroups of 32 threads.
    const most = Math.min(per, WHOLE * Math.floor((maxGroups * 32) / WHOLE));
    return Array.from({ length: Math.ceil(this.whole / most) }, (_, k) => ({
      first: k * most,
      states: Math.min(most, this.whole - k * most),
    }));
  }

  #column(name: string, numbers: number): GpuColumn {
    return new GpuColumn(this.#gpu, name, Math.max(4, numbers * this.whole), this.#onHost);
  }

  /** Room for derivatives. */
  get matrices(): { readonly [name in MatrixName]: GpuColumn } {
    if (this.#matrices === undefined) {
      const numbers = this.#mechanism.nv ** 2;
      const { maxBufferBytes, maxBindingBytes } = this.#gpu;
      if (4 * numbers * this.whole > maxBufferBytes || 4 * numbers * WHOLE > maxBindingBytes)
        throw new GpuError(
          'limit',
          `The derivatives of ${this.whole} states of ${this.#mechanism.name} do not fit into the buffers of this device: ask for fewer states.`,
        );
      this.#matrixWindows = this.#windowsFor(numbers);
      this.#matrices = {
        dq: this.#column('dq', numbers),
        dv: this.#column('dv', numbers),
        dtau: this.#column('dtau', numbers),
      };
    }
    return this.#matrices;
  }

  get matrixWindows(): readonly Window[] {
    return this.#matrixWindows;
  }

  columnOf(name: ArrayName | MatrixName): GpuColumn {
    return isMatrix(name) ? this.matrices[name] : this.columns[name];
  }

  /** Makes the mapped buffers of forward dynamics now; those of other tasks are made when they are needed. */
  prepare(): void {
    for (const name of ['q', 'v', 'tau'] as const) this.columns[name].prepare('up');
    for (const column of [this.columns.qdd, this.flags]) column.prepare('down');
  }

  get #all(): readonly GpuColumn[] {
    return [...Object.values(this.columns), ...Object.values(this.#matrices ?? {}), this.flags];
  }

  /** Numbers of a state in an array. */
  numbers(name: ArrayName | MatrixName): number {
    const { nq, nv } = this.#mechanism;
    return name === 'q' ? nq : isMatrix(name) ? nv * nv : nv;
  }

  at(name: ArrayName | MatrixName, k: number, s: number): number {
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
      ...(this.#matrices && {
        dq: window(this.#matrices.dq.device, nv * nv),
        dv: window(this.#matrices.dv.device, nv * nv),
        dtau: window(this.#matrices.dtau.device, nv * nv),
      }),
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
