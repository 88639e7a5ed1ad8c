// What one run needs: plain data that travels to threads and through queues, and is checked wherever it arrives.

import { ImportLog } from '../formats/import-log.js';
import { SchemaCheck } from '../scenes/check-schema.js';
import { parseScene } from '../scenes/parse-scene.js';
import type { Scene } from '../scenes/scene.js';
import { definitions, type JsonSchema, kind, object, text } from '../scenes/schema.js';
import { every, INVERSE_OPTIONS, MODEL_OPTIONS, TIMES } from './schema.js';
import type { SweepInverse, SweepSimulation } from './sweep.js';

/** A scene with everything in it; the files that it names are below `folder` of the root. */
export interface SceneInput {
  readonly kind: 'scene';
  readonly scene: Scene;
  readonly folder: string;
  readonly every?: number;
}

/** A model that is simulated. */
export interface ModelInput extends Omit<SweepSimulation, 'simulate'> {
  readonly kind: 'model';
  readonly model: string;
}

/** A motion whose joint forces are computed. */
export interface InverseInput extends Omit<SweepInverse, 'inverse'> {
  readonly kind: 'inverse';
  readonly motion: string;
}

export type RunInput = SceneInput | ModelInput | InverseInput;

const INPUT_SCHEMA: JsonSchema = {
  anyOf: [
    object({ kind: kind('scene'), scene: { type: 'object' }, folder: { type: 'string', maxLength: 1000 }, every }, [
      'kind',
      'scene',
      'folder',
    ]),
    object({ kind: kind('model'), model: text, ...TIMES, every, ...MODEL_OPTIONS }, ['kind', 'model']),
    object({ kind: kind('inverse'), motion: text, ...INVERSE_OPTIONS }, ['kind', 'motion']),
  ],
  $defs: { pose: definitions.pose },
};

/** Checks data of any origin; an ImportError says what is wrong with it. `what` begins the messages. */
export function parseRunInput(data: unknown, what?: string): RunInput {
  const log = new ImportLog(what);
  new SchemaCheck(INPUT_SCHEMA, log).check(data);
  log.throwIfBroken();
  const input = data as RunInput;
  return input.kind === 'scene' ? { ...input, scene: parseScene(input.scene, { file: what ?? 'scene' }) } : input;
}

/** The same data gives the same text: keys in order, -0 as such. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}
