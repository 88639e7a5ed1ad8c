// Damaged scenes, sweeps, jobs of queues and checkpoints: what is read runs, or stops with a reason; the rest is properly refused. A long
// run: MANIKIN_FUZZ_RUNS=5000 npx vitest run test/scenes/fuzz.test.ts.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf, parseJob } from '../../src/cli/sweep/job.js';
import { formatJson } from '../../src/formats/json-writer.js';
import { ImportError, SimulationError } from '../../src/mechanism/errors.js';
import { crc32 } from '../../src/recording/crc32.js';
import { formatCheckpoint, parseCheckpoint } from '../../src/recording/index.js';
import { parseScene, type SceneWorld, sceneWorld } from '../../src/scenes/index.js';
import { Assignments } from '../../src/sweep/assignments.js';
import { parseSweep } from '../../src/sweep/parse-sweep.js';
import { prepareRun } from '../../src/sweep/prepare.js';
import { RunResolver } from '../../src/sweep/resolve.js';
import { dataMutations, mutate, mutateData, mutations } from '../formats/mutation.js';
import { expectProperRefusal } from '../formats/support.js';

const RUNS = Number(process.env.MANIKIN_FUZZ_RUNS ?? 60);
const LIMIT = { timeout: 300_000 + RUNS * 1000 };
/** Milliseconds of the processor that no case may take. */
const LONGEST_MS = 20_000;

/** Damaged data, or a damaged text of it, is read, and ends in a result, a proper refusal, or a simulation that says why it stops. */
async function fuzz(data: object, read: (damaged: object | string) => unknown): Promise<void> {
  const tally = { accepted: 0, stopped: 0, refused: 0 };
  const text = formatJson(data);
  const damaged = fc.oneof(
    { weight: 3, arbitrary: dataMutations.map((list) => mutateData(data, list)) },
    { weight: 1, arbitrary: mutations.map((list) => mutate(text, list)) },
  );
  await fc.assert(
    fc.asyncProperty(damaged, async (given) => {
      const start = process.cpuUsage();
      try {
        await read(given);
        tally.accepted++;
      } catch (error) {
        if (error instanceof SimulationError) {
          expect(error.message).toMatch(/^[A-Z][^\n]{0,600}\.$/);
          tally.stopped++;
        } else {
          expectProperRefusal(error);
          tally.refused++;
        }
      }
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(LONGEST_MS);
    }),
    { numRuns: RUNS },
  );
  if (RUNS > 1000) console.log(JSON.stringify(tally));
  expect(Math.min(tally.accepted, tally.refused)).toBeGreaterThan(0);
}

const SCENE = {
  description: 'a box, a door and an arm',
  mechanisms: [
    { model: { kind: 'box', size: [0.3, 0.2, 0.1], mass: 2 }, name: 'box', at: [1, 0, 0.05], velocity: [1, 0, 0] },
    {
      model: 'chain-3',
      name: 'arm',
      damping: 0.1,
      state: { joint_1: 0.4 },
      control: { kind: 'position', stiffness: 20, damping: 1, target: { joint_2: 0.3 } },
    },
    { model: { kind: 'sphere', radius: 0.1, density: 500 }, name: 'ball', at: [1, 0, 0.3], turned: [1, 0, 0, 0] },
  ],
  ground: { plane: [0, 0, 1, 0], friction: 0.8, restitution: 0.2 },
  obstacles: [{ name: 'step', shape: { kind: 'box', size: [1, 1, 0.2] }, t: [2, 0, 0.1] }],
  connect: [{ name: 'grip', mechanism: 'arm', a: 'link_3', joint: { type: 'spherical' } }],
  events: [
    { at: 0.004, disconnect: 'grip' },
    { at: 0.004, push: { mechanism: 'box', body: 'box', force: [5, 0, 0], duration: 0.01 } },
  ],
  filters: [{ without: ['arm/link_3', 'ground'] }],
  step: 0.002,
  duration: 0.02,
};

/** A few steps; nothing that is not a number comes out of them. */
function runSome(run: SceneWorld): void {
  for (let k = 0; k < 5 && run.stepTowards(run.duration); k++)
    for (const { state } of run.world.members)
      expect([...state.q, ...state.v].every(Number.isFinite), 'positions and velocities').toBe(true);
}

const NO_FILES = { folder: '', read: () => undefined };

describe('damaged', () => {
  it('scenes', LIMIT, async () => {
    runSome(sceneWorld(parseScene(SCENE), { files: NO_FILES }));
    await fuzz(SCENE, (damaged) => runSome(sceneWorld(parseScene(damaged, { file: 's.json' }), { files: NO_FILES })));
  });

  const SWEEP = {
    name: 'sweep',
    run: { simulate: { ...SCENE, duration: 0.004 } },
    parameters: {
      'scene.ground.friction': { from: 0.2, to: 0.8, count: 2, scale: 'log' },
      'scene.mechanisms[0].velocity[0]': { random: [0.5, 2] },
      'scene.step': [0.001, 0.002],
    },
    cases: [{ 'scene.ground.restitution': 0.1 }],
    seeds: { from: 3, count: 2 },
  };

  it('sweeps, and the runs of them', LIMIT, async () => {
    await fuzz(SWEEP, async (damaged) => {
      const sweep = parseSweep(damaged, { file: 'sweep.json' });
      const all = new Assignments(sweep);
      const resolver = new RunResolver(sweep, NO_FILES);
      for (const index of [0, all.count - 1]) await prepareRun(resolver.resolve(all.at(index)), NO_FILES);
    });
  });

  it('jobs of a queue', LIMIT, async () => {
    const sweep = parseSweep(SWEEP);
    const input = new RunResolver(sweep, NO_FILES).resolve(new Assignments(sweep).at(1));
    await fuzz({ format: 1, version: '0', input, files: { 'a.urdf': '0'.repeat(64) } }, async (damaged) => {
      const job = parseJob(damaged);
      expect(keyOf(job)).toMatch(/^[0-9a-f]{32}$/);
      await prepareRun(job.input, NO_FILES);
    });
  });
});

describe('checkpoints', () => {
  const start = (): SceneWorld => sceneWorld(parseScene(SCENE));
  const run = start();
  for (let k = 0; k < 4; k++) run.step();
  const text = formatCheckpoint(run.world, { mine: 1 });
  const resume = (damaged: string): void => {
    // Reading changes nothing in the world that it reads for.
    const { checkpoint } = parseCheckpoint(damaged, run.world, { file: 'c' });
    const fresh = start();
    fresh.restore({ world: checkpoint, events: 2 });
    runSome(fresh);
  };

  it('whose bytes changed', LIMIT, () => {
    resume(text);
    fc.assert(
      fc.property(mutations, (list) => {
        const damaged = mutate(text, list);
        if (damaged !== text) expect(() => resume(damaged)).toThrow(ImportError);
      }),
      { numRuns: RUNS },
    );
  });

  it('that say something else, with the right checksum', LIMIT, async () => {
    await fuzz(JSON.parse(text.slice(text.indexOf('\n') + 1)), (damaged) => {
      const body = typeof damaged === 'string' ? damaged : formatJson(damaged);
      const bytes = new TextEncoder().encode(body);
      resume(`{"manikin":"checkpoint","version":2,"bytes":${bytes.length},"crc32":"${crc32(bytes)}"}\n${body}`);
    });
  });
});
