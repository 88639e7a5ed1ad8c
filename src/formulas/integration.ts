// Positions moved along velocities as formulas, each joint on its own manifold: the counterpart of `integrate` and
// `localRate` in src/joints over the graph. Coordinates are the author's, as they stand in memory.

import type { FormulaType } from '../plan/plan.js';
import type { Node } from './graph.js';
import type { NodeVec3, VectorGraph } from './vectors.js';

/**
 * Digits that the series of rotations are made for: 'single' (32 bits) for turns of up to 2 rad, 'double' (64 bits) for
 * turns of up to LARGEST_TURN. Beyond that they give nonsense: who moves farther at once takes src/joints.
 */
export type Precision = 'single' | 'double';

/** Radians in one move for which the series of 'double' are good to rounding. */
export const LARGEST_TURN = 3;

export interface MoveOptions {
  readonly precision: Precision;
  /** Quaternions get unit length. Not needed where only dynamics read them: they divide by |q|^2. */
  readonly normalise: boolean;
}

export const hasQuaternion = (type: FormulaType): boolean => type === 'spherical' || type === 'floating';

/** q moved along u, which is a velocity times a time. */
export function movePosition(
  g: VectorGraph,
  type: FormulaType,
  q: readonly Node[],
  u: readonly Node[],
  { precision, normalise }: MoveOptions,
): Node[] {
  if (!hasQuaternion(type)) return q.map((x, k) => g.add(x, u[k]));
  const turn: NodeVec3 = [u[0], u[1], u[2]];
  const series = rotationSeries(g, g.dot(turn, turn), precision);
  const rotated = rotate(g, q, turn, series);
  const quaternion = normalise ? unit(g, rotated) : rotated;
  if (type === 'spherical') return quaternion;
  return [...quaternion, ...moveOrigin(g, q, turn, [u[3], u[4], u[5]], series)];
}

/** The velocity v of a joint that moves by u in all, seen as a rate of u: exact to O(u^4). See JointType.localRate. */
export function localRate(g: VectorGraph, type: FormulaType, u: readonly Node[], v: readonly Node[]): Node[] {
  if (!hasQuaternion(type)) return [...v];
  // du/dt = v + u x v / 2 + u x (u x v) / 12, for floating joints with the spatial cross product.
  const [angular, linear] = halves(u);
  const times = ([w, x]: readonly [NodeVec3, NodeVec3]): readonly [NodeVec3, NodeVec3] => [
    g.cross(angular, w),
    type === 'floating' ? g.plus(g.cross(angular, x), g.cross(linear, w)) : g.zero3,
  ];
  const own = halves(v);
  const once = times(own);
  const twice = times(once);
  const [half, twelfth] = [g.constant(1 / 2), g.constant(1 / 12)];
  const rate = [0, 1].flatMap((k) => g.plus(own[k], g.plus(g.times(half, once[k]), g.times(twelfth, twice[k]))));
  return rate.slice(0, v.length);

  function halves(x: readonly Node[]): readonly [NodeVec3, NodeVec3] {
    return [[x[0], x[1], x[2]], type === 'floating' ? [x[3], x[4], x[5]] : g.zero3];
  }
}

/** The square of the angle of a move, undefined for joints without a quaternion. */
export function turnSquared(g: VectorGraph, type: FormulaType, u: readonly Node[]): Node | undefined {
  return hasQuaternion(type) ? g.dot(u.slice(0, 3), u.slice(0, 3)) : undefined;
}

/** Of the angle t: sin(t/2) / t, cos(t/2) and (t - sin t) / t^3. */
interface RotationSeries {
  readonly sine: Node;
  readonly cosine: Node;
  readonly lag: () => Node;
}

function rotationSeries(g: VectorGraph, t2: Node, precision: Precision): RotationSeries {
  if (precision === 'single')
    return {
      sine: polynomial(g, t2, [1 / 2, -1 / 48, 1 / 3840, -1 / 645120, 1 / 185794560]),
      cosine: polynomial(g, t2, [1, -1 / 8, 1 / 384, -1 / 46080, 1 / 10321920, -1 / 3715891200]),
      lag: () => polynomial(g, t2, [1 / 6, -1 / 120, 1 / 5040, -1 / 362880]),
    };
  // At an eighth of the angle few terms do; then the angle is doubled twice: sin 2x = 2 sin x cos x, cos 2x = 1 - 2 sin^2 x.
  const x2 = g.mul(t2, g.constant(1 / 64));
  let sine = g.mul(g.constant(1 / 8), polynomial(g, x2, alternating(7, 1)));
  let cosine = polynomial(g, x2, alternating(7, 0));
  for (let doubling = 0; doubling < 2; doubling++) {
    const twice = g.add(sine, sine);
    [sine, cosine] = [g.mul(twice, cosine), g.sub(g.one, g.mul(t2, g.mul(twice, sine)))];
  }
  return { sine, cosine, lag: () => polynomial(g, t2, alternating(13, 3)) };
}

/** The first terms of the series with coefficients (-1)^n / (2n + first)!. */
function alternating(terms: number, first: number): number[] {
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  return Array.from({ length: terms }, (_, n) => (-1) ** n / factorial(2 * n + first));
}

/** A polynomial in x, lowest power first. */
function polynomial(g: VectorGraph, x: Node, coefficients: readonly number[]): Node {
  return coefficients.reduceRight((sum, c) => g.add(g.constant(c), g.mul(x, sum)), g.zero);
}

/** q exp(u / 2). */
function rotate(g: VectorGraph, [w, x, y, z]: readonly Node[], u: NodeVec3, { sine, cosine }: RotationSeries): Node[] {
  const [dx, dy, dz] = g.times(sine, u);
  const dot = (a: Node, b: Node, c: Node, d: Node): Node => g.dot([w, x, y, z], [a, b, c, d]);
  return [
    dot(cosine, g.neg(dx), g.neg(dy), g.neg(dz)),
    dot(dx, cosine, dz, g.neg(dy)),
    dot(dy, g.neg(dz), cosine, dx),
    dot(dz, dy, g.neg(dx), cosine),
  ];
}

function unit(g: VectorGraph, q: readonly Node[]): Node[] {
  const scale = g.div(g.one, g.sqrt(g.dot(q, q)));
  return q.map((e) => g.mul(scale, e));
}

/** p + E^T V(u) x of the exponential map of rigid motions (src/joints/floating.ts). */
function moveOrigin(
  g: VectorGraph,
  q: readonly Node[],
  u: NodeVec3,
  x: NodeVec3,
  { sine, lag }: RotationSeries,
): Node[] {
  // (1 - cos t) / t^2 = 2 (sin(t/2) / t)^2
  const A = g.mul(g.add(sine, sine), sine);
  const ux = g.cross(u, x);
  const d = g.plus(x, g.plus(g.times(A, ux), g.times(lag(), g.cross(u, ux))));
  return [4, 5, 6].map((k) => g.add(q[k], turnedToTree(g, q, d)[k - 4]));
}

/** E^T d = d + 2 r x (r x d + w d) / |q|^2 with r the vector part of the quaternion q. */
export function turnedToTree(g: VectorGraph, [w, x, y, z]: readonly Node[], d: NodeVec3): NodeVec3 {
  const r: NodeVec3 = [x, y, z];
  const k = g.div(g.constant(2), g.dot([w, x, y, z], [w, x, y, z]));
  return g.plus(d, g.times(k, g.cross(r, g.plus(g.cross(r, d), g.times(w, d)))));
}
