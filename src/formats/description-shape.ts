import type { Geometry, Shape } from '../mechanism/mechanism.js';
import { quoted } from './import-log.js';
import { type JsonObject, shown } from './json-reader.js';
import { resolveMeshPath } from './mesh-path.js';

const KINDS: readonly Geometry['kind'][] = ['box', 'cylinder', 'capsule', 'sphere', 'mesh'];

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
  };
}

function readGeometry(from: JsonObject, packages: ReadonlyMap<string, string>): Geometry {
  const written = from.value('kind');
  const kind = KINDS.find((known) => known === written);
  switch (kind) {
    case 'box':
      return { kind, size: from.vector('size') };
    case 'sphere':
      return { kind, radius: from.amount('radius') };
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

function readPath(from: JsonObject, packages: ReadonlyMap<string, string>): string {
  const written = from.text('path');
  const found = resolveMeshPath(written, packages);
  if (found.kind !== 'refused') return found.path;
  // That it is no text at all has been said.
  if (from.value('path') === written) from.error('path', found.expected, quoted(written));
  return '';
}
