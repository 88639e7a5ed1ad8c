import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JOINT_TYPES, type JointType, PARAMETERS, PITCH, SENSE } from '../../src/joints/index.js';
import { Random } from '../../src/mechanism/random.js';
import { compose, invert, motionToA, TRANSFORM } from '../../src/spatial/spatial.js';
import { relativeError } from '../support/random-mechanism.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

function randomPosition(type: JointType, random: Random): Float64Array {
  const q = Float64Array.from({ length: type.nq }, () => random.between(-1.4, 1.4));
  if (type.nq === type.nv + 1) q.set(random.quaternion(), 0);
  return q;
}

function randomParameters(type: JointType, random: Random): Float64Array {
  const p = new Float64Array(PARAMETERS);
  p[SENSE] = random.pick([1, -1]);
  if (type.name === 'helical') p[PITCH] = random.between(-0.5, 0.5);
  if (type.name === 'universal') p.set(random.direction());
  return p;
}

const vector = (random: Random, n: number, size = 1): Float64Array =>
  Float64Array.from({ length: n }, () => random.between(-size, size));

const transformAt = (type: JointType, q: Float64Array, p: Float64Array): Float64Array => {
  const X = new Float64Array(TRANSFORM);
  type.transform(X, 0, q, 0, p, 0);
  return X;
};

const moved = (type: JointType, q: Float64Array, v: Float64Array, h: number): Float64Array => {
  const next = q.slice();
  type.integrate(next, 0, v, 0, h);
  return next;
};

