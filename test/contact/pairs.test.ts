import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { AWKWARD, awkwardCase, type Case, faultOf, PAIRS, randomCase } from './placements.js';

// MANIKIN_COLLIDE=100000 for that many random placements of each pair, and a thousandth of it of each of ten awkward kinds.
const RUNS = Number(process.env.MANIKIN_COLLIDE ?? 40);
const AWKWARD_RUNS = Math.max(4, Math.round(RUNS / 1000));
const TOLERANCE = 1e-7;

const shown = (placed: Case): string =>
  JSON.stringify(placed, (_, value) => (value instanceof Float64Array ? [...value] : value));

describe('every pair of convex shapes: the gap is the largest separation, the point lies on both', () => {
  it.each(PAIRS)('%s and %s, placed at random', { timeout: 3_600_000 }, (a, b) => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const placed = randomCase(a, b, new Random(seed));
      const fault = faultOf(placed, TOLERANCE, seed % 40 === 0);
      if (fault !== undefined) expect.fail(`seed ${seed}: ${fault}\n${shown(placed)}`);
    }
  });

  describe.each(AWKWARD)('%s', (what) => {
    it.each(PAIRS)('%s and %s', { timeout: 3_600_000 }, (a, b) => {
      for (let seed = 1; seed <= AWKWARD_RUNS; seed++) {
        const placed = awkwardCase(what, a, b, new Random(seed));
        const fault = faultOf(placed, TOLERANCE, seed % 4 === 0);
        if (fault !== undefined) expect.fail(`seed ${seed}: ${fault}\n${shown(placed)}`);
      }
    });
  });
});
