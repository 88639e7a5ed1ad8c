// One state at a time: checks what it is given, has its engines compute it, and the plain engine where they cannot; report()
// says which engine runs what, and why. It knows the plain engine alone, so that a page which needs no other loads no other.

import {
  type Engine,
  type EngineName,
  type ForwardDerivatives,
  FUNCTION_NAMES,
  type FunctionName,
  type InverseDerivatives,
  type OutOption,
  type Runs,
} from '../engines/engine.js';
import type { LoopImpulse } from '../engines/plain/assembly/closing.js';
import type { LoopReport } from '../engines/plain/assembly/report.js';
import type { InverseMassMatrix } from '../engines/plain/mass-matrix-solver.js';
import {
  type ForwardOptions,
  type InverseOptions,
  type MassMatrix,
  PlainDynamics,
} from '../engines/plain/plain-dynamics.js';
import { refuseForeign } from '../engines/plain/refuse.js';
import type { Stages, Tableau } from '../engines/plain/stages.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism, Placement } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import type { Tree } from '../mechanism/tree.js';
import type { Energy } from '../reference/energy.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { type AccelerationOptions, FrameMotions, type FrameName, type FrameVelocity, type InOption } from './frames.js';

/**
 * What computes: 'plain', readable TypeScript; 'wasm', WebAssembly kernels for all mechanisms; 'compiled', WebAssembly
 * made for this mechanism; 'threads', the same on several threads. 'auto': 'compiled' where the code is made within some
 * tens of milliseconds, at the first call of each function, and 'wasm' for larger mechanisms. It depends on the mechanism
 * and the options alone: the same bits from the first call to the last.
 */
export type EngineChoice = 'auto' | Exclude<EngineName, 'mpi'>;

export const ENGINE_CHOICES: readonly EngineChoice[] = ['auto', 'plain', 'wasm', 'compiled', 'threads'];

/** Which engine runs a function, and why not the one that was asked for. */
export interface FunctionReport extends Runs {
  readonly name: FunctionName;
}

/** Which engine runs each function, and why. */
export interface DynamicsReport {
  /** What was asked for. */
  readonly engine: EngineChoice;
  readonly functions: readonly FunctionReport[];
  /** What the engine says about itself: code made, times, threads. */
  readonly notes: readonly string[];
  /** All of it in lines for a reader. */
  readonly text: string;
}

/** What computes the functions of a Dynamics. */
export interface Engines {
  readonly engine: EngineChoice;
  readonly plain: PlainDynamics;
  readonly forward: Engine;
  readonly rest: Engine;
  /** Why forward dynamics runs on the plain engine, where the engine itself does not say it. */
  readonly reason?: string | undefined;
}

/**
 * The dynamics of a mechanism by the plain engine, as `dynamics(mechanism, { engine: 'plain' })`: for pages, whose bundlers then
 * leave the other engines out.
 */
export function plainDynamics(mechanism: Mechanism): Dynamics {
  const plain = new PlainDynamics(mechanism);
  return new Dynamics(mechanism, { engine: 'plain', plain, forward: plain, rest: plain });
}

/** Made by `dynamics(mechanism)`. Given its outputs, no method that takes an `out` allocates memory. */
export class Dynamics {
  readonly mechanism: Mechanism;
  /** What was asked for; `report()` says what runs. */
  readonly engine: EngineChoice;
  readonly #plain: PlainDynamics;
  /** Runs forward dynamics. */
  #forward: Engine;
  /** Runs the rest. */
  #rest: Engine;
  /** Why forward dynamics runs on the plain engine, where the engine itself does not say it. */
  readonly #reason: string | undefined;
  readonly #frames: FrameMotions;

  /** Use `dynamics()`. */
  constructor(mechanism: Mechanism, { engine, plain, forward, rest, reason }: Engines) {
    this.mechanism = mechanism;
    this.engine = engine;
    this.#plain = plain;
    this.#frames = new FrameMotions(this);
    this.#forward = forward;
    this.#rest = rest;
    this.#reason = reason;
  }

  /**
   * How the plain engine sees the mechanism.
   * @internal
   */
  get tree(): Tree {
    return this.#plain.tree;
  }

  /**
   * Whole Runge-Kutta steps where the engine can take them; for the integrators of Simulation.
   * @internal
   */
  stages(state: State, tableau: Tableau): Stages | undefined {
    return this.#forward.stages?.(state, tableau);
  }

  /**
   * Impulses of the loop joints where the engine has them; for LoopClosing.
   * @internal
   */
  get loopImpulse(): LoopImpulse {
    return (q, broken, change) => this.#forward.loopImpulse?.(q, broken, change) === true;
  }

