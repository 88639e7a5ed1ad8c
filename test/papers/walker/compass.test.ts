// The compass biped against ../shared/reference/compass.json: gait, eigenvalues, energies, impacts; Table 1 and a thousand steps.

import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/dynamics/connect.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { Random } from '../../../src/mechanism/random.js';
import { reroot } from '../../../src/mechanism/reroot.js';
import { compass } from '../../../src/models/compass.js';
import { eigenvalues3, findGait, followGait, sectionOf, standingAt, walk } from '../../../src/papers/walker/gait.js';
import { gaitOf, makeWalker } from '../../../src/papers/walker/study.js';
import { coordinates, type Standing, Walker } from '../../../src/papers/walker/walker.js';
import { cross, dot, subtract, type Vec3 } from '../../../src/spatial/matrix3.js';
import { TRANSFORM } from '../../../src/spatial/spatial.js';
import { relativeError } from '../../support/random-mechanism.js';
import { hasShared, readShared } from '../../support/shared.js';

const available = hasShared('reference/compass.json');
const reference = available ? JSON.parse(readShared('reference/compass.json')) : {};
const gait = reference['gait_g_9.81'];
const paper = (): Walker => new Walker(compass(), { slope: 0.0524 });
const FEW_DIGITS = { tolerances: { relative: 1e-10, absolute: 1e-11 } };
const TABLE_1 = { q: [-0.3236, 0.5424], v: [-1.4939, -0.3117] };

function largest(got: readonly number[], expected: readonly number[]): number {
  expect(got.length).toBe(expected.length);
  return Math.max(...got.map((value, k) => Math.abs(value - expected[k])));
}

describe.skipIf(!available)('the gait', () => {
  it('period, fixed point and step length to 1e-9, eigenvalues to 1e-5, energy lost to 1e-8', () => {
    const found = findGait(paper(), [-0.3236, -1.4939, -0.3117])!;
    const { step } = found;
    expect(Math.abs(step.period - gait.step_period)).toBeLessThan(1e-9);
    expect(Math.abs(step.stepLength - gait.step_length)).toBeLessThan(1e-9);
    expect(largest([...step.q, ...step.v], gait.fixed_point_pre_q)).toBeLessThan(1e-9);
    found.eigenvalues.forEach((value, k) => {
      expect(largest(value, gait.eigenvalues[k])).toBeLessThan(1e-7);
    });
    expect(Math.abs(step.energyLost - gait.energy_lost_per_impact)).toBeLessThan(1e-8);
    expect(found.residual).toBeLessThan(1e-11);
    const walker = paper();
    const { after } = walker.strike(standingAt(walker, found.section))!;
    expect(largest([...coordinates(after, 'q'), ...coordinates(after, 'v')], gait.fixed_point_post_q)).toBeLessThan(
      1e-9,
    );
    const { kinetic } = new PlainDynamics(after.mechanism).energy(after.state);
    expect(Math.abs(kinetic - gait.kinetic_post)).toBeLessThan(1e-8);
  });

  it('from Table 1: every one of the first steps, as it was found elsewhere', () => {
    const walker = paper();
    const { steps } = walk(walker, walker.beforeStrike(TABLE_1.q, TABLE_1.v), 15);
    steps.forEach(({ period, q, v }, k) => {
      expect(largest([period, ...q, ...v], gait.from_table1.steps_1_to_40[k]), `step ${k + 1}`).toBeLessThan(1e-8);
    });
  });

  it('scuffing stops it where it is not to be ignored', () => {
    const walker = new Walker(compass(), { slope: 0.0524, scuffing: 'stop' });
    expect(walk(walker, walker.beforeStrike(TABLE_1.q, TABLE_1.v), 3)).toMatchObject({ steps: [], fall: 'scuffed' });
  });

  it('does not walk on the flat, nor from Table 1 taken for a state after the strike (errata 001-12)', () => {
    const walker = paper();
    expect(walk(walker, walker.beforeStrike([-0.3236, 0.5424], [1.4939, -0.3117]), 5).fall).toBeDefined();
    const flat = new Walker(compass(), { slope: 0 });
    expect(walk(flat, standingAt(flat, [-0.25, -1.2, -0.3]), 50).fall).toBeDefined();
  });
});

