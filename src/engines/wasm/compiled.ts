// A mechanism with its dynamics compiled: the same interface as PlainDynamics (plain/plain-dynamics.ts), the same results,
// and better code as it becomes ready. Each task starts on generic kernels and is swapped to code for this mechanism as
// soon as that is there.

import { type InverseMassColumns, inverseMassColumns } from '../../formulas/inverse-mass-columns.js';
import type { GenericTask } from '../../formulas/kernels.js';
import type { Tableau } from '../../formulas/runge-kutta.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { belongsTo, type State } from '../../mechanism/state.js';
import { createTree, type Tree } from '../../mechanism/tree.js';
import { inShortestUnits } from '../../plan/length-units.js';
import { rowUnits } from '../../plan/loops.js';
import { createPlan, isDamped, type Plan } from '../../plan/plan.js';
import { BODY_POSE, BODY_VELOCITY } from '../../plan/results.js';
import { forceToA } from '../../spatial/spatial.js';
import type { Engine, FunctionName, OutOption, Runs } from '../engine.js';
import { idleLoop } from '../plain/assembly/idle-loops.js';
import type { LoopReport } from '../plain/assembly/report.js';
import { rowsOf } from '../plain/author-order.js';
import { foldForces, followSources, type Reduction, reduceMatrix, reductionOf } from '../plain/couplings.js';
import type { Energy } from '../plain/energy.js';
import { copyPositions, turnsTooFar } from '../plain/large-angles.js';
import type { InverseMassMatrix } from '../plain/mass-matrix-solver.js';
import { addPassiveForces } from '../plain/passive.js';
import { type ForwardOptions, type InverseOptions, type MassMatrix, PlainDynamics } from '../plain/plain-dynamics.js';
import { refuseForeign } from '../plain/refuse.js';
import { PlainStages, type Stages } from '../plain/stages.js';
import { weakJoint } from '../plain/weak-joints.js';
import type { BlockAssembly } from '../threads/blocks.js';
import { Planner } from '../threads/planner.js';
import { copyFinite } from './copy-finite.js';
import { CompiledFunctions, type Views } from './functions.js';
import { countVisits, createGeneric } from './generic.js';
import { type Layout, layoutOf } from './layout.js';
import { LoopSolver } from './loop-solver.js';
import { type CompiledTask, jacobianTask } from './specialise.js';
import { type Emit, noteOfFailure, Specialiser } from './specialiser.js';
import { MOST_STAGED, WasmStages } from './stages.js';
import { Store } from './store.js';
import { type WasmInstance, webAssembly } from './webassembly.js';

export type Tier = 'plain' | 'generic' | 'specialised';

export interface CompileOptions {
  /**
   * When code for this mechanism is made: 'background' (the default) in a worker, generic kernels run until it is there;
   * 'now' on this thread before the call returns; 'first-use' on this thread at the first call of each function, unless
   * `ready` had it made before; 'small' the same for what is made within some tens of milliseconds, and generic kernels
   * for the rest; 'never'.
   */
  readonly specialise?: 'background' | 'now' | 'first-use' | 'small' | 'never';
  /** What 'now' makes; all where left out. */
  readonly tasks?: readonly CompiledTask[];
  /** Makes it in the background; a worker of this module where left out. */
  readonly emit?: Emit;
  /** Memory that other threads can see. */
  readonly shared?: boolean;
  /** Told, once, why compiled code cannot be used. */
  readonly onFallback?: (reason: string) => void;
}

/** Code of one task. */
interface Running {
  readonly tier: Tier;
  readonly run: () => void;
  /** The exported function itself and its arguments, for other modules to call. */
  readonly code: (...values: number[]) => void;
  readonly call: readonly number[];
  /** Stretches of memory that hold its intermediate values. */
  readonly scratch: readonly (readonly [number, number])[];
  /** Address and length of its result, and the numbers themselves. */
  readonly resultAt: readonly [number, number];
  result: Float64Array;
}

