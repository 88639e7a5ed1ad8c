import { describe, expect, test } from 'vitest';
import type { Joint, Mechanism } from '../../src/mechanism/mechanism.js';
import { FIGURES, type FigureName } from '../../src/models/figures.js';
import { human } from '../../src/models/human.js';
import { apply, rotationAbout, symmetricEigen, type Vec3 } from '../../src/spatial/matrix3.js';
import { asOneBody, drawnHeights, origins } from './standing-figure.js';

const NAMES = Object.keys(FIGURES) as FigureName[];

const COUNTS: Record<FigureName, { nv: number; nq: number; floating: number; spherical: number; revolute: number }> = {
  'human-34': { nv: 34, nq: 35, floating: 1, spherical: 0, revolute: 28 },
  'human-48': { nv: 48, nq: 49, floating: 1, spherical: 0, revolute: 42 },
  'human-40': { nv: 40, nq: 51, floating: 1, spherical: 10, revolute: 4 },
  'human-52': { nv: 52, nq: 67, floating: 1, spherical: 14, revolute: 4 },
  'human-161': { nv: 161, nq: 212, floating: 2, spherical: 49, revolute: 2 },
};

function jointNamed(mechanism: Mechanism, name: string): Joint {
  return mechanism.joints[mechanism.jointIndex(name)];
}

