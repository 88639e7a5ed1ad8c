import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../bench/forward.js';
import { built, MAIN } from './process-support.js';
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

  it.skipIf(!built)('does without MuJoCo where it is not installed, and says so', () => {
    // A process in which that package cannot be found.
    const absent = `export async function resolve(name, context, next) {
      if (name === '@mujoco/mujoco') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    }`;
    const inUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
    const register = inUrl(`import { register } from 'node:module'; register(${JSON.stringify(inUrl(absent))});`);
    const words = ['--import', register, MAIN, 'bench', 'fd', 'chain-8', '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    const { results, ratios } = JSON.parse(stdout) as Report;
    expect(results.map(({ engine }) => engine)).toEqual(new Array(4).fill('manikin'));
    expect(ratios).toEqual([]);
    expect(stderr).toContain('chain-8 is not timed with MuJoCo');
  });
});
