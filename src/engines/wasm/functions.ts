// What compiled code computes beside forward and inverse dynamics and the mass matrix: H^-1 b, poses, velocities, Jacobians,
// energy. The code of each is made on its first call; where there is none the readable algorithm does it.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { BODY_POSE, ENERGY } from '../../plan/results.js';
import type { Energy } from '../../reference/energy.js';
import { copyPositions, turnsTooFar } from '../plain/large-angles.js';
import { copyFinite } from './copy-finite.js';
import { type CompiledTask, jacobianTask } from './specialise.js';
import type { Views } from './task-code.js';

/** Code of a task and what it leaves in memory. */
export interface Code {
  readonly run: () => void;
  readonly result: Float64Array;
}

export interface FunctionParts {
  readonly mechanism: Mechanism;
  /** The code of a task, made where it is not there yet; undefined where it cannot or shall not be made. */
  readonly code: (task: CompiledTask) => Code | undefined;
  /** For each column of the inverse mass matrix its place in v; undefined where it is just that. */
  readonly columnOrder: () => Int32Array | undefined;
  /** The arrays of now: memory may grow while code is made. */
  readonly views: () => Pick<Views, 'q' | 'v' | 'tau' | 'qdd'>;
}

/** Every function returns undefined where there is no code for it. `out` is filled and returned. */
export class CompiledFunctions {
  readonly #parts: FunctionParts;
  readonly #mass: number;
  readonly #springs: readonly { readonly at: number; readonly stiffness: number; readonly rest: number }[];
  /** Tasks of the Jacobians, by body. */
  readonly #jacobians: CompiledTask[];
  /** The parts of the result of posesAndVelocities. */
  #both: { readonly of: Float64Array; readonly poses: Float64Array; readonly velocities: Float64Array } | undefined;

  constructor(parts: FunctionParts) {
    const { bodies, joints } = parts.mechanism;
    this.#parts = parts;
    this.#mass = bodies.reduce((sum, { mass }) => sum + mass, 0);
    this.#springs = joints
      .filter(({ stiffness }) => stiffness !== 0)
      .map(({ iq, stiffness, rest }) => ({ at: iq, stiffness, rest }));
    this.#jacobians = bodies.map((_, body) => jacobianTask(body));
  }

  /** H^-1, nv x nv, row major, in the order of v. */
  inverseMassMatrix(state: State, out: Float64Array): Float64Array | undefined {
    const code = this.#parts.code('inverseMassMatrix');
    if (code === undefined || turnsTooFar(this.#parts.mechanism, state.q)) return undefined;
    copyPositions(this.#parts.mechanism, this.#parts.views().q, state.q);
    code.run();
    const order = this.#parts.columnOrder();
    if (order === undefined) out.set(code.result);
    else reorder(out, code.result, order);
    return out;
  }

  /** H^-1 b */
  solve(state: State, b: Float64Array, out: Float64Array): Float64Array | undefined {
    const code = this.#parts.code('solve');
    if (code === undefined || turnsTooFar(this.#parts.mechanism, state.q)) return undefined;
    const { q, tau, qdd } = this.#parts.views();
    copyPositions(this.#parts.mechanism, q, state.q);
    tau.set(b);
    code.run();
    return copyFinite(out, qdd) ? out : undefined;
  }

  poses(state: State, out: Float64Array): Float64Array | undefined {
    return this.#atPosition('poses', state, out);
  }

  velocities(state: State, out: Float64Array): Float64Array | undefined {
    const code = this.#parts.code('velocities');
    if (code === undefined || turnsTooFar(this.#parts.mechanism, state.q)) return undefined;
    this.#run(code, state);
    out.set(code.result);
    return out;
  }

  /** Both in one pass; true where it was done. */
  posesAndVelocities(state: State, poses: Float64Array, velocities: Float64Array): boolean {
    const code = this.#parts.code('posesAndVelocities');
    if (code === undefined || turnsTooFar(this.#parts.mechanism, state.q)) return false;
    this.#run(code, state);
    const { result } = code;
    // Views are made once: a fresh one costs as much as a small computation.
    if (this.#both?.of !== result) {
      const middle = BODY_POSE * this.#parts.mechanism.bodies.length;
      this.#both = { of: result, poses: result.subarray(0, middle), velocities: result.subarray(middle) };
    }
    poses.set(this.#both.poses);
    velocities.set(this.#both.velocities);
    return true;
  }

  /** 6 x nv, row major, of the body with that index, in its coordinates. */
  jacobian(state: State, body: number, out: Float64Array): Float64Array | undefined {
    return this.#atPosition(this.#jacobians[body], state, out);
  }

  /** 6 x nv, row major: of everything that each degree of freedom carries, ground coordinates at the ground's origin. */
  jacobians(state: State, out: Float64Array): Float64Array | undefined {
    return this.#atPosition('jacobians', state, out);
  }

  energy(state: State): Energy | undefined {
    const code = this.#parts.code('energy');
    if (code === undefined || turnsTooFar(this.#parts.mechanism, state.q)) return undefined;
    this.#run(code, state);
    const { result } = code;
    const { gravity } = this.#parts.mechanism;
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

  #atPosition(task: CompiledTask, state: State, out: Float64Array): Float64Array | undefined {
    const code = this.#parts.code(task);
    if (code === undefined || turnsTooFar(this.#parts.mechanism, state.q)) return undefined;
    copyPositions(this.#parts.mechanism, this.#parts.views().q, state.q);
    code.run();
    out.set(code.result);
    return out;
  }

  #run(code: Code, state: State): void {
    const { q, v } = this.#parts.views();
    copyPositions(this.#parts.mechanism, q, state.q);
    v.set(state.v);
    code.run();
  }
}

/** A square matrix with its rows and columns at other places. */
function reorder(out: Float64Array, matrix: Float64Array, order: Int32Array): void {
  const n = order.length;
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[order[i] * n + order[j]] = matrix[i * n + j];
}
