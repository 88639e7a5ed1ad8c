import { expect, it } from 'vitest';
import { parseOpensimSetup } from '../../src/formats/opensim-setup.js';
import { parseOsim } from '../../src/formats/osim.js';
import { parseStorage } from '../../src/formats/storage.js';
import { parseTrc } from '../../src/formats/trc.js';
import { CoordinateModel } from '../../src/motion/index.js';
import { trackMarkers } from '../../src/toolbox/index.js';
import { json, manikin, output, read, temporaryFolder } from '../cli/support.js';
import { hasShared, readShared, sharedPath } from '../support/shared.js';

const files = temporaryFolder();

it.skipIf(!hasShared('data/opensim'))("the coordinates that OpenSim's inverse kinematics finds", () => {
  const text = (file: string): string => readShared(`data/opensim/${file}`);
  const model = CoordinateModel.ofOsim(parseOsim(text('subject01.osim')));
  const { markerWeights, timeRange } = parseOpensimSetup(text('walk_Setup_IK.xml'));
  const found = trackMarkers(model, parseTrc(text('subject01_walk.trc')), { weights: markerWeights, timeRange });
  expect(found.converged).toBe(true);
  const expected = parseStorage(text('subject01_walk_IK.mot'));
  expect(found.times).toHaveLength(expected.rowCount);
  const width = expected.labels.length;
  for (const [c, { name, rotational }] of model.coordinates.entries()) {
    const column = expected.labels.indexOf(name);
    if (column < 0) continue;
    let sum = 0;
    for (let row = 0; row < expected.rowCount; row++) {
      const value = found.values[row * model.coordinates.length + c] * (rotational ? 180 / Math.PI : 1);
      sum += (value - expected.values[row * width + column]) ** 2;
    }
    const rms = Math.sqrt(sum / expected.rowCount);
    expect(rms, name).toBeLessThan(rotational ? 0.1 : 0.0005);
  }
});

it.skipIf(!hasShared('data/opensim'))('manikin ik with a set-up as it is, and with markers and a model', async () => {
  const setup = sharedPath('data/opensim/walk_Setup_IK.xml');
  const folder = files.path('walk.mot');
  const result = await json('ik', setup, '--out', folder);
  expect(result.converged).toBe(true);
  expect(result.joints.find(({ name }: { name: string }) => name === 'knee_angle_r').q).toHaveLength(151);
  expect(result.tasks.find(({ name }: { name: string }) => name === 'Sternum').error).toBeLessThan(0.05);
  expect(parseStorage(read(folder)).rowCount).toBe(151);
  const words = [
    'ik',
    sharedPath('data/opensim/subject01_walk.trc'),
    '--model',
    sharedPath('data/opensim/subject01.osim'),
  ];
  expect(await output(...words)).toMatch(/151 frames, \d+ markers/);
  expect((await manikin('ik', sharedPath('data/opensim/subject01_walk.trc'))).err).toMatch(/--model/);
  expect((await manikin('ik', sharedPath('data/opensim/walk_Setup_ID.xml'))).err).toMatch(/manikin inverse/);
});

it('says which tasks of a set-up are not followed', async () => {
  files.write(
    'slide.xml',
    '<mujoco><worldbody><body><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1"/><site name="M"/></body></worldbody></mujoco>',
  );
  const head =
    'PathFileType\t4\t(X/Y/Z)\tx.trc\nDataRate\tNumMarkers\tUnits\n100\t1\tm\nFrame#\tTime\tM\n\t\tX1\tY1\tZ1';
  files.write('slide.trc', `${head}\n1\t0\t0.3\t0\t0\n`);
  const task = (name: string, apply: boolean): string =>
    `<IKCoordinateTask name="${name}"><apply>${apply}</apply><weight>2</weight></IKCoordinateTask>`;
  const setup = files.write(
    'setup.xml',
    `<OpenSimDocument><InverseKinematicsTool><model_file>slide.xml</model_file><marker_file>slide.trc</marker_file>
      <IKTaskSet><objects>${task('x', true)}${task('y', false)}</objects></IKTaskSet></InverseKinematicsTool></OpenSimDocument>`,
  );
  const { code, out, err } = await manikin('ik', setup, '--json');
  expect([code, err]).toEqual([0, 'Warning: Markers alone are followed, not the tasks for coordinates: x.\n']);
  expect(JSON.parse(out).joints).toEqual([{ name: 'x', q: [expect.closeTo(0.3, 9)] }]);
  expect((await manikin('ik', setup, '--json', '--quiet')).err).toBe('');
});
