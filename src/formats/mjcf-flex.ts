// <flexcomp>: points that each are a body on slides; what holds them together is not read. Places, masses and names are
// those of MuJoCo, also where it leaves the frames out that the element stands in.

import { add, apply, type Vec3 } from '../spatial/matrix3.js';
import type { Compiler } from './mjcf-compiler.js';
import { type Fields, flag, leadingNumbers, manyNumbers, number, numbers, readFields, text } from './mjcf-fields.js';
import { checkOneOrientation, PLACED_FIELDS, type PlaceData, poseOf } from './mjcf-frame.js';
import type { XmlElement } from './xml.js';

interface FlexData extends PlaceData {
  name: string;
  type: string;
  dof: string;
  rigid: boolean;
  dim: number;
  count: readonly number[];
  spacing: readonly number[];
  scale: readonly number[];
  point: readonly number[];
  element: readonly number[];
  mass: number;
  inertiabox: number;
}

const FIELDS: Fields<FlexData> = new Map([
  ...(PLACED_FIELDS as Fields<FlexData>),
  ['name', text<FlexData>('name')],
  ['type', text<FlexData>('type')],
  ['dof', text<FlexData>('dof')],
  ['rigid', flag<FlexData>('rigid')],
  ['dim', number<FlexData>('dim')],
  ['count', leadingNumbers<FlexData>('count', 3)],
  ['spacing', leadingNumbers<FlexData>('spacing', 3)],
  ['scale', numbers<FlexData>('scale', 3)],
  ['point', manyNumbers<FlexData>('point')],
  ['element', manyNumbers<FlexData>('element')],
  ['mass', number<FlexData>('mass')],
  ['inertiabox', number<FlexData>('inertiabox')],
]);

const NEW_FLEX: FlexData = {
  name: '',
  type: 'grid',
  dof: 'full',
  rigid: false,
  dim: 2,
  count: [10, 10, 10],
  spacing: [0, 0, 0],
  scale: [1, 1, 1],
  point: [],
  element: [],
  mass: 1,
  inertiabox: 0.005,
  pos: [0, 0, 0],
  orientation: undefined,
};

interface PinData {
  id: readonly number[];
  range: readonly number[];
  grid: readonly number[];
  gridrange: readonly number[];
}

const PIN_FIELDS: Fields<PinData> = new Map([
  ['id', manyNumbers<PinData>('id')],
  ['range', manyNumbers<PinData>('range')],
  ['grid', manyNumbers<PinData>('grid')],
  ['gridrange', manyNumbers<PinData>('gridrange')],
]);

const NO_PINS: PinData = { id: [], range: [], grid: [], gridrange: [] };

/** The bodies of a flex, in the body that it stands in. */
export interface FlexPoints {
  readonly bodies: readonly { readonly name: string; readonly at: Vec3 }[];
  readonly axes: readonly Vec3[];
  readonly mass: number;
  /** About any axis. */
  readonly inertia: number;
}

const MOST_POINTS = 100_000;
/** Of pins against points. */
const MOST_CHECKS = 10_000_000;
const AXES: readonly Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** The points of a flex; undefined where they are not made here. */
export function readFlex(element: XmlElement, compiler: Compiler): FlexPoints | undefined {
  checkOneOrientation(element);
  const data = readFields(element, FIELDS, NEW_FLEX);
  if ((data.dof !== 'full' && data.dof !== '2d') || ![1, 2, 3].includes(data.dim)) return undefined;
  const points = data.type === 'grid' ? gridPoints(data) : data.type === 'direct' ? givenPoints(data) : undefined;
  if (points === undefined || points.length === 0) return undefined;
  const pins = pinsOf(element, data);
  if (pins.length * points.length > MOST_CHECKS) return undefined;
  const pinned = (k: number): boolean => pins.some((holds) => holds(k));
  const { R, p } = poseOf(element, data, compiler);
  const mass = data.mass / points.length;
  return {
    bodies: points.flatMap((point, k) =>
      data.rigid || pinned(k) ? [] : [{ name: `${data.name}_${k}`, at: add(p, apply(R, point)) }],
    ),
    axes: data.dof === '2d' ? AXES.slice(0, 2) : AXES,
    mass,
    inertia: (2 * mass * data.inertiabox ** 2) / 3,
  };
}

/** Around the origin; the last coordinate counts first. */
function gridPoints({ count, spacing }: FlexData): Vec3[] | undefined {
  const [nx, ny = 1, nz = 1] = count;
  const [dx, dy = 0, dz = 0] = spacing;
  if (![nx, ny, nz].every((n) => Number.isInteger(n) && n > 0) || nx * ny * nz > MOST_POINTS) return undefined;
  const points: Vec3[] = [];
  for (let x = 0; x < nx; x++)
    for (let y = 0; y < ny; y++)
      for (let z = 0; z < nz; z++)
        points.push([dx * (x - 0.5 * (nx - 1)), dy * (y - 0.5 * (ny - 1)), dz * (z - 0.5 * (nz - 1))]);
  return points;
}

/** As they are written, without those that no element uses. */
function givenPoints({ point, element, scale }: FlexData): Vec3[] | undefined {
  if (point.length % 3 !== 0 || point.length > 3 * MOST_POINTS) return undefined;
  const used = new Set(element);
  const all = Array.from({ length: point.length / 3 }, (_, k): Vec3 => {
    const [x, y, z] = point.slice(3 * k, 3 * k + 3);
    return [x * scale[0], y * scale[1], z * scale[2]];
  });
  return all.filter((_, k) => used.has(k));
}

/** Which points each <pin> holds on to the body that carries the flex: they are no bodies of their own. */
function pinsOf(
  element: XmlElement,
  { dim, count: [, ny = 1, nz = 1] }: FlexData,
): readonly ((k: number) => boolean)[] {
  const pins: ((k: number) => boolean)[] = [];
  /** Of a grid: the coordinates of a point, as many as the flex has dimensions. */
  const placeOf = (k: number): number[] => [Math.floor(k / (ny * nz)), Math.floor(k / nz) % ny, k % nz].slice(0, dim);
  const pieces = (list: readonly number[], size: number): number[][] =>
    Array.from({ length: Math.floor(list.length / size) }, (_, k) => list.slice(size * k, size * (k + 1)));
  for (const pin of element.children('pin')) {
    const { id, range, grid, gridrange } = readFields(pin, PIN_FIELDS, NO_PINS);
    const ids = new Set(id);
    pins.push((k) => ids.has(k));
    for (const [low, high] of pieces(range, 2)) pins.push((k) => k >= low && k <= high);
    for (const place of pieces(grid, dim)) pins.push((k) => placeOf(k).every((x, c) => x === place[c]));
    for (const box of pieces(gridrange, 2 * dim))
      pins.push((k) => placeOf(k).every((x, c) => x >= box[c] && x <= box[c + dim]));
  }
  return pins;
}