describe.each(JOINT_TYPES.map((type) => [type.name, type] as const))('%s', (_name, type) => {
  it('is the identity at its neutral position', () => {
    const q = new Float64Array(type.nq).fill(7);
    type.neutral(q, 0);
    const p = randomParameters(type, new Random(1));
    expect(Array.from(transformAt(type, q, p), (x) => x + 0)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  });

  it('S v is the rate of the transform, and bias the rate of S', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        const [q, p] = [randomPosition(type, random), randomParameters(type, random)];
        const v = vector(random, type.nv);
        const h = 1e-6;
        const S = new Float64Array(36);
        type.motionSpace(S, 0, q, 0, p, 0);
        const twist = new Float64Array(6);
        for (let k = 0; k < type.nv; k++) for (let j = 0; j < 6; j++) twist[j] += S[6 * k + j] * v[k];
        // X(t+h) X(t-h)^-1 is a small motion: E = 1 - 2h [w x], r = 2h v + O(h^2), in child coordinates.
        const [after, before] = [moved(type, q, v, h), moved(type, q, v, -h)];
        const inverse = new Float64Array(TRANSFORM);
        const step = new Float64Array(TRANSFORM);
        invert(inverse, 0, transformAt(type, before, p), 0);
        compose(step, 0, transformAt(type, after, p), 0, inverse, 0);
        const rate = [step[5] - step[7], step[6] - step[2], step[1] - step[3]].map((x) => x / (4 * h));
        rate.push(...[step[9], step[10], step[11]].map((x) => x / (2 * h)));
        expect(relativeError(rate, twist)).toBeLessThan(1e-5);
        const [Sa, Sb, c] = [new Float64Array(36), new Float64Array(36), new Float64Array(6)];
        type.motionSpace(Sa, 0, after, 0, p, 0);
        type.motionSpace(Sb, 0, before, 0, p, 0);
        type.bias(c, 0, q, 0, v, 0, p, 0);
        const expected = new Float64Array(6);
        for (let k = 0; k < type.nv; k++)
          for (let j = 0; j < 6; j++) expected[j] += ((Sa[6 * k + j] - Sb[6 * k + j]) / (2 * h)) * v[k];
        expect(relativeError(c, expected)).toBeLessThan(1e-6);
      }),
    );
  });

  it('difference undoes integrate, also for tiny and for large steps', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(1, 1e-3, 1e-6, 1e-9, 0), (seed, size) => {
        const random = new Random(seed);
        const q = randomPosition(type, random);
        const v = vector(random, type.nv, 1.7);
        const got = new Float64Array(type.nv);
        type.difference(got, 0, q, 0, moved(type, q, v, size), 0);
        const expected = v.map((x) => x * size);
        for (let k = 0; k < type.nv; k++) expect(Math.abs(got[k] - expected[k])).toBeLessThan(1e-14 + 1e-12 * size);
      }),
    );
  });

  it('localRate belongs to integrate, to the order claimed', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        const q = randomPosition(type, random);
        const [u, v] = [vector(random, type.nv, 0.02), vector(random, type.nv)];
        const rate = new Float64Array(type.nv);
        type.localRate(rate, 0, u, 0, v, 0);
        // q moved along u, then by v for a short time, seen from q again.
        const h = 1e-5;
        const at = moved(type, q, u, 1);
        const [a, b] = [new Float64Array(type.nv), new Float64Array(type.nv)];
        type.difference(a, 0, q, 0, moved(type, at, v, h), 0);
        type.difference(b, 0, q, 0, moved(type, at, v, -h), 0);
        const expected = a.map((x, k) => (x - b[k]) / (2 * h));
        expect(relativeError(rate, expected)).toBeLessThan(1e-8);
      }),
    );
  });

  const { reverse } = type;
  if (reverse === undefined) {
    it('read backwards is the same joint with its sense turned round', () => {
      fc.assert(
        fc.property(seeds, (seed) => {
          const random = new Random(seed);
          const [q, p] = [randomPosition(type, random), randomParameters(type, random)];
          const inverse = new Float64Array(TRANSFORM);
          invert(inverse, 0, transformAt(type, q, p), 0);
          p[SENSE] = -p[SENSE];
          expect(relativeError(transformAt(type, q, p), inverse)).toBeLessThan(1e-14);
        }),
      );
    });
    return;
  }

  it('read backwards twice is itself', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        const q = randomPosition(type, random);
        const [v, a, f] = [vector(random, type.nv), vector(random, type.nv), vector(random, type.nv)];
        const [qr, q2] = [new Float64Array(type.nq), new Float64Array(type.nq)];
        const [vr, v2, ar, a2, fr, f2] = [0, 0, 0, 0, 0, 0].map(() => new Float64Array(type.nv));
        reverse.position(qr, 0, q, 0);
        reverse.position(q2, 0, qr, 0);
        reverse.velocity(vr, 0, q, 0, v, 0);
        reverse.velocity(v2, 0, qr, 0, vr, 0);
        reverse.acceleration(ar, 0, q, 0, v, 0, a, 0);
        reverse.acceleration(a2, 0, qr, 0, vr, 0, ar, 0);
        reverse.force(fr, 0, qr, 0, f, 0);
        reverse.force(f2, 0, q, 0, fr, 0);
        expect(relativeError(q2, q)).toBeLessThan(1e-13);
        expect(relativeError(v2, v)).toBeLessThan(1e-13);
        expect(relativeError(a2, a)).toBeLessThan(1e-12);
        expect(relativeError(f2, f)).toBeLessThan(1e-13);
        // Power is the same from both sides.
        const power = f.reduce((sum, x, k) => sum + x * v[k], 0);
        expect(fr.reduce((sum, x, k) => sum + x * vr[k], 0)).toBeCloseTo(power, 12);
      }),
    );
  });

  it('read backwards moves by the negative velocity, seen from the other side', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = new Random(seed);
        const [q, p] = [randomPosition(type, random), randomParameters(type, random)];
        const v = vector(random, type.nv);
        const h = 1e-6;
        const [qa, qb, now] = [0, 0, 0].map(() => new Float64Array(type.nq));
        reverse.position(now, 0, q, 0);
        reverse.position(qa, 0, moved(type, q, v, h), 0);
        reverse.position(qb, 0, moved(type, q, v, -h), 0);
        const [up, down, vr] = [0, 0, 0].map(() => new Float64Array(type.nv));
        type.difference(up, 0, now, 0, qa, 0);
        type.difference(down, 0, now, 0, qb, 0);
        reverse.velocity(vr, 0, q, 0, v, 0);
        const rate = up.map((x, k) => (x - down[k]) / (2 * h));
        expect(relativeError(rate, vr)).toBeLessThan(1e-6);
        if (reverse.swapsAxes) return;
        // The reversed transform is the inverse one, and the twist the negative one in tree coordinates.
        const inverse = new Float64Array(TRANSFORM);
        invert(inverse, 0, transformAt(type, q, p), 0);
        expect(relativeError(transformAt(type, now, p), inverse)).toBeLessThan(1e-13);
        const [S, Sr] = [new Float64Array(36), new Float64Array(36)];
        type.motionSpace(S, 0, q, 0, p, 0);
        type.motionSpace(Sr, 0, now, 0, p, 0);
        const [twist, back] = [new Float64Array(6), new Float64Array(6)];
        for (let k = 0; k < type.nv; k++)
          for (let j = 0; j < 6; j++) {
            twist[j] -= S[6 * k + j] * v[k];
            back[j] += Sr[6 * k + j] * vr[k];
          }
        motionToA(twist, 0, transformAt(type, q, p), 0, twist, 0);
        expect(relativeError(back, twist)).toBeLessThan(1e-12);
      }),
    );
  });
});
