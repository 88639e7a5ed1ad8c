// OpenSim's way to smooth and differentiate, and a set-up file run as it is.

import { describe, expect, it } from 'vitest';
import { parseOpensimSetup, parseStorage } from '../../src/formats/index.js';
import { filterThirdOrder, opensimRates, quinticCoefficients } from '../../src/motion/opensim-filter.js';
import { json, manikin, read, temporaryFolder } from '../cli/support.js';
import { hasShared, readShared, sharedPath } from '../support/shared.js';

const INTERVAL = 0.01;
const sampled = (count: number, f: (t: number) => number): Float64Array =>
  Float64Array.from({ length: count }, (_, k) => f(k * INTERVAL));

describe('the filter of third order, both ways', () => {
  it('passes half of a sine at the cut-off, by (1 + (f / fc)^6)^-1 elsewhere, without delay', () => {
    for (const frequency of [1, 3, 6, 9, 15]) {
      const x = sampled(1200, (t) => Math.sin(2 * Math.PI * frequency * t));
      const y = x.slice();
      filterThirdOrder(y, 6, INTERVAL);
      // The bilinear transform bends the scale of frequencies.
      const bent = Math.tan(Math.PI * frequency * INTERVAL) / Math.tan(Math.PI * 6 * INTERVAL);
      const expected = 1 / (1 + bent ** 6);
      for (let k = 400; k < 800; k++) expect(y[k]).toBeCloseTo(expected * x[k], 9);
    }
  });

  it('lines stay as they are, to their ends', () => {
    const x = sampled(600, (t) => 3 - 2 * t);
    const { values, first, second } = opensimRates(x, 1, 600, INTERVAL, 6);
    for (let k = 0; k < 600; k++) {
      expect(values[k]).toBeCloseTo(x[k], 12);
      expect(first[k]).toBeCloseTo(-2, 10);
      expect(second[k]).toBeCloseTo(0, 8);
    }
  });
});

describe('the spline of fifth degree', () => {
  it('goes through its points, with third and fourth derivatives of zero at its ends', () => {
    const y = sampled(20, (t) => Math.exp(5 * t) * Math.cos(30 * t));
    const c = quinticCoefficients(y);
    y.forEach((value, i) => {
      const [a, b, m, d, e] = c.subarray(i, i + 5);
      expect((a + 26 * b + 66 * m + 26 * d + e) / 120).toBeCloseTo(value, 12);
    });
    for (const at of [0, 19]) {
      const [a, b, m, d, e] = c.subarray(at, at + 5);
      expect(-a + 2 * b - 2 * d + e).toBeCloseTo(0, 10);
      expect(a - 4 * b + 6 * m - 4 * d + e).toBeCloseTo(0, 10);
    }
  });

  it('has the rates of a smooth motion', () => {
    const x = sampled(100, (t) => Math.sin(8 * t));
    const { first, second } = opensimRates(x, 1, 100, INTERVAL, null);
    for (let k = 25; k < 75; k++) {
      expect(first[k]).toBeCloseTo(8 * Math.cos(8 * k * INTERVAL), 6);
      expect(second[k]).toBeCloseTo(-64 * Math.sin(8 * k * INTERVAL), 3);
    }
  });
});

const SETUP = 'data/opensim/walk_Setup_ID.xml';

describe.skipIf(!hasShared(SETUP))('a set-up of inverse dynamics', () => {
  const files = temporaryFolder();

  it('is read', () => {
    expect(parseOpensimSetup(readShared(SETUP))).toMatchObject({
      tool: 'inverse-dynamics',
      modelFile: '../subject01.osim',
      timeRange: [0, 2.5],
      cutoff: 6,
      outputFile: 'subject01_walk_ID.sto',
    });
    const ik = parseOpensimSetup(readShared('data/opensim/walk_Setup_IK.xml'));
    expect(ik.tool).toBe('inverse-kinematics');
    expect(ik.markerWeights.get('Top.Head')).toBe(3);
    expect(() => parseOpensimSetup('<OpenSimDocument/>')).toThrow('InverseDynamicsTool');
  });

  it('runs as it is, with columns as OpenSim names them', async () => {
    const out = files.path('id.sto');
    const found = await json('inverse', sharedPath(SETUP), '--out', out, '--quiet');
    const table = parseStorage(read(out));
    expect(table.labels.slice(0, 4)).toEqual(['time', 'pelvis_tilt_moment', 'pelvis_tx_force', 'pelvis_ty_force']);
    expect(table.rowCount).toBe(151);
    expect(found).toMatchObject({ cutoff: 6, supports: { none: 0 } });
    // What is said on the command line goes before the set-up.
    expect((await json('inverse', sharedPath(SETUP), '--cutoff', '10', '--quiet')).cutoff).toBe(10);
  });

  it('opens nothing outside its root', async () => {
    const setup = readShared(SETUP).replace('../subject01.osim', '../../../../etc/hostname');
    const outcome = await manikin('inverse', files.write('setup.xml', setup));
    expect(outcome.code).toBe(2);
    expect(outcome.err).toContain('neither below');
  });
});
