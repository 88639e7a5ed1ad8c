import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { parseBvh } from '../../src/formats/bvh.js';
import { ImportError, MechanismError } from '../../src/mechanism/errors.js';
import { State } from '../../src/mechanism/state.js';
import { figureFromBvh } from '../../src/motion/bvh-figure.js';
import { everydayBody, everydayNames, namedPart, skeletonParts } from '../../src/motion/segments.js';
import {
  add,
  apply,
  IDENTITY3,
  type Mat3,
  multiply,
  rotationAbout,
  scale,
  type Vec3,
} from '../../src/spatial/matrix3.js';
import { gaitBvh } from '../motion/gait.js';

const ROOT = 'CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation';

/** A root with what is given in it, and frames. */
function bvh(inside: string, frames: readonly string[], channels = ROOT): string {
  return [
    'HIERARCHY',
    'ROOT Hips',
    '{',
    '\tOFFSET 0 0 0',
    `\t${channels}`,
    inside,
    '}',
    'MOTION',
    `Frames: ${frames.length}`,
    'Frame Time: 0.01',
    ...frames,
    '',
  ].join('\n');
}

const CHILD = (channels: string) => `JOINT Arm\n{\nOFFSET 1 2 3\n${channels}\nEnd Site\n{\nOFFSET 0 1 0\n}\n}`;
const zeros = (n: number): string => new Array(n).fill('0').join(' ');

function problem(text: string): string {
  try {
    parseBvh(text, { file: 'm.bvh' });
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
    const { problems } = error as ImportError;
    expect(problems).toHaveLength(1);
    return `${problems[0].where} ${problems[0].code}: ${problems[0].message}`;
  }
  throw new Error('It was read.');
}

