// A shape on a body, compiled for collision: numbers in flat arrays, the hull of its points, the properties with defaults.

import { MechanismError } from '../mechanism/errors.js';
import { GROUND, type Mechanism, type Shape } from '../mechanism/mechanism.js';
import { rotationDefect } from '../spatial/matrix3.js';
import { compose, TRANSFORM } from '../spatial/spatial.js';
import { convexHull, type Hull } from './hull.js';
import { HeightSurface, MeshSurface, type Surface } from './surface.js';

/** Kinds of colliders, in the order in which pairs are looked up: the first of a pair is never of a later kind. */
export const PLANE = 0;
export const SPHERE = 1;
export const CAPSULE = 2;
export const BOX = 3;
export const CYLINDER = 4;
export const CONE = 5;
export const ELLIPSOID = 6;
export const HULL = 7;
/** One triangle of a mesh or of a height field. */
export const TRIANGLE = 8;
export const MESH = 9;
export const HEIGHTS = 10;

/** A shape ready for collision: its kind, its sizes as numbers, and its place on a body. */
export interface Collider {
  /** Index of the body that carries it, or GROUND. */
  readonly body: number;
  readonly shape: Shape;
  readonly kind: number;
  /** Body frame to shape frame, 12 numbers. */
  readonly placement: Float64Array;
  /**
   * Sphere: radius. Capsule, cylinder, cone: radius, half the length. Box: half its edges. Ellipsoid: its radii.
   */
  readonly size: Float64Array;
  /** Of hulls, meshes and height fields: middle and half edges of the box along their own axes; a plane has no end. */
  readonly box: Float64Array;
  /** Of hulls. */
  readonly hull: Hull | undefined;
  /** Of meshes and height fields. */
  readonly surface: Surface | undefined;
  /** Of a ball about the origin of the shape that holds it; infinite for a plane. */
  readonly reach: number;
  readonly friction: number;
  readonly restitution: number;
  readonly rollingFriction: number;
  readonly torsionalFriction: number;
  readonly compliance: number;
  readonly relaxation: number;
  readonly group: number;
  readonly mask: number;
}