describe.each(NAMES)('%s', (name) => {
  const figure = human(name);

  test('has the joints and degrees of freedom that the papers count', () => {
    const { nv, nq, ...types } = COUNTS[name];
    const found = { floating: 0, spherical: 0, revolute: 0 };
    for (const { type } of figure.joints) found[type as keyof typeof found]++;
    expect(found).toEqual(types);
    expect(figure.joints.length).toBe(types.floating + types.spherical + types.revolute);
    expect([figure.nv, figure.nq]).toEqual([nv, nq]);
  });

  test('is named after what it is, every body and joint once', () => {
    expect(figure.name).toBe(name);
    expect(new Set(figure.bodies.map((body) => body.name)).size).toBe(figure.bodies.length);
    expect(new Set(figure.joints.map((joint) => joint.name)).size).toBe(figure.joints.length);
  });

  test('has the pelvis as its root, free in space', () => {
    expect(figure.bodies[0].name).toBe('pelvis');
    expect(figure.joints.filter((joint) => joint.parent === -1).map((joint) => joint.type)).toEqual(['floating']);
    expect(figure.gravity).toEqual([0, 0, -9.81]);
  });

  test('has the mass of the table', () => {
    expect(asOneBody(figure).mass).toBeCloseTo(73, 10);
  });

  test('stands on z = 0 and is as high as the man of the table', () => {
    const feet = ['left_toes', 'right_toes', 'left_foot', 'right_foot'].filter((body) => figure.hasBody(body));
    for (const foot of feet) expect(drawnHeights(figure, foot).lowest).toBeCloseTo(0, 12);
    expect(drawnHeights(figure, 'head').highest).toBeCloseTo(1.741, 12);
    for (const { name } of figure.bodies) {
      const { lowest, highest } = drawnHeights(figure, name);
      expect(lowest, name).toBeGreaterThan(-1e-12);
      expect(highest, name).toBeLessThan(1.741 + 1e-12);
    }
  });

  test('has its centre of mass in the mid-plane, at 55 to 58 % of the stature', () => {
    const [x, y, z] = asOneBody(figure).com;
    expect(y).toBeCloseTo(0, 15);
    expect(z / 1.741).toBeGreaterThan(0.55);
    expect(z / 1.741).toBeLessThan(0.58);
    // Over the feet: between the heel and the toes.
    expect(x).toBeGreaterThan(-0.06);
    expect(x).toBeLessThan(0.19);
  });

  test('is the same man as the other figures', () => {
    const [one, other] = [asOneBody(figure), asOneBody(human('human-40'))];
    for (let k = 0; k < 3; k++) expect(one.com[k]).toBeCloseTo(other.com[k], 13);
    for (let k = 0; k < 9; k++) expect(one.inertia[k]).toBeCloseTo(other.inertia[k], 12);
  });

  test('has bodies of positive mass and possible inertia only', () => {
    for (const { name, mass, inertia } of figure.bodies) {
      expect(mass, name).toBeGreaterThan(0);
      const [a, b, c] = symmetricEigen(inertia).values;
      expect(a, name).toBeGreaterThan(0);
      expect(a + b, name).toBeGreaterThan(c);
    }
    expect(figure.warnings).toEqual([]);
  });

  test('has right limbs that mirror the left ones exactly', () => {
    const mirrored = ([x, y, z]: Vec3): number[] => [x, 0 - y, z];
    const left = figure.bodies.flatMap((body, i) => (body.name.startsWith('left_') ? [i] : []));
    const right = figure.bodies.filter((body) => body.name.startsWith('right_'));
    expect(right.length).toBe(left.length);
    for (const i of left) {
      const body = figure.bodies[i];
      const j = figure.bodyIndex(body.name.replace('left_', 'right_'));
      const other = figure.bodies[j];
      expect(other.mass).toBe(body.mass);
      expect(other.com.map(plain)).toEqual(mirrored(body.com).map(plain));
      const signs = [1, -1, 1, -1, 1, -1, 1, -1, 1];
      expect(other.inertia.map(plain)).toEqual(body.inertia.map((value, k) => plain(signs[k] * value)));
      expect(figure.joints[j].t.map(plain)).toEqual(mirrored(figure.joints[i].t).map(plain));
      expect(figure.joints[j].name).toBe(figure.joints[i].name.replace('left_', 'right_'));
      expect(figure.joints[j].limits).toEqual(figure.joints[i].limits);
      expect(other.visuals.map((shape) => shape.geometry)).toEqual(body.visuals.map((shape) => shape.geometry));
      if (figure.joints[i].type !== 'revolute') continue;
      const [x, y, z] = figure.joints[i].axis;
      expect(figure.joints[j].axis.map(plain)).toEqual([0 - x, y, 0 - z].map(plain));
    }
  });

  test('has limits on every hinge, around the standing pose', () => {
    for (const { name, type, limits } of figure.joints) {
      if (type !== 'revolute') continue;
      expect(limits.lower, name).toBeLessThanOrEqual(0);
      expect(limits.upper, name).toBeGreaterThanOrEqual(0);
      expect(limits.upper! - limits.lower!, name).toBeGreaterThan(0.4);
      expect(limits.upper! - limits.lower!, name).toBeLessThan(2 * Math.PI);
    }
  });

  test('can be drawn', () => {
    for (const { name, visuals } of figure.bodies) expect(visuals.length, name).toBeGreaterThan(0);
  });
});

/** Zero without a sign. */
function plain(value: number): number {
  return value + 0;
}

