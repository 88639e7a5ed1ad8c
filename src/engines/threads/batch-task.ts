// A thread's part of a batch: takes chunks of states, one after the other, from a count that all threads share, until
// there are none left. Whoever is fast takes more. All threads see the same rows; no two write the same state.

import { findJointType } from '../../joints/index.js';
import { SimulationError } from '../../mechanism/errors.js';
import { type Joint, Mechanism, type MechanismParts } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import type { Engine } from '../engine.js';
import type { DerivativeFunctionName, MatrixName } from '../gpu/types.js';
import { LoopClosing } from '../plain/assembly/closing.js';
import { LARGEST_ANGLE } from '../plain/large-angles.js';
import { addPassiveForces, addPassiveSlope } from '../plain/passive.js';
import { PlainDynamics } from '../plain/plain-dynamics.js';
import { applyTorque, type Torque, type TorqueRows } from '../torque.js';
import { type BatchCodeRequest, type BatchFunction, batchCode, type RowsLayout } from '../wasm/batch-code.js';
import { CompiledDynamics } from '../wasm/compiled.js';
import { type WasmMemory, type WasmModule, webAssembly } from '../wasm/webassembly.js';

/** Words of the progress that all threads share: the next state, states done, 1 to stop. */
export const NEXT = 0;
export const DONE = 1;
export const STOP = 2;
export const PROGRESS_WORDS = 3;

/** States in a chunk where the caller names no other number; even, since states go two by two. */
export const CHUNK = 64;

/** A mechanism as plain data: everything of it, and joint types by name, since functions cannot be sent. */
export interface SentMechanism extends Omit<MechanismParts, 'joints'> {
  readonly joints: readonly Omit<Joint, 'model'>[];
}

export function sendable({
  name,
  gravity,
  bodies,
  joints,
  loops,
  frames,
  couplings,
  warnings,
}: Mechanism): SentMechanism {
  const plain = joints.map(({ model: _, ...joint }) => joint);
  return { name, gravity, bodies, joints: plain, loops, frames, couplings, warnings };
}

export function received(sent: SentMechanism): Mechanism {
  return new Mechanism({
    ...sent,
    joints: sent.joints.map((joint) => ({ ...joint, model: findJointType(joint.type)! })),
  });
}

/** What a thread is told, as plain data. */
export type BatchMessage =
  /** Makes code. */
  | { readonly what: 'emit'; readonly request: BatchCodeRequest }
  /** Comes before all others of a batch. The memory of code, or a buffer where no code can run. */
  | {
      readonly what: 'setup';
      readonly id: number;
      readonly mechanism: SentMechanism;
      readonly layout: RowsLayout;
      readonly memory: WasmMemory | undefined;
      readonly buffer: ArrayBufferLike;
    }
  /** The code of a function, and this thread's scratch memory. */
  | {
      readonly what: 'code';
      readonly id: number;
      readonly of: BatchFunction;
      readonly module: WasmModule;
      readonly scratch: number;
      /** Behind it: rows of tau for one chunk, which the laws of rollouts write. */
      readonly tauAt: number;
    }
  | RunTask
  | { readonly what: 'release'; readonly id: number };

export interface RunTask {
  readonly what: 'run';
  readonly id: number;
  readonly of: BatchFunction | DerivativeFunctionName;
  readonly count: number;
  readonly chunk: number;
  readonly progress: ArrayBufferLike;
  /** Of rollouts; one step of no length for other functions. */
  readonly steps: number;
  readonly step: number;
  readonly torque: Torque;
  /** Where derivatives go; undefined for other functions. */
  readonly matrices?: MatrixBuffers;
}

/** nv x nv numbers for each state, one state after the other. */
export type MatrixBuffers = { readonly [name in MatrixName]: ArrayBufferLike };

interface Code {
  readonly run: (atQ: number, atV: number, scratch: number, atTau: number, endV: number) => void;
  readonly scratch: number;
  readonly tauAt: number;
}

