// The numbers of bodies that do not change, as the kernels of part-kernels.ts read them.

import type { Tree } from '../mechanism/tree.js';
import { INERTIA, TRANSFORM } from '../spatial/spatial.js';
import { GpuError } from './errors.js';
import { CONSTANTS } from './part-kernels.js';

export function packConstants({ n, X, inertia, mechanism, body }: Tree): Float32Array {
  const out = new Float32Array(CONSTANTS.size * n);
  const put = (field: number, i: number, values: readonly number[]): void =>
    values.forEach((value, k) => {
      out[(field + k) * n + i] = value;
    });
  for (let i = 0; i < n; i++) {
    put(CONSTANTS.rotation, i, quaternionOf(X.subarray(TRANSFORM * i, TRANSFORM * i + 9)));
    const [m, hx, hy, hz, xx, xy, xz, yy, yz, zz] = inertia.subarray(INERTIA * i, INERTIA * (i + 1));
    const [cx, cy, cz] = [hx / m, hy / m, hz / m];
    const cc = cx * cx + cy * cy + cz * cz;
    // About the centre of mass.
    const I = [
      xx - m * (cc - cx * cx),
      xy + m * cx * cy,
      xz + m * cx * cz,
      yy - m * (cc - cy * cy),
      yz + m * cy * cz,
      zz - m * (cc - cz * cz),
    ];
    const inverse = inverseSymmetric(I);
    if (!(m > 0) || inverse === undefined)
      throw new GpuError(
        'mechanism',
        `Body "${mechanism.bodies[body[i]].name}" has no mass or no inertia: every body needs both to be assembled on the GPU.`,
      );
    put(CONSTANTS.mass, i, [m]);
    put(CONSTANTS.inverseMass, i, [1 / m]);
    put(CONSTANTS.com, i, [cx, cy, cz]);
    put(CONSTANTS.inertia, i, I);
    put(CONSTANTS.inverseInertia, i, inverse);
  }
  return out;
}

/** Of the rotation from link to parent coordinates, E^T: the sense in which orientations are composed. */
function quaternionOf(E: Float64Array): number[] {
  // R = E^T: R_ij = E_ji.
  const R = (i: number, j: number): number => E[3 * j + i];
  const trace = R(0, 0) + R(1, 1) + R(2, 2);
  if (trace > 0) {
    const s = 2 * Math.sqrt(1 + trace);
    return [s / 4, (R(2, 1) - R(1, 2)) / s, (R(0, 2) - R(2, 0)) / s, (R(1, 0) - R(0, 1)) / s];
  }
  const i = R(0, 0) > R(1, 1) && R(0, 0) > R(2, 2) ? 0 : R(1, 1) > R(2, 2) ? 1 : 2;
  const [j, k] = [(i + 1) % 3, (i + 2) % 3];
  const s = 2 * Math.sqrt(1 + R(i, i) - R(j, j) - R(k, k));
  const q = [(R(k, j) - R(j, k)) / s, 0, 0, 0];
  q[1 + i] = s / 4;
  q[1 + j] = (R(j, i) + R(i, j)) / s;
  q[1 + k] = (R(k, i) + R(i, k)) / s;
  return q;
}

function inverseSymmetric([a, b, c, d, e, f]: readonly number[]): number[] | undefined {
  const C = [d * f - e * e, c * e - b * f, b * e - c * d, a * f - c * c, b * c - a * e, a * d - b * b];
  const det = a * C[0] + b * C[1] + c * C[2];
  return det > 0 ? C.map((x) => x / det) : undefined;
}
