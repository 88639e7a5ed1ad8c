// What keeps a captured motion from saying things that cannot be: loads that change hands smoothly, nothing in flight, jumps
// and impossible torques pointed out, strides laid over each other.

import { describe, expect, it } from 'vitest';
import { parseBvh } from '../../src/formats/bvh.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { beyondAbility } from '../../src/motion/ability.js';
import { figureFromBvh } from '../../src/motion/bvh-figure.js';
import { loadShares } from '../../src/motion/double-support.js';
import { gaitCycles } from '../../src/motion/gait-cycle.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import { jumpWarnings, positionTracks } from '../../src/motion/jumps.js';
import { findSupport, type Support, type SupportKind } from '../../src/motion/support.js';
import { differentiated, smoothed } from '../../src/motion/trajectory.js';
import { jumpBvh, sitBvh } from './exercise.js';
import { gaitBvh } from './gait.js';

const of = (kind: SupportKind): Support => ({
  kind,
  feet: { left: [0], right: [1], double: [0, 1], none: [] }[kind],
});
const repeated = (...runs: readonly (readonly [SupportKind, number])[]): Support[] =>
  runs.flatMap(([kind, count]) => Array.from({ length: count }, () => of(kind)));

describe('shares of two feet', () => {
  it('go from foot to foot without a jump, whatever the lever says', () => {
    const supports = repeated(['left', 20], ['double', 30], ['right', 20], ['double', 6], ['right', 10]);
    for (const lever of [0, 0.5, 1]) {
      const shares = loadShares(supports, () => lever, 0.01);
      expect(shares.subarray(0, 20).every((x) => x === 0)).toBe(true);
      expect(shares[20]).toBeLessThan(0.1);
      expect(shares[49]).toBeGreaterThan(0.9);
      for (let k = 20; k < 50; k++) expect(Math.abs(shares[k] - (k === 20 ? 0 : shares[k - 1]))).toBeLessThan(0.2);
      // A touch of the other foot in between begins and ends where the load was.
      for (const k of [70, 75]) expect(shares[k]).toBeGreaterThan(0.8);
    }
    // On two feet from the start, and landing on both: by the lever.
    expect([...loadShares(repeated(['double', 3], ['none', 2], ['double', 2]), () => 0.3, 0.01)]).toEqual([
      0.3, 0.3, 0.3, 0, 0, 0.3, 0.3,
    ]);
  });

  it('of a walk: no jump of a torque where feet land and leave, all of the force, and the extremes around it', () => {
    const figure = figureFromBvh(parseBvh(gaitBvh({ seconds: 2 })), {});
    const trajectory = differentiated(smoothed(figure.positions, 6));
    const options = { feet: figure.feet, height: figure.size.height };
    const [smooth, one] = (['smooth', 'one'] as const).map(
      (doubleSupport) => inverseOfMotion(trajectory, { ...options, doubleSupport }).frames,
    );
    const { iv } = trajectory.mechanism.joint('LeftFoot');
    const steps = (frames: typeof smooth): number =>
      Math.max(...frames.slice(1).map(({ tau }, k) => Math.abs(tau[iv] - frames[k].tau[iv])));
    expect(steps(smooth)).toBeLessThan(0.25 * steps(one));
    const both = smooth.filter(({ support }) => support === 'double');
    expect(both.length).toBeGreaterThan(20);
    for (const { total, feet, extremes, tau } of both) {
      for (let k = 0; k < 3; k++) {
        const sum = feet.reduce((all, { force }) => all + force[k], 0);
        expect(Math.abs(sum - total.force[k])).toBeLessThan(1e-9 * 1000);
      }
      const [a, b] = extremes!;
      expect(tau[iv]).toBeGreaterThan(Math.min(a[iv], b[iv]) - 30);
      expect(tau[iv]).toBeLessThan(Math.max(a[iv], b[iv]) + 30);
    }
    // In flight the ground gives nothing.
    const supports = trajectory.v.length > 0 ? Array.from({ length: trajectory.count }, () => of('none')) : [];
    const flight = inverseOfMotion(trajectory, { ...options, supports });
    for (const { total, feet, residual } of flight.frames) {
      expect(total.force).toEqual([0, 0, 0]);
      expect(feet).toEqual([]);
      expect(Math.hypot(...residual.force)).toBeGreaterThan(100);
    }
  });
});

describe('support', () => {
  it('is not a foot above the hands', () => {
    const feet = [{ side: 'left' as const, body: 0, points: [{ body: 0, at: [0, 0, 0] as const }] }];
    const found = (foot: number): string[] => {
      const pose = new Float64Array(24);
      pose.set([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, foot], 0);
      pose.set([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.4], 12);
      const poses = Array.from({ length: 30 }, () => pose);
      const load = new Float64Array(30).fill(1);
      return findSupport({ feet, count: 30, interval: 0.01, poses, load, gravity: [0, 0, -9.81], height: 1.8 }).map(
        ({ kind }) => kind,
      );
    };
    expect(new Set(found(0.1))).toEqual(new Set(['left']));
    expect(new Set(found(1.9))).toEqual(new Set(['none']));
  });
});

