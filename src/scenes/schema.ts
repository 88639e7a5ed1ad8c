// The schema of scene files (JSON Schema, draft 2020-12): what editors complete by, what the reader checks by. The build writes it
// to dist/scenes/scene.schema.json.

import { JOINT_TYPES } from '../joints/index.js';

/** The part of JSON Schema that scenes need. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: 'object' | 'array' | 'number' | 'integer' | 'string' | 'boolean' | 'null';
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | JsonSchema;
  readonly maxProperties?: number;
  /** One of these: told apart by type, then by `kind`, then by what is required. */
  readonly anyOf?: readonly JsonSchema[];
}

/** More of anything than this is a slip of the hand. */
const MOST = 10_000;
const LONGEST_LIST = 1_000_000;
/** Metres, newtons, seconds: beyond this nothing can be computed. */
const FARTHEST = 1e9;

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
export const number: JsonSchema = { type: 'number', minimum: -FARTHEST, maximum: FARTHEST };
export const amount: JsonSchema = { type: 'number', minimum: 0, maximum: FARTHEST };
export const positive: JsonSchema = { type: 'number', exclusiveMinimum: 0, maximum: FARTHEST };
export const text: JsonSchema = { type: 'string', minLength: 1, maxLength: 1000 };
export const flag: JsonSchema = { type: 'boolean' };
export const list = (items: JsonSchema, minItems: number, maxItems = minItems): JsonSchema => ({
  type: 'array',
  items,
  minItems,
  maxItems,
});
const vector = list(number, 3);
export const described = (description: string, schema: JsonSchema): JsonSchema => ({ description, ...schema });
export const byName = (schema: JsonSchema): JsonSchema => ({
  type: 'object',
  additionalProperties: schema,
  maxProperties: MOST,
});

export function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export const kind = (name: string): JsonSchema => ({ const: name });
const surface = {
  friction: amount,
  restitution: { type: 'number', minimum: 0, maximum: 1 },
  rollingFriction: amount,
  torsionalFriction: amount,
  compliance: amount,
  relaxation: amount,
} as const;
const pull = { stiffness: amount, damping: amount, limit: amount };
const gains = { ...pull, speed: amount };

const sizes = {
  plane: {},
  box: { size: list(positive, 3) },
  sphere: { radius: positive },
  capsule: { radius: positive, length: positive },
  cylinder: { radius: positive, length: positive },
  cone: { radius: positive, length: positive },
  ellipsoid: { radii: list(positive, 3) },
  hull: { points: list(number, 12, LONGEST_LIST) },
  heights: {
    rows: { type: 'integer', minimum: 2, maximum: MOST },
    columns: { type: 'integer', minimum: 2, maximum: MOST },
    size: list(positive, 2),
    heights: list(number, 4, LONGEST_LIST),
  },
} as const satisfies Record<string, Readonly<Record<string, JsonSchema>>>;

