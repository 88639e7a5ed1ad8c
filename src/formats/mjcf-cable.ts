// <composite type="cable">: a curve cut into pieces, each a body with a geom along its x axis, hanging on the one before by a
// ball joint. Curves, frames and names are those of MuJoCo, which keeps the vertices in 32-bit floating point.

import {
  add,
  apply,
  cross,
  dot,
  type Mat3,
  multiply,
  norm,
  type Quat,
  quaternionFromRotation,
  rotationAbout,
  rotationFromQuaternion,
  scale,
  subtract,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import { quoted } from './import-log.js';
import { type Fields, keyword, leadingNumbers, manyNumbers, numbers, readFields, text, words } from './mjcf-fields.js';
import { type RigidPose, rotationOfQuaternion, unit } from './mjcf-frame.js';
import { DEFAULT_GEOM, GEOM_FIELDS, type GeomData } from './mjcf-geom.js';
import { DEFAULT_JOINT, JOINT_FIELDS, type JointData } from './mjcf-joint.js';
import { DEFAULT_SITE, SITE_FIELDS, type SiteData } from './mjcf-site.js';
import type { XmlElement } from './xml.js';

interface CableData {
  type: string;
  prefix: string;
  initial: 'ball' | 'free' | 'none';
  curve: string;
  count: readonly number[];
  size: readonly number[];
  offset: readonly number[];
  quat: readonly number[];
  vertex: readonly number[];
}

const FIELDS: Fields<CableData> = new Map([
  ['type', text<CableData>('type')],
  ['prefix', text<CableData>('prefix')],
  ['initial', keyword<CableData, CableData['initial']>('initial', words('ball', 'free', 'none'))],
  ['curve', text<CableData>('curve')],
  ['count', leadingNumbers<CableData>('count', 3)],
  ['size', leadingNumbers<CableData>('size', 3)],
  ['offset', numbers<CableData>('offset', 3)],
  ['quat', numbers<CableData>('quat', 4)],
  ['vertex', manyNumbers<CableData>('vertex')],
]);

const NEW_CABLE: CableData = {
  type: '',
  prefix: '',
  initial: 'ball',
  curve: '',
  count: [1, 1, 1],
  size: [1, 0, 0],
  offset: [0, 0, 0],
  quat: [1, 0, 0, 0],
  vertex: [],
};

/** One body of a cable. */
export interface CablePiece {
  readonly name: string;
  /** In the piece before; of the first one, where the composite stands. */
  readonly pose: RigidPose;
  readonly joint: JointData | undefined;
  readonly geom: GeomData;
  /** At the ends of the cable. */
  readonly sites: readonly SiteData[];
}

const MOST_PIECES = 100_000;

/** The pieces of a cable; undefined, and a problem, where it cannot be made. */
export function readCable(element: XmlElement): readonly CablePiece[] | undefined {
  const data = readFields(element, FIELDS, NEW_CABLE);
  const { prefix, initial, offset } = data;
  const over = <T extends object>(name: string, fields: Fields<T>, base: T): T => {
    const child = element.child(name);
    return child === undefined ? base : readFields(child, fields, base);
  };
  const geom = over('geom', GEOM_FIELDS, DEFAULT_GEOM);
  const joint = over('joint', JOINT_FIELDS_OF_KIND, DEFAULT_JOINT);
  const site = over('site', SITE_FIELDS, DEFAULT_SITE);
  for (const child of element.elements()) {
    if (child.name === 'skin') child.claim().dismiss();
    if (child.name !== 'plugin') continue;
    child.claim().dismiss();
    child.warn('not-understood', 'The stiffness of this cable, which a plugin gives, is not used: it hangs limp.');
  }
  if (!['capsule', 'cylinder', 'box'].includes(geom.type)) {
    element.error('cable', `A cable is made of capsules, cylinders or boxes, not of type ${quoted(geom.type)}.`);
    return undefined;
  }
  const points = data.vertex.length > 0 ? writtenPoints(element, data) : curvePoints(element, data);
  if (points === undefined) return undefined;
  const last = points.length - 2;
  const nameOf = (k: number): string => (k === 0 ? 'first' : k === last ? 'last' : `${k}`);
  const pieces: CablePiece[] = [];
  let normal: Vec3 = ZERO3;
  let before: RigidPose | undefined;
  let reach = 0;
  for (let k = 0; k <= last; k++) {
    const tangent = directionAt(points, k);
    normal =
      k === 0
        ? startNormal(tangent, last > 0 ? directionAt(points, 1) : tangent)
        : carriedNormal(normal, directionAt(points, k - 1), tangent);
    const R = rotationFromQuaternion(frameQuaternion(tangent, normal));
    const length = norm(edgeAt(points, k));
    const pose: RigidPose =
      before === undefined
        ? { R, p: add(offset as unknown as Vec3, points[0]) }
        : { R: multiply(transpose(before.R), R), p: [reach, 0, 0] };
    const free = k === 0 && initial === 'free';
    const named = { ...joint, name: `${prefix}J_${nameOf(k)}` };
    const ends = [...(k === 0 ? [0] : []), ...(k === last ? [length] : [])];
    pieces.push({
      name: `${prefix}B_${nameOf(k)}`,
      pose,
      joint:
        k === 0 && initial === 'none'
          ? undefined
          : free
            ? { ...named, type: 'free', damping: [0], armature: 0, frictionloss: 0 }
            : { ...named, type: 'ball' },
      geom: { ...placedGeom(geom, length), name: `${prefix}G${k}` },
      sites: ends.map((x, end) => ({
        ...site,
        name: `${prefix}S_${k === 0 && end === 0 ? 'first' : 'last'}`,
        pos: [x, 0, 0],
        orientation: undefined,
      })),
    });
    before = { R, p: ZERO3 };
    reach = length;
  }
  return pieces;
}

/** Says which joints of a composite are meant; a cable has one kind. */
const JOINT_FIELDS_OF_KIND: Fields<JointData> = new Map([...JOINT_FIELDS, ['kind', (): void => {}]]);

function placedGeom(geom: GeomData, length: number): GeomData {
  if (geom.type !== 'box') return { ...geom, pos: [0, 0, 0], fromto: [0, 0, 0, length, 0, 0] };
  return { ...geom, pos: [length / 2, 0, 0], size: [length / 2, ...geom.size.slice(1)], fromto: undefined };
}

function writtenPoints(element: XmlElement, { vertex }: CableData): Vec3[] | undefined {
  if (vertex.length % 3 !== 0 || vertex.length < 6 || vertex.length > 3 * MOST_PIECES) {
    element.attributeError('vertex', 'cable', 'expected two or more points of three numbers');
    return undefined;
  }
  return checkedPoints(
    element,
    Array.from({ length: vertex.length / 3 }, (_, k) => [vertex[3 * k], vertex[3 * k + 1], vertex[3 * k + 2]] as const),
  );
}

/** Of each coordinate a function of the way s along the cable: s itself, or a cosine or sine of so many half turns. */
const CURVES = new Map<string, (share: number, size: readonly number[]) => number>([
  ['s', (share, [length]) => share * length],
  ['cos(s)', (share, [, radius, turns]) => radius * Math.cos(Math.PI * share * turns)],
  ['sin(s)', (share, [, radius, turns]) => radius * Math.sin(Math.PI * share * turns)],
  ['0', () => 0],
]);

function curvePoints(element: XmlElement, { count, curve, size, quat }: CableData): Vec3[] | undefined {
  const [n, across = 1, up = 1] = count;
  if (!Number.isInteger(n) || n < 2 || n > MOST_PIECES || across !== 1 || up !== 1) {
    element.attributeError('count', 'cable', 'expected the number of points, two or more, and then 1 1');
    return undefined;
  }
  const coordinates = curve.trim().split(/\s+/);
  const unknown = coordinates.find((word) => !CURVES.has(word));
  if (unknown !== undefined || coordinates.length > 3) {
    element.attributeError('curve', 'cable', `expected up to three of ${[...CURVES.keys()].join(', ')}`);
    return undefined;
  }
  const R = rotationOfQuaternion(quat as unknown as Quat);
  if (R === undefined) element.attributeError('quat', 'cable', 'expected a quaternion that is not zero');
  const points = Array.from({ length: n }, (_, k): Vec3 => {
    const [x, y = 0, z = 0] = coordinates.map((word) => CURVES.get(word)!(k / (n - 1), size));
    return R === undefined ? [x, y, z] : apply(R, [x, y, z]);
  });
  return checkedPoints(element, points);
}

function checkedPoints(element: XmlElement, points: readonly Vec3[]): Vec3[] | undefined {
  const kept = points.map(rounded);
  const same = kept.findIndex((point, k) => k > 0 && unit(subtract(point, kept[k - 1])) === undefined);
  if (same < 0) return kept;
  element.error('cable', `Points ${same} and ${same + 1} of this cable coincide.`);
  return undefined;
}

function edgeAt(points: readonly Vec3[], k: number): Vec3 {
  return rounded(subtract(points[k + 1], points[k]));
}

function directionAt(points: readonly Vec3[], k: number): Vec3 {
  return unit(edgeAt(points, k)) ?? [1, 0, 0];
}

const rounded = ([x, y, z]: Vec3): Vec3 => [Math.fround(x), Math.fround(y), Math.fround(z)];

/** Towards the inside of the first bend; zero where there is none. */
function startNormal(tangent: Vec3, next: Vec3): Vec3 {
  const binormal = unit(cross(tangent, next));
  return binormal === undefined ? ZERO3 : (unit(cross(binormal, tangent)) ?? ZERO3);
}

/** Turned as the tangent turns from piece to piece, and no further. */
function carriedNormal(normal: Vec3, before: Vec3, tangent: Vec3): Vec3 {
  const binormal = cross(before, tangent);
  const axis = unit(binormal);
  if (axis === undefined) return normal;
  const turned = apply(rotationAbout(axis, Math.atan2(norm(binormal), dot(before, tangent))), normal);
  return unit(turned) ?? ZERO3;
}

/** The frame with x along the tangent and y along the normal; of a straight cable, which has none, x turned the short way. */
function frameQuaternion(tangent: Vec3, normal: Vec3): Quat {
  const [a, b, c] = tangent;
  if (norm(normal) === 0 && a <= 0) {
    const q: Quat = [b, c, 0, 1 - a];
    const length = Math.hypot(...q);
    return q.map((value) => value / length) as unknown as Quat;
  }
  const z = norm(normal) === 0 ? ZERO3 : scale(1 / norm(cross(tangent, normal)), cross(tangent, normal));
  const R: Mat3 = [a, normal[0], z[0], b, normal[1], z[1], c, normal[2], z[2]];
  return quaternionFromRotation(R);
}
