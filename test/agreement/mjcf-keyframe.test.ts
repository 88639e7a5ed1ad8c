// Keyframes of models that are attached, and ranges that are none: as MuJoCo has them.

import { describe, expect, it } from 'vitest';
import { parseMjcf } from '../../src/formats/mjcf.js';
import { MujocoMjcf, modelFiles } from '../support/mujoco-mjcf.js';

const HAND = `<mujoco><default><default class="balls"><joint type="ball"/></default></default><worldbody>
<body name="palm"><freejoint name="float"/><geom size=".1"/><body name="ring" childclass="balls"><body name="tip" pos="0 0 1">
<geom size=".1"/><frame><joint name="round"/></frame><body name="nail"><joint name="slip" type="slide"/><geom size=".1"/></body></body></body>
<body name="thumb"><joint name="bend"/><geom size=".1"/></body></body></worldbody>
<actuator><motor name="pull" joint="bend"/><motor name="push" joint="slip"/></actuator>
<keyframe><key name="fist" time="2" qpos="1 2 3 .6 .8 0 0 0 1 0 0 4 5" qvel="1 2 3 4 5 6 7 8 9 10 11" ctrl="6 7"/></keyframe></mujoco>`;
const FILES = new Map([['hand.xml', new TextEncoder().encode(HAND)]]);

const scene = (
  attached: string,
  key: string,
): string => `<mujoco><asset><model name="hand" file="hand.xml"/></asset><worldbody>
<body name="base"><joint name="turn"/><geom size=".1"/></body>${attached}</worldbody>
<actuator><motor name="own" joint="turn"/></actuator><keyframe><key name="rest" qpos="${key}"/></keyframe></mujoco>`;

const all = '0 0 0 1 0 0 0 1 0 0 0 0 0';

describe('keyframes of attached models', () => {
  // MuJoCo 3.14 makes the same of it, looked at once: it aborts some time after it has read such a file, so no test does.
  it('have the joints of their model, and all others as the file draws them', () => {
    const text = scene('<attach model="hand" body="palm" prefix="l/"/>', `1 ${all}`);
    const { mechanism, keyframes } = parseMjcf(text, { files: modelFiles(FILES) });
    expect(keyframes.map(({ name, time, controls }) => [name, time, controls])).toEqual([
      ['rest', 0, undefined],
      ['l/fist', 2, [0, 6, 7]],
    ]);
    const at = (joint: string): number[] => {
      const { iq, model } = mechanism.joint(joint);
      return [...keyframes[1].state.q.subarray(iq, iq + model.nq)];
    };
    // MuJoCo: 0 | 1 2 3 .6 .8 0 0 | 0 1 0 0 | 4 | 5
    expect(at('turn')).toEqual([0]);
    expect(at('l/float')).toEqual([0.6, 0.8, 0, 0, 1, 2, 3]);
    expect(at('l/round')).toEqual([0, 1, 0, 0]);
    expect([...at('l/slip'), ...at('l/bend')]).toEqual([4, 5]);
  });

  it('of one that is attached twice, and of a part whose joints are in a class', () => {
    const twice = ['l/', 'r/'].map((prefix) => `<attach model="hand" body="palm" prefix="${prefix}"/>`).join('');
    const both = parseMjcf(scene(twice, `1 ${all} ${all}`), { files: modelFiles(FILES) });
    expect(both.keyframes.map(({ name }) => name)).toEqual(['rest', 'l/fist', 'r/fist']);
    const slips = ['l/slip', 'r/slip'].map((name) => both.mechanism.joint(name).iq);
    expect(both.keyframes.map(({ state }) => slips.map((iq) => state.q[iq]))).toEqual([
      [0, 0],
      [4, 0],
      [0, 4],
    ]);
    const part = '<attach model="hand" body="tip" prefix="t/"/>';
    const { mechanism, keyframes } = parseMjcf(scene(part, '1 1 0 0 0 0'), { files: modelFiles(FILES) });
    expect([...keyframes[1].state.q]).toEqual([0, 0, 1, 0, 0, 4]);
    expect(mechanism.joints.map(({ name }) => name)).toEqual(['turn', 't/round', 't/slip']);
  });

  it('velocities of a part, and a keyframe of the wrong length', () => {
    const text = scene('<attach model="hand" body="thumb" prefix="t/"/>', '1 0');
    const { mechanism, keyframes } = parseMjcf(text, { files: modelFiles(FILES) });
    expect(keyframes[1].state.v[mechanism.joint('t/bend').iv]).toBe(11);
    const short = new Map([['hand.xml', new TextEncoder().encode(HAND.replace('qpos="1 2 3 ', 'qpos="2 3 '))]]);
    const left = parseMjcf(text, { files: modelFiles(short) });
    expect(left.keyframes.map(({ name }) => name)).toEqual(['rest']);
    expect(left.mechanism.warnings.map(({ message }) => message)).toContain(
      'This keyframe is left out: qpos, expected 13 numbers, got 12.',
    );
  });
});

describe('ranges that do not go upwards', () => {
  const model = (joint: string, motor: string): string =>
    `<mujoco><worldbody><body><joint name="j" ${joint}/><geom size=".1"/></body></worldbody><actuator><motor joint="j" ${motor}/></actuator></mujoco>`;

  it.each(['range="1 1"', 'range="1 -1"', 'range="-1 1"'])('of a joint: %s', async (range) => {
    const text = model(range, '');
    const { module, model: theirs, data } = await MujocoMjcf.load(text);
    (data.qpos as Float64Array)[0] = 3;
    module.mj_forward(theirs, data);
    const { upper } = parseMjcf(text).mechanism.joint('j').limits;
    expect(upper !== undefined).toBe(data.nefc > 0);
  });

  it.each(['ctrlrange="1 1"', 'ctrlrange="1 -1"', 'ctrlrange="0 0"', 'ctrlrange="-1 1"'])(
    'of a motor: %s',
    async (range) => {
      const text = model('', range);
      const { module, model: theirs, data } = await MujocoMjcf.load(text);
      (data.ctrl as Float64Array)[0] = 3;
      module.mj_forward(theirs, data);
      const { controlRange } = parseMjcf(text).actuators[0];
      expect(Math.min(3, controlRange?.[1] ?? 3)).toBe((data.actuator_force as Float64Array)[0]);
    },
  );

  it('one that is said to be a limit is refused', () => {
    expect(() => parseMjcf(model('limited="true" range="1 1"', ''))).toThrow('from the lower to the upper end');
  });
});
