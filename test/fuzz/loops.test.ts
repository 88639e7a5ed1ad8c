// The rank of loops: random closed mechanisms with independent, redundant, nearly redundant (askew by 1e-3 to 1e-12 rad) and
// contradicting loops, masses up to 1e8 apart, against a solve in 32 digits by other equations (support/exact-loops.ts).
// MANIKIN_LONG=1: 2000 of them instead of 120.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { SimulationError } from '../../src/mechanism/errors.js';
import { exactForward } from '../support/exact-loops.js';
import { LOOP_KINDS, nearLoops } from '../support/near-loops.js';
import { randomVector, relativeError } from '../support/random-mechanism.js';

const CASES = process.env.MANIKIN_LONG === '1' ? 2000 : 120;
const SPREADS = [1, 1e2, 1e4, 1e6, 1e8];
/** Of the long run: a loop askew by 8e-7 rad whose masses differ by 1e8, and a contradiction that 32 digits see as pivots of 1e-26. */
const NOTED = [254, 339];
/** Pivots below this are there by the rounding of the frames that close the loops (1e-16 squared) beside masses 1e8 apart. */
const ROUNDING = 1e-20;
/** A constraint that feels less than this part of what it could feel may be taken for redundant. */
const DECIDABLE = 1e-9;

describe(`${CASES} closed mechanisms against 32 digits`, () => {
  it.each(['plain', 'compiled'] as const)('%s', { timeout: 600_000 }, (engine) => {
    const counts = { agreed: 0, undecided: 0, refused: 0 };
    const seeds = new Set([...Array.from({ length: CASES }, (_, k) => k + 1), ...NOTED]);
    for (const seed of seeds) {
      const kind = LOOP_KINDS[seed % LOOP_KINDS.length];
      const spread = SPREADS[seed % SPREADS.length];
      const where = `${kind}, masses to ${spread}, seed ${seed}`;
      const { mechanism, state, askew } = nearLoops(seed, kind, spread);
      const tau = randomVector(seed, mechanism.nv, 1);
      const exact = exactForward(mechanism, state, tau);
      const least = Math.min(1, ...exact.taken);
      const model = dynamics(mechanism, { engine });
      let qdd: Float64Array;
      try {
        qdd = model.forward(state, tau);
      } catch (error) {
        // Only where no motion satisfies the loops.
        expect(error).toBeInstanceOf(SimulationError);
        expect((error as SimulationError).code, where).toBe('contradiction');
        expect(exactForward(mechanism, state, tau, ROUNDING).broken, where).toBeGreaterThan(1e-5);
        counts.refused++;
        continue;
      }
      expect(exact.broken, where).toBeLessThan(1e-4 * Math.max(1, exact.size));
      const { rank, warnings } = model.loopReport();
      // Rounding is never taken for a constraint.
      expect(rank, where).toBeLessThanOrEqual(exact.rank);
      const undecided = rank < exact.rank || warnings.length > 0;
      if (undecided) {
        expect(least, where).toBeLessThan(DECIDABLE);
        counts.undecided++;
        // Not far from the border there is a warning.
        if (exact.taken[rank] > 1e-12) expect(warnings, where).not.toEqual([]);
      }
      // The motion is that of the rank found.
      const found = rank === exact.rank ? exact : exactForward(mechanism, state, tau, exact.taken[rank] * (1 + 1e-6));
      expect(found.rank, where).toBe(rank);
      if (exact.broken > 1e-9 * exact.size || warnings.length > 0) continue;
      const error = relativeError(qdd, found.qdd);
      const allowed = least > 1e-3 && spread < 1e8 ? 1e-11 : 3e-8;
      expect(error, where).toBeLessThan(allowed + 10 * (rank < exact.rank ? askew : 0));
      counts.agreed++;
    }
    console.log(`${engine}, seeds 1 to ${CASES}:`, counts);
    expect(counts.agreed).toBeGreaterThan(0.6 * CASES);
    expect(counts.refused).toBeGreaterThan(0.1 * CASES);
  });
});
