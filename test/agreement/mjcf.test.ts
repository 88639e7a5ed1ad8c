// MJCF read by our reader and by MuJoCo's own: the same bodies, the same masses, the same motion.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mjcfWithFiles } from '../../bench/mjcf-files.js';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { LoopClosing } from '../../src/engines/plain/assembly/closing.js';
import { type MjcfModel, parseMjcf } from '../../src/formats/mjcf.js';
import { ActuatorForces } from '../../src/mechanism/actuator-forces.js';
import { State } from '../../src/mechanism/state.js';
import { createTree } from '../../src/mechanism/tree.js';
import { solveDense } from '../engines/plain/assembly/constrained.js';
import { differences, MujocoMjcf, modelFiles, times } from '../support/mujoco-mjcf.js';
import { randomVector, relativeError } from '../support/random-mechanism.js';
import { sharedPath } from '../support/shared.js';

const FOLDER = sharedPath('data/mjcf');

/** Forces of the actuators on the joints, for random controls. */
function actuatorDifference(theirs: MujocoMjcf, ours: MjcfModel): number {
  const forces = new ActuatorForces(ours.mechanism, ours.actuators, ours.tendons);
  expect(forces.ignored).toEqual([]);
  if (ours.actuators.length === 0) return 0;
  const state = State.random(ours.mechanism, 7);
  const controls = randomVector(8, ours.actuators.length, 3);
  theirs.model.opt.disableflags = 1;
  theirs.setState(ours, state);
  theirs.data.ctrl.set(controls);
  theirs.module.mj_forward(theirs.model, theirs.data);
  const { T } = theirs.velocityMap(ours, state);
  const there = times(T, theirs.model.nv, Float64Array.from(theirs.data.qfrc_actuator as Float64Array), true);
  return relativeError(forces.add(state, { controls }), there);
}

/** Equality constraints without their softness: M qdd + bias = tau + J^T f, J qdd = 0 at rest, with MuJoCo's M, bias and J. */
function constrainedAccelerations(theirs: MujocoMjcf, ours: MjcfModel, state: State, tau: Float64Array): Float64Array {
  const { model, data, module } = theirs;
  const { bias, H } = theirs.smooth(ours, state, tau);
  const n = model.nv;
  // Limits, friction, contacts and passive forces stay off.
  model.opt.disableflags = 4 | 8 | 16 | 32 | 64 | (1 << 11);
  model.opt.jacobian = 0;
  theirs.setState(ours, state);
  module.mj_forward(model, data);
  const rows = Array.from(
    { length: data.ne },
    (_, row) => Array.from(data.efc_J.slice(n * row, n * (row + 1))) as number[],
  );
  const { T } = theirs.velocityMap(ours, state);
  const J = rows.map((row) => Array.from(times(T, n, Float64Array.from(row), true)));
  const A = [
    ...Array.from({ length: n }, (_, i) => [...H.subarray(n * i, n * (i + 1)), ...J.map((row) => -row[i])]),
    ...J.map((row) => [...row, ...J.map(() => 0)]),
  ];
  const b = [...Array.from(tau, (t, k) => t - bias[k]), ...J.map(() => 0)];
  return Float64Array.from(solveDense(A, b).slice(0, n));
}

const MODELS = [
  'humanoid.xml',
  'cassie.xml',
  'h1.xml',
  'robotiq_2f85/2f85.xml',
  'robotiq_2f85/scene.xml',
  'trossen_wx250s/wx250s.xml',
  'trossen_wx250s/scene.xml',
].filter((name) => existsSync(join(FOLDER, name)));
const GRIPPER = 'robotiq_2f85/2f85.xml';

describe.skipIf(MODELS.length === 0)('shared MJCF files', () => {
  it.each(MODELS.length > 0 ? MODELS : ['missing'])('%s', async (path) => {
    const { text, files } = mjcfWithFiles(FOLDER, path);
    const theirs = await MujocoMjcf.load(text, files);
    const ours = parseMjcf(text, { file: path, files: modelFiles(files) });
    const worst = differences(theirs, ours, 5);
    worst.set('actuators', actuatorDifference(theirs, ours));
    theirs.delete();
    console.info(path, [...worst].map(([key, error]) => `${key} ${error.toExponential(1)}`).join(', '));
    for (const [key, error] of worst) expect(error, key).toBeLessThan(1e-9);
  });

  it.runIf(MODELS.includes(GRIPPER))('a gripper with loops and a coupling: accelerations at rest', async () => {
    const { text, files } = mjcfWithFiles(FOLDER, GRIPPER);
    const theirs = await MujocoMjcf.load(text, files);
    const ours = parseMjcf(text, { file: GRIPPER, files: modelFiles(files) });
    const { mechanism } = ours;
    expect(mechanism.loops.length).toBeGreaterThan(0);
    expect(mechanism.couplings.length).toBeGreaterThan(0);
    const closing = new LoopClosing(createTree(mechanism));
    const [plain, auto] = [dynamics(mechanism, { engine: 'plain' }), dynamics(mechanism)];
    for (let seed = 1; seed <= 5; seed++) {
      const state = new State(mechanism);
      state.q[mechanism.joint('right_driver_joint').iq] = 0.1 * seed;
      state.applyCouplings();
      closing.close(state);
      const tau = randomVector(seed, mechanism.nv, 0.1);
      const expected = constrainedAccelerations(theirs, ours, state, tau);
      expect(relativeError(plain.forward(state, tau), expected)).toBeLessThan(1e-8);
      expect(relativeError(auto.forward(state, tau), expected)).toBeLessThan(1e-8);
    }
    theirs.delete();
  });
});
