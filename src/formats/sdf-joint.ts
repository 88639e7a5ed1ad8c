// <joint> of SDF: what it joins, where, and how it moves.

import type { JointTypeName } from '../joints/index.js';
import type { JointLimits } from '../mechanism/mechanism.js';
import type { CouplingSpec } from '../mechanism/spec.js';
import { apply, dot, norm, transpose, type Vec3 } from '../spatial/matrix3.js';
import { quoted } from './import-log.js';
import { composed, type RigidPose } from './mjcf-frame.js';
import { isTrue } from './sdf-file.js';
import type { SdfFrame, SdfScope } from './sdf-scope.js';
import { parseNumber, type XmlElement } from './xml.js';
import { childNumbers, childText } from './xml-text.js';

export interface SdfJoint {
  /** The name that it has in the mechanism. */
  readonly name: string;
  readonly element: XmlElement;
  readonly scope: SdfScope;
  readonly type: JointTypeName;
  /** Links; null is the world. */
  readonly parent: SdfFrame | null;
  readonly child: SdfFrame;
  /** The joint's frame in the world, in the pose that the file draws. */
  readonly pose: RigidPose;
  /** Along the axes of the child link. */
  readonly axis: Vec3;
  readonly axis2: Vec3;
  readonly pitch: number;
  readonly motion: {
    readonly damping?: number;
    readonly friction?: number;
    readonly stiffness?: number;
    readonly rest?: number;
    readonly limits?: JointLimits;
  };
}

const TYPES = new Map<string, JointTypeName>([
  ['fixed', 'fixed'],
  ['revolute', 'revolute'],
  ['continuous', 'continuous'],
  ['prismatic', 'prismatic'],
  ['ball', 'spherical'],
  ['universal', 'universal'],
  // Two hinges in a row at one place.
  ['revolute2', 'universal'],
  ['screw', 'helical'],
]);

/** The pose of a link, joint or frame in the world. */
export const worldPose = ({ scope, name, element }: SdfFrame): RigidPose =>
  composed(scope.pose(), scope.poseOf(name, element));

export function readSdfJoint(frame: SdfFrame): SdfJoint | undefined {
  const { element, scope, name } = frame;
  const written = element.requiredText('type');
  const parentName = childText(element, 'parent');
  const childName = childText(element, 'child');
  if (parentName === undefined || childName === undefined) {
    element.error('missing-element', 'A <joint> needs a <parent> and a <child>.');
    return undefined;
  }
  const type = TYPES.get(written ?? '');
  if (type === undefined) {
    if (written !== undefined)
      element.attributeError(
        'type',
        'unknown-joint-type',
        `expected one of ${[...TYPES.keys()].join(', ')}, gearbox, got ${quoted(written)}`,
      );
    return undefined;
  }
  const parent = parentName === 'world' ? null : scope.linkOf(parentName, element);
  const child = scope.linkOf(childName, element);
  if (parent === undefined || child === undefined) return undefined;
  if (parent === child) {
    element.error('cycle', 'This <joint> connects a link with itself.');
    return undefined;
  }
  const first = element.child('axis');
  const second = element.child('axis2');
  const axis = axisIn(frame, child, first);
  const dynamics = first?.child('dynamics');
  const moves = type !== 'fixed' && type !== 'spherical';
  return {
    name: scope.prefix + name,
    element,
    scope,
    type,
    parent,
    child,
    pose: worldPose(frame),
    axis,
    axis2: type === 'universal' ? axisIn(frame, child, second) : [0, 1, 0],
    pitch: type === 'helical' ? pitchOf(element) : 0,
    motion: {
      ...(dynamics && moves && readDynamics(dynamics)),
      ...(first &&
        (type === 'revolute' || type === 'prismatic' || type === 'helical') && { limits: readLimits(first) }),
    },
  };
}

/** From the frame that it is expressed in, which is the joint's own unless it says otherwise, to that of the child link. */
function axisIn(joint: SdfFrame, child: SdfFrame, element: XmlElement | undefined): Vec3 {
  const { scope, name } = joint;
  const carrier = element?.child('xyz');
  const xyz = ((element && childNumbers(element, 'xyz', 3)) ?? [0, 0, 1]) as unknown as Vec3;
  if (norm(xyz) < 1e-9) element!.error('zero-axis', '<xyz>: expected an axis that is not zero.');
  const [major, minor] = scope.version;
  // Before 1.7 axes were along the joint's frame or, where it was so said and before 1.5 always, along the model's.
  const old = major === 1 && minor < 7;
  const model = old && (minor < 5 || isTrue(element && childText(element, 'use_parent_model_frame')));
  const said = carrier?.text('expressed_in') ?? '';
  const from = said !== '' ? said : model ? '__model__' : name;
  const { R } = scope.poseOf(from, carrier ?? joint.element);
  const inWorld = apply(scope.pose().R, apply(R, xyz));
  return apply(transpose(worldPose(child).R), inWorld);
}

