// Puts the coordinates that a file gives into a State. What is right is kept to the last bit.

import type { Joint, Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import { type ImportLog, quoted } from './import-log.js';
import { isFiniteNumber, type JsonObject, shown } from './json-reader.js';

/** A quaternion this close to unit length is kept as it is: integration leaves such errors, and rounding to 10 digits. */
const QUATERNION_EXACT = 1e-9;
/** Farther off it is made a unit one, since files print few digits; and beyond this it is a mistake. */
const QUATERNION_LIMIT = 1e-3;
/** How far a coupled joint may be from where its source puts it. */
const COUPLING_TOLERANCE = 1e-9;

export class StateFiller {
  /** Neutral but for what was set. */
  readonly state: State;
  readonly #log: ImportLog;
  /** Where the joints that were set are in the file. */
  readonly #given = new Map<number, JsonObject>();

  constructor(mechanism: Mechanism, log: ImportLog) {
    this.state = new State(mechanism);
    this.#log = log;
  }

  /** Reads position and velocity of a joint from the keys of that name; without velocity it is at rest. */
  set(index: number, from: JsonObject, velocityKey: string): void {
    if (this.#given.has(index)) from.error('name', 'each joint once', 'it twice');
    this.#given.set(index, from);
    const { model, iq, iv } = this.state.mechanism.joints[index];
    const q = readCoordinates(from, 'q', model.nq);
    const v = from.has(velocityKey) ? readCoordinates(from, velocityKey, model.nv) : [];
    if (q !== undefined) this.state.q.set(model.nq === model.nv + 1 ? unitQuaternion(from, q) : q, iq);
    if (v !== undefined) this.state.v.set(v, iv);
  }

  /** Joints that follow others: those not given are put where they belong, the others must be there already. */
  finish(): State {
    const { state } = this;
    if (this.#log.broken) return state;
    const { joints, couplings } = state.mechanism;
    for (const { joint, source, multiplier, offset } of couplings) {
      const [follower, leader] = [joints[joint], joints[source]];
      const q = multiplier * state.q[leader.iq] + offset;
      const v = multiplier * state.v[leader.iv];
      const from = this.#given.get(joint);
      if (from === undefined) {
        state.q[follower.iq] = q;
        state.v[follower.iv] = v;
      } else {
        checkCoupled(from, 'position', leader, q, state.q[follower.iq]);
        checkCoupled(from, 'velocity', leader, v, state.v[follower.iv]);
      }
    }
    return state;
  }
}

function checkCoupled(from: JsonObject, what: string, leader: Joint, expected: number, got: number): void {
  if (Math.abs(got - expected) <= COUPLING_TOLERANCE * (1 + Math.abs(expected))) return;
  from.error('q', `the ${what} ${expected}, since the joint follows ${quoted(leader.name)}`, `${got}`);
}

/** So many coordinates: a list, or just the number where there is one. */
export function readCoordinates(from: JsonObject, key: string, count: number): number[] | undefined {
  const value = from.value(key);
  if (count === 0 && value === undefined) return [];
  if (count === 1 && isFiniteNumber(value)) return [value];
  if (Array.isArray(value) && value.length === count && value.every(isFiniteNumber)) return value;
  const expected = count === 1 ? 'a finite number' : `${count} finite numbers`;
  const bad = Array.isArray(value) ? value.find((item) => !isFiniteNumber(item)) : undefined;
  from.error(key, expected, bad === undefined ? shown(value) : `${shown(bad)} among them`);
  return undefined;
}

/** Coordinates that begin with a unit quaternion, made exact where need be. */
function unitQuaternion(from: JsonObject, q: number[]): number[] {
  const length = Math.hypot(q[0], q[1], q[2], q[3]);
  const off = Math.abs(length - 1);
  if (off <= QUATERNION_EXACT) return q;
  if (!(off <= QUATERNION_LIMIT)) from.error('q', 'a unit quaternion', `one of length ${length}`);
  return q.map((value, k) => (k < 4 ? value / length : value));
}