interface Known {
  readonly mechanism: Mechanism;
  readonly layout: RowsLayout;
  readonly memory: WasmMemory | undefined;
  readonly buffer: ArrayBufferLike;
  readonly code: Map<BatchFunction, Code>;
  readonly places: Int32Array;
  plain?: PlainRunner;
  /** Code for one state: its loops have two columns in the lanes of a vector. */
  derivatives?: PlainDynamics | CompiledDynamics;
}

const batches = new Map<number, Known>();

/** `pause` is awaited now and then where this is not a thread of its own. */
export async function runTask(given: unknown, pause?: () => Promise<void> | undefined): Promise<unknown> {
  const task = given as BatchMessage;
  switch (task.what) {
    case 'emit':
      return batchCode(task.request);
    case 'setup': {
      const { id, mechanism, layout, memory, buffer } = task;
      const own = received(mechanism);
      batches.set(id, { mechanism: own, layout, memory, buffer, code: new Map(), places: anglePlaces(own) });
      return;
    }
    case 'code': {
      const { memory, code } = known(task.id);
      // The memory may have been grown by another thread: this one takes note of it. (One of our own would lose its views.)
      if (!(memory!.buffer instanceof ArrayBuffer)) memory!.grow(0);
      const { exports } = new (webAssembly().Instance)(task.module, { manikin: { memory: memory! } });
      code.set(task.of, { run: exports.run, scratch: task.scratch, tauAt: task.tauAt });
      return;
    }
    case 'release':
      batches.delete(task.id);
      return;
    case 'run':
      return run(known(task.id), task, pause);
  }
}

function known(id: number): Known {
  const found = batches.get(id);
  if (found === undefined) throw new RangeError(`batch ${id} is not known here`);
  return found;
}

async function run(batch: Known, task: RunTask, pause?: () => Promise<void> | undefined): Promise<void> {
  const progress = new Int32Array(task.progress);
  const runChunk = chunkRunner(batch, task);
  for (;;) {
    if (Atomics.load(progress, STOP) !== 0) return;
    const first = Atomics.add(progress, NEXT, task.chunk);
    if (first >= task.count) return;
    const count = Math.min(task.chunk, task.count - first);
    for (let n = 0; n < task.steps; n++) {
      if (Atomics.load(progress, STOP) !== 0) return;
      runChunk(first, count, n);
      const wait = n + 1 < task.steps ? pause?.() : undefined;
      if (wait !== undefined) await wait;
    }
    Atomics.add(progress, DONE, count);
    const wait = pause?.();
    if (wait !== undefined) await wait;
  }
}

type ChunkRunner = (first: number, count: number, n: number) => void;

function chunkRunner(batch: Known, task: RunTask): ChunkRunner {
  const { of, matrices } = task;
  if (isDerivative(of)) return derivativeRunner(batch, of, matrices!, task.count);
  const code = batch.code.get(of);
  const dynamics = { ...task, of };
  return code === undefined ? plainRunner(batch, dynamics) : compiledRunner(batch, code, dynamics);
}

export const isDerivative = (of: RunTask['of']): of is DerivativeFunctionName =>
  of === 'inverseDerivatives' || of === 'forwardDerivatives';

/** One state after the other. */
function derivativeRunner(
  batch: Known,
  of: DerivativeFunctionName,
  { dq, dv, dtau }: MatrixBuffers,
  states: number,
): ChunkRunner {
  const { mechanism, layout } = batch;
  const { nq, nv } = layout;
  const rows = rowsOf(batch.memory?.buffer ?? batch.buffer, layout, states);
  batch.derivatives ??= oneByOne(mechanism, of);
  const engine = batch.derivatives;
  const state = new State(mechanism);
  const matrix = (buffer: ArrayBufferLike, s: number): Float64Array =>
    new Float64Array(buffer, 8 * s * nv * nv, nv * nv);
  return (first, count) => {
    for (let s = first; s < first + count; s++) {
      state.q.set(rows.q.subarray(s * nq, (s + 1) * nq));
      state.v.set(rows.v.subarray(s * nv, (s + 1) * nv));
      const row = (array: Float64Array): Float64Array => array.subarray(s * nv, (s + 1) * nv);
      const out = { qdd: row(rows.qdd), dq: matrix(dq, s), dv: matrix(dv, s), dtau: matrix(dtau, s) };
      try {
        if (of === 'inverseDerivatives') engine.inverseDerivatives(state, out.qdd, out);
        else engine.forwardDerivatives(state, row(rows.tau), out);
      } catch (error) {
        // Where the algorithms refuse a state, as they do where a number is not finite, its results are no numbers.
        if (!(error instanceof SimulationError)) throw error;
        for (const array of [out.dq, out.dv]) array.fill(Number.NaN);
        if (of === 'forwardDerivatives') for (const array of [out.qdd, out.dtau]) array.fill(Number.NaN);
      }
    }
  };
}

