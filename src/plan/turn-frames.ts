// Link frames turned about their joint axes so that placements become simple. With Z and X for turns of coordinates about
// z and x, any rotation is E = Z(theta) X(alpha) Z(phi). Where a joint turns about z, theta is only another zero of its
// angle; and phi vanishes if the parent's frame, when that may be turned about its own z, is turned by it. What is left
// of most placements is X(alpha), the twist of Denavit and Hartenberg.

import { angleOf, cosine, sine } from '../spatial/trigonometry.js';
import type { Mass } from './mass.js';
import type { FormulaType } from './plan.js';

/** A link as far as frames go. */
export interface Placed {
  readonly type: FormulaType;
  readonly parent: number;
  /** E (9 numbers, row by row) and t (3): parent to tree frame. */
  readonly placement: Float64Array;
  /** Added to the joint's angle. */
  angle: number;
}

/** Types whose link frame may be turned about z. */
const FREE_ABOUT_Z: ReadonlySet<FormulaType> = new Set(['revolute', 'helical', 'cylindrical']);

export const isFreeAboutZ = (type: FormulaType): boolean => FREE_ABOUT_Z.has(type);

/** Turns placements, angles and masses; returns the angle by which each link's frame has been turned about its z. */
export function turnFrames(links: readonly Placed[], masses: readonly Mass[]): Float64Array {
  const turned = new Float64Array(links.length);
  const children: number[][] = links.map(() => []);
  for (const [i, { parent }] of links.entries()) if (parent >= 0) children[parent].push(i);
  for (const { placement } of links) clean(placement);
  for (const [i, link] of links.entries()) {
    if (!isFreeAboutZ(link.type)) continue;
    // After this a rotation has no z in its first row, or is the plain renaming yzx or zxy: generic kernels count on it.
    if (renaming(link.placement) !== PLAIN) takeTheta(link);
    const general = children[i].filter((child) => renaming(links[child].placement) === NO);
    const chosen = general.find((child) => isFreeAboutZ(links[child].type));
    // Renamed axes cost nothing and shall stay so.
    if (chosen === undefined || general.length < children[i].length) continue;
    const [, , , , , , x, y] = links[chosen].placement;
    const phi = angleOf(x, -y);
    link.angle += phi;
    turned[i] = phi;
    turnMass(masses[i], phi);
    for (const child of children[i]) turnParent(links[child].placement, phi);
  }
  return turned;
}

const NO = 0;
const SIGNED = 1;
const PLAIN = 2;

/** Whether a rotation only renames axes, with or without changes of sign. */
function renaming(placement: Float64Array): typeof NO | typeof SIGNED | typeof PLAIN {
  const E = placement.subarray(0, 9);
  if (E.every((entry) => entry === 0 || entry === 1)) return PLAIN;
  return E.every((entry) => entry === 0 || Math.abs(entry) === 1) ? SIGNED : NO;
}

/** Entries that are 0, 1 or -1 but for rounding become just that. */
function clean(placement: Float64Array): void {
  for (let k = 0; k < 9; k++) {
    const size = Math.abs(placement[k]);
    if (size < 1e-15) placement[k] = 0;
    else if (Math.abs(size - 1) < 1e-15) placement[k] = Math.sign(placement[k]);
  }
}

/** E <- Z(-theta) E, with the column of z then [0, sin alpha, cos alpha]. */
function takeTheta(link: Placed): void {
  const E = link.placement;
  const parallel = Math.abs(E[2]) < 1e-12 && Math.abs(E[5]) < 1e-12;
  const theta = parallel ? (E[8] > 0 ? angleOf(E[1], E[0]) : angleOf(-E[3], E[0])) : angleOf(E[2], E[5]);
  const [c, s] = [cosine(theta), sine(theta)];
  for (let k = 0; k < 3; k++) {
    const [x, y] = [E[k], E[3 + k]];
    E[k] = c * x - s * y;
    E[3 + k] = s * x + c * y;
  }
  E[2] = 0;
  clean(E);
  link.angle += theta;
}

/** The parent's frame turned by phi: E <- E Z(-phi), t <- Z(phi) t. */
export function turnParent(placement: Float64Array, phi: number): void {
  const [c, s] = [cosine(phi), sine(phi)];
  for (let row = 0; row < 4; row++) {
    const [x, y] = [placement[3 * row], placement[3 * row + 1]];
    placement[3 * row] = c * x + s * y;
    placement[3 * row + 1] = c * y - s * x;
  }
  clean(placement);
}

/** Mass seen from a frame turned by phi about z. */
function turnMass(mass: Mass, phi: number): void {
  const [c, s] = [cosine(phi), sine(phi)];
  const [x, y, z] = mass.h;
  mass.h = [c * x + s * y, c * y - s * x, z];
  const [xx, xy, xz, yy, yz, zz] = mass.sigma;
  mass.sigma = [
    c * c * xx + 2 * c * s * xy + s * s * yy,
    (c * c - s * s) * xy + c * s * (yy - xx),
    c * xz + s * yz,
    s * s * xx - 2 * c * s * xy + c * c * yy,
    c * yz - s * xz,
    zz,
  ];
}