  /** Accelerations of the joints under the joint forces tau (none where left out). */
  forward(state: State, tau?: Float64Array, options?: ForwardOptions): Float64Array {
    const { nv } = this.mechanism;
    refuseForeign(this.mechanism, state);
    if (tau !== undefined && tau.length !== nv) refuseLength('tau', tau, nv, OF_DOF);
    if (options !== undefined) this.#checkForward(options);
    return this.#forward.forward(state, tau, options);
  }

  /** Joint forces that produce the accelerations qdd (none where left out). */
  inverse(state: State, qdd?: Float64Array, options?: InverseOptions): Float64Array {
    const { nv } = this.mechanism;
    refuseForeign(this.mechanism, state);
    if (qdd !== undefined && qdd.length !== nv) refuseLength('qdd', qdd, nv, OF_DOF);
    if (options !== undefined) this.#checkForward(options);
    const engine = this.#rest;
    return engine.inverse === undefined
      ? this.#plain.inverse(state, qdd, options)
      : engine.inverse(state, qdd, options);
  }

  /** The mass matrix, rows and columns in the order of v; that of the independent joints where there are couplings. */
  massMatrix(state: State, options?: OutOption): MassMatrix {
    refuseForeign(this.mechanism, state);
    this.#checkMatrix(options?.out);
    const engine = this.#rest;
    return engine.massMatrix === undefined ? this.#plain.massMatrix(state, options) : engine.massMatrix(state, options);
  }

  /** The inverse of the mass matrix, in O(n^2) (the plain engine: by the factors along the tree). */
  inverseMassMatrix(state: State, options?: OutOption): InverseMassMatrix {
    refuseForeign(this.mechanism, state);
    this.#checkMatrix(options?.out);
    const engine = this.#rest;
    if (engine.inverseMassMatrix === undefined) return this.#plain.inverseMassMatrix(state, options);
    return engine.inverseMassMatrix(state, options);
  }

  /** x with H x = b, where H is the mass matrix. */
  solve(state: State, b: Float64Array, options?: OutOption): Float64Array {
    const rows = this.#rows;
    refuseForeign(this.mechanism, state);
    if (b.length !== rows) refuseLength('b', b, rows, 'one for each row of the mass matrix');
    const out = options?.out;
    if (out !== undefined && out.length !== rows) refuseLength('out', out, rows, 'one for each row of the mass matrix');
    const engine = this.#rest;
    return engine.solve === undefined ? this.#plain.solve(state, b, options) : engine.solve(state, b, options);
  }

  /**
   * Pose of every body, in the order of `mechanism.bodies`: 12 numbers each, E row major (ground to body coordinates), then
   * the body's origin in ground coordinates. `pose` gives one by name.
   */
  poses(state: State, options?: OutOption): Float64Array {
    refuseForeign(this.mechanism, state);
    const size = TRANSFORM * this.mechanism.bodies.length;
    const out = options?.out ?? new Float64Array(size);
    if (out.length !== size) refuseLength('out', out, size, 'twelve for each body');
    const engine = this.#rest;
    return engine.poses === undefined ? this.#plain.poses(state, out) : engine.poses(state, out);
  }

  /**
   * Velocity of every body, in the order of `mechanism.bodies`: 6 numbers each, angular and linear, at its origin, body
   * coordinates. `poses`: filled with what the method of that name gives, in the same pass.
   */
  velocities(state: State, options?: OutOption & { readonly poses?: Float64Array }): Float64Array {
    refuseForeign(this.mechanism, state);
    const size = 6 * this.mechanism.bodies.length;
    const out = options?.out ?? new Float64Array(size);
    if (out.length !== size) refuseLength('out', out, size, OF_BODY);
    const poses = options?.poses;
    if (poses !== undefined && poses.length !== 2 * size)
      refuseLength('poses', poses, 2 * size, 'twelve for each body');
    const engine = this.#rest;
    return engine.velocities === undefined
      ? this.#plain.velocities(state, out, poses)
      : engine.velocities(state, out, poses);
  }

  /**
   * While `act` asks for poses, velocities and accelerations of many frames, state and accelerations stay as they are: all of them
   * together take as long as one.
   * @internal
   */
  still<T>(act: () => T): T {
    return this.#frames.hold(act);
  }

  /**
   * Pose of a frame (a body, a named frame or a point of either): t is its origin in ground coordinates, E takes ground to its
   * own coordinates. With `relativeTo`, seen from that frame. `out`: what an earlier call gave, to be filled again.
   */
  pose(
    state: State,
    frame: FrameName,
    options: Pick<InOption, 'relativeTo'> & { readonly out?: Placement } = {},
  ): Placement {
    refuseForeign(this.mechanism, state);
    return this.#frames.pose(state, frame, options);
  }

