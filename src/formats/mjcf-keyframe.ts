// <keyframe>: states with names. Positions of a free joint come as place and quaternion there, the other way round here.

import type { Mechanism } from '../mechanism/mechanism.js';
import type { Keyframe } from '../mechanism/model-data.js';
import { State } from '../mechanism/state.js';
import { apply, type Quat, transpose } from '../spatial/matrix3.js';
import { ACTUATOR_TAGS } from './mjcf-actuator.js';
import type { MjcfBody, MjcfFile } from './mjcf-body.js';
import type { Defaults } from './mjcf-defaults.js';
import { type Fields, manyNumbers, number, readFields, text } from './mjcf-fields.js';
import { rotationOfQuaternion } from './mjcf-frame.js';
import { JOINT_FIELDS, type MjcfJointType } from './mjcf-joint.js';
import type { MjcfParts } from './mjcf-mechanism.js';
import { type Renaming, renamed } from './mjcf-names.js';
import type { XmlElement } from './xml.js';

interface KeyData {
  name: string;
  time: number;
  qpos: readonly number[] | undefined;
  qvel: readonly number[] | undefined;
  act: readonly number[] | undefined;
  ctrl: readonly number[] | undefined;
}

const KEY_FIELDS: Fields<KeyData> = new Map([
  ['name', text<KeyData>('name')],
  ['time', number<KeyData>('time')],
  ['qpos', manyNumbers<KeyData>('qpos')],
  ['qvel', manyNumbers<KeyData>('qvel')],
  ['act', manyNumbers<KeyData>('act')],
  ['ctrl', manyNumbers<KeyData>('ctrl')],
]);

const NEW_KEY: KeyData = { name: '', time: 0, qpos: undefined, qvel: undefined, act: undefined, ctrl: undefined };

/** A joint of the model that a keyframe is written for, by the name that it has here; undefined where it was left behind. */
interface KeyJoint {
  readonly name: string | undefined;
  readonly type: MjcfJointType;
}

const SIZES = { free: [7, 6], ball: [4, 3], slide: [1, 1], hinge: [1, 1] } as const;

/**
 * `reference` is the state in the pose that the file draws. In a model with copies MuJoCo took keyframes that are written for
 * the model without them; what it made of those is not followed.
 */
export function readKeyframe(
  element: XmlElement,
  index: number,
  mechanism: Mechanism,
  parts: MjcfParts,
  reference: State,
  copied: boolean,
): Keyframe | undefined {
  const data = readFields(element, KEY_FIELDS, NEW_KEY);
  const joints = parts.moving.map(({ name, joint: { type } }) => ({ name, type }));
  const state = stateOf(element, data, joints, mechanism, reference, element.incomplete || copied);
  return (
    state && {
      name: data.name !== '' ? data.name : `${index}`,
      time: data.time,
      state,
      ...(data.ctrl !== undefined && { controls: data.ctrl }),
      ...(data.act !== undefined && { activations: data.act }),
    }
  );
}

/** Keyframes of a model that is attached, by full names: its joints as they say, all others as the file draws them. */
export function attachedKeyframes(
  file: MjcfFile,
  renaming: Renaming,
  mechanism: Mechanism,
  parts: MjcfParts,
  actuators: readonly string[],
  reference: State,
): Keyframe[] {
  const keys = file.root.children('keyframe').flatMap((section) => section.children('key'));
  if (keys.length === 0) return [];
  const joints = file.root.children('worldbody').flatMap((root) => jointsIn(root, file, file.classes.main));
  const there = new Set(parts.moving.map(({ name }) => name));
  const moved = joints.map(({ name = '', type }) => {
    const full = renamed(name, renaming);
    return { name: name !== '' && there.has(full) ? full : undefined, type };
  });
  const motors = file.root
    .children('actuator')
    .flatMap((section) => section.elements().filter(({ name }) => ACTUATOR_TAGS.has(name)))
    .map(({ attributes }) => actuators.indexOf(renamed(attributes.name ?? '', renaming)));
  return keys.flatMap((key, k) => {
    const data = readFields(key, KEY_FIELDS, NEW_KEY);
    const state = stateOf(key, data, moved, mechanism, reference, true);
    if (state === undefined) return [];
    const controls = actuators.map((_, to) => data.ctrl?.[motors.indexOf(to)] ?? 0);
    const name = renamed(data.name !== '' ? data.name : `${k}`, renaming);
    return [{ name, time: data.time, state, ...(data.ctrl !== undefined && { controls }) }];
  });
}

