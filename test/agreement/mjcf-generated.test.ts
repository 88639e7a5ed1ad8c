// Generated MJCF files, every feature alone and in mixtures, read by us and by MuJoCo.

import { describe, expect, it } from 'vitest';
import { parseMjcf } from '../../src/formats/mjcf.js';
import { Random } from '../../src/mechanism/random.js';
import { generateMjcf, MJCF_FEATURES, type MjcfFeature } from '../support/mjcf-generator.js';
import { differences, MujocoMjcf, modelFiles } from '../support/mujoco-mjcf.js';

/** MuJoCo turns meshes to principal axes that are good to 1e-8; mass and centre of mass are not concerned. */
const MESH_TOLERANCE = 1e-7;

async function compare(features: readonly MjcfFeature[], seed: number): Promise<void> {
  const { text, files } = generateMjcf(features, seed);
  const theirs = await MujocoMjcf.load(text, files);
  try {
    const ours = parseMjcf(text, { file: 'generated.xml', files: modelFiles(files) });
    const meshes = features.some((feature) => feature.startsWith('mesh'));
    for (const [what, error] of differences(theirs, ours))
      expect(error, `${what}, ${features.join(' ')}, seed ${seed}\n${text}`).toBeLessThan(
        meshes && what !== 'mass' && what !== 'com' ? MESH_TOLERANCE : 1e-9,
      );
  } finally {
    theirs.delete();
  }
}

describe('generated MJCF', () => {
  it.each(MJCF_FEATURES)('%s', async (feature) => {
    for (const seed of [1, 2]) await compare([feature], seed);
  });

  const SEEDS = Number(process.env.MANIKIN_MJCF_RUNS ?? 12);
  it(`${SEEDS} mixtures`, async () => {
    let refusals = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed);
      // Without autolimits MuJoCo refuses ranges that are not said to be limits: that goes alone.
      const features = MJCF_FEATURES.filter((name) => random.between(0, 1) < 0.25 && name !== 'autolimits-off');
      // Some mixtures contradict themselves, and MuJoCo says so.
      const refused = await compare(features, seed).then(
        () => false,
        (error: Error) => {
          if (!/^MuJoCo Error: Loading error/.test(error.message)) throw error;
          return true;
        },
      );
      if (refused) refusals++;
    }
    expect(refusals).toBeLessThanOrEqual(SEEDS / 4);
  });
});