/** Mass matrices of deeper trees are left to the readable algorithm: code and tables grow with the square of the depth. */
const MAX_VISITS = 100_000;
/**
 * Up to these sizes 'small' makes code for the mechanism: links and, for the mass matrix, pairs of a link and one above it.
 * Milliseconds to make forward dynamics, first thing in a process / after five others (Node 20, two cores of an EPYC that
 * others used, too): human-34 70 / 20, chain-64 155 / 25, human-161 140 / 50, chain-128 210 / 40, chain-256 240 / 100; mass
 * matrix: human-34 30 / 15, chain-64 170 / 90, human-161 180 / 55, chain-256 570 / 310. Most of a first time is the warming
 * up of our own compiler; up to 64 links what follows it stays within some tens of milliseconds.
 */
const SMALL_LINKS = 64;
const SMALL_VISITS = 2048;

/** Code for every link is not made for mechanisms of more links; generic kernels, or blocks that share code, serve them. */
const MAX_WHOLE_LINKS = 800;

/** Functions without generic kernels are left to the readable algorithms above so many links: code grows with them. */
const MAX_FUNCTION_LINKS = 256;

const TASKS: readonly CompiledTask[] = ['forward', 'forwardLoaded', 'inverse', 'massMatrix'];

/** The code that a function runs; what is not here runs on the readable algorithms. */
const TASK_OF: ReadonlyMap<string, CompiledTask> = new Map<FunctionName, CompiledTask>([
  ['forward', 'forward'],
  ['forward with external', 'forwardLoaded'],
  ['forward with jointForces', 'inverseForces'],
  ['inverse', 'inverse'],
  ['inverse with external', 'inverseLoaded'],
  ['inverse with jointForces', 'inverseForces'],
  ['massMatrix', 'massMatrix'],
  ['inverseMassMatrix', 'inverseMassMatrix'],
  ['solve', 'solve'],
  ['poses', 'poses'],
  ['velocities', 'velocities'],
  ['jacobian', jacobianTask(0)],
  ['jacobians', 'jacobians'],
  ['energy', 'energy'],
]);

/** Tasks with generic kernels; code for the others is made for the mechanism, or not at all. */
const GENERIC: ReadonlySet<CompiledTask> = new Set(TASKS);

export class CompiledDynamics implements Engine {
  readonly mechanism: Mechanism;
  /** The readable algorithms, for what compiled code does not cover and for its error messages. */
  readonly readable: PlainDynamics;
  readonly #options: CompileOptions;
  /** Code is made in a worker, and swapped in while generic kernels run. */
  readonly #inBackground: boolean;
  readonly #plan: Plan | undefined;
  readonly #layout: Layout | undefined;
  #store: Store | undefined;
  readonly #running = new Map<CompiledTask, Running>();
  /** Why a task runs on the readable algorithms; '' for all of them. */
  readonly #reasons = new Map<CompiledTask | '', string>();
  readonly #notes: string[] = [];
  /** Rows of the mass matrix. */
  readonly #joints: MassMatrix['joints'];
  #specialiser: Specialiser | undefined;
  /** Pairs of a link and one above it. */
  #visits = 0;
  /** Whether the mass matrix is compiled. */
  #matrix = false;
  /** Blocks of links that share the code of forward dynamics; null where there are none. */
  #blocks: BlockAssembly | null | undefined;
  readonly #functions: CompiledFunctions;
  #views: Views;
  /** Of the inverse mass matrix; found on its first call. */
  #columns: InverseMassColumns | undefined;
  #q = new Float64Array(0);
  #v = new Float64Array(0);
  #tau = new Float64Array(0);
  #qdd = new Float64Array(0);
  #H = new Float64Array(0);
  #armature = new Float64Array(0);
  #external = new Float64Array(0);
  readonly #force = new Float64Array(6);
  /** Bodies that are not part of the ground. */
  #places: readonly { readonly body: number; readonly link: number; readonly X: Float64Array }[] | undefined;
  /** 1 for each degree of freedom of a damped joint. */
  readonly #damped: Uint8Array;
  /** The rows of the mass matrix, where joints are coupled. */
  readonly #reduction: Reduction | undefined;
  /** The last forward dynamics met loops whose rank only the readable algorithm can decide. */
  #inDoubt = false;
  /** Of mechanisms with loops, what the last forward dynamics was given: the report on loops asks the readable algorithm. */
  #last: { readonly state: State; readonly tau: Float64Array; unread: boolean } | undefined;

