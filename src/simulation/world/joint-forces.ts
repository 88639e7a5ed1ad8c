// Forces in the joints of a mechanism during a step: control, motors, springs, damping. What stiffens or damps is implicit:
//
//   damping          -D v'                 tau -= D v,                  added += h D
//   position motor   -Kp (q' - target) - Kd v',  q' = q + h v'          tau -= Kp (q + h v - target) + Kd v,  added += h Kd + h^2 Kp
//   spring           -K (mean of q and q' - rest) half way, so that it keeps its energy; as a motor in steps that land
//
// v' = v + h a is the velocity at the end of the step; `added` is inertia on the diagonal of the mass matrix.

import { SimulationError } from '../../mechanism/errors.js';
import type { State } from '../../mechanism/state.js';
import { forceToA, TRANSFORM } from '../../spatial/spatial.js';
import type { Articulation } from './articulation.js';
import { type Control, type Motor, type PlacedMotor, tell } from './motors.js';

export class JointForces {
  readonly #articulation: Articulation;
  /** Right-hand side without bias forces, and added inertia; in the order of the articulation. */
  readonly tau: Float64Array;
  readonly added: Float64Array;
  /** Of control and torque motors. */
  readonly explicit: Float64Array;
  readonly #author: Float64Array;
  readonly #armature: Float64Array;
  readonly #damping: Float64Array;
  readonly #stiffness: Float64Array;
  readonly #rest: Float64Array;
  /** Force of the springs without acceleration, and the part of the added inertia that is theirs. */
  readonly #spring: Float64Array;
  readonly #springAdded: Float64Array;
  /** Place in q of the degrees of freedom that have springs. */
  readonly #iq: Int32Array;
  /** Degrees of freedom of free bases. */
  readonly #bases: number[] = [];
  /** Position errors of one motor, and a frame. */
  readonly #error = new Float64Array(6);
  readonly #X = new Float64Array(TRANSFORM);

  constructor(articulation: Articulation) {
    const { nv, tree, mechanism } = articulation;
    const numbers = (): Float64Array => new Float64Array(nv);
    this.#articulation = articulation;
    [this.tau, this.added, this.explicit, this.#author] = [numbers(), numbers(), numbers(), numbers()];
    [this.#armature, this.#damping, this.#stiffness, this.#rest] = [numbers(), numbers(), numbers(), numbers()];
    [this.#spring, this.#springAdded] = [numbers(), numbers()];
    this.#iq = new Int32Array(nv);
    for (let i = 0; i < tree.n; i++) {
      if (articulation.free[i] === 1) for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) this.#bases.push(k);
      const { damping, stiffness, rest, iq, iv, model } = mechanism.joints[tree.joint[i]];
      for (let k = 0; k < model.nv; k++) {
        const at = tree.dof[i] + k;
        this.#armature[at] = tree.armature[iv + k];
        this.#damping[at] = damping;
        this.#stiffness[at] = stiffness;
        this.#rest[at] = rest;
        this.#iq[at] = iq + k;
      }
    }
  }

  /** Asks control and motors, once a step; the articulation stands where the step starts. */
  begin(member: string, state: State, control: Control | undefined, motors: readonly PlacedMotor[]): void {
    const { explicit } = this;
    explicit.fill(0);
    if (control !== undefined) this.#ask(member, state, control);
    for (const placed of motors) {
      const { motor, first, saturated, joint, pace, command } = placed;
      for (let k = 0; k < saturated.length; k++) saturated[k] = 0;
      pace.sign = 0;
      try {
        tell(placed, state);
      } catch (cause) {
        throw failed(`The motor of joint "${joint.name}" of "${member}"`, state, cause);
      }
      for (let k = 0; k < command.length; k++)
        if (!Number.isFinite(command[k])) {
          const what = motor.kind === 'position' ? 'is to go to' : 'gives';
          throw notFinite(member, state, joint.index, `The motor ${what} ${command[k]}`);
        }
      if (motor.kind !== 'torque') continue;
      const torque = command[0];
      if (motor.speed !== undefined) {
        pace.sign = torque < 0 ? -1 : 1;
        pace.force = Math.abs(torque);
      }
      explicit[first] += motor.speed === undefined ? torque : torque / 2;
    }
  }

  /** What the control gives, in the order of the articulation. */
  #ask(member: string, state: State, control: Control): void {
    const { tree, free, pose, reference } = this.#articulation;
    const { explicit } = this;
    const author = this.#author;
    const X = this.#X;
    author.fill(0);
    ask(member, control, author, state);
    for (let i = 0; i < tree.n; i++) {
      const o = tree.dof[i];
      for (let k = o; k < tree.dof[i + 1]; k++) explicit[k] = author[tree.iv[i] + k - o];
      if (free[i] === 0) continue;
      for (let k = 0; k < 9; k++) X[k] = pose[TRANSFORM * i + k];
      for (let k = 0; k < 3; k++) X[9 + k] = pose[TRANSFORM * i + 9 + k] - reference[3 * i + k];
      forceToA(explicit, o, X, 0, explicit, o);
    }
  }

  /** tau and added for a step h from (q, v). `mean`: springs act at the mean position. */
  assemble(motors: readonly PlacedMotor[], q: Float64Array, v: Float64Array, h: number, mean: boolean): void {
    const { tau, added } = this;
    tau.set(this.explicit);
    const part = mean ? 0.5 : 1;
    for (let k = 0; k < tau.length; k++) {
      const D = this.#damping[k];
      const K = this.#stiffness[k];
      this.#springAdded[k] = part * part * h * h * K;
      this.#spring[k] = K === 0 ? 0 : -K * (q[this.#iq[k]] + part * h * v[k] - this.#rest[k]);
      added[k] = this.#armature[k] + h * D + this.#springAdded[k];
      tau[k] += this.#spring[k];
      if (D !== 0) tau[k] -= D * v[k];
    }
    for (const placed of motors) {
      const { motor, first, saturated, joint, pace } = placed;
      if (motor.kind !== 'position') continue;
      if (pace.sign !== 0) {
        tau[first] += (pace.sign * pace.force) / 2;
        continue;
      }
      const error = this.#errors(placed, q);
      for (let k = 0; k < joint.model.nv; k++) {
        if (saturated[k] !== 0) {
          tau[first + k] += saturated[k] * motor.limit!;
          continue;
        }
        tau[first + k] += motor.stiffness * (error[k] - h * v[first + k]) - motor.damping * v[first + k];
        added[first + k] += h * motor.damping + h * h * motor.stiffness;
      }
    }
  }

  /**
   * What acted on a degree of freedom that had the acceleration a, springs aside, which store their work: tau, less what was implicit in
   * the added inertia.
   */
  #force(k: number, a: number): number {
    const added = this.added[k] - this.#armature[k] - this.#springAdded[k];
    return this.tau[k] - this.#spring[k] - added * a;
  }

