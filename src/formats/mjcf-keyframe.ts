// <keyframe>: states with names. Positions of a free joint come as place and quaternion there, the other way round here.

import type { Mechanism } from '../mechanism/mechanism.js';
import type { Keyframe } from '../mechanism/model-data.js';
import { State } from '../mechanism/state.js';
import { apply, type Quat, transpose } from '../spatial/matrix3.js';
import type { MjcfBody } from './mjcf-body.js';
import { type Fields, manyNumbers, number, readFields, text } from './mjcf-fields.js';
import { rotationOfQuaternion } from './mjcf-frame.js';
import type { MjcfParts } from './mjcf-mechanism.js';
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

/**
 * `reference` is the state in the pose that the file draws. In a model with copies MuJoCo takes keyframes that are written for
 * the model without them; what it makes of those is not followed.
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
  const { nq, nv } = mechanism;
  for (const [name, values, count] of [
    ['qpos', data.qpos, nq],
    ['qvel', data.qvel, nv],
  ] as const) {
    if (values === undefined || values.length === count) continue;
    const fault = `expected ${count} numbers, got ${values.length}`;
    if (element.incomplete || copied) element.warn('keyframe', `This keyframe is left out: ${name}, ${fault}.`);
    else element.attributeError(name, 'keyframe', fault);
    return undefined;
  }
  const state = new State(mechanism);
  state.q.set(reference.q);
  if (data.qpos !== undefined) setPositions(state, mechanism, parts, data.qpos);
  if (data.qvel !== undefined) setVelocities(state, mechanism, parts, data.qvel);
  return {
    name: data.name !== '' ? data.name : `${index}`,
    time: data.time,
    state,
    ...(data.ctrl !== undefined && { controls: data.ctrl }),
    ...(data.act !== undefined && { activations: data.act }),
  };
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

function setPositions({ q }: State, mechanism: Mechanism, { moving }: MjcfParts, qpos: readonly number[]): void {
  let from = 0;
  for (const { name, joint } of moving) {
    const { iq, model } = mechanism.joints[mechanism.jointIndex(name)];
    const values = qpos.slice(from, from + model.nq);
    from += model.nq;
    q.set(joint.type === 'free' ? [...values.slice(3), ...values.slice(0, 3)] : values, iq);
    if (model.nq !== 4 && model.nq !== 7) continue;
    const length = Math.hypot(q[iq], q[iq + 1], q[iq + 2], q[iq + 3]);
    // Zeros stand for no rotation, as in MuJoCo.
    if (length < 1e-14) q.set([1, 0, 0, 0], iq);
    else for (let k = 0; k < 4; k++) q[iq + k] /= length;
  }
}

/** A free joint's linear velocity is along the world's axes there, along the body's here. */
function setVelocities({ q, v }: State, mechanism: Mechanism, { moving }: MjcfParts, qvel: readonly number[]): void {
  let from = 0;
  for (const { name, joint } of moving) {
    const { iq, iv, model } = mechanism.joints[mechanism.jointIndex(name)];
    const values = qvel.slice(from, from + model.nv);
    from += model.nv;
    if (joint.type !== 'free') {
      v.set(values, iv);
      continue;
    }
    const R = rotationOfQuaternion([...q.subarray(iq, iq + 4)] as unknown as Quat);
    const linear = R === undefined ? [0, 0, 0] : apply(transpose(R), [values[0], values[1], values[2]]);
    v.set([...values.slice(3), ...linear], iv);
  }
}
