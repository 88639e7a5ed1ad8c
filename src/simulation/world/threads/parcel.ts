// An island on its way to a thread and back: numbers in shared memory, written and read in one order.

import type { IslandReport } from '../island-solve.js';
import type { Island } from '../islands.js';
import type { JointRows } from '../joint-rows.js';
import type { Member } from '../member.js';
import { type Motor, type PlacedMotor, placeMotor } from '../motors.js';
import type { ShapePair } from '../world-shape.js';

type Numbers = Float64Array | Int32Array | Uint8Array;

/** A place in a list of numbers that moves on with what is written or read. */
export class Parcel {
  readonly numbers: Float64Array;
  at = 0;

  constructor(numbers: Float64Array) {
    this.numbers = numbers;
  }

  put(value: number): void {
    this.numbers[this.at++] = value;
  }

  take(): number {
    return this.numbers[this.at++];
  }

  putAll(values: Numbers, count = values.length): void {
    const { numbers, at } = this;
    for (let k = 0; k < count; k++) numbers[at + k] = values[k];
    this.at += count;
  }

  takeAll(out: Numbers, count = out.length): void {
    const { numbers, at } = this;
    for (let k = 0; k < count; k++) out[k] = numbers[at + k];
    this.at += count;
  }
}

const KINDS: readonly Motor['kind'][] = ['torque', 'velocity', 'position'];
/** Of a motor: kind, joint, stiffness, damping, limit, speed, pace (2); then its command. */
const MOTOR_NUMBERS = 8;
const SOLVERS: readonly IslandReport['solver'][] = ['warm', 'newton', 'interior', 'dense', 'proximal', 'admm'];

/** How many numbers an island takes at most, there and back. */
export function parcelLength({ members, rows, pairs }: Island): number {
  let length = 8;
  for (let k = 0; k < members.length; k++) {
    const { articulation, state, motors, applied } = members[k];
    const { nv, tree } = articulation;
    length += 8 + 3 * state.q.length + 8 * nv + 12 * tree.n + 2 * rows[k].kept.length + 7 * applied.length;
    for (const { command } of motors) length += MOTOR_NUMBERS + command.length;
  }
  for (const pair of pairs) length += 4 + 33 * pair.most + 8 * pair.oldCount;
  return length;
}

/** An island at the start of its step, contacts found, controls and motors asked. */
export function sendIsland(parcel: Parcel, { numbers, members, rows, pairs }: Island): void {
  parcel.put(members.length);
  parcel.put(pairs.length);
  for (let k = 0; k < members.length; k++) {
    parcel.put(numbers[k]);
    sendMember(parcel, members[k], rows[k]);
  }
  for (let p = 0; p < pairs.length; p++) {
    parcel.put(pairs[p].key);
    sendPoints(parcel, pairs[p]);
    sendOld(parcel, pairs[p]);
  }
}

/** The same, by the thread: its own members stand there then. `pairOf`: a pair by its key. */
export function receiveIsland(
  parcel: Parcel,
  island: Island,
  members: readonly Member[],
  rows: readonly JointRows[],
  pairOf: (key: number) => ShapePair,
): void {
  island.empty();
  const count = parcel.take();
  const pairs = parcel.take();
  for (let k = 0; k < count; k++) {
    const m = parcel.take();
    receiveMember(parcel, members[m], rows[m]);
    island.addMember(m, members[m], rows[m]);
  }
  for (let p = 0; p < pairs; p++) {
    const pair = pairOf(parcel.take());
    receivePoints(parcel, pair);
    receiveOld(parcel, pair);
    island.addPair(pair);
  }
  island.finish();
}

/** What the step made of it, by the thread. */
export function answerIsland(parcel: Parcel, { members, rows, pairs }: Island, report: IslandReport | undefined): void {
  parcel.put(report === undefined ? -1 : SOLVERS.indexOf(report.solver));
  parcel.put(report?.contacts ?? 0);
  parcel.put(report?.residual ?? 0);
  parcel.put(report?.iterations ?? 0);
  for (let k = 0; k < members.length; k++) {
    const { state, q, v, a, middle, touched, external, halfWay, scale, driven } = members[k];
    parcel.putAll(state.q);
    parcel.putAll(state.v);
    for (const list of [q, v, a, middle, touched, external]) parcel.putAll(list);
    parcel.put(halfWay ? 1 : 0);
    parcel.put(scale);
    parcel.put(driven);
    parcel.putAll(rows[k].kept);
  }
  for (let p = 0; p < pairs.length; p++) sendPoints(parcel, pairs[p]);
}

/** The same, by whoever sent the island; its members stand at the end of the step then. Gives the report. */
export function takeAnswer(parcel: Parcel, { members, rows, pairs }: Island): IslandReport | undefined {
  const solver = SOLVERS[parcel.take()];
  const [contacts, residual, iterations] = [parcel.take(), parcel.take(), parcel.take()];
  for (let k = 0; k < members.length; k++) {
    const member = members[k];
    const { articulation, state, q, v, a, middle, touched, external } = member;
    parcel.takeAll(state.q);
    parcel.takeAll(state.v);
    for (const list of [q, v, a, middle, touched, external]) parcel.takeAll(list);
    member.halfWay = parcel.take() === 1;
    member.scale = parcel.take();
    member.driven = parcel.take();
    parcel.takeAll(rows[k].kept);
    articulation.place(state.q);
    articulation.move(v);
  }
  for (let p = 0; p < pairs.length; p++) receivePoints(parcel, pairs[p]);
  return solver === undefined ? undefined : { members: members.length, contacts, residual, iterations, solver };
}

