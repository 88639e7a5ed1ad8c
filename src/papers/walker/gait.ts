// Periodic gaits: Newton's method on the step map, and its eigenvalues.
//
// The section is just before a heel strike, both legs straight and both feet on the slope: x = (q_st, v_st, v_sw), and
// q_sw = -2 (q_st + slope). The step map P takes one heel strike to the next; a gait is P(x) = x.

import { SimulationError } from '../../mechanism/errors.js';
import type { Standing, Walker, WalkerStep } from './walker.js';

/** q_st, v_st, v_sw before a heel strike. */
export type Section = readonly [number, number, number];

/** A periodic gait: a fixed point of the step map, and how stable it is. */
export interface Gait {
  readonly section: Section;
  readonly step: WalkerStep;
  /** Of the step map, largest first: [real, imaginary]. */
  readonly eigenvalues: readonly (readonly [number, number])[];
  /** Largest component of P(x) - x. */
  readonly residual: number;
  readonly iterations: number;
}

/** The walker just before a heel strike at these coordinates of the step map. */
export function standingAt(walker: Walker, [q, v, w]: Section): Standing {
  return walker.beforeStrike([q, walker.swingAngle(q)], [v, w]);
}

/** The coordinates of the step map just before the heel strike of a step. */
export function sectionOf({ q, v }: WalkerStep): Section {
  return [q[0], v[0], v[1]];
}

/** P(x), with the step; undefined where the walker falls. */
function stepMap(walker: Walker, x: Section): { next: Section; step: WalkerStep } | undefined {
  const result = walker.step(standingAt(walker, x));
  return 'fall' in result ? undefined : { next: sectionOf(result.step), step: result.step };
}

/** dP/dx by central differences of fourth order: rows of P, columns of x. Undefined where a neighbour falls. */
function jacobian(walker: Walker, x: Section, size: number): number[][] | undefined {
  const J: number[][] = [[], [], []];
  for (let k = 0; k < 3; k++) {
    const at = (offset: number): Section | undefined => {
      const moved: [number, number, number] = [x[0], x[1], x[2]];
      moved[k] += offset;
      return stepMap(walker, moved)?.next;
    };
    const [a, b, c, d] = [at(-2 * size), at(-size), at(size), at(2 * size)];
    if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
    for (let row = 0; row < 3; row++) J[row].push((a[row] - 8 * b[row] + 8 * c[row] - d[row]) / (12 * size));
  }
  return J;
}

/** Sizes of the differences: small enough for the fourth order to be exact, large enough for rounding not to show. */
const DIFFERENCE = 3e-4;
const MAX_ITERATIONS = 15;
/** Iterations that may pass without a gain. */
const PATIENCE = 4;
const CONVERGED = 1e-12;

/** The gait near a guess, or undefined where Newton's method does not find one. */
export function findGait(walker: Walker, guess: Section): Gait | undefined {
  let x = guess;
  let size = DIFFERENCE;
  let best = Number.POSITIVE_INFINITY;
  let gained = 0;
  for (let iteration = 1; iteration <= MAX_ITERATIONS; iteration++) {
    const here = stepMap(walker, x);
    if (here === undefined) return undefined;
    const rest = here.next.map((value, k) => value - x[k]);
    const residual = Math.max(...rest.map(Math.abs));
    // Rounding is all that is left once a step gains nothing any more.
    const done = residual < CONVERGED || (residual < 1e-9 && residual >= best / 2);
    let J = jacobian(walker, x, size);
    if (J === undefined) {
      size /= 10;
      J = jacobian(walker, x, size);
    }
    if (J === undefined) return undefined;
    if (done) return { section: x, step: here.step, eigenvalues: eigenvalues3(J), residual, iterations: iteration };
    if (residual < best) gained = iteration;
    if (iteration - gained >= PATIENCE) return undefined;
    best = Math.min(best, residual);
    // (J - 1) dx = -(P - x), not further than the map can be trusted.
    const dx = solve3(
      J.map((row, i) => row.map((value, k) => value - (i === k ? 1 : 0))),
      rest.map((value) => -value),
    );
    const length = Math.max(...dx.map(Math.abs));
    if (!Number.isFinite(length)) return undefined;
    let damping = Math.min(1, 0.3 / length);
    let next: Section | undefined;
    for (let halvings = 0; halvings < 8 && next === undefined; halvings++) {
      const tried: Section = [x[0] + damping * dx[0], x[1] + damping * dx[1], x[2] + damping * dx[2]];
      if (stepMap(walker, tried) !== undefined) next = tried;
      damping /= 2;
    }
    if (next === undefined) return undefined;
    x = next;
  }
  return undefined;
}

