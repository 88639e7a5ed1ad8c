// About which axis, across that of a hinge, what hangs on it has little inertia. Where hinges follow each other, moments of
// inertia are those of the next link in turned axes, and near gimbal lock small ones must come out of large ones without
// much rounding (rotation.ts). Which are small is a matter of the mechanism, not of its state: a hinge gives way to moments
// about its own axis, so the link before it has next to no inertia there. So one pass of the articulated-body algorithm,
// with all joints at zero and in plain numbers, is enough to tell.

import { cosine, sine } from '../spatial/trigonometry.js';
import type { Plan, PlanLink } from './plan.js';

/** The axis, across the one of the turn, about which a link has little inertia. */
export type LowInertiaAxis = 'x' | 'y';

/** Inertias differ so much before it is worth while. */
const RATIO = 0.03;

/** For each link. */
export function lowInertiaAxes({ links }: Plan): (LowInertiaAxis | undefined)[] {
  const inertias = links.map(rigid);
  const axes: (LowInertiaAxis | undefined)[] = links.map(() => undefined);
  for (let i = links.length - 1; i >= 0; i--) {
    const link = links[i];
    const I = inertias[i];
    motionSpace(link).forEach((S, k) => {
      eliminate(I, S, link.armature[k]);
    });
    const [x, y] = [I[0], I[7]];
    if (x < RATIO * y) axes[i] = 'x';
    else if (y < RATIO * x) axes[i] = 'y';
    if (link.parent >= 0) addToParent(inertias[link.parent], I, transform(link));
  }
  return axes;
}

/** [J, h x; -h x, m 1] with J = tr(Sigma) 1 - Sigma: 36 numbers, row by row. */
function rigid({ mass, h: [a, b, c], sigma: [xx, xy, xz, yy, yz, zz] }: PlanLink): number[] {
  return [
    [yy + zz, -xy, -xz, 0, -c, b],
    [-xy, xx + zz, -yz, c, 0, -a],
    [-xz, -yz, xx + yy, -b, a, 0],
    [0, c, -b, mass, 0, 0],
    [-c, 0, a, 0, mass, 0],
    [b, -a, 0, 0, 0, mass],
  ].flat();
}

/** Columns of the motion space at zero. */
function motionSpace({ type, parameters: [x, y, z] }: PlanLink): readonly (readonly number[])[] {
  const unit = (k: number): number[] => [0, 1, 2, 3, 4, 5].map((i) => (i === k ? 1 : 0));
  switch (type) {
    case 'revolute':
      return [unit(2)];
    case 'prismatic':
      return [unit(5)];
    case 'helical':
      return [[0, 0, 1, 0, 0, x]];
    case 'cylindrical':
      return [unit(2), unit(5)];
    case 'universal':
      return [unit(2), [x, y, z, 0, 0, 0]];
    case 'planar':
      return [unit(3), unit(4), unit(2)];
    case 'spherical':
      return [0, 1, 2].map(unit);
    case 'floating':
      return [0, 1, 2, 3, 4, 5].map(unit);
  }
}

/** I <- I - U U^T / D with U = I S. */
function eliminate(I: number[], S: readonly number[], armature: number): void {
  const U = S.map((_, i) => S.reduce((sum, s, j) => sum + I[6 * i + j] * s, 0));
  const D = S.reduce((sum, s, i) => sum + s * U[i], armature);
  if (!(D > 0)) return;
  for (let i = 0; i < 6; i++) for (let j = 0; j < 6; j++) I[6 * i + j] -= (U[i] * U[j]) / D;
}

/** Motions of the parent to motions of the link: [E, 0; -E r x, E], with the angle of the joint's zero in E. */
function transform({ E: given, t: [x, y, z], angle }: PlanLink): number[] {
  const [c, s] = [cosine(angle), sine(angle)];
  const E = [
    ...[0, 1, 2].map((k) => c * given[k] + s * given[3 + k]),
    ...[0, 1, 2].map((k) => c * given[3 + k] - s * given[k]),
    ...given.slice(6),
  ];
  const X = new Array<number>(36).fill(0);
  for (let i = 0; i < 3; i++) {
    const [a, b, d] = [E[3 * i], E[3 * i + 1], E[3 * i + 2]];
    for (let j = 0; j < 3; j++) X[6 * i + j] = X[6 * (3 + i) + 3 + j] = E[3 * i + j];
    // Row i of -E [r x].
    X.splice(6 * (3 + i), 3, d * y - b * z, a * z - d * x, b * x - a * y);
  }
  return X;
}

/** Adds X^T I X. */
function addToParent(sum: number[], I: readonly number[], X: readonly number[]): void {
  for (let i = 0; i < 6; i++)
    for (let j = 0; j < 6; j++)
      for (let k = 0; k < 6; k++)
        for (let l = 0; l < 6; l++) sum[6 * i + j] += X[6 * k + i] * I[6 * k + l] * X[6 * l + j];
}
