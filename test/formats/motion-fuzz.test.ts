// Damaged motions, models and tables: read or properly refused, soon. A long run: MANIKIN_FUZZ_RUNS=100000.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBvh } from '../../src/formats/bvh.js';
import { parseExternalLoads } from '../../src/formats/external-loads.js';
import { parseOsim } from '../../src/formats/osim.js';
import { parseStorage } from '../../src/formats/storage.js';
import { figureFromBvh } from '../../src/motion/bvh-figure.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import { differentiated, smoothed } from '../../src/motion/trajectory.js';
import { gaitBvh } from '../motion/gait.js';
import { hasShared, readShared } from '../support/shared.js';
import { mutate, mutations } from './mutation.js';
import { expectProperRefusal } from './support.js';

const RUNS = Number(process.env.MANIKIN_FUZZ_RUNS ?? 100);
/** Milliseconds of the processor that no file may take. */
const LONGEST_MS = 20_000;

function fuzz(text: string, read: (damaged: string) => void): { accepted: number; refused: number } {
  const tally = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(mutations, (list) => {
      const start = process.cpuUsage();
      try {
        read(mutate(text, list));
        tally.accepted++;
      } catch (error) {
        expectProperRefusal(error);
        tally.refused++;
      }
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(LONGEST_MS);
    }),
    { numRuns: RUNS },
  );
  expect(tally.refused).toBeGreaterThan(0);
  return tally;
}

const TIME_LIMIT = { timeout: 300_000 + RUNS * 1000 };

describe('damaged', () => {
  it('BVH: a figure with its forces, or refused', TIME_LIMIT, () => {
    const tally = fuzz(gaitBvh({ seconds: 0.3 }), (damaged) => {
      const figure = figureFromBvh(parseBvh(damaged, { file: 'walk.bvh' }));
      const { feet, size } = figure;
      if (feet.length === 0) return;
      const trajectory = differentiated(smoothed(figure.positions, null));
      inverseOfMotion(trajectory, { feet, height: size.height });
    });
    expect(tally.accepted).toBeGreaterThan(0);
  });

  it('tables', TIME_LIMIT, () => {
    const text = 'x\nnRows=3\nnColumns=3\ninDegrees=yes\nendheader\ntime\ta\tb\n0\t1\t2\n0.1\t2\t3\n0.2\t-1e-3\tnan\n';
    fuzz(text, (damaged) => parseStorage(damaged, { file: 'walk.mot' }));
  });

  it.skipIf(!hasShared('data/opensim'))('models and loads', TIME_LIMIT, () => {
    // The part of the model that is read.
    const model = readShared('data/opensim/subject01.osim').replace(/<ForceSet[\s\S]*<\/ForceSet>/, '');
    fuzz(model, (damaged) => parseOsim(damaged, { file: 'm.osim' }));
    fuzz(readShared('data/opensim/subject01_walk_grf.xml'), (damaged) =>
      parseExternalLoads(damaged, { file: 'l.xml' }),
    );
  });
});
