// From a sweep and the values of one run to the data that this run needs.

import { extensionOf } from '../files/kinds.js';
import { decodeText } from '../formats/decode-text.js';
import { filePath, folderOf, type ModelFiles } from '../formats/model-files.js';
import { ImportError } from '../mechanism/errors.js';
import { bundledScene } from '../scenes/bundled.js';
import { isScene, parseScene } from '../scenes/parse-scene.js';
import type { Scene } from '../scenes/scene.js';
import type { Assignment } from './assignments.js';
import { parsePath, setAt } from './path.js';
import { readFile } from './root-files.js';
import { parseRunInput, type RunInput } from './run-input.js';
import { MODEL_OPTIONS } from './schema.js';
import type { Sweep, SweepInverse, SweepSimulation } from './sweep.js';

/** A scene that a run starts from, and the folder of the files that it names. */
interface FoundScene {
  readonly scene: Scene;
  readonly folder: string;
}

/** Puts values into the run of a sweep. Scenes are read once. */
export class RunResolver {
  readonly #sweep: Sweep;
  readonly #files: ModelFiles;
  readonly #found = new Map<string, FoundScene | undefined>();

  /** Files are relative to the folder of the sweep, within its root. */
  constructor(sweep: Sweep, files: ModelFiles) {
    this.#sweep = sweep;
    this.#files = files;
  }

  /** An ImportError says what is wrong with these values. */
  resolve({ values, seed }: Assignment): RunInput {
    const run: object = structuredClone(this.#sweep.run);
    for (const [name, value] of values) {
      const steps = parsePath(name)!;
      if (steps[0] !== 'scene') setAt(run, steps, structuredClone(value), name);
    }
    if ('inverse' in run) return this.#inverse(run as SweepInverse);
    const given = run as SweepSimulation;
    const found = this.#sceneOf(given.simulate);
    if (found !== undefined) return sceneInput(given, found, values);
    const [inScene] = [...values.keys()].filter((name) => parsePath(name)![0] === 'scene');
    if (inScene !== undefined)
      throw ImportError.of(
        'parameter',
        `parameter "${inScene}"`,
        `The run simulates "${String(given.simulate)}", a model and not a scene; write the scene into "simulate".`,
      );
    const { simulate, ...options } = given;
    const { state, keyframe } = options;
    // Who says where it starts means that: seeds draw the parameters alone.
    const start = seed !== undefined && state === undefined && keyframe === undefined ? { seed } : {};
    return parseRunInput({
      kind: 'model',
      ...options,
      ...start,
      model: isFile(simulate as string) ? this.#within(simulate as string) : simulate,
      ...(typeof state === 'string' && { state: this.#within(state) }),
    });
  }

  #inverse({ inverse, model, loads, ...options }: SweepInverse): RunInput {
    return parseRunInput({
      kind: 'inverse',
      ...options,
      motion: typeof inverse === 'string' ? this.#within(inverse) : inverse,
      ...(model !== undefined && { model: isFile(model) ? this.#within(model) : model }),
      ...(loads !== undefined && { loads: typeof loads === 'string' ? this.#within(loads) : loads }),
    });
  }

  /** A path within the root. */
  #within(name: string): string {
    const found = filePath(name, [this.#files.folder ?? '']);
    if ('expected' in found) throw ImportError.of('file', '', `Expected ${found.expected}, got "${name}".`);
    return found.path;
  }

  #sceneOf(simulate: unknown): FoundScene | undefined {
    if (typeof simulate !== 'string') {
      const folder = this.#files.folder ?? '';
      if (typeof simulate === 'object' && simulate !== null) return { scene: simulate as Scene, folder };
      throw ImportError.of('parameter', 'simulate', 'Expected the name of a scene or a model, a file, or a scene.');
    }
    if (!this.#found.has(simulate)) this.#found.set(simulate, this.#find(simulate));
    return this.#found.get(simulate);
  }

  #find(name: string): FoundScene | undefined {
    const bundled = bundledScene(name);
    if (bundled !== undefined) return { scene: bundled, folder: '' };
    if (extensionOf(name) !== '.json') return undefined;
    const { bytes, path } = readFile(name, this.#files);
    const text = decodeText(bytes);
    return isScene(text) ? { scene: parseScene(text, { file: path }), folder: folderOf(path) } : undefined;
  }
}

const isFile = (name: unknown): boolean => typeof name === 'string' && (extensionOf(name) !== '' || /[\\/]/.test(name));

function sceneInput(given: SweepSimulation, { scene, folder }: FoundScene, values: Assignment['values']): RunInput {
  const foreign = Object.keys(given).find((key) => Object.hasOwn(MODEL_OPTIONS, key));
  if (foreign !== undefined)
    throw ImportError.of(
      'option',
      `run.${foreign}`,
      'It is for models; a scene says that itself ("scene.mechanisms[0]...").',
    );
  const own = structuredClone(scene) as Scene & Record<string, unknown>;
  for (const [name, value] of values) {
    const [first, ...rest] = parsePath(name)!;
    if (first === 'scene') setAt(own, rest, structuredClone(value), name);
  }
  const { duration, step, every } = given;
  return parseRunInput(
    {
      kind: 'scene',
      scene: { ...own, ...(duration !== undefined && { duration }), ...(step !== undefined && { step }) },
      folder,
      ...(every !== undefined && { every }),
    },
    typeof given.simulate === 'string' ? given.simulate : 'scene',
  );
}
