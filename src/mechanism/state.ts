// Positions and velocities of a mechanism; joint i owns q[joint.iq ...] and v[joint.iv ...].

import { MechanismError } from './errors.js';
import type { Joint, Mechanism } from './mechanism.js';
import { Random } from './random.js';

/**
 * Positions, velocities and time of a mechanism.
 *
 *     const state = new State(mechanism);          // everything at zero
 *     const another = State.random(mechanism, 1);  // reproducible: seed 1
 */
export class State {
  readonly mechanism: Mechanism;
  /** Positions, mechanism.nq numbers; joint i owns q[joint.iq ...]. */
  readonly q: Float64Array;
  /** Velocities, mechanism.nv numbers; joint i owns v[joint.iv ...]. */
  readonly v: Float64Array;
  time = 0;

  /** The neutral state: every joint at its zero (coupled joints follow), at rest. `own`: or these arrays, not copied. */
  constructor(mechanism: Mechanism, own?: { readonly q: Float64Array; readonly v: Float64Array }) {
    this.mechanism = mechanism;
    if (own !== undefined) {
      this.q = own.q;
      this.v = own.v;
      return;
    }
    this.q = new Float64Array(mechanism.nq);
    this.v = new Float64Array(mechanism.nv);
    for (const joint of mechanism.joints) joint.model.neutral(this.q, joint.iq);
    this.applyCouplings();
  }

  /** A reproducible random state: positions within the limits where there are any. */
  static random(mechanism: Mechanism, seed: number): State {
    const random = new Random(seed);
    const state = new State(mechanism);
    for (const joint of mechanism.joints) setRandomPosition(state.q, joint, random);
    for (let k = 0; k < mechanism.nv; k++) state.v[k] = random.between(-1, 1);
    state.applyCouplings();
    return state;
  }

  /** A copy of its own. */
  clone(): State {
    return new State(this.mechanism).copy(this);
  }

  /** Takes over positions, velocities and time of another state of the same mechanism. */
  copy(other: State): this {
    this.q.set(other.q);
    this.v.set(other.v);
    this.time = other.time;
    return this;
  }

  /** Sets one joint by name; a number will do for joints of one degree of freedom. Quaternions are normalised. */
  set(jointName: string, q: number | ArrayLike<number>, v?: number | ArrayLike<number>): this {
    const joint = this.mechanism.joints[this.mechanism.jointIndex(jointName)];
    const { model, iq, iv } = joint;
    const position = checked(joint, 'positions', model.nq, q);
    if (model.nq === model.nv + 1) normaliseQuaternion(joint, position);
    const velocity = v === undefined ? [] : checked(joint, 'velocities', model.nv, v);
    this.q.set(position, iq);
    this.v.set(velocity, iv);
    return this;
  }

  /** Position and velocity of one joint by name: views, which follow the state and may be written to. */
  get(jointName: string): { readonly q: Float64Array; readonly v: Float64Array } {
    const { q, v } = this.mechanism.joint(jointName);
    return { q: this.q.subarray(...q), v: this.v.subarray(...v) };
  }

  /** Makes coupled (mimic) joints follow their sources. */
  applyCouplings(): this {
    const { couplings, joints } = this.mechanism;
    for (const { joint, source, multiplier, offset } of couplings) {
      this.q[joints[joint].iq] = multiplier * this.q[joints[source].iq] + offset;
      this.v[joints[joint].iv] = multiplier * this.v[joints[source].iv];
    }
    return this;
  }
}

/** Whether two states of one mechanism have the same positions and velocities, to the last bit. */
export function sameMotion(a: State, b: State): boolean {
  return sameNumbers(a.q, b.q) && sameNumbers(a.v, b.v);
}

