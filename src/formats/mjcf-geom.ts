// <geom>: what is written, and the place and size that follow from it.

import type { Vec3 } from '../spatial/matrix3.js';
import { type Fields, flag, keyword, leadingNumbers, number, numbers, text, words } from './mjcf-fields.js';
import {
  type AngleUnits,
  checkOneOrientation,
  PLACED_FIELDS,
  type PlaceData,
  poseOf,
  type RigidPose,
  zRotation,
} from './mjcf-frame.js';
import type { XmlElement } from './xml.js';

export type GeomType = 'plane' | 'hfield' | 'sphere' | 'capsule' | 'ellipsoid' | 'cylinder' | 'box' | 'mesh' | 'sdf';

export interface GeomData extends PlaceData {
  name: string;
  class: string;
  type: GeomType;
  contype: number;
  conaffinity: number;
  condim: number;
  group: number;
  priority: number;
  size: readonly number[];
  material: string;
  friction: readonly number[];
  /** Not a number where the file does not say. */
  mass: number;
  density: number;
  shellinertia: boolean;
  solmix: number;
  solref: readonly number[];
  solimp: readonly number[];
  margin: number;
  gap: number;
  fromto: readonly number[] | undefined;
  hfield: string;
  mesh: string;
  fitscale: number;
  rgba: readonly number[] | undefined;
}

export const DEFAULT_GEOM: GeomData = {
  name: '',
  class: '',
  type: 'sphere',
  contype: 1,
  conaffinity: 1,
  condim: 3,
  group: 0,
  priority: 0,
  size: [0, 0, 0],
  material: '',
  friction: [1, 0.005, 0.0001],
  mass: Number.NaN,
  density: 1000,
  shellinertia: false,
  solmix: 1,
  solref: [0.02, 1],
  solimp: [0.9, 0.95, 0.001, 0.5, 2],
  margin: 0,
  gap: 0,
  fromto: undefined,
  hfield: '',
  mesh: '',
  fitscale: 1,
  rgba: undefined,
  pos: [0, 0, 0],
  orientation: undefined,
};

const TYPES = words('plane', 'hfield', 'sphere', 'capsule', 'ellipsoid', 'cylinder', 'box', 'mesh', 'sdf');

export const GEOM_FIELDS: Fields<GeomData> = new Map([
  ...(PLACED_FIELDS as Fields<GeomData>),
  ['name', text<GeomData>('name')],
  ['class', text<GeomData>('class')],
  ['type', keyword<GeomData, GeomType>('type', TYPES)],
  ['contype', number<GeomData>('contype')],
  ['conaffinity', number<GeomData>('conaffinity')],
  ['condim', number<GeomData>('condim')],
  ['group', number<GeomData>('group')],
  ['priority', number<GeomData>('priority')],
  ['size', leadingNumbers<GeomData>('size', 3)],
  ['material', text<GeomData>('material')],
  ['friction', leadingNumbers<GeomData>('friction', 3)],
  ['mass', number<GeomData>('mass')],
  ['density', number<GeomData>('density')],
  ['shellinertia', flag<GeomData>('shellinertia')],
  ['solmix', number<GeomData>('solmix')],
  ['solref', leadingNumbers<GeomData>('solref', 2)],
  ['solimp', leadingNumbers<GeomData>('solimp', 5)],
  ['margin', number<GeomData>('margin')],
  ['gap', number<GeomData>('gap')],
  ['fromto', numbers<GeomData>('fromto', 6)],
  ['hfield', text<GeomData>('hfield')],
  ['mesh', text<GeomData>('mesh')],
  ['fitscale', number<GeomData>('fitscale')],
  ['rgba', numbers<GeomData>('rgba', 4)],
]);

/** How many of the three sizes a type has. */
const SIZES = new Map<GeomType, number>([
  ['sphere', 1],
  ['capsule', 2],
  ['cylinder', 2],
  ['ellipsoid', 3],
  ['box', 3],
]);

/** A geom with its place in the body and its size. */
export interface MjcfGeom {
  readonly element: XmlElement;
  readonly data: GeomData;
  readonly name: string;
  readonly pose: RigidPose;
  /** Radius and half length, or half sizes: as MuJoCo has them. */
  readonly size: Vec3;
}

/** The place and size of a geom in the frame it stands in. */
export function placeGeom(element: XmlElement, data: GeomData, units: AngleUnits): { pose: RigidPose; size: Vec3 } {
  checkOneOrientation(element);
  let size: Vec3 = [data.size[0] ?? 0, data.size[1] ?? 0, data.size[2] ?? 0];
  let pose: RigidPose;
  if (data.fromto === undefined) pose = poseOf(element, data, units);
  else {
    const placed = fromTo(element, data.type, data.fromto, size);
    pose = placed.pose;
    size = placed.size;
  }
  const needed = data.mesh === '' ? (SIZES.get(data.type) ?? 0) : 0;
  for (let k = 0; k < needed; k++) {
    if (size[k] > 0) continue;
    element.error(
      'size',
      `A geom of type ${data.type} needs ${needed === 1 ? 'a size' : `${needed} sizes`} above zero.`,
    );
    break;
  }
  return { pose, size };
}

/** Between two points: the middle, the z axis along the line, and half its length as the size in that direction. */
export function fromTo(
  element: XmlElement,
  type: GeomType,
  [ax, ay, az, bx, by, bz]: readonly number[],
  size: Vec3,
): { pose: RigidPose; size: Vec3 } {
  const line: Vec3 = [ax - bx, ay - by, az - bz];
  const half = Math.hypot(...line) / 2;
  const R = zRotation(line);
  if (R === undefined) element.error('fromto', 'The two points of fromto must not coincide.');
  if (!['capsule', 'cylinder', 'ellipsoid', 'box'].includes(type))
    element.error('fromto', `A geom of type ${type} has no fromto; take capsule, cylinder, ellipsoid or box.`);
  const pose: RigidPose = { R: R ?? [1, 0, 0, 0, 1, 0, 0, 0, 1], p: [(ax + bx) / 2, (ay + by) / 2, (az + bz) / 2] };
  const long = type === 'ellipsoid' || type === 'box';
  return { pose, size: long ? [size[0], size[0], half] : [size[0], half, size[2]] };
}
