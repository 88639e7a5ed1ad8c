// One thread computes two halves of a mechanism that is free in space at once, in the lanes of vectors: the same results as the
// readable algorithm, fewer instructions, and only where that pays.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { blockModule } from '../../../src/engines/threads/block-module.js';
import { createAssembly, lanePartners, wholeLinks } from '../../../src/engines/threads/blocks.js';
import { type PlannedProgram, Planner } from '../../../src/engines/threads/planner.js';
import { ThreadProgram } from '../../../src/engines/threads/program.js';
import { CompiledDynamics } from '../../../src/engines/wasm/compiled.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { matchFrames } from '../../../src/plan/match-frames.js';
import { rootedPlan } from '../../../src/plan/rooted-plan.js';
import { randomMechanism, randomSpec, randomVector, relativeError } from '../../support/random-mechanism.js';

/** Joints that can be read backwards. */
const BACKWARDS = ['revolute', 'prismatic', 'helical', 'cylindrical', 'universal', 'spherical', 'fixed'] as const;

const pairs = ({ assembly }: PlannedProgram): number =>
  assembly.segments[0].lanes.filter((lane) => lane.length === 2).length;

function check(mechanism: Mechanism, planned: PlannedProgram): void {
  const program = new ThreadProgram(planned);
  const { arrays, runner } = program.alone;
  for (const seed of [1, 2]) {
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed, mechanism.nv, 3);
    arrays.q.set(state.q);
    arrays.v.set(state.v);
    arrays.tau.set(tau);
    arrays.qdd.fill(Number.NaN);
    runner.alone();
    const error = relativeError(arrays.qdd, new PlainDynamics(mechanism).forward(state, tau));
    expect(error, mechanism.name).toBeLessThan(1e-10);
  }
}

/** Equal figures of random links, hand in hand in a row, the first one free in space. */
function freeRow(seed: number, figures: number, types: readonly string[]): Mechanism {
  const size = 4;
  const { bodies, joints } = randomSpec(seed, { bodies: size, types: types as never, armature: seed % 2 === 0 });
  const names = (f: number, k: number): string => `f${f}_${k}`;
  return createMechanism({
    bodies: Array.from({ length: figures * size }, (_, i) => ({
      ...bodies[i % size],
      name: names(Math.floor(i / size), i % size),
    })),
    joints: Array.from({ length: figures * size }, (_, i) => {
      const [f, k] = [Math.floor(i / size), i % size];
      const own = joints[k];
      const free = i === 0;
      return {
        ...own,
        name: `j${i}`,
        type: free ? ('floating' as const) : own.type,
        ...(free && { armature: 0 }),
        parent: free
          ? null
          : k === 0
            ? names(f - 1, size - 1)
            : names(
                f,
                bodies.findIndex(({ name }) => name === own.parent),
              ),
        child: names(f, k),
      };
    }),
  });
}

describe('two halves in the lanes of vectors', () => {
  it.each([
    ['chain-200-free', 0.65],
    ['chain-96-spherical-free', 0.8],
    ['crowd-20', 0.75],
    ['crowd-5', 0.85],
  ])('%s takes %f of the instructions at most', (name, share) => {
    const mechanism = builtinMechanism(name);
    const planner = new Planner(mechanism);
    const planned = planner.planShared()!;
    expect(pairs(planned)).toBeGreaterThan(2);
    check(mechanism, planned);
    const { instructions } = blockModule(planner.plan(1).assembly);
    expect(blockModule(planned.assembly).instructions[0]).toBeLessThan(share * instructions[0]);
  });

  it('of random mechanisms, from any of their bodies, in small blocks', () => {
    let found = 0;
    for (let seed = 1; seed <= 24; seed++) {
      const options = { bodies: 40, base: 'floating', armature: seed % 2 === 0 } as const;
      const row = seed % 3 === 0;
      const types = seed % 4 === 1 ? (['revolute', 'spherical'] as const) : BACKWARDS;
      const mechanism = row ? freeRow(seed, 10, types) : randomMechanism(seed, { ...options, types });
      const root = (7 * seed) % mechanism.bodies.length;
      const rooted = rootedPlan(mechanism, root);
      if (rooted === undefined) continue;
      const cutting = { segmentOf: new Int32Array(rooted.plan.links.length), atPort: [false] };
      const blockLinks = 1 + (seed % 3);
      const kept = rootedPlan(mechanism, root, wholeLinks(rooted.plan.links, cutting, blockLinks))!;
      const lanes = { blockLinks, siblingLanes: true };
      const partnerOf = lanePartners(createAssembly(kept, cutting, lanes));
      const assembly = createAssembly(matchFrames(kept, partnerOf), cutting, lanes);
      const planned = { schedule: { ...new Planner(mechanism).find(1), root, cutting }, assembly };
      found += pairs(planned);
      check(mechanism, planned);
    }
    expect(found).toBeGreaterThan(30);
  });

  it('is what the compiled engine runs, whenever its code is made', async () => {
    const mechanism = builtinMechanism('chain-200-free');
    const now = new CompiledDynamics(mechanism);
    const later = new CompiledDynamics(mechanism);
    await later.ready();
    const state = State.random(mechanism, 3);
    const tau = randomVector(3, mechanism.nv, 2);
    const qdd = now.forward(state, tau);
    expect(now.explain()).toContain('two halves in the lanes of vectors');
    expect(relativeError(qdd, new PlainDynamics(mechanism).forward(state, tau))).toBeLessThan(1e-10);
    expect(later.forward(state, tau)).toEqual(qdd);
    now.fillScratch(Number.NaN);
    expect(now.forward(state, tau)).toEqual(qdd);
  });

  it('not of mechanisms on the ground, small ones, and those whose halves are not alike', () => {
    for (const name of ['human-34', 'human-161', 'chain-32', 'chain-16-free'])
      expect(new Planner(builtinMechanism(name)).planShared(), name).toBeUndefined();
    expect(pairs(new Planner(builtinMechanism('chain-200')).planShared()!)).toBe(0);
    const unlike = randomMechanism(3, { bodies: 60, base: 'floating' });
    const planned = new Planner(unlike).planShared();
    if (planned !== undefined) check(unlike, planned);
  });
});
