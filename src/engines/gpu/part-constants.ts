// The numbers of links that do not change, as the kernels read them, and what these say about how to assemble them.

import { PARAMETERS } from '../../joints/index.js';
import { INERTIA, ORIGIN, TRANSFORM } from '../../spatial/spatial.js';
import type { MovingLinks } from './moving-links.js';
import { CONSTANTS } from './part-layout.js';

export interface PackedConstants {
  readonly constants: Float32Array;
  /**
   * How unlike its neighbours each link is: its largest answer to forces at its joints, over the smallest of theirs. Errors
   * of a part in which it is inverted grow with it. Infinite where a link lacks inertia.
   */
  readonly unlikeness: Float64Array;
}

/** Less than this part of the largest moment of inertia counts as none: in 32 bits no more than rounding. */
const NO_INERTIA = 1e-6;

/** `large`: with the numbers that only some joints need. */
export function packConstants(links: MovingLinks, large: boolean): PackedConstants {
  const { n, X, inertia, parameters, armature } = links;
  const constants = new Float32Array((large ? CONSTANTS.largeSize : CONSTANTS.size) * n);
  const put = (field: number, i: number, values: ArrayLike<number>): void => {
    for (let k = 0; k < values.length; k++) constants[(field + k) * n + i] = values[k];
  };
  const { heaviest, reach } = surroundings(links);
  const unlikeness = new Float64Array(n).fill(Infinity);
  for (let i = 0; i < n; i++) {
    put(CONSTANTS.rotation, i, quaternionOf(X.subarray(TRANSFORM * i, TRANSFORM * i + 9)));
    const [m, , , , xx, xy, xz, yy, yz, zz] = inertia.subarray(INERTIA * i, INERTIA * (i + 1));
    const [cx, cy, cz] = centreOf(inertia, i);
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
    put(CONSTANTS.mass, i, [m]);
    put(CONSTANTS.com, i, [cx, cy, cz]);
    put(CONSTANTS.inertia, i, I);
    if (large) {
      put(CONSTANTS.parameters, i, parameters.subarray(PARAMETERS * i, PARAMETERS * (i + 1)));
      put(CONSTANTS.gear, i, [Math.sqrt(armature[i])]);
    }
    const inverse = inverseSymmetric(I);
    // One over the largest entry of the inverse is about the smallest moment.
    if (!(m > 0) || inverse === undefined || !(largest(I) * largest(inverse) < 1 / NO_INERTIA)) continue;
    put(CONSTANTS.inverseMass, i, [1 / m]);
    put(CONSTANTS.inverseInertia, i, inverse);
    unlikeness[i] = heaviest[i] * (1 / m + reach[i] * largest(inverse));
  }
  return { constants, unlikeness };
}

function centreOf(inertia: Float64Array, i: number): readonly [number, number, number] {
  const [m, x, y, z] = inertia.subarray(INERTIA * i, INERTIA * i + 4);
  return m > 0 ? [x / m, y / m, z / m] : [0, 0, 0];
}

/** For each link the largest mass of it, its parent and its children, and the squared distance of its farthest joint. */
function surroundings({ n, parent, inertia, X }: MovingLinks): { heaviest: Float64Array; reach: Float64Array } {
  const heaviest = Float64Array.from({ length: n }, (_, i) => inertia[INERTIA * i]);
  const reach = Float64Array.from({ length: n }, (_, i) => centreOf(inertia, i).reduce((sum, x) => sum + x * x, 0));
  for (let i = 0; i < n; i++) {
    const p = parent[i];
    if (p < 0) continue;
    heaviest[i] = Math.max(heaviest[i], inertia[INERTIA * p]);
    heaviest[p] = Math.max(heaviest[p], inertia[INERTIA * i]);
    const away = centreOf(inertia, p).reduce((sum, x, k) => sum + (X[TRANSFORM * i + ORIGIN + k] - x) ** 2, 0);
    reach[p] = Math.max(reach[p], away);
  }
  return { heaviest, reach };
}

/** Largest entry on the diagonal. */
const largest = ([xx, , , yy, , zz]: readonly number[]): number => Math.max(xx, yy, zz);

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
