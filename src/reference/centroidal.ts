// The centroidal momentum matrix: A_G with [angular momentum about the centre of mass, linear momentum] = A_G v, ground axes.
//
//   inwards   I^c of the parent += I^c of the link, all in ground coordinates at the ground's origin
//   columns   F = I^c S there; about the centre of mass c:  [n - c x f, f]
//
// Only bodies that can move count: links that are welded to the ground have no momentum, and no part in c.

import type { Tree } from '../mechanism/tree.js';
import { addInertiaToA, INERTIA, inertiaTimes, motionToA, TRANSFORM } from '../spatial/spatial.js';
import { createKinematics, type KinematicsScratch, poses } from './kinematics.js';

export interface CentroidalScratch {
  readonly kinematics: KinematicsScratch;
  /** (n + 1) x 10: composite inertias, ground frame; what can move as a whole first. */
  readonly composite: Float64Array;
  /** 1 for each link that can move. */
  readonly moves: Uint8Array;
  /** 12: a motion and a force. */
  readonly work: Float64Array;
}

export function createCentroidal(tree: Tree): CentroidalScratch {
  const { n, parent, dof } = tree;
  const moves = new Uint8Array(n);
  for (let i = 0; i < n; i++) moves[i] = dof[i + 1] > dof[i] || (parent[i] >= 0 && moves[parent[i]] === 1) ? 1 : 0;
  return {
    kinematics: createKinematics(tree),
    composite: new Float64Array(INERTIA * (n + 1)),
    moves,
    work: new Float64Array(12),
  };
}

/** A <- the matrix, 6 x nv, row major, columns in the order of v. */
export function centroidal(tree: Tree, scratch: CentroidalScratch, A: Float64Array, q: Float64Array): void {
  const { kinematics, composite, moves, work } = scratch;
  const { n, parent, inertia, dof, iv } = tree;
  poses(tree, kinematics, q);
  const { pose, S } = kinematics;
  composite.fill(0);
  for (let i = n - 1; i >= 0; i--) {
    if (moves[i] === 0) continue;
    const own = INERTIA * (i + 1);
    addInertiaToA(composite, own, pose, TRANSFORM * i, inertia, INERTIA * i);
    const above = parent[i] >= 0 && moves[parent[i]] === 1 ? INERTIA * (parent[i] + 1) : 0;
    for (let k = 0; k < INERTIA; k++) composite[above + k] += composite[own + k];
  }
  const [mass, hx, hy, hz] = composite;
  const scale = mass > 0 ? 1 / mass : 0;
  const [cx, cy, cz] = [scale * hx, scale * hy, scale * hz];
  const nv = dof[n];
  for (let i = 0; i < n; i++)
    for (let k = dof[i]; k < dof[i + 1]; k++) {
      motionToA(work, 0, pose, TRANSFORM * i, S, 6 * k);
      inertiaTimes(work, 6, composite, INERTIA * (i + 1), work, 0);
      const [fx, fy, fz] = [work[9], work[10], work[11]];
      work[6] -= cy * fz - cz * fy;
      work[7] -= cz * fx - cx * fz;
      work[8] -= cx * fy - cy * fx;
      for (let row = 0; row < 6; row++) A[row * nv + iv[i] + k - dof[i]] = work[6 + row];
    }
}
