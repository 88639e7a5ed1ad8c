import { afterAll, describe, expect, it } from 'vitest';
import { MujocoModel } from '../../bench/mujoco.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { parseUrdf } from '../../src/formats/index.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { withBase } from '../../src/mechanism/variants.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../src/models/index.js';
import { ALL_JOINT_TYPES, randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { listShared, readShared } from '../support/shared.js';

const worst = { qdd: 0, tau: 0, H: 0 };

/** Relative errors of accelerations, joint forces and mass matrix over some random states. */
function compare(model: MujocoModel, mechanism: Mechanism, states: number): void {
  expect(model.nv).toBe(mechanism.nv);
  const dynamics = new PlainDynamics(mechanism);
  for (let seed = 1; seed <= states; seed++) {
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed + 100, mechanism.nv, 5);
    const qdd = randomVector(seed + 200, mechanism.nv, 5);
    const errors = {
      qdd: relativeError(dynamics.forward(state, tau), model.forward(state, tau)),
      tau: relativeError(dynamics.inverse(state, qdd), model.inverse(state, qdd)),
      H: relativeError(dynamics.massMatrix(state).H, model.massMatrix(state)),
    };
    for (const key of ['qdd', 'tau', 'H'] as const) {
      expect(errors[key], `${key} of ${mechanism.name}, seed ${seed}`).toBeLessThan(1e-9);
      worst[key] = Math.max(worst[key], errors[key]);
    }
  }
}

describe('agreement with MuJoCo', () => {
  afterAll(() => {
    const text = Object.entries(worst).map(([key, error]) => `${key} ${error.toExponential(1)}`);
    console.info(`largest relative differences from MuJoCo: ${text.join(', ')}`);
  });

  it.each(['any', 'floating', 'fixed'] as const)('random mechanisms, base %s', async (base) => {
    for (let seed = 1; seed <= 25; seed++) {
      const mechanism = randomMechanism(seed, {
        // MuJoCo has no helical joint.
        types: ALL_JOINT_TYPES.filter((type) => type !== 'helical'),
        ...(base !== 'any' && { base }),
        forest: true,
        shuffled: true,
        armature: false,
      });
      if (mechanism.nv === 0) continue;
      const model = await MujocoModel.fromMechanism(mechanism);
      compare(model, mechanism, 2);
      model.delete();
    }
  });

  const figures = BUILTIN_MODELS.map(({ example }) => example);
  describe.each(['fixed', 'floating'] as const)('built-in mechanisms, %s base', (base) => {
    it.each(figures)('%s', async (name) => {
      const mechanism = withBase(builtinMechanism(name), base);
      const model = await MujocoModel.fromMechanism(mechanism);
      compare(model, mechanism, 5);
      model.delete();
    });
  });

  describe.each(['fixed', 'floating'] as const)('shared URDF files, %s base', (base) => {
    // A suite must not be empty, so that the missing files stand as one skipped test.
    const files = listShared('data/urdf', '.urdf');
    it.skipIf(files.length === 0).each(files.length > 0 ? files : ['missing'])(
      '%s, read by both importers',
      async (file) => {
        const text = readShared(`data/urdf/${file}`);
        // Mimic joints are independent there.
        const mechanism = parseUrdf(text, { base, mimic: 'ignore' });
        const model = await MujocoModel.fromUrdf(forMujoco(text, mechanism), mechanism);
        compare(model, mechanism, 5);
        model.delete();
      },
    );
  });
});

/**
 * The same file without meshes, which are not there; with a floating joint where our base floats; nothing fused.
 * MuJoCo takes a root link of the name "world" for the ground.
 */
function forMujoco(text: string, mechanism: Mechanism): string {
  const bare = text
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(visual|collision|gazebo|transmission)\b[^>]*?(\/>|>[\s\S]*?<\/\1>)/g, '')
    .replace(/<mimic\b[^>]*?(\/>|>[\s\S]*?<\/mimic>)/g, '')
    .replace(/(name|link)="world"/g, '$1="the_world"');
  const root = mechanism.joints.findIndex(({ parent }) => parent < 0);
  const { name, type } = mechanism.joints[root];
  const child = mechanism.bodies[root].name.replace(/^world$/, 'the_world');
  const free =
    type === 'floating'
      ? `<link name="world"/><joint name="${name}" type="floating"><parent link="world"/><child link="${child}"/></joint>`
      : '';
  const compiler = '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco>';
  return bare.replace(/<\/robot>\s*$/, `${free}${compiler}</robot>`);
}
