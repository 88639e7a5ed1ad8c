// Distributions of mass, and what of a link's mass its joint cannot tell from mass of the parent.

import type { FormulaType } from './plan.js';

/** A distribution of mass: mass, first moment (3), second moments (6). */
export interface Mass {
  mass: number;
  h: number[];
  sigma: number[];
}

export function massOf(I: Float64Array, o: number): Mass {
  const half = (I[o + 4] + I[o + 7] + I[o + 9]) / 2;
  return {
    mass: I[o],
    h: [I[o + 1], I[o + 2], I[o + 3]],
    sigma: [half - I[o + 4], -I[o + 5], -I[o + 6], half - I[o + 7], -I[o + 8], half - I[o + 9]],
  };
}

/**
 * Takes from a link the part of its mass that its joint cannot tell from mass of the parent, and returns it: all that
 * sits on the axis of a revolute joint or in the centre of a ball, and second moments that do not turn. Motions and
 * joint forces stay the same; the formulas find more zeros.
 */
export function regroup(type: FormulaType, link: Mass): Mass {
  const moved: Mass = { mass: 0, h: [0, 0, 0], sigma: [0, 0, 0, 0, 0, 0] };
  const zz = 5;
  switch (type) {
    case 'revolute':
      moved.mass = link.mass;
      moved.h[2] = link.h[2];
      moved.sigma[zz] = link.sigma[zz];
      break;
    case 'spherical':
    case 'universal':
      moved.mass = link.mass;
      break;
    case 'prismatic':
      moved.sigma = [...link.sigma];
      break;
    case 'helical':
    case 'cylindrical':
    case 'planar':
      // Without mass and first moment second moments are the same about any point, and zz does not turn.
      moved.sigma[zz] = link.sigma[zz];
      break;
    case 'floating':
      break;
  }
  link.mass -= moved.mass;
  link.h = link.h.map((x, k) => x - moved.h[k]);
  link.sigma = link.sigma.map((x, k) => x - moved.sigma[k]);
  return moved;
}

/** What rounding leaves where nothing should be is zero: inertias that vanish must be seen to vanish. */
export function dropRounding(link: Mass, moved: Mass): void {
  const size = Math.max(...link.sigma.map(Math.abs), ...moved.sigma.map(Math.abs));
  link.sigma = link.sigma.map((x) => (Math.abs(x) <= 1e-15 * size ? 0 : x));
}

/**
 * Adds mass given in a placed frame: x = E^T y + t for its points y. With f = E^T h, Sigma grows by
 * E^T Sigma' E + t f^T + f t^T + m t t^T. Written out, since this runs in a process that has compiled nothing yet.
 */
export function addMass(to: Mass, { mass, h, sigma }: Mass, placement: Float64Array): void {
  const [a, b, c, d, e, f, g, k, l, tx, ty, tz] = placement;
  const [hx, hy, hz] = h;
  const [xx, xy, xz, yy, yz, zz] = sigma;
  const fx = a * hx + d * hy + g * hz;
  const fy = b * hx + e * hy + k * hz;
  const fz = c * hx + f * hy + l * hz;
  // Sigma' E, column by column.
  const [x0, y0, z0] = [xx * a + xy * d + xz * g, xy * a + yy * d + yz * g, xz * a + yz * d + zz * g];
  const [x1, y1, z1] = [xx * b + xy * e + xz * k, xy * b + yy * e + yz * k, xz * b + yz * e + zz * k];
  const [x2, y2, z2] = [xx * c + xy * f + xz * l, xy * c + yy * f + yz * l, xz * c + yz * f + zz * l];
  to.sigma[0] += a * x0 + d * y0 + g * z0 + 2 * tx * fx + mass * tx * tx;
  to.sigma[1] += a * x1 + d * y1 + g * z1 + tx * fy + fx * ty + mass * tx * ty;
  to.sigma[2] += a * x2 + d * y2 + g * z2 + tx * fz + fx * tz + mass * tx * tz;
  to.sigma[3] += b * x1 + e * y1 + k * z1 + 2 * ty * fy + mass * ty * ty;
  to.sigma[4] += b * x2 + e * y2 + k * z2 + ty * fz + fy * tz + mass * ty * tz;
  to.sigma[5] += c * x2 + f * y2 + l * z2 + 2 * tz * fz + mass * tz * tz;
  to.h[0] += fx + mass * tx;
  to.h[1] += fy + mass * ty;
  to.h[2] += fz + mass * tz;
  to.mass += mass;
}
