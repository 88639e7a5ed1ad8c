// A mechanism in a World: its state, and its velocities at the end of a step if nothing touched it.

import type { Prediction } from '../../contact/solver/island-solver.js';
import { LoopClosing } from '../../engines/plain/assembly/closing.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { cross, type Vec3, ZERO3 } from '../../spatial/matrix3.js';
import { TRANSFORM } from '../../spatial/spatial.js';
import { floatingBase } from '../ledger.js';
import { Articulation } from './articulation.js';
import { JointForces } from './joint-forces.js';
import { loopImpulses } from './loop-impulse.js';
import { type Control, type Motor, type PlacedMotor, placeMotor } from './motors.js';

/** Gaps and forbidden velocities of loops (m, rad, and a second) that are left to the steps. */
const CLOSED = 1e-9;

/** A mechanism in a world: its state, its motors, its forces. */
export class Member implements Prediction {
  readonly name: string;
  /** As it was added, before its structure changed. */
  readonly original: Mechanism;
  articulation: Articulation;
  /** The present state; another object after the structure has changed. */
  state: State;
  /** Joint forces as a function of the state, in the author's order, added to those of motors. */
  control: Control | undefined;
  motors: readonly PlacedMotor[] = [];
  /** Velocities in the order of the articulation. */
  v: Float64Array;
  /** At the start of the step. */
  q0: Float64Array;
  v0: Float64Array;
  /** Where the step is computed: its start, or half way. */
  q: Float64Array;
  /** Velocities at the end of the step without contacts. */
  predicted: Float64Array;
  /** Velocities that bias forces were computed with. */
  middle: Float64Array;
  /** (v - v0) / h of the last step. */
  a: Float64Array;
  /** n x 6: forces of contacts and loop joints on the links in the last step, as `external`. */
  touched: Float64Array;
  /** Forces on links in the next step. */
  applied: { readonly link: number; readonly wrench: Float64Array }[] = [];
  /** n x 6: all of them, ground axes, about the reference points. */
  external: Float64Array;
  forces: JointForces;
  closing: LoopClosing | undefined;
  /** Whether all of it hangs from one free base, and nothing else holds it. */
  floats: boolean;
  /** By what the ledger multiplied its motion in the last step: far from 1, take a shorter step. */
  scale = 1;
  /** For how long nothing of it has moved, seconds, and whether it is left out of the steps; see sleep.ts. */
  still = 0;
  asleep = false;
  /** Joules that its motors and its control have put in since it was added; motors that hold a velocity are not counted. */
  driven = 0;
  /** Whether the last step was computed half way, and its length, seconds. */
  halfWay = false;
  h = 1;
  /** Whether the last step changed nothing at all, and the next begins with the same. */
  halted = false;
  /** Accelerations of joints whose axes turn in the link, where there are any. */
  own: Float64Array | undefined;
  /** Whether its state was written to since the last step. */
  given = true;
  #mean: Float64Array;
  #marks: {
    q: Float64Array;
    v: Float64Array;
    own: Float64Array;
    time: number;
    still: number;
    asleep: boolean;
    driven: number;
  }[] = [];

  /** What sensors read of the last step, at the start of this one. */
  #read = { now: [] as Float64Array[], lists: [] as Float64Array[], halfWay: false, h: 1, scale: 1 };

  constructor(name: string, mechanism: Mechanism, state: State) {
    this.name = name;
    this.original = mechanism;
    const articulation = new Articulation(mechanism);
    const { nv, tree } = articulation;
    this.articulation = articulation;
    this.state = state;
    this.v = new Float64Array(nv);
    this.v0 = new Float64Array(nv);
    this.q0 = state.q.slice();
    this.q = state.q.slice();
    this.predicted = new Float64Array(nv);
    this.middle = new Float64Array(nv);
    this.a = new Float64Array(nv);
    this.touched = new Float64Array(6 * tree.n);
    this.#mean = new Float64Array(nv);
    this.external = new Float64Array(6 * tree.n);
    this.forces = new JointForces(articulation);
    this.closing = mechanism.loops.length > 0 ? new LoopClosing(tree, loopImpulses(articulation)) : undefined;
    this.floats = articulation.free[0] === 1 && floatingBase(mechanism) !== undefined;
    this.changed();
  }

  /** Another structure from now on. Motors of joints that are still there stay. */
  restructure(mechanism: Mechanism, state: State): void {
    const { name, control, motors, original, driven } = this;
    Object.assign(this, new Member(name, mechanism, state), { original, driven });
    this.#mean = new Float64Array(this.articulation.nv);
    this.#marks = [];
    this.#read.now = [];
    this.control = control;
    this.motors = motors.flatMap(({ joint, motor }) =>
      mechanism.hasJoint(joint.name) && mechanism.joint(joint.name).model === joint.model
        ? [placeMotor(this.articulation, joint.name, motor)]
        : [],
    );
  }

  /** The state was written to: velocities follow. Until the next step sensors read that nothing accelerates or touches it. */
  changed(): void {
    this.given = true;
    this.wake();
    this.halted = false;
    this.articulation.place(this.state.q);
    this.articulation.fromAuthor(this.v, this.state.v);
    this.articulation.move(this.v);
    for (const positions of [this.q0, this.q]) positions.set(this.state.q);
    for (const velocities of [this.v0, this.middle]) velocities.set(this.v);
    for (const none of [this.a, this.touched, this.external]) none.fill(0);
    this.halfWay = false;
  }

  /** Closes the loops of a state that was written to, if they are not. */
  closeLoops(): void {
    if (!this.given) return;
    const { closing, state, name } = this;
    if (closing !== undefined && !(closing.gap(state) < CLOSED && closing.slip(state) < CLOSED)) {
      closing.closeGiven(state, `"${name}"`);
      this.changed();
    }
    this.given = false;
  }

  /** A motor on a joint; undefined takes it away. */
  drive(joint: string, motor: Motor | undefined): void {
    const others = this.motors.filter((other) => other.joint.name !== joint);
    if (motor !== undefined) others.push(placeMotor(this.articulation, joint, motor));
    this.wake();
    // One order, whichever was set first.
    this.motors = others.sort((x, y) => x.first - y.first);
  }

  /** Whether nothing drives it or pushes it. */
  get leftAlone(): boolean {
    return this.control === undefined && this.motors.length === 0 && this.applied.length === 0;
  }

  /** Whether it rests, and did at the start of the step, at the same place. */
  get stayed(): boolean {
    const { state, q0, v, v0 } = this;
    for (let k = 0; k < v.length; k++) if (v[k] !== 0 || v0[k] !== 0) return false;
    for (let k = 0; k < q0.length; k++) if (state.q[k] !== q0[k]) return false;
    return true;
  }

  /** Remembers the start of a step; asks control and motors. The articulation stands there. */
  begin(): void {
    this.halted = false;
    this.q0.set(this.state.q);
    this.q.set(this.state.q);
    this.v0.set(this.v);
    this.touched.fill(0);
    this.halfWay = false;
    this.forces.begin(this.name, this.state, this.control, this.motors);
  }

  /** Computes the step half way from here on. */
  goHalfWay(h: number): void {
    const { articulation, q, v0 } = this;
    this.halfWay = true;
    articulation.integrate(q, v0, h / 2);
    articulation.place(q);
    articulation.move(v0);
  }

  /** Forces on the joints, without those of velocities. */
  get tau(): Float64Array {
    return this.forces.tau;
  }

  /** Forces and added inertia for the prediction of a step; bias forces with the velocities at its start. */
  assemble(h: number, first: boolean): void {
    const { articulation, forces, motors, q0, v0, middle, halfWay } = this;
    if (first) this.#placeForces();
    forces.assemble(motors, q0, v0, h, halfWay);
    articulation.added.set(forces.added);
    middle.set(v0);
    this.own = articulation.turningAxes(this.q, middle);
  }

  /** Takes the predicted velocities from a list. */
  takePrediction(free: Float64Array, o: number): void {
    const { predicted } = this;
    for (let k = 0; k < predicted.length; k++) predicted[k] = free[o + k];
  }

  /** Bias forces get those of the mean velocity, that at the end from a list, for another prediction. */
  takeMean(free: Float64Array, o: number): void {
    const { middle, v0 } = this;
    for (let k = 0; k < middle.length; k++) middle[k] = 0.5 * (v0[k] + free[o + k]);
    this.own = this.articulation.turningAxes(this.q, middle);
  }

  get unpushed(): boolean {
    return this.applied.length === 0;
  }

  /** Whether a motor was found that would push harder than it can. */
  saturate(h: number): boolean {
    return this.forces.saturate(this.motors, this.q0, this.predicted, h);
  }

  /**
   * A force and a moment on a body in the next step, ground axes. `at`: a point of the body where the force acts, ground coordinates;
   * its origin where left out.
   */
  push(body: string, force: Vec3, at?: Vec3, moment: Vec3 = ZERO3): void {
    const { tree, pose, mechanism } = this.articulation;
    const link = tree.link[mechanism.bodyIndex(body)];
    const o = TRANSFORM * link + 9;
    const [x, y, z] = at === undefined ? ZERO3 : [at[0] - pose[o], at[1] - pose[o + 1], at[2] - pose[o + 2]];
    const arm = cross([x, y, z], force);
    const wrench = Float64Array.of(arm[0] + moment[0], arm[1] + moment[1], arm[2] + moment[2], ...force);
    this.applied.push({ link, wrench });
    this.wake();
  }

  /** A force of a contact or a loop joint on a link, at a point, ground axes: torque t first, then force. Where the step is computed. */
  touch(link: number, P: Float64Array, oP: number, wrench: Float64Array, sign: number): void {
    const { touched, articulation } = this;
    const { reference, root } = articulation;
    const r = 3 * root[link];
    const o = 6 * link;
    const x = P[oP] - reference[r];
    const y = P[oP + 1] - reference[r + 1];
    const z = P[oP + 2] - reference[r + 2];
    touched[o] += sign * (wrench[0] + y * wrench[5] - z * wrench[4]);
    touched[o + 1] += sign * (wrench[1] + z * wrench[3] - x * wrench[5]);
    touched[o + 2] += sign * (wrench[2] + x * wrench[4] - y * wrench[3]);
    for (let k = 3; k < 6; k++) touched[o + k] += sign * wrench[k];
  }

  #placeForces(): void {
    const { external, articulation, applied } = this;
    const { pose, reference, root } = articulation;
    external.fill(0);
    for (const { link, wrench } of applied) {
      const o = 6 * link;
      const [p, r] = [TRANSFORM * link + 9, 3 * root[link]];
      const [x, y, z] = [pose[p] - reference[r], pose[p + 1] - reference[r + 1], pose[p + 2] - reference[r + 2]];
      external[o] += wrench[0] + y * wrench[5] - z * wrench[4];
      external[o + 1] += wrench[1] + z * wrench[3] - x * wrench[5];
      external[o + 2] += wrench[2] + x * wrench[4] - y * wrench[3];
      for (let k = 3; k < 6; k++) external[o + k] += wrench[k];
    }
  }

  /** Work of joint forces (springs aside) and pushes in the step that took v0 to v; counts that of motors. The articulation stands where it was computed. */
  work(h: number): number {
    const { articulation, forces, v, v0, a, external, applied } = this;
    const mean = this.#mean;
    for (let k = 0; k < v.length; k++) {
      mean[k] = 0.5 * (v0[k] + v[k]);
      a[k] = (v[k] - v0[k]) / h;
    }
    let work = forces.work(mean, a, h);
    this.driven += forces.driving(mean, a, v, h);
    if (applied.length > 0) {
      articulation.move(mean);
      for (let k = 0; k < external.length; k++) work += h * external[k] * articulation.V[k];
    }
    return work;
  }

  /** Whether forces from outside act, gravity and contacts aside. */
  get pushed(): boolean {
    return this.applied.length > 0 || this.forces.pushesBase;
  }

  /** Whether a motor holds a velocity, which would not be held any more if it were scaled. */
  get paced(): boolean {
    return this.motors.some(({ motor, pace }) => motor.kind === 'velocity' || pace.sign !== 0);
  }

  /** Moves to the end of the step with velocities v: from half way, or from the start all the way (landing), or the mean (resting). */
  finish(h: number, landing: boolean): void {
    const { articulation, state, q, q0, v, v0, halfWay, predicted } = this;
    if (halfWay) {
      state.q.set(q);
      articulation.integrate(state.q, v, h / 2);
    } else {
      state.q.set(q0);
      // Not even the length of a quaternion changes.
      if (this.stayed) return;
      // `predicted` is not needed any more.
      for (let k = 0; k < v.length; k++) predicted[k] = landing ? v[k] : 0.5 * (v0[k] + v[k]);
      articulation.integrate(state.q, predicted, h);
    }
  }

  /** Positions that coupled joints and loops allow, poses and velocities at the end of the step. */
  settle(): void {
    const { articulation, state, v } = this;
    state.applyCouplings();
    if (this.closing !== undefined) this.closing.close(state);
    articulation.place(state.q);
    if (this.closing !== undefined) {
      // Loops were held where the step was computed; now they are where it ended.
      articulation.toAuthor(state.v, v);
      this.closing.hold(state);
      articulation.fromAuthor(v, state.v);
    }
    articulation.move(v);
  }

  /** Poses and the author's velocities, after velocities were set right, and positions where it was `moved`. */
  arrive(moved: boolean): void {
    const { articulation, state, v } = this;
    if (moved) articulation.translate(state.q);
    // Velocities of the links are those that `settle` found where nothing was set right, and the books of the next step with them.
    if (moved || this.scale !== 1) articulation.move(v);
    articulation.toAuthor(state.v, v);
  }

  /** It takes part in the steps again. */
  wake(): void {
    this.still = 0;
    this.asleep = false;
  }

  /** It stays where it is until it wakes. */
  fallAsleep(): void {
    const { articulation, state, v, v0, q0, a } = this;
    this.asleep = true;
    for (const velocities of [v, v0, state.v, a]) velocities.fill(0);
    q0.set(state.q);
    articulation.move(v);
  }

  /** Remembers the state as that at the start of a step, or of a half of one: `depth` times halved. */
  mark(depth: number): void {
    const { q, v } = this.state;
    this.#marks[depth] ??= {
      q: q.slice(),
      v: v.slice(),
      own: this.v.slice(),
      time: 0,
      still: 0,
      asleep: false,
      driven: 0,
    };
    const mark = this.#marks[depth];
    mark.q.set(q);
    mark.v.set(v);
    mark.own.set(this.v);
    mark.time = this.state.time;
    mark.still = this.still;
    mark.asleep = this.asleep;
    mark.driven = this.driven;
    if (depth === 0) this.#markReadings();
  }

  #markReadings(): void {
    const read = this.#read;
    if (read.now.length === 0) {
      read.now = [this.q0, this.v0, this.q, this.middle, this.a, this.touched, this.external];
      read.lists = read.now.map((list) => list.slice());
    } else for (let k = 0; k < read.now.length; k++) read.lists[k].set(read.now[k]);
    read.halfWay = this.halfWay;
    read.h = this.h;
    read.scale = this.scale;
  }

  /** What sensors read is that of the step before again, after one that failed. */
  undoReadings(): void {
    const { now, lists, halfWay, h, scale } = this.#read;
    now.forEach((list, k) => {
      list.set(lists[k]);
    });
    Object.assign(this, { halfWay, h, scale });
  }

  /** Back to what was remembered. */
  undo(depth: number): void {
    const { q, v, own, time, still, asleep, driven } = this.#marks[depth];
    this.state.q.set(q);
    this.state.v.set(v);
    this.state.time = time;
    this.still = still;
    this.asleep = asleep;
    this.driven = driven;
    this.v.set(own);
    this.articulation.place(q);
    this.articulation.move(own);
  }
}
