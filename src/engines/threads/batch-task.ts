// A thread's part of a batch: takes chunks of states, one after the other, from a count that all threads share, until
// there are none left. Whoever is fast takes more.

import { createMechanism } from '../../mechanism/create.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { MechanismSpec } from '../../mechanism/spec.js';
import { addPassiveForces } from '../plain/passive.js';
import { CompiledBatch } from '../wasm/batch.js';

/** Words of the progress that all threads share: the next state, states done, 1 to stop. */
export const NEXT = 0;
export const DONE = 1;
export const STOP = 2;

/** Plain data; the buffers are shared where there are threads. One state after the other in each. */
export interface BatchTask {
  readonly id: number;
  /** Left out where the thread has it already: to copy it takes as long as hundreds of states. */
  readonly spec: MechanismSpec | undefined;
  readonly what: 'forward' | 'simulate' | 'release';
  readonly count: number;
  readonly q: ArrayBufferLike;
  readonly v: ArrayBufferLike;
  readonly tau: ArrayBufferLike;
  readonly qdd: ArrayBufferLike;
  readonly progress: ArrayBufferLike;
  /** Of a simulation: length and number of its steps. */
  readonly timeStep: number;
  readonly steps: number;
}

/** States in a chunk: enough to hide its taking, and a stride that suits the cache. */
export const CHUNK = 64;

interface Prepared {
  readonly mechanism: Mechanism;
  readonly batch: CompiledBatch;
}

const prepared = new Map<number, Prepared>();

function prepare(id: number, spec: MechanismSpec | undefined): Prepared {
  let found = prepared.get(id);
  if (found === undefined) {
    if (spec === undefined) throw new RangeError(`batch ${id} is not known here`);
    const mechanism = createMechanism(spec);
    found = { mechanism, batch: batchOf(mechanism) };
    prepared.set(id, found);
  }
  return found;
}

function batchOf(mechanism: Mechanism): CompiledBatch {
  try {
    return new CompiledBatch(mechanism, { batch: CHUNK, specialise: 'now' });
  } catch {
    // A page may forbid WebAssembly: then one state after the other, by whatever can be used.
    return new CompiledBatch(mechanism, { batch: CHUNK, specialise: 'never' });
  }
}

/** `pause` is awaited after each chunk where this is not a thread of its own. */
export async function runTask(given: unknown, pause?: () => Promise<void>): Promise<void> {
  const task = given as BatchTask;
  if (task.what === 'release') {
    prepared.delete(task.id);
    return;
  }
  const { mechanism, batch } = prepare(task.id, task.spec);
  const progress = new Int32Array(task.progress);
  for (;;) {
    if (Atomics.load(progress, STOP) !== 0) return;
    const from = Atomics.add(progress, NEXT, CHUNK);
    if (from >= task.count) return;
    const count = Math.min(CHUNK, task.count - from);
    if (task.what === 'forward') forwardChunk(mechanism, batch, task, from, count);
    else simulateChunk(mechanism, batch, task, from, count, progress);
    Atomics.add(progress, DONE, count);
    if (pause !== undefined) await pause();
  }
}

/** Rows of states to rows of numbers, and back. */
function scatter(to: Float64Array, stride: number, from: ArrayBufferLike, width: number, first: number, count: number) {
  const rows = new Float64Array(from, 8 * first * width, count * width);
  for (let k = 0; k < width; k++) for (let s = 0; s < count; s++) to[k * stride + s] = rows[s * width + k];
}

function gather(to: ArrayBufferLike, width: number, first: number, count: number, from: Float64Array, stride: number) {
  const rows = new Float64Array(to, 8 * first * width, count * width);
  for (let k = 0; k < width; k++) for (let s = 0; s < count; s++) rows[s * width + k] = from[k * stride + s];
}

function forwardChunk({ nq, nv }: Mechanism, batch: CompiledBatch, task: BatchTask, from: number, count: number): void {
  const { stride } = batch;
  scatter(batch.q, stride, task.q, nq, from, count);
  scatter(batch.v, stride, task.v, nv, from, count);
  scatter(batch.tau, stride, task.tau, nv, from, count);
  batch.forward(count);
  gather(task.qdd, nv, from, count, batch.qdd, stride);
}

/** Semi-implicit Euler: v' = v + h a(q, v), q' = q moved along v' for h; passive joint forces included. */
function simulateChunk(
  mechanism: Mechanism,
  batch: CompiledBatch,
  task: BatchTask,
  from: number,
  count: number,
  progress: Int32Array,
): void {
  const { nq, nv, joints } = mechanism;
  const { stride } = batch;
  const { timeStep: h } = task;
  const q = new Float64Array(task.q, 8 * from * nq, count * nq).slice();
  const v = new Float64Array(task.v, 8 * from * nv, count * nv).slice();
  const given = new Float64Array(task.tau, 8 * from * nv, count * nv);
  const tau = new Float64Array(nv);
  for (let step = 0; step < task.steps; step++) {
    if (Atomics.load(progress, STOP) !== 0) return;
    for (let s = 0; s < count; s++) {
      const qs = q.subarray(s * nq, (s + 1) * nq);
      const vs = v.subarray(s * nv, (s + 1) * nv);
      for (let k = 0; k < nv; k++) tau[k] = given[s * nv + k];
      addPassiveForces(mechanism, tau, qs, vs);
      for (let k = 0; k < nq; k++) batch.q[k * stride + s] = qs[k];
      for (let k = 0; k < nv; k++) batch.v[k * stride + s] = vs[k];
      for (let k = 0; k < nv; k++) batch.tau[k * stride + s] = tau[k];
    }
    batch.forward(count);
    for (let s = 0; s < count; s++) {
      for (let k = 0; k < nv; k++) v[s * nv + k] += h * batch.qdd[k * stride + s];
      for (const { model, iq, iv } of joints) model.integrate(q, s * nq + iq, v, s * nv + iv, h);
    }
  }
  new Float64Array(task.q, 8 * from * nq, count * nq).set(q);
  new Float64Array(task.v, 8 * from * nv, count * nv).set(v);
}