/** Random states just before a heel strike with the foot on its way down. */
function* strikes(count: number): Generator<{ walker: Walker; before: Standing; seed: number }> {
  const random = new Random(5);
  for (let seed = 0; seed < count; ) {
    const slope = random.between(0, 0.1);
    const sizes = {
      hipMass: random.between(0.1, 5),
      legMass: random.between(0.1, 5),
      legLength: random.between(0.5, 2),
      legMassFromFoot: random.between(0.05, 0.45),
    };
    const walker = new Walker(compass(sizes), { slope });
    const before = standingAt(walker, [random.between(-0.6, -0.1), random.between(-3, -0.1), random.between(-2, 2)]);
    if (walker.strike(before) === undefined) continue;
    seed++;
    yield { walker, before, seed };
  }
}

/** Mass points of the biped and their velocities, from positions alone: x and z of feet, hip, and masses. */
function angularMomentum({ mechanism, state }: Standing, about: Vec3, bodies: readonly number[]): number {
  const dynamics = new PlainDynamics(mechanism);
  const poses = dynamics.poses(state);
  const velocities = dynamics.velocities(state);
  return bodies.reduce((sum, b) => {
    const { mass, com, inertia } = mechanism.bodies[b];
    const [angle, w] = [-velocities[6 * b + 1], velocities.subarray(6 * b)];
    const P = poses.subarray(TRANSFORM * b);
    const R = (x: readonly number[]): Vec3 => [
      P[0] * x[0] + P[3] * x[1] + P[6] * x[2],
      P[1] * x[0] + P[4] * x[1] + P[7] * x[2],
      P[2] * x[0] + P[5] * x[1] + P[8] * x[2],
    ];
    const arm = subtract([P[9] + R(com)[0], P[10] + R(com)[1], P[11] + R(com)[2]], about);
    const speed = R([
      w[3] + w[1] * com[2] - w[2] * com[1],
      w[4] + w[2] * com[0] - w[0] * com[2],
      w[5] + w[0] * com[1] - w[1] * com[0],
    ]);
    // Counter-clockwise in the plane of x and z is about -y.
    return sum + mass * dot(cross(arm, speed), [0, -1, 0]) + inertia[4] * angle;
  }, 0);
}

describe('every impact', () => {
  it('keeps the two angular momenta of the paper, as corrected (errata 001-11), to 1e-12', () => {
    for (const { walker, before, seed } of strikes(100)) {
      const { swing: at, swingBody } = walker.feet(before);
      const stanceBody = 1 - swingBody;
      const { after } = walker.strike(before)!;
      const hip = (({ mechanism, state }: Standing): Vec3 => {
        const P = new PlainDynamics(mechanism).poses(state).subarray(TRANSFORM * mechanism.jointIndex('hip') + 9);
        return [P[0], P[1], P[2]];
      })(before);
      // H(q+) qd+ = (total about the new contact, old stance leg about the hip); the hip's mass is at the hip and adds nothing there.
      const expected = [angularMomentum(before, at, [0, 1]), angularMomentum(before, hip, [stanceBody])];
      const { H } = new PlainDynamics(after.mechanism).massMatrix(after.state);
      const joint = (name: string): number => after.mechanism.joints[after.mechanism.jointIndex(name)].iv;
      const [s, h] = [joint('support'), joint('hip')];
      const v = after.state.v;
      const order = after.mechanism.joints.map(({ iv }) => iv);
      const row = (k: number): number => order.reduce((sum, iv, c) => sum + H[order.indexOf(k) * 2 + c] * v[iv], 0);
      expect(relativeError([row(s), row(h)], expected), `strike ${seed}`).toBeLessThan(1e-12);
    }
  });

  it('is the plastic impulse of a connection, computed by assembly (another algorithm), to 1e-12', () => {
    for (const { walker, before, seed } of strikes(100)) {
      const { swing: at, swingBody } = walker.feet(before);
      const top = before.mechanism.bodies[swingBody].name;
      const axis: Vec3 = [0, -1, 0];
      const free = reroot(before.mechanism, before.state, { top, at, joint: { type: 'planar', axis } });
      const held = connect(free.mechanism, free.state, {
        name: 'contact',
        a: top,
        b: null,
        joint: { type: 'revolute', axis },
        at,
      });
      const { after, energyLost } = walker.strike(before)!;
      const rates = (m: Standing, name: string, k: number): number =>
        m.state.v[m.mechanism.joints[m.mechanism.jointIndex(name)].iv + k];
      // The planar joint turns about the same axis: its third rate is that of the support.
      expect(
        relativeError(coordinates(after, 'v'), [rates(held, 'support', 2), rates(held, 'hip', 0)]),
        `strike ${seed}`,
      ).toBeLessThan(1e-12);
      expect(Math.abs(energyLost - held.energyLost)).toBeLessThan(1e-11 * (1 + energyLost));
    }
  });

  it.skipIf(!available)('the samples of the reference', () => {
    const walker = paper();
    for (const { pre_q, post_q, kinetic_pre, kinetic_post } of reference.impact_samples_q_convention) {
      const { after, energyLost } = walker.strike(walker.beforeStrike(pre_q.slice(0, 2), pre_q.slice(2)))!;
      expect(largest([...coordinates(after, 'q'), ...coordinates(after, 'v')], post_q)).toBeLessThan(1e-12);
      expect(Math.abs(energyLost - (kinetic_pre - kinetic_post))).toBeLessThan(1e-12);
    }
  });
});

