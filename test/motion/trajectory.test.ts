import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import { derivatives, differentiated, type Positions, smoothed } from '../../src/motion/trajectory.js';
import {
  add,
  apply,
  cross,
  type Quat,
  rotationAbout,
  scale,
  subtract,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';
import { randomMechanism } from '../support/random-mechanism.js';

const INERTIA = [1, 0, 0, 0, 1, 0, 0, 0, 1] as const;
const ball = createMechanism({
  bodies: [{ name: 'b', mass: 1, inertia: INERTIA }],
  joints: [{ name: 'j', type: 'spherical', parent: null, child: 'b' }],
});
const free = createMechanism({
  bodies: [{ name: 'b', mass: 1, inertia: INERTIA }],
  joints: [{ name: 'j', type: 'floating', parent: null, child: 'b' }],
});

function product([a, b, c, d]: Quat, [e, f, g, h]: Quat): Quat {
  return [
    a * e - b * f - c * g - d * h,
    a * f + b * e + c * h - d * g,
    a * g - b * h + c * e + d * f,
    a * h + b * g - c * f + d * e,
  ];
}

const turn = (axis: Vec3, angle: number): Quat => [Math.cos(angle / 2), ...scale(Math.sin(angle / 2), axis)];

// A turn by th1 about a, then by th2 about b, fixed in the body: w = R2^T a th1' + b th2'.
const a: Vec3 = [0.6, 0, 0.8];
const b: Vec3 = [0, 1, 0];
function exact(t: number) {
  const [th1, d1, dd1] = [1.1 * Math.sin(2 * t), 2.2 * Math.cos(2 * t), -4.4 * Math.sin(2 * t)];
  const [th2, d2, dd2] = [0.5 * t * t, t, 1];
  const seen = apply(transpose(rotationAbout(b, th2)), a);
  const w = add(scale(d1, seen), scale(d2, b));
  const wd = add(add(scale(dd1, seen), scale(-d1 * d2, cross(b, seen))), scale(dd2, b));
  const p: Vec3 = [Math.sin(t), t * t, Math.cos(3 * t)];
  const pd: Vec3 = [Math.cos(t), 2 * t, -3 * Math.sin(3 * t)];
  const pdd: Vec3 = [-Math.sin(t), 2, -9 * Math.cos(3 * t)];
  const toBody = (x: Vec3): Vec3 => apply(transpose(rotationAbout(b, th2)), apply(transpose(rotationAbout(a, th1)), x));
  // v = R^T p', and its components change by R^T p'' - w x v.
  const v = toBody(pd);
  const vd = subtract(toBody(pdd), cross(w, v));
  return { q: product(turn(a, th1), turn(b, th2)), w, wd, p, v, vd };
}

function worst(h: number, whole: boolean, interior: boolean): { v: number; qdd: number } {
  const count = Math.round(1 / h) + 1;
  const mechanism = whole ? free : ball;
  const q = Float64Array.from(
    Array.from({ length: count }, (_, k) => {
      const { q: orientation, p } = exact(k * h);
      return whole ? [...orientation, ...p] : [...orientation];
    }).flat(),
  );
  const got = differentiated({ mechanism, start: 0, interval: h, count, q });
  const error = { v: 0, qdd: 0 };
  for (let k = interior ? 2 : 0; k < count - (interior ? 2 : 0); k++) {
    const { w, wd, v, vd } = exact(k * h);
    const n = mechanism.nv;
    (whole ? [...w, ...v] : w).forEach((value, d) => {
      error.v = Math.max(error.v, Math.abs(got.v[k * n + d] - value));
    });
    (whole ? [...wd, ...vd] : wd).forEach((value, d) => {
      error.qdd = Math.max(error.qdd, Math.abs(got.qdd[k * n + d] - value));
    });
  }
  return error;
}

describe('velocities and accelerations of positions', () => {
  it.each([false, true])('are exact to fourth order inside (whole pose: %s)', (whole) => {
    const [coarse, fine] = [worst(0.02, whole, true), worst(0.01, whole, true)];
    for (const key of ['v', 'qdd'] as const) {
      expect(coarse[key] / fine[key]).toBeGreaterThan(14);
      expect(coarse[key] / fine[key]).toBeLessThan(18);
    }
    expect(fine.v).toBeLessThan(1e-5);
    expect(fine.qdd).toBeLessThan(1e-4);
  });

  it('at the ends velocities to fourth order, accelerations to third', () => {
    const [coarse, fine] = [worst(0.02, true, false), worst(0.01, true, false)];
    expect(coarse.v / fine.v).toBeGreaterThan(13);
    expect(coarse.qdd / fine.qdd).toBeGreaterThan(6.5);
  });

  it('plain numbers: quartics exactly', () => {
    const x = Float64Array.from({ length: 9 }, (_, k) => (0.1 * k) ** 4 - (0.1 * k) ** 2);
    const { first, second } = derivatives(x, 1, 9, 0.1);
    first.forEach((value, k) => {
      expect(value).toBeCloseTo(4 * (0.1 * k) ** 3 - 0.2 * k, 10);
      expect(second[k]).toBeCloseTo(12 * (0.1 * k) ** 2 - 2, 9);
    });
    expect(() => derivatives(x, 1, 4, 0.1)).toThrow(/has 4 frames/);
    expect(() => derivatives(x.with(4, 1e300), 1, 9, 0.1)).toThrow(/Around frame \d+ the motion jumps/);
  });

  it('for all joint types: moving along a constant velocity gives that velocity', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
        const mechanism = randomMechanism(seed, { bodies: 8 });
        const { nq, nv } = mechanism;
        const [count, h] = [7, 0.01];
        const v = Float64Array.from({ length: nv }, (_, k) => Math.sin(seed + k));
        const q = new Float64Array(count * nq);
        for (const { model, iq, iv } of mechanism.joints)
          for (let k = 0; k < count; k++) {
            model.neutral(q, k * nq + iq);
            model.integrate(q, k * nq + iq, v, iv, 0.3 + k * h);
          }
        const got = differentiated({ mechanism, start: 0, interval: h, count, q });
        for (let k = 0; k < count * nv; k++) {
          expect(Math.abs(got.v[k] - v[k % nv])).toBeLessThan(1e-10);
          expect(Math.abs(got.qdd[k])).toBeLessThan(1e-7);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('smoothing', () => {
  const motion = (quaternion: (t: number) => Quat): Positions => {
    const count = 90;
    const q = Float64Array.from(Array.from({ length: count }, (_, k) => [...quaternion(k / 60)]).flat());
    return { mechanism: ball, start: 0, interval: 1 / 60, count, q };
  };
  const wobble = (t: number): Quat => product(turn(a, Math.sin(9 * t)), turn(b, 0.3 * Math.cos(40 * t)));

  it('of a rotation does not depend on the frames it is between', () => {
    const [before, after] = [turn([0, 0.6, 0.8], 2), turn([1, 0, 0], -1.2)];
    const plain = smoothed(motion(wobble), 6).q;
    const moved = smoothed(
      motion((t) => product(product(before, wobble(t)), after)),
      6,
    ).q;
    for (let k = 0; k < plain.length; k += 4) {
      const expected = product(product(before, [plain[k], plain[k + 1], plain[k + 2], plain[k + 3]]), after);
      const cosine = expected.reduce((sum, value, c) => sum + value * moved[k + c], 0);
      expect(Math.abs(cosine)).toBeCloseTo(1, 12);
    }
  });

  it('knows that q and -q are one rotation, and that angles have whole turns', () => {
    let frame = 0;
    const flipped = motion((t) => (frame++ % 2 === 0 ? wobble(t) : (wobble(t).map((x) => -x) as unknown as Quat)));
    const plain = smoothed(motion(wobble), 6).q;
    smoothed(flipped, 6).q.forEach((value, k) => {
      expect(value).toBeCloseTo(plain[k], 12);
    });
    const hinge = createMechanism({
      bodies: [{ name: 'b', mass: 1, inertia: INERTIA }],
      joints: [{ name: 'j', type: 'revolute', parent: null, child: 'b' }],
    });
    const q = Float64Array.from({ length: 60 }, (_, k) => ((0.2 * k + Math.PI) % (2 * Math.PI)) - Math.PI);
    const whole = smoothed({ mechanism: hinge, start: 0, interval: 1 / 60, count: 60, q }, null).q;
    whole.forEach((angle, k) => {
      expect(angle).toBeCloseTo(0.2 * k, 10);
    });
  });
});
