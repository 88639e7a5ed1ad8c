// Many states of one mechanism at once: two states in the lanes of every vector, the loop inside WebAssembly. Arrays hold
// the states side by side: number k of state s of an array stands at k * stride + s.

import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import { createTree } from '../../mechanism/tree.js';
import { createPlan } from '../../plan/plan.js';
import { CompiledDynamics, type CompileOptions, reasonForPlain, type Tier } from './compiled.js';
import { batchStride, layoutOf } from './layout.js';
import { fusedIsExact } from './relaxed-simd.js';
import type { SpecialiseOptions } from './specialise.js';
import { noteOfFailure, Specialiser } from './specialiser.js';
import { Store } from './store.js';

export type BatchTask = 'forward' | 'inverse';

export interface BatchOptions extends CompileOptions {
  /** Number of states. */
  readonly batch: number;
  /**
   * Fused multiplications and additions where the processor has them: faster, and bits then differ between machines.
   * Without effect where a probe does not find them.
   */
  readonly fused?: boolean;
}

export class CompiledBatch {
  readonly mechanism: Mechanism;
  /** Number of states. */
  readonly states: number;
  /** Distance between numbers of one state: number k of state s stands at k * stride + s. */
  readonly stride: number;
  /** Whether multiplications and additions are fused. */
  readonly fused: boolean;
  readonly #options: BatchOptions;
  /** Computes one state after the other until code for batches is there; made when it is needed. */
  #single: CompiledDynamics | undefined;
  readonly #store: Store | undefined;
  /** Code of each task, for as many states as it is told. */
  readonly #running = new Map<BatchTask, (count: number) => void>();
  #specialiser: Specialiser | undefined;
  readonly #notes: string[] = [];
  readonly #emission: Omit<SpecialiseOptions, 'task' | 'scratchAt'>;
  readonly #plan;
  #arrays: { readonly [name in 'q' | 'v' | 'tau' | 'qdd']: Float64Array };

