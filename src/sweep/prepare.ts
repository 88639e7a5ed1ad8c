// From the data of a run to its result. Preparing reads every file that the run needs; running reads none.

import { adapted, type Model } from '../files/adapted.js';
import { extensionOf, MODEL_FILES } from '../files/kinds.js';
import { readModel } from '../files/read-model.js';
import { decodeText } from '../formats/decode-text.js';
import { folderOf, type ModelFiles } from '../formats/model-files.js';
import { parseState } from '../formats/state-file.js';
import { ImportError } from '../mechanism/errors.js';
import { keyframeOf } from '../mechanism/model-data.js';
import { State } from '../mechanism/state.js';
import { builtinMechanism, type OtherNames } from '../models/index.js';
import { BUNDLED_SCENES } from '../scenes/bundled.js';
import { posed } from '../scenes/controls.js';
import { sceneWorld } from '../scenes/make-scene.js';
import type { Scene } from '../scenes/scene.js';
import { prepareInverse } from './inverse-run.js';
import { readFile, rootOf } from './root-files.js';
import { canonicalJson, type ModelInput, type RunInput, type SceneInput } from './run-input.js';
import { runAlone, runWorld } from './simulate-run.js';
import type { Json } from './sweep.js';

/** Models that were read before: one run after the other often has the same. */
export type ModelStore = Map<string, Model>;
const MOST_STORED = 16;

/** Ready to run; gives the result, the same on every machine. */
export type PreparedRun = () => Json;

const SCENES: OtherNames = { what: 'scene', names: BUNDLED_SCENES.map(({ name }) => name) };

/** Reads what a run needs. Files are those of the root; names in the input are paths within it. */
export function prepareRun(input: RunInput, files: ModelFiles, store: ModelStore = new Map()): PreparedRun {
  if (input.kind === 'scene') return prepareScene(input, files);
  return input.kind === 'model' ? prepareModel(input, files, store) : prepareInverse(input, rootOf(files));
}

function prepareScene({ scene, folder, every }: SceneInput, files: ModelFiles): PreparedRun {
  const run = sceneWorld(scene, { files: { folder, read: (path) => files.read(path) } });
  return () => runWorld(run, every);
}

function prepareModel(input: ModelInput, files: ModelFiles, store: ModelStore): PreparedRun {
  const model = storedModel(input, rootOf(files), store);
  const state = startOf(input, model, rootOf(files));
  const bringsGround = (model.ground?.collisions.length ?? 0) > 0;
  if (input.ground !== true && !bringsGround) return () => runAlone(model, state, input);
  const { integrator, engine, relative, absolute } = input;
  if (integrator !== undefined && integrator !== 'midpoint')
    throw ImportError.of(
      'option',
      'integrator',
      `With contacts it is "midpoint"; "${integrator}" is for a model alone.`,
    );
  if (engine !== undefined || relative !== undefined || absolute !== undefined)
    throw ImportError.of('option', '', '"engine", "relative" and "absolute" are for a model alone, without contacts.');
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

function storedModel(input: ModelInput, files: ModelFiles, store: ModelStore): Model {
  const { model, base, mimic, loops, massless, inertia, merge } = input;
  const key = canonicalJson({ model, base, mimic, loops, massless, inertia, merge });
  const known = store.get(key);
  if (known !== undefined) return known;
  const made = modelOf(input, files);
  if (store.size >= MOST_STORED) store.clear();
  store.set(key, made);
  return made;
}

function modelOf(input: ModelInput, files: ModelFiles): Model {
  const { model: name, base, mimic, loops, massless, inertia, merge } = input;
  const adapt = {
    ...(base !== undefined && { base }),
    ...(mimic !== undefined && { mimic }),
    ...(loops !== undefined && { loops }),
  };
  if ((MODEL_FILES as readonly string[]).includes(extensionOf(name))) {
    const { bytes, path } = readFile(name, files);
    return readModel(bytes, path, {
      ...adapt,
      fixedJoints: merge === true ? 'merge' : 'keep',
      files: { folder: folderOf(path), read: (file) => files.read(file) },
      ...(inertia !== undefined && { inertia }),
      ...(massless !== undefined && { massless }),
    });
  }
  if (extensionOf(name) !== '' || /[\\/]/.test(name))
    throw ImportError.of(
      'model',
      '',
      `"${name}" is neither a built-in name nor a file of a known kind (${MODEL_FILES.join(', ')}).`,
    );
  const mechanism = builtinMechanism(name, SCENES);
  return adapted({ mechanism, state: new State(mechanism) }, adapt);
}

function startOf({ seed, state, keyframe }: ModelInput, model: Model, files: ModelFiles): State {
  if (state !== undefined && keyframe !== undefined)
    throw ImportError.of('option', '', 'Give a state or a keyframe, not both.');
  if (keyframe !== undefined) return keyframeOf(model, keyframe).state;
  if (typeof state === 'string') {
    const { bytes, path } = readFile(state, files);
    return parseState(decodeText(bytes), model.mechanism, { file: path }).state;
  }
  if (state !== undefined) return posed(model.state.clone(), state);
  return seed === undefined ? model.state.clone() : State.random(model.mechanism, seed);
}
