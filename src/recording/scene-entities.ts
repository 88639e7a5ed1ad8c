// Shapes of bodies as Foxglove draws them: boxes, balls, cylinders and cones, triangles.

import { convexHull } from '../contact/hull.js';
import type { Geometry, HeightField, Placement, Shape } from '../mechanism/mechanism.js';
import type { ContactReport } from '../simulation/world/contact-report.js';
import { quaternionFromRotation, transpose, type Vec3 } from '../spatial/matrix3.js';

const ARROW = { r: 0.9, g: 0.35, b: 0.1, a: 1 };
const DEFAULT_COLOR = [0.7, 0.74, 0.8, 1] as const;
/** A plane is drawn as a thin box of this width, metres. */
const PLANE = 20;

export interface TimeStamp {
  readonly sec: number;
  readonly nsec: number;
}

function emptyEntity(frame: string, id: string, timestamp: TimeStamp) {
  return {
    timestamp,
    frame_id: frame,
    id,
    lifetime: { sec: 0, nsec: 0 },
    frame_locked: true,
    metadata: [],
    arrows: [] as object[],
    cubes: [] as object[],
    spheres: [] as object[],
    cylinders: [] as object[],
    lines: [],
    triangles: [] as object[],
    texts: [],
    models: [],
  };
}

/** Forces of contacts as arrows, on whatever is not the ground; scale: metres for each newton. */
export function forceEntity(
  frame: string,
  contacts: readonly Pick<ContactReport, 'a' | 'force' | 'position'>[],
  scale: number,
  timestamp: TimeStamp,
): object {
  const entity = emptyEntity(frame, 'contact forces', timestamp);
  for (const { a, force, position } of contacts) {
    const sign = a.member === undefined ? -scale : scale;
    const [x, y, z] = force.map((f) => sign * f);
    const length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > 1e-4)) continue;
    entity.arrows.push({
      pose: { position: xyz(position), orientation: fromAxisX([x / length, y / length, z / length]) },
      shaft_length: 0.8 * length,
      shaft_diameter: 0.008,
      head_length: 0.2 * length,
      head_diameter: 0.02,
      color: ARROW,
    });
  }
  return entity;
}

/** A rotation that takes the x axis to a direction. */
function fromAxisX([x, y, z]: Vec3): object {
  // Half way between both; straight back by half a turn about z.
  const s = Math.sqrt((1 + x) / 2);
  return s > 1e-6 ? { x: 0, y: -z / (2 * s), z: y / (2 * s), w: s } : { x: 0, y: 0, z: 1, w: 0 };
}

/** Everything that is drawn in a frame. */
export function sceneEntity(frame: string, shapes: readonly Shape[], timestamp: TimeStamp): object {
  const entity = emptyEntity(frame, frame, timestamp);
  for (const shape of shapes) {
    const [r, g, b, a] = shape.color ?? DEFAULT_COLOR;
    const color = { r, g, b, a };
    const solid = (size: Vec3, along = 0): object => ({ pose: poseAlong(shape, along), size: xyz(size), color });
    const { geometry } = shape;
    switch (geometry.kind) {
      case 'box':
        entity.cubes.push(solid(geometry.size));
        break;
      case 'plane':
        entity.cubes.push(solid([PLANE, PLANE, 1e-3], -5e-4));
        break;
      case 'sphere':
        entity.spheres.push(solid([2 * geometry.radius, 2 * geometry.radius, 2 * geometry.radius]));
        break;
      case 'ellipsoid': {
        const [x, y, z] = geometry.radii;
        entity.spheres.push(solid([2 * x, 2 * y, 2 * z]));
        break;
      }
      case 'cylinder':
      case 'cone':
        entity.cylinders.push({
          ...solid([2 * geometry.radius, 2 * geometry.radius, geometry.length]),
          bottom_scale: 1,
          top_scale: geometry.kind === 'cone' ? 0 : 1,
        });
        break;
      case 'capsule': {
        const width = 2 * geometry.radius;
        entity.cylinders.push({ ...solid([width, width, geometry.length]), bottom_scale: 1, top_scale: 1 });
        for (const end of [-0.5, 0.5]) entity.spheres.push(solid([width, width, width], end * geometry.length));
        break;
      }
      default: {
        const triangles = trianglesOf(geometry);
        if (triangles !== undefined)
          entity.triangles.push({ pose: poseAlong(shape, 0), ...triangles, color, colors: [] });
      }
    }
  }
  return entity;
}

/** Shapes given by points; a mesh whose file was not read is not drawn. */
function trianglesOf(geometry: Geometry): { points: object[]; indices: number[] } | undefined {
  switch (geometry.kind) {
    case 'mesh':
      return geometry.data === undefined ? undefined : listed(geometry.data.points, [...geometry.data.triangles]);
    case 'hull': {
      const { points, starts, corners } = convexHull(geometry.points);
      const indices: number[] = [];
      // Faces are convex: fans.
      for (let f = 0; f + 1 < starts.length; f++)
        for (let k = starts[f] + 2; k < starts[f + 1]; k++)
          indices.push(corners[starts[f]], corners[k - 1], corners[k]);
      return listed(points, indices);
    }
    case 'heights':
      return heightTriangles(geometry);
    default:
      return undefined;
  }
}

function listed(points: Float64Array, indices: number[]): { points: object[]; indices: number[] } {
  const count = points.length / 3;
  return {
    points: Array.from({ length: count }, (_, k) => xyz([points[3 * k], points[3 * k + 1], points[3 * k + 2]])),
    indices,
  };
}

function heightTriangles({ rows, columns, size, heights }: HeightField): { points: object[]; indices: number[] } {
  const points = Float64Array.from({ length: 3 * rows * columns }, (_, i) => {
    const at = Math.floor(i / 3);
    if (i % 3 === 2) return heights[at];
    return i % 3 === 0
      ? ((at % columns) / (columns - 1) - 0.5) * size[0]
      : (Math.floor(at / columns) / (rows - 1) - 0.5) * size[1];
  });
  const indices: number[] = [];
  for (let r = 0; r + 1 < rows; r++)
    for (let c = 0; c + 1 < columns; c++) {
      const at = r * columns + c;
      indices.push(at, at + 1, at + columns + 1, at, at + columns + 1, at + columns);
    }
  return listed(points, indices);
}

/** The shape's frame, moved along its z axis. */
function poseAlong({ E, t }: Placement, along: number): object {
  return {
    position: xyz([t[0] + along * E[6], t[1] + along * E[7], t[2] + along * E[8]]),
    orientation: orientation(E),
  };
}

export function xyz([x, y, z]: Vec3): { x: number; y: number; z: number } {
  return { x, y, z };
}

/** Of the axes of a placed frame: E maps coordinates of the carrying frame to it. */
export function orientation(E: Placement['E']): { x: number; y: number; z: number; w: number } {
  const [w, x, y, z] = quaternionFromRotation(transpose(E));
  return { x, y, z, w };
}