describe('motions that are no walks', () => {
  const forces = (text: string) => {
    const figure = figureFromBvh(parseBvh(text), { scale: 0.01 });
    const { feet, size } = figure;
    return inverseOfMotion(differentiated(smoothed(figure.positions, 6)), { feet, height: size.height, edge: 9 });
  };

  it('a jump with both feet is carried by both, alike, and by none in the air', () => {
    const { supports, frames, mechanism, warnings } = forces(jumpBvh());
    const kinds = supports.map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['double', 'none']));
    expect(kinds.filter((kind) => kind === 'none').length).toBeGreaterThan(30);
    const [left, right] = ['LeftLeg', 'RightLeg'].map((name) => mechanism.joint(name).iv);
    for (const { tau, feet, total, support } of frames) {
      expect(tau[left]).toBeCloseTo(tau[right], 6);
      if (support === 'none') expect([...total.force, feet.length]).toEqual([0, 0, 0, 0]);
    }
    expect(warnings.map(({ code }) => code)).toEqual([]);
  });

  it('who sits is told that the feet do not carry it', () => {
    const { warnings } = forces(sitBvh());
    const [warning] = warnings.filter(({ code }) => code === 'beside-feet');
    expect(warning.message).toMatch(/^Between 1\.\d+ and 2\.\d+ s .* up to 0\.3\d m beside the feet/);
    expect(forces(gaitBvh({ seconds: 3 })).warnings.filter(({ code }) => code === 'beside-feet')).toEqual([]);
  });
});

describe('what cannot be is pointed out', () => {
  it('a frame somewhere else', () => {
    const figure = figureFromBvh(parseBvh(gaitBvh({ seconds: 2 })), {});
    const { mechanism, count, start, interval, q } = figure.positions;
    expect(jumpWarnings(positionTracks(figure.positions), count, start, interval)).toEqual([]);
    const moved = q.slice();
    moved[57 * mechanism.nq + 4] += 2;
    const warnings = jumpWarnings(positionTracks({ ...figure.positions, q: moved }), count, start, interval);
    expect(warnings.map(({ where }) => where)).toEqual(['frame 58', 'frame 59']);
    expect(warnings[0].message).toContain('jumps by 2.0');
    // 50 and 70 radians a second.
    const turned = [50, 70].map((rate) => {
      const { model, iq } = mechanism.joint('LeftLeg');
      const all = q.slice();
      model.integrate(all, 57 * mechanism.nq + iq, Float64Array.of(rate * interval, 0, 0), 0, 1);
      return jumpWarnings(positionTracks({ ...figure.positions, q: all }), count, start, interval).length;
    });
    expect(turned[0]).toBe(0);
    expect(turned[1]).toBeGreaterThan(0);
  });

  it('a torque that nobody has', () => {
    const inertia = [1, 0, 0, 0, 1, 0, 0, 0, 1] as const;
    const mechanism = createMechanism({
      bodies: [
        { name: 'hips', mass: 50, inertia },
        { name: 'LeftFoot', mass: 20, inertia },
      ],
      joints: [
        { name: 'root', type: 'floating', parent: null, child: 'hips' },
        { name: 'ankle', type: 'spherical', parent: 'hips', child: 'LeftFoot' },
      ],
    });
    const frame = (torque: number) => ({ time: 0.5, tau: Float64Array.of(0, 0, 9e9, 0, 0, 0, 0, torque, 0) });
    expect(beyondAbility(mechanism, 70, [frame(300)], () => false)).toEqual([]);
    const [warning] = beyondAbility(mechanism, 70, [frame(300), frame(2749)], () => false);
    expect(warning).toMatchObject({ code: 'beyond-ability', where: 'joint "ankle"' });
    expect(warning.message).toContain('2749 N m at 0.5 s');
    expect(beyondAbility(mechanism, 70, [frame(2749)], () => true)).toEqual([]);
    // 5.5 N m for each of 70 kg.
    expect([384, 386].map((torque) => beyondAbility(mechanism, 70, [frame(torque)], () => false).length)).toEqual([
      0, 1,
    ]);
  });
});

describe('the gait cycle', () => {
  it('from strike to strike, in per cent, with the band of all strides', () => {
    const supports = repeated(
      ['right', 5],
      ['left', 10],
      ['right', 10],
      ['left', 10],
      ['right', 10],
      ['left', 10],
      ['right', 40],
      ['left', 5],
    );
    const values = supports.map((_, k) => (k < 25 ? 1 : 3) + ((k - 5) % 20) / 20);
    const [cycle] = gaitCycles(supports, ['L', 'R'], 0.02, [{ name: 'x', values }], () => true);
    // The stride with the long stop is not like the others.
    expect(cycle).toMatchObject({ foot: 'L', strides: 2, duration: 0.4 });
    const { mean, low, high } = cycle.curves[0];
    expect(mean).toHaveLength(101);
    expect([low[50], mean[50], high[50]]).toEqual([1.5, 2.5, 3.5]);
  });
});
