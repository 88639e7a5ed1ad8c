// What keeps a captured motion from saying things that cannot be: loads that change hands smoothly, nothing in flight, jumps
// and impossible torques pointed out, strides laid over each other.

import { describe, expect, it } from 'vitest';
import { parseBvh } from '../../src/formats/bvh.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { beyondAbility } from '../../src/motion/ability.js';
import { figureFromBvh } from '../../src/motion/bvh-figure.js';
import { stretches } from '../../src/motion/carriers.js';
import { loadShares } from '../../src/motion/double-support.js';
import { gaitCycles } from '../../src/motion/gait-cycle.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import { jumpWarnings, positionTracks } from '../../src/motion/jumps.js';
import { weightedSplit } from '../../src/motion/shared-load.js';
import { findSupport, type Support, type SupportKind } from '../../src/motion/support.js';
import { differentiated, smoothed } from '../../src/motion/trajectory.js';
import { leastNormSplit, movedTo, sumOf } from '../../src/motion/wrench.js';
import { add, cross, subtract } from '../../src/spatial/matrix3.js';
import { CARTWHEEL, cartwheelBvh, handstandBvh } from './acrobatics.js';
import { jumpBvh, noisy, plungeBvh, sitBvh } from './exercise.js';
import { gaitBvh } from './gait.js';

const of = (kind: Exclude<SupportKind, 'other'>): Support => ({
  kind,
  feet: { left: [0], right: [1], double: [0, 1], none: [] }[kind],
});
const repeated = (...runs: readonly (readonly [Exclude<SupportKind, 'other'>, number])[]): Support[] =>
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
    const { supports, frames, mechanism, warnings, strides } = forces(jumpBvh());
    const kinds = supports.map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['double', 'none']));
    expect(kinds.filter((kind) => kind === 'none').length).toBeGreaterThan(30);
    const [left, right] = ['LeftLeg', 'RightLeg'].map((name) => mechanism.joint(name).iv);
    for (const { tau, feet, total, support } of frames) {
      expect(tau[left]).toBeCloseTo(tau[right], 6);
      if (support === 'none') expect([...total.force, feet.length]).toEqual([0, 0, 0, 0]);
    }
    expect(warnings.map(({ code }) => code)).toEqual([]);
    // Poses before and after it are alike, but nobody takes steps.
    expect(strides).toBeUndefined();
  });

  it('ground that would have to pull is pointed out', () => {
    const { warnings } = forces(plungeBvh());
    expect(warnings.map(({ code }) => code)).toEqual(['pulled']);
    const [, from, to, most] = /Between ([\d.]+) and ([\d.]+) s .* up to (\d+) N/
      .exec(warnings[0].message)!
      .map(Number);
    expect(from).toBeGreaterThan(0.75);
    expect(to).toBeLessThan(0.95);
    expect(to - from).toBeGreaterThan(0.04);
    // 27.7 m/s^2 at most before the filter, of a body of which the legs move less.
    expect(most).toBeGreaterThan(0.2 * 716);
    expect(most).toBeLessThan(1.9 * 716);
  });

  /** [from, to] in seconds of each stretch in which a body carries. */
  const carriedBy = ({ frames }: ReturnType<typeof forces>, body: string): [number, number][] =>
    stretches(frames.length, (k) => frames[k].feet.some((foot) => foot.body === body)).map(
      ([from, to]) => [frames[from].time, frames[to].time] as [number, number],
    );

  it('who sits is held up by a seat, and told so', () => {
    const sitting = forces(sitBvh());
    const [[from, to], ...more] = carriedBy(sitting, 'Hips');
    // Down from 0.5 to 1.7 s.
    expect(from).toBeGreaterThan(1.1);
    expect(from).toBeLessThan(1.8);
    expect([to, more.length]).toEqual([3, 0]);
    expect(sitting.warnings.map(({ code }) => code)).toEqual(['carried-by']);
    const { feet, total } = sitting.frames[250];
    const seat = feet.find(({ body }) => body === 'Hips')!;
    // At rest: by the lever of where the whole force acts, between the feet and the seat.
    expect(seat.force[1] / total.force[1]).toBeGreaterThan(0.4);
    for (const foot of feet) expect(foot.force[1]).toBeGreaterThan(0.1 * total.force[1]);
    expect(forces(gaitBvh({ seconds: 3 })).warnings.filter(({ code }) => code === 'carried-by')).toEqual([]);
  });

  it.each([1, 2, 3])('who sits is held up by a seat, seen by cameras that are off by a millimetre, seed %i', (seed) => {
    const [[from, to], ...more] = carriedBy(forces(noisy(sitBvh(), 0.1, 0.3, seed)), 'Hips');
    expect(from).toBeGreaterThan(1);
    expect(from).toBeLessThan(1.9);
    expect([to, more.length]).toEqual([3, 0]);
  });

  it('a handstand is carried by both hands alike, and by nothing else', () => {
    const { frames, warnings, weight } = forces(handstandBvh());
    expect(new Set(frames.map(({ feet }) => feet.map(({ body }) => body).join()))).toEqual(
      new Set(['LeftHand,RightHand']),
    );
    for (const { feet, residual } of frames) {
      expect(Math.hypot(...residual.force)).toBeLessThan(1e-9 * weight);
      for (const { force } of feet) expect(force[1] / weight).toBeGreaterThan(0.3);
    }
    expect(warnings.map(({ message }) => message)).toEqual([
      'Not feet alone are taken to carry: LeftHand from 0 to 2 s, RightHand from 0 to 2 s. Feet could not give the force there; --support says otherwise.',
    ]);
  });

  it('a cartwheel is carried by feet and hands in turn, none of it left at the root', () => {
    const result = forces(cartwheelBvh());
    const { frames, warnings, weight } = result;
    for (const limb of ['LeftFoot', 'RightFoot', 'LeftHand', 'RightHand'] as const) {
      const planned = CARTWHEEL.filter((contact) => contact.limb === limb);
      const found = carriedBy(result, limb);
      expect(found.length).toBe(planned.length);
      planned.forEach(({ from, to }, k) => {
        // Lifting and lowering a limb take a moment.
        expect(Math.abs(found[k][0] - Math.max(0, from))).toBeLessThan(0.2);
        expect(Math.abs(found[k][1] - Math.min(4, to))).toBeLessThan(0.2);
      });
    }
    frames.forEach(({ feet, total, residual, tau }, k) => {
      expect(Math.hypot(...residual.force)).toBeLessThan(1e-9 * weight);
      for (let axis = 0; axis < 3; axis++) {
        const sum = feet.reduce((all, { force }) => all + force[axis], 0);
        expect(Math.abs(sum - total.force[axis])).toBeLessThan(1e-9 * weight);
      }
      // No jump where hands and feet take over from each other: the worst is what the legs do, 94 N m in a frame.
      if (k > 0)
        for (const [i, torque] of tau.entries()) expect(Math.abs(torque - frames[k - 1].tau[i])).toBeLessThan(120);
    });
    const codes = warnings.map(({ code }) => code);
    expect(codes.filter((code) => code === 'carried-by')).toHaveLength(1);
    expect(codes).not.toContain('no-support');
    expect(codes).not.toContain('beside-feet');
  });

  it('hands that pick something up carry nothing', () => {
    // The feet of a walk that stops; a hand on the ground beside them, the force between the feet.
    const at = (x: number, y: number, z: number) => [1, 0, 0, 0, 1, 0, 0, 0, 1, x, y, z];
    const pose = Float64Array.from([at(0.1, 0, 0), at(-0.1, 0, 0), at(0, 0.3, 0), at(0, 0, 0.5)].flat());
    const point = (body: number) => ({ body, at: [0, 0, 0] as const });
    const feet = [
      { side: 'left' as const, body: 0, points: [point(0)] },
      { side: 'right' as const, body: 1, points: [point(1)] },
      { side: 'left' as const, part: 'hand' as const, body: 2, points: [point(2)] },
    ];
    const found = (y: number) =>
      findSupport({
        feet,
        count: 40,
        interval: 0.01,
        poses: Array.from({ length: 40 }, () => pose),
        load: new Float64Array(40).fill(1),
        centres: Array.from({ length: 40 }, () => [0, y, 0] as const),
        gravity: [0, 0, -9.81],
        height: 1.8,
      }).map(({ kind }) => kind);
    expect(new Set(found(0.1))).toEqual(new Set(['double']));
    expect(new Set(found(0.25))).toEqual(new Set(['other']));
  });
});

