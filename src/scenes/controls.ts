// What drives the mechanisms of a scene: motors to poses and motions, forces by joint, the actuators of a model.

import type { Model } from '../files/adapted.js';
import type { Actuator } from '../mechanism/actuation.js';
import { ActuatorForces } from '../mechanism/actuator-forces.js';
import { MechanismError, type Problem } from '../mechanism/errors.js';
import { GROUND, type Mechanism, type PlacedJoint } from '../mechanism/mechanism.js';
import { keyframeOf } from '../mechanism/model-data.js';
import { nearNames } from '../mechanism/near-names.js';
import { State } from '../mechanism/state.js';
import type { Member } from '../simulation/world/member.js';
import type { Motor } from '../simulation/world/motors.js';
import { apply, transpose, type Vec3 } from '../spatial/matrix3.js';
import { type Guide, TrajectoryGuide } from './motions.js';
import { isList } from './parse-scene.js';
import { posed } from './posed.js';
import type { SceneControl, SceneGains } from './scene.js';

/** What a control may need to know. */
export interface ControlContext {
  readonly member: Member;
  readonly model: Model;
  /** The state in which the mechanism starts. */
  readonly start: State;
  /** A motion by the name that the scene gives. */
  readonly motion: (name: string) => Guide;
  readonly warnings: Problem[];
}

/** Called before every step. */
export type BeforeStep = (member: Member) => void;

/** Drives a member as the scene says, and no longer as before; returns what is to be done before every step. */
export function driveMember(
  control: SceneControl | readonly SceneControl[] | undefined,
  context: ControlContext,
): BeforeStep[] {
  const { member } = context;
  for (const { joint } of member.motors) member.drive(joint.name, undefined);
  member.control = undefined;
  if (control === undefined) return [];
  return (isList(control) ? control : [control]).flatMap((one) => driveBy(one, context));
}

function driveBy(control: SceneControl, context: ControlContext): BeforeStep[] {
  switch (control.kind) {
    case 'position':
      holdPose(control, context);
      return [];
    case 'trajectory': {
      const { times, joints, repeat = false } = control;
      const guide = new TrajectoryGuide(context.start, times, joints, repeat);
      const driven = new Set(Object.keys(joints));
      return followGuide(guide, 0, control, context, ({ name }) => driven.has(name));
    }
    case 'motion':
      return followGuide(context.motion(control.motion), control.from ?? 0, control, context, () => true);
    case 'torque': {
      const torques = Object.values(control.torques);
      pushJoints(context.member, Object.keys(control.torques), (k) => torques[k]);
      return [];
    }
    case 'actuators':
      driveActuators(control, context);
      return [];
  }
}

/**
 * Joints that motors can drive: not free bases, fixed joints and those that follow others. With their places in `original`, the mechanism
 * before its structure changed.
 */
function drivenJoints({ articulation: { mechanism, tree, free } }: Member, original: Mechanism): PlacedJoint[] {
  const followers = new Set(mechanism.couplings.map(({ joint }) => joint));
  return mechanism.joints.flatMap(({ name, model, parent, type }, j) => {
    const base = parent === GROUND && type === 'floating' && free[tree.joint.indexOf(j)] === 1;
    if (model.nv === 0 || base || followers.has(j) || !original.hasJoint(name)) return [];
    const placed = original.joint(name);
    return placed.model === model ? [placed] : [];
  });
}

function motorGains({
  stiffness = 0,
  damping = 0,
  limit,
  speed,
}: SceneGains): Omit<Extract<Motor, { kind: 'position' }>, 'position'> {
  return {
    kind: 'position',
    stiffness,
    damping,
    ...(limit !== undefined && { limit }),
    ...(speed !== undefined && { speed }),
  };
}

function holdPose(control: Extract<SceneControl, { kind: 'position' }>, context: ControlContext): void {
  const { member, start } = context;
  const { mechanism } = start;
  const { target = 'start', joints = {} } = control;
  for (const name of Object.keys(joints)) mechanism.joint(name);
  const goal =
    control.keyframe !== undefined
      ? keyframeOf(context.model, control.keyframe).state
      : target === 'start'
        ? start
        : posed(new State(mechanism), target === 'neutral' ? {} : target);
  for (const { name, iq, model } of drivenJoints(member, mechanism)) {
    const gains = Object.hasOwn(joints, name) ? { ...control, ...joints[name] } : control;
    const position = goal.q.slice(iq, iq + model.nq);
    member.drive(name, { ...motorGains(gains), position: model.nq === 1 ? position[0] : position });
  }
}

