// A mechanism with its dynamics compiled: the same interface as PlainDynamics (plain/plain-dynamics.ts) and the same
// results, by the code that task-code.ts makes; what that does not cover runs on the readable algorithms. As of every engine,
// states and lengths are checked by whoever calls (dynamics/dynamics.ts).

import type { Tableau } from '../../formulas/runge-kutta.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { createTree, type Tree } from '../../mechanism/tree.js';
import { isDamped } from '../../plan/plan.js';
import { BODY_POSE, BODY_VELOCITY } from '../../plan/results.js';
import type { Energy } from '../../reference/energy.js';
import { forceToA } from '../../spatial/spatial.js';
import type { Engine, ForwardDerivatives, FunctionName, InverseDerivatives, OutOption, Runs } from '../engine.js';
import type { LoopReport } from '../plain/assembly/report.js';
import { rowsOf } from '../plain/author-order.js';
import { foldForces, followSources, type Reduction, reduceMatrix, reductionOf } from '../plain/couplings.js';
import { foldMatrices } from '../plain/derivatives.js';
import type { InverseMassMatrix } from '../plain/mass-matrix-solver.js';
import { type ForwardOptions, type InverseOptions, type MassMatrix, PlainDynamics } from '../plain/plain-dynamics.js';
import { PlainStages, type Stages } from '../plain/stages.js';
import { weakJoint } from '../plain/weak-joints.js';
import { loadMotion } from '../threads/arrays.js';
import { GENERIC_TASKS, TASK_OF, type Tier } from './code-choice.js';
import { CoupledInverse } from './coupled-inverse.js';
import { CompiledFunctions } from './functions.js';
import type { CompiledTask } from './specialise.js';
import { MOST_STAGED, WasmStages } from './stages.js';
import { type CodeOptions, TaskCode, type Views } from './task-code.js';

export class CompiledDynamics implements Engine {
  readonly mechanism: Mechanism;
  /** The readable algorithms, for what compiled code does not cover and for its error messages. */
  readonly readable: PlainDynamics;
  readonly #notes: string[] = [];
  /** Undefined where nothing but the readable algorithms runs. */
  #code: TaskCode | undefined;
  /** Why that is so. */
  #reason = 'it was disposed of.';
  #functions: CompiledFunctions | undefined;
  /** Rows of the mass matrix. */
  readonly #joints: MassMatrix['joints'];
  /** The same where joints are coupled. */
  readonly #reduction: Reduction | undefined;
  /** Made on first use. */
  #coupled: { readonly inverse: CoupledInverse; readonly matrix: Float64Array } | undefined;
  readonly #force = new Float64Array(6);
  /** Bodies that are not part of the ground. */
  #places: readonly { readonly body: number; readonly link: number; readonly X: Float64Array }[] | undefined;
  /** 1 for each degree of freedom that follows another. */
  readonly #follows: Uint8Array;
  /** 1 for each degree of freedom of a damped joint. */
  readonly #damped: Uint8Array;
  /** Of mechanisms with loops, what the last forward dynamics was given: the report on loops asks the readable algorithm. */
  #last: { readonly state: State; readonly tau: Float64Array; unread: boolean } | undefined;
  /** Where forward dynamics was last computed by stages of a step. */
  #staged: State | undefined;

  constructor(mechanism: Mechanism, options: CodeOptions = {}, plain = new PlainDynamics(mechanism)) {
    this.mechanism = mechanism;
    this.readable = plain;
    this.#joints = rowsOf(mechanism);
    this.#reduction = mechanism.couplings.length === 0 ? undefined : reductionOf(mechanism);
    this.#damped = new Uint8Array(mechanism.nv);
    this.#follows = new Uint8Array(mechanism.nv);
    for (const { joint } of mechanism.couplings) this.#follows[mechanism.joints[joint].iv] = 1;
    for (const joint of mechanism.joints)
      if (isDamped(joint)) this.#damped.fill(1, joint.iv, joint.iv + joint.model.nv);
    const made = this.#createCode(options);
    if (typeof made === 'string') {
      this.#reason = made;
      this.#notes.push(`Readable algorithms: ${made}`);
    } else {
      this.#code = made;
      this.#functions = new CompiledFunctions(mechanism, made);
    }
  }

  /** A string says why there is none. */
  #createCode(options: CodeOptions): TaskCode | string {
    const { tree } = this;
    const weak = weakJoint(tree);
    if (weak !== undefined) return weak;
    try {
      const code = new TaskCode(tree, options, (note) => this.#notes.push(note));
      if (options.specialise !== 'never' || code.choice.hasGeneric) return code;
    } catch (error) {
      return `WebAssembly cannot be used here: ${String(error)}`;
    }
    return 'there are no generic kernels for coupled joints and closed loops, only code for the mechanism.';
  }

