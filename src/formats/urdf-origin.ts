import type { Placement } from '../mechanism/mechanism.js';
import {
  IDENTITY3,
  type Mat3,
  rotationFromQuaternion,
  rotationFromRollPitchYaw,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import type { XmlElement } from './xml.js';

const AT_ORIGIN: Placement = { E: IDENTITY3, t: ZERO3 };

/**
 * The <origin> in an element; the identity where there is none. URDF gives the pose of the placed frame in the carrying
 * one; E, which maps coordinates the other way round, is the transpose of its rotation.
 */
export function readOrigin(element: XmlElement): Placement {
  const origin = element.child('origin');
  if (origin === undefined) return AT_ORIGIN;
  const t = (origin.numbers('xyz', 3) ?? ZERO3) as Vec3;
  return { E: readRotation(origin), t };
}

function readRotation(origin: XmlElement): Mat3 {
  // quat_xyzw came with URDF 1.2.
  const quaternion = origin.numbers('quat_xyzw', 4);
  if (quaternion === undefined) {
    const [roll, pitch, yaw] = origin.numbers('rpy', 3) ?? ZERO3;
    return roll === 0 && pitch === 0 && yaw === 0 ? IDENTITY3 : transpose(rotationFromRollPitchYaw(roll, pitch, yaw));
  }
  if (origin.text('rpy') !== undefined)
    origin.error('origin', 'An <origin> has either rpy or quat_xyzw, this one has both.');
  const [x, y, z, w] = quaternion;
  const length = Math.hypot(x, y, z, w);
  if (!(Math.abs(length - 1) < 1e-3)) {
    origin.attributeError('quat_xyzw', 'quaternion', `expected a unit quaternion, got one of length ${length}`);
    return IDENTITY3;
  }
  return transpose(rotationFromQuaternion([w / length, x / length, y / length, z / length]));
}
