// Where things are in MJCF: positions, and orientations written in five ways.

import type { Placement } from '../mechanism/mechanism.js';
import {
  add,
  apply,
  cross,
  IDENTITY3,
  type Mat3,
  multiply,
  norm,
  type Quat,
  rotationAbout,
  rotationFromQuaternion,
  scale,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import { type Fields, numbers, numbersOf } from './mjcf-fields.js';
import type { XmlElement } from './xml.js';

/** How angles are written: by <compiler>. */
export interface AngleUnits {
  readonly degree: boolean;
  /** Three letters: x, y, z about the axes as they turn, X, Y, Z about fixed ones. */
  readonly eulerseq: string;
}

/** An orientation as it is written; angles in the file's units. */
export interface Orientation {
  readonly kind: 'quat' | 'axisangle' | 'xyaxes' | 'zaxis' | 'euler';
  readonly values: readonly number[];
}

/** A pose: `R` maps the placed frame's coordinates to the carrying one's, `p` is its origin there. */
export interface RigidPose {
  readonly R: Mat3;
  readonly p: Vec3;
}

export const AT_ORIGIN: RigidPose = { R: IDENTITY3, p: ZERO3 };

const COUNTS = new Map<Orientation['kind'], number>([
  ['quat', 4],
  ['axisangle', 4],
  ['xyaxes', 6],
  ['zaxis', 3],
  ['euler', 3],
]);

/** Position and orientation, as geoms, sites, bodies and frames have them. */
export interface PlaceData {
  pos: readonly number[];
  orientation: Orientation | undefined;
}

/** Attributes of everything that has a place. An orientation replaces that of the default class, however written. */
export const PLACED_FIELDS: Fields<PlaceData> = new Map([
  ['pos', numbers<PlaceData>('pos', 3)],
  ...[...COUNTS].map(
    ([kind, count]) =>
      [
        kind,
        (target: PlaceData, element: XmlElement, attribute: string, text: string) => {
          const values = numbersOf(element, attribute, text, count, count);
          if (values !== undefined) target.orientation = { kind, values };
        },
      ] as const,
  ),
]);

/** Several orientations on one element contradict each other. */
export function checkOneOrientation(element: XmlElement): void {
  const written = Object.keys(element.attributes).filter((name) => (COUNTS as ReadonlyMap<string, number>).has(name));
  if (written.length > 1)
    element.error('orientation', `<${element.name}> has several orientations (${written.join(', ')}); keep one.`);
}

export function poseOf(element: XmlElement, { pos, orientation }: PlaceData, units: AngleUnits): RigidPose {
  return { R: rotationOf(element, orientation, units), p: pos as unknown as Vec3 };
}

export function rotationOf(element: XmlElement, orientation: Orientation | undefined, units: AngleUnits): Mat3 {
  if (orientation === undefined) return IDENTITY3;
  const R = rotation(orientation, units);
  if (R !== undefined) return R;
  element.attributeError(orientation.kind, 'orientation', 'expected directions that are neither zero nor parallel');
  return IDENTITY3;
}

function rotation({ kind, values }: Orientation, units: AngleUnits): Mat3 | undefined {
  const vector = (from: number): Vec3 => [values[from], values[from + 1], values[from + 2]];
  const angle = (value: number): number => (units.degree ? (value * Math.PI) / 180 : value);
  switch (kind) {
    case 'quat':
      return rotationOfQuaternion(values as unknown as Quat);
    case 'axisangle': {
      const axis = unit(vector(0));
      return axis && rotationAbout(axis, angle(values[3]));
    }
    case 'euler':
      return eulerRotation(values.map(angle), units.eulerseq);
    case 'zaxis':
      return zRotation(vector(0));
    case 'xyaxes': {
      // The y axis is made perpendicular to x.
      const x = unit(vector(0));
      if (x === undefined) return undefined;
      const raw = vector(3);
      const along = raw[0] * x[0] + raw[1] * x[1] + raw[2] * x[2];
      const y = unit([raw[0] - along * x[0], raw[1] - along * x[1], raw[2] - along * x[2]]);
      if (y === undefined) return undefined;
      return columns(x, y, cross(x, y));
    }
  }
}

/** The rotation of a quaternion of any length but zero. */
export function rotationOfQuaternion([w, x, y, z]: Quat): Mat3 | undefined {
  const length = Math.hypot(w, x, y, z);
  if (!(length > 1e-14) || !Number.isFinite(length)) return undefined;
  return rotationFromQuaternion([w / length, x / length, y / length, z / length]);
}

export function eulerRotation(angles: readonly number[], sequence: string): Mat3 {
  let R: Mat3 = IDENTITY3;
  for (let k = 0; k < 3; k++) {
    const letter = sequence[k];
    const about = rotationAbout(AXES.get(letter.toLowerCase())!, angles[k]);
    R = letter === letter.toLowerCase() ? multiply(R, about) : multiply(about, R);
  }
  return R;
}

const AXES = new Map<string, Vec3>([
  ['x', [1, 0, 0]],
  ['y', [0, 1, 0]],
  ['z', [0, 0, 1]],
]);

/** The smallest rotation that takes the z axis to a direction. */
export function zRotation(direction: Vec3): Mat3 | undefined {
  const z = unit(direction);
  if (z === undefined) return undefined;
  const axis = cross([0, 0, 1], z);
  const sine = norm(axis);
  // Along z there is nothing to turn, and against it any axis across will do: x is the usual one.
  if (sine < 1e-14) return z[2] > 0 ? IDENTITY3 : [1, 0, 0, 0, -1, 0, 0, 0, -1];
  return rotationAbout(scale(1 / sine, axis), Math.atan2(sine, z[2]));
}

/** A unit vector, or undefined where there is no direction. */
export function unit(v: Vec3): Vec3 | undefined {
  const length = norm(v);
  return length > 1e-14 && Number.isFinite(length) ? scale(1 / length, v) : undefined;
}

function columns(x: Vec3, y: Vec3, z: Vec3): Mat3 {
  return [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
}

/** Where `inner`, given in the frame of `outer`, is in the frame that `outer` is given in. */
export function composed(outer: RigidPose, inner: RigidPose): RigidPose {
  if (outer === AT_ORIGIN) return inner;
  return { R: multiply(outer.R, inner.R), p: add(outer.p, apply(outer.R, inner.p)) };
}

export function inversePose({ R, p }: RigidPose): RigidPose {
  const E = transpose(R);
  return { R: E, p: scale(-1, apply(E, p)) };
}

/** As mechanisms say it: E maps coordinates of the carrying frame to the placed one. */
export function placementOf({ R, p }: RigidPose): Placement {
  return { E: transpose(R), t: p };
}
