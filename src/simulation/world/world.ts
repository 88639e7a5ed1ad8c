// A World: mechanisms that touch each other, the ground and obstacles.
//
//     const world = new World({ step: 0.002 });
//     world.ground();
//     const figure = world.add(mechanism, { at: [0, 0, 1] });
//     world.add(box([0.2, 0.2, 0.2]), { at: [0, 0, 2] });
//     world.runUntil(3);

import { collider } from '../../contact/collider.js';
import { type Connected, type ConnectOptions, connect, disconnect } from '../../dynamics/connect.js';
import { MechanismError, SimulationError } from '../../mechanism/errors.js';
import {
  type ContactProperties,
  type Geometry,
  GROUND,
  type Mechanism,
  type Placement,
  type Shape,
} from '../../mechanism/mechanism.js';
import { nearNames } from '../../mechanism/near-names.js';
import { type RerootOptions, reroot } from '../../mechanism/reroot.js';
import { belongsTo, State } from '../../mechanism/state.js';
import {
  add,
  apply,
  cross,
  IDENTITY3,
  type Mat3,
  multiply,
  type Quat,
  quaternionFromRotation,
  rotationFromQuaternion,
  scale,
  subtract,
  type Vec3,
  ZERO3,
} from '../../spatial/matrix3.js';
import { DEPTH } from '../ledger.js';
import { type Checkpoint, restoreMember, restoreSleep, saveMember } from './checkpoint.js';
import {
  type ContactReport,
  type Overlap,
  reportContacts,
  reportOverlaps,
  type TouchEvent,
  TouchWatch,
} from './contact-report.js';
import { Detection } from './detection.js';
import { JointRows } from './joint-rows.js';
import { Member } from './member.js';
import type { Control } from './motors.js';
import { type ImuReading, imuOf, poseOf, type SolvedStep, solvedStep } from './sensors.js';
import { Sleep, type SleepOptions } from './sleep.js';
import { Stepper } from './stepper.js';
import { type WorldThreadFaults, WorldThreads } from './threads/world-threads.js';
import { newKeys, type PairFriction, pairKey, type WorldShape, worldShapes } from './world-shape.js';

/** Options of a world: step, gravity, ground, solver. */
export interface WorldOptions {
  /** Seconds a step; 2 ms where left out. */
  readonly step?: number;
  /** [0, 0, -9.81] where left out; that of the mechanisms is not looked at. */
  readonly gravity?: Vec3;
  /** A plane z = 0, and how it behaves in contact. */
  readonly ground?: boolean | ContactProperties;
  /** Islands at rest are left out of the steps until something happens to them; false where left out. */
  readonly sleep?: boolean | SleepOptions;
  /**
   * Threads that compute islands of bodies that touch each other, this one included; 1 where left out. The bits do not depend on it.
   */
  readonly threads?: number;
  /** Added one after the other, as by `add`. */
  readonly mechanisms?: readonly Mechanism[];
  /**
   * What becomes of threads, for tests.
   *
   * @internal
   */
  readonly faults?: WorldThreadFaults;
}

/** Name, state and place of a mechanism that is added to a world. */
export interface AddOptions {
  /** The mechanism's name where left out, with a number where it is taken. */
  readonly name?: string;
  /** Where to start; the neutral state where left out. The world works on a copy. */
  readonly state?: State;
  /** For a free base: the place of its origin, and its orientation (w, x, y, z); then its velocity, ground axes. */
  readonly at?: Vec3;
  readonly turned?: Quat;
  readonly velocity?: Vec3;
  readonly spin?: Vec3;
  /** Joint forces as a function of the state. */
  readonly control?: Control;
  /** Whether its bodies touch each other; true where left out. Bodies that a joint connects never do. */
  readonly selfCollision?: boolean;
  /** Pairs of its bodies that do not touch. */
  readonly without?: readonly (readonly [string, string])[];
}

/** How the last step went. */
export interface StepReport {
  /** Largest residual of all islands, relative; see docs of the contact problem. */
  readonly residual: number;
  readonly iterations: number;
  readonly contacts: number;
  readonly islands: number;
  /** Members that sleep. */
  readonly asleep: number;
  /** Deepest penetration, metres, where the step was computed. */
  readonly depth: number;
}

