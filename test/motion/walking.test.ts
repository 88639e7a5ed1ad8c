// A walk that was made up, so that everything about it is known.

import { describe, expect, it } from 'vitest';
import { type BvhChannel, parseBvh } from '../../src/formats/bvh.js';
import { type BvhFigureOptions, figureFromBvh } from '../../src/motion/bvh-figure.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import { strideFrames } from '../../src/motion/strides.js';
import { givenSupport, type SupportKind } from '../../src/motion/support.js';
import { differentiated, smoothed } from '../../src/motion/trajectory.js';
import type { Vec3 } from '../../src/spatial/matrix3.js';
import { type Gait, gaitBvh, isDown, phaseOf } from './gait.js';

const STRIDE = 1.1;
const STANCE = 0.6;

function walk(gait: Gait = {}, options: BvhFigureOptions = {}, cutoff: number | null = 10) {
  const figure = figureFromBvh(parseBvh(gaitBvh({ stride: STRIDE, stance: STANCE, ...gait })), {
    scale: 0.01,
    mass: 70,
    ...options,
  });
  const trajectory = differentiated(smoothed(figure.positions, cutoff));
  return { figure, trajectory, result: inverseOfMotion(trajectory, { feet: figure.feet, height: figure.size.height }) };
}

function known(time: number): SupportKind {
  const [left, right] = (['Left', 'Right'] as const).map((side) => isDown(phaseOf(side, time, STRIDE), STANCE));
  return left && right ? 'double' : left ? 'left' : right ? 'right' : 'none';
}

/** Frames where the support found is not that of any moment within so many frames. */
function wrongFrames(result: ReturnType<typeof walk>['result'], interval: number, slack: number): number[] {
  return result.supports.flatMap(({ kind }, k) => {
    const around = Array.from({ length: 2 * slack + 1 }, (_, d) => known((k + d - slack) * interval));
    return around.includes(kind) ? [] : [k];
  });
}

describe('a made-up walk', () => {
  const { figure, trajectory, result } = walk();

  it('is a figure of the mass asked for, with nothing to complain about', () => {
    expect(figure.warnings).toEqual([]);
    expect(result.mass).toBeCloseTo(70, 10);
    expect(figure.feet.map(({ side }) => side)).toEqual(['left', 'right']);
    // Legs of 84 cm belong to a man of 1.7 m.
    expect(figure.size.height).toBeCloseTo((0.84 * 1.741) / 0.8625, 10);
  });

  it('has its support found, to six hundredths of a second', () => {
    expect(wrongFrames(result, trajectory.interval, 6)).toEqual([]);
    expect(new Set(result.supports.map(({ kind }) => kind))).toEqual(new Set(['left', 'right', 'double']));
  });

  it('on a treadmill as well', () => {
    const belt = walk({ treadmill: true });
    expect(wrongFrames(belt.result, belt.trajectory.interval, 6)).toEqual([]);
    // Seen from the belt it is the same motion: the same joint forces.
    const [a, b] = [belt.result.frames[100].tau, result.frames[100].tau];
    a.forEach((value, k) => {
      expect(value).toBeCloseTo(b[k], 6);
    });
  });

  it.each(['smooth', 'one', 'split'] as const)('wherever the ground is, both feet down: %s', (doubleSupport) => {
    const [low, high] = [0, -150].map((shift) => {
      const motion = parseBvh(gaitBvh({ stride: STRIDE, stance: STANCE }));
      const { channelCount, nodes } = motion;
      const y = nodes[0].first + nodes[0].channels.indexOf('Yposition');
      const values = motion.values.map((value, k) => (k % channelCount === y ? value + shift : value));
      const moved = figureFromBvh({ ...motion, values }, { scale: 0.01, mass: 70 });
      return inverseOfMotion(differentiated(smoothed(moved.positions, 10)), { feet: moved.feet, doubleSupport }).frames;
    });
    low.forEach(({ support, tau }, k) => {
      expect(high[k].support).toBe(support);
      tau.forEach((value, c) => {
        expect(high[k].tau[c], `frame ${k}`).toBeCloseTo(value, 6);
      });
    });
  });

  it('repeats itself every stride, and the ground carries its weight', () => {
    expect(strideFrames(trajectory)).toBe(Math.round(STRIDE / trajectory.interval));
    expect(result.strides!.mean).toBeCloseTo(1, 2);
    expect(result.strides!.byLanding.length).toBeGreaterThanOrEqual(2);
    for (const { from, to } of result.strides!.byLanding) expect(to - from).toBeCloseTo(STRIDE, 1);
  });

  it('has the root free of force wherever a foot is down', () => {
    for (const { residual } of result.frames) {
      expect(Math.hypot(...residual.force)).toBeLessThan(1e-9);
      expect(Math.hypot(...residual.moment)).toBeLessThan(1e-9);
    }
  });
});

describe('both feet down', () => {
  const { figure, trajectory } = walk();
  const options = { feet: figure.feet, height: figure.size.height };
  const one = inverseOfMotion(trajectory, { ...options, doubleSupport: 'one' }).frames;
  const split = inverseOfMotion(trajectory, { ...options, doubleSupport: 'split' }).frames;

  it('the foot nearer to where the force acts carries the figure; both orders come up', () => {
    const carriers = new Set<string>();
    one.forEach(({ support, feet, centreOfPressure }, k) => {
      if (support !== 'double') return;
      const [first, second] = split[k].feet;
      expect(feet.map(({ body }) => body)).toEqual([first.body]);
      const distance = ({ point }: typeof first): number =>
        Math.hypot(point[0] - centreOfPressure![0], point[2] - centreOfPressure![2]);
      expect(distance(first)).toBeLessThan(distance(second) + 0.02);
      carriers.add(first.body);
    });
    expect(carriers).toEqual(new Set(['LeftFoot', 'RightFoot']));
  });
});