/** Metres a radian. screw_thread_pitch is metres a turn; thread_pitch, of old, the other way round and left-handed. */
function pitchOf(element: XmlElement): number {
  const turn = childNumbers(element, 'screw_thread_pitch', 1)?.[0];
  const old = childNumbers(element, 'thread_pitch', 1)?.[0];
  if (turn !== undefined) return turn / (2 * Math.PI);
  if (old !== undefined && old !== 0) return -1 / old;
  element.warn('pitch', 'This screw has no pitch; one metre a radian is assumed.');
  return 1;
}

function readDynamics(element: XmlElement): SdfJoint['motion'] {
  const value = (name: string): number => childNumbers(element, name, 1)?.[0] ?? 0;
  const notNegative = (name: string): number => {
    const found = value(name);
    if (found < 0) element.error('negative', `<${name}>: expected a number not below zero, got ${found}.`);
    return found;
  };
  return {
    damping: notNegative('damping'),
    friction: notNegative('friction'),
    stiffness: notNegative('spring_stiffness'),
    rest: value('spring_reference'),
  };
}

/** Beyond this a limit is none. */
const NO_LIMIT = 1e16;

function readLimits(axis: XmlElement): JointLimits {
  const limit = axis.child('limit');
  const value = (name: string): number | undefined => {
    const text = limit && childText(limit, name);
    if (text === undefined || text === '' || /^[+-]?inf(inity)?$/i.test(text)) return undefined;
    const found = parseNumber(text);
    if (found === undefined) limit!.error('number', `<${name}>: expected a number, got ${quoted(text)}.`);
    return found === undefined || Math.abs(found) >= NO_LIMIT ? undefined : found;
  };
  const [lower, upper, effort, velocity] = [value('lower'), value('upper'), value('effort'), value('velocity')];
  if (lower !== undefined && upper !== undefined && lower > upper)
    limit!.error('limits', `The lower limit ${lower} is above the upper limit ${upper}.`);
  return {
    ...(lower !== undefined && { lower }),
    ...(upper !== undefined && { upper }),
    ...(effort !== undefined && effort >= 0 && { effort }),
    ...(velocity !== undefined && velocity >= 0 && { velocity }),
  };
}

/** <mimic>: q = multiplier (q of the other - reference) + offset. */
export function readSdfMimic({ element, scope, name }: SdfJoint): CouplingSpec | undefined {
  const mimic = element.child('axis')?.child('mimic');
  const source = mimic?.requiredText('joint');
  if (mimic === undefined || source === undefined) return undefined;
  const found = scope.find(source);
  if (found?.kind !== 'joint') {
    mimic.attributeError('joint', 'mimic', `there is no joint ${quoted(source)}`);
    return undefined;
  }
  const value = (key: string, otherwise: number): number => childNumbers(mimic, key, 1)?.[0] ?? otherwise;
  const multiplier = value('multiplier', 1);
  const offset = value('offset', 0) - multiplier * value('reference', 0);
  return { joint: name, source: found.scope.prefix + found.name, multiplier, offset };
}

/**
 * A gearbox holds theta2 = -ratio theta1, the angles of its parent about axis and of its child about axis2, both against a
 * reference link that both turn on by hinges: it couples those hinges.
 */
export function readGearbox(frame: SdfFrame, joints: readonly SdfJoint[]): CouplingSpec | undefined {
  const { element, scope } = frame;
  const ratio = childNumbers(element, 'gearbox_ratio', 1)?.[0] ?? 1;
  const reference = scope.linkOf(childText(element, 'gearbox_reference_body') ?? '', element);
  const parent = scope.linkOf(childText(element, 'parent') ?? '', element);
  const child = scope.linkOf(childText(element, 'child') ?? '', element);
  if (reference === undefined || parent === undefined || child === undefined) return undefined;
  /** The hinge between a link and the reference, and the sign of its angle about an axis of the gearbox. */
  const hinge = (link: SdfFrame, axis: XmlElement | undefined): { name: string; sign: number } | undefined => {
    const joint = joints.find(
      ({ type, ...between }) =>
        (type === 'revolute' || type === 'continuous') &&
        ((between.parent === reference && between.child === link) ||
          (between.parent === link && between.child === reference)),
    );
    if (joint === undefined) return undefined;
    const along = dot(axisIn(frame, joint.child, axis), joint.axis) < 0 ? -1 : 1;
    return { name: joint.name, sign: joint.parent === reference ? along : -along };
  };
  const one = hinge(parent, element.child('axis'));
  const two = hinge(child, element.child('axis2'));
  if (one === undefined || two === undefined) {
    element.warn('gearbox', 'This gearbox is left out: its links do not both turn on the reference link by a hinge.');
    return undefined;
  }
  return { joint: two.name, source: one.name, multiplier: (-ratio * one.sign) / two.sign, offset: 0 };
}