  /** Joules, springs aside, in a step of length h with these mean velocities and accelerations. */
  work(mean: Float64Array, a: Float64Array, h: number): number {
    let sum = 0;
    for (let k = 0; k < a.length; k++) sum += h * mean[k] * this.#force(k, a[k]);
    return sum;
  }

  /** What control and motors without rows (those that hold a velocity have some) did of it, v the velocities at its end. */
  driving(mean: Float64Array, a: Float64Array, v: Float64Array, h: number): number {
    let sum = 0;
    for (let k = 0; k < a.length; k++) sum += h * mean[k] * (this.#force(k, a[k]) + this.#damping[k] * v[k]);
    return sum;
  }

  /** Whether control pushes a free base: a force from outside. */
  get pushesBase(): boolean {
    for (const k of this.#bases) if (this.explicit[k] !== 0) return true;
    return false;
  }

  /** Finds position motors that would push harder, or faster, than they can at the velocities `next`; true where one was not known yet. */
  saturate(motors: readonly PlacedMotor[], q: Float64Array, next: Float64Array, h: number): boolean {
    let found = false;
    for (const placed of motors) {
      const { motor, first, saturated, joint } = placed;
      if (motor.kind !== 'position' || (motor.limit === undefined && motor.speed === undefined)) continue;
      const error = this.#errors(placed, q);
      if (motor.speed !== undefined && this.#paces(placed, motor, error[0], next[first], h)) {
        found = true;
        continue;
      }
      if (motor.limit === undefined || placed.pace.sign !== 0) continue;
      for (let k = 0; k < joint.model.nv; k++) {
        const force = motor.stiffness * (error[k] - h * next[first + k]) - motor.damping * next[first + k];
        if (saturated[k] !== 0 || Math.abs(force) <= motor.limit) continue;
        saturated[k] = force > 0 ? 1 : -1;
        found = true;
      }
    }
    return found;
  }

  /** Whether a motor would push faster than it can; not known yet. */
  #paces(
    { pace }: PlacedMotor,
    { stiffness, damping, limit = Number.POSITIVE_INFINITY, speed = 0 }: Extract<Motor, { kind: 'position' }>,
    error: number,
    next: number,
    h: number,
  ): boolean {
    const sign = next < 0 ? -1 : 1;
    // At that speed.
    const force = stiffness * (sign * error - h * speed) - damping * speed;
    if (pace.sign !== 0 || !(Math.abs(next) > speed) || !(force > 0)) return false;
    pace.sign = sign;
    pace.force = Math.min(force, limit);
    return true;
  }

  /** From the position q of the motor's joint to where it is to be. */
  #errors({ joint, command }: PlacedMotor, q: Float64Array): Float64Array {
    if (joint.model.nq === 1) this.#error[0] = command[0] - q[joint.iq];
    else joint.model.difference(this.#error, 0, q, joint.iq, command, 0);
    return this.#error;
  }
}

/** What a function of the user threw, which may be anything. */
function failed(whose: string, { time }: State, cause: unknown): SimulationError {
  if (cause instanceof SimulationError) return cause;
  const what = cause instanceof Error ? cause.message : String(cause);
  return Object.assign(new SimulationError('control', `${whose} failed at time ${time}: ${what}`, { time }), { cause });
}

/** Asks a control, and looks at what it gives. */
function ask(member: string, control: Control, tau: Float64Array, state: State): void {
  try {
    control(tau, state);
  } catch (cause) {
    throw failed(`The control of "${member}"`, state, cause);
  }
  let sum = 0;
  for (let k = 0; k < tau.length; k++) sum += tau[k] * 0;
  if (sum === 0) return;
  const { joints } = state.mechanism;
  const index = joints.findIndex(({ iv, model }) => !tau.subarray(iv, iv + model.nv).every(Number.isFinite));
  const { iv, model } = joints[index];
  const given = tau.subarray(iv, iv + model.nv).find((value) => !Number.isFinite(value));
  throw notFinite(member, state, index, `The control gives ${given}`);
}

function notFinite(member: string, { mechanism, time }: State, index: number, what: string): SimulationError {
  const [joint, body] = [mechanism.joints[index].name, mechanism.bodies[index].name];
  return new SimulationError(
    'not-finite',
    `${what} for joint "${joint}" (body "${body}") of "${member}" at time ${time}; it must be a finite number.`,
    { body, joint, time },
  );
}