  get tree(): Tree {
    return this.readable.tree;
  }

  /** What runs a task; before its first call, what will. */
  tierOf(task: CompiledTask): Tier {
    return this.#code === undefined ? 'plain' : (this.#code.running(task)?.tier ?? this.#code.choice.tier(task));
  }

  get tier(): Tier {
    return this.tierOf('forward');
  }

  /** What runs a function; before its first call, what will. */
  runs(name: FunctionName): Runs {
    const code = this.#code;
    const task = TASK_OF.get(name);
    if (code === undefined) return { engine: 'plain', reason: this.#reason };
    if (task === undefined) return { engine: 'plain', reason: 'only the plain engine has it.' };
    const tier = this.tierOf(task);
    if (tier === 'plain') return { engine: 'plain', reason: code.choice.reason(task) };
    return { engine: tier === 'generic' ? 'wasm' : 'compiled' };
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Makes the code for this mechanism of that task (where it can and shall be made), so that no call has to wait for it. */
  async ready(name: CompiledTask | FunctionName = 'forward'): Promise<void> {
    const task = TASK_OF.get(name) ?? GENERIC_TASKS.find((one) => one === name);
    if (task !== undefined) this.#code?.prepare(task);
  }

  /** Accelerations under the joint forces tau. Options as in PlainDynamics; some of them take the readable algorithm. */
  forward(state: State, tau?: Float64Array, options?: ForwardOptions): Float64Array {
    const code = this.#code;
    const task = this.#forwardTask(options);
    const running =
      task === undefined ? undefined : task === 'forward' ? (code?.forward ?? code?.best(task)) : code?.best(task);
    const { nv, loops } = this.mechanism;
    if (this.#last !== undefined) this.#last.unread = false;
    this.#staged = undefined;
    if (code === undefined || running === undefined) return this.readable.forward(state, tau, options);
    const { views } = code;
    if (task === 'forwardLoaded') this.#load(views, options!);
    views.q.set(state.q);
    loadMotion(this.mechanism, views.v, views.tau, state, tau, options);
    if (loops.length > 0) this.#remember(state, views.tau);
    // Where something is wrong the readable algorithm finds out what and says it.
    if (!code.compute(running) || code.inDoubt) return this.readable.forward(state, tau, options);
    const out = options?.out ?? new Float64Array(nv);
    out.set(views.qdd);
    if (options?.jointForces !== undefined) {
      // Inverse dynamics of the accelerations, which are still in memory.
      const inverse = code.own('inverseForces')!;
      if (task === 'forward') this.#load(code.views, options);
      inverse.run();
      options.jointForces.set(inverse.result);
    }
    return out;
  }

  /** About the loops, as the last forward dynamics found them. */
  loopReport(): LoopReport {
    if (this.#staged !== undefined) this.readable.forward(this.#staged);
    else if (this.#last?.unread === true) this.readable.forward(this.#last.state, this.#last.tau);
    return this.readable.loopReport();
  }

  /** Impulses of the loop joints, by the code of forward dynamics. */
  loopImpulse(q: Float64Array, broken: readonly Float64Array[], change: Float64Array): boolean {
    return this.#code?.best('forward')?.impulse?.(q, broken, change) === true;
  }

  /** Joint forces for the accelerations qdd. */
  inverse(state: State, qdd?: Float64Array, options?: InverseOptions): Float64Array {
    const code = this.#code;
    const task = this.#inverseTask(options);
    const running = task === 'inverse' ? (code?.inverse ?? code?.best(task)) : task && code?.own(task);
    if (code === undefined || running === undefined || this.mechanism.loops.length > 0)
      return this.readable.inverse(state, qdd, options);
    const { views } = code;
    if (task !== 'inverse') this.#load(views, options!);
    views.q.set(state.q);
    views.v.set(state.v);
    if (qdd === undefined) views.qdd.fill(0);
    else views.qdd.set(qdd);
    if (this.#reduction !== undefined) followSources(this.mechanism, views.qdd);
    if (!code.compute(running)) return this.readable.inverse(state, qdd, options);
    if (this.#reduction !== undefined) foldForces(this.mechanism, views.tau);
    const out = options?.out ?? new Float64Array(this.mechanism.nv);
    out.set(views.tau);
    options?.jointForces?.set(running.result);
    return out;
  }

  /** The mass matrix; `out` takes its nv x nv numbers. */
  massMatrix(state: State, options: OutOption = {}): MassMatrix {
    const code = this.#code;
    const running = code?.massMatrix ?? code?.best('massMatrix');
    const nv = this.#reduction?.rows ?? this.mechanism.nv;
    if (code === undefined || running === undefined) return this.readable.massMatrix(state, options);
    const { q, massMatrix } = code.views;
    q.set(state.q);
    if (!code.compute(running)) return this.readable.massMatrix(state, options);
    const H = options.out ?? new Float64Array(nv * nv);
    if (this.#reduction !== undefined) reduceMatrix(H, massMatrix, this.#reduction);
    else H.set(massMatrix);
    return { n: nv, H, joints: this.#joints };
  }

  /** The inverse of the mass matrix; `out` takes its nv x nv numbers. */
  inverseMassMatrix(state: State, options: OutOption = {}): InverseMassMatrix {
    if (this.#reduction !== undefined) return this.#coupledInverse(state, this.#reduction, options);
    const { nv } = this.mechanism;
    const Hinv = options.out ?? new Float64Array(nv * nv);
    const done = this.#functions?.inverseMassMatrix(state, Hinv);
    // Where the mass matrix is singular the readable algorithm says why.
    if (done === undefined || !hasPositiveDiagonal(Hinv, nv))
      return this.readable.inverseMassMatrix(state, { out: Hinv });
    return { n: nv, Hinv, joints: this.#joints };
  }

  #coupledInverse(state: State, { rows, follows }: Reduction, options: OutOption): InverseMassMatrix {
    const { nv } = this.mechanism;
    const { inverse, matrix } = this.#coupling();
    if (this.#functions?.inverseMassMatrix(state, matrix) === undefined || !inverse.project(matrix))
      return this.readable.inverseMassMatrix(state, options);
    const Hinv = options.out ?? new Float64Array(rows * rows);
    for (let i = 0; i < nv; i++) {
      if (this.#follows[i] === 1) continue;
      for (let j = 0; j < nv; j++)
        if (this.#follows[j] === 0) Hinv[rows * follows[i] + follows[j]] = matrix[nv * i + j];
    }
    return { n: rows, Hinv, joints: this.#joints };
  }

  #coupling(): { readonly inverse: CoupledInverse; readonly matrix: Float64Array } {
    const { nv } = this.mechanism;
    this.#coupled ??= { inverse: new CoupledInverse(this.mechanism), matrix: new Float64Array(nv * nv) };
    return this.#coupled;
  }

  /** x with H x = b. */
  solve(state: State, b: Float64Array, { out = new Float64Array(b.length) }: OutOption = {}): Float64Array {
    const done = this.#reduction === undefined ? this.#functions?.solve(state, b, out) : undefined;
    return done ?? this.readable.solve(state, b, { out });
  }

  /** Pose of every body, as PlainDynamics has them. */
  poses(state: State, out: Float64Array = new Float64Array(this.mechanism.bodies.length * BODY_POSE)): Float64Array {
    return this.#functions?.poses(state, out) ?? this.readable.poses(state, out);
  }

  /** Spatial velocity of every body, as PlainDynamics has them; its pose too where there is an array for it. */
  velocities(
    state: State,
    out: Float64Array = new Float64Array(this.mechanism.bodies.length * BODY_VELOCITY),
    poses?: Float64Array,
  ): Float64Array {
    if (poses === undefined) return this.#functions?.velocities(state, out) ?? this.readable.velocities(state, out);
    if (!this.#functions?.posesAndVelocities(state, poses, out)) this.readable.velocities(state, out, poses);
    return out;
  }

  /** Jacobian of a body, by its index: 6 x nv, row major, body coordinates. */
  jacobian(state: State, body: number, out: Float64Array = new Float64Array(6 * this.mechanism.nv)): Float64Array {
    return this.#functions?.jacobian(state, body, out) ?? this.readable.jacobian(state, body, out);
  }

  /** The columns of all Jacobians: 6 x nv, row major, ground coordinates at the ground's origin. */
  jacobians(state: State, out: Float64Array = new Float64Array(6 * this.mechanism.nv)): Float64Array {
    return this.#functions?.jacobians(state, out) ?? this.readable.jacobians(state, out);
  }

  /** The centroidal momentum matrix: 6 x nv, row major. */
  centroidal(state: State, out: Float64Array = new Float64Array(6 * this.mechanism.nv)): Float64Array {
    return this.#functions?.centroidal(state, out) ?? this.readable.centroidal(state, out);
  }

  energy(state: State): Energy {
    return this.#functions?.energy(state) ?? this.readable.energy(state);
  }

  /** Derivatives of inverse dynamics at the accelerations qdd. */
  inverseDerivatives(state: State, qdd: Float64Array, out: InverseDerivatives): boolean {
    if (this.mechanism.loops.length > 0 || this.#functions?.inverseDerivatives(state, qdd, out) !== true)
      return this.readable.inverseDerivatives(state, qdd, out);
    if (this.#reduction !== undefined) foldMatrices(this.mechanism, out.dq, out.dv);
    return true;
  }

  /** Derivatives of forward dynamics, and its accelerations. */
  forwardDerivatives(state: State, tau: Float64Array, out: ForwardDerivatives): boolean {
    if (this.#functions === undefined) return this.readable.forwardDerivatives(state, tau, out);
    if (this.mechanism.loops.length > 0) return this.readable.forwardDerivatives(state, tau, out, this);
    if (this.#reduction !== undefined) this.forward(state, tau, { out: out.qdd });
    const done =
      this.#functions.forwardDerivatives(state, tau, out) &&
      (this.#reduction === undefined || this.#coupling().inverse.apply(out));
    return done || this.readable.forwardDerivatives(state, tau, out);
  }

  /**
   * The arrays in WebAssembly memory and the calls that work on them, for loops that cannot afford copies; of tasks whose code
   * is made (`ready`). Ask again after other functions have been called: the memory may have grown.
   */
  direct(task: CompiledTask): (Pick<Views, 'q' | 'v' | 'tau' | 'qdd'> & { readonly run: () => void }) | undefined {
    const running = this.#code?.running(task);
    return running === undefined ? undefined : { ...this.#code!.views, run: running.run };
  }

  /**
   * The stages of Runge-Kutta steps inside WebAssembly, with the code that runs forward dynamics now; in plain TypeScript
   * around it where that cannot be.
   */
  stages(state: State, tableau: Tableau): Stages {
    const forward = this.#code?.best('forward');
    const readable = new PlainStages(this, state, tableau);
    if (forward === undefined) return readable;
    const code = this.#code!;
    if (code.plan.links.length > MOST_STAGED) return readable;
    const stages: WasmStages = new WasmStages(code, forward, readable, state, tableau, () => {
      this.#staged = stages.end;
    });
    return stages;
  }

  /** What runs, why, and what it cost to make. */
  explain(): string {
    const tiers = GENERIC_TASKS.map((task) => `${task}: ${this.tierOf(task)}`).join(', ');
    return [`${this.mechanism.name}: ${tiers}.`, ...this.#notes].join('\n');
  }

  /** For tests: fills all intermediate memory with a value. Results must not depend on it. */
  fillScratch(value: number): void {
    this.#code?.fillScratch(value);
  }

  /** Lets go of the memory; further calls run on the readable algorithms. */
  dispose(): void {
    this.#code = undefined;
    this.#functions = undefined;
  }

  /** The task that forward dynamics with these options is; undefined where only the readable algorithm can do it. */
  #forwardTask(options: ForwardOptions | undefined): 'forward' | 'forwardLoaded' | undefined {
    if (options === undefined) return 'forward';
    const { algorithm = 'aba', schedule, external, jointForces, loopForces, armature } = options;
    // Who asks for an algorithm gets it.
    if (algorithm !== 'aba' || schedule !== undefined || loopForces !== undefined) return undefined;
    if (jointForces !== undefined && this.#code?.choice.forces !== true) return undefined;
    let task: 'forward' | 'forwardLoaded' = external === undefined ? 'forward' : 'forwardLoaded';
    if (armature === undefined) return task;
    const own = this.tree.armature;
    for (let k = 0; k < own.length; k++) {
      if (armature[k] === own[k]) continue;
      // Code reads the armature of damped joints only.
      if (this.#damped[k] === 0) return undefined;
      task = 'forwardLoaded';
    }
    return task;
  }

  /** The task that inverse dynamics with these options is; undefined where only the readable algorithm can do it. */
  #inverseTask(options: InverseOptions | undefined): 'inverse' | 'inverseLoaded' | 'inverseForces' | undefined {
    if (options === undefined) return 'inverse';
    const { external, jointForces, actuated } = options;
    if (actuated !== undefined) return undefined;
    if (jointForces !== undefined) return this.#code?.choice.forces === true ? 'inverseForces' : undefined;
    return external === undefined ? 'inverse' : 'inverseLoaded';
  }

  /** Armature and forces from outside: from bodies to the links that they are part of. */
  #load(views: Views, { armature, external }: ForwardOptions): void {
    views.armature.set(armature ?? this.tree.armature);
    const out = views.external;
    out.fill(0);
    if (external === undefined) return;
    const force = this.#force;
    this.#places ??= this.#code!.plan.bodies.flatMap(({ link, X }, body) =>
      link < 0 ? [] : [{ body, link, X: Float64Array.from(X) }],
    );
    for (const { link, X, body } of this.#places) {
      forceToA(force, 0, X, 0, external, 6 * body);
      for (let k = 0; k < 6; k++) out[6 * link + k] += force[k];
    }
  }

  #remember(state: State, tau: Float64Array): void {
    this.#last ??= { state: state.clone(), tau: new Float64Array(this.mechanism.nv), unread: true };
    this.#last.state.copy(state);
    this.#last.tau.set(tau);
    this.#last.unread = true;
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