  constructor(mechanism: Mechanism, options: CompileOptions = {}, plain = new PlainDynamics(mechanism)) {
    this.mechanism = mechanism;
    this.readable = plain;
    this.#options = options;
    this.#inBackground = (options.specialise ?? 'background') === 'background';
    this.#joints = rowsOf(mechanism);
    this.#views = { q: this.#q, v: this.#v, tau: this.#tau, qdd: this.#qdd };
    this.#functions = new CompiledFunctions({
      mechanism,
      code: (task) => this.#code(task),
      columnOrder: () => {
        this.#columns ??= inverseMassColumns(this.#plan!);
        return this.#columns.order;
      },
      views: () => this.#views,
    });
    this.#damped = new Uint8Array(mechanism.nv);
    for (const joint of mechanism.joints)
      if (isDamped(joint)) this.#damped.fill(1, joint.iv, joint.iv + joint.model.nv);
    const weak = weakJoint(this.readable.tree);
    if (weak !== undefined) {
      this.#fallBack(weak);
      return;
    }
    const idle = idleLoop(this.readable.tree);
    if (idle !== undefined) {
      this.#fallBack(`loop "${idle}" constrains nothing that the joints leave free.`);
      return;
    }
    this.#reduction = mechanism.couplings.length === 0 ? undefined : reductionOf(mechanism);
    this.#plan = createPlan(this.readable.tree);
    this.#visits = countVisits(this.#plan.links);
    this.#matrix = this.#visits <= MAX_VISITS;
    if (!this.#matrix)
      this.#reasons.set('massMatrix', 'the tree is so deep that code or tables for it would take too much memory.');
    this.#layout = layoutOf(this.#plan, this.#matrix);
    try {
      this.#store = new Store(this.#layout.end, options.shared === true);
      this.#store.onGrowth = () => this.#refreshViews();
      this.#refreshViews();
      if (this.#hasGeneric && this.#onUse('forward') === undefined) this.#startGeneric('forward');
    } catch (error) {
      // No WebAssembly, or a page that forbids it (Content-Security-Policy without 'wasm-unsafe-eval').
      this.#store = undefined;
      this.#running.clear();
      this.#fallBack(`WebAssembly cannot be used here: ${String(error)}`);
      return;
    }
    if (options.specialise === 'never') {
      if (!this.#hasGeneric)
        this.#fallBack(
          'there are no generic kernels for coupled joints and closed loops, only code for the mechanism.',
        );
      return;
    }
    this.#specialiser = this.#createSpecialiser();
    if (options.specialise === 'now') {
      for (const task of options.tasks ?? TASKS) if (this.#specialises(task)) this.#specialiser.now(task);
    } else if (this.#inBackground) void this.#specialiser.request('forward');
  }

  /** 'specialised' where the first call of a task makes its code, and generic kernels must not run before. */
  #onUse(task: CompiledTask): 'specialised' | undefined {
    const { specialise } = this.#options;
    if (specialise === 'first-use') return 'specialised';
    if (specialise !== 'small') return undefined;
    const { length } = this.#plan!.links;
    const small = length <= SMALL_LINKS && (task !== 'massMatrix' || this.#visits <= SMALL_VISITS);
    if (small) return 'specialised';
    // Code that blocks share is short, however many links there are.
    const shared = task === 'forward' && length <= MAX_WHOLE_LINKS && this.#sharedBlocks() !== undefined;
    return shared ? 'specialised' : undefined;
  }

  /** Whether generic kernels know this kind of mechanism; if not, code for it is made on the first call. */
  get #hasGeneric(): boolean {
    return this.mechanism.couplings.length === 0 && this.mechanism.loops.length === 0;
  }

  get tree(): Tree {
    return this.readable.tree;
  }

  /** What runs forward dynamics now. */
  get tier(): Tier {
    return this.tierOf('forward');
  }

  tierOf(task: CompiledTask): Tier {
    return this.#running.get(task)?.tier ?? 'plain';
  }

  /** What runs a function; before its first call, what will. */
  runs(name: FunctionName): Runs {
    const task = TASK_OF.get(name);
    if (task === undefined)
      return { engine: 'plain', reason: this.#reasons.get('') ?? 'only the plain engine has it.' };
    const tier = this.#running.get(task)?.tier ?? this.#plannedTier(task);
    if (tier !== 'plain') return { engine: tier === 'generic' ? 'wasm' : 'compiled' };
    const reason = this.#reasons.get('') ?? this.#reasons.get(task) ?? this.#reasonForNoCode();
    return { engine: 'plain', reason };
  }

  #plannedTier(task: CompiledTask): Tier {
    if (this.#store === undefined || !this.#compiles(task)) return 'plain';
    if (this.#reduction !== undefined && (task === 'solve' || task === 'inverseMassMatrix')) return 'plain';
    if (this.mechanism.loops.length > 0 && (task === 'inverse' || task === 'inverseLoaded')) return 'plain';
    if (task === 'inverseForces' && !this.#compilesForces) return 'plain';
    if (!this.#hasGeneric || !GENERIC.has(task)) return this.#makesFunctions ? 'specialised' : 'plain';
    return this.#onUse(task) ?? 'generic';
  }

  /** Whether code is made for functions that have no generic kernels. */
  get #makesFunctions(): boolean {
    return this.#specialiser !== undefined && this.#plan!.links.length <= MAX_FUNCTION_LINKS;
  }

  /** Links keep their mass, which the force through a joint needs. */
  #wholePlan(): Plan {
    const { tree } = this.readable;
    return createPlan(tree, new Set(this.#plan!.links.keys()));
  }

  /** Whether there is code for the forces in all joints: links merged by fixed joints hide those. */
  get #compilesForces(): boolean {
    const { links, bodies } = this.#plan!;
    if (this.#reduction !== undefined || this.mechanism.loops.length > 0) return false;
    return links.length === bodies.length && bodies.every(({ link }) => link >= 0);
  }

  #forcesFit(out: Float64Array): boolean {
    return this.#makesFunctions && this.#compilesForces && out.length === 6 * this.mechanism.bodies.length;
  }

  #reasonForNoCode(): string {
    if (this.#store === undefined) return 'it was disposed of.';
    if (this.#specialiser === undefined) return 'there are no generic kernels for it.';
    if (this.mechanism.loops.length > 0) return 'for closed loops only the plain engine has it.';
    if (this.#reduction !== undefined) return 'for coupled joints only the plain engine has it.';
    if (this.#makesFunctions) return 'with fixed joints or loops only the plain engine has it.';
    return `code for it is made up to ${MAX_FUNCTION_LINKS} moving links, and there are no generic kernels.`;
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  /**
   * Done when the code for this mechanism is in use for that task (at once where it cannot or shall not be made). Where no
   * worker can be had it is made on this thread: asking is consent.
   */
  ready(name: CompiledTask | FunctionName = 'forward'): Promise<void> {
    const task = TASK_OF.get(name) ?? TASKS.find((one) => one === name);
    if (this.#specialiser === undefined || task === undefined || !this.#specialises(task)) return Promise.resolve();
    const made =
      this.#hasGeneric && GENERIC.has(task)
        ? this.#inBackground || this.#onUse(task) !== undefined
        : this.#makesFunctions;
    return made ? this.#specialiser.ready(task) : Promise.resolve();
  }

  /** Accelerations under the joint forces tau. Options as in PlainDynamics; some of them take the readable algorithm. */
  forward(state: State, tau?: Float64Array, options?: ForwardOptions): Float64Array {
    const task = this.#forwardTask(options);
    const running = task === undefined ? undefined : this.#best(task);
    const { nv } = this.mechanism;
    if (this.#last !== undefined) this.#last.unread = false;
    if (running === undefined || this.#isForeign(state)) return this.readable.forward(state, tau, options);
    if (task === 'forwardLoaded') this.#load(options!);
    const out = this.#checked('out', options?.out) ?? new Float64Array(nv);
    copyPositions(this.mechanism, this.#q, state.q);
    this.#v.set(state.v);
    if (tau === undefined) this.#tau.fill(0);
    else this.#tau.set(this.#checked('tau', tau)!);
    if (options?.passive === true) addPassiveForces(this.mechanism, this.#tau, state.q, state.v);
    if (this.mechanism.loops.length > 0) this.#remember(state);
    running.run();
    // Where something is wrong the readable algorithm finds out what and says it.
    if (this.#inDoubt || !copyFinite(out, this.#qdd)) return this.readable.forward(state, tau, options);
    if (options?.jointForces !== undefined) {
      // Inverse dynamics of the accelerations, which are still in memory.
      const inverse = this.#code('inverseForces')!;
      if (task === 'forward') this.#load(options);
      inverse.run();
      options.jointForces.set(inverse.result);
    }
    return out;
  }

  /** About the loops, as the last forward dynamics found them. */
  loopReport(): LoopReport {
    if (this.#last?.unread === true) this.readable.forward(this.#last.state, this.#last.tau);
    return this.readable.loopReport();
  }

  /** Joint forces for the accelerations qdd. */
  inverse(state: State, qdd?: Float64Array, options?: InverseOptions): Float64Array {
    const task = this.#inverseTask(options);
    const running = task === 'inverse' ? this.#best(task) : task && this.#code(task);
    if (running === undefined || this.mechanism.loops.length > 0 || this.#isForeign(state))
      return this.readable.inverse(state, qdd, options);
    if (task !== 'inverse') this.#load(options!);
    const out = this.#checked('out', options?.out) ?? new Float64Array(this.mechanism.nv);
    copyPositions(this.mechanism, this.#q, state.q);
    this.#v.set(state.v);
    if (qdd === undefined) this.#qdd.fill(0);
    else this.#qdd.set(this.#checked('qdd', qdd)!);
    followSources(this.mechanism, this.#qdd);
    running.run();
    foldForces(this.mechanism, this.#tau);
    if (!copyFinite(out, this.#tau)) return this.readable.inverse(state, qdd, options);
    options?.jointForces?.set(running.result);
    return out;
  }

  /** The task that inverse dynamics with these options is; undefined where only the readable algorithm can do it. */
  #inverseTask(options: InverseOptions | undefined): 'inverse' | 'inverseLoaded' | 'inverseForces' | undefined {
    if (options === undefined) return 'inverse';
    const { external, jointForces, actuated } = options;
    if (actuated !== undefined) return undefined;
    if (external !== undefined && external.length !== 6 * this.mechanism.bodies.length) return undefined;
    if (jointForces !== undefined) return this.#forcesFit(jointForces) ? 'inverseForces' : undefined;
    return external === undefined ? 'inverse' : 'inverseLoaded';
  }

  /** The mass matrix; `out` takes its nv x nv numbers. */
  massMatrix(state: State, options: OutOption = {}): MassMatrix {
    const running = this.#best('massMatrix');
    const nv = this.#reduction?.rows ?? this.mechanism.nv;
    if (running === undefined || this.#isForeign(state)) return this.readable.massMatrix(state, options);
    copyPositions(this.mechanism, this.#q, state.q);
    running.run();
    const H = options.out ?? new Float64Array(nv * nv);
    if (H.length !== nv * nv)
      throw MechanismError.of('length', 'out', `Expected ${nv * nv} numbers, ${nv} x ${nv}, got ${H.length}.`);
    if (this.#reduction !== undefined) reduceMatrix(H, this.#H, this.#reduction);
    else H.set(this.#H);
    return { n: nv, H, joints: this.#joints };
  }

  /** The inverse of the mass matrix; `out` takes its nv x nv numbers. */
  inverseMassMatrix(state: State, options: OutOption = {}): InverseMassMatrix {
    if (this.#reduction !== undefined) return this.readable.inverseMassMatrix(state, options);
    const { nv } = this.mechanism;
    const Hinv = options.out ?? new Float64Array(nv * nv);
    const done = this.#functions.inverseMassMatrix(state, Hinv);
    // Where the mass matrix is singular the readable algorithm says why.
    if (done === undefined || !hasPositiveDiagonal(Hinv, nv))
      return this.readable.inverseMassMatrix(state, { out: Hinv });
    return { n: nv, Hinv, joints: this.#joints };
  }

  /** x with H x = b. */
  solve(state: State, b: Float64Array, { out = new Float64Array(b.length) }: OutOption = {}): Float64Array {
    refuseForeign(this.mechanism, state);
    const done = this.#reduction === undefined ? this.#functions.solve(state, b, out) : undefined;
    return done ?? this.readable.solve(state, b, { out });
  }

  /** Pose of every body, as PlainDynamics has them. */
  poses(state: State, out: Float64Array = new Float64Array(this.mechanism.bodies.length * BODY_POSE)): Float64Array {
    refuseForeign(this.mechanism, state);
    return this.#functions.poses(state, out) ?? this.readable.poses(state, out);
  }

  /** Spatial velocity of every body, as PlainDynamics has them; its pose too where there is an array for it. */
  velocities(
    state: State,
    out: Float64Array = new Float64Array(this.mechanism.bodies.length * BODY_VELOCITY),
    poses?: Float64Array,
  ): Float64Array {
    refuseForeign(this.mechanism, state);
    if (poses === undefined) return this.#functions.velocities(state, out) ?? this.readable.velocities(state, out);
    if (!this.#functions.posesAndVelocities(state, poses, out)) {
      this.readable.poses(state, poses);
      this.readable.velocities(state, out);
    }
    return out;
  }

  /** Jacobian of a body, by its index: 6 x nv, row major, body coordinates. */
  jacobian(state: State, body: number, out: Float64Array = new Float64Array(6 * this.mechanism.nv)): Float64Array {
    refuseForeign(this.mechanism, state);
    return this.#functions.jacobian(state, body, out) ?? this.readable.jacobian(state, body, out);
  }

  /** The columns of all Jacobians: 6 x nv, row major, ground coordinates at the ground's origin. */
  jacobians(state: State, out: Float64Array = new Float64Array(6 * this.mechanism.nv)): Float64Array {
    refuseForeign(this.mechanism, state);
    return this.#functions.jacobians(state, out) ?? this.readable.jacobians(state, out);
  }

  energy(state: State): Energy {
    refuseForeign(this.mechanism, state);
    return this.#functions.energy(state) ?? this.readable.energy(state);
  }

  /** The code of a task without generic kernels, made on its first call; undefined where there is none. */
  #code(task: CompiledTask): Running | undefined {
    const running = this.#running.get(task);
    if (running !== undefined) return running;
    return this.#makesFunctions ? this.#makeNow(task) : undefined;
  }

  /**
   * The arrays in WebAssembly memory and the calls that work on them, for loops that cannot afford copies. Ask again
   * after `ready`: the memory may have grown, and code may have been swapped.
   */
  direct(
    task: CompiledTask,
  ): { q: Float64Array; v: Float64Array; tau: Float64Array; qdd: Float64Array; run: () => void } | undefined {
    const running = this.#running.get(task);
    if (running === undefined) return undefined;
    return { q: this.#q, v: this.#v, tau: this.#tau, qdd: this.#qdd, run: running.run };
  }

  /**
   * The stages of Runge-Kutta steps inside WebAssembly, with the code that runs forward dynamics now; in plain TypeScript
   * around it where that cannot be.
   */
  stages(state: State, tableau: Tableau): Stages {
    const running = this.#best('forward');
    const readable = new PlainStages(this, state, tableau);
    // Followers and loops are seen to after each stage.
    if (running === undefined || !this.#hasGeneric || this.#plan!.links.length > MOST_STAGED) return readable;
    const parts = { store: this.#store!, plan: this.#plan!, layout: this.#layout!, forward: running };
    return new WasmStages(parts, readable, state, tableau);
  }

  /** What runs, why, and what it cost to make. */
  explain(): string {
    const tiers = TASKS.map((task) => `${task}: ${this.tierOf(task)}`).join(', ');
    return [`${this.mechanism.name}: ${tiers}.`, ...this.#notes].join('\n');
  }

  /** For tests: fills all intermediate memory with a value. Results must not depend on it. */
  fillScratch(value: number): void {
    for (const { scratch } of this.#running.values())
      for (const [from, end] of scratch) this.#store!.numbers(from, (end - from) / 8).fill(value);
  }

  /** Lets go of the memory; further calls run on the readable algorithms. */
  dispose(): void {
    this.#specialiser?.stop();
    this.#specialiser = undefined;
    this.#running.clear();
    this.#store = undefined;
    const nothing = new Float64Array(0);
    this.#q = this.#v = this.#tau = this.#qdd = this.#H = this.#armature = this.#external = nothing;
  }

  /** A state that the readable algorithms must see: they refuse those of other mechanisms. */
  #isForeign(state: State): boolean {
    return !belongsTo(state, this.mechanism) || turnsTooFar(this.mechanism, state.q);
  }

  #fallBack(reason: string): void {
    this.#reasons.set('', reason);
    this.#notes.push(`Readable algorithms: ${reason}`);
    this.#options.onFallback?.(reason);
  }

  #startGeneric(task: GenericTask): Running {
    const store = this.#store!;
    const start = performance.now();
    const generic = createGeneric(this.#plan!, task, this.#layout!, store.top, store.shared);
    store.reserve(generic.memoryBytes);
    generic.fill(store.memory.buffer);
    const { run } = store.instantiate(new (webAssembly().Module)(generic.bytes));
    const [rows, end, angles, anglesEnd, visits, visitsEnd] = generic.call;
    const { scratch } = generic;
    const code = (): void => run(rows, end, angles, anglesEnd, visits, visitsEnd);
    const empty = new Float64Array(0);
    const made = { run: code, code: run, call: generic.call, scratch };
    const running: Running = { tier: 'generic', ...made, resultAt: [0, 0], result: empty };
    this.#running.set(task, running);
    const time = (performance.now() - start).toFixed(1);
    this.#notes.push(`Generic kernels for ${task}: ${generic.kernels}, ready in ${time} ms.`);
    return running;
  }

  /** The task that forward dynamics with these options is; undefined where only the readable algorithm can do it. */
  #forwardTask(options: ForwardOptions | undefined): 'forward' | 'forwardLoaded' | undefined {
    if (options === undefined) return 'forward';
    const { algorithm = 'aba', schedule, external, jointForces, loopForces, armature } = options;
    // Who asks for an algorithm gets it.
    if (algorithm !== 'aba' || schedule !== undefined || loopForces !== undefined) return undefined;
    if (jointForces !== undefined && !this.#forcesFit(jointForces)) return undefined;
    if (external !== undefined && external.length !== 6 * this.mechanism.bodies.length) return undefined;
    let task: 'forward' | 'forwardLoaded' = external === undefined ? 'forward' : 'forwardLoaded';
    if (armature === undefined) return task;
    const own = this.readable.tree.armature;
    if (armature.length !== own.length) return undefined;
    for (let k = 0; k < own.length; k++) {
      if (armature[k] === own[k]) continue;
      // Code reads the armature of damped joints only.
      if (this.#damped[k] === 0) return undefined;
      task = 'forwardLoaded';
    }
    return task;
  }

  /** Armature and forces from outside: from bodies to the links that they are part of. */
  #load({ armature, external }: ForwardOptions): void {
    this.#armature.set(armature ?? this.readable.tree.armature);
    const out = this.#external;
    out.fill(0);
    if (external === undefined) return;
    const force = this.#force;
    this.#places ??= this.#plan!.bodies.flatMap(({ link, X }, body) =>
      link < 0 ? [] : [{ body, link, X: Float64Array.from(X) }],
    );
    for (const { link, X, body } of this.#places) {
      forceToA(force, 0, X, 0, external, 6 * body);
      for (let k = 0; k < 6; k++) out[6 * link + k] += force[k];
    }
  }

  #compiles(task: CompiledTask): boolean {
    return task !== 'massMatrix' || this.#matrix;
  }

  /** Whether better code than generic kernels can be made for a task. */
  #specialises(task: CompiledTask): boolean {
    return this.#compiles(task) && (task === 'forward' || this.#plan!.links.length <= MAX_WHOLE_LINKS);
  }

  /** What runs a task, made on first use; better code is asked for where it may be swapped in later. */
  #best(task: GenericTask): Running | undefined {
    let running = this.#running.get(task);
    if (running !== undefined && !this.#inBackground) return running;
    if (this.#store === undefined || !this.#compiles(task)) return undefined;
    if (!this.#hasGeneric) return this.#code(task);
    if (running === undefined && this.#onUse(task) !== undefined) running = this.#makeNow(task);
    running ??= this.#startGeneric(task);
    if (running.tier !== 'specialised' && this.#inBackground && this.#specialises(task))
      void this.#specialiser!.request(task);
    return running;
  }

  #makeNow(task: CompiledTask): Running | undefined {
    try {
      this.#specialiser!.now(task);
    } catch (error) {
      this.#notes.push(noteOfFailure(task, error));
    }
    return this.#running.get(task);
  }

  #createSpecialiser(): Specialiser {
    const store = this.#store!;
    return new Specialiser({
      store,
      planOf: (task) => (task === 'inverseForces' ? this.#wholePlan() : this.#plan!),
      emit: this.#options.emit,
      options: { layout: this.#layout!, shared: store.shared },
      blocks: () => this.#sharedBlocks(),
      use: (task, { operations, bytes, scratch, result: resultAt }, exports) => {
        const result = store.numbers(...resultAt);
        const run = exports.finish === undefined ? exports.run : this.#closed(task, exports);
        this.#running.set(task, {
          tier: 'specialised',
          run,
          code: run,
          call: [],
          scratch: [scratch],
          resultAt,
          result,
        });
        const { multiplications, additions, divisions } = operations;
        this.#notes.push(
          `Code for ${task}: ${bytes.length} bytes; ${multiplications} multiplications, ${additions} additions, ${divisions} divisions.`,
        );
      },
      failed: (task, error) => {
        this.#notes.push(noteOfFailure(task, error));
      },
    });
  }

  #remember(state: State): void {
    this.#last ??= { state: state.clone(), tau: new Float64Array(this.mechanism.nv), unread: true };
    this.#last.state.copy(state);
    this.#last.tau.set(this.#tau);
    this.#last.unread = true;
  }

  /** Inward pass, multipliers of the loops, outward pass. */
  #closed(task: CompiledTask, { run, finish }: WasmInstance['exports']): () => void {
    const solver = new LoopSolver(rowUnits(inShortestUnits(this.#plan!)));
    return () => {
      run();
      this.#inDoubt = !solver.solve(this.#running.get(task)!.result);
      finish();
    };
  }

  /** Found once; undefined where code for every link is as good. */
  #sharedBlocks(): BlockAssembly | undefined {
    if (this.#blocks === undefined) {
      const { couplings, loops } = this.mechanism;
      const open = couplings.length === 0 && loops.length === 0;
      const planned = open ? new Planner(this.mechanism).planShared() : undefined;
      this.#blocks = planned?.assembly ?? null;
      const { lanes = [] } = planned?.assembly.segments[0] ?? {};
      if (lanes.some((lane) => lane.length === 2))
        this.#notes.push('Forward dynamics from a body in the middle, two halves in the lanes of vectors.');
    }
    return this.#blocks ?? undefined;
  }

  #refreshViews(): void {
    const { nq, nv } = this.#plan!;
    const { q, v, tau, qdd, massMatrix, armature, external } = this.#layout!;
    const store = this.#store!;
    this.#q = store.numbers(q, nq);
    this.#v = store.numbers(v, nv);
    this.#tau = store.numbers(tau, nv);
    this.#qdd = store.numbers(qdd, nv);
    this.#H = store.numbers(massMatrix, this.#matrix ? nv * nv : 0);
    this.#views = { q: this.#q, v: this.#v, tau: this.#tau, qdd: this.#qdd };
    for (const running of this.#running.values()) running.result = store.numbers(...running.resultAt);
    this.#armature = store.numbers(armature, nv);
    this.#external = store.numbers(external, 6 * this.#plan!.links.length);
  }

  #checked(what: string, given: Float64Array | undefined): Float64Array | undefined {
    const { nv } = this.mechanism;
    if (given !== undefined && given.length !== nv)
      throw MechanismError.of(
        'length',
        what,
        `Expected ${nv} numbers, one for each degree of freedom, got ${given.length}.`,
      );
    return given;
  }
}

function hasPositiveDiagonal(matrix: Float64Array, n: number): boolean {
  for (let k = 0; k < n; k++) if (!(matrix[k * (n + 1)] > 0)) return false;
  return true;
}

/** Why a mechanism is neither cut into segments for threads nor run by generic kernels. */
export function reasonForPlain(mechanism: Mechanism): string | undefined {
  if (mechanism.loops.length > 0) return 'closed loops are not cut into segments.';
  if (mechanism.couplings.length > 0) return 'coupled joints are not cut into segments.';
  return weakJoint(createTree(mechanism));
}