describe('the split of a load by weights', () => {
  const total = { moment: [30, -20, 10], force: [40, -10, 700] } as const;

  it('is that of least norm for two equal weights', () => {
    const [a, b] = [
      [0.3, 0.1, 0],
      [-0.4, 0, 0.1],
    ] as const;
    const expected = leastNormSplit(total, [0, 0, 0], a, b);
    weightedSplit(total, [a, b], [0.7, 0.7]).forEach(({ moment, force }, k) => {
      for (let axis = 0; axis < 3; axis++) {
        expect(moment[axis]).toBeCloseTo(expected[k].moment[axis], 9);
        expect(force[axis]).toBeCloseTo(expected[k].force[axis], 9);
      }
    });
  });

  it('makes the whole, gives nothing to what has no weight, and is the least', () => {
    const points = [
      [0.3, 0.1, 0],
      [-0.4, 0, 0.1],
      [0, 0.9, 0.5],
      [0.2, -0.3, 0],
    ] as const;
    const weights = [1, 0.3, 0.8, 1e-9];
    const parts = weightedSplit(total, points, weights);
    const sum = parts.map((part, k) => movedTo(part, points[k], [0, 0, 0])).reduce(sumOf);
    for (let axis = 0; axis < 3; axis++) {
      expect(sum.force[axis]).toBeCloseTo(total.force[axis], 9);
      expect(sum.moment[axis]).toBeCloseTo(total.moment[axis], 9);
    }
    expect(Math.hypot(...parts[3].force)).toBeLessThan(1e-5);
    // Moving some force from one to the other, with the moments that keep the whole, costs more.
    const cost = (list: typeof parts): number =>
      list.reduce((all, { force, moment }, k) => {
        const square = (x: readonly number[]): number => x.reduce((s, value) => s + value * value, 0);
        return all + (square(force) + square(moment) / 0.01) / weights[k];
      }, 0);
    for (const step of [1e-3, -1e-3])
      for (const axis of [0, 1, 2]) {
        const shift = [0, 0, 0].map((_, k) => (k === axis ? step : 0)) as unknown as readonly [number, number, number];
        const arm = subtract(points[1], points[0]);
        const moved = parts.map((part, k) =>
          k === 0
            ? { force: add(part.force, shift), moment: add(part.moment, cross(arm, shift)) }
            : k === 1
              ? { force: subtract(part.force, shift), moment: part.moment }
              : part,
        );
        expect(cost(moved)).toBeGreaterThan(cost(parts));
      }
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
