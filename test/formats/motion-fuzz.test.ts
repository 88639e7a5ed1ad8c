// Damaged motions, models and tables: read or properly refused, soon. A long run: MANIKIN_FUZZ_RUNS=100000.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBvh } from '../../src/formats/bvh.js';
import { parseC3d } from '../../src/formats/c3d.js';
import { parseExternalLoads } from '../../src/formats/external-loads.js';
import { parseOpensimSetup } from '../../src/formats/opensim-setup.js';
import { parseOsim } from '../../src/formats/osim.js';
import { parseStorage } from '../../src/formats/storage.js';
import { parseTrc } from '../../src/formats/trc.js';
import { figureFromBvh } from '../../src/motion/bvh-figure.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import { differentiated, smoothed } from '../../src/motion/trajectory.js';
import { gaitBvh } from '../motion/gait.js';
import { writeC3d } from '../support/c3d-writer.js';
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
  if (RUNS > 1000) console.log(JSON.stringify(tally));
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

  it('TRC', TIME_LIMIT, () => {
    const head =
      'PathFileType\t4\t(X/Y/Z)\tx.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n60\t60\t3\t2\tmm\n';
    const rows = ['1\t0.00\t1\t2\t3\t4\t5\t6', '2\t0.01\t1\t2\t3\t\t\t', '3\t0.02\t1.5\t-2e1\t3\t4\t5\t6'];
    const text = `${head}Frame#\tTime\tR.ASIS\t\t\tL Knee\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n${rows.join('\n')}\n`;
    const { accepted } = fuzz(text, (damaged) => {
      const { labels, times, positions } = parseTrc(damaged, { file: 'x.trc' });
      expect(positions).toHaveLength(3 * labels.length * times.length);
    });
    expect(accepted).toBeGreaterThan(0);
  });

  it.each([84, 85, 86] as const)('C3D of processor %i', TIME_LIMIT, (processor) => {
    const bytes = writeC3d({
      labels: ['RASI', 'LASI'],
      rate: 100,
      positions: Float64Array.from({ length: 18 }, (_, k) => (k === 4 ? Number.NaN : 10 * k)),
      analogLabels: ['Fx', 'Fz'],
      samples: 2,
      analog: Float64Array.from({ length: 12 }, (_, k) => k),
      processor,
      ...(processor === 86 && { scale: 0.5 }),
    });
    const { accepted } = fuzz(Buffer.from(bytes).toString('latin1'), (damaged) => {
      const { labels, times, positions } = parseC3d(new Uint8Array(Buffer.from(damaged, 'latin1')), { file: 'x.c3d' });
      expect(positions).toHaveLength(3 * labels.length * times.length);
    });
    expect(accepted).toBeGreaterThan(0);
  });

  it('set-ups of OpenSim', TIME_LIMIT, () => {
    const task = (name: string): string =>
      `<IKMarkerTask name="${name}"><apply>true</apply><weight>10</weight></IKMarkerTask>`;
    const text = `<OpenSimDocument Version="30000"><InverseKinematicsTool name="x"><model_file>m.osim</model_file><IKTaskSet><objects>
      ${task('RASI')}${task('LASI')}<IKCoordinateTask name="knee"><apply>true</apply><weight>1</weight></IKCoordinateTask></objects></IKTaskSet>
      <marker_file>x.trc</marker_file><time_range>0 1.5</time_range></InverseKinematicsTool></OpenSimDocument>`;
    const { accepted } = fuzz(text, (damaged) => parseOpensimSetup(damaged, { file: 's.xml' }));
    expect(accepted).toBeGreaterThan(0);
    const forces = text
      .replaceAll('InverseKinematics', 'InverseDynamics')
      .replaceAll('marker_file', 'coordinates_file');
    fuzz(forces, (damaged) => parseOpensimSetup(damaged, { file: 's.xml' }));
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