/** Four at a time: one comparison after the other would take as long as a small inverse dynamics. */
function sameNumbers(a: Float64Array, b: Float64Array): boolean {
  const fours = a.length & ~3;
  for (let k = 0; k < fours; k += 4)
    if (a[k] !== b[k] || a[k + 1] !== b[k + 1] || a[k + 2] !== b[k + 2] || a[k + 3] !== b[k + 3]) return false;
  for (let k = fours; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}

/**
 * Whether the numbers of a state mean to `mechanism` what they mean to the mechanism it was made for: the same joints between
 * the same bodies, in the same places of q and v. Masses, loops and gravity may differ.
 */
export function belongsTo({ mechanism: own, q, v }: State, mechanism: Mechanism): boolean {
  if (q.length !== mechanism.nq || v.length !== mechanism.nv) return false;
  return own === mechanism || own.joints === mechanism.joints || sameCoordinates(own, mechanism);
}

/** A state of another mechanism: of another model, or of this one before it was re-rooted. */
export function refuseForeign(mechanism: Mechanism, state: State): void {
  if (!belongsTo(state, mechanism)) throw foreign(state.mechanism.name, mechanism.name);
}

function foreign(own: string, name: string): MechanismError {
  const message =
    own === name
      ? `The state belongs to another form of "${name}", with other coordinates: before it was re-rooted, or otherwise changed. Take the state that came with this one.`
      : `The state belongs to "${own}", not to "${name}".`;
  return MechanismError.of('state', '', message);
}

/** Pairs that were compared already. */
const compared = new WeakMap<Mechanism, WeakMap<Mechanism, boolean>>();

function sameCoordinates(a: Mechanism, b: Mechanism): boolean {
  let known = compared.get(a);
  if (known === undefined) {
    known = new WeakMap();
    compared.set(a, known);
  }
  let same = known.get(b);
  if (same === undefined) {
    same = a.joints.length === b.joints.length && a.joints.every((_, i) => sameJoint(a, b, i));
    known.set(b, same);
  }
  return same;
}

function sameJoint(a: Mechanism, b: Mechanism, i: number): boolean {
  const [x, y] = [a.joints[i], b.joints[i]];
  return (
    x === y ||
    (x.name === y.name &&
      x.model === y.model &&
      x.parent === y.parent &&
      x.iq === y.iq &&
      x.iv === y.iv &&
      x.axis.every((component, k) => component === y.axis[k]) &&
      a.bodies[i].name === b.bodies[i].name)
  );
}

function checked(joint: Joint, what: string, n: number, given: number | ArrayLike<number>): number[] {
  const values = typeof given === 'number' ? [given] : Array.from(given);
  const where = `joint "${joint.name}"`;
  if (values.length !== n)
    throw MechanismError.of('state', where, `A ${joint.type} joint has ${n} ${what}, got ${values.length}.`);
  if (!values.every(Number.isFinite))
    throw MechanismError.of('not-finite', where, `The ${what} must be finite numbers, got ${values.join(', ')}.`);
  return values;
}

function normaliseQuaternion(joint: Joint, q: number[]): void {
  const length = Math.hypot(q[0], q[1], q[2], q[3]);
  if (length < 1e-6) throw MechanismError.of('quaternion', `joint "${joint.name}"`, 'A quaternion must not be zero.');
  if (Math.abs(length - 1) < 1e-15) return;
  for (let k = 0; k < 4; k++) q[k] /= length;
}

function setRandomPosition(q: Float64Array, { model, iq, limits }: Joint, random: Random): void {
  switch (model.name) {
    case 'spherical':
      q.set(random.quaternion(), iq);
      break;
    case 'floating':
      q.set(random.quaternion(), iq);
      for (let k = 4; k < 7; k++) q[iq + k] = random.between(-1, 1);
      break;
    default: {
      const range = model.name === 'prismatic' ? 0.5 : model.nv === 1 ? Math.PI / 2 : 1;
      const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = limits;
      // Within the limits, and not further from zero (or from the limit next to it) than a joint usually goes.
      const low = Math.max(lower, Math.min(-range, upper - 2 * range));
      const high = Math.min(upper, Math.max(range, low + 2 * range));
      for (let k = 0; k < model.nq; k++) q[iq + k] = random.between(low, high);
    }
  }
}
