import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PATIENCE } from '../support/patience.js';
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

  it('refuses what is not computed on the GPU, naming the model and what to do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manikin-'));
    const file = join(folder, 'four-bar.json');
    const frame = { E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] };
    const link = { mass: 1, com: [0, 0, 0.1], inertia: [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01], parent: null, ...frame };
    const spec = {
      name: 'loop',
      gravity: [0, 0, -9.81],
      bodies: ['a', 'b'].map((name) => ({ name, ...link, joint: { type: 'revolute', axis: [0, 1, 0] } })),
      loops: [{ joint: { type: 'spherical' }, a: { body: 'a', ...frame }, b: { body: 'b', ...frame } }],
    };
    writeFileSync(file, JSON.stringify(spec));
    const { code, err } = await manikin('bench', 'gpu', file);
    rmSync(folder, { recursive: true });
    expect(code).toBe(2);
    expect(err).toContain('has closed loops, which are not computed on the GPU');
  });

  it('without a driver: says what is missing and what else there is', () => {
    const { VK_ICD_FILENAMES: _icd, VK_DRIVER_FILES: _driver, ...rest } = process.env;
    const nowhere = { ...rest, VK_ICD_FILENAMES: '/nowhere.json', VK_DRIVER_FILES: '/nowhere.json' };
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [main, 'bench', 'gpu', 'chain-3'], {
      encoding: 'utf8',
      env: nowhere,
      timeout: PATIENCE,
    });
    expect(status).toBe(2);
    expect(stderr).toContain('WebGPU finds no adapter');
    expect(stderr).toContain('Install the driver');
    expect(stderr).toContain('"manikin bench fd"');
    expect(stderr).not.toContain('GpuError');
  });
});
