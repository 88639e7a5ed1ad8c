// M^-1 of every link for the printed form. In closed form from the centre of mass c: with A the inverse of the rotational
// inertia there and C = [c x],
//
//   M^-1 = [A, -A C; C A, 1 / m - C A C].
//
// General elimination would lose the digits in which m c^2 exceeds the inertia about the centre of mass: for links of a
// millionth of the mass at the same density, qdd was then off by a tenth instead of 1e-4 (docs/ada.md).

import type { Tree } from '../../mechanism/tree.js';
import { BLOCK } from '../../spatial/blocks.js';
import { apply, determinant, type Mat3, multiply, subtract, transpose, type Vec3 } from '../../spatial/matrix3.js';
import { TRANSFORM } from '../../spatial/spatial.js';

/** out <- n x 36: M^-1 in link frames, where it is constant. Returns -1 or the first link that has none. */
export function invertInertias(tree: Tree, out: Float64Array): number {
  for (let i = 0; i < tree.n; i++) {
    const { mass, com, inertia } = tree.mechanism.bodies[tree.body[i]];
    const size = determinant(inertia);
    if (!(mass > 0 && size > 0)) return i;
    const offset = Array.from(tree.offset.subarray(TRANSFORM * i, TRANSFORM * (i + 1)));
    const E = offset.slice(0, 9) as unknown as Mat3;
    const [x, y, z] = apply(E, subtract(com, offset.slice(9) as unknown as Vec3));
    const A = multiply(multiply(E, inverseOf(inertia, size)), transpose(E));
    const C: Mat3 = [0, -z, y, z, 0, -x, -y, x, 0];
    const AC = multiply(A, C);
    const CA = multiply(C, A);
    const CAC = multiply(C, AC);
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++) {
        const at = BLOCK * i + 6 * r + c;
        out[at] = A[3 * r + c];
        out[at + 3] = -AC[3 * r + c];
        out[at + 18] = CA[3 * r + c];
        out[at + 21] = (r === c ? 1 / mass : 0) - CAC[3 * r + c];
      }
  }
  return -1;
}

/** Inverse of a symmetric matrix of the given determinant. */
function inverseOf([xx, xy, xz, , yy, yz, , , zz]: Mat3, size: number): Mat3 {
  const [a, b, c] = [(yy * zz - yz * yz) / size, (xz * yz - xy * zz) / size, (xy * yz - xz * yy) / size];
  const [d, e, f] = [(xx * zz - xz * xz) / size, (xy * xz - xx * yz) / size, (xx * yy - xy * xy) / size];
  return [a, b, c, b, d, e, c, e, f];
}
