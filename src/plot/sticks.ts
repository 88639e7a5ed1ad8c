// A mechanism as points and the lines between them: what moving pictures are drawn from.

import { GROUND, type Mechanism } from '../mechanism/mechanism.js';
import { add, apply, transpose, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { isDrawn } from './figure.js';

/** A stick figure: points on bodies, and lines between them. */
export interface Sticks {
  readonly points: readonly { readonly body: number; readonly at: Vec3 }[];
  readonly lines: readonly Stick[];
}

export interface Stick {
  /** Indices of its points. */
  readonly a: number;
  readonly b: number;
  /** Half its thickness, metres. */
  readonly radius: number;
}

/** Capsules and cylinders of the bodies; for bodies without shapes, lines from where they hang to where others hang. */
export function sticks(mechanism: Mechanism): Sticks {
  const points: { body: number; at: Vec3 }[] = [];
  const lines: Stick[] = [];
  const index = new Map<string, number>();
  const point = (body: number, at: Vec3): number => {
    const key = `${body} ${at.map((value) => Math.round(1e4 * value)).join(' ')}`;
    const known = index.get(key);
    if (known !== undefined) return known;
    index.set(key, points.length);
    return points.push({ body, at }) - 1;
  };
  mechanism.bodies.forEach(({ visuals, com, mass }, b) => {
    let drawn = false;
    for (const { geometry, E, t } of visuals) {
      if (geometry.kind !== 'capsule' && geometry.kind !== 'cylinder') continue;
      const end = (z: number): Vec3 => add(t, apply(transpose(E), [0, 0, z]));
      lines.push({
        a: point(b, end(-geometry.length / 2)),
        b: point(b, end(geometry.length / 2)),
        radius: geometry.radius,
      });
      drawn = true;
    }
    const { parent } = mechanism.joints[b];
    if (drawn || visuals.some(isDrawn)) return;
    if (parent !== GROUND && hangs(mechanism, parent))
      lines.push({ a: point(parent, ZERO3), b: point(b, ZERO3), radius: 0.015 });
    const end = mechanism.joints.some((joint) => joint.parent === b);
    if (mass > 0 && !end) lines.push({ a: point(b, ZERO3), b: point(b, com), radius: 0.02 });
  });
  return { points, lines };
}

/** Whether some body with mass lies between it and the ground: the first bodies of a free figure only lead to it. */
function hangs({ bodies, joints }: Mechanism, body: number): boolean {
  for (let b = body; b !== GROUND; b = joints[b].parent) if (bodies[b].mass > 0) return true;
  return false;
}

/** x, y, z of every point in one pose, millimetres, whole. */
export function stickPositions({ points }: Sticks, poses: Float64Array): number[] {
  return points.flatMap(({ body, at }) => {
    const P = poses.subarray(TRANSFORM * body, TRANSFORM * (body + 1));
    return [0, 1, 2].map((k) => Math.round(1000 * (P[9 + k] + P[k] * at[0] + P[3 + k] * at[1] + P[6 + k] * at[2])));
  });
}
