// What compiled code computes beside forward and inverse dynamics and the mass matrix: H^-1 b, poses, velocities, Jacobians,
// energy. The code of each is made on its first call; where there is none the readable algorithm does it.

import { forwardDerivativeColumns } from '../../formulas/forward-derivative-columns.js';
import { type InverseMassColumns, inverseMassColumns } from '../../formulas/inverse-mass-columns.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { BODY_POSE, ENERGY } from '../../plan/results.js';
import type { Energy } from '../../reference/energy.js';
import type { ForwardDerivatives, InverseDerivatives } from '../engine.js';
import { followSources } from '../plain/couplings.js';
import { type CompiledTask, jacobianTask } from './specialise.js';
import type { Running, TaskCode } from './task-code.js';

/** Every function returns undefined where the readable algorithm must do it. `out` is filled and returned. */
export class CompiledFunctions {
  readonly #mechanism: Mechanism;
  readonly #code: TaskCode;
  readonly #mass: number;
  readonly #springs: readonly { readonly at: number; readonly stiffness: number; readonly rest: number }[];
  /** Tasks of the Jacobians, by body. */
  readonly #jacobians: CompiledTask[];
  /** Of the inverse mass matrix; found on its first call. */
  #columns: InverseMassColumns | undefined;
  /** The parts of the result of posesAndVelocities. */
  #both: { readonly of: Float64Array; readonly poses: Float64Array; readonly velocities: Float64Array } | undefined;

  /** Matrices of the derivatives, in memory. */
  #inverseParts: Parts | undefined;
  #forwardParts: Parts | undefined;

  constructor(mechanism: Mechanism, code: TaskCode) {
    const { bodies, joints } = mechanism;
    this.#mechanism = mechanism;
    this.#code = code;
    this.#mass = bodies.reduce((sum, { mass }) => sum + mass, 0);
    this.#springs = joints
      .filter(({ stiffness }) => stiffness !== 0)
      .map(({ iq, stiffness, rest }) => ({ at: iq, stiffness, rest }));
    this.#jacobians = bodies.map((_, body) => jacobianTask(body));
  }

