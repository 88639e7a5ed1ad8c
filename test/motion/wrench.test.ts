import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import {
  addToBody,
  centreOfPressure,
  fromBody,
  leastNormSplit,
  movedTo,
  SPLIT_LENGTH,
  sumOf,
  type Wrench,
} from '../../src/motion/wrench.js';
import {
  add,
  cross,
  dot,
  rotationFromQuaternion,
  scale,
  subtract,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const vector = (random: Random): Vec3 => [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
const wrench = (random: Random): Wrench => ({ moment: vector(random), force: vector(random) });
const size = ({ moment, force }: Wrench): number => dot(force, force) + dot(moment, moment) / SPLIT_LENGTH ** 2;

describe('the split of least norm', () => {
  it('adds up to the whole, and no other split is smaller', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        const total = wrench(random);
        const [about, p, q] = [vector(random), vector(random), vector(random)];
        const [a, b] = leastNormSplit(total, about, p, q);
        const whole = sumOf(movedTo(a, p, about), movedTo(b, q, about));
        [...whole.force, ...whole.moment].forEach((value, k) => {
          expect(value).toBeCloseTo([...total.force, ...total.moment][k], 12);
        });
        const norm = size(a) + size(b);
        for (let trial = 0; trial < 20; trial++) {
          // Something more on one foot that the other takes back: the whole stays the same.
          const more = { moment: scale(0.01, vector(random)), force: scale(0.01, vector(random)) };
          const less = movedTo({ moment: scale(-1, more.moment), force: scale(-1, more.force) }, p, q);
          expect(size(sumOf(a, more)) + size(sumOf(b, less))).toBeGreaterThan(norm);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('of a weight halfway between the feet is half and half; nearer to one foot that one takes more', () => {
    const [left, right]: Vec3[] = [
      [0, 0, 0],
      [0, 0, 0.4],
    ];
    const weight: Vec3 = [0, 700, 0];
    const acting = (at: Vec3): Wrench => ({ moment: cross(at, weight), force: weight });
    const even = leastNormSplit(acting([0, 0, 0.2]), [0, 0, 0], left, right);
    for (const { force, moment } of even) {
      expect(force[1]).toBeCloseTo(350, 9);
      expect(Math.hypot(...moment)).toBeLessThan(1e-9);
    }
    const [near, far] = leastNormSplit(acting([0, 0, 0.1]), [0, 0, 0], left, right);
    expect(near.force[1]).toBeGreaterThan(450);
    expect(near.force[1] + far.force[1]).toBeCloseTo(700, 9);
  });

  it('with both feet in one place shares everything evenly', () => {
    const [a, b] = leastNormSplit({ moment: [1, 2, 3], force: [4, 5, 6] }, [0, 0, 0], [0, 0, 0], [0, 0, 0]);
    expect(a).toEqual(b);
    expect(a).toEqual({ moment: [0.5, 1, 1.5], force: [2, 2.5, 3] });
  });
});

describe('wrenches', () => {
  it('go to a body and back', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        const pose = new Float64Array(24);
        pose.set(transpose(rotationFromQuaternion(random.quaternion())), 12);
        pose.set(vector(random), 21);
        const given = wrench(random);
        const forces = new Float64Array(12);
        addToBody(forces, 6, pose, 1, given);
        const back = fromBody(pose, 1, forces, 6);
        [...back.moment, ...back.force].forEach((value, k) => {
          expect(value).toBeCloseTo([...given.moment, ...given.force][k], 12);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('have their centre of pressure where the moment is about the vertical alone', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        const up: Vec3 = [0, 0, 1];
        const given = { moment: vector(random), force: add(vector(random), [0, 0, 3]) };
        const about = vector(random);
        const centre = centreOfPressure(given, about, up, 0)!;
        expect(dot(subtract(centre, about), up)).toBeCloseTo(0, 12);
        const there = movedTo(given, about, centre);
        expect(Math.hypot(...cross(there.moment, up))).toBeLessThan(1e-12);
      }),
      { numRuns: 50 },
    );
    expect(centreOfPressure({ moment: [0, 0, 0], force: [0, 0, 1] }, [0, 0, 0], [0, 0, 1], 2)).toBeUndefined();
  });
});
