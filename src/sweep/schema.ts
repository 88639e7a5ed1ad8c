// The schema of sweep files (JSON Schema, draft 2020-12). The build writes it to dist/sweep/sweep.schema.json.

import {
  amount,
  byName,
  definitions,
  described,
  flag,
  type JsonSchema,
  list,
  number,
  object,
  positive,
  text,
} from '../scenes/schema.js';

/** Runs of a sweep at most. */
export const MAX_RUNS = 1_000_000;
const MAX_PARAMETERS = 100;

const count: JsonSchema = { type: 'integer', minimum: 1, maximum: MAX_RUNS };
const seed: JsonSchema = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 32 - 1 };
const words = (...names: readonly string[]): JsonSchema => ({ type: 'string', enum: names });
const scale = words('linear', 'log');
const any: JsonSchema = {};

/** Options of a model that is simulated, beside its name. */
export const MODEL_OPTIONS: Readonly<Record<string, JsonSchema>> = {
  ground: flag,
  base: words('fixed', 'floating'),
  mimic: words('couple', 'ignore'),
  loops: words('close', 'open'),
  massless: words('lock', 'error'),
  inertia: words('reject', 'warn', 'repair'),
  merge: flag,
  state: described('A state file, or positions by joint.', { anyOf: [text, { $ref: '#/$defs/pose' }] }),
  keyframe: text,
  seed,
  integrator: words('dopri5', 'rk4', 'midpoint', 'euler'),
  engine: words('plain', 'wasm', 'compiled', 'auto'),
  relative: positive,
  absolute: positive,
};

export const TIMES: Readonly<Record<string, JsonSchema>> = {
  duration: described('Seconds.', positive),
  step: described('Seconds a step.', { type: 'number', exclusiveMinimum: 0, maximum: 1 }),
};

/** Seconds between lines of a run's series. */
export const every: JsonSchema = described('Seconds between the lines of the series; none where left out.', positive);

export const INVERSE_OPTIONS: Readonly<Record<string, JsonSchema>> = {
  model: text,
  loads: text,
  cutoff: described('Hertz of the low-pass filter, or "none".', { anyOf: [positive, words('none')] }),
  mass: positive,
  height: positive,
  scale: positive,
  up: words('x', 'y', 'z'),
  support: text,
  double: words('smooth', 'one', 'split'),
  every: described('Seconds between the lines of the series, 0: every frame; none where left out.', amount),
};

const scene: JsonSchema = {
  type: 'object',
  properties: { mechanisms: { type: 'array' } },
  required: ['mechanisms'],
};

/** The schema of sweep files, as the package brings it in dist/sweep/sweep.schema.json. */
export const SWEEP_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A sweep of Manikin',
  ...object(
    {
      $schema: text,
      name: text,
      description: { type: 'string', maxLength: 10_000 },
      run: {
        anyOf: [
          object(
            {
              simulate: described('A scene or a model: a name, a file, or the scene itself.', {
                anyOf: [text, scene],
              }),
              ...TIMES,
              every,
              ...MODEL_OPTIONS,
            },
            ['simulate'],
          ),
          object({ inverse: described('A motion: .bvh, .mot or .sto.', text), ...INVERSE_OPTIONS }, ['inverse']),
        ],
      },
      parameters: {
        type: 'object',
        maxProperties: MAX_PARAMETERS,
        additionalProperties: {
          anyOf: [
            list(any, 1, MAX_RUNS),
            object({ from: number, to: number, count, scale }, ['from', 'to', 'count']),
            object({ random: list(number, 2), scale }, ['random']),
          ],
        },
      },
      cases: list({ ...byName(any), maxProperties: MAX_PARAMETERS }, 1, MAX_RUNS),
      seeds: {
        anyOf: [count, list(seed, 1, MAX_RUNS), object({ from: seed, count }, ['from', 'count'])],
      },
    },
    ['run'],
  ),
  $defs: { pose: definitions.pose },
};
