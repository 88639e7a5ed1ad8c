// A simulation of a model as a run of a sweep.

import { adapted, type Model } from '../files/adapted.js';
import { extensionOf, MODEL_FILES } from '../files/kinds.js';
import { decodeText } from '../formats/decode-text.js';
import { folderOf, type ModelFiles } from '../formats/model-files.js';
import { parseState } from '../formats/state-file.js';
import { ImportError } from '../mechanism/errors.js';
import { keyframeOf } from '../mechanism/model-data.js';
import { State } from '../mechanism/state.js';
import { builtinMechanism, type OtherNames } from '../models/index.js';
import { BUNDLED_SCENES } from '../scenes/bundled.js';
import { posed } from '../scenes/posed.js';
import type { ModelStore, PreparedRun } from './prepare.js';
import { readFile } from './root-files.js';
import { canonicalJson, type ModelInput } from './run-input.js';

const MOST_STORED = 16;

const SCENES: OtherNames = { what: 'scene', names: BUNDLED_SCENES.map(({ name }) => name) };

export async function prepareModel(input: ModelInput, files: ModelFiles, store: ModelStore): Promise<PreparedRun> {
  const model = await storedModel(input, files, store);
  const state = startOf(input, model, files);
  const bringsGround = (model.ground?.collisions.length ?? 0) > 0;
  if (input.ground !== true && !bringsGround)
    return async () => (await import('./simulate-run.js')).runAlone(model, state, input);
  const { integrator, engine, relative, absolute } = input;
  if (integrator !== undefined && integrator !== 'midpoint')
    throw ImportError.of(
      'option',
      'integrator',
      `With contacts it is "midpoint"; "${integrator}" is for a model alone.`,
    );
  if (engine !== undefined || relative !== undefined || absolute !== undefined)
    throw ImportError.of('option', '', '"engine", "relative" and "absolute" are for a model alone, without contacts.');
  return (await import('./scene-run.js')).prepareOnGround(input, model, state);
}

async function storedModel(input: ModelInput, files: ModelFiles, store: ModelStore): Promise<Model> {
  const { model, base, mimic, loops, massless, inertia, merge } = input;
  const key = canonicalJson({ model, base, mimic, loops, massless, inertia, merge });
  const known = store.get(key);
  if (known !== undefined) return known;
  const made = await modelOf(input, files);
  if (store.size >= MOST_STORED) store.clear();
  store.set(key, made);
  return made;
}

async function modelOf(input: ModelInput, files: ModelFiles): Promise<Model> {
  const { model: name, base, mimic, loops, massless, inertia, merge } = input;
  const adapt = {
    ...(base !== undefined && { base }),
    ...(mimic !== undefined && { mimic }),
    ...(loops !== undefined && { loops }),
  };
  if ((MODEL_FILES as readonly string[]).includes(extensionOf(name))) {
    const { readModel } = await import('../files/read-model.js');
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
