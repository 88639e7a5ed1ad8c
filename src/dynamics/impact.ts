// A body strikes the ground at a point, at once: positions stay, velocities jump ([001] section 8.5, [001] eq. 23 with
// errata 001-11, for any mechanism).
//
// With u the velocity of the point and W = J H^-1 J^T its answer to an impulse lambda there: u+ = u + W lambda, and the joints
// gain H^-1 J^T lambda. Plastic and slipless means u+ = 0: all angular momenta about axes through the point, and about joint
// axes for what hangs on them, are kept, which is the paper's argument. The answer of the mechanism, loops and couplings
// included, is what forward dynamics gives for a unit force at the point, at rest and without gravity.

import { refuseForeign } from '../engines/plain/refuse.js';
import { MechanismError } from '../mechanism/errors.js';
import { Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import {
  add,
  apply,
  cross,
  dot,
  type Mat3,
  norm,
  scale,
  subtract,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { type Dynamics, plainDynamics } from './checked-dynamics.js';
import { lawfulImpulse, symmetric } from './impact-law.js';

/** A point that moves by less than this part of the speed it came with stands still. */
const STANDS = 1e-7;

/** Where a body strikes the ground, and how hard and rough the two are. */
export interface ImpactOptions {
  /** The body that strikes the ground. */
  readonly body: string;
  /** Where, ground coordinates. */
  readonly at: Vec3;
  /** Out of the ground, towards the body; of any length. */
  readonly normal: Vec3;
  /**
   * Speed after over speed before, along the normal (Newton): 0 (default) is plastic, 1 elastic. Where friction or the shape of
   * the mechanism would make that add energy, it bounces less: as much as energy allows.
   */
  readonly restitution?: number;
  /** Coefficient of Coulomb friction; infinite (default) is slipless. */
  readonly friction?: number;
}

/** The state after an impact, and what the impact did. */
export interface Impact {
  /** The same positions, with the velocities after. */
  readonly state: State;
  /** Force times seconds on the body, at the point, ground coordinates. */
  readonly impulse: Vec3;
  /** Joules. */
  readonly energyLost: number;
  /** Velocity of the point before and after, ground coordinates. */
  readonly before: Vec3;
  readonly after: Vec3;
  readonly contact: 'none' | 'stick' | 'slip';
}

/** Velocities after a body of the mechanism has struck the ground. */
export function impact(mechanism: Mechanism, state: State, options: ImpactOptions): Impact {
  const { body, at, restitution = 0, friction = Number.POSITIVE_INFINITY } = options;
  refuseForeign(mechanism, state);
  const index = mechanism.bodyIndex(body);
  check(options, restitution, friction);
  const normal = scale(1 / norm(options.normal), options.normal);
  // Without gravity the accelerations of a mechanism at rest are its answer to the force alone.
  const weightless = new Mechanism({ ...mechanism, gravity: ZERO3 });
  const dynamics = plainDynamics(weightless);
  const point = new ContactPoint(dynamics, weightless, state, index, at);
  const before = point.velocity(state.v);
  const unchanged = { state: state.clone(), impulse: ZERO3, energyLost: 0, before, after: before };
  if (dot(before, normal) >= 0) return { ...unchanged, contact: 'none' };
  const answers = ([0, 1, 2] as const).map((k) => point.answer(k));
  const W = symmetric(answers.flatMap((answer) => point.velocity(answer)) as unknown as Mat3);
  const lambda = lawfulImpulse({ W, u: before, normal, restitution, friction });
  const next = state.clone();
  for (let k = 0; k < next.v.length; k++)
    next.v[k] += lambda[0] * answers[0][k] + lambda[1] * answers[1][k] + lambda[2] * answers[2][k];
  const after = point.velocity(next.v);
  const along = subtract(after, scale(dot(after, normal), normal));
  return {
    state: next,
    impulse: lambda,
    energyLost: dynamics.energy(state).kinetic - dynamics.energy(next).kinetic,
    before,
    after,
    contact: norm(along) <= STANDS * norm(before) ? 'stick' : 'slip',
  };
}

function check({ body, at, normal }: ImpactOptions, restitution: number, friction: number): void {
  const refuse = (message: string): MechanismError => MechanismError.of('impact', `body "${body}"`, message);
  if (at.length !== 3 || !at.every(Number.isFinite))
    throw refuse(`The point must be three finite numbers, got ${at.join(', ')}.`);
  if (normal.length !== 3 || !(norm(normal) > 1e-9) || !Number.isFinite(norm(normal)))
    throw refuse(`The normal must be three finite numbers, not all zero, got ${normal.join(', ')}.`);
  if (!(restitution >= 0 && restitution <= 1)) throw refuse(`Restitution is from 0 to 1, got ${restitution}.`);
  if (!(friction >= 0)) throw refuse(`The coefficient of friction must not be negative, got ${friction}.`);
}

/** A point that is fixed in a body, at present at a place of the ground. */
class ContactPoint {
  readonly #dynamics: Dynamics;
  readonly #still: State;
  readonly #moving: State;
  readonly #body: number;
  /** Body to ground coordinates, and the point in body coordinates. */
  readonly #R: Mat3;
  readonly #x: Vec3;

  constructor(dynamics: Dynamics, mechanism: Mechanism, { q }: State, body: number, at: Vec3) {
    this.#dynamics = dynamics;
    this.#still = new State(mechanism, { q, v: new Float64Array(mechanism.nv) });
    this.#moving = new State(mechanism, { q, v: new Float64Array(mechanism.nv) });
    this.#body = body;
    const pose = dynamics.poses(this.#still).subarray(TRANSFORM * body, TRANSFORM * (body + 1));
    const E = Array.from(pose.subarray(0, 9)) as unknown as Mat3;
    this.#R = transpose(E);
    this.#x = apply(E, subtract(at, [pose[9], pose[10], pose[11]]));
  }

  /** Its velocity, ground coordinates, for the joint velocities v. */
  velocity(v: Float64Array): Vec3 {
    this.#moving.v.set(v);
    const [wx, wy, wz, x, y, z] = this.#dynamics.velocities(this.#moving).subarray(6 * this.#body, 6 * this.#body + 6);
    return apply(this.#R, add([x, y, z], cross([wx, wy, wz], this.#x)));
  }

  /** Joint velocities gained by a unit impulse at the point along a direction of the ground: H^-1 J^T e_k. */
  answer(k: 0 | 1 | 2): Float64Array {
    const force = apply(transpose(this.#R), [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0]);
    const external = new Float64Array(6 * this.#dynamics.mechanism.bodies.length);
    external.set([...cross(this.#x, force), ...force], 6 * this.#body);
    return this.#dynamics.forward(this.#still, undefined, { external });
  }
}
