// A mechanism in one pose, as an SVG group: its visual shapes seen by a parallel projection, or sticks between joints
// where a body has none.

import { type Body, GROUND, type Mechanism, type Shape } from '../mechanism/mechanism.js';
import { add, apply, cross, dot, type Mat3, norm, scale, transpose, type Vec3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { px } from './svg.js';

/** Where a ground point appears: right, up, and towards the viewer. */
export type Projection = (point: Vec3) => Vec3;

/** A view from the side, turned by `azimuth` and lifted by `elevation` (radians), with gravity pointing down. */
export function sideView(gravity: Vec3, azimuth: number, elevation: number): Projection {
  const up: Vec3 = norm(gravity) > 0 ? scale(-1 / norm(gravity), gravity) : [0, 0, 1];
  // Any horizontal direction to turn from; x unless x is up.
  const start: Vec3 = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const flat = add(start, scale(-dot(start, up), up));
  const forward = scale(1 / norm(flat), flat);
  const left = cross(up, forward);
  const right = add(scale(Math.cos(azimuth), forward), scale(Math.sin(azimuth), left));
  const level = cross(right, up);
  const viewer = add(scale(Math.cos(elevation), level), scale(Math.sin(elevation), up));
  const vertical = cross(viewer, right);
  return (point) => [dot(point, right), dot(point, vertical), dot(point, viewer)];
}

interface Drawn {
  readonly depth: number;
  readonly svg: string;
}

/** How a stick figure is drawn. */
export interface FigureStyle {
  readonly projection: Projection;
  /** Pixels per metre, and the pixel where the ground's origin falls. */
  readonly scale: number;
  readonly origin: readonly [number, number];
  readonly color: string;
  readonly opacity?: number;
}

/** The mechanism with body poses as Dynamics.poses gives them. */
export function figure(mechanism: Mechanism, poses: Float64Array, style: FigureStyle): string {
  const drawn: Drawn[] = [];
  // Among bodies with shapes, one that has neither shape nor mass only leads from joint to joint.
  const shaped = mechanism.bodies.some((body) => shapesOf(body).length > 0);
  // What has no colour of its own has that of what carries it.
  const colors: string[] = [];
  mechanism.bodies.forEach((body, b) => {
    const { parent } = mechanism.joints[b];
    const painted = body.visuals.find(({ color }) => color !== undefined);
    colors[b] = painted?.color !== undefined ? rgb(painted.color) : (colors[parent] ?? style.color);
    const own = { ...style, color: colors[b] };
    const pose = poses.subarray(TRANSFORM * b, TRANSFORM * (b + 1));
    const toGround = transpose(Array.from(pose.subarray(0, 9)) as unknown as Mat3);
    const origin = Array.from(pose.subarray(9)) as unknown as Vec3;
    const place = (point: Vec3): Vec3 => add(origin, apply(toGround, point));
    const shapes = shapesOf(body);
    for (const shape of shapes) drawn.push(...drawShape(shape, place, own));
    if (shapes.length > 0 || (shaped && body.mass === 0)) return;
    if (parent !== GROUND) {
      const [x, y, z] = poses.subarray(TRANSFORM * parent + 9, TRANSFORM * parent + 12);
      drawn.push(stick([[x, y, z], origin], 0.012, own));
    }
    if (norm(body.com) > 0 || parent === GROUND) drawn.push(stick([origin, place(body.com)], 0.008, own));
  });
  drawn.sort((a, b) => a.depth - b.depth);
  return `<g opacity="${style.opacity ?? 1}">${drawn.map(({ svg }) => svg).join('\n')}</g>`;
}

/** What can be drawn of a body: its shapes for the eye, or where there are none (meshes) those that touch. */
function shapesOf({ visuals, collisions }: Body): readonly Shape[] {
  const seen = visuals.filter(isDrawn);
  return seen.length > 0 ? seen : collisions.filter(isDrawn);
}

function toPixels(point: Vec3, { projection, scale: s, origin }: FigureStyle): { x: number; y: number; depth: number } {
  const [right, up, depth] = projection(point);
  return { x: origin[0] + s * right, y: origin[1] - s * up, depth };
}

/** A thick line with round ends, outlined in white so that limbs stand off from one another. */
function stick(points: readonly [Vec3, Vec3], radius: number, style: FigureStyle): Drawn {
  const [a, b] = points.map((point) => toPixels(point, style));
  const width = Math.max(1.5, 2 * radius * style.scale);
  const path = `d="M${px(a.x)} ${px(a.y)}L${px(b.x)} ${px(b.y)}" stroke-linecap="round"`;
  return {
    depth: (a.depth + b.depth) / 2,
    svg: `<path ${path} stroke="white" stroke-width="${px(width + Math.min(1.6, 0.2 * width))}"/><path ${path} stroke="${style.color}" stroke-width="${px(width)}"/>`,
  };
}

/** In its own colour where it has one. */
function drawShape({ geometry, E, t, color: own }: Shape, place: (point: Vec3) => Vec3, base: FigureStyle): Drawn[] {
  const at = (point: Vec3): Vec3 => place(add(t, apply(transpose(E), point)));
  const style = own === undefined ? base : { ...base, color: rgb(own) };
  switch (geometry.kind) {
    case 'sphere':
      return [stick([at([0, 0, 0]), at([0, 0, 0])], geometry.radius, style)];
    case 'capsule':
    case 'cylinder': {
      const half = geometry.length / 2;
      return [stick([at([0, 0, -half]), at([0, 0, half])], geometry.radius, style)];
    }
    case 'box':
      return [outlined(corners(geometry.size), at, style)];
    case 'ellipsoid':
      return [outlined(ellipsoid(geometry.radii), at, style)];
    case 'cone': {
      const { radius, length } = geometry;
      const rim = ROUND.map(([c, s]): Vec3 => [radius * c, radius * s, -length / 2]);
      return [outlined([...rim, [0, 0, length / 2]], at, style)];
    }
    case 'hull':
      return [outlined(triples(geometry.points), at, style)];
    // Ground has no outline, and meshes are in files that are not read here.
    case 'plane':
    case 'heights':
    case 'mesh':
      return [];
  }
}

function rgb(color: NonNullable<Shape['color']>): string {
  return `rgb(${color
    .slice(0, 3)
    .map((share) => Math.round(255 * share))
    .join(' ')})`;
}

/** Whether `figure` draws it. */
export function isDrawn({ geometry: { kind } }: Shape): boolean {
  return kind !== 'mesh' && kind !== 'plane' && kind !== 'heights';
}

/** Cosine and sine around a circle. */
const ROUND = Array.from({ length: 16 }, (_, k) => [Math.cos((k * Math.PI) / 8), Math.sin((k * Math.PI) / 8)] as const);

function corners(size: Vec3): Vec3[] {
  return [-0.5, 0.5].flatMap((i) =>
    [-0.5, 0.5].flatMap((j) => [-0.5, 0.5].map((k): Vec3 => [i * size[0], j * size[1], k * size[2]])),
  );
}

/** Points on circles of latitude. */
function ellipsoid([x, y, z]: Vec3): Vec3[] {
  return ROUND.flatMap(([up, r]) => ROUND.map(([c, s]): Vec3 => [x * r * c, y * r * s, z * up]));
}

function triples(points: Float64Array): Vec3[] {
  return Array.from({ length: points.length / 3 }, (_, k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]]);
}

/** The outline of a convex shape: convex hull of its points, projected. */
function outlined(points: readonly Vec3[], at: (point: Vec3) => Vec3, style: FigureStyle): Drawn {
  const corners = points.map((point) => toPixels(at(point), style));
  const outline = convexHull(corners).map(({ x, y }) => `${px(x)},${px(y)}`);
  const depth = corners.reduce((sum, corner) => sum + corner.depth, 0) / corners.length;
  return {
    depth,
    svg: `<polygon points="${outline.join(' ')}" fill="${style.color}" stroke="white" stroke-width="0.8" stroke-linejoin="round"/>`,
  };
}

/** Andrew's monotone chain. */
function convexHull<P extends { readonly x: number; readonly y: number }>(points: readonly P[]): P[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const turn = (o: P, a: P, b: P): number => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list: readonly P[]): P[] => {
    const chain: P[] = [];
    for (const point of list) {
      while (chain.length >= 2 && turn(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half([...sorted].reverse())];
}
