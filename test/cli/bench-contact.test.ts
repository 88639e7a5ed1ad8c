import { describe, expect, it } from 'vitest';
import { expectRefusal, json, manikin } from './support.js';

describe('bench contact', () => {
  it('prints what the contract asks for', async () => {
    const { machine, results } = await json('bench', 'contact', 'stack', '--duration', '0.1');
    expect(machine).toMatchObject({ processor: expect.any(String), cores: expect.any(Number) });
    expect(results[0]).toMatchObject({ scene: 'stack', engine: 'manikin', contacts: 40 });
    for (const line of results) {
      expect(['manikin', 'mujoco-wasm']).toContain(line.engine);
      expect(line.stepNsMedian).toBeGreaterThanOrEqual(line.stepNs);
      expect(line.depth).toBeLessThan(line.engine === 'manikin' ? 1e-4 : 1e-2);
    }
    expect(results[0].residual).toBeLessThan(1e-8);
  });

  it('says what is wrong', async () => {
    expectRefusal(await manikin('bench', 'contact', 'avalanche'), 2);
    expectRefusal(await manikin('bench', 'contact', 'stack', '--duration', '-1'), 2);
  });
});
