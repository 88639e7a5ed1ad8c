// Is this rotational inertia that of a real body? Its principal moments a <= b <= c must not be negative, and a + b >= c.

import { type Mat3, multiply, symmetricEigen, transpose, type Vec3 } from '../spatial/matrix3.js';

/** Relative slack: files round their numbers, and a flat plate sits exactly on the border. */
const TOLERANCE = 1e-6;

export type InertiaFault = 'asymmetric' | 'not-positive-definite' | 'triangle-inequality';

/** What is wrong with an inertia, or undefined. Zero inertia (a point mass) is possible and passes. */
export function inertiaFault(I: Mat3): { fault: InertiaFault; moments: Vec3 } | undefined {
  const size = Math.max(...I.map(Math.abs));
  const skew = Math.max(Math.abs(I[1] - I[3]), Math.abs(I[2] - I[6]), Math.abs(I[5] - I[7]));
  const even = symmetricPart(I);
  if (skew <= TOLERANCE * size && isClearlyPossible(even)) return undefined;
  const { values: moments } = symmetricEigen(even);
  if (skew > TOLERANCE * size) return { fault: 'asymmetric', moments };
  if (moments[0] < -TOLERANCE * size) return { fault: 'not-positive-definite', moments };
  if (moments[0] + moments[1] < moments[2] * (1 - TOLERANCE)) return { fault: 'triangle-inequality', moments };
  return undefined;
}

/**
 * Second moments of mass Sigma = tr(I) / 2 - I positive definite by its leading minors: then the moments are those of a
 * real body. Most bodies pass here, and eigenvalues cost thirty times as much.
 */
function isClearlyPossible(I: Mat3): boolean {
  const half = (I[0] + I[4] + I[8]) / 2;
  const [xx, yy, zz] = [half - I[0], half - I[4], half - I[8]];
  const [xy, xz, yz] = [-I[1], -I[2], -I[5]];
  const minor = xx * yy - xy * xy;
  const determinant = zz * minor - xx * yz * yz - yy * xz * xz + 2 * xy * xz * yz;
  return xx > 0 && minor > 0 && determinant > 0;
}

/**
 * A possible inertia near an impossible one: same principal axes; the second moments of mass along them,
 * s_k = (sum of moments) / 2 - moment_k, which must not be negative, are cut off at a small positive value.
 */
export function repairedInertia(I: Mat3): Mat3 {
  const { values, vectors } = symmetricEigen(symmetricPart(I));
  const half = (values[0] + values[1] + values[2]) / 2;
  const floor = 1e-6 * Math.max(Math.abs(values[0]), Math.abs(values[2]));
  const [x, y, z] = values.map((moment) => Math.max(half - moment, floor));
  const D: Mat3 = [y + z, 0, 0, 0, x + z, 0, 0, 0, x + y];
  return symmetricPart(multiply(multiply(vectors, D), transpose(vectors)));
}

export function symmetricPart(I: Mat3): Mat3 {
  const xy = I[1] / 2 + I[3] / 2;
  const xz = I[2] / 2 + I[6] / 2;
  const yz = I[5] / 2 + I[7] / 2;
  return [I[0], xy, xz, xy, I[4], yz, xz, yz, I[8]];
}
