import type { JointTypeName } from '../joints/index.js';
import type { JointLimits } from '../mechanism/mechanism.js';
import type { CouplingSpec, JointSpec } from '../mechanism/spec.js';
import { norm, type Vec3 } from '../spatial/matrix3.js';
import { quoted } from './import-log.js';
import { readOrigin } from './urdf-origin.js';
import type { XmlElement } from './xml.js';

export interface UrdfJoint {
  readonly name: string;
  readonly place: string;
  readonly parent: string;
  readonly child: string;
  readonly spec: JointSpec;
  /** Where the joint follows another one. */
  readonly mimic: { readonly place: string; readonly coupling: CouplingSpec } | undefined;
}

/** The types of URDF, and the one that some writers add. */
const TYPES: readonly JointTypeName[] = [
  'revolute',
  'continuous',
  'prismatic',
  'fixed',
  'floating',
  'planar',
  'spherical',
];

const TYPES_WITH_AXIS = new Set<JointTypeName>(['revolute', 'continuous', 'prismatic', 'planar']);
const TYPES_WITH_LIMITS = new Set<JointTypeName>(['revolute', 'prismatic']);

export function readJoint(element: XmlElement, mimicMode: 'couple' | 'ignore'): UrdfJoint | undefined {
  const name = element.requiredName('name');
  const type = readType(element);
  const parent = element.requiredChild('parent')?.requiredText('link');
  const child = element.requiredChild('child')?.requiredText('link');
  const placement = readOrigin(element);
  const moving =
    type === undefined || type === 'fixed'
      ? {}
      : { ...readAxis(element, type), ...readDynamics(element), ...readLimits(element, type) };
  const mimic = readMimic(element, name ?? '', type, mimicMode);
  if (name === undefined || type === undefined || parent === undefined || child === undefined) return undefined;
  return {
    name,
    place: element.place,
    parent,
    child,
    spec: { name, type, parent, child, ...placement, ...moving },
    mimic,
  };
}

function readType(element: XmlElement): JointTypeName | undefined {
  const written = element.requiredText('type');
  const type = TYPES.find((known) => known === written);
  if (written !== undefined && type === undefined)
    element.attributeError('type', 'unknown-joint-type', `expected one of ${TYPES.join(', ')}, got ${quoted(written)}`);
  return type;
}

function readAxis(element: XmlElement, type: JointTypeName): { axis?: Vec3 } {
  if (!TYPES_WITH_AXIS.has(type)) return {};
  const axis = element.child('axis');
  // The default of URDF is x, not z.
  const xyz = (axis?.requiredNumbers('xyz', 3) ?? [1, 0, 0]) as unknown as Vec3;
  if (norm(xyz) >= 1e-9) return { axis: xyz };
  axis?.attributeError('xyz', 'zero-axis', 'expected an axis that is not zero');
  return {};
}

function readDynamics(element: XmlElement): { damping?: number; friction?: number } {
  const dynamics = element.child('dynamics');
  const notNegative = (name: string): number => {
    const value = dynamics?.number(name) ?? 0;
    if (value < 0) dynamics?.attributeError(name, 'negative', `expected a number not below zero, got ${value}`);
    return value;
  };
  return dynamics === undefined ? {} : { damping: notNegative('damping'), friction: notNegative('friction') };
}

function readLimits(element: XmlElement, type: JointTypeName): { limits?: JointLimits } {
  const limit = element.child('limit');
  const bounded = TYPES_WITH_LIMITS.has(type);
  if (limit === undefined) {
    if (bounded) element.warn('no-limit', `A ${type} joint should have a <limit>; this one moves without bounds.`);
    return {};
  }
  const effort = limit.number('effort');
  const velocity = limit.number('velocity');
  let lower = bounded ? limit.number('lower') : undefined;
  let upper = bounded ? limit.number('upper') : undefined;
  if (bounded && lower === undefined && upper === undefined) {
    // By the letter both are 0 then, and the joint could not move; nobody means that.
    limit.warn('no-limit', 'This <limit> has neither lower nor upper; the joint moves without bounds.');
  } else if (bounded) {
    lower ??= 0;
    upper ??= 0;
    if (lower > upper) limit.error('limits', `The lower limit ${lower} is above the upper limit ${upper}.`);
  }
  return {
    limits: {
      ...(lower !== undefined && { lower }),
      ...(upper !== undefined && { upper }),
      ...(effort !== undefined && { effort }),
      ...(velocity !== undefined && { velocity }),
    },
  };
}

function readMimic(
  element: XmlElement,
  joint: string,
  type: JointTypeName | undefined,
  mode: 'couple' | 'ignore',
): UrdfJoint['mimic'] {
  const mimic = element.child('mimic');
  if (mimic === undefined) return undefined;
  if (mode === 'ignore' || type === 'fixed') {
    mimic.dismiss();
    if (mode === 'couple') mimic.warn('mimic', 'A fixed joint cannot follow another one; its <mimic> is left out.');
    return undefined;
  }
  const source = mimic.requiredText('joint');
  const multiplier = mimic.number('multiplier') ?? 1;
  const offset = mimic.number('offset') ?? 0;
  if (source === undefined) return undefined;
  return { place: mimic.place, coupling: { joint, source, multiplier, offset } };
}