  constructor(mechanism: Mechanism, options: BatchOptions) {
    const { batch } = options;
    if (!Number.isInteger(batch) || batch < 1)
      throw MechanismError.of('batch', 'batch', `Expected a positive number of states, got ${batch}.`);
    this.mechanism = mechanism;
    this.states = batch;
    this.#options = options;
    this.#plan = createPlan(createTree(mechanism));
    this.stride = batchStride(batch);
    const layout = layoutOf(this.#plan, this.stride);
    this.#store = this.#createStore(layout.end);
    this.fused = options.fused === true && this.#store !== undefined && fusedIsExact();
    this.#emission = { layout, shared: options.shared === true, fused: this.fused };
    this.#arrays = this.#views();
    // Quaternions that nobody has set are no rotations: all states begin at the neutral position.
    const neutral = new State(mechanism);
    for (let s = 0; s < this.stride; s++) this.setState(s, neutral);
    if (this.#store === undefined) return;
    this.#store.onGrowth = () => {
      this.#arrays = this.#views();
    };
    if (options.specialise === 'never') return;
    this.#specialiser = this.#createSpecialiser(this.#store);
    if (options.specialise === 'now') for (const task of TASKS) this.#specialiser.now(task);
    else void this.#specialiser.request('forward');
  }

  /** Inputs and outputs; ask again after `ready` and after a first call: the memory may have grown. */
  get q(): Float64Array {
    return this.#arrays.q;
  }
  get v(): Float64Array {
    return this.#arrays.v;
  }
  get tau(): Float64Array {
    return this.#arrays.tau;
  }
  get qdd(): Float64Array {
    return this.#arrays.qdd;
  }

  tierOf(task: BatchTask): Tier {
    if (this.#running.has(task)) return 'specialised';
    return this.#store === undefined ? 'plain' : 'generic';
  }

  /** Done when compiled code is in use for that task. */
  ready(task: BatchTask = 'forward'): Promise<void> {
    return this.#specialiser?.ready(task) ?? Promise.resolve();
  }

  /** Puts a state at its place in q and v. */
  setState(s: number, { q, v }: State): void {
    for (let k = 0; k < q.length; k++) this.q[k * this.stride + s] = q[k];
    for (let k = 0; k < v.length; k++) this.v[k * this.stride + s] = v[k];
  }

  /**
   * qdd of the first `count` states from q, v and tau. States go two by two: with an odd count the one after the last is
   * computed as well. Results are not checked; what is not finite stays so.
   */
  forward(count = this.states): void {
    this.#run('forward', count);
  }

  /** tau of the first `count` states from q, v and qdd. */
  inverse(count = this.states): void {
    this.#run('inverse', count);
  }

  explain(): string {
    const tiers = TASKS.map((task) => `${task}: ${this.tierOf(task)}`).join(', ');
    return [`${this.mechanism.name}, ${this.states} states: ${tiers}.`, ...this.#notes].join('\n');
  }

  #run(task: BatchTask, count: number): void {
    if (!(count >= 0 && count <= this.states))
      throw MechanismError.of('batch', 'count', `Expected at most ${this.states} states, got ${count}.`);
    if (count === 0) return;
    const run = this.#running.get(task);
    if (run === undefined) {
      void this.#specialiser?.request(task);
      this.#runOneByOne(task, count);
      return;
    }
    run(count);
  }

  #runOneByOne(task: BatchTask, count: number): void {
    this.#single ??= new CompiledDynamics(this.mechanism, { specialise: 'never' });
    const options = { out: new Float64Array(this.mechanism.nv) };
    const { nv } = this.mechanism;
    const { stride } = this;
    const state = new State(this.mechanism);
    const given = new Float64Array(nv);
    const [from, to] = task === 'forward' ? [this.tau, this.qdd] : [this.qdd, this.tau];
    for (let s = 0; s < count; s++) {
      for (let k = 0; k < state.q.length; k++) state.q[k] = this.q[k * stride + s];
      for (let k = 0; k < nv; k++) {
        state.v[k] = this.v[k * stride + s];
        given[k] = from[k * stride + s];
      }
      this.#single[task](state, given, options);
      for (let k = 0; k < nv; k++) to[k * stride + s] = options.out[k];
    }
  }

  #createStore(end: number): Store | undefined {
    const reason = reasonForPlain(this.mechanism);
    try {
      if (reason === undefined) return new Store(end, this.#options.shared === true);
    } catch (error) {
      this.#fallBack(`WebAssembly cannot be used here: ${String(error)}`);
      return undefined;
    }
    this.#fallBack(reason);
    return undefined;
  }

  #fallBack(reason: string): void {
    this.#notes.push(`Readable algorithms: ${reason}`);
    this.#options.onFallback?.(reason);
  }

  #views(): { readonly [name in 'q' | 'v' | 'tau' | 'qdd']: Float64Array } {
    const { layout } = this.#emission;
    const { nq, nv } = this.#plan;
    const store = this.#store;
    const view = (at: number, rows: number): Float64Array =>
      store === undefined ? new Float64Array(rows * this.stride) : store.numbers(at, rows * this.stride);
    return {
      q: view(layout.q, nq),
      v: view(layout.v, nv),
      tau: view(layout.tau, nv),
      qdd: view(layout.qdd, nv),
    };
  }

  #createSpecialiser(store: Store): Specialiser {
    return new Specialiser({
      store,
      plan: this.#plan,
      emit: this.#options.emit,
      options: this.#emission,
      use: (task, { bytes }, { run }) => {
        this.#running.set(task as BatchTask, (count) => run(8 * count));
        this.#single = undefined;
        this.#notes.push(`Code for ${task}: ${bytes.length} bytes.`);
      },
      failed: (task, error) => {
        this.#notes.push(noteOfFailure(task, error));
      },
    });
  }
}

const TASKS: readonly BatchTask[] = ['forward', 'inverse'];