/** Joints of a model in MuJoCo's order, by the names that are written there. Recursion is as deep as the file, which is bounded. */
function jointsIn(section: XmlElement, file: MjcfFile, defaults: Defaults): KeyJoint[] {
  const { childclass } = section.attributes;
  const around = childclass === undefined ? defaults : file.classes.named(section, 'childclass', childclass, defaults);
  // Those of the body itself come first, in whatever order they are written.
  const own: KeyJoint[] = [];
  const deeper: KeyJoint[] = [];
  for (const element of section.elements()) {
    const { name } = element.attributes;
    if (element.name === 'freejoint') own.push({ name, type: 'free' });
    else if (element.name === 'joint') {
      const { joint } = file.classes.of(element, around);
      own.push({ name, type: readFields(element, JOINT_FIELDS, joint).type });
    } else if (element.name === 'body') deeper.push(...jointsIn(element, file, around));
    else if (element.name === 'frame') (hasJoints(element) ? own : deeper).push(...jointsIn(element, file, around));
  }
  return [...own, ...deeper];
}

const hasJoints = (frame: XmlElement): boolean =>
  frame.elements().some(({ name }) => name === 'joint' || name === 'freejoint');

/** Undefined, with a problem or a warning, where the numbers are not as many as those joints have. */
function stateOf(
  element: XmlElement,
  { qpos, qvel }: KeyData,
  joints: readonly KeyJoint[],
  mechanism: Mechanism,
  reference: State,
  lenient: boolean,
): State | undefined {
  for (const [name, values, which] of [
    ['qpos', qpos, 0],
    ['qvel', qvel, 1],
  ] as const) {
    const count = joints.reduce((sum, { type }) => sum + SIZES[type][which], 0);
    if (values === undefined || values.length === count) continue;
    const fault = `expected ${count} numbers, got ${values.length}`;
    if (lenient) element.warn('keyframe', `This keyframe is left out: ${name}, ${fault}.`);
    else element.attributeError(name, 'keyframe', fault);
    return undefined;
  }
  const state = new State(mechanism);
  state.q.set(reference.q);
  if (qpos !== undefined) setPositions(state, mechanism, joints, qpos);
  if (qvel !== undefined) setVelocities(state, mechanism, joints, qvel);
  return state;
}

/** Bodies that MuJoCo turns to their principal axes, where keyframes place them: here they keep the axes of the file. */
export function warnOfAligned(bodies: readonly MjcfBody[]): void {
  const carriers = new Set(bodies.map(({ parent }) => parent));
  bodies.forEach(({ joints: [joint], file }, k) => {
    if (joint?.element.name !== 'freejoint' || carriers.has(k)) return;
    const { align = 'auto' } = joint.element.attributes;
    if (align !== 'true' && !(align === 'auto' && file.compiler.alignfree)) return;
    const message =
      'MuJoCo turns this body to its principal axes (align), which keyframes then place; here it keeps its own.';
    joint.element.warn('align', message);
  });
}

function setPositions({ q }: State, mechanism: Mechanism, joints: readonly KeyJoint[], qpos: readonly number[]): void {
  let from = 0;
  for (const { name, type } of joints) {
    const [nq] = SIZES[type];
    const values = qpos.slice(from, from + nq);
    from += nq;
    if (name === undefined) continue;
    const { iq } = mechanism.joints[mechanism.jointIndex(name)];
    q.set(type === 'free' ? [...values.slice(3), ...values.slice(0, 3)] : values, iq);
    if (nq === 1) continue;
    const length = Math.hypot(q[iq], q[iq + 1], q[iq + 2], q[iq + 3]);
    // Zeros stand for no rotation, as in MuJoCo.
    if (length < 1e-14) q.set([1, 0, 0, 0], iq);
    else for (let k = 0; k < 4; k++) q[iq + k] /= length;
  }
}

/** A free joint's linear velocity is along the world's axes there, along the body's here. */
function setVelocities(
  { q, v }: State,
  mechanism: Mechanism,
  joints: readonly KeyJoint[],
  qvel: readonly number[],
): void {
  let from = 0;
  for (const { name, type } of joints) {
    const [, nv] = SIZES[type];
    const values = qvel.slice(from, from + nv);
    from += nv;
    if (name === undefined) continue;
    const { iq, iv } = mechanism.joints[mechanism.jointIndex(name)];
    if (type !== 'free') {
      v.set(values, iv);
      continue;
    }
    const R = rotationOfQuaternion([...q.subarray(iq, iq + 4)] as unknown as Quat);
    const linear = R === undefined ? [0, 0, 0] : apply(transpose(R), [values[0], values[1], values[2]]);
    v.set([...values.slice(3), ...linear], iv);
  }
}