  /**
   * Velocity of a frame: at its origin, in its own coordinates, unless options say otherwise. `out`: what an earlier call gave, to be
   * filled again.
   */
  velocity(state: State, frame: FrameName, options: InOption & { readonly out?: FrameVelocity } = {}): FrameVelocity {
    refuseForeign(this.mechanism, state);
    return this.#frames.velocity(state, frame, options);
  }

  /**
   * Acceleration of a frame for the joint accelerations `qdd` (none where left out), gravity not included. `out`: what an earlier call
   * gave, to be filled again.
   */
  acceleration(
    state: State,
    frame: FrameName,
    options: AccelerationOptions & { readonly out?: FrameVelocity } = {},
  ): FrameVelocity {
    refuseForeign(this.mechanism, state);
    const { nv } = this.mechanism;
    if (options.qdd !== undefined && options.qdd.length !== nv) refuseLength('qdd', options.qdd, nv, OF_DOF);
    return this.#frames.acceleration(state, frame, options);
  }

  /** Jacobian of a frame: 6 x nv, row major; times v it gives what `velocity` gives with the same options, angular first. */
  jacobian(state: State, frame: FrameName, options: OutOption & InOption = {}): Float64Array {
    refuseForeign(this.mechanism, state);
    const J = this.#jacobianOut(options.out);
    if (typeof frame === 'string' && this.mechanism.hasBody(frame) && isOwn(options)) {
      const engine = this.#rest;
      const body = this.mechanism.bodyIndex(frame);
      return engine.jacobian === undefined ? this.#plain.jacobian(state, body, J) : engine.jacobian(state, body, J);
    }
    return this.#frames.jacobian(state, frame, options, J);
  }

  /** The rate of what `jacobian` gives, along v: 6 x nv, row major. Times v it is `acceleration` without qdd. */
  jacobianRate(state: State, frame: FrameName, options: OutOption & InOption = {}): Float64Array {
    refuseForeign(this.mechanism, state);
    return this.#frames.jacobianRate(state, frame, options, this.#jacobianOut(options.out));
  }

  /**
   * The columns of all Jacobians: 6 x nv, row major. Column k is the motion, angular and linear, that one unit of degree of
   * freedom k gives the bodies it carries, in ground coordinates at the ground's origin.
   */
  jacobians(state: State, options?: OutOption): Float64Array {
    refuseForeign(this.mechanism, state);
    const size = 6 * this.mechanism.nv;
    const out = options?.out ?? new Float64Array(size);
    if (out.length !== size) refuseLength('out', out, size, 'six for each degree of freedom');
    const engine = this.#rest;
    return engine.jacobians === undefined ? this.#plain.jacobians(state, out) : engine.jacobians(state, out);
  }

  /**
   * The centroidal momentum matrix: 6 x nv, row major; times v it gives the angular momentum about the centre of mass and the
   * linear momentum, in ground axes. Bodies that are welded to the ground do not count.
   */
  centroidal(state: State, options?: OutOption): Float64Array {
    refuseForeign(this.mechanism, state);
    const size = 6 * this.mechanism.nv;
    const out = options?.out ?? new Float64Array(size);
    if (out.length !== size) refuseLength('out', out, size, 'six for each degree of freedom');
    const engine = this.#rest;
    return engine.centroidal === undefined ? this.#plain.centroidal(state, out) : engine.centroidal(state, out);
  }

  /** Energy, momentum and centre of mass. */
  energy(state: State): Energy {
    refuseForeign(this.mechanism, state);
    const engine = this.#rest;
    return engine.energy === undefined ? this.#plain.energy(state) : engine.energy(state);
  }