const geometry = (name: keyof typeof sizes, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  object({ kind: kind(name), ...sizes[name], ...more }, ['kind', ...Object.keys(sizes[name])]);

const weight = { mass: positive, density: positive, ...surface };

const driven = { anyOf: [ref('control'), list(ref('control'), 1, 100)] };

export const definitions: Readonly<Record<string, JsonSchema>> = {
  pose: byName({ anyOf: [number, list(number, 1, 7)] }),
  gains: object(gains),
  freeBody: {
    anyOf: [
      geometry('box', weight),
      geometry('sphere', weight),
      geometry('capsule', weight),
      geometry('cylinder', weight),
    ],
  },
  geometry: { anyOf: (Object.keys(sizes) as (keyof typeof sizes)[]).map((name) => geometry(name)) },
  control: {
    anyOf: [
      object(
        {
          kind: kind('position'),
          target: { anyOf: [{ type: 'string', enum: ['start', 'neutral'] }, ref('pose')] },
          keyframe: text,
          ...gains,
          joints: byName(ref('gains')),
        },
        ['kind', 'stiffness'],
      ),
      object(
        {
          kind: kind('trajectory'),
          times: list(number, 2, LONGEST_LIST),
          joints: byName(list(number, 2, LONGEST_LIST)),
          repeat: flag,
          ...gains,
        },
        ['kind', 'times', 'joints', 'stiffness'],
      ),
      object({ kind: kind('motion'), motion: text, from: amount, assist: object(pull), ...gains }, [
        'kind',
        'motion',
        'stiffness',
      ]),
      object({ kind: kind('torque'), torques: byName(number) }, ['kind', 'torques']),
      object({ kind: kind('actuators'), controls: byName(number), keyframe: text }, ['kind']),
    ],
  },
  joint: object(
    {
      type: { type: 'string', enum: JOINT_TYPES.map(({ name }) => name) },
      axis: vector,
      axis2: vector,
      pitch: number,
    },
    ['type'],
  ),
  connection: object(
    { name: text, mechanism: text, a: text, b: { anyOf: [text, { type: 'null' }] }, joint: ref('joint'), at: vector },
    ['name', 'a', 'joint'],
  ),
  push: object({ mechanism: text, body: text, force: vector, moment: vector, duration: positive }, [
    'body',
    'force',
    'duration',
  ]),
  mechanism: object(
    {
      model: described('A built-in name, a file, one free body, or a description as "manikin describe" prints it.', {
        anyOf: [
          text,
          ref('freeBody'),
          { type: 'object', properties: { bodies: { type: 'array' } }, required: ['bodies'] },
        ],
      }),
      name: text,
      base: { type: 'string', enum: ['fixed', 'floating'] },
      at: described('Place of a free base, metres.', vector),
      turned: described('Orientation of a free base: w, x, y, z.', list(number, 4)),
      velocity: vector,
      spin: vector,
      state: described('A state file, or positions by joint.', { anyOf: [text, ref('pose')] }),
      keyframe: text,
      control: driven,
      selfCollision: flag,
      damping: described('Of hinges and ball joints that have none of their own.', amount),
    },
    ['model'],
  ),
  event: {
    anyOf: [
      object({ at: amount, connect: ref('connection') }, ['at', 'connect']),
      object({ at: amount, disconnect: text }, ['at', 'disconnect']),
      object({ at: amount, push: ref('push') }, ['at', 'push']),
      object({ at: amount, control: { anyOf: [...driven.anyOf, { type: 'null' }] }, mechanism: text }, [
        'at',
        'control',
      ]),
    ],
  },
};

/** The schema of scene files, as the package brings it in dist/scenes/scene.schema.json. */
export const SCENE_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A scene of Manikin',
  ...object(
    {
      $schema: text,
      name: text,
      description: { type: 'string', maxLength: 10_000 },
      mechanisms: list(ref('mechanism'), 1, MOST),
      ground: {
        anyOf: [
          flag,
          object({
            plane: described('a, b, c, d: a x + b y + c z = d, solid below.', list(number, 4)),
            ...surface,
          }),
        ],
      },
      obstacles: list(
        object({ name: text, shape: ref('geometry'), E: list(number, 9), t: vector, ...surface }, ['shape']),
        0,
        MOST,
      ),
      gravity: vector,
      sleep: described('What is at rest is left out of the steps until something happens to it.', {
        anyOf: [flag, object({ after: positive, speed: positive })],
      }),
      connect: list(ref('connection'), 0, MOST),
      events: list(ref('event'), 0, MOST),
      filters: list(object({ without: list(text, 2) }, ['without']), 0, MOST),
      step: described('Seconds a step.', { type: 'number', exclusiveMinimum: 0, maximum: 1 }),
      integrator: { type: 'string', enum: ['midpoint'] },
      duration: described('Seconds.', positive),
    },
    ['mechanisms'],
  ),
  $defs: definitions,
};
