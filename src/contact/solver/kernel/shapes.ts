// Shapes that follow their links, and pairs of them that may touch within a step.

import {
  type f64,
  type i32,
  SHAPE_BOUNDS,
  SHAPE_LINK,
  SHAPE_MARGIN,
  SHAPE_PAIR_MARGIN,
  SHAPE_PAIRS,
  SHAPE_PLACEMENT,
  SHAPE_POSE,
  SHAPE_REACH,
  SHAPES,
} from './layout.js';
import { ENDLESS, sweepShapes } from './sweep.js';

/** Poses of the shapes from number `from` to before `to`, where their links are. */
export function followShapes(F: Float64Array, N: Int32Array, B: i32, from: i32, to: i32): void {
  for (let i = from; i < to; i++) {
    const A = N[N[B + SHAPE_LINK] + 3 * i];
    if (A >= 0) composePoses(F, N[B + SHAPE_POSE] + 12 * i, N[B + SHAPE_PLACEMENT] + 12 * i, A);
  }
}

/**
 * Pairs that may touch within a step of length h, shapes at their poses; how many, as sweepShapes. `near`: what is this near is
 * looked at even where nothing moves; `drop`: what gravity adds to speeds within the step.
 */
export function findPairs(F: Float64Array, N: Int32Array, B: i32, h: f64, near: f64, drop: f64): i32 {
  // Against the mean velocity of all shapes: what flies together need not look far.
  const shapes = N[B + SHAPES];
  const out = N[B + SHAPE_BOUNDS];
  let cx: f64 = 0;
  let cy: f64 = 0;
  let cz: f64 = 0;
  for (let i = 0; i < shapes; i++) {
    const o = out + 6 * i;
    const link = N[B + SHAPE_LINK] + 3 * i;
    for (let k = 0; k < 4; k++) F[o + k] = 0;
    if (N[link] < 0) continue;
    const V = N[link + 1];
    const P = N[link + 2];
    const X = N[B + SHAPE_POSE] + 12 * i + 9;
    const x = F[X] - F[P];
    const y = F[X + 1] - F[P + 1];
    const z = F[X + 2] - F[P + 2];
    F[o] = F[V + 3] + F[V + 1] * z - F[V + 2] * y;
    F[o + 1] = F[V + 4] + F[V + 2] * x - F[V] * z;
    F[o + 2] = F[V + 5] + F[V] * y - F[V + 1] * x;
    cx += F[o];
    cy += F[o + 1];
    cz += F[o + 2];
    const turn = F[V] * F[V] + F[V + 1] * F[V + 1] + F[V + 2] * F[V + 2];
    // What does not turn may have no end.
    if (turn > 0) F[o + 3] = Math.sqrt(turn) * F[N[B + SHAPE_REACH] + i];
  }
  const part: f64 = 1 / shapes;
  for (let i = 0; i < shapes; i++) {
    const o = out + 6 * i;
    const x = F[o] - part * cx;
    const y = F[o + 1] - part * cy;
    const z = F[o + 2] - part * cz;
    F[N[B + SHAPE_MARGIN] + i] = 0.5 * near + h * (Math.sqrt(x * x + y * y + z * z) + F[o + 3] + drop);
  }
  return sweepShapes(F, N, B);
}

/** PAIR_MARGIN of the pairs found, by how fast the shapes move against each other; those too far for it are dropped. How many are left. */
export function keepNear(F: Float64Array, N: Int32Array, B: i32, count: i32, h: f64, near: f64, drop: f64): i32 {
  const pairs = N[B + SHAPE_PAIRS];
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const a = N[pairs + 2 * k];
    const b = N[pairs + 2 * k + 1];
    const margin = pairMargin(F, N, B, a, b, h, near, drop);
    if (margin < 0 || boxesApart(F, N, B, a, b) > margin) continue;
    N[pairs + 2 * kept] = a;
    N[pairs + 2 * kept + 1] = b;
    F[N[B + SHAPE_PAIR_MARGIN] + kept] = margin;
    kept++;
  }
  return kept;
}

