// The code of a mechanism and the memory it works in: each task's code is made when the choice (code-choice.ts) says so.

import type { GenericTask } from '../../formulas/kernels.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { Tree } from '../../mechanism/tree.js';
import { inShortestUnits } from '../../plan/length-units.js';
import { rowUnits } from '../../plan/loops.js';
import { createPlan, type Plan } from '../../plan/plan.js';
import type { LoopImpulse } from '../plain/assembly/closing.js';
import { loopScales } from '../plain/assembly/loop-scales.js';
import { reduceAngles, turnsTooFar } from '../plain/large-angles.js';
import type { BlockAssembly } from '../threads/blocks.js';
import { Planner } from '../threads/planner.js';
import { CodeChoice, type Tier, type When } from './code-choice.js';
import { createGeneric } from './generic.js';
import { guardModule, TRUSTED } from './guard.js';
import { type Layout, layoutOf } from './layout.js';
import { LoopSolver } from './loop-solver.js';
import { madeOnce } from './made-once.js';
import { type CompiledTask, specialise } from './specialise.js';
import { Store } from './store.js';
import { type WasmInstance, webAssembly } from './webassembly.js';

export interface CodeOptions {
  /** 'first-use' where left out. */
  readonly specialise?: When;
}

/** Code of one task. */
export interface Running {
  readonly tier: Tier;
  readonly run: () => void;
  /** The exported function itself and its arguments, for other modules to call. */
  readonly code: (...values: number[]) => void;
  readonly call: readonly number[];
  /** Of mechanisms with loops. */
  readonly impulse?: LoopImpulse;
  /** Stretches of memory that hold its intermediate values. */
  readonly scratch: readonly (readonly [number, number])[];
  /** Address and length of its result, and the numbers themselves. */
  readonly resultAt: readonly [number, number];
  result: Float64Array;
}

/** Arrays in WebAssembly memory, as layout.ts has them. */
export interface Views {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly tau: Float64Array;
  readonly qdd: Float64Array;
  readonly massMatrix: Float64Array;
  readonly armature: Float64Array;
  readonly external: Float64Array;
  /** One number: whether the last call can be trusted (guard.ts). */
  readonly status: Float64Array;
}

const INVERSE: ReadonlySet<CompiledTask> = new Set(['inverse', 'inverseLoaded', 'inverseForces']);

export class TaskCode {
  readonly plan: Plan;
  readonly layout: Layout;
  readonly choice: CodeChoice;
  readonly store: Store;
  /** What `best` gives: calls of a microsecond notice the look into a table. */
  forward: Running | undefined;
  inverse: Running | undefined;
  massMatrix: Running | undefined;
  /** The arrays of now: memory may grow while code is made. */
  views: Views;
  /** The last forward dynamics met loops whose rank only the readable algorithm can decide. */
  inDoubt = false;
  /** The same for calls of a task's `code` since somebody has set it to false. */
  codeInDoubt = false;
  readonly #mechanism: Mechanism;
  readonly #tree: Tree;
  readonly #note: (note: string) => void;
  readonly #running = new Map<CompiledTask, Running>();
  /** Blocks of links that share the code of forward dynamics; null where there are none. */
  #blocks: BlockAssembly | null | undefined;