/**
 * Motors that follow a motion. A position motor pulls with K (p - q) - D v; to follow without lag it gets p + D/K of the wanted
 * velocity.
 */
function followGuide(
  guide: Guide,
  from: number,
  gains: SceneGains & { readonly assist?: SceneGains },
  { member, start }: ControlContext,
  driven: (joint: PlacedJoint) => boolean,
): BeforeStep[] {
  const { joints } = guide.mechanism;
  if (
    joints.length !== start.mechanism.joints.length ||
    joints.some(({ name }, j) => name !== start.mechanism.joints[j].name)
  )
    throw MechanismError.of(
      'motion',
      `motion of "${guide.mechanism.name}"`,
      `It belongs to another mechanism than "${member.name}"; take the motion's own model.`,
    );
  const q = new Float64Array(guide.mechanism.nq);
  const v = new Float64Array(guide.mechanism.nv);
  let asked = Number.NaN;
  const look = (time: number): void => {
    if (time === asked) return;
    guide.at(from + time, q, v);
    asked = time;
  };
  const { stiffness = 0, damping = 0 } = gains;
  const lead = stiffness > 0 ? damping / stiffness : 0;
  for (const joint of drivenJoints(member, guide.mechanism)) {
    if (!driven(joint)) continue;
    const { name, iq, iv, model } = joint;
    const target = new Float64Array(model.nq);
    const position = (time: number): Float64Array => {
      look(time);
      for (let k = 0; k < model.nq; k++) target[k] = q[iq + k];
      model.integrate(target, 0, v, iv, lead);
      return target;
    };
    member.drive(name, { ...motorGains(gains), position });
  }
  const { assist } = gains;
  if (assist === undefined) return [];
  const base = guide.mechanism.joints.findIndex(({ type, parent }) => type === 'floating' && parent === GROUND);
  if (base < 0)
    throw MechanismError.of('assist', `"${member.name}"`, 'Only a mechanism with a free base can be assisted.');
  const { iq, iv, model } = guide.mechanism.joints[base];
  const body = guide.mechanism.bodies[base].name;
  const u = new Float64Array(6);
  return [
    (one) => {
      const { state } = one;
      const own = one.state.mechanism.joints[base];
      look(state.time);
      model.difference(u, 0, state.q, own.iq, q, iq);
      const wrench = Array.from(u, (error, k) => {
        const force = (assist.stiffness ?? 0) * error + (assist.damping ?? 0) * (v[iv + k] - state.v[own.iv + k]);
        const most = assist.limit ?? Number.POSITIVE_INFINITY;
        return Math.min(Math.max(force, -most), most);
      });
      const X = new Float64Array(12);
      model.transform(X, 0, state.q, own.iq, new Float64Array(3), 0);
      const back = transpose(Array.from(X.subarray(0, 9)) as unknown as Parameters<typeof transpose>[0]);
      const turn = (o: number): Vec3 => apply(back, [wrench[o], wrench[o + 1], wrench[o + 2]]);
      one.push(body, turn(3), undefined, turn(0));
    },
  ];
}

function addControl(member: Member, more: NonNullable<Member['control']>): void {
  const before = member.control;
  member.control =
    before === undefined
      ? more
      : (tau, state) => {
          before(tau, state);
          more(tau, state);
        };
}

/** Forces on joints by name, `forceOf` of the k-th of them, besides what drives the member already. */
export function pushJoints(member: Member, names: readonly string[], forceOf: (k: number) => number): void {
  for (const name of names) {
    const { model, type } = member.state.mechanism.joint(name);
    if (model.nv !== 1)
      throw MechanismError.of(
        'control',
        `joint "${name}"`,
        `Forces by name are for joints of one degree of freedom, a ${type} one has ${model.nv}.`,
      );
  }
  const places = new Int32Array(names.length);
  let known: Mechanism | undefined;
  addControl(member, (tau, { mechanism }) => {
    if (mechanism !== known) {
      known = mechanism;
      // The structure has changed: a joint that was cut has no motor.
      names.forEach((name, k) => {
        const { iv, model } = mechanism.hasJoint(name) ? mechanism.joint(name) : { iv: -1, model: undefined };
        places[k] = model?.nv === 1 ? iv : -1;
      });
    }
    for (let k = 0; k < places.length; k++) if (places[k] >= 0) tau[places[k]] += forceOf(k);
  });
}

