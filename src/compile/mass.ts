// Distributions of mass, and what of a link's mass its joint cannot tell from mass of the parent.

import type { FormulaType } from './joint-formulas.js';

/** A distribution of mass: mass, first moment (3), second moments (6). */
export interface Mass {
  mass: number;
  h: number[];
  sigma: number[];
}

const PAIRS = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 1],
  [1, 2],
  [2, 2],
] as const;

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

/** Adds mass given in a placed frame: x = E^T y + t for its points y. */
export function addMass(to: Mass, { mass, h, sigma }: Mass, placement: Float64Array): void {
  const E = placement.subarray(0, 9);
  const t = placement.subarray(9);
  const first = [0, 1, 2].map((i) => E[i] * h[0] + E[3 + i] * h[1] + E[6 + i] * h[2]);
  const full = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((k) => {
    const [i, j] = [Math.floor(k / 3), k % 3];
    return sigma[PAIRS.findIndex(([a, b]) => (a === i && b === j) || (a === j && b === i))];
  });
  PAIRS.forEach(([i, j], k) => {
    let turned = 0;
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) turned += E[3 * a + i] * full[3 * a + b] * E[3 * b + j];
    to.sigma[k] += turned + t[i] * first[j] + first[i] * t[j] + mass * t[i] * t[j];
  });
  for (let k = 0; k < 3; k++) to.h[k] += first[k] + mass * t[k];
  to.mass += mass;
}
