import { describe, expect, it } from 'vitest';
import { parseBvh } from '../../src/formats/bvh.js';
import { DE_LEVA_MALE, REFERENCE_SIZE } from '../../src/models/anthropometry.js';
import { figureFromBvh } from '../../src/motion/bvh-figure.js';
import { gaitBvh } from './gait.js';

const figure = figureFromBvh(parseBvh(gaitBvh({ seconds: 0.1 })), { scale: 0.01, mass: 80 });
const { mechanism } = figure.positions;
const { height } = figure.size;
const body = (name: string) => mechanism.bodies[mechanism.bodyIndex(name)];
const scale = height / REFERENCE_SIZE.height;

describe('masses of a captured skeleton', () => {
  // All parts of a body are there: the table's masses add up to one, to its rounding.
  const whole = 0.9999;

  it.each([
    ['LeftUpLeg', DE_LEVA_MALE.thigh, 1],
    ['RightLeg', DE_LEVA_MALE.shank, 1],
    ['LeftArm', DE_LEVA_MALE.upperArm, 1],
    ['RightForeArm', DE_LEVA_MALE.forearm, 1],
    ['LeftHand', DE_LEVA_MALE.hand, 1],
    ['RightFoot', DE_LEVA_MALE.foot, 0.88],
    ['Hips', DE_LEVA_MALE.lowerTrunk, 1],
    ['Spine', DE_LEVA_MALE.middleTrunk, 1],
    ['Chest', DE_LEVA_MALE.upperTrunk, 1],
  ])('%s has its share', (name, table, share) => {
    expect(body(name).mass / 80).toBeCloseTo((share * table.mass) / whole, 3);
  });

  it('add up, the same on both sides', () => {
    expect(mechanism.bodies.reduce((sum, { mass }) => sum + mass, 0)).toBeCloseTo(80, 10);
    for (const { name, mass, com } of mechanism.bodies) {
      if (!name.startsWith('Left')) continue;
      const right = body(name.replace('Left', 'Right'));
      expect(right.mass).toBeCloseTo(mass, 12);
      [-com[0], com[1], com[2]].forEach((value, k) => {
        expect(right.com[k]).toBeCloseTo(value, 12);
      });
    }
  });

  it('lie where the table has them', () => {
    const { thigh, shank, upperArm, hand, foot, middleTrunk } = DE_LEVA_MALE;
    const expectCom = (name: string, expected: readonly number[]): void => {
      body(name).com.forEach((value, k) => {
        expect(value, `${name} ${'xyz'[k]}`).toBeCloseTo(expected[k], 10);
      });
    };
    expectCom('LeftUpLeg', [0, -0.42 * thigh.com, 0]);
    expectCom('LeftLeg', [0, -0.42 * shank.com, 0]);
    expectCom('LeftArm', [0.28 * upperArm.com, 0, 0]);
    expectCom('RightHand', [-hand.com * hand.length * scale, 0, 0]);
    expectCom('LeftFoot', [0, -0.5 * 0.039 * height, (foot.com - 0.25) * foot.length * scale]);
    // The trunk reaches from the hips, 5 cm below the root, to the neck, 57 cm above it.
    const table = [0.1457, 0.2155, 0.2421];
    const length = table[0] + table[1] + table[2];
    const xiphoid = -0.05 + (0.62 * (table[0] + table[1])) / length;
    const middle = xiphoid - (middleTrunk.com * 0.62 * table[1]) / length;
    expectCom('Spine', [0, middle - 0.15, 0]);
  });

  it('have the radii of gyration of the table about their own axes', () => {
    const moments = (name: string): number[] => [0, 4, 8].map((k) => body(name).inertia[k]);
    const expected = (
      { length, sagittal, transverse, longitudinal }: typeof DE_LEVA_MALE.thigh,
      mass: number,
    ): number[] => [sagittal, transverse, longitudinal].map((k) => mass * (k * length * scale) ** 2);
    const [s, t, l] = expected(DE_LEVA_MALE.thigh, body('LeftUpLeg').mass);
    // A leg that hangs: x goes from side to side, y along it, z forward.
    moments('LeftUpLeg').forEach((value, k) => {
      expect(value).toBeCloseTo([t, l, s][k], 10);
    });
    const [as, at, al] = expected(DE_LEVA_MALE.upperArm, body('LeftArm').mass);
    // An arm held out sideways: x along it, z forward.
    moments('LeftArm').forEach((value, k) => {
      expect(value).toBeCloseTo([al, at, as][k], 10);
    });
    const [fs, ft, fl] = expected(DE_LEVA_MALE.foot, body('LeftFoot').mass);
    // A foot: along z, its sagittal axis up.
    moments('LeftFoot').forEach((value, k) => {
      expect(value).toBeCloseTo([ft, fs, fl][k], 10);
    });
  });

  it('a shank along the way the body faces, and a foot along the shank, still has a sole across it', () => {
    const text = gaitBvh({ seconds: 0.1 })
      .replace(/(LeftFoot \{ OFFSET) \S+ \S+ \S+/, '$1 0 0 40')
      .replace(/(LeftToeBase \{ OFFSET) \S+ \S+ \S+/, '$1 0 0 13');
    const [left] = figureFromBvh(parseBvh(text), { scale: 0.01 }).feet;
    const heel = left.points[0].at;
    expect(Math.abs(heel[0])).toBeGreaterThan(0.01);
    expect(heel[2]).toBeGreaterThan(0.01);
  });
});
