// Keeps the books of an island over a step: energy, and momentum while it flies.
//
//   energy after = energy before + work of joint forces and pushes + what contacts, limits and dry friction take
//
// A step of finite length gets the velocities a little wrong. While nothing touches an island, its motion is scaled to the booked
// energy; in contact only ever down: what is missing was lost in the contacts. All of its members are scaled together, which keeps
// contacts still. Where nothing outside holds or touches it, momentum and the path of the centre of mass are set to what gravity
// leaves of them, and only the motion within is scaled. Energy is thus kept by construction; the scale says how much had to be set right.

import { MOMENTUM, TOTAL } from '../../contact/solver/placed-tree.js';
import { addInertiaToA, INERTIA } from '../../spatial/spatial.js';
import { Ledger, REFINE, restEnergy, scaleOf } from '../ledger.js';
import type { Member } from './member.js';

/** Gains below this part of the energy are rounding. */
const ROUNDING = 1e-13;
/** Error of the energy, a part of that of turning and of motion within, which takes the step in halves where scaling cannot mend it. */
const REFINE_RIGID = 1e-3;

/** What happened to an island in a step. */
export interface Doings {
  /** Joules. */
  readonly work: number;
  /** Contacts or limits acted: energy may only have been lost. */
  readonly touched: boolean;
  /** Something outside the island acted, besides gravity. */
  readonly pushed: boolean;
}

export class IslandLedger {
  readonly #ledger = new Ledger();
  /** At the start of the step: all energy, and that about the centre of mass; joules. */
  #energy = 0;
  #inner = 0;
  /** Whether nothing holds the members; then centre of mass, its velocity, and angular momentum at the start. */
  #free = false;
  readonly #com = new Float64Array(3);
  readonly #velocity = new Float64Array(3);
  readonly #angular = new Float64Array(3);
  readonly #total = new Float64Array(INERTIA);
  readonly #own = new Float64Array(INERTIA);
  readonly #momentum = new Float64Array(6);
  readonly #vector = new Float64Array(6);
  readonly #rigid = new Float64Array(6);
  readonly #X = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
  /** By what the motion was multiplied, and whether positions were set right, too. */
  scale = 1;
  moved = false;

  /** The start of a step: the members stand there. */
  begin(members: readonly Member[], gravity: readonly number[]): void {
    const kinetic = kineticEnergy(members);
    const springs = springEnergy(members);
    this.#energy = kinetic + springs + gravityEnergy(members, gravity);
    this.#free = true;
    for (let m = 0; m < members.length; m++) this.#free &&= members[m].floats;
    if (!this.#free) return;
    const { com, velocity, angular } = this.#read(members);
    // Weight moves the whole only.
    this.#inner = kinetic + springs - this.#ledger.travellingEnergy(velocity);
    this.#com.set(com);
    this.#velocity.set(velocity);
    this.#angular.set(angular);
  }

  /**
   * The end of a step: the members stand there, and their velocities are set right; positions of what flies too. The caller places
   * them again. False: the step was too long, and should be taken in halves (never where it is the `last` resort).
   */
  end(members: readonly Member[], gravity: readonly number[], h: number, doings: Doings, last: boolean): boolean {
    const { work, touched, pushed } = doings;
    const flying = this.#free && !pushed;
    const kinetic = kineticEnergy(members);
    const { mass, velocity, turning } = this.#read(members);
    let within = kinetic;
    let before = this.#energy;
    let target = work - springEnergy(members);
    if (flying) {
      before = this.#inner;
      within -= this.#ledger.travellingEnergy(velocity) + turning;
      target += before - this.#ledger.turningEnergy(this.#angular);
    } else target += before - gravityEnergy(members, gravity);
    const rest = restEnergy(mass, gravity, h, before);
    const exact = scaleOf(within, target, rest);
    const gain = within - target;
    // Where there is too little motion within to be scaled, the whole may turn too fast or too slowly.
    const turns = flying && turning > rest && Math.abs(gain) > REFINE_RIGID * turning;
    const wrong = within > rest ? Math.abs(exact - 1) > REFINE : turns;
    // What bodies gain when they are moved out of each other no shorter step would change.
    if (wrong && !last && !touched) return false;
    if (!touched) this.scale = Math.min(1 + REFINE, exact);
    else this.scale = gain > ROUNDING * (Math.abs(before) + kinetic) ? Math.min(1, exact) : 1;
    for (const { v } of members) for (let k = 0; k < v.length; k++) v[k] *= this.scale;
    this.moved = flying;
    if (flying) this.#fly(members, gravity, h);
    return true;
  }

  /** Momentum and centre of mass as gravity leaves them: the bases carry the motion of the whole. */
  #fly(members: readonly Member[], gravity: readonly number[], h: number): void {
    const [found, wanted] = [this.#rigid, this.#vector];
    const { com, angular, velocity } = this.#ledger;
    for (let k = 0; k < 3; k++) {
      this.#com[k] += h * (this.#velocity[k] + 0.5 * h * gravity[k]) - com[k];
      this.#velocity[k] += h * gravity[k];
    }
    for (const { articulation, v, state } of members) {
      const { tree, reference } = articulation;
      this.#ledger.lockedMotion(found, 0, angular, velocity, reference, 0);
      this.#ledger.lockedMotion(wanted, 0, this.#angular, this.#velocity, reference, 0);
      for (let k = 0; k < 6; k++) v[k] += wanted[k] - this.scale * found[k];
      const at = tree.iq[0] + 4;
      for (let k = 0; k < 3; k++) for (let j = 0; j < 3; j++) state.q[at + k] += tree.X[3 * k + j] * this.#com[j];
    }
  }

  /** The whole of all members, summed about the first one's reference point. */
  #read(members: readonly Member[]): Ledger {
    const total = this.#total;
    const own = this.#own;
    const momentum = this.#momentum;
    const X = this.#X;
    const { reference: point } = members[0].articulation;
    total.fill(0);
    momentum.fill(0);
    for (let m = 0; m < members.length; m++) {
      const { books, reference } = members[m].articulation;
      for (let k = 0; k < INERTIA; k++) own[k] = books[TOTAL + k];
      for (let k = 0; k < 6; k++) momentum[k] += books[MOMENTUM + k];
      for (let k = 0; k < 3; k++) X[9 + k] = reference[k] - point[k];
      const px = books[MOMENTUM + 3];
      const py = books[MOMENTUM + 4];
      const pz = books[MOMENTUM + 5];
      momentum[0] += X[10] * pz - X[11] * py;
      momentum[1] += X[11] * px - X[9] * pz;
      momentum[2] += X[9] * py - X[10] * px;
      addInertiaToA(total, 0, X, 0, own, 0);
    }
    this.#ledger.read(total, momentum, point, 0);
    return this.#ledger;
  }
}

function kineticEnergy(members: readonly Member[]): number {
  let sum = 0;
  for (const { articulation } of members) sum += articulation.kineticEnergy;
  return sum;
}

function gravityEnergy(members: readonly Member[], gravity: readonly number[]): number {
  let sum = 0;
  for (const { articulation } of members) sum += articulation.gravityEnergy(gravity);
  return sum;
}

function springEnergy(members: readonly Member[]): number {
  let sum = 0;
  for (const { articulation, state } of members) sum += articulation.springEnergy(state.q);
  return sum;
}
