// One joint of an OpenSim model as a chain of one-axis motions, each a function of a coordinate.
//
// A joint connects frame P, fixed in the parent, with frame C, fixed in the child: C moves against P by translations
// along three axes of P, then by three rotations, each about an axis as turned by those before it (CustomJoint's
// SpatialTransform). The other types are special cases of that. Their generalised speeds are the rates of the
// coordinates, so forces belong to coordinates one by one.

import { IDENTITY3, type Mat3, multiply, rotationAbout, transpose, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { quoted } from './import-log.js';
import {
  type CoordinateFunction,
  constantFunction,
  linearFunction,
  naturalCubicSpline,
  piecewiseLinearFunction,
  polynomialFunction,
  scaledFunction,
  simmSpline,
} from './osim-function.js';
import type { XmlElement } from './xml.js';
import { childFlag, childNumbers, childText, requiredNumbers } from './xml-text.js';

/** A coordinate of an OpenSim model. */
export interface OsimCoordinate {
  readonly name: string;
  /** An angle, which files may give in degrees. */
  readonly rotational: boolean;
  readonly defaultValue: number;
}

/** One motion along or about an axis. */
export interface OsimAxis {
  readonly name: string;
  readonly rotation: boolean;
  readonly axis: Vec3;
  readonly move: CoordinateFunction;
  /** Name of the coordinate that the function is of; undefined for a constant. */
  readonly coordinate: string | undefined;
}

/** A frame in a body: rot maps its coordinates to the body's, t is its origin there. */
export interface OsimFrame {
  /** Name of the body; 'ground' for the ground. */
  readonly body: string;
  readonly rot: Mat3;
  readonly t: Vec3;
}

export interface OsimJoint {
  readonly name: string;
  readonly place: string;
  readonly parent: OsimFrame;
  readonly child: OsimFrame;
  readonly coordinates: readonly OsimCoordinate[];
  /** In the order in which they move the child: translations, then rotations. */
  readonly axes: readonly OsimAxis[];
}

const X: Vec3 = [1, 0, 0];
const Y: Vec3 = [0, 1, 0];
const Z: Vec3 = [0, 0, 1];

/** Joints that are a fixed list of motions; a motion for each coordinate, in the order of the coordinates. */
const PLAIN_JOINTS = new Map<string, readonly { readonly rotation: boolean; readonly axis: Vec3 }[]>([
  ['WeldJoint', []],
  ['PinJoint', [{ rotation: true, axis: Z }]],
  ['SliderJoint', [{ rotation: false, axis: X }]],
  [
    'UniversalJoint',
    [
      { rotation: true, axis: X },
      { rotation: true, axis: Y },
    ],
  ],
  [
    'GimbalJoint',
    [
      { rotation: true, axis: X },
      { rotation: true, axis: Y },
      { rotation: true, axis: Z },
    ],
  ],
  [
    'PlanarJoint',
    [
      { rotation: true, axis: Z },
      { rotation: false, axis: X },
      { rotation: false, axis: Y },
    ],
  ],
]);

export const OSIM_JOINT_TYPES = ['CustomJoint', ...PLAIN_JOINTS.keys()];

export function readOsimJoint(element: XmlElement): OsimJoint | undefined {
  const { place } = element;
  const name = element.requiredName('name');
  const frames = readFrames(element);
  const parent = frameAt(element, 'socket_parent_frame', frames);
  const child = frameAt(element, 'socket_child_frame', frames);
  const given = element.child('coordinates')?.children('Coordinate') ?? [];
  const names = given.map((coordinate) => coordinate.requiredName('name'));
  const plain = PLAIN_JOINTS.get(element.name);
  if (name === undefined || parent === undefined || child === undefined || names.includes(undefined)) return undefined;
  if (plain !== undefined && plain.length !== names.length) {
    element.error('coordinates', `A ${element.name} has ${plain.length} coordinates, got ${names.length}.`);
    return undefined;
  }
  const axes =
    plain?.map((motion, k) => ({
      ...motion,
      name: `axis${k + 1}`,
      coordinate: names[k],
      move: linearFunction(1, 0),
    })) ?? readSpatialTransform(element, names as string[]);
  const coordinates = given.map((coordinate, k) => ({
    name: names[k]!,
    rotational: axes.some((axis) => axis.rotation && axis.coordinate === names[k]),
    defaultValue: childNumbers(coordinate, 'default_value', 1)?.[0] ?? 0,
  }));
  for (const coordinate of given)
    if (childFlag(coordinate, 'prescribed', false))
      coordinate.warn(
        'prescribed',
        'The coordinate is prescribed by a function of time; the motion is followed instead.',
      );
  const ordered = [...axes.filter((axis) => !axis.rotation), ...axes.filter((axis) => axis.rotation)];
  return { name, place, parent, child, coordinates, axes: ordered };
}

function readFrames(element: XmlElement): Map<string, OsimFrame> {
  const frames = new Map<string, OsimFrame>();
  for (const frame of element.child('frames')?.children('PhysicalOffsetFrame') ?? []) {
    const name = frame.requiredName('name');
    const socket = childText(frame, 'socket_parent') ?? childText(frame, 'socket_parent_frame');
    const t = (childNumbers(frame, 'translation', 3) ?? [0, 0, 0]) as unknown as Vec3;
    const angles = childNumbers(frame, 'orientation', 3) ?? [0, 0, 0];
    if (socket === undefined) frame.error('missing-element', 'A PhysicalOffsetFrame needs a <socket_parent>.');
    if (name === undefined || socket === undefined) continue;
    frames.set(name, { body: lastOf(socket), rot: rotationXYZ(angles), t });
  }
  return frames;
}

/** Body-fixed x, y, z: R = Rx Ry Rz maps the frame's coordinates to its parent's. */
function rotationXYZ([x, y, z]: readonly number[]): Mat3 {
  if (x === 0 && y === 0 && z === 0) return IDENTITY3;
  return multiply(rotationAbout(X, x), multiply(rotationAbout(Y, y), rotationAbout(Z, z)));
}

/** Paths in a model, "/bodyset/tibia_r", by their last part. */
function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).trim();
}

