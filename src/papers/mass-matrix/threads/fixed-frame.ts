// V C R-B on plain arrays, cut in two: what is O(n), done by one thread, and the columns, O(n^2), which any number of
// threads can share, since each column is computed by itself. Same bits whoever computes it.
//
//   prepare   poses of the links; moments of the composite bodies in body frames; then for each degree of freedom, in the
//             frame of the ground: Z, Y (its motion), f, n (force and moment at its own origin that unit acceleration of
//             it takes), P (its origin from that of the degree of freedom above it)
//   column k  up the degrees of freedom l above k:  n <- n + P x f,  H_kl = Z_l . n + Y_l . f
//
// Degrees of freedom stand one above the other as in dofParents: those of one joint, with P = 0, then the next joint's.

import { dofPositions } from '../../../engines/plain/dense.js';
import type { Tree } from '../../../mechanism/tree.js';
import { dofParents } from '../../../reference/crba.js';
import { createKinematics, type KinematicsScratch, poses } from '../../../reference/kinematics.js';
import { addInertiaToA, INERTIA, inertiaTimes, rotateBack, TRANSFORM } from '../../../spatial/spatial.js';

/** What the columns need: plain arrays that threads can share. */
export interface Columns {
  /** Rows of the matrix. */
  readonly nv: number;
  /** Next degree of freedom towards the root, -1 for none; link order. */
  readonly above: Int32Array;
  /** Row in v of each degree of freedom. */
  readonly at: Int32Array;
  /** nv x 6: Z and P, together since every column above reads them. */
  readonly ZP: Float64Array;
  /** nv x 3: Y; and 1 where it vanishes. */
  readonly Y: Float64Array;
  readonly turning: Uint8Array;
  /** nv x 6: n and f. */
  readonly force: Float64Array;
  /** Rotor inertia of each degree of freedom, link order. */
  readonly armature: Float64Array;
  /** nv x nv, row major, in the order of v. The result; zero where two degrees of freedom are on different branches. */
  readonly H: Float64Array;
}

export interface Preparation extends KinematicsScratch {
  readonly composite: Float64Array;
  /** 6: one force, link coordinates. */
  readonly F: Float64Array;
  /** Link of each degree of freedom. */
  readonly linkOf: Int32Array;
}

/** Arrays in memory that threads can share, or in ordinary memory. */
export function createColumns(tree: Tree, shared: boolean): Columns {
  const nv = tree.dof[tree.n];
  const memory = (bytes: number): ArrayBuffer =>
    shared ? (new SharedArrayBuffer(bytes) as unknown as ArrayBuffer) : new ArrayBuffer(bytes);
  const above = new Int32Array(memory(4 * nv));
  above.set(dofParents(tree));
  const at = new Int32Array(memory(4 * nv));
  at.set(dofPositions(tree));
  const armature = new Float64Array(memory(8 * nv));
  at.forEach((row, k) => {
    armature[k] = tree.armature[row];
  });
  return {
    nv,
    above,
    at,
    turning: new Uint8Array(memory(nv)),
    ZP: new Float64Array(memory(8 * nv * 6)),
    Y: new Float64Array(memory(8 * nv * 3)),
    force: new Float64Array(memory(8 * nv * 6)),
    armature,
    H: new Float64Array(memory(8 * nv * nv)),
  };
}

export function createPreparation(tree: Tree): Preparation {
  const linkOf = new Int32Array(tree.dof[tree.n]);
  for (let i = 0; i < tree.n; i++) linkOf.fill(i, tree.dof[i], tree.dof[i + 1]);
  return {
    ...createKinematics(tree),
    composite: new Float64Array(tree.n * INERTIA),
    F: new Float64Array(6),
    linkOf,
  };
}

/** columns <- everything the columns need, at q. */
export function prepare(tree: Tree, scratch: Preparation, columns: Columns, q: Float64Array): void {
  poses(tree, scratch, q);
  const { n, parent, dof, inertia } = tree;
  const { X, S, pose, composite, F, linkOf } = scratch;
  const { ZP, Y, turning, force, above } = columns;
  composite.set(inertia);
  for (let i = n - 1; i > 0; i--)
    if (parent[i] >= 0) addInertiaToA(composite, INERTIA * parent[i], X, TRANSFORM * i, composite, INERTIA * i);
  for (let i = 0; i < n; i++) {
    const X0 = TRANSFORM * i;
    for (let k = dof[i]; k < dof[i + 1]; k++) {
      const o = 6 * k;
      inertiaTimes(F, 0, composite, INERTIA * i, S, o);
      rotateBack(ZP, o, pose, X0, S, o);
      rotateBack(Y, 3 * k, pose, X0, S, o + 3);
      rotateBack(force, o, pose, X0, F, 0);
      rotateBack(force, o + 3, pose, X0, F, 3);
      turning[k] = S[o + 3] === 0 && S[o + 4] === 0 && S[o + 5] === 0 ? 1 : 0;
      if (above[k] < 0) continue;
      const up = TRANSFORM * linkOf[above[k]];
      ZP[o + 3] = pose[X0 + 9] - pose[up + 9];
      ZP[o + 4] = pose[X0 + 10] - pose[up + 10];
      ZP[o + 5] = pose[X0 + 11] - pose[up + 11];
    }
  }
}

