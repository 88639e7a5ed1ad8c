// What simulate is given: a scene that comes with the package, a scene file, or a model to put on the ground.

import { basename, dirname, extname } from 'node:path';
import type { Model } from '../../files/adapted.js';
import type { Problem } from '../../mechanism/errors.js';
import type { State } from '../../mechanism/state.js';
import { BUNDLED_SCENES, bundledScene } from '../../scenes/bundled.js';
import { sceneWorld } from '../../scenes/make-scene.js';
import { isScene, parseScene } from '../../scenes/parse-scene.js';
import type { Scene } from '../../scenes/scene.js';
import type { SceneWorld } from '../../scenes/scene-world.js';
import { InputError } from '../errors.js';
import { filesBelow, readInputText } from '../input-file.js';
import { type ModelOptions, printWarnings, type StateOptions } from '../model-argument.js';
import type { Terminal } from '../terminal.js';
import type { PaperTime } from './simulate-scene.js';

interface SceneOptions extends ModelOptions, StateOptions {
  readonly step?: number;
  readonly ground?: true;
  readonly threads?: number;
}

/** What could be meant where a model is not known. */
export const SCENE_NAMES = { what: 'scene', names: BUNDLED_SCENES.map(({ name }) => name) } as const;

export interface FoundScene {
  readonly paper: PaperTime | undefined;
  make(): SceneWorld;
}

/** The scene that a name or a file stands for; undefined: it is a model. */
export function findScene(name: string, options: SceneOptions, terminal: Terminal): FoundScene | undefined {
  const scene = bundledScene(name) ?? sceneFile(name);
  if (scene === undefined) return undefined;
  const { seed, state, keyframe, base, ground } = options;
  if (seed !== undefined || state !== undefined || keyframe !== undefined)
    throw new InputError(`The scene "${name}" brings its own state; leave --seed, --state and --keyframe out.`);
  if (base !== undefined || ground !== undefined)
    throw new InputError(`The scene "${name}" says itself what hangs where; leave --base and --ground out.`);
  return {
    paper: BUNDLED_SCENES.find((known) => known.name === name)?.paper,
    make: () => {
      const files = filesBelow(options.root ?? dirname(name), name);
      const run = sceneWorld(stepped(scene, options), { files, ...threadsOf(options) });
      warn(run.warnings, options, terminal);
      return run;
    },
  };
}

/** A model on the ground, driven by its actuators if it has any. */
export function modelScene(
  name: string,
  model: Model,
  state: State,
  options: SceneOptions,
  terminal: Terminal,
): FoundScene {
  const { ground, keyframe, seed, state: file } = options;
  const chosen = keyframe !== undefined || seed !== undefined || file !== undefined;
  const control = { kind: 'actuators', ...(keyframe !== undefined && { keyframe }) } as const;
  const driven = (model.actuators?.length ?? 0) > 0;
  const scene: Scene = {
    mechanisms: [{ model: name, ...(driven && { control }) }],
    ...(ground === true && { ground }),
  };
  if (model.mechanism.bodies.every(({ collisions }) => collisions.length === 0))
    terminal.err(`Warning: "${name}" has no shapes for contact: it falls through everything.\n`);
  // Its own warnings were printed when it was loaded.
  const known = new Set<Problem>(model.mechanism.warnings);
  return {
    paper: undefined,
    make: () => {
      const models = new Map([[name, model]]);
      const states = chosen ? { states: new Map([[name, state]]) } : {};
      const run = sceneWorld(stepped(scene, options), { models, ...states, ...threadsOf(options) });
      warn(
        run.warnings.filter((warning) => !known.has(warning)),
        options,
        terminal,
      );
      return run;
    },
  };
}

const stepped = (scene: Scene, { step }: SceneOptions): Scene => (step === undefined ? scene : { ...scene, step });

const threadsOf = ({ threads }: SceneOptions): { threads?: number } => (threads === undefined ? {} : { threads });

function warn(warnings: readonly Problem[], { quiet, warnings: how }: ModelOptions, terminal: Terminal): void {
  if (quiet !== true) printWarnings(warnings, how, terminal);
}

const isDescription = (text: string): boolean => /"bodies"\s*:/.test(text);

function sceneFile(name: string): Scene | undefined {
  if (extname(name).toLowerCase() !== '.json') return undefined;
  const text = readInputText(name);
  // What is neither is more likely a scene with a wrong key than a description.
  return isScene(text) || !isDescription(text) ? parseScene(text, { file: basename(name) }) : undefined;
}