function frameAt(element: XmlElement, socket: string, frames: ReadonlyMap<string, OsimFrame>): OsimFrame | undefined {
  const path = childText(element, socket);
  if (path === undefined || path === '') {
    element.error('missing-element', `<${element.name}> needs a <${socket}>.`);
    return undefined;
  }
  // Either a frame of the joint's own, or a body itself.
  return frames.get(lastOf(path)) ?? { body: lastOf(path), rot: IDENTITY3, t: ZERO3 };
}

function readSpatialTransform(element: XmlElement, coordinates: readonly string[]): OsimAxis[] {
  const transform = element.requiredChild('SpatialTransform');
  const axes: OsimAxis[] = [];
  for (const axis of transform?.children('TransformAxis') ?? []) {
    const name = axis.requiredName('name');
    const kind = /^(rotation|translation)[123]$/.exec(name ?? '')?.[1];
    const direction = requiredNumbers(axis, 'axis', 3);
    const words = (childText(axis, 'coordinates') ?? '').split(/\s+/).filter((word) => word !== '');
    const move = readFunctionIn(axis);
    if (name === undefined || direction === undefined || move === undefined) continue;
    if (kind === undefined) {
      axis.error('axis', `A TransformAxis is rotation1 to 3 or translation1 to 3, got ${quoted(name)}.`);
      continue;
    }
    if (words.length > 1) {
      axis.error('coordinates', `It depends on ${words.length} coordinates; functions of one coordinate are read.`);
      continue;
    }
    const [coordinate] = words;
    if (coordinate !== undefined && !coordinates.includes(coordinate)) {
      axis.error('coordinates', `The joint has no coordinate ${quoted(coordinate)}.`);
      continue;
    }
    if (coordinate === undefined && move.constant === undefined) {
      axis.error('coordinates', 'It has a function but names no coordinate.');
      continue;
    }
    const used = move.constant === undefined ? coordinate : undefined;
    axes.push({ name, rotation: kind === 'rotation', axis: direction as unknown as Vec3, move, coordinate: used });
  }
  return axes;
}

const FUNCTIONS = [
  'Constant',
  'LinearFunction',
  'PolynomialFunction',
  'PiecewiseLinearFunction',
  'SimmSpline',
  'NaturalCubicSpline',
  'MultiplierFunction',
] as const;

/** Multipliers of multipliers; one is what files have. */
const MAX_NESTING = 8;

/** The function in an element; the function may be wrapped in <function>. */
function readFunctionIn(element: XmlElement, depth = 0): CoordinateFunction | undefined {
  const holder = FUNCTIONS.some((name) => element.has(name)) ? element : (element.child('function') ?? element);
  const name = FUNCTIONS.find((known) => holder.has(known));
  if (name === undefined) {
    element.error('function', `<${element.name}> needs one of these functions: ${FUNCTIONS.join(', ')}.`);
    return undefined;
  }
  const found = holder.child(name)!;
  switch (name) {
    case 'Constant': {
      const value = requiredNumbers(found, 'value', 1);
      return value && constantFunction(value[0]);
    }
    case 'LinearFunction': {
      const pair = requiredNumbers(found, 'coefficients', 2);
      return pair && linearFunction(pair[0], pair[1]);
    }
    case 'PolynomialFunction': {
      const coefficients = requiredNumbers(found, 'coefficients');
      if (coefficients?.length === 0) found.error('function', 'A polynomial needs coefficients.');
      return coefficients && polynomialFunction(coefficients);
    }
    case 'MultiplierFunction': {
      if (depth >= MAX_NESTING) {
        found.error('function', `Multipliers are nested more than ${MAX_NESTING} deep.`);
        return undefined;
      }
      const scale = childNumbers(found, 'scale', 1)?.[0] ?? 1;
      const inner = readFunctionIn(found, depth + 1);
      return inner && scaledFunction(scale, inner);
    }
    default:
      return readPoints(found, name);
  }
}

function readPoints(
  element: XmlElement,
  name: 'PiecewiseLinearFunction' | 'SimmSpline' | 'NaturalCubicSpline',
): CoordinateFunction | undefined {
  const x = requiredNumbers(element, 'x');
  const y = requiredNumbers(element, 'y');
  if (x === undefined || y === undefined) return undefined;
  if (x.length !== y.length || x.length < 2) {
    element.error('function', `It needs as many x as y, two or more; got ${x.length} and ${y.length}.`);
    return undefined;
  }
  if (x.some((value, k) => k > 0 && !(value > x[k - 1]))) {
    element.error('function', 'Its x must increase.');
    return undefined;
  }
  if (name === 'SimmSpline') return simmSpline(x, y);
  return name === 'NaturalCubicSpline' ? naturalCubicSpline(x, y) : piecewiseLinearFunction(x, y);
}

/** The inverse placement, as tree transforms want it: E maps parent to child coordinates. */
export function inverted({ rot, t }: OsimFrame): { E: Mat3; t: Vec3 } {
  const back = transpose(rot);
  const moved: Vec3 = [
    -(back[0] * t[0] + back[1] * t[1] + back[2] * t[2]),
    -(back[3] * t[0] + back[4] * t[1] + back[5] * t[2]),
    -(back[6] * t[0] + back[7] * t[1] + back[8] * t[2]),
  ];
  // The body seen from the frame: its origin at -R^T t, and coordinates go from frame to body by R.
  return { E: rot, t: moved };
}
