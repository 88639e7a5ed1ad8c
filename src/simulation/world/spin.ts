// Moments of contacts against spinning and rolling: rows behind those of their contacts; see contact/solver/kernel/spin.ts.

import type { IslandLink, IslandProblem } from '../../contact/solver/island-problem.js';
import type { ShapePair } from './world-shape.js';

/** Adds the moments of a pair, whose contacts are the last blocks of the problem, from `first` on. */
export function addSpin(problem: IslandProblem, pair: ShapePair, first: number, a: IslandLink, b: IslandLink): void {
  const { count, frame, moment, torsional, rolling } = pair;
  if (torsional === 0 && rolling === 0) return;
  for (let k = 0; k < count; k++) {
    const c = problem.addSpin(a, b, count, torsional, rolling, frame, 9 * k);
    // What has no friction yet has no moments.
    problem.mu[c] = problem.mu[first + k] > 0 || pair.friction === 0 ? 1 : 0;
    for (let d = 0; d < 3; d++) {
      const f = 9 * k + 3 * d;
      const along = frame[f] * moment[3 * k] + frame[f + 1] * moment[3 * k + 1] + frame[f + 2] * moment[3 * k + 2];
      const unit = d === 0 ? torsional : rolling;
      problem.lambda[3 * c + d] = unit > 0 ? along / unit : 0;
    }
  }
}

/** Moments of point k of a pair, whose first contact is the block `first`, after the problem was solved: impulses in ground axes. */
export function keepSpin(problem: IslandProblem, pair: ShapePair, first: number, k: number): void {
  const { count, frame, moment, torsional, rolling } = pair;
  if (torsional === 0 && rolling === 0) return;
  const o = 3 * (first + count + k);
  const { lambda } = problem;
  for (let j = 0; j < 3; j++) {
    const f = 9 * k + j;
    moment[3 * k + j] =
      torsional * frame[f] * lambda[o] + rolling * (frame[f + 3] * lambda[o + 1] + frame[f + 6] * lambda[o + 2]);
  }
}