/** A shape, ready for `collide`. Refuses with a MechanismError what cannot collide. */
export function collider(body: number, shape: Shape): Collider {
  const { geometry, E, t, friction = 1, restitution = 0, rollingFriction = 0, torsionalFriction = 0 } = shape;
  const { compliance = 0, relaxation = 0, group = 1, mask = 0xffffffff } = shape;
  const where = `shape ${shape.name === undefined ? `(${geometry.kind})` : `"${shape.name}"`}`;
  const refuse = (message: string) => MechanismError.of('contact', where, message);
  const amounts = { friction, restitution, rollingFriction, torsionalFriction, compliance, relaxation };
  for (const [name, value] of Object.entries(amounts))
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY))
      throw refuse(`Its ${name} is ${value}; give a number not below zero.`);
  if (restitution > 1) throw refuse(`Its restitution is ${restitution}; give a number from 0 to 1.`);
  if (!(rotationDefect(E) < 1e-6) || !t.every(Number.isFinite))
    throw refuse('Its placement is no rotation with a finite origin; give a rotation matrix E and finite t.');
  const sized = (...values: number[]): Float64Array => {
    if (!values.every((value) => value > 0 && value < Number.POSITIVE_INFINITY))
      throw refuse(`Its sizes are ${values.join(', ')}; for contact they must be positive.`);
    return Float64Array.from(values);
  };
  const made = (
    kind: number,
    size: Float64Array,
    reach: number,
    hull?: Hull,
    box: Float64Array = NO_BOX,
  ): Collider => ({
    body,
    shape,
    kind,
    placement: Float64Array.from([...E, ...t]),
    size,
    box,
    hull,
    surface: undefined,
    reach,
    friction,
    restitution,
    rollingFriction,
    torsionalFriction,
    compliance,
    relaxation,
    group: group >>> 0,
    mask: mask >>> 0,
  });
  switch (geometry.kind) {
    case 'plane':
      return made(PLANE, sized(), Number.POSITIVE_INFINITY, undefined, EVERYWHERE);
    case 'sphere':
      return made(SPHERE, sized(geometry.radius), geometry.radius);
    case 'capsule': {
      // A capsule without a straight part is a sphere.
      if (geometry.length === 0) return made(SPHERE, sized(geometry.radius), geometry.radius);
      const size = sized(geometry.radius, geometry.length / 2);
      return made(CAPSULE, size, size[0] + size[1]);
    }
    case 'box': {
      const [x, y, z] = geometry.size;
      const size = sized(x / 2, y / 2, z / 2);
      return made(BOX, size, Math.sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]));
    }
    case 'cylinder':
    case 'cone': {
      const size = sized(geometry.radius, geometry.length / 2);
      const reach = Math.sqrt(size[0] * size[0] + size[1] * size[1]);
      return made(geometry.kind === 'cone' ? CONE : CYLINDER, size, reach);
    }
    case 'ellipsoid': {
      const size = sized(...geometry.radii);
      return made(ELLIPSOID, size, Math.max(size[0], size[1], size[2]));
    }
    case 'hull': {
      const hull = convexHull(geometry.points);
      return made(HULL, sized(), reachOf(hull.points), hull, boxOf(hull.points));
    }
    case 'mesh': {
      if (geometry.data === undefined)
        throw refuse(
          `The file of the mesh "${geometry.path}" was not read; read it, or give another shape for contact.`,
        );
      const { points } = geometry.data;
      // On a body that moves its convex hull stands for a mesh.
      if (body === GROUND)
        return {
          ...made(MESH, sized(), reachOf(points), undefined, boxOf(points)),
          surface: new MeshSurface(geometry.data),
        };
      const hull = convexHull(points);
      return made(HULL, sized(), reachOf(hull.points), hull, boxOf(hull.points));
    }
    case 'heights': {
      if (body !== GROUND) throw refuse('A height field is ground; put it on the ground, not on a body that moves.');
      const { rows, columns, size, heights } = geometry;
      if (!(rows >= 2 && columns >= 2 && heights.length === rows * columns && heights.every(Number.isFinite)))
        throw refuse('It needs two or more rows and columns, and a finite height for each place of the grid.');
      const [x, y] = sized(...size);
      const high = heights.reduce((most, z) => Math.max(most, z));
      const farthest = heights.reduce((most, z) => Math.max(most, Math.abs(z)), 0);
      const reach = Math.sqrt((x * x + y * y) / 4 + farthest * farthest);
      const box = Float64Array.of(0, 0, high - DEPTH, x / 2, y / 2, DEPTH);
      return { ...made(HEIGHTS, sized(), reach, undefined, box), surface: new HeightSurface(geometry) };
    }
    default:
      throw refuse(`There is no shape of kind "${(geometry as { readonly kind: string }).kind}".`);
  }
}

/** Half of how far down a height field is solid, metres. */
const DEPTH = 1e4;

const NO_BOX = new Float64Array(6);
const EVERYWHERE = Float64Array.of(
  0,
  0,
  0,
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
);

/** Middle and half edges of the box that holds points. */
function boxOf(points: Float64Array): Float64Array {
  const box = new Float64Array(6);
  for (let i = 0; i < 3; i++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let k = i; k < points.length; k += 3) {
      low = Math.min(low, points[k]);
      high = Math.max(high, points[k]);
    }
    box[i] = (low + high) / 2;
    box[3 + i] = (high - low) / 2;
  }
  return box;
}

function reachOf(points: Float64Array): number {
  let most = 0;
  for (let k = 0; k < points.length; k += 3) {
    const square = points[k] * points[k] + points[k + 1] * points[k + 1] + points[k + 2] * points[k + 2];
    if (square > most) most = square;
  }
  return Math.sqrt(most);
}

/** Colliders of every collision shape of a mechanism, in the order of its bodies. */
export function collidersOf(mechanism: Mechanism): Collider[] {
  return mechanism.bodies.flatMap(({ collisions }, b) => collisions.map((shape) => collider(b, shape)));
}

/**
 * Where the shapes are: 12 numbers for each collider (ground to shape frame), from those of the bodies as Dynamics.poses
 * gives them. Shapes of the ground stand where they were placed.
 */
export function placeColliders(out: Float64Array, colliders: readonly Collider[], poses: Float64Array): void {
  for (let i = 0; i < colliders.length; i++) {
    const { body, placement } = colliders[i];
    if (body !== GROUND) compose(out, TRANSFORM * i, placement, 0, poses, TRANSFORM * body);
    else for (let k = 0; k < TRANSFORM; k++) out[TRANSFORM * i + k] = placement[k];
  }
}
