// URDF written and read back: by our reader the same mechanism, by MuJoCo's the same accelerations.

import { describe, expect, it } from 'vitest';
import { MujocoModel } from '../../bench/mujoco.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { formatUrdf, parseUrdf } from '../../src/formats/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { reroot } from '../../src/mechanism/reroot.js';
import { State } from '../../src/mechanism/state.js';
import { carriedOver } from '../../src/mechanism/structure.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { builtinMechanism } from '../../src/models/index.js';
import { rollPitchYaw, rotationFromQuaternion, rotationFromRollPitchYaw } from '../../src/spatial/matrix3.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';

const URDF_TYPES = ['fixed', 'revolute', 'continuous', 'prismatic', 'planar', 'floating'] as const;

/** The mechanism as it comes back, with a state of the original; gravity is not in the file. */
function readBack(mechanism: Mechanism): Mechanism {
  const { text } = formatUrdf(mechanism);
  return parseUrdf(text, { gravity: mechanism.gravity, inertia: 'reject' });
}

/** Accelerations of the joints that both have, by name. */
function byName({ joints }: Mechanism, qdd: Float64Array, names: readonly string[]): number[] {
  return names.flatMap((name) => {
    const { iv, model } = joints.find((joint) => joint.name === name)!;
    return [...qdd.subarray(iv, iv + model.nv)];
  });
}

describe('URDF', () => {
  it('comes back with the same energies and accelerations: 100 random trees of its joint types, re-rooted', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const original = randomMechanism(seed, { types: URDF_TYPES, base: 'floating', forest: seed % 4 === 0 });
      const top = `b${seed % original.bodies.length}`;
      const start = State.random(original, seed);
      const { mechanism, state } = reroot(original, start, { top, at: [0.1, 0.2, 0.3], joint: 'floating' });
      const again = readBack(mechanism);
      const carried = carriedOver(state, again);
      // carriedOver knows joints of the same type only, and revolute joints without limits became continuous.
      for (const { name, iq, iv, model } of mechanism.joints) {
        const other = again.joints[again.jointIndex(name)];
        carried.q.set(state.q.subarray(iq, iq + model.nq), other.iq);
        carried.v.set(state.v.subarray(iv, iv + model.nv), other.iv);
      }
      const names = mechanism.joints.map(({ name }) => name);
      const [a, b] = [new PlainDynamics(mechanism), new PlainDynamics(again)];
      expect(
        relativeError(byName(again, b.forward(carried), names), byName(mechanism, a.forward(state), names)),
        `seed ${seed}`,
      ).toBeLessThan(1e-9);
      const [e, f] = [a.energy(state), b.energy(carried)];
      expect(relativeError([f.kinetic, f.potential, ...f.com], [e.kinetic, e.potential, ...e.com])).toBeLessThan(1e-11);
    }
  });

  it('MuJoCo reads the same robot: a human figure with its foot on the ground', async () => {
    const figure = builtinMechanism('human-34');
    const { mechanism } = reroot(figure, new State(figure), { top: 'left_foot', at: [0, 0.1, 0], joint: 'fixed' });
    const { text } = formatUrdf(mechanism);
    const again = parseUrdf(text);
    const model = await MujocoModel.fromUrdf(text, again);
    const state = State.random(again, 4);
    const tau = randomVector(5, again.nv, 3);
    expect(relativeError(new PlainDynamics(again).forward(state, tau), model.forward(state, tau))).toBeLessThan(1e-9);
    model.delete();
  });

  it('a body that is fixed at the origin is the root link itself', () => {
    const mechanism = parseUrdf(formatUrdf(builtinMechanism('chain-3')).text);
    expect(mechanism.bodies[0].name).toBe('world');
    const plain = createMechanism({
      bodies: [{ name: 'base', mass: 1 }],
      joints: [{ name: 'weld', type: 'fixed', parent: null, child: 'base' }],
    });
    expect(parseUrdf(formatUrdf(plain).text).bodies.map(({ name }) => name)).toEqual(['base']);
  });

  it('keeps shapes, colours, limits, damping and mimic joints, and names that XML must escape', () => {
    const spec = mechanismSpec(builtinMechanism('human-34'));
    const joints = spec.joints.map((joint) => ({
      ...joint,
      ...(joint.name === 'left_knee' && {
        damping: 2,
        friction: 0.5,
        limits: { lower: 0, upper: 2, effort: 9, velocity: 8 },
      }),
      ...(joint.name === 'right_knee' && { name: 'right <"knee"> & \'co\'' }),
    }));
    const couplings = [{ joint: 'right <"knee"> & \'co\'', source: 'left_knee', multiplier: 2, offset: 0.1 }];
    const mechanism = createMechanism({ ...spec, joints, couplings });
    const again = readBack(mechanism);
    const limits = { lower: 0, upper: 2, effort: 9, velocity: 8 };
    expect(again.joints[again.jointIndex('left_knee')]).toMatchObject({ damping: 2, friction: 0.5, limits });
    expect(again.couplings).toMatchObject([{ multiplier: 2, offset: 0.1 }]);
    mechanism.bodies.forEach(({ name, visuals, mass }) => {
      const other = again.bodies[again.bodyIndex(name)];
      expect(other.mass).toBe(mass);
      expect(other.visuals.map(({ geometry, color }) => [geometry, color])).toEqual(
        visuals.map(({ geometry, color }) => [geometry, color]),
      );
    });
  });

  it('notes what it leaves out', () => {
    const [hinge] = mechanismSpec(builtinMechanism('chain-1')).joints;
    const spec = mechanismSpec(builtinMechanism('chain-1'));
    const mechanism = createMechanism({
      ...spec,
      joints: [{ ...hinge, type: 'prismatic', armature: 1, stiffness: 2 }],
      frames: [{ name: 'tip', body: 'link_1' }],
    });
    expect(formatUrdf(mechanism).notes.map(({ code }) => code)).toEqual(['armature', 'spring', 'limits', 'frames']);
  });

  it.each(['helical', 'cylindrical', 'universal', 'spherical'] as const)('refuses a %s joint', (type) => {
    const mechanism = randomMechanism(1, { bodies: 1, base: type });
    expect(() => formatUrdf(mechanism)).toThrow(`joint "j0": URDF has no ${type} joint`);
  });

  it('refuses loops', () => {
    const spec = mechanismSpec(builtinMechanism('chain-2'));
    const loops = [{ name: 'rope', type: 'spherical' as const, a: { body: 'link_2' }, b: { body: null } }];
    expect(() => formatUrdf(createMechanism({ ...spec, loops }))).toThrow('loop "rope": URDF has no loop joints.');
  });
});

describe('roll, pitch, yaw', () => {
  it('give the rotation again, also where the pitch is a quarter turn', () => {
    const random = new Random(1);
    const rotations = Array.from({ length: 200 }, () => rotationFromQuaternion(random.quaternion()));
    for (const near of [0, 1e-12, -1e-9, 1e-7])
      for (const pitch of [Math.PI / 2 + near, -Math.PI / 2 + near])
        rotations.push(rotationFromRollPitchYaw(random.between(-3, 3), pitch, random.between(-3, 3)));
    for (const R of rotations)
      expect(relativeError(rotationFromRollPitchYaw(...rollPitchYaw(R)), R)).toBeLessThan(2e-15);
  });
});
