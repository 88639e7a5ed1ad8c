// manikin walk. MANIKIN_LONG=1 takes a thousand steps.

import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseReplay } from '../../src/plot/replay.js';
import { hasShared, readShared } from '../support/shared.js';
import { expectRefusal, manikin, read, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const STEPS = process.env.MANIKIN_LONG === '1' ? 1000 : 75;

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
async function walkJson(...words: readonly string[]): Promise<any> {
  const { code, out, err } = await manikin('walk', ...words, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

const available = hasShared('reference/compass.json');
const reference = available ? JSON.parse(readShared('reference/compass.json'))['gait_g_9.81'] : {};
const near = (got: readonly number[], expected: readonly number[]): number =>
  Math.max(...got.map((value, k) => Math.abs(value - expected[k])));

describe('walk', () => {
  it.skipIf(!available)('the paper’s walker from Table 1: many steps, and the gait to 1e-9', async () => {
    const result = await walkJson('--steps', `${STEPS}`);
    const { g, period, stepLength, preImpact, eigenvalues, energyLostPerStep, steps, fall } = result;
    expect([g, fall, steps.length]).toEqual([9.81, null, STEPS]);
    expect(near([period, stepLength], [reference.step_period, reference.step_length])).toBeLessThan(1e-9);
    expect(near([...preImpact.q, ...preImpact.v], reference.fixed_point_pre_q)).toBeLessThan(1e-9);
    expect(near(eigenvalues.flat(), reference.eigenvalues.flat())).toBeLessThan(1e-5);
    expect(Math.abs(energyLostPerStep - reference.energy_lost_per_impact)).toBeLessThan(1e-8);
    for (const step of steps.slice(60)) {
      expect(near([...step.q, ...step.v], reference.fixed_point_pre_q)).toBeLessThan(1e-9);
      expect(Math.abs(step.period - reference.step_period)).toBeLessThan(1e-9);
    }
  });

  it('the road to chaos: the period doubles, and again', async () => {
    // Goswami, Thuilot and Espiau (1996): doubling at 4.37 degrees (0.0763 rad), the next at 4.9 degrees (0.0855 rad).
    const file = folder.path('road.svg');
    const words = ['--steps', '0', '--sweep', '0.073:0.0866:3', '--settle', '60', '--keep', '16'];
    const { sweep, steps } = await walkJson(...words, '--bifurcation', file);
    expect(steps).toEqual([]);
    expect(sweep.map(({ repeatsAfter }: { repeatsAfter: number }) => repeatsAfter)).toEqual([1, 2, 4]);
    // One, two and four dots: those at the same place are one.
    const dots = read(file).match(/M[\d.]+ [\d.]+h0/g)!.length;
    expect(dots).toBeGreaterThanOrEqual(7);
    expect(dots).toBeLessThan(48);
    // An eigenvalue passes -1 there.
    const [largest] = (await walkJson('--steps', '0', '--slope', '0.078')).eigenvalues;
    expect(largest[0]).toBeLessThan(-1);
    expect(largest[1]).toBe(0);
  });

  it('the kneed walker, with a start of one’s own, and a table', async () => {
    const result = await walkJson('--model', 'kneed', '--steps', '2', '--start=-0.29,0.4792,-1.54,-0.45');
    expect(result.steps).toHaveLength(2);
    expect(result.steps[0].q[0]).toBeCloseTo(-0.289, 2);
    const { out } = await manikin('walk', '--steps', '2');
    for (const text of ['period of a step', '0.734379 s', 'stable', 'walked', '2 steps']) expect(out).toContain(text);
  });

  it('says how it fell', async () => {
    expect(await walkJson('--steps', '5', '--scuffing', 'stop')).toMatchObject({ fall: 'scuffed', steps: [] });
  });

  it('draws all there is to draw', async () => {
    const names = ['page.html', 'walker.svg', 'phase.svg', 'energy.svg'].map((name) => folder.path(name));
    const [html, svg, phase, energy] = names;
    const { files } = await walkJson(
      '--steps',
      '1',
      '--html',
      html,
      '--svg',
      svg,
      '--phase',
      phase,
      '--energy',
      energy,
    );
    expect(files.sort()).toEqual(names.sort());
    expect(read(html)).toMatch(/^<!doctype html>/);
    const data = /<script type="application\/json" id="replay">(.*?)<\/script>/s.exec(read(html))![1];
    const replay = parseReplay(data);
    expect(replay.pictures.map((picture) => picture.svg)).toEqual([phase, energy].map(read));
    expect(replay.facts).toContainEqual(['walked', '1 steps']);
  });

  it.each([
    [['--slope', 'steep'], 'Expected a finite number'],
    [['--slope', '1'], 'It must be between -pi/4 and pi/4, got 1'],
    [['--slope', '-0.1'], 'there is no passive gait at -0.1'],
    [['--leg-mass', '0'], 'Expected a positive number'],
    [['--hip-mass', '-1'], 'compass hipMass: It must be zero or more, got -1'],
    [['--thigh-mass', '1'], 'The compass walker has no --thigh-mass'],
    [['--model', 'runner'], 'Allowed choices are compass, kneed'],
    [['--steps', '-1'], 'Expected a number from 0'],
    [['--start', '1,2,3'], 'Expected four finite numbers'],
    [['--sweep', '0.1'], 'Expected from:to'],
    [['--bifurcation', 'x.svg', '--steps', '0'], '--bifurcation needs --sweep'],
    [['--svg', 'x.svg', '--phase', './x.svg'], '--svg and --phase name the same file'],
  ])('refuses %j', async (words, message) => {
    const outcome = await manikin('walk', ...words);
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain(message);
    expect(existsSync('x.svg')).toBe(false);
  });
});
