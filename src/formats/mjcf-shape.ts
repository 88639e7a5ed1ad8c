// Geoms as shapes of a mechanism, to be drawn and to touch.

import type { Geometry, Shape } from '../mechanism/mechanism.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { quoted } from './import-log.js';
import type { MjcfFile } from './mjcf-body.js';
import { composed, placementOf } from './mjcf-frame.js';
import type { MjcfGeom } from './mjcf-geom.js';

/** MuJoCo draws these groups unless told otherwise; the others are there for contact. */
const LAST_DRAWN_GROUP = 2;

export interface Shapes {
  readonly visuals: Shape[];
  readonly collisions: Shape[];
}

/** `named` are the geoms of explicit pairs: they touch whatever their bits say. */
export function shapesOf(
  geoms: readonly MjcfGeom[],
  file: MjcfFile,
  colors: ReadonlyMap<string, readonly number[]>,
  named: ReadonlySet<string>,
): Shapes {
  const visuals: Shape[] = [];
  const collisions: Shape[] = [];
  for (const geom of geoms) {
    const { data, name } = geom;
    const touches = data.contype !== 0 || data.conaffinity !== 0 || (name !== '' && named.has(name));
    const placed = geometryOf(geom, file, touches);
    if (placed === undefined) continue;
    const shape = { ...placed, ...(name !== '' && { name }) };
    if (data.group <= LAST_DRAWN_GROUP) {
      const color = data.rgba ?? colors.get(data.material);
      visuals.push(color === undefined ? shape : { ...shape, color: color as unknown as NonNullable<Shape['color']> });
    }
    if (!touches) continue;
    const [friction, torsionalFriction, rollingFriction] = data.friction;
    collisions.push({
      ...shape,
      // MuJoCo takes the larger of two coefficients. Fewer dimensions of contact have less friction.
      friction: data.condim >= 3 ? friction : 0,
      ...(data.condim >= 4 && { torsionalFriction }),
      ...(data.condim >= 6 && { rollingFriction }),
      combine: 'larger',
      group: data.contype >>> 0,
      mask: data.conaffinity >>> 0,
    });
  }
  return { visuals, collisions };
}

function geometryOf({ element, data, pose, size }: MjcfGeom, file: MjcfFile, load: boolean): Shape | undefined {
  const { type } = data;
  if (type === 'mesh' || type === 'sdf') {
    const found = file.meshes.geometry(element, data.mesh, load);
    if (found === undefined) return undefined;
    const { path, scale, mesh } = found;
    const geometry: Geometry = {
      kind: 'mesh',
      path,
      scale,
      ...(mesh !== undefined && { data: mesh }),
    };
    return { ...placementOf(pose), geometry };
  }
  if (type === 'hfield') {
    const geometry = file.heights.get(data.hfield);
    if (!file.heights.has(data.hfield))
      element.error('unknown-hfield', `There is no hfield ${quoted(data.hfield)} in <asset>.`);
    return geometry && { ...placementOf(pose), geometry };
  }
  if (data.mesh !== '') {
    const fitted = file.meshes.fitted(element, data, file.compiler.fitaabb);
    return fitted && { ...placementOf(composed(pose, fitted.pose)), geometry: simple(type, fitted.size) };
  }
  return { ...placementOf(pose), geometry: simple(type, size) };
}

function simple(type: string, [a, b, c]: Vec3): Geometry {
  switch (type) {
    case 'plane':
      return { kind: 'plane' };
    case 'capsule':
      return { kind: 'capsule', radius: a, length: 2 * b };
    case 'cylinder':
      return { kind: 'cylinder', radius: a, length: 2 * b };
    case 'ellipsoid':
      return { kind: 'ellipsoid', radii: [a, b, c] };
    case 'box':
      return { kind: 'box', size: [2 * a, 2 * b, 2 * c] };
    default:
      return { kind: 'sphere', radius: a };
  }
}
