import { describe, expect, it } from 'vitest';
import { expectRefusal, json, manikin } from './support.js';

describe('bench simulation', () => {
  it('prints what the contract asks for', async () => {
    const words = ['bench', 'simulation', 'compass', '--engine', 'wasm', '--integrator', 'rk4'];
    const { machine, results } = await json(...words);
    expect(machine).toMatchObject({ processor: expect.any(String), cores: expect.any(Number) });
    expect(results).toEqual([
      {
        model: 'compass',
        engine: 'wasm',
        integrator: 'rk4',
        stepNs: expect.any(Number),
        forwardNs: expect.any(Number),
      },
    ]);
    expect(Math.min(results[0].stepNs, results[0].forwardNs)).toBeGreaterThan(10);
  });

  it('says what is wrong', async () => {
    expectRefusal(await manikin('bench', 'simulation', 'nobody'), 2);
    expectRefusal(await manikin('bench', 'simulation', 'compass', '--integrator', 'leapfrog'), 2);
  });
});

describe('energy that grows without a cause', () => {
  it('ends a simulation with code 1, one sentence, and no file', async () => {
    const outcome = await manikin('simulate', 'chain-8', '--seed', '3', '--integrator', 'euler', '--duration', '30');
    expectRefusal(outcome, 1);
    expect(outcome.err).toMatch(/^Error: The energy grew by .* Take the integrator dopri5, or a step of at most .*\n$/);
  });
});