describe('BVH', () => {
  it('reads joints, channels in any order and case, and frames', () => {
    const text = bvh(CHILD('CHANNELS 3 YROTATION xrotation Zrotation'), ['1 2 3 4 5 6 7 8 9', `${zeros(8)} -1.5e1`]);
    const { nodes, frameTime, frameCount, channelCount, values, warnings } = parseBvh(text.replaceAll('\n', '\r\n'));
    expect(nodes.map(({ name, parent, first }) => [name, parent, first])).toEqual([
      ['Hips', -1, 0],
      ['Arm', 0, 6],
    ]);
    expect(nodes[1].channels).toEqual(['Yrotation', 'Xrotation', 'Zrotation']);
    expect(nodes[1].offset).toEqual([1, 2, 3]);
    expect(nodes[1].ends).toEqual([[0, 1, 0]]);
    expect([frameTime, frameCount, channelCount]).toEqual([0.01, 2, 9]);
    expect(Array.from(values).slice(0, 9)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(values[17]).toBe(-15);
    expect(warnings).toEqual([]);
  });

  it('reads brackets on the same line, names with spaces, and twice the same name', () => {
    const text = bvh(
      'JOINT Left Foot { OFFSET 0 -1 0 CHANNELS 1 Xrotation End Site { OFFSET 0 0 1 } }\nJOINT Left Foot { OFFSET 0 0 0 CHANNELS 0 End Site { OFFSET 0 0 1 } }',
      [zeros(7)],
    );
    const { nodes, warnings } = parseBvh(text);
    expect(nodes.map(({ name }) => name)).toEqual(['Hips', 'Left Foot', 'Left Foot_2']);
    expect(warnings.map(({ code }) => code)).toEqual(['duplicate-name', 'no-channels']);
  });

  it('says which channels the root does not have', () => {
    const { warnings } = parseBvh(bvh('', [zeros(4)], 'CHANNELS 4 Xposition Zrotation Yrotation Xrotation'));
    expect(warnings[0].message).toBe('The root has no Yposition, Zposition; it stays where its OFFSET puts it.');
  });

  it.each([
    ['nothing', '', 'm.bvh truncated|m.bvh:0 truncated'],
    ['another kind of file', '<robot/>', 'm.bvh:1 keyword: Expected HIERARCHY'],
    [
      'a joint without OFFSET',
      bvh('JOINT A\n{\nCHANNELS 0\n}', [zeros(6)]),
      'm.bvh:6 offset: Joint "A" has no OFFSET.',
    ],
    [
      'an unknown channel',
      bvh(CHILD('CHANNELS 1 Wrotation'), ['0']),
      'm.bvh:9 channels: There is no channel "Wrotation"',
    ],
    [
      'channels that are missing',
      bvh(CHILD('CHANNELS 3 Xrotation'), ['0']),
      'm.bvh:9 channels: Joint "Arm" declares 3 channels but names 1',
    ],
    [
      'a channel twice',
      bvh(CHILD('CHANNELS 2 Xrotation Xrotation'), ['0']),
      'm.bvh:9 channels: Joint "Arm" names Xrotation twice.',
    ],
    [
      'too many channels',
      bvh(CHILD('CHANNELS 9999999999'), ['0']),
      'm.bvh:9 channels: Joint "Arm" declares 9999999999 channels',
    ],
    [
      'half a channel',
      bvh(CHILD('CHANNELS 1.5 Xrotation'), ['0']),
      'm.bvh:9 number: CHANNELS of "Arm": expected a whole number',
    ],
    ['a row that is short', bvh('', [zeros(6), zeros(5)]), 'm.bvh:12 columns: Frame 2 has 5 numbers, expected 6.'],
    ['a row that is long', bvh('', [zeros(7)]), 'm.bvh:11 columns: Frame 1 has 7 numbers, expected 6.'],
    [
      'a number that is none',
      bvh('', ['0 0 0 0 x 0']),
      'm.bvh:11 number: Frame 1, number 5: expected a finite number, got "x".',
    ],
    ['NaN', bvh('', ['0 0 0 NaN 0 0']), 'm.bvh:11 number: Frame 1, number 4'],
    ['a number out of range', bvh('', ['0 0 0 1e999 0 0']), 'm.bvh:11 number: Frame 1, number 4'],
    ['an offset that is none', bvh('JOINT A { OFFSET 0 zero 0 }', ['0']), 'm.bvh:6 number: OFFSET of "A"'],
    ['no frames', bvh('', []), 'm.bvh:10 no-frames: The file declares no frames.'],
    ['a frame time of zero', bvh('', [zeros(6)]).replace('0.01', '0'), 'm.bvh:10 frame-time'],
    ['nothing that moves', bvh('', ['']).replace(ROOT, ''), 'm.bvh:10 channels: No joint has a channel'],
    ['two figures', bvh('', [zeros(6)]).replace('MOTION', 'ROOT B\n{\n}\nMOTION'), 'm.bvh:8 several-roots'],
    [
      'a huge number of frames',
      bvh('', [zeros(6)]).replace('Frames: 1', 'Frames: 900719925474099'),
      'm.bvh:10 truncated: The file declares 900719925474099 frames',
    ],
    [
      'more frames than there are',
      bvh('', [zeros(6), zeros(6)]).replace('Frames: 2', 'Frames: 3'),
      'm.bvh:1[0-9] truncated',
    ],
  ])('refuses %s', (_what, text, expected) => {
    expect(problem(text)).toMatch(new RegExp(`^(${expected.replace(/[.[\]]/g, (c) => (c === '.' ? '\\.' : c))})`));
  });

  it('refuses joints within joints without end, and does not recurse', () => {
    const deep = 'JOINT a { OFFSET 0 0 0 '.repeat(100_000);
    expect(problem(bvh(deep, ['0']))).toContain('too-deep: Joints are nested more than 256 deep');
  });

  it('cut anywhere, it is refused with its line', () => {
    const whole = gaitBvh({ seconds: 0.02, rate: 100 }).trimEnd();
    const last = whole.lastIndexOf(' ');
    for (let length = 0; length < last; length += 7)
      expect(problem(whole.slice(0, length)), String(length)).toMatch(/^m\.bvh:\d+ [a-z-]+: ./);
  });
});

describe('a figure from BVH', () => {
  it('has its joints where its channels put them', () => {
    const channels = ['Zrotation Yrotation Xrotation', 'Xrotation Zrotation Yrotation', 'Yrotation Xrotation'];
    for (const order of channels) {
      const angles = [31, -52, 17];
      const names = order.split(' ');
      const text = bvh(
        `JOINT Arm { OFFSET 1 2 3 CHANNELS ${names.length} ${order} JOINT Hand { OFFSET 0 4 0 CHANNELS 1 Yrotation End Site { OFFSET 0 1 0 } } }`,
        [`5 6 7 10 20 30 ${names.map((_, k) => angles[k]).join(' ')} 40`],
      );
      const { positions } = figureFromBvh(parseBvh(text), { scale: 0.5 });
      const { mechanism } = positions;
      const state = new State(mechanism);
      state.q.set(positions.q);
      const poses = new PlainDynamics(mechanism).poses(state);
      const turned = (axes: readonly string[], by: readonly number[]): Mat3 =>
        axes.reduce<Mat3>(
          (R, axis, k) =>
            multiply(
              R,
              rotationAbout(
                [0, 1, 2].map((i) => Number('XYZ'[i] === axis[0])) as unknown as Vec3,
                (by[k] * Math.PI) / 180,
              ),
            ),
          IDENTITY3,
        );
      const hips = turned(['Z', 'Y', 'X'], [10, 20, 30]);
      const arm = multiply(hips, turned(names, angles));
      const shoulder = add([5, 6, 7], apply(hips, [1, 2, 3]));
      const wrist = add(shoulder, apply(arm, [0, 4, 0]));
      const origin = (body: string): number[] => [...poses.subarray(12 * mechanism.bodyIndex(body) + 9).subarray(0, 3)];
      [...origin('Arm'), ...origin('Hand')].forEach((value, k) => {
        expect(value).toBeCloseTo([...scale(0.5, shoulder), ...scale(0.5, wrist)][k], 12);
      });
    }
  });

  it('chooses joints by their channels', () => {
    const text = bvh(
      'JOINT a { OFFSET 0 1 0 CHANNELS 0 JOINT b { OFFSET 0 1 0 CHANNELS 1 Xrotation JOINT c { OFFSET 0 1 0 CHANNELS 2 Xrotation Zrotation JOINT d { OFFSET 0 1 0 CHANNELS 3 Xrotation Yrotation Zrotation End Site { OFFSET 0 1 0 } } } } }',
      [zeros(12)],
    );
    const { positions, coordinates } = figureFromBvh(parseBvh(text), { scale: 1 });
    expect(positions.mechanism.joints.map(({ type }) => type)).toEqual([
      'floating',
      'fixed',
      'revolute',
      'universal',
      'spherical',
    ]);
    expect(coordinates.slice(6)).toEqual(['b', 'c_rx', 'c_rz', 'd_rx', 'd_ry', 'd_rz']);
  });

  it('takes positions of inner joints as their place, added to OFFSET or instead of it, or as motion', () => {
    const six = 'CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation';
    const figure = (rows: readonly string[]) =>
      figureFromBvh(parseBvh(bvh(`JOINT Arm { OFFSET 0 10 0 ${six} End Site { OFFSET 0 5 0 } }`, rows)), {
        scale: 0.1,
      });
    const row = (y: number): string => `${zeros(6)} 0 ${y} 0 0 0 0`;
    for (const place of [0, 10]) {
      const { joints } = figure([row(place), row(place)]).positions.mechanism;
      expect(joints[1].type).toBe('spherical');
      expect(joints[1].t[1]).toBeCloseTo(1, 12);
    }
    const { positions } = figure([row(9), row(11)]);
    expect(positions.mechanism.joints[1].type).toBe('floating');
    expect(positions.q[7 + 5]).toBeCloseTo(0.9, 12);
  });

  it('leaves a reference pose at the beginning out, and nothing else', () => {
    const arm = CHILD('CHANNELS 3 Zrotation Yrotation Xrotation');
    const rows = Array.from({ length: 20 }, (_, k) => `${zeros(6)} ${30 + 0.2 * k} 0 0`);
    expect(figureFromBvh(parseBvh(bvh(arm, rows)), { scale: 1 }).positions.count).toBe(20);
    const figure = figureFromBvh(parseBvh(bvh(arm, [zeros(9), ...rows])), { scale: 1 });
    expect(figure.positions.count).toBe(20);
    expect(figure.positions.start).toBe(0.01);
    expect(figure.warnings.map(({ code }) => code)).toContain('reference-pose');
  });

  it('shares masses by length where names say nothing, and says so', () => {
    const text = bvh('JOINT q1 { OFFSET 0 2 0 CHANNELS 1 Xrotation End Site { OFFSET 0 1 0 } }', [zeros(7)]);
    const { positions, warnings } = figureFromBvh(parseBvh(text), { scale: 1, mass: 9 });
    expect(warnings.map(({ code }) => code)).toEqual(['bones']);
    expect(positions.mechanism.bodies.map(({ mass }) => mass)).toEqual([8, 1]);
  });

  it('a body that nobody has is pointed out: the scale is another one', () => {
    const codes = (scale: number, mass = 73): string[] =>
      figureFromBvh(parseBvh(gaitBvh({ seconds: 0.1 })), { scale, mass }).warnings.map(({ code }) => code);
    expect(codes(0.01)).toEqual([]);
    expect(codes(0.0045)).toEqual(['size']);
    expect(codes(1)).toEqual(['size']);
    // A child.
    expect(codes(0.0045, 12)).toEqual([]);
  });

  it('refuses sizes that make no sense', () => {
    const flat = parseBvh(bvh('JOINT q1 { OFFSET 0 0 0 CHANNELS 1 Xrotation }', [zeros(7)]));
    expect(() => figureFromBvh(flat)).toThrow(/has no size/);
    const good = parseBvh(gaitBvh({ seconds: 0.1 }));
    for (const bad of [{ mass: -1 }, { height: 0 }, { scale: Number.NaN }, { scale: -1 }])
      expect(() => figureFromBvh(good, bad)).toThrow(MechanismError);
  });
});

describe('names of bones', () => {
  it.each([
    ['LeftUpLeg', 'thigh', 'left'],
    ['mixamorig:RightLeg', 'shank', 'right'],
    ['LHipJoint', 'pelvis', 'left'],
    ['lThigh', 'thigh', 'left'],
    ['r_foot', 'foot', 'right'],
    ['calcn_l', 'foot', 'left'],
    ['LeftToeBase', 'toe', 'left'],
    ['RightHandIndex1', 'finger', 'right'],
    ['LeftForeArm', 'forearm', 'left'],
    ['R_Elbow', 'forearm', 'right'],
    ['LeftArm', 'upperArm', 'left'],
    ['Neck1', 'head', ''],
    ['LowerBack', 'spine', ''],
    ['Hips', 'pelvis', ''],
    ['Prop', undefined, ''],
  ])('%s', (name, part, side) => {
    expect(namedPart(name)).toEqual({ part, side });
  });

  it('has joints by everyday names where they are clear, and coordinates of OpenSim as they are', () => {
    const names = ['LeftUpLeg_rx', 'RightLeg', 'mixamorig:RightFoot_rz', 'lForeArm_ry', 'Spine_rx', 'LThumb_rx'];
    expect(everydayNames(names)).toEqual([
      'left hip x',
      'right knee',
      'right ankle z',
      'left elbow y',
      'Spine_rx',
      'LThumb_rx',
    ]);
    const others = ['knee_angle_r', 'hip_flexion_l', 'pelvis_tx', 'LeftFoot_tx', 'LeftLeg_rx', 'LeftShin_rx'];
    expect(everydayNames(others)).toEqual(others);
    expect(['calcn_r', 'LeftFoot', 'Hips', 'RightHand'].map(everydayBody)).toEqual([
      'right foot',
      'left foot',
      'Hips',
      'right hand',
    ]);
  });

  it('a foot that hangs from an ankle begins at the ball, unless a toe does', () => {
    const partsOf = (...names: readonly string[]) =>
      skeletonParts(names.map((name, i) => ({ name, parent: i - 1 }))).map(({ part }) => part);
    expect(partsOf('Pelvis', 'L_Hip', 'L_Knee', 'L_Ankle', 'L_Foot').slice(3)).toEqual(['foot', 'toe']);
    expect(partsOf('Pelvis', 'L_Hip', 'L_Knee', 'L_Ankle', 'L_Heel').slice(3)).toEqual(['foot', 'foot']);
    expect(partsOf('Hips', 'LeftAnkle', 'LeftFoot', 'LeftToe').slice(1)).toEqual(['foot', 'foot', 'toe']);
  });

  it('named after joints: a shoulder without an arm below is the arm', () => {
    const nodes = [
      'Root',
      'LeftCollar',
      'LeftShoulder',
      'LeftElbow',
      'LeftWrist',
      'LeftHip',
      'LeftKnee',
      'LeftAnkle',
      'Thing',
    ];
    const parents = [-1, 0, 1, 2, 3, 0, 5, 6, 7];
    const parts = skeletonParts(nodes.map((name, i) => ({ name, parent: parents[i] })));
    expect(parts.map(({ part }) => part)).toEqual([
      'pelvis',
      'girdle',
      'upperArm',
      'forearm',
      'hand',
      'thigh',
      'shank',
      'foot',
      'foot',
    ]);
    expect(parts[8].side).toBe('left');
  });
});