/** How far apart the boxes of two shapes are, those without their margins, along the axis on which they are farthest; -1: a plane. */
function boxesApart(F: Float64Array, N: Int32Array, B: i32, a: i32, b: i32): f64 {
  if (F[N[B + SHAPE_REACH] + a] > ENDLESS || F[N[B + SHAPE_REACH] + b] > ENDLESS) return -1;
  const x = N[B + SHAPE_BOUNDS] + 6 * a;
  const y = N[B + SHAPE_BOUNDS] + 6 * b;
  let apart: f64 = -1e300;
  for (let k = 0; k < 3; k++) apart = Math.max(apart, Math.max(F[x + k] - F[y + 3 + k], F[y + k] - F[x + 3 + k]));
  return apart + F[N[B + SHAPE_MARGIN] + a] + F[N[B + SHAPE_MARGIN] + b];
}

/** How far apart two shapes are still looked at; -1 where they are farther. */
export function pairMargin(F: Float64Array, N: Int32Array, B: i32, a: i32, b: i32, h: f64, near: f64, drop: f64): f64 {
  const ra = F[N[B + SHAPE_REACH] + a];
  const rb = F[N[B + SHAPE_REACH] + b];
  // About the centre of the smaller one, which both must reach to touch.
  let smaller = b;
  if (ra <= rb) smaller = a;
  const margin = near + h * (speedAt(F, N, B, smaller, a, b) + 2 * drop);
  const A = N[B + SHAPE_POSE] + 12 * a;
  const X = N[B + SHAPE_POSE] + 12 * b;
  const x = F[A + 9] - F[X + 9];
  const y = F[A + 10] - F[X + 10];
  const z = F[A + 11] - F[X + 11];
  const far = ra + rb + margin;
  if (x * x + y * y + z * z > far * far) return -1;
  return margin;
}

/** The fastest that points of shape a move against shape b within the reach of shape `at` about its centre. */
function speedAt(F: Float64Array, N: Int32Array, B: i32, at: i32, a: i32, b: i32): f64 {
  const X = N[B + SHAPE_POSE] + 12 * at + 9;
  let wx: f64 = 0;
  let wy: f64 = 0;
  let wz: f64 = 0;
  let vx: f64 = 0;
  let vy: f64 = 0;
  let vz: f64 = 0;
  let link = N[B + SHAPE_LINK] + 3 * a;
  let sign: f64 = 1;
  for (let side = 0; side < 2; side++) {
    if (N[link] >= 0) {
      const V = N[link + 1];
      const P = N[link + 2];
      const x = F[X] - F[P];
      const y = F[X + 1] - F[P + 1];
      const z = F[X + 2] - F[P + 2];
      wx += sign * F[V];
      wy += sign * F[V + 1];
      wz += sign * F[V + 2];
      vx += sign * (F[V + 3] + F[V + 1] * z - F[V + 2] * y);
      vy += sign * (F[V + 4] + F[V + 2] * x - F[V] * z);
      vz += sign * (F[V + 5] + F[V] * y - F[V + 1] * x);
    }
    link = N[B + SHAPE_LINK] + 3 * b;
    sign = -1;
  }
  const speed = Math.sqrt(vx * vx + vy * vy + vz * vz);
  const turn = Math.sqrt(wx * wx + wy * wy + wz * wz);
  // What does not turn may have no end.
  if (turn === 0) return speed;
  return speed + turn * F[N[B + SHAPE_REACH] + at];
}

/** out <- X2 after X1: rotation E2 E1 (9 numbers), origin r1 + E1^T r2 (3). */
function composePoses(F: Float64Array, out: i32, X2: i32, X1: i32): void {
  const e0 = F[X1];
  const e1 = F[X1 + 1];
  const e2 = F[X1 + 2];
  const e3 = F[X1 + 3];
  const e4 = F[X1 + 4];
  const e5 = F[X1 + 5];
  const e6 = F[X1 + 6];
  const e7 = F[X1 + 7];
  const e8 = F[X1 + 8];
  const x = F[X2 + 9];
  const y = F[X2 + 10];
  const z = F[X2 + 11];
  for (let i = 0; i < 9; i += 3) {
    const a = F[X2 + i];
    const b = F[X2 + i + 1];
    const c = F[X2 + i + 2];
    F[out + i] = a * e0 + b * e3 + c * e6;
    F[out + i + 1] = a * e1 + b * e4 + c * e7;
    F[out + i + 2] = a * e2 + b * e5 + c * e8;
  }
  F[out + 9] = F[X1 + 9] + e0 * x + e3 * y + e6 * z;
  F[out + 10] = F[X1 + 10] + e1 * x + e4 * y + e7 * z;
  F[out + 11] = F[X1 + 11] + e2 * x + e5 * y + e8 * z;
}
