import { afterEach, describe, expect, it, vi } from 'vitest';
import { json, manikin } from './support.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('simulate --engine', () => {
  it.each([
    ['auto', { engine: 'compiled' }],
    ['wasm', { engine: 'wasm' }],
    ['compiled', { engine: 'compiled' }],
    ['plain', { engine: 'plain' }],
  ])('%s', async (engine, expected) => {
    const { engine: used, time } = await json('simulate', 'chain-8', '--duration', '0.01', '--engine', engine);
    expect(used).toEqual(expected);
    expect(time).toBeCloseTo(0.01, 12);
  });

  it('is auto where it is left out, and the summary names it', async () => {
    const { out, err } = await manikin('simulate', 'chain-8', '--duration', '0.01');
    expect(out).toContain('dopri5, step 0.01 s, WebAssembly for this mechanism)');
    expect(err).toBe('');
  });

  it('goes on without WebAssembly and says so once', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    const { code, out, err } = await manikin('simulate', 'human-34', '--duration', '0.1', '--step', '0.01');
    expect(code).toBe(0);
    expect(err).toBe(
      'Computing in plain TypeScript: WebAssembly cannot be used here: Error: there is no WebAssembly\n',
    );
    expect(out).toContain('plain TypeScript: WebAssembly cannot be used here');
  });

  it('refuses others', async () => {
    const { code, err } = await manikin('simulate', 'chain-8', '--engine', 'fast');
    expect(code).toBe(2);
    expect(err).toContain('auto, plain, wasm, compiled, threads');
  });
});
