// How far the two frames of a loop joint are from where the joint would have them.

import type { LoopJoint } from '../../../mechanism/mechanism.js';
import { angleOf } from '../../../spatial/trigonometry.js';

/**
 * out <- six numbers [rotation, translation] in frame b: the small motion of b that breaks the joint, given the transform X
 * from frame a to frame b (both turned so that the axis is z) and the second axis u of a universal joint. Components that
 * the joint leaves free mean nothing.
 */
export function setGap(
  out: Float64Array,
  o: number,
  X: Float64Array,
  x: number,
  joint: Pick<LoopJoint, 'type' | 'pitch'>,
  u: readonly [number, number, number],
): void {
  const [rx, ry, rz] = [X[x + 9], X[x + 10], X[x + 11]];
  for (let k = 0; k < 3; k++) out[o + 3 + k] = X[x + 3 * k] * rx + X[x + 3 * k + 1] * ry + X[x + 3 * k + 2] * rz;
  // Axis z of frame a seen from b.
  const [zx, zy, zz] = [X[x + 2], X[x + 5], X[x + 8]];
  switch (joint.type) {
    case 'fixed':
    case 'prismatic':
      setRotationVector(out, o, X, x);
      return;
    case 'universal': {
      // The angle between the two axes is what it was at the neutral position: there z . u = u_z.
      const [nx, ny, nz] = [zy * u[2] - zz * u[1], zz * u[0] - zx * u[2], zx * u[1] - zy * u[0]];
      const size = Math.hypot(nx, ny, nz);
      const angle = (u[2] - (zx * u[0] + zy * u[1] + zz * u[2])) / (size * size);
      out[o] = angle * nx;
      out[o + 1] = angle * ny;
      out[o + 2] = angle * nz;
      return;
    }
    case 'helical': {
      const angle = angleOf(X[x + 1] - X[x + 3], X[x] + X[x + 4]);
      // Of all angles that look alike, the one that fits the advance.
      const turns = Math.round((out[o + 5] / joint.pitch - angle) / (2 * Math.PI));
      out[o] = zy;
      out[o + 1] = -zx;
      out[o + 2] = angle + (Number.isFinite(turns) ? 2 * Math.PI * turns : 0);
      return;
    }
    default:
      // b turned by theta against a: z of a appears at z - theta x z.
      out[o] = zy;
      out[o + 1] = -zx;
      out[o + 2] = 0;
  }
}

/** Rotation vector of b against a, from E (a to b coordinates): the axis of E^T, in coordinates that both frames share. */
function setRotationVector(out: Float64Array, o: number, X: Float64Array, x: number): void {
  const [ax, ay, az] = [X[x + 5] - X[x + 7], X[x + 6] - X[x + 2], X[x + 1] - X[x + 3]];
  const sine = Math.hypot(ax, ay, az) / 2;
  const cosine = (X[x] + X[x + 4] + X[x + 8] - 1) / 2;
  const angle = angleOf(sine, cosine);
  if (sine <= 1e-9 && cosine < 0) {
    // Half a turn about n: E = 2 n n^T - 1, whose largest column of E + 1 is along n.
    const d = X[x] >= X[x + 4] && X[x] >= X[x + 8] ? 0 : X[x + 4] >= X[x + 8] ? 1 : 2;
    const length = Math.sqrt(2 * (X[x + 4 * d] + 1));
    for (let row = 0; row < 3; row++) out[o + row] = (angle * (X[x + 3 * row + d] + (row === d ? 1 : 0))) / length;
    return;
  }
  const k = sine > 1e-9 ? angle / (2 * sine) : 0.5;
  out[o] = k * ax;
  out[o + 1] = k * ay;
  out[o + 2] = k * az;
}