const DEFAULT_STEP = 2e-3;

/** Depths (m) of what nobody looked at that are let pass, and how often a step is taken again at most where they are larger. */
const MISSED = 2e-5;
const MOST_LOOKS = 4;
/** Shapes that a step brings so much deeper (m) into each other take it in halves, so many times: what turns fast does not come straight. */
const ENTERED = 5e-4;
const MOST_ENTERED = 3;

/** Mechanisms in contact with the ground, with obstacles and with each other. */
export class World {
  readonly stepSize: number;
  readonly gravity: Vec3;
  /** In the order in which they were added. */
  readonly members: Member[] = [];
  #time = 0;
  readonly #obstacles: { readonly name: string; readonly shape: Shape }[] = [];
  readonly #noSelf = new Set<Member>();
  /** Pairs of bodies that do not touch: "member/body". */
  readonly #excluded: (readonly [string, string])[] = [];
  /** Pairs of shapes that touch whatever their groups say, with a friction of their own. */
  readonly #pairs: {
    readonly a: readonly [Member | undefined, string];
    readonly b: readonly [Member | undefined, string];
    readonly friction: PairFriction;
  }[] = [];
  #rows: JointRows[] = [];
  #shapes: WorldShape[] = [];
  readonly #detection = new Detection();
  /** Who computes its islands. */
  readonly threads: WorldThreads;
  readonly #stepper: Stepper;
  /** When islands fall asleep; undefined: never. */
  readonly sleep: Sleep | undefined;
  readonly #watch = new TouchWatch();
  /** Pairs of bodies that began or ceased to touch in the last step. */
  events: readonly TouchEvent[] = [];
  /** How often a step, or a part of one, was taken in halves because it was too long for its energy. */
  halved = 0;
  #stale = true;

  constructor(options: WorldOptions = {}) {
    const {
      step = DEFAULT_STEP,
      gravity = [0, 0, -9.81],
      ground = false,
      sleep = false,
      threads = 1,
      mechanisms = [],
    } = options;
    refuseStep(step);
    if (!Array.isArray(gravity) || gravity.length !== 3 || !gravity.every(Number.isFinite))
      throw MechanismError.of('gravity', '', `Gravity must be three finite numbers, got ${String(gravity)}.`);
    if (!(Number.isInteger(threads) && threads >= 1))
      throw MechanismError.of('threads', '', `Expected a whole number of threads, got ${threads}.`);
    this.threads = new WorldThreads(threads, options.faults);
    this.#stepper = new Stepper(this.#detection, this.threads);
    this.stepSize = step;
    this.gravity = gravity;
    this.sleep = sleep === false ? undefined : new Sleep(sleep === true ? {} : sleep);
    if (ground !== false) this.ground(ground === true ? {} : ground);
    for (const mechanism of mechanisms) this.add(mechanism);
  }

  get time(): number {
    return this.#time;
  }

  /** Done when all threads are there: until then this one computes everything, with the same bits, so that nobody needs to wait. */
  async ready(): Promise<void> {
    if (this.#stale) this.#arrange();
    await this.threads.ready();
  }

  /** Ends the threads, which the program need not wait for when it ends; the world can go on without them. */
  async end(): Promise<void> {
    await this.threads.end();
  }

  /** A plane that carries everything: z = 0 where left out. */
  ground(options: ContactProperties & { readonly at?: Vec3; readonly E?: Mat3; readonly name?: string } = {}): void {
    const { at = ZERO3, E = IDENTITY3, name = 'ground', ...contact } = options;
    this.obstacle({ name, geometry: { kind: 'plane' }, t: at, E, ...contact });
  }

  /** A shape that does not move. */
  obstacle(
    shape: {
      readonly geometry: Geometry;
      readonly t?: Vec3;
      readonly E?: Mat3;
      readonly name?: string;
    } & ContactProperties,
  ): void {
    const name = shape.name ?? `obstacle ${this.#obstacles.length + 1}`;
    const whole: Shape = { t: ZERO3, E: IDENTITY3, ...shape, name };
    collider(GROUND, whole);
    this.#obstacles.push({ name, shape: whole });
    this.#stale = true;
  }

  /** What does not move, in the order in which it was added. */
  get obstacles(): readonly { readonly name: string; readonly shape: Shape }[] {
    return this.#obstacles;
  }

  /** A mechanism, from now on; `member.state` is its state. */
  add(mechanism: Mechanism, options: AddOptions = {}): Member {
    const { state, control, selfCollision = true } = options;
    if (state !== undefined && !belongsTo(state, mechanism))
      throw MechanismError.of('state', '', `The state is not one of the mechanism "${mechanism.name}".`);
    const own = state?.clone() ?? new State(mechanism);
    own.time = this.#time;
    placeBase(own, options);
    const member = new Member(this.#newName(options.name ?? mechanism.name), mechanism, own);
    member.control = control;
    if (!selfCollision) this.#noSelf.add(member);
    this.members.push(member);
    for (const [a, b] of options.without ?? []) this.exclude([member, a], [member, b]);
    this.#stale = true;
    return member;
  }

  /** Takes a member out of the world. */
  remove(member: Member): void {
    this.#refuseForeign(member);
    this.members.splice(this.members.indexOf(member), 1);
    this.#stale = true;
  }

  /** The mechanism of that name; near names are suggested where there is none. */
  member(name: string): Member {
    const found = this.members.find((member) => member.name === name);
    if (found !== undefined) return found;
    const names = this.members.map((member) => member.name);
    throw MechanismError.of('unknown-member', '', `There is no member "${name}". ${nearNames(name, names)}`);
  }

  /** Two bodies, or a body and an obstacle, that do not touch: [member, body] each, or the name of an obstacle. */
  exclude(a: string | readonly [Member, string], b: string | readonly [Member, string]): void {
    this.#excluded.push([this.#address(a), this.#address(b)]);
    this.#stale = true;
  }

  /**
   * Two shapes, by name, that touch whatever their groups, masks and joints say, with a friction of their own: [member, shape] each, or
   * the name of an obstacle.
   */
  pair(
    a: string | readonly [Member, string],
    b: string | readonly [Member, string],
    friction: number | PairFriction,
  ): void {
    const whole: PairFriction =
      typeof friction === 'number' ? { friction, torsionalFriction: 0, rollingFriction: 0 } : friction;
    for (const value of [whole.friction, whole.torsionalFriction, whole.rollingFriction])
      if (!(value >= 0 && value < Number.POSITIVE_INFINITY))
        throw MechanismError.of('friction', 'pair', `Friction must be a number not below zero, got ${value}.`);
    this.#pairs.push({ a: this.#shapeAddress(a), b: this.#shapeAddress(b), friction: whole });
    this.#stale = true;
  }

  /** Joins two bodies of a member, or one and the ground, from now on; see connect. */
  connect(member: Member, options: ConnectOptions): Connected {
    this.#refuseForeign(member);
    const connected = connect(member.state.mechanism, member.state, options);
    member.restructure(connected.mechanism, connected.state);
    this.#stale = true;
    return connected;
  }

  /** Takes a joint of a member away from now on; see disconnect. */
  disconnect(member: Member, joint: string): void {
    this.#refuseForeign(member);
    const { mechanism, state } = disconnect(member.state.mechanism, member.state, joint);
    member.restructure(mechanism, state);
    this.#stale = true;
  }

  /** Another body of a member is the root of its tree from now on; with a free joint nothing moves. See reroot. */
  reroot(member: Member, options: RerootOptions): void {
    this.#refuseForeign(member);
    const { mechanism, state } = reroot(member.state.mechanism, member.state, options);
    member.restructure(mechanism, state);
    this.#stale = true;
  }

  /** One step. If it fails, everything stays as it was and the error names member, body, joint and time. */
  step(h = this.stepSize): void {
    refuseStep(h);
    if (this.#stale) this.#arrange();
    for (const member of this.members) member.closeLoops();
    const start = this.#time;
    this.#detection.mark();
    for (const rows of this.#rows) rows.mark();
    try {
      this.#advance(start, h, 0);
    } catch (error) {
      for (const member of this.members) {
        member.undo(0);
        member.undoReadings();
      }
      for (const rows of this.#rows) rows.undo();
      this.#detection.undo();
      throw error;
    }
    this.#time = start + h;
    for (const member of this.members) {
      member.state.time = this.#time;
      member.applied = [];
    }
    this.events = this.#watch.changes(this.#detection.touching);
  }

  /** A step from a time on, in halves where it is too long for its energy. */
  #advance(time: number, h: number, depth: number): void {
    const { members, gravity } = this;
    for (const member of members) member.mark(depth);
    // What is struck within a step may run into something that nobody looked at: then once more, looking farther.
    let [wider, looks] = [0, 0];
    while (this.#stepper.step(members, this.#rows, gravity, h, time, depth === DEPTH, wider, this.sleep)) {
      const { missed, entered } = this.#stepper.surprises();
      if (!(missed > MISSED) || looks === MOST_LOOKS) {
        if (!(entered > ENTERED) || depth >= MOST_ENTERED) return;
        break;
      }
      wider += 2 * missed;
      looks++;
      for (const member of members) member.undo(depth);
    }
    for (const member of members) member.undo(depth);
    const half = 0.5 * h;
    this.#advance(time, half, depth + 1);
    for (const { state } of members) state.time = time + half;
    this.#advance(time + half, half, depth + 1);
    this.halved++;
  }

  /** Whole steps until the time is reached, the last one shortened to meet it; `onStep` may stop it by returning false. */
  runUntil(end: number, onStep?: (world: World) => boolean | undefined): void {
    if (Number.isNaN(end)) throw MechanismError.of('time', '', 'The time to run until is not a number.');
    for (let h = this.lengthTowards(end); h > 0; h = this.lengthTowards(end)) {
      this.step(h);
      if (onStep?.(this) === false) return;
    }
  }

  /**
   * Seconds of the next step on the way to a time: a whole one, or what is left; 0 where it is reached. What would be whole but for
   * rounding in the sum of steps is whole, so that a run in pieces has the bits of one run.
   */
  lengthTowards(end: number): number {
    const left = end - this.#time;
    const rounding = 1e-9 * this.stepSize;
    if (!(left > rounding)) return 0;
    return left < this.stepSize - rounding ? left : this.stepSize;
  }

  /** How the last step went. */
  get report(): StepReport {
    const { islands } = this.#stepper;
    let depth = 0;
    for (const { count, gap } of this.#detection.touching)
      for (let k = 0; k < count; k++) depth = Math.max(depth, -gap[k]);
    return {
      residual: islands.reduce((most, { residual }) => Math.max(most, residual), 0),
      iterations: islands.reduce((sum, { iterations }) => sum + iterations, 0),
      contacts: islands.reduce((sum, { contacts }) => sum + contacts, 0),
      islands: islands.length,
      asleep: this.members.reduce((sum, { asleep }) => sum + (asleep ? 1 : 0), 0),
      depth,
    };
  }

  /** Each island of the last step: members, contacts, residual, iterations, and the last solver that was asked. */
  get islands(): Stepper['islands'] {
    return this.#stepper.islands;
  }

  /** Contact points of the last step. */
  contacts(): ContactReport[] {
    return reportContacts(this.#detection.touching);
  }

  /** The sum of contact forces on a body in the last step: force, and moment about the body's origin, ground axes. */
  contactForce(member: Member, body: string): { readonly force: Vec3; readonly moment: Vec3 } {
    this.#refuseForeign(member);
    const { t } = poseOf(member, body);
    let [force, moment]: [Vec3, Vec3] = [ZERO3, ZERO3];
    for (const { a, b, position, force: onA, moment: turning } of this.contacts())
      for (const [side, sign] of [
        [a, 1],
        [b, -1],
      ] as const)
        if (side.member === member.name && side.body === body) {
          const own = scale(sign, onA);
          force = add(force, own);
          moment = add(moment, add(cross(subtract(position, t), own), scale(sign, turning)));
        }
    return { force, moment };
  }

  /** The equation of motion that the last step solved for a member, contact forces in it, with the force in every joint. */
  solved(member: Member): SolvedStep {
    return solvedStep(member, this.gravity);
  }

  /** Place and axes of a body or a named frame: t its origin in ground coordinates, E takes ground to its own coordinates. */
  pose(member: Member, name: string): Placement {
    return poseOf(member, name);
  }

  /**
   * The smallest gap between the collision shapes of two bodies, metres, negative where they penetrate: [member, body] each, or the name of
   * an obstacle. Infinite where one has no shapes.
   */
  distance(a: string | readonly [Member, string], b: string | readonly [Member, string]): number {
    if (this.#stale) this.#arrange();
    const [x, y] = [a, b].map((given) => {
      const address = this.#address(given);
      return this.#shapes.filter((shape) => this.#addressOf(shape) === address);
    });
    return this.#detection.distance(x, y);
  }

  /**
   * Shapes that may touch and are in each other where everything stands now. A world moves such out of each other, slowly; look before the
   * first step where that is not wanted.
   */
  overlaps(): Overlap[] {
    if (this.#stale) this.#arrange();
    return reportOverlaps(this.#detection.overlaps());
  }

  /** What an IMU at a body or a named frame of a member reads. */
  imu(member: Member, name: string): ImuReading {
    return imuOf(member, name, this.gravity);
  }

  /** Kinetic and potential energy of all members, joules; that of springs in joints and in contacts that give way is potential. */
  energy(): { readonly kinetic: number; readonly potential: number; readonly total: number } {
    let [kinetic, potential] = [0, 0];
    for (const { articulation, state } of this.members) {
      kinetic += articulation.kineticEnergy;
      potential += articulation.gravityEnergy(this.gravity) + articulation.springEnergy(state.q);
    }
    if (!this.#stale) potential += this.#detection.springEnergy();
    return { kinetic, potential, total: kinetic + potential };
  }

  /** Everything that the next steps depend on. */
  save(): Checkpoint {
    for (const member of this.members) member.closeLoops();
    if (this.#stale) this.#arrange();
    return {
      time: this.#time,
      members: this.members.map((member, m) => saveMember(member, this.#rows[m])),
      pairs: this.#detection.save(),
    };
  }

  /** Back to a checkpoint of this world: the same members and obstacles, in any state and structure. */
  restore(checkpoint: Checkpoint): void {
    if (checkpoint.members.length !== this.members.length)
      throw new SimulationError(
        'checkpoint',
        `The checkpoint has ${checkpoint.members.length} members, the world ${this.members.length}; restore it in the world that saved it.`,
      );
    this.members.forEach((member, m) => {
      restoreMember(member, checkpoint.members[m]);
    });
    this.#time = checkpoint.time;
    this.#arrange();
    this.members.forEach((_, m) => {
      this.#rows[m].impulses = new Map(checkpoint.members[m].impulses);
      restoreSleep(this.members[m], checkpoint.members[m]);
    });
    this.#detection.restore(checkpoint.pairs);
    // What touches already does not begin to.
    this.#watch.changes(this.#detection.touching);
    this.events = [];
  }

  /** Shapes, filters and rows for the present members. */
  #arrange(): void {
    const before = this.#detection.save();
    const old = this.#shapes;
    this.#rows = this.members.map((member) => new JointRows(member));
    for (const member of this.members) member.wake();
    this.#shapes = worldShapes(
      this.#obstacles.map(({ shape }) => shape),
      this.members,
    );
    const given = this.#givenPairs();
    this.#detection.set(this.#shapes, this.#filters(), given);
    this.threads.prepare(
      this.members,
      this.#obstacles.map(({ shape }) => shape),
      given,
    );
    // Pairs of shapes that stay keep their contacts, with the impulses, and have not begun to touch.
    const keyOf = newKeys(old, this.#shapes);
    const kept = before.flatMap(({ key, ...points }) => {
      const now = keyOf(key);
      return now === undefined ? [] : [{ key: now, ...points }];
    });
    this.#detection.restore(kept.sort((x, y) => x.key - y.key));
    this.#watch.rename(keyOf);
    this.#stale = false;
  }

  #addressOf({ member, bodyName }: WorldShape): string {
    return member === undefined ? bodyName : `${member.name}/${bodyName}`;
  }

  #filters(): Set<number> {
    const shapes = this.#shapes;
    const places = new Map<string, number[]>();
    shapes.forEach((shape, i) => {
      const address = this.#addressOf(shape);
      places.set(address, [...(places.get(address) ?? []), i]);
    });
    const out = new Set<number>();
    for (const [a, b] of this.#excluded)
      for (const i of places.get(a) ?? []) for (const j of places.get(b) ?? []) out.add(pairKey(shapes.length, i, j));
    shapes.forEach((a, i) => {
      if (a.member !== undefined && this.#noSelf.has(a.member))
        for (let j = i + 1; j < shapes.length && shapes[j].member === a.member; j++)
          out.add(pairKey(shapes.length, i, j));
    });
    return out;
  }

  #givenPairs(): Map<number, PairFriction> {
    const out = new Map<number, PairFriction>();
    const found = ([member, name]: readonly [Member | undefined, string]): number[] =>
      this.#shapes.flatMap((shape, i) => (shape.member === member && shape.collider.shape.name === name ? [i] : []));
    for (const { a, b, friction } of this.#pairs)
      for (const i of found(a))
        for (const j of found(b)) if (i !== j) out.set(pairKey(this.#shapes.length, i, j), friction);
    return out;
  }

  #shapeAddress(given: string | readonly [Member, string]): readonly [Member | undefined, string] {
    if (typeof given === 'string') return [undefined, this.#address(given)];
    const [member, name] = given;
    this.#refuseForeign(member);
    const names = member.articulation.mechanism.bodies.flatMap(({ collisions }) =>
      collisions.flatMap((shape) => shape.name ?? []),
    );
    if (names.includes(name)) return given;
    throw MechanismError.of(
      'unknown-shape',
      '',
      `There is no shape "${name}" on "${member.name}". ${nearNames(name, names)}`,
    );
  }

  #address(given: string | readonly [Member, string]): string {
    if (typeof given !== 'string') {
      const [member, body] = given;
      this.#refuseForeign(member);
      return `${member.name}/${member.articulation.mechanism.body(body).name}`;
    }
    const names = this.#obstacles.map(({ name }) => name);
    if (!names.includes(given))
      throw MechanismError.of('unknown-obstacle', '', `There is no obstacle "${given}". ${nearNames(given, names)}`);
    return given;
  }

  #refuseForeign(member: Member): void {
    if (!this.members.includes(member))
      throw MechanismError.of('member', `"${member.name}"`, 'It is not in this world.');
  }

  #newName(wanted: string): string {
    const taken = new Set(this.members.map(({ name }) => name));
    if (!taken.has(wanted)) return wanted;
    let k = 2;
    while (taken.has(`${wanted} ${k}`)) k++;
    return `${wanted} ${k}`;
  }
}

function refuseStep(h: number): void {
  if (!(Number.isFinite(h) && h > 0))
    throw MechanismError.of('step', '', `The step must be a positive number of seconds, got ${h}.`);
}

/** A free base where the options say. */
function placeBase(state: State, { at, turned, velocity, spin }: AddOptions): void {
  if (at === undefined && turned === undefined && velocity === undefined && spin === undefined) return;
  const { joints, name } = state.mechanism;
  const base = joints.find(({ type, parent }) => type === 'floating' && parent === GROUND);
  if (base === undefined)
    throw MechanismError.of('base', `"${name}"`, 'Only a mechanism with a free base can be placed; give its state.');
  // Options speak of the ground, coordinates of the frame that the joint has there.
  const q = state.q.subarray(base.iq, base.iq + 7);
  const position = at === undefined ? q.subarray(4) : apply(base.E, subtract(at, base.t));
  const orientation = turned === undefined ? q.subarray(0, 4) : inFrame(base.E, turned);
  state.set(base.name, [...orientation, ...position]);
  if (velocity === undefined && spin === undefined) return;
  const X = new Float64Array(12);
  base.model.transform(X, 0, state.q, base.iq, new Float64Array(3), 0);
  for (const [given, o] of [
    [spin, 0],
    [velocity, 3],
  ] as const)
    if (given !== undefined) {
      const [x, y, z] = apply(base.E, given);
      for (let k = 0; k < 3; k++) state.v[base.iv + o + k] = X[3 * k] * x + X[3 * k + 1] * y + X[3 * k + 2] * z;
    }
}

/** An orientation in the ground as one in a frame E there. */
function inFrame(E: Mat3, turned: Quat): Quat {
  if (E.every((x, k) => x === IDENTITY3[k])) return turned;
  return quaternionFromRotation(multiply(E, rotationFromQuaternion(turned)));
}
