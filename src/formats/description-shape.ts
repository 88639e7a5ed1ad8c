import type { Geometry, Shape } from '../mechanism/mechanism.js';
import { CONTACT_KEYS } from './description.js';
import { quoted } from './import-log.js';
import { type JsonObject, shown } from './json-reader.js';
import { resolveMeshPath } from './mesh-path.js';

const KINDS: readonly Geometry['kind'][] = [
  'box',
  'cylinder',
  'capsule',
  'sphere',
  'plane',
  'ellipsoid',
  'cone',
  'hull',
  'heights',
  'mesh',
];

/** A visual or collision shape of a description. `see` is told of the objects within. */
export function readShape(
  from: JsonObject,
  packages: ReadonlyMap<string, string>,
  see: (object: JsonObject) => JsonObject,
): Shape {
  const geometry = from.object('geometry');
  return {
    ...(from.has('name') && { name: from.text('name') }),
    geometry: geometry === undefined ? { kind: 'sphere', radius: 0 } : readGeometry(see(geometry), packages),
    E: from.matrix('E'),
    t: from.vector('t'),
    ...(from.has('color') && { color: from.numbers('color', 4) as unknown as NonNullable<Shape['color']> }),
    ...(from.has('combine') && { combine: readCombine(from) }),
    ...Object.fromEntries(CONTACT_KEYS.filter((key) => from.has(key)).map((key) => [key, readProperty(from, key)])),
  };
}

function readCombine(from: JsonObject): NonNullable<Shape['combine']> {
  const written = from.text('combine');
  if (written === 'smaller' || written === 'larger') return written;
  if (written !== '') from.error('combine', '"smaller" or "larger"', quoted(written));
  return 'smaller';
}

function readProperty(from: JsonObject, key: (typeof CONTACT_KEYS)[number]): number {
  const value = from.amount(key);
  if ((key === 'group' || key === 'mask') && !(Number.isInteger(value) && value <= 0xffffffff))
    from.error(key, 'a whole number of at most 32 bits', shown(value));
  return value;
}

function readGeometry(from: JsonObject, packages: ReadonlyMap<string, string>): Geometry {
  const written = from.value('kind');
  const kind = KINDS.find((known) => known === written);
  switch (kind) {
    case 'box':
      return { kind, size: from.vector('size') };
    case 'sphere':
      return { kind, radius: from.amount('radius') };
    case 'plane':
      return { kind };
    case 'ellipsoid':
      return { kind, radii: from.vector('radii') };
    case 'hull':
      return { kind, points: readPoints(from) };
    case 'heights':
      return readHeights(from);
    case 'cone':
    case 'cylinder':
    case 'capsule':
      return { kind, radius: from.amount('radius'), length: from.amount('length') };
    case 'mesh':
      return { kind, path: readPath(from, packages), scale: from.vector('scale') };
    default:
      from.error('kind', `one of ${KINDS.join(', ')}`, shown(written));
      return { kind: 'sphere', radius: 0 };
  }
}

function readPoints(from: JsonObject): Float64Array {
  const points = from.numberList('points');
  if (points.length === 0 || points.length % 3 !== 0)
    from.error('points', 'three numbers for each of one or more points', `${points.length} numbers`);
  return Float64Array.from(points);
}

function readHeights(from: JsonObject): Geometry {
  const [rows, columns] = (['rows', 'columns'] as const).map((key) => {
    const count = from.number(key);
    if (!Number.isInteger(count) || count < 2) from.error(key, 'a whole number of two or more', shown(count));
    return count;
  });
  const size = from.numbers('size', 2) as unknown as readonly [number, number];
  const heights = from.numberList('heights');
  if (heights.length !== rows * columns)
    from.error('heights', `rows times columns, ${rows * columns} numbers`, `${heights.length}`);
  return { kind: 'heights', rows, columns, size, heights: Float64Array.from(heights) };
}

function readPath(from: JsonObject, packages: ReadonlyMap<string, string>): string {
  const written = from.text('path');
  const found = resolveMeshPath(written, packages);
  if (found.kind !== 'refused') return found.path;
  // That it is no text at all has been said.
  if (from.value('path') === written) from.error('path', found.expected, quoted(written));
  return '';
}