/**
 * The gait of a walker that is like one with a known gait: the parameter goes from 0 (known) to 1 in as many parts as Newton's
 * method needs.
 */
export function followGait(walkerAt: (part: number) => Walker, known: Section): Gait {
  let part = 0;
  let stride = 1;
  let x = known;
  let before: { part: number; x: Section } | undefined;
  for (let tries = 0; tries < 40; tries++) {
    const next = Math.min(1, part + stride);
    // Straight on from the last two.
    const guess =
      before === undefined
        ? x
        : (x.map(
            (value, k) => value + ((value - before!.x[k]) * (next - part)) / (part - before!.part),
          ) as unknown as Section);
    const gait = findGait(walkerAt(next), guess) ?? (guess === x ? undefined : findGait(walkerAt(next), x));
    // A short cut to another branch would be far away.
    if (gait !== undefined && Math.max(...gait.section.map((value, k) => Math.abs(value - x[k]))) < 1) {
      if (next === 1) return gait;
      before = { part, x };
      part = next;
      x = gait.section;
      stride *= 1.7;
    } else {
      stride = Math.min(stride, 1 - part) / 2;
      if (stride < 0.01) break;
    }
  }
  throw new SimulationError(
    'no-gait',
    `No periodic gait was found: following it from the known one, it was lost at ${Math.round(100 * part)} % of the way. Change the parameters less, or give a start near the gait.`,
  );
}

/** Steps one after the other from just before a heel strike, until there are enough or it falls. */
export function walk(
  walker: Walker,
  from: Standing,
  count: number,
  onStep?: (step: WalkerStep, k: number) => boolean | undefined,
): { steps: WalkerStep[]; fall: string | undefined; at: Standing } {
  const steps: WalkerStep[] = [];
  let at = from;
  while (steps.length < count) {
    const result = walker.step(at);
    if ('fall' in result) return { steps, fall: result.fall, at };
    steps.push(result.step);
    at = result.before;
    if (onStep?.(result.step, steps.length) === false) break;
  }
  return { steps, fall: undefined, at };
}

/** By Cramer's rule. */
function solve3(A: number[][], b: readonly number[]): [number, number, number] {
  const D = det3(A);
  const column = (k: number): number => det3(A.map((row, i) => row.map((value, j) => (j === k ? b[i] : value)))) / D;
  return [column(0), column(1), column(2)];
}

function det3([[a, b, c], [d, e, f], [g, h, i]]: number[][]): number {
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}

/** Roots of x^3 - t x^2 + m x - d: a real one by Newton's method from outside all roots, then the quadratic that is left. */
export function eigenvalues3(J: number[][]): (readonly [number, number])[] {
  const [[a, b, c], [d, e, f], [g, h, i]] = J;
  const trace = a + e + i;
  const minors = a * e - b * d + a * i - c * g + e * i - f * h;
  const det = det3(J);
  const p = (x: number): number => ((x - trace) * x + minors) * x - det;
  // The real root that is there in any case: between bounds of all roots, by bisection.
  const bound = 1 + Math.max(Math.abs(trace), Math.abs(minors), Math.abs(det));
  let [low, high] = [-bound, bound];
  for (let k = 0; k < 200; k++) {
    const middle = (low + high) / 2;
    if (p(middle) < 0) low = middle;
    else high = middle;
  }
  const real = (low + high) / 2;
  // x^2 + B x + C
  const B = real - trace;
  const C = minors + real * B;
  const discriminant = B * B - 4 * C;
  const roots: (readonly [number, number])[] = [[real, 0]];
  if (discriminant < 0) {
    const im = Math.sqrt(-discriminant) / 2;
    roots.push([-B / 2, -im], [-B / 2, im]);
  } else {
    // The larger by the formula, the smaller by the product, which keeps its digits.
    const large = -(B + (B < 0 ? -1 : 1) * Math.sqrt(discriminant)) / 2;
    roots.push([large, 0], [large === 0 ? 0 : C / large, 0]);
  }
  return roots.sort(([r, s], [u, v]) => Math.hypot(u, v) - Math.hypot(r, s) || s - v);
}
