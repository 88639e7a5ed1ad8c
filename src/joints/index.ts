import { cylindrical } from './cylindrical.js';
import { fixed } from './fixed.js';
import { floating } from './floating.js';
import { helical } from './helical.js';
import type { JointType, JointTypeName } from './joint-type.js';
import { planar } from './planar.js';
import { prismatic } from './prismatic.js';
import { continuous, revolute } from './revolute.js';
import { spherical } from './spherical.js';
import { universal } from './universal.js';

export { type JointReversal, type JointType, type JointTypeName, PARAMETERS, PITCH, SENSE } from './joint-type.js';

/** All joint types. The index of a type in this list is its code in a tree. */
export const JOINT_TYPES: readonly JointType[] = [
  fixed,
  revolute,
  continuous,
  prismatic,
  helical,
  cylindrical,
  universal,
  planar,
  spherical,
  floating,
];

const BY_NAME = new Map<string, JointType>(JOINT_TYPES.map((type) => [type.name, type]));

/** The joint type of that name, or undefined. */
export function findJointType(name: string): JointType | undefined {
  return BY_NAME.get(name);
}

export function jointType(name: JointTypeName): JointType {
  return BY_NAME.get(name)!;
}
