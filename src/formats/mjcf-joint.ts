// <joint> and <freejoint>: what is written, in radians and metres.

import type { JointLimits } from '../mechanism/mechanism.js';
import type { Vec3 } from '../spatial/matrix3.js';
import type { Compiler } from './mjcf-compiler.js';
import {
  type Fields,
  flag,
  isLimited,
  keyword,
  leadingNumbers,
  number,
  numbers,
  type Tristate,
  text,
  tristate,
  words,
} from './mjcf-fields.js';
import { unit } from './mjcf-frame.js';
import type { XmlElement } from './xml.js';

export type MjcfJointType = 'free' | 'ball' | 'slide' | 'hinge';

export interface JointData {
  name: string;
  class: string;
  type: MjcfJointType;
  pos: readonly number[];
  axis: readonly number[];
  springdamper: readonly number[];
  limited: Tristate;
  actuatorfrclimited: Tristate;
  solreflimit: readonly number[];
  solimplimit: readonly number[];
  solreffriction: readonly number[];
  solimpfriction: readonly number[];
  stiffness: readonly number[];
  range: readonly number[];
  actuatorfrcrange: readonly number[];
  actuatorgravcomp: boolean;
  margin: number;
  ref: number;
  springref: number;
  armature: number;
  damping: readonly number[];
  frictionloss: number;
  group: number;
}

export const DEFAULT_JOINT: JointData = {
  name: '',
  class: '',
  type: 'hinge',
  pos: [0, 0, 0],
  axis: [0, 0, 1],
  springdamper: [0, 0],
  limited: 'auto',
  actuatorfrclimited: 'auto',
  solreflimit: [0.02, 1],
  solimplimit: [0.9, 0.95, 0.001, 0.5, 2],
  solreffriction: [0.02, 1],
  solimpfriction: [0.9, 0.95, 0.001, 0.5, 2],
  stiffness: [0],
  range: [0, 0],
  actuatorfrcrange: [0, 0],
  actuatorgravcomp: false,
  margin: 0,
  ref: 0,
  springref: 0,
  armature: 0,
  damping: [0],
  frictionloss: 0,
  group: 0,
};

export const JOINT_FIELDS: Fields<JointData> = new Map([
  ['name', text<JointData>('name')],
  ['class', text<JointData>('class')],
  ['type', keyword<JointData, MjcfJointType>('type', words('free', 'ball', 'slide', 'hinge'))],
  ['group', number<JointData>('group')],
  ['pos', numbers<JointData>('pos', 3)],
  ['axis', numbers<JointData>('axis', 3)],
  ['springdamper', numbers<JointData>('springdamper', 2)],
  ['limited', tristate<JointData>('limited')],
  ['actuatorfrclimited', tristate<JointData>('actuatorfrclimited')],
  ['solreflimit', leadingNumbers<JointData>('solreflimit', 2)],
  ['solimplimit', leadingNumbers<JointData>('solimplimit', 5)],
  ['solreffriction', leadingNumbers<JointData>('solreffriction', 2)],
  ['solimpfriction', leadingNumbers<JointData>('solimpfriction', 5)],
  ['stiffness', leadingNumbers<JointData>('stiffness', 3)],
  ['range', numbers<JointData>('range', 2)],
  ['actuatorfrcrange', numbers<JointData>('actuatorfrcrange', 2)],
  ['actuatorgravcomp', flag<JointData>('actuatorgravcomp')],
  ['margin', number<JointData>('margin')],
  ['ref', number<JointData>('ref')],
  ['springref', number<JointData>('springref')],
  ['armature', number<JointData>('armature')],
  ['damping', leadingNumbers<JointData>('damping', 3)],
  ['frictionloss', number<JointData>('frictionloss')],
]);

/** A joint as the mechanism needs it: angles in radians, the axis of length one. */
export interface MjcfJoint {
  readonly element: XmlElement;
  readonly name: string;
  readonly type: MjcfJointType;
  /** Where the joint is in its body's frame. */
  readonly anchor: Vec3;
  readonly axis: Vec3;
  /** Position of the joint in the pose that the file draws. */
  readonly ref: number;
  readonly stiffness: number;
  readonly rest: number;
  readonly damping: number;
  readonly friction: number;
  readonly armature: number;
  readonly limits: JointLimits;
  /** Time constant and damping ratio that spring and damper are to be made from. */
  readonly springdamper: readonly number[] | undefined;
}

