// The kneed walker: its mechanism, its gait, the knee that stops, and the drawings.

import { parseXml } from '@rgrove/parse-xml';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { State } from '../../../src/mechanism/state.js';
import { compass } from '../../../src/models/compass.js';
import { kneed } from '../../../src/models/kneed.js';
import { bifurcationPlot, energyPlot, phasePortrait, stickFigure } from '../../../src/papers/walker/figures.js';
import { findGait, standingAt } from '../../../src/papers/walker/gait.js';
import { basinHints, makeWalker, recordWalk, repeatsAfter } from '../../../src/papers/walker/study.js';
import { coordinates, Walker } from '../../../src/papers/walker/walker.js';

const FEW_DIGITS = { relative: 1e-9, absolute: 1e-10 };
const walker = new Walker(kneed(), { slope: 0.0504, tolerances: FEW_DIGITS });
const gait = findGait(walker, [-0.289, -1.54, -0.45])!;

describe('the mechanism', () => {
  it('with both knees straight it is a compass biped of the same masses', () => {
    const mechanism = kneed();
    const state = new State(mechanism).set('support', 0.2, -1).set('hip', -0.5, 0.7);
    const { kinetic, potential, com } = new PlainDynamics(mechanism).energy(state);
    // A leg is two point masses; so is the compass's with the mass and place of their sum, but for its moment of inertia.
    const legMass = 0.55;
    const legMassFromFoot = (0.5 * 0.675 + 0.05 * 0.375) / legMass;
    const straight = compass({ hipMass: 0.5, legMass, legMassFromFoot });
    const same = new PlainDynamics(straight).energy(new State(straight).set('support', 0.2, -1).set('hip', -0.5, 0.7));
    expect(potential).toBeCloseTo(same.potential, 12);
    expect(com[0]).toBeCloseTo(same.com[0], 12);
    const moment = 0.5 * (0.675 - legMassFromFoot) ** 2 + 0.05 * (0.375 - legMassFromFoot) ** 2;
    expect(kinetic).toBeCloseTo(same.kinetic + (moment * (1 + 0.3 ** 2)) / 2, 12);
  });

  it.each([
    [{ thighMass: 0 }, 'kneed thighMass: It must be more than zero'],
    [{ shankMassFromFoot: 0.5 }, 'kneed shankMassFromFoot: It must be zero or more and less than 0.5'],
    [{ gravity: Number.NaN }, 'kneed gravity'],
  ])('refuses %j', (options, message) => {
    expect(() => kneed(options)).toThrow(message);
  });
});

describe('the gait', () => {
  it('repeats, is stable, and loses what the slope gives', () => {
    expect(gait.residual).toBeLessThan(1e-9);
    for (const [re, im] of gait.eigenvalues) expect(Math.hypot(re, im)).toBeLessThan(1);
    const { energyLost, kneeLoss, stepLength } = gait.step;
    expect(kneeLoss).toBeGreaterThan(0);
    expect(energyLost + kneeLoss).toBeCloseTo(1.6 * 9.81 * stepLength * Math.sin(0.0504), 7);
  });

  it('is that of the thesis: 0.1877, -0.2884 and -1.1014, -0.0399 just after the strike', () => {
    const { after } = walker.strike(standingAt(walker, gait.section))!;
    const [q, w] = coordinates(after, 'q');
    const [v, u] = coordinates(after, 'v');
    expect(q).toBeCloseTo(0.1877, 2);
    expect(q + w).toBeCloseTo(-0.2884, 2);
    expect(v).toBeCloseTo(-1.1014, 1);
    expect(v + u).toBeCloseTo(-0.0399, 1);
    // The knee of the leg that leaves the ground is free, the other locked.
    expect(after.mechanism.joints.map(({ type }) => type).sort()).toEqual([
      'fixed',
      'revolute',
      'revolute',
      'revolute',
    ]);
  });

  it('lets the foot go higher than without knees: scuffing by a fraction of what the compass biped does', () => {
    const lowest = (samples: ReturnType<typeof recordWalk>, slope: number): number =>
      Math.min(
        ...samples.map(({ a, b, stands }) => {
          const [foot, stance] = stands ? [b[0], a[0]] : [a[0], b[0]];
          return (foot[0] - stance[0]) * Math.sin(slope) + (foot[1] - stance[1]) * Math.cos(slope);
        }),
      );
    const samples = recordWalk(walker, standingAt(walker, gait.section), 1);
    const plain = makeWalker({ model: 'compass', slope: 0.0524, sizes: {}, tolerances: FEW_DIGITS });
    const stiff = recordWalk(plain, standingAt(plain, [-0.3235, -1.4946, -0.3117]), 1);
    // The errata say 3.6 mm for the compass biped.
    expect(lowest(stiff, 0.0524)).toBeCloseTo(-0.0036, 4);
    expect(lowest(samples, 0.0504)).toBeGreaterThan(-0.001);
  });

  it('comes back from small offsets, and the hint says how small', async () => {
    const rough = new Walker(compass(), { slope: 0.0524, tolerances: { relative: 1e-5, absolute: 1e-6 } });
    const near = { ...gait, section: [-0.3235, -1.4946, -0.3117] as const };
    const hints = await basinHints(rough, near);
    expect(hints.map(({ coordinate }) => coordinate)).toEqual(['q_st', 'v_st', 'v_sw']);
    for (const { below, above } of hints) {
      expect(below).toBeGreaterThan(0.005);
      expect(above).toBeGreaterThan(0.005);
    }
  });
});

describe('drawings', () => {
  const samples = recordWalk(walker, standingAt(walker, gait.section), 2);

  it('two steps are recorded from strike to strike, the legs exchanging their roles', () => {
    expect(new Set(samples.map(({ step }) => step))).toEqual(new Set([0, 1]));
    expect(samples.filter(({ step }) => step === 0).every(({ stands }) => stands)).toBe(true);
    expect(samples.filter(({ step }) => step === 1).every(({ stands }) => !stands)).toBe(true);
    for (const { a, b } of samples) {
      expect([a.length, b.length]).toEqual([3, 3]);
      // Thigh and shank keep their lengths.
      for (const [foot, knee, hip] of [a, b]) {
        expect(Math.hypot(knee[0] - foot[0], knee[1] - foot[1])).toBeCloseTo(0.5, 9);
        expect(Math.hypot(hip[0] - knee[0], hip[1] - knee[1])).toBeCloseTo(0.5, 9);
      }
    }
  });

  it('are well-formed SVG without scripts, and say what they show', () => {
    const figure = stickFigure(samples, { slope: 0.0504, legLength: 1, title: 'a <walker> & co' });
    const pictures = [
      figure,
      phasePortrait(samples, 'portrait'),
      energyPlot(samples, 'energies'),
      bifurcationPlot(
        [
          { slope: 0.07, periods: [0.7, 0.8] },
          { slope: 0.08, periods: [] },
        ],
        'road',
      ),
    ];
    for (const svg of pictures) {
      expect(() => parseXml(svg)).not.toThrow();
      expect(svg).not.toMatch(/<script|href=|NaN|Infinity/);
    }
    expect(figure).toContain('<animate attributeName="d"');
    expect(figure).toContain('a &#60;walker&#62; &#38; co');
  });

  it('after how many steps it repeats', () => {
    expect(repeatsAfter([1, 1, 1, 1], 1e-9)).toBe(1);
    expect(repeatsAfter([1, 2, 1, 2, 1, 2], 1e-9)).toBe(2);
    expect(repeatsAfter([1, 2, 3, 4, 5], 1e-9)).toBeUndefined();
  });
});