describe('other walkers of the kind', () => {
  it('gravity and size change the scale of time alone', () => {
    const one = gaitOf({ ...FEW_DIGITS, model: 'compass', slope: 0.0524, sizes: {} });
    const sizes = { gravity: 3.7, legLength: 2, legMassFromFoot: 1 };
    const other = gaitOf({ ...FEW_DIGITS, model: 'compass', slope: 0.0524, sizes });
    const time = Math.sqrt(2 / (3.7 / 9.81));
    expect(other.step.period).toBeCloseTo(time * one.step.period, 7);
    expect(other.section[0]).toBeCloseTo(one.section[0], 7);
    expect(other.step.stepLength).toBeCloseTo(2 * one.step.stepLength, 7);
    other.eigenvalues.forEach((value, k) => {
      expect(largest(value, one.eigenvalues[k])).toBeLessThan(1e-4);
    });
  });

  it('are found by following the gait: other masses, other slopes', () => {
    const request = {
      ...FEW_DIGITS,
      model: 'compass' as const,
      slope: 0.03,
      sizes: { hipMass: 1, legMassFromFoot: 0.6 },
    };
    const found = gaitOf(request);
    const { steps, fall } = walk(makeWalker(request), standingAt(makeWalker(request), found.section), 3);
    expect(fall).toBeUndefined();
    expect(largest(sectionOf(steps[2]), found.section)).toBeLessThan(1e-8);
    // What a step loses is what the slope gives: m g h.
    const mass = 3;
    expect(found.step.energyLost).toBeCloseTo(mass * 9.81 * found.step.stepLength * Math.sin(0.03), 7);
  });

  it('a request without a gait is refused in words', () => {
    // From a state that falls at once there is no gait to follow.
    expect(() => followGait(paper, [0.5, 1, 1])).toThrow(/No periodic gait was found: .* lost at 0 % of the way/);
    expect(() => gaitOf({ model: 'compass', slope: 0, sizes: {} })).toThrow(/there is no passive gait at 0/);
    expect(() => makeWalker({ model: 'compass', slope: Number.NaN, sizes: {} })).toThrow(
      /between -pi\/4 and pi\/4, got NaN/,
    );
  });
});

describe('eigenvalues of a 3x3 matrix', () => {
  it('real and complex, sorted by size', () => {
    const near = (got: (readonly [number, number])[], expected: number[][]): void => {
      got.forEach((value, k) => {
        expect(largest(value, expected[k])).toBeLessThan(1e-12);
      });
    };
    near(
      eigenvalues3([
        [2, 0, 0],
        [0, -3, 0],
        [0, 0, 0.5],
      ]),
      [
        [-3, 0],
        [2, 0],
        [0.5, 0],
      ],
    );
    near(
      eigenvalues3([
        [0, -2, 0],
        [2, 0, 0],
        [0, 0, 1],
      ]),
      [
        [0, -2],
        [0, 2],
        [1, 0],
      ],
    );
    near(
      eigenvalues3([
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ]),
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    );
  });
});