export function resolveJoint(element: XmlElement, data: JointData, compiler: Compiler): MjcfJoint {
  const { type } = data;
  const turns = type === 'hinge' || type === 'ball';
  const angle = (value: number): number => (compiler.degree && turns ? (value * Math.PI) / 180 : value);
  const axis = unit(data.axis as unknown as Vec3);
  if (axis === undefined && (type === 'hinge' || type === 'slide'))
    element.attributeError('axis', 'zero-axis', 'expected an axis that is not zero');
  for (const [name, value] of [
    ['frictionloss', data.frictionloss],
    ['armature', data.armature],
  ] as const)
    if (value < 0) element.error('negative', `The ${name} of a joint must not be negative, got ${value}.`);
  // MuJoCo takes these; energy from nowhere is not to be had here.
  for (const [name, value] of [
    ['damping', data.damping[0]],
    ['stiffness', data.stiffness[0]],
  ] as const)
    if (value < 0) element.warn('negative', `The ${name} of this joint is negative and not used.`);
  warnOfPolynomials(element, data);
  // With an angular velocity w the two differ by the armature times w x v.
  if (type === 'free' && data.armature !== 0)
    element.warn('free-armature', 'The armature of a free joint acts along the axes of the body, not of the world.');
  const single = type === 'hinge' || type === 'slide';
  const [time, ratio] = data.springdamper;
  if (data.stiffness[0] !== 0 && !single)
    element.warn('joint-spring', `The spring of a ${type} joint is not used: springs act in hinges and slides.`);
  return {
    element,
    name: data.name,
    type,
    anchor: type === 'free' ? [0, 0, 0] : (data.pos as unknown as Vec3),
    axis: axis ?? [0, 0, 1],
    ref: single ? angle(data.ref) : 0,
    stiffness: single ? Math.max(0, data.stiffness[0]) : 0,
    rest: single ? angle(data.springref) : 0,
    damping: Math.max(0, data.damping[0]),
    friction: data.frictionloss,
    armature: data.armature,
    limits: limitsOf(element, data, compiler, angle),
    springdamper: time !== 0 || ratio !== 0 ? [time, ratio] : undefined,
  };
}

function warnOfPolynomials(element: XmlElement, { stiffness, damping }: JointData): void {
  for (const [name, values] of [
    ['stiffness', stiffness],
    ['damping', damping],
  ] as const)
    if (values.slice(1).some((value) => value !== 0))
      element.warn('polynomial', `Only the first number of a joint's ${name} is used, the higher powers are not.`);
}

function limitsOf(
  element: XmlElement,
  data: JointData,
  { autolimits }: Compiler,
  angle: (value: number) => number,
): JointLimits {
  const { type, range, actuatorfrcrange } = data;
  if (type === 'free') return {};
  const limits: { lower?: number; upper?: number; effort?: number } = {};
  if (isLimited(data.limited, range, autolimits)) {
    if (type === 'ball') limits.upper = angle(range[1]);
    else if (range[0] >= range[1])
      element.error('limits', `The range of a joint must go from the lower to the upper end, got ${range.join(' ')}.`);
    else {
      if (range[0] > -Number.MAX_VALUE) limits.lower = angle(range[0]);
      if (range[1] < Number.MAX_VALUE) limits.upper = angle(range[1]);
    }
  }
  if (type !== 'ball' && isLimited(data.actuatorfrclimited, actuatorfrcrange, autolimits))
    limits.effort = Math.max(Math.abs(actuatorfrcrange[0]), Math.abs(actuatorfrcrange[1]));
  return limits;
}

/** A free joint without anything else: <freejoint> takes nothing from default classes. */
export function freeJoint(element: XmlElement): MjcfJoint {
  element.know(new Set(['name', 'group', 'align']));
  return {
    element,
    name: element.attributes.name ?? '',
    type: 'free',
    anchor: [0, 0, 0],
    axis: [0, 0, 1],
    ref: 0,
    stiffness: 0,
    rest: 0,
    damping: 0,
    friction: 0,
    armature: 0,
    limits: {},
    springdamper: undefined,
  };
}
