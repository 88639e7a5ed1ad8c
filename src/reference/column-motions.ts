// The motion that each degree of freedom gives what it carries, in ground coordinates at the ground's origin, and how it
// changes with time and with positions. With v and a the velocity and acceleration of what a degree of freedom moves
// against (Singh, Russo and Wensing 2022; m x n is the cross product of motions):
//
//   S               its column of all Jacobians
//   Psi1 = v x S    what a unit of it, as a displacement, adds to the velocities beyond it, less their being carried along
//   Psi2 = a x S + v x Psi1        the same for accelerations
//   dS/dt = v' x S, with v' the velocity of what it carries
//
// Universal, planar and cylindrical joints are taken for two or three joints in turn, with nothing between. Spherical and
// floating joints move in all their degrees of freedom at once: v and a are then those of the parent.

import { JOINT_TYPES } from '../joints/index.js';
import type { Tree } from '../mechanism/tree.js';
import { addCrossMotion, motionToA, TRANSFORM } from '../spatial/spatial.js';
import { createKinematics, type KinematicsScratch, poses } from './kinematics.js';

/** All motions of six numbers, ground coordinates; those of degrees of freedom in link order. */
export interface ColumnScratch {
  readonly kinematics: KinematicsScratch;
  readonly S: Float64Array;
  readonly rate: Float64Array;
  readonly psi1: Float64Array;
  readonly psi2: Float64Array;
  /** (n + 1) x 6, the ground first: velocities, and accelerations with gravity taken off. */
  readonly v: Float64Array;
  readonly a: Float64Array;
  readonly work: Float64Array;
}

export function createColumns(tree: Tree): ColumnScratch {
  const numbers = 6 * tree.dof[tree.n];
  return {
    kinematics: createKinematics(tree),
    S: new Float64Array(numbers),
    rate: new Float64Array(numbers),
    psi1: new Float64Array(numbers),
    psi2: new Float64Array(numbers),
    v: new Float64Array(6 * (tree.n + 1)),
    a: new Float64Array(6 * (tree.n + 1)),
    work: new Float64Array(12),
  };
}

/** Whether all degrees of freedom of a joint move at once, its motion space being fixed in the body. */
export const movesAtOnce = (name: string): boolean => name === 'spherical' || name === 'floating';

/** `qdd`: null where there is none. `gravity`: whether accelerations are less gravity. */
export function columnMotions(
  tree: Tree,
  scratch: ColumnScratch,
  q: Float64Array,
  qd: Float64Array,
  qdd: Float64Array | null,
  gravity: boolean,
): void {
  const { kinematics, S, rate, psi1, psi2, v, a, work } = scratch;
  poses(tree, kinematics, q);
  v.fill(0, 0, 6);
  a.fill(0, 0, 6);
  if (gravity) for (let k = 0; k < 3; k++) a[3 + k] = -tree.gravity[k];
  for (let i = 0; i < tree.n; i++) {
    const own = 6 * (i + 1);
    const parent = 6 * (tree.parent[i] + 1);
    const first = tree.dof[i];
    const end = tree.dof[i + 1];
    const atOnce = movesAtOnce(JOINT_TYPES[tree.type[i]].name);
    // work: v and a of what the next degree of freedom moves against.
    for (let c = 0; c < 6; c++) {
      work[c] = v[own + c] = v[parent + c];
      work[6 + c] = a[own + c] = a[parent + c];
    }
    for (let k = first; k < end; k++) {
      const o = 6 * k;
      const at = tree.iv[i] + k - first;
      motionToA(S, o, kinematics.pose, TRANSFORM * i, kinematics.S, o);
      for (let c = o; c < o + 6; c++) psi1[c] = psi2[c] = 0;
      addCrossMotion(psi1, o, work, 0, S, o);
      addCrossMotion(psi2, o, work, 6, S, o);
      addCrossMotion(psi2, o, work, 0, psi1, o);
      for (let c = 0; c < 6; c++) {
        v[own + c] += S[o + c] * qd[at];
        a[own + c] += psi1[o + c] * qd[at] + (qdd === null ? 0 : S[o + c] * qdd[at]);
        rate[o + c] = atOnce ? 0 : psi1[o + c];
        if (atOnce) continue;
        work[c] = v[own + c];
        work[6 + c] = a[own + c];
      }
    }
    if (atOnce) for (let k = first; k < end; k++) addCrossMotion(rate, 6 * k, v, own, S, 6 * k);
  }
}