function rowsOf(buffer: ArrayBufferLike, { q, v, tau, qdd, nq, nv }: RowsLayout, states: number) {
  const rows = (at: number, n: number): Float64Array => new Float64Array(buffer, at, states * n);
  return { q: rows(q, nq), v: rows(v, nv), tau: rows(tau, nv), qdd: rows(qdd, nv) };
}

type DynamicsTask = RunTask & { readonly of: BatchFunction };

function compiledRunner(batch: Known, { run: call, scratch, tauAt }: Code, task: DynamicsTask): ChunkRunner {
  const { memory, layout, mechanism } = batch;
  const { of, torque, steps, step, count: states } = task;
  const { nq, nv } = layout;
  const { buffer } = memory!;
  const law = of === 'step' && torque.kind !== 'held';
  if (of === 'step') new Float64Array(buffer, scratch, 2).fill(step);
  const { q, v, tau } = rowsOf(buffer, layout, states);
  const rows: TorqueRows = { q, v, held: tau };
  const forces = new Float64Array(buffer);
  const runAll: ChunkRunner = (first, count, n) => {
    if (law) applyTorque(forces, tauAt / 8, torque, rows, mechanism, first, count, n, { steps, step });
    const atV = 8 * nv * first;
    call(8 * nq * first, atV, scratch, law ? tauAt : layout.tau + atV, atV + 8 * nv * count);
  };
  let plain: ChunkRunner | undefined;
  const { places } = batch;
  return (first, count, n) => {
    // The formulas for sine and cosine end somewhere: the readable algorithms do states beyond that once more.
    let far: { readonly s: number; readonly q: Float64Array; readonly v: Float64Array }[] | undefined;
    for (let s = first; s < first + count; s++)
      if (turnsFar(q, s * nq, places)) {
        far ??= [];
        far.push({ s, q: q.slice(s * nq, (s + 1) * nq), v: v.slice(s * nv, (s + 1) * nv) });
      }
    runAll(first, count, n);
    if (far === undefined) return;
    plain ??= plainRunner(batch, task);
    for (const { s, q: ownQ, v: ownV } of far) {
      q.set(ownQ, s * nq);
      v.set(ownV, s * nv);
      plain(s, 1, n);
    }
  };
}

/** Where angles stand in the positions of a state: of all joints that turn about an axis. */
function anglePlaces({ joints }: Mechanism): Int32Array {
  const turns = new Set(['revolute', 'continuous', 'cylindrical', 'helical', 'universal', 'planar']);
  return Int32Array.from(
    joints.filter(({ type }) => turns.has(type)).flatMap(({ iq, model }) => range(iq, iq + model.nq)),
  );
}

const range = (from: number, end: number): number[] => Array.from({ length: end - from }, (_, k) => from + k);

/** Whether one of a state's angles may be too large for the formulas; four sums side by side, since this is done for all. */
function turnsFar(q: Float64Array, row: number, places: Int32Array): boolean {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = places.length & -4;
  for (let k = 0; k < whole; k += 4) {
    const w = q[row + places[k]];
    const x = q[row + places[k + 1]];
    const y = q[row + places[k + 2]];
    const z = q[row + places[k + 3]];
    a += w * w;
    b += x * x;
    c += y * y;
    d += z * z;
  }
  for (let k = whole; k < places.length; k++) {
    const x = q[row + places[k]];
    a += x * x;
  }
  return a + b + c + d > LARGEST_ANGLE * LARGEST_ANGLE;
}

