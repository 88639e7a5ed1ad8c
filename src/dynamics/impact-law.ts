// The law of impact at one point: from the velocity u that it comes with and its answer W = J H^-1 J^T (symmetric, positive
// semidefinite, maybe singular: the tip of a pendulum moves along one line only) to the impulse lambda; u+ = u + W lambda.
//
// What holds for every result:
//   the ground does not pull           lambda_n >= 0
//   Coulomb's cone                     |lambda_t| <= mu lambda_n
//   the point does not go on           u+_n >= 0
//   the energy does not grow           lambda . u + lambda . W lambda / 2 <= 0
//
// Newton's law of restitution, u+_n = -e u_n, together with Coulomb's law (sticking where the cone allows, otherwise friction
// against the sliding that remains) fulfils the first three, but can add energy: friction turns motion along the ground into
// motion along the normal. For e = 0 it cannot: there lambda . u+ = lambda_t . u+_t <= 0, and
// lambda . u + lambda . W lambda / 2 = lambda . u+ - lambda . W lambda / 2. So the largest e, up to the one given, is taken for
// which it does not. Where even e = 0 has no solution of that kind (a point that jams: sticking would need the ground to pull),
// the impulse in the cone that takes most energy is: then u+ lies in the dual cone, u+_n >= mu |u+_t|, and nothing is gained.

