import { describe, expect, it, vi } from 'vitest';
import type { Report } from '../../bench/forward.js';
import { manikin } from './support.js';

describe('manikin bench fd', () => {
  it('times every variant and says how well they agree', async () => {
    const { code, out, err } = await manikin('bench', 'fd', 'chain-8', 'chain-8-spherical', '--batch', '6', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { machine, results, ratios } = JSON.parse(out) as Report;
    expect(machine).toEqual({ processor: expect.any(String), cores: expect.any(Number), node: process.version });
    expect(results.map(({ model, engine, variant }) => `${model} ${engine} ${variant}`)).toEqual(
      ['chain-8', 'chain-8-spherical'].flatMap((model) => [
        ...['readable', 'generic', 'specialised', 'batch'].map((variant) => `${model} manikin ${variant}`),
        `${model} mujoco-wasm generic`,
      ]),
    );
    for (const line of results) {
      expect(Object.keys(line)).toEqual(['model', 'engine', 'variant', 'algorithm', 'ns', 'nsMedian', 'error']);
      expect(line.ns).toBeGreaterThan(0);
      expect(line.nsMedian).toBeGreaterThanOrEqual(line.ns);
      expect(line.error).toBeLessThan(line.engine === 'manikin' ? 1e-11 : 1e-9);
    }
    expect(ratios.map(({ model }) => model)).toEqual(['chain-8', 'chain-8-spherical']);
  });

  it('prints a table', async () => {
    const { code, out } = await manikin('bench', 'fd', 'chain-8');
    expect(code).toBe(0);
    for (const word of ['us, median', 'to MuJoCo', 'readable', 'generic', 'specialised', 'batch'])
      expect(out).toContain(word);
  });

  it.each([
    [['bench', 'fd', 'chain-8', '--batch', '0'], 'from 1 to'],
    [['bench', 'fd', 'chain-8', '--batch', 'many'], 'whole number'],
    [['bench', 'fd', 'nothing-there'], 'nothing-there'],
    [['bench', 'fd'], 'model'],
    [['bench', 'walk'], 'walk'],
  ])('refuses %j', async (words, message) => {
    const { code, out, err } = await manikin(...words);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
  });

  // The last one: modules that are loaded anew have classes of errors of their own.
  it('does without MuJoCo where it is not installed, and says so', async () => {
    vi.resetModules();
    vi.doMock('@mujoco/mujoco', () => {
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    });
    const { benchForward } = await import('../../bench/forward.js');
    const { builtinMechanism } = await import('../../src/models/index.js');
    const notes: string[] = [];
    const report = await benchForward([{ name: 'chain-8', mechanism: builtinMechanism('chain-8') }], {
      rounds: 2,
      note: (text) => notes.push(text),
    });
    vi.doUnmock('@mujoco/mujoco');
    expect(report.results.map(({ engine }) => engine)).toEqual(new Array(4).fill('manikin'));
    expect(report.ratios).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('chain-8 is not timed with MuJoCo')]);
  });
});