/**
 * Actuators of an MJCF file. Those whose force is gain u + bias with a spring or a damper in it become motors that are implicit in the
 * step; the rest act as they are.
 */
function driveActuators(control: Extract<SceneControl, { kind: 'actuators' }>, context: ControlContext): void {
  const { member, model, warnings } = context;
  let { mechanism } = member.state;
  const { actuators = [], tendons = [] } = model;
  const names = actuators.map(({ name }) => name);
  const controls = new Float64Array(actuators.length);
  if (control.keyframe !== undefined) controls.set(keyframeOf(model, control.keyframe).controls ?? []);
  for (const [name, value] of Object.entries(control.controls ?? {})) {
    const index = names.indexOf(name);
    if (index < 0)
      throw MechanismError.of('actuator', '', `The model has no actuator "${name}". ${nearNames(name, names)}`);
    controls[index] = value;
  }
  const explicit: Actuator[] = [];
  const inputs: number[] = [];
  const driven = new Set<string>();
  /** Once, however often it is driven anew. */
  const warn = (actuator: string, message: string): void => {
    const where = `actuator "${actuator}"`;
    if (!warnings.some((told) => told.where === where && told.message === message))
      warnings.push({ code: 'actuator', where, message });
  };
  actuators.forEach((actuator, k) => {
    const servo = servoOf(actuator, controls[k]);
    const motor = servo && onSource(servo, mechanism);
    if (motor !== undefined && !driven.has(motor.joint) && mechanism.joint(motor.joint).model.nv === 1) {
      driven.add(motor.joint);
      member.drive(motor.joint, motor.motor);
      return;
    }
    explicit.push(actuator);
    inputs.push(controls[k]);
    if (actuator.dynamics.kind !== 'none')
      warn(actuator.name, 'Its activation is not simulated: the control acts at once.');
  });
  if (explicit.length === 0) return;
  let forces = new ActuatorForces(mechanism, explicit, tendons);
  for (const name of forces.ignored) warn(name, 'Actuators of this kind have no effect.');
  addControl(member, (tau, state) => {
    // Coordinates have other places after a change of structure.
    if (state.mechanism !== mechanism) {
      mechanism = state.mechanism;
      forces = new ActuatorForces(mechanism, explicit, tendons);
    }
    forces.add(state, { controls: inputs }, tau);
  });
}

/** A position motor and the joint that it drives. */
interface Servo {
  readonly joint: string;
  readonly motor: Extract<Motor, { kind: 'position' }> & { readonly position: number };
}

/** The same on the joint that its own one follows, q = m s + c: K (p - q) on q is m K (p - m s - c) on s. */
function onSource(servo: Servo, mechanism: Mechanism): Servo {
  const { joints, couplings } = mechanism;
  const coupling = couplings.find(({ joint }) => joints[joint].name === servo.joint);
  if (coupling === undefined || coupling.multiplier === 0) return servo;
  const { source, multiplier: m, offset } = coupling;
  const { position, stiffness, damping, limit } = servo.motor;
  const motor: Servo['motor'] = {
    kind: 'position',
    position: (position - offset) / m,
    stiffness: stiffness * m * m,
    damping: damping * m * m,
    ...(limit !== undefined && { limit: Math.abs(m) * limit }),
  };
  return onSource({ joint: joints[source].name, motor }, mechanism);
}

/** The motor that an actuator with a spring is: gain u + b0 + b1 length + b2 speed = K (p - q) - D v. */
function servoOf(actuator: Actuator, control: number): Servo | undefined {
  const { transmission, gain, bias, dynamics, gear, controlRange, forceRange } = actuator;
  if (transmission.kind !== 'joint' || dynamics.kind !== 'none' || gain.kind !== 'fixed' || bias.kind !== 'affine')
    return undefined;
  const [b0, b1 = 0, b2 = 0] = bias.parameters;
  const r = gear[0];
  if (!(b1 < 0 && b2 <= 0) || r === 0 || gear.slice(1).some((x) => x !== 0)) return undefined;
  if (forceRange !== undefined && forceRange[0] !== -forceRange[1]) return undefined;
  const [lower, upper] = controlRange ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const u = Math.min(Math.max(control, lower), upper);
  return {
    joint: transmission.joint,
    motor: {
      kind: 'position',
      position: (gain.parameters[0] * u + b0) / (-b1 * r),
      stiffness: -b1 * r * r,
      damping: -b2 * r * r,
      ...(forceRange !== undefined && { limit: Math.abs(r) * forceRange[1] }),
    },
  };
}