describe('bodies that are a segment of the table', () => {
  // Length and mass of the row, centre of mass and radii of gyration about x, y, z as fractions of the length.
  test.each([
    ['left_thigh', 0.4222, 0.1416, [0, 0, -0.4095], [0.329, 0.329, 0.149]],
    ['right_shank', 0.4403, 0.0433, [0, 0, -0.4395], [0.251, 0.246, 0.102]],
    ['left_upper_arm', 0.2817, 0.0271, [0, 0, -0.5772], [0.285, 0.269, 0.158]],
    ['right_forearm', 0.2689, 0.0162, [0, 0, -0.4574], [0.276, 0.265, 0.121]],
    // With all fingers; the palm turned to the thigh.
    ['left_hand', 0.1879, 0.0061, [0, 0, -0.3624], [0.235, 0.288, 0.184]],
    // With neck and jaw; from the neck joint.
    ['head', 0.2429, 0.0694, [0, 0, 1 - 0.5002], [0.303, 0.315, 0.261]],
    // With the toes; long axis forward, ankle a quarter of the length from the heel.
    ['right_foot', 0.2581, 0.0137, [0.4415 - 0.25, 0, (-0.039 * 1.741) / 2 / 0.2581], [0.124, 0.245, 0.257]],
  ])('%s', (name, length, fraction, com, radii) => {
    const figure = human('human-40');
    const body = figure.bodies[figure.bodyIndex(name)];
    expect(body.mass).toBeCloseTo(73 * fraction, 10);
    for (let k = 0; k < 3; k++) {
      expect(body.com[k]).toBeCloseTo(com[k] * length, 12);
      expect(body.inertia[4 * k]).toBeCloseTo(73 * fraction * (radii[k] * length) ** 2, 12);
    }
    for (const k of [1, 2, 5]) expect(body.inertia[k]).toBeCloseTo(0, 12);
  });

  test('the trunk of human-52: shoulders and hips where standing men have them', () => {
    const figure = human('human-52');
    const at = origins(figure);
    // Drillis and Contini: shoulders at 0.818, hips at 0.530, knees at 0.285, ankles at 0.039 of the stature.
    for (const [body, height] of [
      ['left_upper_arm', 0.818],
      ['left_thigh', 0.53],
      ['left_shank', 0.285],
      ['left_foot', 0.039],
    ] as const)
      expect(Math.abs(at[figure.bodyIndex(body)][2] / 1.741 - height), body).toBeLessThan(0.012);
  });
});

describe('hinges turn the way the documentation says', () => {
  const figure = human('human-48');
  /** Where the origin of a body goes, seen from the joint, when that joint turns: first minus before. */
  function motion(jointName: string, bodyName: string, angle: number): Vec3 {
    const at = origins(figure);
    const i = figure.jointIndex(jointName);
    const arm = at[figure.bodyIndex(bodyName)].map((value, k) => value - at[i][k]) as unknown as Vec3;
    const turned = apply(rotationAbout(jointNamed(figure, jointName).axis, angle), arm);
    return turned.map((value, k) => value - arm[k]) as unknown as Vec3;
  }

  const { lower, upper } = { lower: -0.5, upper: 0.5 };
  test.each([
    ['knee flexion moves the foot back', 'left_knee', 'left_foot', upper, 0, -1],
    ['hip flexion moves the knee forward', 'right_hip_y', 'right_shank', lower, 0, 1],
    ['left hip abduction moves the knee left', 'left_hip_x', 'left_shank', upper, 1, 1],
    ['right hip abduction moves the knee right', 'right_hip_x', 'right_shank', upper, 1, -1],
    ['turning the left leg outward moves the toes left', 'left_hip_z', 'left_toes', upper, 1, 1],
    ['turning the right leg outward moves the toes right', 'right_hip_z', 'right_toes', upper, 1, -1],
    ['plantar flexion moves the toes down', 'left_ankle_y', 'left_toes', upper, 2, -1],
    ['elbow flexion moves the hand forward', 'right_elbow', 'right_hand', lower, 0, 1],
    ['shoulder flexion moves the elbow forward', 'left_shoulder_y', 'left_forearm', lower, 0, 1],
    ['right shoulder abduction moves the elbow right', 'right_shoulder_x', 'right_forearm', upper, 1, -1],
    ['raising the left shoulder', 'left_clavicle_x', 'left_upper_arm', upper, 2, 1],
    ['drawing back the right shoulder', 'right_clavicle_z', 'right_upper_arm', upper, 0, -1],
    ['bending the trunk forward moves the neck forward', 'waist_y', 'neck', upper, 0, 1],
  ])('%s', (_, joint, body, angle, axis, sign) => {
    expect(sign * motion(joint, body, angle)[axis]).toBeGreaterThan(0.01);
  });

  test('the larger range is on the side of flexion', () => {
    const range = (name: string): number[] => {
      const { lower, upper } = jointNamed(figure, name).limits;
      return [lower!, upper!].map((angle) => Math.round((angle * 180) / Math.PI));
    };
    expect(range('left_knee')).toEqual([0, 135]);
    expect(range('right_hip_y')).toEqual([-120, 30]);
    expect(range('left_elbow')).toEqual([-150, 0]);
    expect(range('right_ankle_y')).toEqual([-20, 50]);
    expect(range('waist_y')).toEqual([-25, 80]);
  });
});

