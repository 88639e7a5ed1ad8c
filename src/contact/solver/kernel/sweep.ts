// Which shapes can touch: boxes along the axes, sorted along the axis on which they are spread most, swept once (sweep and prune).
// The order of the boxes is kept from call to call, since little changes in a step. The pairs come sorted by (a, b), so that they
// do not depend on it.

import {
  type f64,
  type i32,
  SHAPE_ALLOWED,
  SHAPE_BOUNDED,
  SHAPE_BOUNDS,
  SHAPE_BOX,
  SHAPE_CAPACITY,
  SHAPE_FIRST,
  SHAPE_MARGIN,
  SHAPE_NEXT,
  SHAPE_ORDER,
  SHAPE_OTHER,
  SHAPE_PAIRS,
  SHAPE_POSE,
  SHAPE_REACH,
  SHAPES,
} from './layout.js';

/** Shapes that reach farther are planes. */
export const ENDLESS = 1e300;

/** PAIRS of shapes at their poses; gives how many there are, of which no more than CAPACITY are kept. */
export function sweepShapes(F: Float64Array, N: Int32Array, B: i32): i32 {
  const shapes = N[B + SHAPES];
  const bounded = N[B + SHAPE_BOUNDED];
  const first = N[B + SHAPE_FIRST];
  for (let i = 0; i < shapes; i++) N[first + i] = -1;
  for (let i = 0; i < bounded; i++) bound(F, N, B, N[N[B + SHAPE_ORDER] + i]);
  let count = sweep(F, N, B, sortAlongAxis(F, N, B));
  for (let k = bounded; k < shapes; k++) count = addOnPlane(F, N, B, N[N[B + SHAPE_ORDER] + k], count);
  if (count > N[B + SHAPE_CAPACITY]) return count;
  let at = N[B + SHAPE_PAIRS];
  for (let a = 0; a < shapes; a++)
    for (let e = N[first + a]; e >= 0; e = N[N[B + SHAPE_NEXT] + e]) {
      N[at] = a;
      N[at + 1] = N[N[B + SHAPE_OTHER] + e];
      at += 2;
    }
  return count;
}

/** Box of a shape along the axes of the ground. */
function bound(F: Float64Array, N: Int32Array, B: i32, i: i32): void {
  const X = N[B + SHAPE_POSE] + 12 * i;
  const box = N[B + SHAPE_BOX] + 7 * i;
  const out = N[B + SHAPE_BOUNDS] + 6 * i;
  const far = F[box + 6] + F[N[B + SHAPE_MARGIN] + i];
  for (let k = 0; k < 3; k++) {
    // Row k of the rotation shape to ground.
    const x = F[X + k];
    const y = F[X + 3 + k];
    const z = F[X + 6 + k];
    const middle = F[X + 9 + k] + x * F[box] + y * F[box + 1] + z * F[box + 2];
    const half = Math.abs(x) * F[box + 3] + Math.abs(y) * F[box + 4] + Math.abs(z) * F[box + 5] + far;
    F[out + k] = middle - half;
    F[out + 3 + k] = middle + half;
  }
}

/** Sorts the order along the axis of largest spread, and gives that. */
function sortAlongAxis(F: Float64Array, N: Int32Array, B: i32): i32 {
  const bounded = N[B + SHAPE_BOUNDED];
  const order = N[B + SHAPE_ORDER];
  const bounds = N[B + SHAPE_BOUNDS];
  let axis = 0;
  let most: f64 = -1;
  for (let k = 0; k < 3; k++) {
    let sum: f64 = 0;
    let squares: f64 = 0;
    for (let i = 0; i < bounded; i++) {
      const o = bounds + 6 * N[order + i] + k;
      const middle = F[o] + F[o + 3];
      sum += middle;
      squares += middle * middle;
    }
    const spread = squares - (sum * sum) / bounded;
    if (spread > most) {
      most = spread;
      axis = k;
    }
  }
  // Insertion: almost sorted since the last call.
  for (let i = 1; i < bounded; i++) {
    const moved = N[order + i];
    const least = F[bounds + 6 * moved + axis];
    let j = i - 1;
    while (j >= 0) {
      const other = F[bounds + 6 * N[order + j] + axis];
      if (other < least || (other === least && N[order + j] < moved)) break;
      N[order + j + 1] = N[order + j];
      j--;
    }
    N[order + j + 1] = moved;
  }
  return axis;
}

/** Pairs of boxes that overlap; how many. */
function sweep(F: Float64Array, N: Int32Array, B: i32, axis: i32): i32 {
  const bounded = N[B + SHAPE_BOUNDED];
  const order = N[B + SHAPE_ORDER];
  const bounds = N[B + SHAPE_BOUNDS];
  let y = axis + 1;
  if (y === 3) y = 0;
  let z = y + 1;
  if (z === 3) z = 0;
  let count = 0;
  for (let i = 0; i < bounded; i++) {
    const a = bounds + 6 * N[order + i];
    const end = F[a + 3 + axis];
    const ly = F[a + y];
    const my = F[a + 3 + y];
    const lz = F[a + z];
    const mz = F[a + 3 + z];
    for (let j = i + 1; j < bounded; j++) {
      const b = bounds + 6 * N[order + j];
      if (F[b + axis] > end) break;
      if (ly <= F[b + 3 + y] && F[b + y] <= my && lz <= F[b + 3 + z] && F[b + z] <= mz)
        count = addPair(N, B, N[order + i], N[order + j], count);
    }
  }
  return count;
}

/** Shapes whose box reaches a plane: n (middle) - |n| half <= 0, from the plane. */
function addOnPlane(F: Float64Array, N: Int32Array, B: i32, plane: i32, before: i32): i32 {
  const X = N[B + SHAPE_POSE] + 12 * plane;
  const nx = F[X + 6];
  const ny = F[X + 7];
  const nz = F[X + 8];
  const level = nx * F[X + 9] + ny * F[X + 10] + nz * F[X + 11] + F[N[B + SHAPE_MARGIN] + plane];
  let count = before;
  // From the last one on: each then comes first in its list.
  for (let i = N[B + SHAPES] - 1; i >= 0; i--) {
    if (F[N[B + SHAPE_REACH] + i] > ENDLESS) continue;
    const b = N[B + SHAPE_BOUNDS] + 6 * i;
    let x = F[b + 3];
    let y = F[b + 4];
    let z = F[b + 5];
    if (nx > 0) x = F[b];
    if (ny > 0) y = F[b + 1];
    if (nz > 0) z = F[b + 2];
    if (nx * x + ny * y + nz * z <= level) count = addPair(N, B, plane, i, count);
  }
  return count;
}

/** Into the list of the smaller number, sorted by the larger one. */
function addPair(N: Int32Array, B: i32, i: i32, j: i32, count: i32): i32 {
  let a = i;
  let b = j;
  if (j < i) {
    a = j;
    b = i;
  }
  const bit = a * N[B + SHAPES] + b;
  if ((N[N[B + SHAPE_ALLOWED] + (bit >> 5)] & (1 << (bit & 31))) === 0) return count;
  if (count >= N[B + SHAPE_CAPACITY]) return count + 1;
  const next = N[B + SHAPE_NEXT];
  const other = N[B + SHAPE_OTHER];
  let at = N[B + SHAPE_FIRST] + a;
  while (N[at] >= 0 && N[other + N[at]] < b) at = next + N[at];
  N[next + count] = N[at];
  N[other + count] = b;
  N[at] = count;
  return count + 1;
}
