import { describe, expect, it } from 'vitest';
import { hasSoftwareGpu } from '../support/software-gpu.js';
import { manikin } from './support.js';

describe.skipIf(!hasSoftwareGpu())('manikin bench gpu', () => {
  it('prints states per second and errors, of batches and of one large mechanism', async () => {
    const { code, out, err } = await manikin(
      'bench',
      'gpu',
      'chain-3',
      '--batch',
      '256',
      '--variant',
      'registers, poses computed twice',
      '--json',
    );
    expect(code, err).toBe(0);
    const { adapter, results } = JSON.parse(out) as {
      adapter: string;
      results: { model: string; task: string; variant: string; batch: number; [figure: string]: unknown }[];
    };
    expect(adapter).toContain('SwiftShader');
    expect(results.map(({ model, task, batch }) => [model, task, batch])).toEqual([
      ['chain-3', 'forward', 256],
      ['chain-3', 'inverse', 256],
      ['chain-3', 'rollout', 256],
    ]);
    for (const line of results.slice(0, 2)) {
      for (const figure of ['statesPerSecond', 'wallStatesPerSecond', 'ioStatesPerSecond'])
        expect(line[figure], figure).toBeGreaterThan(0);
      expect(line.error).toBeLessThan(1e-4);
    }
    const large = await manikin('bench', 'gpu', 'chain-3', '--assembly');
    expect(large.code).toBe(0);
    expect(large.out).toMatch(/chain-3 +assembly +2 rounds/);
  });

  it('says what is wrong with a request', async () => {
    for (const [words, message] of [
      [['chain-3', '--batch', 'many'], '--batch expects numbers of states'],
      [['chain-3', '--batch', '256', '--variant', 'magic'], 'There is no variant "magic"'],
      [['nobody'], 'There is no built-in mechanism "nobody"'],
    ] as const) {
      const { code, err } = await manikin('bench', 'gpu', ...words);
      expect(code).toBe(2);
      expect(err).toContain(message);
    }
  });
});
