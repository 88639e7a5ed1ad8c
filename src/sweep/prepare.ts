// From the data of a run to its result. Preparing reads every file that the run needs; running reads none. What one kind of run needs
// is loaded for that kind: threads of a sweep are many, and each loads its program anew.

import type { Model } from '../files/adapted.js';
import type { ModelFiles } from '../formats/model-files.js';
import { rootOf } from './root-files.js';
import type { RunInput } from './run-input.js';
import type { Json } from './sweep.js';

/** Models that were read before: one run after the other often has the same. */
export type ModelStore = Map<string, Model>;

/** Ready to run; gives the result, the same on every machine. */
export type PreparedRun = () => Json | Promise<Json>;

/** Reads what a run needs. Files are those of the root; names in the input are paths within it. */
export async function prepareRun(
  input: RunInput,
  files: ModelFiles,
  store: ModelStore = new Map(),
): Promise<PreparedRun> {
  if (input.kind === 'scene') return (await import('./scene-run.js')).prepareScene(input, files);
  if (input.kind === 'model') return (await import('./model-run.js')).prepareModel(input, rootOf(files), store);
  return (await import('./inverse-run.js')).prepareInverse(input, rootOf(files));
}

/** Loads what runs of a kind need, so that the first of them finds it there. */
export function loadRuns(kind: RunInput['kind']): Promise<unknown> {
  if (kind === 'scene') return import('./scene-run.js');
  if (kind === 'model') return Promise.all([import('./model-run.js'), import('./simulate-run.js')]);
  return import('./inverse-run.js');
}