function sendMember(parcel: Parcel, member: Member, { kept }: JointRows): void {
  const { state, v, forces, motors, applied, control, driven } = member;
  parcel.put(state.time);
  parcel.put(driven);
  parcel.putAll(state.q);
  parcel.putAll(v);
  parcel.putAll(forces.explicit);
  parcel.putAll(kept);
  parcel.put(control === undefined ? 0 : 1);
  parcel.put(applied.length);
  for (const { link, wrench } of applied) {
    parcel.put(link);
    parcel.putAll(wrench);
  }
  parcel.put(motors.length);
  for (const { motor, joint, pace, command } of motors) {
    parcel.put(KINDS.indexOf(motor.kind));
    parcel.put(joint.index);
    parcel.put(motor.kind === 'position' ? motor.stiffness : 0);
    parcel.put(motor.kind === 'position' ? motor.damping : 0);
    parcel.put((motor.kind === 'torque' ? undefined : motor.limit) ?? Number.NaN);
    parcel.put((motor.kind === 'velocity' ? undefined : motor.speed) ?? Number.NaN);
    parcel.put(pace.sign);
    parcel.put(pace.force);
    parcel.putAll(command);
  }
}

/** Controls have been asked where they are. */
const ASKED = (): void => {};

function receiveMember(parcel: Parcel, member: Member, { kept }: JointRows): void {
  const { articulation, state, q, q0, v, v0, forces } = member;
  state.time = parcel.take();
  member.driven = parcel.take();
  parcel.takeAll(state.q);
  parcel.takeAll(v);
  q.set(state.q);
  q0.set(state.q);
  v0.set(v);
  member.touched.fill(0);
  member.halfWay = false;
  parcel.takeAll(forces.explicit);
  parcel.takeAll(kept);
  member.control = parcel.take() === 1 ? ASKED : undefined;
  const pushes = parcel.take();
  member.applied = [];
  for (let k = 0; k < pushes; k++) {
    const push = { link: parcel.take(), wrench: new Float64Array(6) };
    parcel.takeAll(push.wrench);
    member.applied.push(push);
  }
  const motors = parcel.take();
  const known = member.motors;
  member.motors = Array.from({ length: motors }, (_, k) => receiveMotor(parcel, member, known[k]));
  articulation.place(state.q);
  articulation.move(v);
}

/** A motor as it is in this step; the one that was at its place in the list before may do. */
function receiveMotor(parcel: Parcel, { articulation }: Member, known: PlacedMotor | undefined): PlacedMotor {
  const kind = KINDS[parcel.take()];
  const index = parcel.take();
  const [stiffness, damping, bound, most] = [parcel.take(), parcel.take(), parcel.take(), parcel.take()];
  const limit = Number.isNaN(bound) ? {} : { limit: bound };
  const speed = Number.isNaN(most) ? {} : { speed: most };
  const motor: Motor =
    kind === 'torque'
      ? { kind, torque: 0, ...speed }
      : kind === 'velocity'
        ? { kind, velocity: 0, ...limit }
        : { kind: 'position', position: 0, stiffness, damping, ...limit, ...speed };
  const placed =
    known !== undefined && known.joint.index === index
      ? { ...known, motor }
      : placeMotor(articulation, articulation.mechanism.joints[index].name, motor);
  placed.saturated.fill(0);
  placed.pace.sign = parcel.take();
  placed.pace.force = parcel.take();
  parcel.takeAll(placed.command);
  return placed;
}

function sendPoints(parcel: Parcel, pair: ShapePair): void {
  const { count, position, frame, gap, feature, approach, impulse, moment, mode } = pair;
  parcel.put(count);
  parcel.putAll(position, 3 * count);
  parcel.putAll(frame, 9 * count);
  parcel.putAll(gap, count);
  parcel.putAll(feature, count);
  parcel.putAll(approach, count);
  parcel.putAll(impulse, 3 * count);
  parcel.putAll(moment, 3 * count);
  parcel.putAll(mode, count);
}

function receivePoints(parcel: Parcel, pair: ShapePair): void {
  const count = parcel.take();
  pair.makeRoom(count);
  pair.count = count;
  const { position, frame, gap, feature, approach, impulse, moment, mode } = pair;
  pair.moved = true;
  parcel.takeAll(position, 3 * count);
  parcel.takeAll(frame, 9 * count);
  parcel.takeAll(gap, count);
  parcel.takeAll(feature, count);
  parcel.takeAll(approach, count);
  parcel.takeAll(impulse, 3 * count);
  parcel.takeAll(moment, 3 * count);
  parcel.takeAll(mode, count);
}

function sendOld(parcel: Parcel, { oldCount, oldFeature, oldImpulse, oldMoment, oldMode }: ShapePair): void {
  parcel.put(oldCount);
  parcel.putAll(oldFeature, oldCount);
  parcel.putAll(oldImpulse, 3 * oldCount);
  parcel.putAll(oldMoment, 3 * oldCount);
  parcel.putAll(oldMode, oldCount);
}

function receiveOld(parcel: Parcel, pair: ShapePair): void {
  const count = parcel.take();
  pair.makeRoom(count);
  pair.oldCount = count;
  parcel.takeAll(pair.oldFeature, count);
  parcel.takeAll(pair.oldImpulse, 3 * count);
  parcel.takeAll(pair.oldMoment, 3 * count);
  parcel.takeAll(pair.oldMode, count);
}
