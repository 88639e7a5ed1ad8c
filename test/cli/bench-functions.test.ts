import { describe, expect, it } from 'vitest';
import type { FunctionsReport } from '../../bench/functions.js';
import { manikin } from './support.js';

const FUNCTIONS = [
  'forward',
  'inverse',
  'massMatrix',
  'inverseMassMatrix',
  'solve',
  'poses',
  'velocities',
  'velocities with poses',
  'jacobian',
  'jacobians',
  'centroidal',
  'energy',
  'idDerivatives',
  'fdDerivatives',
];

describe('manikin bench functions', () => {
  it('times every function through the door', async () => {
    const { code, out, err } = await manikin('bench', 'functions', 'chain-6', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { machine, results } = JSON.parse(out) as FunctionsReport;
    expect(machine).toEqual({ processor: expect.any(String), cores: expect.any(Number), node: process.version });
    expect(results.map((line) => line.function)).toEqual(FUNCTIONS);
    for (const line of results) {
      expect(Object.keys(line)).toEqual(['model', 'function', 'engine', 'ns', 'nsMedian']);
      expect(line.engine).toBe('compiled');
      expect(line.ns).toBeGreaterThan(0);
      expect(line.nsMedian).toBeGreaterThanOrEqual(line.ns);
    }
  });

  it('prints a table, and refuses an engine that there is not', async () => {
    const { out } = await manikin('bench', 'functions', 'chain-6', '--engine', 'plain');
    expect(out).not.toContain('compiled');
    for (const word of ['us, median', 'plain', ...FUNCTIONS]) expect(out).toContain(word);
    expect((await manikin('bench', 'functions', 'chain-6', '--engine', 'steam')).code).toBe(2);
  });
});
