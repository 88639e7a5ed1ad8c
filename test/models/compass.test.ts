import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { forwardDynamics } from '../../src/dynamics/once.js';
import { State } from '../../src/mechanism/state.js';
import { compass } from '../../src/models/compass.js';
import { add, apply, cross, dot, rotationAbout, scale, type Vec3 } from '../../src/spatial/matrix3.js';

const REFERENCE = new URL('../../../shared/reference/compass.json', import.meta.url);

interface Sample {
  readonly g: number;
  /** q_st, q_sw and their rates. */
  readonly q: readonly [number, number, number, number];
  readonly qdd: readonly [number, number];
  readonly H_q: readonly (readonly number[])[];
  readonly kinetic: number;
  readonly potential_datum_stance_foot: number;
}

/** Positions and energies of the mechanism from its plain data: a double pendulum, both joints about one axis. */
function pose([qStance, qSwing, vStance, vSwing]: readonly [number, number, number, number]) {
  const { bodies, joints, gravity } = compass();
  const [stance, swing] = joints;
  const R1 = rotationAbout(stance.axis, qStance);
  const R2 = rotationAbout(stance.axis, qStance + qSwing);
  const hip = apply(R1, swing.t);
  const arms = [apply(R1, bodies[0].com), apply(R2, bodies[1].com)];
  const spins = [scale(vStance, stance.axis), scale(vStance + vSwing, stance.axis)];
  const velocities = [cross(spins[0], arms[0]), add(cross(spins[0], hip), cross(spins[1], arms[1]))];
  const places = [arms[0], add(hip, arms[1])];
  let [kinetic, potential] = [0, 0];
  bodies.forEach(({ mass, inertia }, i) => {
    // Both axes are along y, and so are all angular velocities: body and world coordinates agree on them.
    kinetic += (mass * dot(velocities[i], velocities[i]) + dot(spins[i], apply(inertia, spins[i]))) / 2;
    potential -= mass * dot(gravity, places[i]);
  });
  const swingFoot = add(hip, apply(R2, scale(-1, swing.t)));
  return { hip, swingFoot, kinetic, potential };
}

const planar = ([x, y, z]: Vec3): number[] => {
  expect(y).toBeCloseTo(0, 15);
  return [x, z];
};

function expectNear(found: readonly number[], expected: readonly number[], digits: number): void {
  expect(found.length).toBe(expected.length);
  expected.forEach((value, k) => {
    expect(found[k]).toBeCloseTo(value, digits);
  });
}

test('two hinges, four kilograms, standing on the origin', () => {
  const { joints, bodies, nv, gravity } = compass();
  expect(joints.map((joint) => joint.type)).toEqual(['revolute', 'revolute']);
  expect(nv).toBe(2);
  expect(bodies.map((body) => body.mass)).toEqual([3, 1]);
  expect(joints[0].t).toEqual([0, 0, 0]);
  expect(gravity).toEqual([0, 0, -9.81]);
});

test('the hip is at the foot + l (-sin q, cos q)', () => {
  for (const q of [-0.4, 0, 0.3]) expectNear(planar(pose([q, 0.2, 0, 0]).hip), [-Math.sin(q), Math.cos(q)], 14);
});

test('with q_sw = 0 the legs are together, and q_sw adds to q_st', () => {
  expectNear(planar(pose([0.3, 0, 0, 0]).swingFoot), [0, 0], 14);
  expectNear(planar(pose([0.3, -0.3, 0, 0]).swingFoot), [-Math.sin(0.3), Math.cos(0.3) - 1], 14);
});

test('the masses are points: on the legs, and at the hip as a part of the stance leg', () => {
  const [stance, swing] = compass({ hipMass: 3, legMass: 2, legLength: 0.8, legMassFromFoot: 0.3 }).bodies;
  expect(swing.com).toEqual([0, 0, 0.3 - 0.8]);
  expect(swing.inertia.every((value) => value === 0)).toBe(true);
  expect(stance.mass).toBe(5);
  expect(stance.com[2]).toBeCloseTo((2 * 0.3 + 3 * 0.8) / 5, 14);
  expectNear(stance.inertia, [1.2 * 0.25, 0, 0, 0, 1.2 * 0.25, 0, 0, 0, 0], 14);
});

test.each([
  [{ legMass: 0 }, 'legMass'],
  [{ hipMass: -1 }, 'hipMass'],
  [{ legLength: Number.NaN }, 'legLength'],
  [{ legMassFromFoot: 1 }, 'legMassFromFoot'],
])('refuses %j', (options, where) => {
  expect(() => compass(options)).toThrow(`compass ${where}: It must be`);
});

const found = existsSync(REFERENCE);
if (!found) console.log('compass.test.ts: no ../shared/reference/compass.json here; its comparison is skipped');

describe.skipIf(!found)('against ../shared/reference/compass.json', () => {
  const reference = found ? JSON.parse(readFileSync(REFERENCE, 'utf8')) : {};
  const gait = reference['gait_g_9.81'];

  test('the default parameters are the paper’s', () => {
    const { m_h, m_l, l, d } = reference.parameters;
    expect(compass({ hipMass: m_h, legMass: m_l, legLength: l, legMassFromFoot: d }).bodies).toEqual(compass().bodies);
  });

  test('before the impact the swing foot is one step down the slope', () => {
    const { swingFoot } = pose(gait.fixed_point_pre_q);
    expectNear(planar(swingFoot), gait.step_vector, 12);
  });

  test('energies along the gait', () => {
    for (const [, thetaStance, thetaSwing, rateStance, rateSwing, kinetic, potential] of gait.trajectory) {
      const at = pose([thetaStance, thetaSwing - thetaStance, rateStance, rateSwing - rateStance]);
      expect(at.kinetic).toBeCloseTo(kinetic, 10);
      expect(at.potential).toBeCloseTo(potential, 10);
    }
  });

  test('accelerations of the samples', () => {
    const mechanism = compass();
    for (const { q, qdd } of reference.dynamics_samples_q_convention as Sample[]) {
      const state = new State(mechanism).set('support', q[0], q[2]).set('hip', q[1], q[3]);
      expectNear([...forwardDynamics(mechanism, state)], qdd, 12);
    }
  });

  test('mass matrix and energies of the samples', () => {
    for (const sample of reference.dynamics_samples_q_convention as Sample[]) {
      const [q1, q2] = sample.q;
      const T = (v1: number, v2: number): number => pose([q1, q2, v1, v2]).kinetic;
      const coupling = T(1, 1) - T(1, 0) - T(0, 1);
      expectNear([2 * T(1, 0), coupling, coupling, 2 * T(0, 1)], sample.H_q.flat(), 12);
      expect(pose(sample.q).kinetic).toBeCloseTo(sample.kinetic, 12);
      expect((pose(sample.q).potential * sample.g) / 9.81).toBeCloseTo(sample.potential_datum_stance_foot, 12);
    }
  });
});
