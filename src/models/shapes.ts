// Simple shapes to draw built-in mechanisms with.

import type { Shape } from '../mechanism/mechanism.js';
import { add, axisFrame, IDENTITY3, norm, scale, subtract, type Vec3 } from '../spatial/matrix3.js';

export type Color = readonly [number, number, number, number];

/** A capsule whose straight part reaches from one point to the other. */
export function capsule(from: Vec3, to: Vec3, radius: number, color: Color): Shape {
  const length = norm(subtract(to, from));
  return {
    geometry: { kind: 'capsule', radius, length },
    E: axisFrame(scale(1 / length, subtract(to, from))),
    t: scale(0.5, add(from, to)),
    color,
  };
}

export function box(centre: Vec3, size: Vec3, color: Color): Shape {
  return { geometry: { kind: 'box', size }, E: IDENTITY3, t: centre, color };
}

export function sphere(centre: Vec3, radius: number, color: Color): Shape {
  return { geometry: { kind: 'sphere', radius }, E: IDENTITY3, t: centre, color };
}
