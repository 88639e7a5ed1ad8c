// Makes code for one mechanism: on this thread, or in a worker for those who wait for it (where there is none, on this thread).
// One task after the other, since each is given the memory behind the last one's.

import type { Plan } from '../../plan/plan.js';
import type { BlockAssembly } from '../threads/blocks.js';
import { emitInWorker, WorkerMissing } from './emit-in-worker.js';
import { type CompiledTask, type Specialised, type SpecialiseOptions, specialise } from './specialise.js';
import type { Store } from './store.js';
import { type WasmInstance, webAssembly } from './webassembly.js';

/** Makes the code of one task; a worker may do it. Its arguments and its result are plain data. */
export type Emit = (plan: Plan, options: SpecialiseOptions) => Specialised | Promise<Specialised>;

export interface SpecialiserParts {
  readonly store: Store;
  readonly planOf: (task: CompiledTask) => Plan;
  readonly emit: Emit | undefined;
  readonly options: Omit<SpecialiseOptions, 'task' | 'scratchAt' | 'blocks'>;
  /** Blocks of links that share code for forward dynamics, where that is better than code for every link. */
  readonly blocks?: () => BlockAssembly | undefined;
  /** Called with the code's exports. */
  readonly use: (task: CompiledTask, made: Specialised, exports: WasmInstance['exports']) => void;
  /** Called where it cannot be made; the first call tries again. */
  readonly failed: (task: CompiledTask, error: unknown) => void;
}

export class Specialiser {
  readonly #parts: SpecialiserParts;
  readonly #requested = new Map<CompiledTask, Promise<void>>();
  /** Tasks whose code is in use. */
  readonly #made = new Set<CompiledTask>();
  #stopped = false;

  constructor(parts: SpecialiserParts) {
    this.#parts = parts;
  }

  /** Done when the task's code is in use, or cannot be made. */
  ready(task: CompiledTask): Promise<void> {
    let promise = this.#requested.get(task);
    if (promise === undefined) {
      promise = this.#later(task, [...this.#requested.values()]);
      this.#requested.set(task, promise);
    }
    return promise;
  }

  /** The same on this thread, before returning. */
  now(task: CompiledTask): void {
    const made = specialise(this.#parts.planOf(task), this.#options(task));
    this.#use(task, made, new (webAssembly().Module)(made.bytes));
    this.#requested.set(task, Promise.resolve());
  }

  stop(): void {
    this.#stopped = true;
  }

  async #later(task: CompiledTask, before: readonly Promise<void>[]): Promise<void> {
    const { store, planOf, failed } = this.#parts;
    try {
      await Promise.all(before);
      await nextTurn();
      while (!this.#stopped) {
        const options = this.#options(task);
        const made = await this.#emit(planOf(task), options);
        const module = await webAssembly().compile(made.bytes);
        // Somebody could not wait and had it made on this thread.
        if (this.#made.has(task)) return;
        // Memory may have been given away meanwhile: then the code must be made for another place.
        if (store.top !== options.scratchAt) continue;
        if (!this.#stopped) this.#use(task, made, module);
        return;
      }
    } catch (error) {
      failed(task, error);
    }
  }

  async #emit(plan: Plan, options: SpecialiseOptions): Promise<Specialised> {
    const { emit = emitInWorker } = this.#parts;
    try {
      return await emit(plan, options);
    } catch (error) {
      if (error instanceof WorkerMissing) return specialise(plan, options);
      throw error;
    }
  }

  #options(task: CompiledTask): SpecialiseOptions {
    const { options, store } = this.#parts;
    const blocks = task === 'forward' ? this.#parts.blocks?.() : undefined;
    return { ...options, task, scratchAt: store.top, ...(blocks && { blocks }) };
  }

  #use(task: CompiledTask, made: Specialised, module: Parameters<Store['instantiate']>[0]): void {
    const { store, use } = this.#parts;
    this.#made.add(task);
    store.reserve(made.memoryBytes);
    const words = new Int32Array(store.memory.buffer);
    for (const { at, values } of made.tables ?? []) words.set(values, at / 4);
    use(task, made, store.instantiate(module));
  }
}

/** After what is going on now. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
