// Large angles in 32 bits: at 1e6 rad neighbouring numbers are 0.06 rad apart. Angles that stand nowhere but in sines and
// cosines are brought within half a turn by the host, in 64 bits, and their whole turns are kept beside the batch.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { withoutWholeTurns } from '../../spatial/whole-turns.js';

const TURN = 2 * Math.PI;

export class WholeTurns {
  readonly #nq: number;
  readonly #states: number;
  /** 1 for each coordinate that is such an angle. */
  readonly #isAngle: Uint8Array;
  /** Whole turns of each coordinate, one state per row; made when there is a first one. */
  #turns: Float64Array | undefined;

  constructor({ joints, nq }: Mechanism, states: number) {
    this.#nq = nq;
    this.#states = states;
    this.#isAngle = new Uint8Array(nq);
    // A spring feels the turns.
    for (const { model, iq, stiffness } of joints)
      if (stiffness === 0) for (const k of anglesOf(model.name)) this.#isAngle[iq + k] = 1;
  }

  get any(): boolean {
    return this.#turns !== undefined;
  }

  /** What the device gets for coordinate k of state s. */
  reduced(s: number, k: number, x: number): number {
    if (this.#isAngle[k] === 0) return x;
    const at = s * this.#nq + k;
    if (Math.abs(x) <= Math.PI || !Number.isFinite(x)) {
      if (this.#turns !== undefined) this.#turns[at] = 0;
      return x;
    }
    // Integers are exact for any size, and slower.
    const near = Math.abs(x) <= 1e6 ? Math.atan2(Math.sin(x), Math.cos(x)) : withoutWholeTurns(x);
    this.#turns ??= new Float64Array(this.#nq * this.#states);
    this.#turns[at] = Math.round((x - near) / TURN);
    return near;
  }

  /** And back. */
  whole(s: number, k: number, x: number): number {
    return this.#turns === undefined ? x : x + this.#turns[s * this.#nq + k] * TURN;
  }

  /** Forgets all turns, telling each by state, coordinate and angle. */
  release(tell: (s: number, k: number, angle: number) => void): void {
    this.#turns?.forEach((turns, at) => {
      if (turns !== 0) tell(Math.floor(at / this.#nq), at % this.#nq, turns * TURN);
    });
    this.#turns = undefined;
  }
}

/** Coordinates of a joint that are angles and nothing else: a helical joint also moves along its axis. */
function anglesOf(type: string): readonly number[] {
  switch (type) {
    case 'revolute':
    case 'continuous':
    case 'cylindrical':
      return [0];
    case 'universal':
      return [0, 1];
    case 'planar':
      return [2];
    default:
      return [];
  }
}