/**
 * What computes one state after the other where there is no code for batches: loops, couplings and derivatives have code for
 * one state.
 */
export function oneByOne(
  mechanism: Mechanism,
  of: BatchFunction | DerivativeFunctionName,
): PlainDynamics | CompiledDynamics {
  const { loops, couplings } = mechanism;
  if (loops.length === 0 && couplings.length === 0 && !isDerivative(of)) return new PlainDynamics(mechanism);
  return new CompiledDynamics(mechanism, { specialise: 'first-use' });
}

/** One state after the other, for what has no code for batches. */
class PlainRunner {
  readonly dynamics: PlainDynamics | CompiledDynamics;
  readonly state: State;
  readonly closing: LoopClosing | undefined;
  readonly tau: Float64Array;
  readonly out: Float64Array;
  readonly armature: Float64Array;

  constructor(mechanism: Mechanism) {
    this.dynamics = oneByOne(mechanism, 'forward');
    this.state = new State(mechanism);
    const engine: Engine = this.dynamics;
    this.closing =
      mechanism.loops.length > 0 ? new LoopClosing(this.dynamics.tree, engine.loopImpulse?.bind(engine)) : undefined;
    this.tau = new Float64Array(mechanism.nv);
    this.out = new Float64Array(mechanism.nv);
    this.armature = new Float64Array(mechanism.nv);
  }

  /** Couplings and loops, as in src/simulation. */
  hold(): void {
    this.state.applyCouplings();
    this.closing?.close(this.state);
    this.closing?.hold(this.state);
  }

  step(h: number): void {
    const { dynamics, state, tau, out, armature } = this;
    const { mechanism, tree } = dynamics;
    addPassiveForces(mechanism, tau, state.q, state.v);
    armature.set(tree.armature);
    addPassiveSlope(mechanism, armature, state.v, h);
    dynamics.forward(state, tau, { out, armature });
    for (let k = 0; k < out.length; k++) state.v[k] += h * out[k];
    for (const { model, iq, iv } of mechanism.joints) model.integrate(state.q, iq, state.v, iv, h);
    this.hold();
  }
}

function plainRunner(batch: Known, { of, torque, steps, step, count: states }: DynamicsTask): ChunkRunner {
  const { mechanism, layout } = batch;
  const { nq, nv } = layout;
  const rows = rowsOf(batch.memory?.buffer ?? batch.buffer, layout, states);
  batch.plain ??= new PlainRunner(mechanism);
  const { dynamics, state, tau, out } = batch.plain;
  const plain = batch.plain;
  const given: TorqueRows = { q: rows.q, v: rows.v, held: rows.tau };
  /** Where the algorithms refuse a state, as they do where a number is not finite, its results are no numbers. */
  const guarded = (result: Float64Array, s: number, work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof SimulationError)) throw error;
      result.fill(Number.NaN, s * nv, (s + 1) * nv);
    }
  };
  return (first, count, n) => {
    for (let s = first; s < first + count; s++) {
      state.q.set(rows.q.subarray(s * nq, (s + 1) * nq));
      state.v.set(rows.v.subarray(s * nv, (s + 1) * nv));
      if (of === 'step')
        guarded(rows.v, s, () => {
          const write = (): void => {
            rows.q.set(state.q, s * nq);
            rows.v.set(state.v, s * nv);
          };
          if (n === 0) {
            plain.hold();
            write();
          }
          applyTorque(tau, 0, torque, given, mechanism, s, 1, n, { steps, step });
          plain.step(step);
          write();
        });
      else {
        const [from, to] = of === 'forward' ? [rows.tau, rows.qdd] : [rows.qdd, rows.tau];
        guarded(to, s, () => {
          tau.set(from.subarray(s * nv, (s + 1) * nv));
          to.set(dynamics[of](state, tau, { out }), s * nv);
        });
      }
    }
  };
}