describe('the order of channels, the axis that is up, the height', () => {
  it('the order of rotations about one axis at a time does not matter', () => {
    // Arms turn about two axes, so only orders that keep those two in turn are the same motion.
    const plain = walk({ order: 'ZYX' });
    const other = walk({ order: 'ZXY' });
    const leg = plain.trajectory.mechanism.joints[plain.trajectory.mechanism.jointIndex('LeftLeg')].iv;
    for (const frame of [50, 120, 200])
      expect(other.result.frames[frame].tau[leg]).toBeCloseTo(plain.result.frames[frame].tau[leg], 1);
  });

  it('somebody who lies all the time in a file with y up is told of, and lies', () => {
    const motion = parseBvh(gaitBvh({ stride: STRIDE, stance: STANCE }));
    const { channelCount, nodes } = motion;
    const x = nodes[0].first + nodes[0].channels.indexOf('Xrotation');
    const values = motion.values.map((value, k) => (k % channelCount === x ? value + 90 : value));
    const { positions, warnings } = figureFromBvh({ ...motion, values }, { scale: 0.01 });
    expect(positions.mechanism.gravity[1]).toBe(-9.81);
    expect(warnings.map(({ message }) => message).join()).toMatch(/^The figure lies along z all the time/);
  });

  it('with z up it is the same walk, seen in other axes', () => {
    const plain = walk();
    const motion = parseBvh(gaitBvh({ stride: STRIDE, stance: STANCE }));
    // x, y, z become y, z, x.
    const turned = ([x, y, z]: Vec3): Vec3 => [z, x, y];
    const renamed = (channel: BvhChannel): BvhChannel =>
      channel.replace(/^[XYZ]/, (axis) => 'YZX'['XYZ'.indexOf(axis)]) as BvhChannel;
    const nodes = motion.nodes.map((node) => ({
      ...node,
      offset: turned(node.offset),
      ends: node.ends.map(turned),
      channels: node.channels.map(renamed),
    }));
    const options = { scale: 0.01, mass: 70 };
    const figure = figureFromBvh({ ...motion, nodes }, { ...options, up: 'z' });
    // Also where nobody says so; y is believed where somebody does.
    const found = figureFromBvh({ ...motion, nodes }, options);
    expect(found.positions).toEqual(figure.positions);
    expect(found.warnings.map(({ code }) => code)).toEqual(['up']);
    const told = figureFromBvh({ ...motion, nodes }, { ...options, up: 'y' });
    expect(told.positions.mechanism.gravity[1]).toBe(-9.81);
    expect(told.warnings).toEqual([]);
    const trajectory = differentiated(smoothed(figure.positions, 10));
    const { frames } = inverseOfMotion(trajectory, { feet: figure.feet, height: figure.size.height });
    const { mechanism } = trajectory;
    const [knee, hip] = ['LeftLeg', 'RightUpLeg'].map((name) => mechanism.joints[mechanism.jointIndex(name)].iv);
    frames.forEach(({ support, tau, total }, k) => {
      const expected = plain.result.frames[k];
      expect(support).toBe(expected.support);
      expect(tau[knee]).toBeCloseTo(expected.tau[knee], 7);
      const vector = ([x, y, z]: ArrayLike<number> & Iterable<number>): Vec3 => [x, y, z];
      for (const [got, want] of [
        [total.force, expected.total.force],
        [vector(tau.subarray(hip, hip + 3)), vector(expected.tau.subarray(hip, hip + 3))],
      ])
        turned(want).forEach((value, c) => {
          expect(got[c]).toBeCloseTo(value, 7);
        });
    });
  });

  it('a taller figure is scaled up, a heavier one is heavier', () => {
    const small = walk({}, { height: 1.5 });
    expect(small.figure.size.height).toBe(1.5);
    const double = walk({}, { mass: 140 });
    const [one, two] = [walk().result.frames[80], double.result.frames[80]];
    one.tau.forEach((value, k) => {
      expect(two.tau[k]).toBeCloseTo(2 * value, 8);
    });
  });
});

describe('support that is given', () => {
  const { figure, trajectory } = walk({ seconds: 1 });
  const { mechanism } = trajectory;
  const times = Array.from({ length: trajectory.count }, (_, k) => k * trajectory.interval);
  const given = (text: string) => givenSupport(text, figure.feet, mechanism, times);

  it('by word, by body, by times', () => {
    expect(new Set(given('left').supports.map(({ kind }) => kind))).toEqual(new Set(['left']));
    expect(given('RightFoot').supports[3]).toEqual({ kind: 'right', feet: [1] });
    const { feet, supports } = given('0:left, 0.3:both,0.4:Hips,0.6:none');
    expect(feet).toHaveLength(3);
    expect([0, 29, 30, 41, 60].map((k) => supports[k].kind)).toEqual(['left', 'left', 'double', 'other', 'none']);
    expect(supports[41].feet).toEqual([2]);
    expect(given('RightFoot+Hips+left').supports[5]).toEqual({ kind: 'other', feet: [1, 2, 0] });
    expect(given('left+RightFoot').supports[5].kind).toBe('double');
  });

  it.each([
    ['nowhere', /There is no body "nowhere"/],
    ['0:left,right', /Expected a foot, or pairs/],
    [':left', /Expected a foot, or pairs/],
    ['0.5:left,0.2:right', /must increase/],
  ])('refuses %s', (text, message) => {
    expect(() => given(text)).toThrow(message);
  });
});