  /** H^-1, nv x nv, row major, in the order of v. */
  inverseMassMatrix(state: State, out: Float64Array): Float64Array | undefined {
    const running = this.#at('inverseMassMatrix', state);
    if (running === undefined) return undefined;
    this.#columns ??= inverseMassColumns(this.#code.plan);
    copyMatrix(out, running.result, this.#columns.order);
    return out;
  }

  /** H^-1 b */
  solve(state: State, b: Float64Array, out: Float64Array): Float64Array | undefined {
    const running = this.#code.own('solve');
    if (running === undefined) return undefined;
    const { q, tau, qdd } = this.#code.views;
    q.set(state.q);
    tau.set(b);
    if (!this.#code.compute(running)) return undefined;
    out.set(qdd);
    return out;
  }

  poses(state: State, out: Float64Array): Float64Array | undefined {
    return this.#fill('poses', state, out);
  }

  velocities(state: State, out: Float64Array): Float64Array | undefined {
    this.#code.views.v.set(state.v);
    return this.#fill('velocities', state, out);
  }

  /** Both in one pass; true where it was done. */
  posesAndVelocities(state: State, poses: Float64Array, velocities: Float64Array): boolean {
    this.#code.views.v.set(state.v);
    const result = this.#at('posesAndVelocities', state)?.result;
    if (result === undefined) return false;
    // Views are made once: a fresh one costs as much as a small computation.
    if (this.#both?.of !== result) {
      const middle = BODY_POSE * this.#mechanism.bodies.length;
      this.#both = { of: result, poses: result.subarray(0, middle), velocities: result.subarray(middle) };
    }
    poses.set(this.#both.poses);
    velocities.set(this.#both.velocities);
    return true;
  }

  /** 6 x nv, row major, of the body with that index, in its coordinates. */
  jacobian(state: State, body: number, out: Float64Array): Float64Array | undefined {
    return this.#fill(this.#jacobians[body], state, out);
  }

  /** 6 x nv, row major: of everything that each degree of freedom carries, ground coordinates at the ground's origin. */
  jacobians(state: State, out: Float64Array): Float64Array | undefined {
    return this.#fill('jacobians', state, out);
  }

  /** 6 x nv, row major: momentum about the centre of mass for one unit of each degree of freedom. */
  centroidal(state: State, out: Float64Array): Float64Array | undefined {
    return this.#fill('centroidal', state, out);
  }

  energy(state: State): Energy | undefined {
    this.#code.views.v.set(state.v);
    const result = this.#at('energy', state)?.result;
    if (result === undefined) return undefined;
    const { gravity } = this.#mechanism;
    const [x, y, z] = [result[ENERGY.moment], result[ENERGY.moment + 1], result[ENERGY.moment + 2]];
    let springs = 0;
    for (const { at, stiffness, rest } of this.#springs) springs += (stiffness * (state.q[at] - rest) ** 2) / 2;
    const mass = this.#mass;
    const scale = mass > 0 ? 1 / mass : 0;
    const P = ENERGY.momentum;
    return {
      kinetic: result[ENERGY.kinetic],
      potential: springs - (gravity[0] * x + gravity[1] * y + gravity[2] * z),
      mass,
      com: [scale * x, scale * y, scale * z],
      momentum: {
        angular: [result[P], result[P + 1], result[P + 2]],
        linear: [result[P + 3], result[P + 4], result[P + 5]],
      },
    };
  }

  /** True where it was done. */
  inverseDerivatives(state: State, qdd: Float64Array, { dq, dv }: InverseDerivatives): boolean {
    const { nv } = this.#mechanism;
    const { views } = this.#code;
    views.v.set(state.v);
    views.qdd.set(qdd);
    followSources(this.#mechanism, views.qdd);
    const result = this.#at('inverseDerivatives', state)?.result;
    if (result === undefined) return false;
    if (this.#inverseParts?.of !== result) this.#inverseParts = this.#matrices(result, [0, nv * nv]);
    const { order, parts } = this.#inverseParts;
    copyMatrix(dq, parts[0], order);
    copyMatrix(dv, parts[1], order);
    return true;
  }

  /** True where it was done; of coupled joints the accelerations must be in `out` already. */
  forwardDerivatives(state: State, tau: Float64Array, { dq, dv, dtau, qdd }: ForwardDerivatives): boolean {
    const { nv, couplings } = this.#mechanism;
    const { views } = this.#code;
    views.v.set(state.v);
    if (couplings.length > 0) views.qdd.set(qdd);
    else views.tau.set(tau);
    const result = this.#at('forwardDerivatives', state)?.result;
    if (result === undefined) return false;
    // The memory may have grown since.
    qdd.set(this.#code.views.qdd);
    if (this.#forwardParts?.of !== result) {
      const at = forwardDerivativeColumns(this.#code.plan).result;
      this.#forwardParts = this.#matrices(result, [0, at, at + nv * nv]);
    }
    const { order, parts } = this.#forwardParts;
    copyMatrix(dtau, parts[0], order);
    copyMatrix(dq, parts[1], order);
    copyMatrix(dv, parts[2], order);
    return true;
  }

  /** Matrices of a result: their views are made once. */
  #matrices(of: Float64Array, places: readonly number[]): Parts {
    this.#columns ??= inverseMassColumns(this.#code.plan);
    const size = this.#mechanism.nv ** 2;
    return { of, order: this.#columns.order, parts: places.map((at) => of.subarray(at, at + size)) };
  }

  #fill(task: CompiledTask, state: State, out: Float64Array): Float64Array | undefined {
    const running = this.#at(task, state);
    if (running === undefined) return undefined;
    out.set(running.result);
    return out;
  }

  /** A task computed at the positions of a state; velocities are in memory already, where it needs them. */
  #at(task: CompiledTask, state: State): Running | undefined {
    const code = this.#code;
    const running = code.own(task);
    if (running === undefined) return undefined;
    code.views.q.set(state.q);
    return code.compute(running) ? running : undefined;
  }
}

/** Square matrices of a result, and the places of their columns in v. */
interface Parts {
  readonly of: Float64Array;
  readonly order: Int32Array | undefined;
  readonly parts: readonly Float64Array[];
}

/** With rows and columns at other places where there is an order. */
function copyMatrix(out: Float64Array, matrix: Float64Array, order: Int32Array | undefined): void {
  if (order === undefined) out.set(matrix);
  else reorder(out, matrix, order);
}

/** A square matrix with its rows and columns at other places. */
function reorder(out: Float64Array, matrix: Float64Array, order: Int32Array): void {
  const n = order.length;
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[order[i] * n + order[j]] = matrix[i * n + j];
}
