// A body strikes the ground at a point, at once: positions stay, velocities jump ([001] section 8.5, for any mechanism).
//
// With u the velocity of the point and W = J H^-1 J^T its answer to an impulse lambda there: u+ = u + W lambda, and the joints
// gain H^-1 J^T lambda. Plastic and slipless means u+ = 0: all angular momenta about axes through the point, and about joint
// axes for what hangs on them, are kept, which is the paper's argument. The answer of the mechanism, loops and couplings
// included, is what forward dynamics gives for a unit force at the point, at rest and without gravity.

import { PlainDynamics } from '../engines/plain/plain-dynamics.js';
import { MechanismError } from '../mechanism/errors.js';
import { Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import {
  add,
  apply,
  axisFrame,
  cross,
  dot,
  type Mat3,
  norm,
  scale,
  subtract,
  symmetricEigen,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';

export interface ImpactOptions {
  /** The body that strikes the ground. */
  readonly body: string;
  /** Where, ground coordinates. */
  readonly at: Vec3;
  /** Out of the ground, towards the body; of any length. */
  readonly normal: Vec3;
  /** Speed after over speed before, along the normal (Newton): 0 (default) is plastic, 1 elastic. */
  readonly restitution?: number;
  /** Coefficient of Coulomb friction; infinite (default) is slipless. */
  readonly friction?: number;
}

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

export function impact(mechanism: Mechanism, state: State, options: ImpactOptions): Impact {
  const { body, at, restitution = 0, friction = Number.POSITIVE_INFINITY } = options;
  const index = mechanism.bodyIndex(body);
  check(options, restitution, friction);
  const normal = scale(1 / norm(options.normal), options.normal);
  // Without gravity the accelerations of a mechanism at rest are its answer to the force alone.
  const weightless = new Mechanism({ ...mechanism, gravity: ZERO3 });
  const dynamics = new PlainDynamics(weightless);
  const point = new ContactPoint(dynamics, weightless, state, index, at);
  const before = point.velocity(state.v);
  const unchanged = { state: state.clone(), impulse: ZERO3, energyLost: 0, before, after: before };
  if (dot(before, normal) >= 0) return { ...unchanged, contact: 'none' };
  const answers = ([0, 1, 2] as const).map((k) => point.answer(k));
  const W = transpose(answers.flatMap((answer) => point.velocity(answer)) as unknown as Mat3);
  const solve = (e: number) => impulseFor(W, before, normal, e, friction);
  // Energy lost: -(lambda . u + lambda . W lambda / 2).
  const loss = ({ lambda }: { lambda: Vec3 }): number => -dot(lambda, before) - dot(lambda, apply(W, lambda)) / 2;
  let solution = solve(restitution);
  // Newton's law can add energy where there is friction; then the restitution is lowered until it does not.
  if (loss(solution) < 0 && restitution > 0 && friction > 0 && Number.isFinite(friction)) {
    let [low, high] = [0, restitution];
    for (let k = 0; k < 60; k++) {
      const middle = (low + high) / 2;
      if (loss(solve(middle)) < 0) high = middle;
      else low = middle;
    }
    solution = solve(low);
  }
  const { lambda, sticks } = solution;
  const next = state.clone();
  for (let k = 0; k < next.v.length; k++)
    next.v[k] += lambda[0] * answers[0][k] + lambda[1] * answers[1][k] + lambda[2] * answers[2][k];
  return {
    state: next,
    impulse: lambda,
    energyLost: dynamics.energy(state).kinetic - dynamics.energy(next).kinetic,
    before,
    after: point.velocity(next.v),
    contact: sticks ? 'stick' : 'slip',
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
  readonly #dynamics: PlainDynamics;
  readonly #still: State;
  readonly #moving: State;
  readonly #body: number;
  /** Body to ground coordinates, and the point in body coordinates. */
  readonly #R: Mat3;
  readonly #x: Vec3;

  constructor(dynamics: PlainDynamics, mechanism: Mechanism, { q }: State, body: number, at: Vec3) {
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

/** The impulse, by Newton's law of restitution and Coulomb's law of friction. */
function impulseFor(W: Mat3, u: Vec3, normal: Vec3, restitution: number, friction: number) {
  const target = scale(-restitution * dot(u, normal), normal);
  const stick = solvePossible(W, subtract(target, u));
  const along = dot(stick, normal);
  const across = norm(subtract(stick, scale(along, normal)));
  if (across <= friction * along || friction === Number.POSITIVE_INFINITY) return { lambda: stick, sticks: true };
  // Slip along d: lambda = lambda_n (n - mu d), with the point moving along d afterwards. One unknown: the angle of d.
  const frame = axisFrame(normal);
  const first: Vec3 = [frame[0], frame[1], frame[2]];
  const second: Vec3 = [frame[3], frame[4], frame[5]];
  const impulseAlong = (angle: number) => {
    const d = add(scale(Math.cos(angle), first), scale(Math.sin(angle), second));
    const direction = subtract(normal, scale(friction, d));
    const response = apply(W, direction);
    const size = (-(1 + restitution) * dot(u, normal)) / dot(normal, response);
    const after = add(u, scale(size, response));
    return { size, lambda: scale(size, direction), turn: dot(normal, cross(d, after)), along: dot(d, after) };
  };
  if (friction === 0) return { lambda: impulseAlong(0).lambda, sticks: false };
  const found = slipAngle(impulseAlong);
  return found === undefined ? { lambda: stick, sticks: true } : { lambda: impulseAlong(found).lambda, sticks: false };
}

const DIRECTIONS = 96;

/** The angle at which the point slides in the direction d that was assumed; the one that slides fastest, if several. */
function slipAngle(at: (angle: number) => { size: number; turn: number; along: number }): number | undefined {
  let best: number | undefined;
  let fastest = 0;
  for (let k = 0; k < DIRECTIONS; k++) {
    let low = (2 * Math.PI * (k - 0.37)) / DIRECTIONS;
    let high = (2 * Math.PI * (k + 0.63)) / DIRECTIONS;
    const sign = Math.sign(at(low).turn);
    if (sign === Math.sign(at(high).turn)) continue;
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2;
      if (Math.sign(at(middle).turn) === sign) low = middle;
      else high = middle;
    }
    const { size, along } = at(low);
    if (size > 0 && along >= fastest) {
      fastest = along;
      best = low;
    }
  }
  return best;
}

/** x with W x = b for a symmetric W that may be singular: of least length, without what W cannot do. */
function solvePossible(W: Mat3, b: Vec3): Vec3 {
  const symmetric = W.map((value, k) => (value + W[3 * (k % 3) + Math.floor(k / 3)]) / 2) as unknown as Mat3;
  const { values, vectors } = symmetricEigen(symmetric);
  let x: Vec3 = ZERO3;
  for (let k = 0; k < 3; k++) {
    if (!(values[k] > 1e-12 * values[2])) continue;
    const direction: Vec3 = [vectors[k], vectors[3 + k], vectors[6 + k]];
    x = add(x, scale(dot(direction, b) / values[k], direction));
  }
  return x;
}