/** Rows that are computed and then copied to their mirror places together: one cache line of every row above. */
const BLOCK = 8;

/** Columns first to end - 1 (link order), and their mirror images. */
export function computeColumns(columns: Columns, first: number, end: number): void {
  const { above } = columns;
  for (let start = first; start < end; ) {
    // Degrees of freedom each of which stands on the one before share all that is above the first.
    let stop = start + 1;
    while (stop < end && stop - start < BLOCK && above[stop] === stop - 1) stop++;
    let k = start;
    for (; k + 1 < stop; k += 2) computeTwo(columns, k);
    if (k < stop) computeOne(columns, k);
    mirror(columns, start, stop);
    start = stop;
  }
}

/** Row k up to its diagonal. */
function computeOne({ nv, above, at, ZP, Y, turning, force, armature, H }: Columns, k: number): void {
  const row = at[k] * nv;
  const o = 6 * k;
  let nx = force[o];
  let ny = force[o + 1];
  let nz = force[o + 2];
  const fx = force[o + 3];
  const fy = force[o + 4];
  const fz = force[o + 5];
  for (let l = k; l >= 0; l = above[l]) {
    const d = 6 * l;
    let value = ZP[d] * nx + ZP[d + 1] * ny + ZP[d + 2] * nz;
    if (turning[l] === 0) value += Y[3 * l] * fx + Y[3 * l + 1] * fy + Y[3 * l + 2] * fz;
    H[row + at[l]] = value;
    const px = ZP[d + 3];
    const py = ZP[d + 4];
    const pz = ZP[d + 5];
    nx += py * fz - pz * fy;
    ny += pz * fx - px * fz;
    nz += px * fy - py * fx;
  }
  H[row + at[k]] += armature[k];
}

/** Rows k and k + 1, the second of which stands on the first: what is above is loaded once for both. */
function computeTwo({ nv, above, at, ZP, Y, turning, force, armature, H }: Columns, k: number): void {
  const row = at[k] * nv;
  const row1 = at[k + 1] * nv;
  const o = 6 * k;
  let nx = force[o];
  let ny = force[o + 1];
  let nz = force[o + 2];
  const fx = force[o + 3];
  const fy = force[o + 4];
  const fz = force[o + 5];
  let mx = force[o + 6];
  let my = force[o + 7];
  let mz = force[o + 8];
  const gx = force[o + 9];
  const gy = force[o + 10];
  const gz = force[o + 11];
  let own = ZP[o + 6] * mx + ZP[o + 7] * my + ZP[o + 8] * mz;
  if (turning[k + 1] === 0) own += Y[3 * k + 3] * gx + Y[3 * k + 4] * gy + Y[3 * k + 5] * gz;
  H[row1 + at[k + 1]] = own + armature[k + 1];
  mx += ZP[o + 10] * gz - ZP[o + 11] * gy;
  my += ZP[o + 11] * gx - ZP[o + 9] * gz;
  mz += ZP[o + 9] * gy - ZP[o + 10] * gx;
  for (let l = k; l >= 0; l = above[l]) {
    const d = 6 * l;
    const zx = ZP[d];
    const zy = ZP[d + 1];
    const zz = ZP[d + 2];
    let value = zx * nx + zy * ny + zz * nz;
    let value1 = zx * mx + zy * my + zz * mz;
    if (turning[l] === 0) {
      value += Y[3 * l] * fx + Y[3 * l + 1] * fy + Y[3 * l + 2] * fz;
      value1 += Y[3 * l] * gx + Y[3 * l + 1] * gy + Y[3 * l + 2] * gz;
    }
    const column = at[l];
    H[row + column] = value;
    H[row1 + column] = value1;
    const px = ZP[d + 3];
    const py = ZP[d + 4];
    const pz = ZP[d + 5];
    nx += py * fz - pz * fy;
    ny += pz * fx - px * fz;
    nz += px * fy - py * fx;
    mx += py * gz - pz * gy;
    my += pz * gx - px * gz;
    mz += px * gy - py * gx;
  }
  H[row + at[k]] += armature[k];
}

/** Rows start to stop - 1, which share all that is above the first, to their mirror places, line by line. */
function mirror({ nv, above, at, H }: Columns, start: number, stop: number): void {
  for (let l = above[start]; l >= 0; l = above[l]) {
    const row = at[l] * nv;
    for (let k = start; k < stop; k++) H[row + at[k]] = H[at[k] * nv + at[l]];
  }
  for (let k = start + 1; k < stop; k++) for (let l = start; l < k; l++) H[at[l] * nv + at[k]] = H[at[k] * nv + at[l]];
}
