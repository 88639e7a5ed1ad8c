// Moreau's midpoint step with a ledger of energy and momentum: two evaluations a step, for real time.
//
//   q_m = q moved along v for h / 2,   a = a(q_m, v_m) with v_m = v + h a / 2 by two evaluations,   v' = v + h a,
//   q' = q_m moved along v' for h / 2
//
// Damping, friction and drives are linearly implicit (drive.ts). All work is booked. At the end of the step the motion within
// is scaled so that the energy is the booked one, and where no force acts on a floating base its momentum, angular momentum
// and the path of the centre of mass are set to what they must be. So energy is exact by construction and proves nothing: the scale
// shows how accurate the step was. Where it is off by more than 2 % the step is undone and taken in halves.

import { addDamping, addPassiveSlope, addSprings } from '../engines/plain/passive.js';
import type { ForwardOptions } from '../engines/plain/plain-dynamics.js';
import { rotateQuaternion, setRotation } from '../joints/quaternion.js';
import { SimulationError } from '../mechanism/errors.js';
import type { Joint } from '../mechanism/mechanism.js';
import { type State, sameMotion } from '../mechanism/state.js';
import { createEnergy, type EnergyScratch, energy as energyOf } from '../reference/energy.js';
import { add, dot, scale, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { motionToB, TRANSFORM } from '../spatial/spatial.js';
import type { Drive } from './drive.js';
import type { Occurrence } from './events.js';
import type { Control, ForwardEngine, Integrator } from './integrators.js';
import { DEPTH, floatingBase, Ledger, REFINE, restEnergy, scaleOf } from './ledger.js';

const NOTHING: readonly Occurrence[] = [];
const E = new Float64Array(12);

const EVALUATIONS = 2;

/** What there must be: the energy about the centre of mass of what floats, all energy of what is held; and of what floats: */
interface Books {
  readonly energy: number;
  readonly com: Vec3;
  readonly velocity: Vec3;
  readonly angular: Vec3;
}

export class Midpoint implements Integrator {
  readonly name = 'midpoint';
  readonly order = 2;
  work = 0;
  /** How often a step was taken in halves, and the largest distance of a scale from 1. */
  halved = 0;
  largestScale = 0;
  readonly #dynamics: ForwardEngine;
  readonly #drive: Drive | undefined;
  readonly #ledger = new Ledger();
  readonly #scratch: EnergyScratch;
  /** The joint by which all of it floats, and its link. */
  readonly #base: Joint | undefined;
  readonly #link: number;
  readonly #floating: readonly Joint[];
  readonly #options: ForwardOptions & { readonly out: Float64Array; readonly armature: Float64Array };
  /** Forces whose work is booked, and with those of springs, which store it. */
  readonly #tau: Float64Array;
  readonly #all: Float64Array;
  readonly #start: Float64Array;
  readonly #middle: State;
  readonly #motion = new Float64Array(6);
  readonly #wanted = new Float64Array(6);
  readonly #rigid = new Float64Array(6);
  /** Kinetic energy of the motion within; energy of springs and, where the base is held, of the weight. */
  #within = 0;
  #stored = 0;
  /** As the last step left it: whoever changes the state opens the books anew. */
  readonly #left: State;
  /** Where the steps of each depth began. */
  readonly #began: readonly State[];
  #books: Books | undefined;

  constructor(dynamics: ForwardEngine, state: State, drive: Drive | undefined) {
    const { mechanism, tree } = dynamics;
    const vector = (): Float64Array => new Float64Array(mechanism.nv);
    this.#dynamics = dynamics;
    this.#drive = drive;
    this.#scratch = createEnergy(tree);
    this.#base = floatingBase(mechanism);
    this.#link = this.#base === undefined ? -1 : tree.link[mechanism.joints.indexOf(this.#base)];
    this.#floating = mechanism.joints.filter(({ type }) => type === 'floating');
    this.#options = { out: vector(), armature: vector() };
    this.#tau = vector();
    this.#all = vector();
    this.#start = vector();
    this.#middle = state.clone();
    this.#left = state.clone();
    this.#began = Array.from({ length: DEPTH + 1 }, () => state.clone());
  }

  step(state: State, h: number, control: Control | undefined): readonly Occurrence[] {
    if (this.#books === undefined || !sameMotion(state, this.#left)) this.#books = this.#read(state);
    this.work = 0;
    this.#advance(state, h, control, 0);
    this.left(state);
    return NOTHING;
  }

  /** What the simulation has made of the state after a step (loops closed). The books go on. */
  left(state: State): void {
    this.#left.copy(state);
  }

  #read(state: State): Books {
    this.#audit(state);
    const { turning, com, velocity, angular } = this.#ledger;
    const energy = this.#within + this.#stored + (this.#base === undefined ? 0 : turning);
    return { energy, com: vector(com), velocity: vector(velocity), angular: vector(angular) };
  }

  /** The books of a state: the whole, the motion within, and what is stored. */
  #audit({ q, v }: State): void {
    const { tree } = this.#dynamics;
    const ledger = this.#ledger;
    const { kinetic, potential, momentum } = energyOf(tree, this.#scratch, q, v);
    this.#motion.set(momentum.angular);
    this.#motion.set(momentum.linear, 3);
    ledger.read(this.#scratch.total, this.#motion, ZERO3, 0);
    const { com, velocity, angular, mass, turning } = ledger;
    this.#within = kinetic;
    this.#stored = potential;
    if (this.#base === undefined || !(mass > 0)) return;
    this.#within = kinetic - ledger.travellingEnergy(velocity) - turning;
    // Its weight moves the whole only.
    this.#stored = potential + mass * dot(tree.gravity, vector(com));
    this.#lockedBase(this.#rigid, angular, velocity);
  }

  /** out <- velocity of the base, joints locked, with angular momentum L and velocity u of the centre of mass. */
  #lockedBase(out: Float64Array, L: ArrayLike<number>, u: ArrayLike<number>): void {
    this.#ledger.lockedMotion(this.#motion, 0, L, u, ZERO3, 0);
    motionToB(out, 0, this.#scratch.kinematics.pose, TRANSFORM * this.#link, this.#motion, 0);
  }

  #advance(state: State, h: number, control: Control | undefined, depth: number): void {
    const began = this.#began[depth];
    const books = this.#books!;
    began.copy(state);
    if (this.#kicked(state, h, control, depth)) return;
    state.copy(began);
    this.#books = books;
    this.halved++;
    this.#advance(state, h / 2, control, depth + 1);
    this.#advance(state, h / 2, control, depth + 1);
  }

  /** Whether the step has gone well; a step that leaves the range of numbers has not. */
  #kicked(state: State, h: number, control: Control | undefined, depth: number): boolean {
    try {
      const work = this.#kick(state, h, control);
      if (!this.#settle(state, h, work, depth === DEPTH)) return false;
      this.work += work;
      return true;
    } catch (error) {
      if (depth < DEPTH && error instanceof SimulationError && error.code === 'not-finite') return false;
      throw error;
    }
  }

  /** The step; returns the work of control, drives, damping and friction. */
  #kick(state: State, h: number, control: Control | undefined): number {
    const { mechanism, tree } = this.#dynamics;
    const { out: a, armature } = this.#options;
    const [tau, start, middle] = [this.#tau, this.#start, this.#middle];
    this.#drift(state, h / 2);
    start.set(state.v);
    middle.copy(state);
    middle.time += h / 2;
    armature.set(tree.armature);
    addPassiveSlope(mechanism, armature, start, h);
    // h^2 K as if all of the step were still to come: with the half that is, stiff drives would go on for ever.
    this.#drive?.addSlope(armature, h);
    for (let k = 0; k < EVALUATIONS; k++) {
      tau.fill(0);
      control?.(tau, middle);
      // The forces at the start; what they change by in the step is in the armature.
      addDamping(mechanism, tau, start);
      this.#drive?.add(tau, state, h / 2);
      this.#accelerate(middle, h);
    }
    let work = 0;
    for (let k = 0; k < a.length; k++) {
      state.v[k] = start[k] + h * a[k];
      work += h * (tau[k] - (armature[k] - tree.armature[k]) * a[k]) * middle.v[k];
    }
    this.#drift(state, h / 2);
    state.time += h;
    state.applyCouplings();
    return work;
  }

  /** a at the middle of the step, and the next velocity there. */
  #accelerate(middle: State, h: number): void {
    const { out: a } = this.#options;
    const start = this.#start;
    const { q, v } = middle;
    this.#all.set(this.#tau);
    addSprings(this.#dynamics.mechanism, this.#all, q);
    this.#dynamics.forward(middle, this.#all, this.#options);
    // Floating joints: the rate of the linear velocity in directions that do not turn, a + w x v.
    for (const { iv } of this.#floating) {
      a[iv + 3] += v[iv + 1] * v[iv + 5] - v[iv + 2] * v[iv + 4];
      a[iv + 4] += v[iv + 2] * v[iv + 3] - v[iv] * v[iv + 5];
      a[iv + 5] += v[iv] * v[iv + 4] - v[iv + 1] * v[iv + 3];
    }
    for (let k = 0; k < a.length; k++) v[k] = start[k] + (h / 2) * a[k];
  }

  /** Moves q along v; the linear velocity of floating joints stays what it is in the tree frame, so their v is turned back. */
  #drift(state: State, h: number): void {
    const { q, v } = state;
    for (const { type, model, iq, iv } of state.mechanism.joints) {
      if (type !== 'floating') {
        model.integrate(q, iq, v, iv, h);
        continue;
      }
      setRotation(E, 0, q, iq);
      const [x, y, z] = [v[iv + 3], v[iv + 4], v[iv + 5]];
      const u = [0, 1, 2].map((k) => E[k] * x + E[3 + k] * y + E[6 + k] * z);
      rotateQuaternion(q, iq, v, iv, h);
      setRotation(E, 0, q, iq);
      for (let k = 0; k < 3; k++) {
        q[iq + 4 + k] += h * u[k];
        v[iv + 3 + k] = E[3 * k] * u[0] + E[3 * k + 1] * u[1] + E[3 * k + 2] * u[2];
      }
    }
  }

  /** Sets momentum, then scales the motion within to the booked energy; false where that is too far off. */
  #settle(state: State, h: number, work: number, last: boolean): boolean {
    const ledger = this.#ledger;
    const { gravity } = this.#dynamics.tree;
    const before = this.#books!;
    this.#audit(state);
    const { mass, com } = ledger;
    const within = this.#within;
    const next = this.#base === undefined ? before : this.#whole(before, h);
    let energy = before.energy + work;
    // Work on the base that went into the motion of the whole.
    if (next !== before && this.#pushed())
      energy -= wholeEnergy(mass, next, gravity) - wholeEnergy(mass, before, gravity);
    const target = energy - this.#stored - (this.#base === undefined ? 0 : ledger.turningEnergy(next.angular));
    // With less motion within than gravity gives in one step there is nothing to scale; a large debt is written off.
    const rest = restEnergy(mass, gravity, h, energy);
    if (within <= rest && Math.abs(within - target) > rest) energy += within - target;
    const exact = scaleOf(within, target, rest);
    if (!(Math.abs(exact - 1) <= REFINE) && !last) return false;
    const near = Math.min(1 + REFINE, Math.max(1 - REFINE, exact));
    this.largestScale = Math.max(this.largestScale, Math.abs(near - 1));
    // A loss that cannot be made good is written off, a gain stays a debt.
    if (near < exact) energy += near * near * within - target;
    const { q, v } = state;
    for (let k = 0; k < v.length; k++) v[k] *= near;
    if (this.#base !== undefined) {
      const { iq, iv } = this.#base;
      this.#lockedBase(this.#wanted, next.angular, next.velocity);
      for (let k = 0; k < 6; k++) v[iv + k] += this.#wanted[k] - near * this.#rigid[k];
      // To where its centre of mass should be, in the axes of the base's joint.
      const { X } = this.#dynamics.tree;
      const o = TRANSFORM * this.#link;
      for (let k = 0; k < 3; k++)
        for (let j = 0; j < 3; j++) q[iq + 4 + k] += X[o + 3 * k + j] * (next.com[j] - com[j]);
    }
    this.#books = { ...next, energy };
    return true;
  }

  /** The motion of the whole after a step: as gravity alone moves it or, with forces on the base, as the step has found it. */
  #whole({ com, velocity, angular }: Books, h: number): Books {
    const { com: found, velocity: u, angular: L } = this.#ledger;
    if (this.#pushed()) return { energy: 0, com: vector(found), velocity: vector(u), angular: vector(L) };
    const g = this.#dynamics.tree.gravity;
    return {
      energy: 0,
      com: add(com, scale(h, add(velocity, scale(h / 2, g)))),
      velocity: add(velocity, scale(h, g)),
      angular,
    };
  }

  /** Whether forces acted on the base in the step. */
  #pushed(): boolean {
    const { iv } = this.#base!;
    for (let k = iv; k < iv + 6; k++) if (this.#tau[k] !== 0) return true;
    return false;
  }
}

/** Energy of the motion of the whole, its weight included. */
function wholeEnergy(mass: number, { com, velocity }: Books, gravity: Vec3): number {
  return mass * (dot(velocity, velocity) / 2 - dot(gravity, com));
}

function vector(x: Float64Array): Vec3 {
  return [x[0], x[1], x[2]];
}