  /**
   * How the joint forces that produce qdd (none where left out) change with positions and velocities, along the degrees of freedom
   * as `integrate` moves them; how they change with qdd is the mass matrix. Columns of coupled joints are zero: they go with
   * their sources.
   */
  inverseDerivatives(
    state: State,
    qdd?: Float64Array,
    options: { readonly out?: InverseDerivatives } = {},
  ): InverseDerivatives {
    const { nv } = this.mechanism;
    refuseForeign(this.mechanism, state);
    const given = qdd ?? new Float64Array(nv);
    if (given.length !== nv) refuseLength('qdd', given, nv, OF_DOF);
    const matrix = (): Float64Array => new Float64Array(nv * nv);
    const out = options.out ?? { dq: matrix(), dv: matrix() };
    this.#checkSquare('dq', out.dq);
    this.#checkSquare('dv', out.dv);
    if (this.#rest.inverseDerivatives?.(state, given, out) !== true) this.#plain.inverseDerivatives(state, given, out);
    return out;
  }

  /** The accelerations under the joint forces tau, and how they change with positions, velocities and tau. */
  forwardDerivatives(
    state: State,
    tau?: Float64Array,
    options: { readonly out?: ForwardDerivatives } = {},
  ): ForwardDerivatives {
    const { nv } = this.mechanism;
    refuseForeign(this.mechanism, state);
    const given = tau ?? new Float64Array(nv);
    if (given.length !== nv) refuseLength('tau', given, nv, OF_DOF);
    const matrix = (): Float64Array => new Float64Array(nv * nv);
    const out = options.out ?? { qdd: new Float64Array(nv), dq: matrix(), dv: matrix(), dtau: matrix() };
    this.#checkSquare('dq', out.dq);
    this.#checkSquare('dv', out.dv);
    this.#checkSquare('dtau', out.dtau);
    if (out.qdd.length !== nv) refuseLength('qdd', out.qdd, nv, OF_DOF);
    if (this.#rest.forwardDerivatives?.(state, given, out) !== true) this.#plain.forwardDerivatives(state, given, out);
    return out;
  }

  /** About the loops, as the last forward dynamics found them. */
  loopReport(): LoopReport {
    return this.#forward.loopReport?.() ?? this.#plain.loopReport();
  }

  /**
   * Done when the code of these functions ('forward' where none is named) is made and threads are warm. Calls before it
   * give the same results: they make the code themselves.
   */
  async ready(...names: readonly FunctionName[]): Promise<void> {
    for (const name of names.length === 0 ? (['forward'] as const) : names)
      await (name === 'forward' ? this.#forward : this.#rest).ready(name);
  }

  /** Which engine runs each function, and why. */
  report(): DynamicsReport {
    const functions = FUNCTION_NAMES.map((name): FunctionReport => ({ name, ...this.#runs(name) }));
    const { notes } = this.#forward === this.#plain ? this.#rest : this.#forward;
    const lines = functions.map(
      ({ name, engine, reason }) =>
        `${name}: ${engine}${reason === undefined ? '' : ` (${reason.replace(/\.$/, '')})`}`,
    );
    const text = [`${this.mechanism.name}: engine ${this.engine}`, ...lines, ...notes].join('\n');
    return { engine: this.engine, functions, notes, text };
  }

  /** Lets go of memory and threads; further calls run on the plain engine. */
  dispose(): void {
    this.#forward.dispose();
    this.#rest.dispose();
    this.#forward = this.#plain;
    this.#rest = this.#plain;
  }

  #runs(name: FunctionName): Runs {
    if (name.startsWith('forward')) {
      if (this.#reason !== undefined && this.#rest !== this.#plain) return { engine: 'plain', reason: this.#reason };
      return this.#forward.runs(name);
    }
    return this.#rest.runs(name);
  }

  /** Rows of the mass matrix: a coupled joint is part of the one it follows. */
  get #rows(): number {
    return this.mechanism.nv - this.mechanism.couplings.length;
  }

  #checkForward({ out, external, jointForces, loopForces, armature }: ForwardOptions): void {
    const { nv, bodies, loops } = this.mechanism;
    if (out !== undefined && out.length !== nv) refuseLength('out', out, nv, OF_DOF);
    if (armature !== undefined && armature.length !== nv) refuseLength('armature', armature, nv, OF_DOF);
    if (external !== undefined && external.length !== 6 * bodies.length)
      refuseLength('external', external, 6 * bodies.length, OF_BODY);
    if (jointForces !== undefined && jointForces.length !== 6 * bodies.length)
      refuseLength('jointForces', jointForces, 6 * bodies.length, OF_BODY);
    if (loopForces !== undefined && loopForces.length !== 6 * loops.length)
      refuseLength('loopForces', loopForces, 6 * loops.length, 'six for each loop joint');
  }

  #checkSquare(what: string, matrix: Float64Array): void {
    const { nv } = this.mechanism;
    if (matrix.length !== nv * nv) refuseLength(what, matrix, nv * nv, `${nv} x ${nv}`);
  }

  #checkMatrix(out: Float64Array | undefined): void {
    const rows = this.#rows;
    if (out !== undefined && out.length !== rows * rows) refuseLength('out', out, rows * rows, `${rows} x ${rows}`);
  }

  #jacobianOut(out: Float64Array | undefined): Float64Array {
    const size = 6 * this.mechanism.nv;
    const J = out ?? new Float64Array(size);
    if (J.length !== size) refuseLength('out', J, size, 'six for each degree of freedom');
    return J;
  }
}

/** Whether a Jacobian is that of a body in its own coordinates, which engines have code for. */
const isOwn = (options: InOption): boolean =>
  options.relativeTo === undefined && (options.in === undefined || options.in === 'frame');

const OF_DOF = 'one for each degree of freedom';
const OF_BODY = 'six for each body';

function refuseLength(what: string, { length }: Float64Array, expected: number, meaning: string): never {
  throw MechanismError.of('length', what, `Expected ${expected} numbers, ${meaning}, got ${length}.`);
}
