// Segments and blocks against the readable algorithm: any cutting, any root, all joint types.
// MANIKIN_RANDOM=500 tries that many random mechanisms.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { GROUND, type Mechanism } from '../../../src/mechanism/mechanism.js';
import { Random } from '../../../src/mechanism/random.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { rootedPlan } from '../../../src/plan/rooted-plan.js';
import {
  ALL_JOINT_TYPES,
  randomMechanism,
  randomVector,
  relativeError,
  repeatedMechanism,
} from '../../support/random-mechanism.js';
import { LONG } from '../../support/runs.js';
import { balancedCutting, blockRunner, randomCutting, twinCutting } from './run-blocks.js';

const TOLERANCE = 1e-11;
const COUNT = Number(process.env.MANIKIN_RANDOM ?? (LONG ? 40 : 16));

/** Largest relative difference from the readable algorithm over some random cuttings. */
function disagreement(mechanism: Mechanism, seed: number, root: number, cuttings = 2): number | undefined {
  const rooted = rootedPlan(mechanism, root);
  if (rooted === undefined || rooted.plan.links.length === 0) return undefined;
  const readable = new PlainDynamics(mechanism);
  const random = new Random(seed);
  let worst = 0;
  for (let k = 0; k < cuttings; k++) {
    const cutting = randomCutting(rooted, random, 1 + random.below(4));
    const runner = blockRunner(mechanism, root, cutting, k === 0 ? 1 + random.below(4) : undefined);
    for (let again = 0; again < 2; again++) {
      const state = State.random(mechanism, seed + again);
      const tau = randomVector(seed + again, mechanism.nv, 5);
      const got = runner.forward(state, tau);
      expect(got.every(Number.isFinite), `seed ${seed}`).toBe(true);
      worst = Math.max(worst, relativeError(got, readable.forward(state, tau)));
    }
  }
  return worst;
}

describe('segments', () => {
  it.each(ALL_JOINT_TYPES)('%s joints', (type) => {
    for (let seed = 1; seed <= (LONG ? 4 : 2); seed++) {
      const mechanism = randomMechanism(seed, { types: [type], bodies: 6, armature: seed % 2 === 0 });
      expect(disagreement(mechanism, seed, GROUND) ?? 0, `seed ${seed}`).toBeLessThan(TOLERANCE);
    }
  });

  it('random mechanisms', () => {
    for (let seed = 1; seed <= COUNT; seed++) {
      const options = { forest: seed % 3 === 0, armature: seed % 2 === 0, shuffled: seed % 5 === 0 };
      const mechanism = randomMechanism(2000 + seed, options);
      expect(disagreement(mechanism, seed, GROUND) ?? 0, `seed ${seed}`).toBeLessThan(TOLERANCE);
    }
  });

  it('random mechanisms free in space, from any of their bodies', () => {
    let rerooted = 0;
    for (let seed = 1; seed <= COUNT; seed++) {
      const mechanism = randomMechanism(4000 + seed, { base: 'floating', shuffled: seed % 4 === 0 });
      const root = new Random(seed).below(mechanism.bodies.length);
      const worst = disagreement(mechanism, seed, root);
      if (worst === undefined) continue;
      rerooted++;
      expect(worst, `seed ${seed}`).toBeLessThan(TOLERANCE);
    }
    expect(rerooted).toBeGreaterThan(COUNT / 3);
  });

  it.each(['human-34', 'human-161', 'chain-40', 'chain-40-free', 'chain-20-spherical-free', 'crowd-3'])(
    '%s',
    (name) => {
      const mechanism = builtinMechanism(name);
      expect(disagreement(mechanism, 1, GROUND)).toBeLessThan(TOLERANCE);
      const middle = Math.floor(mechanism.bodies.length / 2);
      const worst = disagreement(mechanism, 2, middle);
      if (worst !== undefined) expect(worst).toBeLessThan(TOLERANCE);
    },
  );

  it('balanced orders down to single joints', () => {
    const mechanisms = ['chain-33', 'chain-12-spherical-free', 'human-34'].map((name) => builtinMechanism(name));
    for (let seed = 1; seed <= COUNT; seed++)
      mechanisms.push(randomMechanism(6000 + seed, { armature: seed % 2 === 0, forest: seed % 3 === 0 }));
    for (const [seed, mechanism] of mechanisms.entries()) {
      const rooted = rootedPlan(mechanism, GROUND)!;
      if (rooted.plan.links.length === 0) continue;
      const runner = blockRunner(mechanism, GROUND, balancedCutting(rooted));
      const state = State.random(mechanism, seed);
      const tau = randomVector(seed, mechanism.nv, 5);
      const error = relativeError(runner.forward(state, tau), new PlainDynamics(mechanism).forward(state, tau));
      expect(error, `${mechanism.name}, seed ${seed}`).toBeLessThan(1e-10);
    }
  });

  it('twins, two blocks in the lanes of vectors', () => {
    let paired = 0;
    for (let seed = 1; seed <= COUNT; seed++) {
      const random = new Random(seed);
      const bodies = 1 + random.below(4);
      const most = 1 + random.below(3);
      const cells = Array.from({ length: 4 + random.below(5) }, () => (seed % 5 === 0 ? 1 + random.below(most) : most));
      const free = seed % 3 === 0;
      // A welded body would be no link of its own.
      const types = seed % 4 === 0 ? (['spherical'] as const) : ALL_JOINT_TYPES.filter((type) => type !== 'fixed');
      const mechanism = repeatedMechanism(
        seed,
        cells.reduce((sum, n) => sum + n, 0),
        { bodies, armature: seed % 2 === 0, types, ...(free && { base: 'floating' }) },
      );
      const cutting = twinCutting(rootedPlan(mechanism, GROUND)!, bodies, cells, random);
      const runner = blockRunner(mechanism, GROUND, cutting, seed % 2 === 0 ? 1 + random.below(6) : undefined);
      paired += runner.paired;
      const state = State.random(mechanism, seed);
      const tau = randomVector(seed, mechanism.nv, 5);
      const error = relativeError(runner.forward(state, tau), new PlainDynamics(mechanism).forward(state, tau));
      expect(error, `seed ${seed}`).toBeLessThan(TOLERANCE);
    }
    expect(paired).toBeGreaterThan(COUNT);
  });

  it('blocks of the same shape share their code', () => {
    const segmentOf = new Int32Array(512).fill(0);
    const { shapes } = blockRunner(builtinMechanism('chain-512'), GROUND, { segmentOf, atPort: [false] }, 32);
    expect(shapes).toBeLessThanOrEqual(3);
  });
});