import { createPseudoInverse, pseudoInvert } from '../engines/plain/assembly/rank.js';
import {
  add,
  apply,
  axisFrame,
  cross,
  dot,
  type Mat3,
  norm,
  scale,
  subtract,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import { cosine, sine } from '../spatial/trigonometry.js';

export interface Strike {
  readonly W: Mat3;
  /** Velocity of the point; u . normal < 0. */
  readonly u: Vec3;
  /** Of length 1. */
  readonly normal: Vec3;
  readonly restitution: number;
  /** May be infinite. */
  readonly friction: number;
}

/** What rounding may break of a law, relative to the sizes of what is compared. */
const SLACK = 1e-11;
/** The same of the energy, a sum of two products. */
const ENERGY_SLACK = 1e-14;
const HALVINGS = 60;
/**
 * Impulses this many times larger than |u| / trace W push where the point hardly answers: what they change is rounding, as for a
 * friction that points along the rod of a pendulum.
 */
const LARGEST = 1e8;

export function symmetric(W: Mat3): Mat3 {
  return W.map((value, k) => (value + W[3 * (k % 3) + Math.floor(k / 3)]) / 2) as unknown as Mat3;
}

export function lawfulImpulse(strike: Strike): Vec3 {
  const { restitution } = strike;
  const whole = impulseFor(strike, restitution);
  if (whole !== undefined) return whole;
  let best = restitution > 0 ? impulseFor(strike, 0) : undefined;
  if (best === undefined) return mostTaken(strike);
  let [low, high] = [0, restitution];
  for (let k = 0; k < HALVINGS; k++) {
    const middle = (low + high) / 2;
    const found = impulseFor(strike, middle);
    if (found === undefined) high = middle;
    else {
      low = middle;
      best = found;
    }
  }
  return best;
}

/** The impulse by Newton and Coulomb for that restitution, if there is one that keeps the laws. */
function impulseFor(strike: Strike, e: number): Vec3 | undefined {
  const stick = sticking(strike, e);
  if (stick !== undefined && isLawful(strike, stick)) return stick;
  const slip = sliding(strike, e);
  return slip !== undefined && isLawful(strike, slip) ? slip : undefined;
}

function isLawful({ W, u, normal, friction }: Strike, lambda: Vec3): boolean {
  const size = norm(lambda);
  if (!(size * traceOf(W) <= LARGEST * norm(u))) return false;
  const pressed = dot(lambda, normal);
  if (!(pressed >= 0)) return false;
  if (friction !== Number.POSITIVE_INFINITY) {
    const across = norm(subtract(lambda, scale(pressed, normal)));
    if (!(across <= friction * pressed + SLACK * size)) return false;
  }
  const change = apply(W, lambda);
  if (!(dot(add(u, change), normal) >= -SLACK * norm(u))) return false;
  const gained = dot(lambda, u) + dot(lambda, change) / 2;
  return gained <= ENERGY_SLACK * Math.abs(dot(lambda, u));
}

/** The impulse of least length after which the point does not slide: u+ = -e u_n n. Undefined where W cannot do that. */
function sticking({ W, u, normal }: Strike, e: number): Vec3 | undefined {
  const wanted = subtract(scale(-e * dot(u, normal), normal), u);
  const trace = traceOf(W);
  const solved = createPseudoInverse(3);
  pseudoInvert(solved, Float64Array.from(W), 3, [trace, trace, trace]);
  const inverse = Array.from(solved.inverse) as unknown as Mat3;
  let lambda = apply(inverse, wanted);
  // Once more for the digits of an ill-conditioned W.
  lambda = add(lambda, apply(inverse, subtract(wanted, apply(W, lambda))));
  return norm(subtract(wanted, apply(W, lambda))) <= 1e-9 * norm(u) ? lambda : undefined;
}

/** lambda = lambda_n (n - mu d) with u+_n = -e u_n and the point sliding along d afterwards: one unknown, the angle of d. */
function sliding(strike: Strike, e: number): Vec3 | undefined {
  const { W, u, normal, friction } = strike;
  if (friction === Number.POSITIVE_INFINITY) return undefined;
  const [first, second] = tangents(normal);
  const at = (angle: number) => {
    const d = add(scale(cosine(angle), first), scale(sine(angle), second));
    const direction = subtract(normal, scale(friction, d));
    const response = apply(W, direction);
    const size = (-(1 + e) * dot(u, normal)) / dot(normal, response);
    const after = add(u, scale(size, response));
    return { size, lambda: scale(size, direction), turn: dot(normal, cross(d, after)), along: dot(d, after) };
  };
  if (friction === 0) return at(0).lambda;
  let best: Vec3 | undefined;
  let fastest = 0;
  const count = 96;
  for (let k = 0; k < count; k++) {
    let low = (2 * Math.PI * (k - 0.37)) / count;
    let high = (2 * Math.PI * (k + 0.63)) / count;
    const sign = Math.sign(at(low).turn);
    if (sign === Math.sign(at(high).turn)) continue;
    for (let step = 0; step < HALVINGS; step++) {
      const middle = (low + high) / 2;
      if (Math.sign(at(middle).turn) === sign) low = middle;
      else high = middle;
    }
    const { size, along, lambda } = at(low);
    if (size > 0 && along >= fastest && isLawful(strike, lambda)) {
      fastest = along;
      best = lambda;
    }
  }
  return best;
}

/**
 * The impulse in the cone that takes most energy: least lambda . u + lambda . W lambda / 2, on an edge of the cone, since what lies
 * within it was tried before. Along each edge the size is known; the angle of the edge by sampling, then by narrowing.
 */
function mostTaken({ W, u, normal, friction }: Strike): Vec3 {
  const [first, second] = tangents(normal);
  // An infinite cone is the half space: its edges lie in the tangent plane.
  const infinite = friction === Number.POSITIVE_INFINITY;
  const least = traceOf(W) / LARGEST;
  const edge = (angle: number) => {
    const d = add(scale(cosine(angle), first), scale(sine(angle), second));
    const direction = infinite ? d : add(normal, scale(friction, d));
    const push = -dot(direction, u);
    const answer = dot(direction, apply(W, direction));
    if (!(push > 0 && answer > least * dot(direction, direction))) return { taken: 0, lambda: ZERO3 };
    return { taken: (push * push) / (2 * answer), lambda: scale(push / answer, direction) };
  };
  const bestBetween = (from: number, to: number): number => {
    let best = from;
    for (let k = 0; k <= 48; k++) {
      const angle = from + ((to - from) * k) / 48;
      if (edge(angle).taken > edge(best).taken) best = angle;
    }
    return best;
  };
  let angle = bestBetween(0, 2 * Math.PI);
  for (let width = Math.PI / 12; width > 1e-15; width /= 8) angle = bestBetween(angle - width, angle + width);
  // Smaller by what rounding may have added: taking less is safe, taking too much is not.
  return scale(1 - SLACK, edge(angle).lambda);
}

function traceOf(W: Mat3): number {
  return W[0] + W[4] + W[8];
}

function tangents(normal: Vec3): readonly [Vec3, Vec3] {
  const frame = axisFrame(normal);
  return [
    [frame[0], frame[1], frame[2]],
    [frame[3], frame[4], frame[5]],
  ];
}
