// What a batch of states is, wherever it is computed.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import type { Tier } from '../wasm/compiled.js';
import type { Torque } from './torque.js';

export type BatchTask = 'forward' | 'inverse' | 'rollout';
export type ArrayName = 'q' | 'v' | 'tau' | 'qdd';

export interface RolloutOptions {
  readonly steps: number;
  /** Seconds of a step. */
  readonly step: number;
  /** Where the joint forces come from; the array tau, held, where left out. */
  readonly torque?: Torque;
  /** Go on from where the last rollout ended: nothing is uploaded, q and v on the host are not read. */
  readonly resume?: boolean;
}

/**
 * Many states of one mechanism. Number k of state s of an array stands at at(name, k, s); ask for the arrays again after
 * every call. The calls of CompiledBatch (manikin/compile), but they return promises.
 */
export interface StateBatch {
  readonly mechanism: Mechanism;
  readonly states: number;
  readonly where: 'gpu' | 'cpu';
  /** What the driver says of the GPU; empty on the CPU. */
  readonly adapter: string;
  readonly q: Float32Array | Float64Array;
  readonly v: Float32Array | Float64Array;
  readonly tau: Float32Array | Float64Array;
  readonly qdd: Float32Array | Float64Array;
  at(name: ArrayName, k: number, s: number): number;
  /** Puts a state at its place in q and v, and takes it from there. */
  setState(s: number, state: State): void;
  getState(s: number, state: State): State;
  /** qdd of the first `count` states from q, v and tau. */
  forward(count?: number): Promise<void>;
  /** tau from q, v and qdd. */
  inverse(count?: number): Promise<void>;
  /** Steps in time: q and v become those of the end. */
  rollout(options: RolloutOptions): Promise<void>;
  /** States whose last result has a number that is not finite; the others are right. */
  notFinite(): number[];
  tierOf(task: BatchTask): Tier;
  /** Done when the best code for that task is in use. */
  ready(task?: BatchTask): Promise<void>;
  /** Another batch with the same code and its own arrays: while one computes, the other can be filled or read. */
  fork(): StateBatch;
  explain(): string;
  dispose(): void;
}
