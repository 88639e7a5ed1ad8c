// All solutions of a small contact problem, by trying every combination of modes: open, stick, slide in some direction. With the
// modes and the directions of slip given the impulses are linear; the directions are roots of "slip is parallel to friction", found
// by Newton's method with differences from a grid of starts. Slow, without any idea of the solvers in it.

import { solveDense } from '../../../src/contact/solver/linear-solve.js';

export interface SmallProblem {
  readonly contacts: number;
  /** 3 rows for each contact: normal, and two across it. */
  readonly G: Float64Array;
  readonly g: Float64Array;
  readonly mu: Float64Array;
}

const STARTS = 8;

export function allSolutions(problem: SmallProblem): Float64Array[] {
  const found: Float64Array[] = [];
  const modes = new Array<number>(problem.contacts).fill(0);
  for (let code = 0; code < 3 ** problem.contacts; code++) {
    for (let c = 0, rest = code; c < problem.contacts; c++, rest = Math.floor(rest / 3)) modes[c] = rest % 3;
    const sliding = modes.flatMap((mode, c) => (mode === 2 ? [c] : []));
    for (let start = 0; start < STARTS ** sliding.length; start++) {
      const angles = sliding.map((_, k) => (2 * Math.PI * (Math.floor(start / STARTS ** k) % STARTS)) / STARTS + 0.1);
      const lambda = root(problem, modes, sliding, angles);
      if (lambda !== undefined && lawful(problem, modes, lambda) && !found.some((other) => near(other, lambda)))
        found.push(lambda);
    }
  }
  return found;
}

function near(a: Float64Array, b: Float64Array): boolean {
  return a.every((x, k) => Math.abs(x - b[k]) < 1e-6 * (1 + Math.abs(x)));
}

/** Impulses for modes and directions of friction. */
function impulses({ contacts, G, g, mu }: SmallProblem, modes: readonly number[], angle: (c: number) => number) {
  const n = 3 * contacts;
  const A = new Float64Array(n * n);
  const x = new Float64Array(n);
  for (let c = 0; c < contacts; c++)
    for (let k = 0; k < 3; k++) {
      const row = 3 * c + k;
      if (modes[c] === 0 || (modes[c] === 2 && k > 0)) {
        A[row * n + row] = 1;
        if (modes[c] === 2) A[row * n + 3 * c] = -mu[c] * (k === 1 ? Math.cos(angle(c)) : Math.sin(angle(c)));
      } else {
        for (let j = 0; j < n; j++) A[row * n + j] = G[row * n + j];
        x[row] = -g[row];
      }
    }
  return solveDense(A, x, n) ? x : undefined;
}

function velocity({ G, g }: SmallProblem, lambda: Float64Array, row: number): number {
  return lambda.reduce((sum, value, j) => sum + G[row * lambda.length + j] * value, g[row]);
}

function root(problem: SmallProblem, modes: readonly number[], sliding: readonly number[], angles: number[]) {
  const solved = (at: readonly number[]) => impulses(problem, modes, (c) => at[sliding.indexOf(c)]);
  const across = (at: readonly number[]): Float64Array | undefined => {
    const lambda = solved(at);
    if (lambda === undefined) return undefined;
    return Float64Array.from(sliding, (c, k) => {
      const [x, y] = [velocity(problem, lambda, 3 * c + 1), velocity(problem, lambda, 3 * c + 2)];
      return x * Math.sin(at[k]) - y * Math.cos(at[k]);
    });
  };
  const m = sliding.length;
  for (let it = 0; it < 40 && m > 0; it++) {
    const value = across(angles);
    if (value === undefined) return undefined;
    if (value.every((x) => Math.abs(x) < 1e-13)) break;
    const A = new Float64Array(m * m);
    for (let k = 0; k < m; k++) {
      const step = 1e-6;
      const moved = across(angles.map((a, j) => (j === k ? a + step : a)));
      if (moved === undefined) return undefined;
      for (let r = 0; r < m; r++) A[r * m + k] = (moved[r] - value[r]) / step;
    }
    if (!solveDense(A, value, m)) return undefined;
    const longest = Math.max(...value.map(Math.abs));
    for (let k = 0; k < m; k++) angles[k] -= value[k] * Math.min(1, 0.5 / longest);
  }
  return solved(angles);
}

function lawful(problem: SmallProblem, modes: readonly number[], lambda: Float64Array): boolean {
  const tolerance = 1e-9;
  return modes.every((mode, c) => {
    const u = [0, 1, 2].map((k) => velocity(problem, lambda, 3 * c + k));
    const [n, x, y] = lambda.subarray(3 * c, 3 * c + 3);
    if (mode === 0) return u[0] >= -tolerance;
    if (n < -tolerance) return false;
    if (mode === 1) return Math.hypot(x, y) <= problem.mu[c] * n + tolerance;
    // Friction against the slip, and parallel to it.
    return x * u[1] + y * u[2] <= tolerance && Math.abs(x * u[2] - y * u[1]) <= tolerance;
  });
}
