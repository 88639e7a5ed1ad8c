// What is written is read back by MuJoCo itself; that the dynamics agree is the business of test/agreement.

import { describe, expect, it } from 'vitest';
import { mujoco } from '../../bench/mujoco.js';
import { formatMjcf } from '../../src/formats/index.js';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';

const part = { mass: 1, com: [0, 0, 0.1], inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1] } as const;

function arm(): MechanismBuilder {
  return new MechanismBuilder('an "arm" <&>')
    .link('upper & lower', {
      parent: null,
      joint: {
        type: 'revolute',
        axis: [0, 1, 0],
        armature: 0.25,
        damping: 0.5,
        friction: 0.75,
        stiffness: 2,
        rest: 0.3,
        limits: { lower: -1, upper: 2 },
      },
      ...part,
    })
    .link('hand', { parent: 'upper & lower', joint: { type: 'prismatic', axis: [1, 0, 0] }, at: [0, 0, 1], ...part });
}

describe('formatMjcf', () => {
  it('names, joints and their properties arrive in MuJoCo', async () => {
    const mechanism = arm().build();
    const module = await mujoco();
    const model = module.MjModel.from_xml_string(formatMjcf(mechanism));
    const { mjtObj } = module;
    expect(module.mj_name2id(model, mjtObj.mjOBJ_BODY.value, 'upper & lower')).toBe(1);
    expect(model.nv).toBe(2);
    const [joint] = mechanism.joints;
    expect(joint.armature).toBe(0.25);
    expect(Array.from(model.dof_armature as Float64Array)).toEqual([0.25, 0]);
    expect(Array.from(model.dof_damping as Float64Array)).toEqual([0.5, 0]);
    expect(Array.from(model.dof_frictionloss as Float64Array)).toEqual([0.75, 0]);
    expect(Array.from(model.jnt_stiffness as Float64Array)).toEqual([2, 0]);
    expect((model.qpos_spring as Float64Array)[0]).toBe(0.3);
    expect(Array.from((model.jnt_range as Float64Array).subarray(0, 2))).toEqual([-1, 2]);
    expect(Array.from(model.opt.gravity as Float64Array)).toEqual([...mechanism.gravity]);
    model.delete();
  });

  it('couplings become equality constraints', async () => {
    const spec = mechanismSpec(arm().build());
    const [source, joint] = spec.joints.map(({ name }) => name);
    const coupled = createMechanism({ ...spec, couplings: [{ joint, source, multiplier: 2, offset: 0.5 }] });
    const module = await mujoco();
    const model = module.MjModel.from_xml_string(formatMjcf(coupled));
    expect(model.neq).toBe(1);
    expect(Array.from((model.eq_data as Float64Array).subarray(0, 2))).toEqual([0.5, 2]);
    model.delete();
  });

  it('refuses what MJCF does not have', () => {
    const helical = new MechanismBuilder()
      .link('a', { parent: null, joint: { type: 'helical', axis: [0, 0, 1], pitch: 0.1 }, ...part })
      .build();
    expect(() => formatMjcf(helical)).toThrow('MJCF has no helical joint');
    const spec = mechanismSpec(arm().build());
    const loops = [{ name: 'grip', a: { body: 'hand' }, b: { body: null }, type: 'spherical' }];
    expect(() => formatMjcf(createMechanism({ ...spec, loops } as unknown as typeof spec))).toThrow('loop "grip"');
  });
});