describe('human-161', () => {
  const figure = human('human-161');

  test('lets the jaw float and the knees bend', () => {
    expect(figure.joints.filter((joint) => joint.type === 'floating').map((joint) => joint.name)).toEqual([
      'root',
      'jaw',
    ]);
    const hinges = figure.joints.filter((joint) => joint.type === 'revolute');
    expect(hinges.map((joint) => joint.name)).toEqual(['left_knee', 'right_knee']);
    expect(figure.bodies[jointNamed(figure, 'jaw').parent].name).toBe('head');
  });

  test('has fingers that end where the table says', () => {
    const at = origins(figure);
    const wrist = at[figure.bodyIndex('left_hand')];
    expect(wrist[2] - at[figure.bodyIndex('left_middle_proximal')][2]).toBeCloseTo(0.0862, 12);
    // The tip: WJC-DAC3, and the round end of the capsule.
    expect(wrist[2] - drawnHeights(figure, 'left_middle_distal').lowest).toBeCloseTo(0.1879 + 0.008, 12);
  });
});

describe('intermediate bodies', () => {
  const figure = human('human-34');

  test('carry 2 % of what the joint carries, as a solid sphere of 3 cm', () => {
    const whole = ['left_thigh_z', 'left_thigh_x', 'left_thigh'].map((name) => figure.bodies[figure.bodyIndex(name)]);
    expect(whole[0].mass + whole[1].mass + whole[2].mass).toBeCloseTo(0.1416 * 73, 10);
    for (const sphere of whole.slice(0, 2)) {
      expect(sphere.mass).toBeCloseTo(0.02 * 0.1416 * 73, 12);
      expect(sphere.com).toEqual([0, 0, 0]);
      expect(sphere.inertia[4]).toBeCloseTo(0.4 * sphere.mass * 0.03 ** 2, 15);
    }
  });

  test('stand between the hinges of one joint', () => {
    const hip = ['left_hip_z', 'left_hip_x', 'left_hip_y'].map((name) => jointNamed(figure, name));
    expect(hip.map((joint) => joint.axis)).toEqual([
      [0, 0, 1],
      [1, 0, 0],
      [0, 1, 0],
    ]);
    expect(hip.map((joint) => figure.bodies[joint.parent].name)).toEqual(['pelvis', 'left_thigh_z', 'left_thigh_x']);
    expect(hip.slice(1).map((joint) => joint.t)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
});

describe('size', () => {
  test('scales lengths with the stature and masses with the mass', () => {
    const [small, large] = [human('human-161'), human('human-161', { height: 2 * 1.741, mass: 3 * 73 })];
    expect(asOneBody(large).mass).toBeCloseTo(219, 9);
    expect(drawnHeights(large, 'head').highest).toBeCloseTo(3.482, 12);
    small.bodies.forEach((body, i) => {
      expect(large.bodies[i].mass).toBeCloseTo(3 * body.mass, 12);
      for (let k = 0; k < 9; k++) expect(large.bodies[i].inertia[k]).toBeCloseTo(12 * body.inertia[k], 10);
      for (let k = 0; k < 3; k++) expect(large.joints[i].t[k]).toBeCloseTo(2 * small.joints[i].t[k], 12);
    });
  });

  test.each([{ height: 0 }, { height: -1.7 }, { height: Number.NaN }, { mass: 0 }, { mass: Number.POSITIVE_INFINITY }])(
    'refuses %j',
    (size) => {
      expect(() => human('human-34', size)).toThrow(/human (height|mass): It must be a positive number/);
    },
  );

  test('refuses a figure that is none', () => {
    expect(() => human('human-35' as FigureName)).toThrow(/no human figure "human-35", only human-34/);
  });
});
