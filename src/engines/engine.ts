// What the front door (dynamics/dynamics.ts) asks of an engine. The plain engine can do all of it. Another engine has the
// methods it has code for: one that is missing here, or a call it cannot do, runs on the plain engine.

import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import type { Energy } from '../reference/energy.js';
import type { LoopImpulse } from './plain/assembly/closing.js';
import type { LoopReport } from './plain/assembly/report.js';
import type { MassMatrix } from './plain/author-order.js';
import type { InverseMassMatrix } from './plain/mass-matrix-solver.js';
import type { ForwardOptions, InverseOptions, PlainDynamics } from './plain/plain-dynamics.js';
import type { Stages, Tableau } from './plain/stages.js';

/** Plain TypeScript; generic WebAssembly kernels; WebAssembly made for one mechanism; the same on several threads, or over ranks of MPI. */
export type EngineName = 'plain' | 'wasm' | 'compiled' | 'threads' | 'mpi';

/** The functions of a mechanism that an engine may have code for; with options that need other code. */
export const FUNCTION_NAMES = [
  'forward',
  'forward with external',
  'forward with jointForces',
  'forward with algorithm or schedule',
  'inverse',
  'inverse with external',
  'inverse with jointForces',
  'massMatrix',
  'inverseMassMatrix',
  'solve',
  'poses',
  'velocities',
  'velocities with poses',
  'jacobian',
  'jacobians',
  'centroidal',
  'energy',
  'inverseDerivatives',
  'forwardDerivatives',
] as const;

/** The functions that engines have. */
export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** Which engine runs a function, and why it is not the one that was asked for. */
export interface Runs {
  readonly engine: EngineName;
  readonly reason?: string;
}

/** Processes that compute one mechanism together: what `mpi()` of manikin/mpi gives. */
export interface Ranks {
  /** Which of them this process is, from 0 on, and how many there are. */
  readonly rank: number;
  readonly ranks: number;
  /** Whose MPI it is, with its version. */
  readonly implementation: string;
  /**
   * Forward dynamics by all ranks, and what each computes the rest with.
   * @internal
   */
  engine(
    mechanism: Mechanism,
    plain: PlainDynamics,
    deterministic: boolean | undefined,
  ): Engine & { readonly serial: Engine };
}

/** Arrays for results; made afresh where left out. */
export interface OutOption {
  readonly out?: Float64Array;
}

/** How the joint forces of inverse dynamics change with positions and velocities: nv x nv each, row major. */
export interface InverseDerivatives {
  /** Column j: along degree of freedom j, as `integrate` moves it. */
  readonly dq: Float64Array;
  readonly dv: Float64Array;
}

/** The accelerations of forward dynamics, and how they change with positions, velocities and joint forces. */
export interface ForwardDerivatives extends InverseDerivatives {
  readonly qdd: Float64Array;
  readonly dtau: Float64Array;
}

/** Sizes and states have been checked by whoever calls. */
export interface Engine {
  forward(state: State, tau?: Float64Array, options?: ForwardOptions): Float64Array;
  inverse?(state: State, qdd?: Float64Array, options?: InverseOptions): Float64Array;
  massMatrix?(state: State, options?: OutOption): MassMatrix;
  inverseMassMatrix?(state: State, options?: OutOption): InverseMassMatrix;
  solve?(state: State, b: Float64Array, options?: OutOption): Float64Array;
  /** 12 numbers for each body: ground to body frame (E row major, then the origin in ground coordinates). */
  poses?(state: State, out: Float64Array): Float64Array;
  /** 6 numbers for each body [angular, linear], at its origin, body coordinates. `poses`: filled too. */
  velocities?(state: State, out: Float64Array, poses?: Float64Array): Float64Array;
  /** Of a body, by its index: 6 x nv, row major; times v it gives the body's velocity as `velocities` has it. */
  jacobian?(state: State, body: number, out: Float64Array): Float64Array;
  /** Of everything that each degree of freedom carries: 6 x nv, row major, ground coordinates at the ground's origin. */
  jacobians?(state: State, out: Float64Array): Float64Array;
  /** The centroidal momentum matrix: 6 x nv, row major. */
  centroidal?(state: State, out: Float64Array): Float64Array;
  energy?(state: State): Energy;
  /** Of joint forces at the accelerations qdd; false where it cannot be done. */
  inverseDerivatives?(state: State, qdd: Float64Array, out: InverseDerivatives): boolean;
  /** Of the accelerations under the forces tau; false where it cannot be done. */
  forwardDerivatives?(state: State, tau: Float64Array, out: ForwardDerivatives): boolean;
  /** About the loops, as the last forward dynamics found them. */
  loopReport?(): LoopReport;
  /** Impulses of the loop joints. */
  loopImpulse?: LoopImpulse;
  /** Whole Runge-Kutta steps, where the engine takes them faster than they are made of calls of `forward`. */
  stages?(state: State, tableau: Tableau): Stages;
  /** What runs a function; before its first call, what will. */
  runs(name: FunctionName): Runs;
  /** Done when the code of that function is made. */
  ready(name: FunctionName): Promise<void>;
  /** What there is to say about how it runs: code made, times, threads. */
  readonly notes: readonly string[];
  dispose(): void;
}
