// A simulation of a scene as a run of a sweep.

import type { Model } from '../files/adapted.js';
import type { ModelFiles } from '../formats/model-files.js';
import type { State } from '../mechanism/state.js';
import { sceneWorld } from '../scenes/make-scene.js';
import type { Scene } from '../scenes/scene.js';
import type { PreparedRun } from './prepare.js';
import type { ModelInput, SceneInput } from './run-input.js';
import { runWorld } from './simulate-run.js';

export function prepareScene({ scene, folder, every }: SceneInput, files: ModelFiles): PreparedRun {
  const run = sceneWorld(scene, { files: { folder, read: (path) => files.read(path) } });
  return () => runWorld(run, every);
}

/** A model on the ground, or in what its file stands on. */
export function prepareOnGround(input: ModelInput, model: Model, state: State): PreparedRun {
  const run = sceneWorld(groundScene(input, model), {
    models: new Map([[input.model, model]]),
    states: new Map([[input.model, state]]),
  });
  return () => runWorld(run, input.every);
}

/** A model on the ground, driven by its actuators if it has any. */
function groundScene({ model: name, ground, keyframe, step, duration }: ModelInput, model: Model): Scene {
  const control = { kind: 'actuators', ...(keyframe !== undefined && { keyframe }) } as const;
  return {
    mechanisms: [{ model: name, ...((model.actuators?.length ?? 0) > 0 && { control }) }],
    ...(ground === true && { ground }),
    ...(step !== undefined && { step }),
    ...(duration !== undefined && { duration }),
  };
}