  /** Throws where there is no WebAssembly, or a page forbids it (Content-Security-Policy without 'wasm-unsafe-eval'). */
  constructor(tree: Tree, options: CodeOptions, note: (note: string) => void) {
    const { mechanism } = tree;
    const { specialise: when = 'first-use' } = options;
    this.#mechanism = mechanism;
    this.#tree = tree;
    this.#note = note;
    this.plan = madeOnce(mechanism, `plan from ${tree.root}`, () => createPlan(tree));
    this.choice = new CodeChoice(mechanism, this.plan, when, () => this.#sharedBlocks() !== undefined);
    this.layout = layoutOf(this.plan, this.choice.matrix);
    this.store = new Store(this.layout.end);
    this.views = this.#createViews();
    this.store.onGrowth = () => {
      this.views = this.#createViews();
      for (const running of this.#running.values()) running.result = this.store.numbers(...running.resultAt);
    };
    if (this.choice.hasGeneric && !this.choice.onUse('forward')) this.#startGeneric('forward');
  }

  /** The code of a task where it is there already. */
  running(task: CompiledTask): Running | undefined {
    return this.#running.get(task);
  }

  #use(task: CompiledTask, running: Running): void {
    this.#running.set(task, running);
    if (task === 'forward') this.forward = running;
    else if (task === 'inverse') this.inverse = running;
    else if (task === 'massMatrix') this.massMatrix = running;
  }

  /** What runs a task that has generic kernels, made on first use. */
  best(task: GenericTask): Running | undefined {
    const { choice } = this;
    const running = this.#running.get(task);
    if (running !== undefined) return running;
    if (!choice.compiles(task)) return undefined;
    if (!choice.hasGeneric) return this.own(task);
    return (choice.onUse(task) ? this.#make(task) : undefined) ?? this.#startGeneric(task);
  }

  /** The code for this mechanism of a task, made on its first call; undefined where there is none. */
  own(task: CompiledTask): Running | undefined {
    const running = this.#running.get(task);
    if (running !== undefined) return running;
    return this.choice.makesFunctions ? this.#make(task) : undefined;
  }

  /** Runs code on the arrays in memory. False where only the readable algorithms know what to do with the numbers. */
  compute(running: Running): boolean {
    running.run();
    return this.views.status[0] <= TRUSTED || this.#computeAgain(running);
  }

  #computeAgain(running: Running): boolean {
    const { q, status } = this.views;
    if (turnsTooFar(this.#mechanism, q)) return false;
    if (reduceAngles(this.#mechanism, q)) running.run();
    return Number.isFinite(status[0]);
  }

  /** Makes the code for this mechanism of a task, where it is not there and can and shall be made. */
  prepare(task: CompiledTask): void {
    if (this.choice.readies(task) && this.#running.get(task) === undefined) this.#make(task);
  }

  /** For tests: fills all intermediate memory with a value. Results must not depend on it. */
  fillScratch(value: number): void {
    for (const { scratch } of this.#running.values())
      for (const [from, end] of scratch) this.store.numbers(from, (end - from) / 8).fill(value);
  }

  #startGeneric(task: GenericTask): Running {
    const { store } = this;
    const start = performance.now();
    const generic = createGeneric(this.plan, task, this.layout, store.top);
    store.reserve(generic.memoryBytes);
    generic.fill(store.memory.buffer);
    const { run } = store.instantiate(new (webAssembly().Module)(generic.bytes));
    const { call, scratch } = generic;
    const nothing = { resultAt: [0, 0], result: new Float64Array(0) } as const;
    const guarded = this.#guard(task, run, call);
    const running: Running = { tier: 'generic', run: guarded, code: run, call, scratch, ...nothing };
    this.#use(task, running);
    const time = (performance.now() - start).toFixed(1);
    this.#note(`Generic kernels for ${task}: ${generic.kernels}, ready in ${time} ms.`);
    return running;
  }

  /** Undefined where it cannot be made: generic kernels or the readable algorithms do it. */
  #make(task: CompiledTask): Running | undefined {
    try {
      this.#makeCode(task);
    } catch (error) {
      this.#note(`Code for ${task} could not be made: ${String(error)}`);
    }
    return this.#running.get(task);
  }

  #makeCode(task: CompiledTask): void {
    const { store, layout } = this;
    const scratchAt = store.top;
    const blocks = task === 'forward' ? this.#sharedBlocks() : undefined;
    const { module, made } = madeOnce(this.plan, `${task} at ${layout.end}, ${scratchAt}`, () => {
      // The force through a joint needs links that keep their mass.
      const plan = task === 'inverseForces' ? createPlan(this.#tree, new Set(this.plan.links.keys())) : this.plan;
      const made = specialise(plan, { task, layout, scratchAt, ...(blocks && { blocks }) });
      return { module: new (webAssembly().Module)(made.bytes), made };
    });
    const { bytes, memoryBytes, tables = [], operations, scratch, result: resultAt } = made;
    store.reserve(memoryBytes);
    const words = new Int32Array(store.memory.buffer);
    for (const { at, values } of tables) words.set(values, at / 4);
    const exports = store.instantiate(module);
    const open = exports.finish === undefined;
    const calls = open ? { run: this.#guard(task, exports.run), code: exports.run } : this.#closed(task, exports);
    const result = store.numbers(...resultAt);
    this.#use(task, { tier: 'specialised', ...calls, call: [], scratch: [scratch], resultAt, result });
    const { multiplications, additions, divisions } = operations;
    this.#note(
      `Code for ${task}: ${bytes.length} bytes; ${multiplications} multiplications, ${additions} additions, ${divisions} divisions.`,
    );
  }

  /** Inward pass, multipliers of the loops, outward pass. */
  #closed(task: CompiledTask, { run, finish }: WasmInstance['exports']): Pick<Running, 'run' | 'code' | 'impulse'> {
    const units = rowUnits(inShortestUnits(this.plan));
    const solver = new LoopSolver(units, loopScales(this.#tree));
    const guarded = this.#guard(task, finish);
    const result = (): Float64Array => this.#running.get(task)!.result;
    const { m } = solver;
    const free = new Float64Array(this.plan.nv);
    return {
      run: () => {
        run();
        this.inDoubt = !solver.solve(result());
        guarded();
      },
      code: () => {
        run();
        if (!solver.solve(result())) this.codeInDoubt = true;
        finish();
      },
      // What the multipliers add to the accelerations without them: H^-1 J^T lambda, whatever else acts.
      impulse: (q, broken, change) => {
        const { views } = this;
        views.q.set(q);
        views.v.fill(0);
        views.tau.fill(0);
        run();
        const numbers = result();
        numbers.fill(0, m * (m + 1));
        guarded();
        if (!(views.status[0] <= TRUSTED)) return false;
        free.set(views.qdd);
        // The outward pass writes where the inward one has left its numbers.
        run();
        let row = m * m;
        for (const [l, rows] of units.entries())
          for (let k = 0; k < rows.length; k++) numbers[row++] = broken[l][k] / rows[k];
        if (!solver.solve(numbers)) return false;
        guarded();
        for (let k = 0; k < free.length; k++) change[k] = views.qdd[k] - free[k];
        return views.status[0] <= TRUSTED;
      },
    };
  }

  /** The code of a task, with a look at the numbers after it. */
  #guard(task: CompiledTask, code: Running['code'], call: readonly number[] = []): () => void {
    const { store, plan, layout } = this;
    const { q, tau, qdd, status } = layout;
    const result = task.startsWith('forward') || task === 'solve' ? qdd : INVERSE.has(task) ? tau : undefined;
    const guard = guardModule({
      call,
      positions: [q, plan.nq],
      result: result === undefined ? [0, 0] : [result, plan.nv],
      status,
    });
    return store.instantiate(new (webAssembly().Module)(guard), { code }).run;
  }

  /** Found once; undefined where code for every link is as good. */
  #sharedBlocks(): BlockAssembly | undefined {
    if (this.#blocks === undefined) {
      const { couplings, loops } = this.#mechanism;
      const open = couplings.length === 0 && loops.length === 0;
      const planned = open
        ? madeOnce(this.#mechanism, 'shared blocks', () => new Planner(this.#mechanism).planShared())
        : undefined;
      this.#blocks = planned?.assembly ?? null;
      const { lanes = [] } = planned?.assembly.segments[0] ?? {};
      if (lanes.some((lane) => lane.length === 2))
        this.#note('Forward dynamics from a body in the middle, two halves in the lanes of vectors.');
    }
    return this.#blocks ?? undefined;
  }

  #createViews(): Views {
    const { nq, nv, links } = this.plan;
    const { q, v, tau, qdd, massMatrix, armature, external, status } = this.layout;
    const { store } = this;
    return {
      q: store.numbers(q, nq),
      v: store.numbers(v, nv),
      tau: store.numbers(tau, nv),
      qdd: store.numbers(qdd, nv),
      massMatrix: store.numbers(massMatrix, this.choice.matrix ? nv * nv : 0),
      armature: store.numbers(armature, nv),
      external: store.numbers(external, 6 * links.length),
      status: store.numbers(status, 1),
    };
  }
}
