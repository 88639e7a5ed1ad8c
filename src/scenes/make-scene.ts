// From a scene to the world that it describes: models are loaded, placed and driven, the ground is laid.

import type { Model } from '../files/adapted.js';
import { adapted } from '../files/adapted.js';
import { extensionOf, MODEL_FILES, MOTION_FILES } from '../files/kinds.js';
import { readModel } from '../files/read-model.js';
import { readMotion } from '../files/read-motion.js';
import { decodeText } from '../formats/decode-text.js';
import { parseDescription } from '../formats/description-reader.js';
import { quoted } from '../formats/import-log.js';
import { filePath, folderOf, type ModelFiles } from '../formats/model-files.js';
import { parseState } from '../formats/state-file.js';
import { ImportError, type Problem } from '../mechanism/errors.js';
import { type Geometry, GROUND, Mechanism } from '../mechanism/mechanism.js';
import { keyframeOf } from '../mechanism/model-data.js';
import { nearNames } from '../mechanism/near-names.js';
import { State } from '../mechanism/state.js';
import { figureDamping } from '../models/figures.js';
import { builtinMechanism } from '../models/index.js';
import { ball, box, capsule, cylinder } from '../simulation/world/bodies.js';
import type { Member } from '../simulation/world/member.js';
import { type AddOptions, World } from '../simulation/world/world.js';
import { axisFrame, type Mat3, orthonormalised, scale, type Vec3 } from '../spatial/matrix3.js';
import { addModel } from './add-model.js';
import { fitStart } from './fit-start.js';
import { gait } from './gait.js';
import { type Guide, SampledGuide } from './motions.js';
import { DEFAULT_STEP } from './parse-scene.js';
import { posed } from './posed.js';
import type { Scene, SceneBody, SceneGeometry, SceneMechanism } from './scene.js';
import { SCENE_MODELS } from './scene-models.js';
import { located, type SceneMember, SceneWorld } from './scene-world.js';

/** Where the files that a scene names come from. */
export interface SceneOptions {
  /** Files below the folder of the scene; without it a scene can name none. */
  readonly files?: ModelFiles;
  /** Models that are there already, by the name that the scene gives. */
  readonly models?: ReadonlyMap<string, Model>;
  /** States in which mechanisms begin, by the name that the scene gives their model; where left out, their own, made fit for contact. */
  readonly states?: ReadonlyMap<string, State>;
  /** Threads of its world, the caller's included; 1 where left out. */
  readonly threads?: number;
}

/** The world of a scene, ready to run. Mistakes are told with their place in the scene, and with near names. */
export function sceneWorld(scene: Scene, options: SceneOptions = {}): SceneWorld {
  const { step = DEFAULT_STEP, gravity, sleep } = scene;
  const warnings: Problem[] = [];
  const { threads = 1 } = options;
  const world = new World({
    step,
    threads,
    ...(gravity !== undefined && { gravity }),
    ...(sleep !== undefined && { sleep }),
  });
  addGround(world, scene);
  const loader = new Loader(options);
  const members = scene.mechanisms.map((one, k): SceneMember => {
    const path = `mechanisms[${k}]`;
    const model = damped(
      located(`${path}.model`, () => loader.model(one)),
      one,
    );
    if (loader.isFirst(model)) warnings.push(...model.mechanism.warnings);
    const state = located(path, () => stateOf(one, model, loader, options));
    const added = located(path, () => addModel(world, model, placed(one, state)));
    warnings.push(...added.warnings);
    const { member } = added;
    const given = givenJoints(one, member, options);
    if (given !== undefined) warnings.push(...fitStart(world, member, given));
    const start = member.state.clone();
    // Read once, however often it is driven anew.
    const guides = new Map<string, Guide>();
    const motion = (name: string): Guide => {
      const guide = guides.get(name) ?? loader.motion(name, one, model, start);
      guides.set(name, guide);
      return guide;
    };
    return { member, context: { member, model, start, motion, warnings } };
  });
  addFilters(world, scene);
  return new SceneWorld(scene, world, members, warnings);
}

function placed(one: SceneMechanism, state: State): AddOptions {
  const { name, at, turned, velocity, spin, selfCollision } = one;
  return {
    state,
    ...(name !== undefined && { name }),
    ...(at !== undefined && { at }),
    ...(turned !== undefined && { turned }),
    ...(velocity !== undefined && { velocity }),
    ...(spin !== undefined && { spin }),
    ...(selfCollision !== undefined && { selfCollision }),
  };
}

/** Joints of which the scene says where they begin; undefined: all of them. */
function givenJoints(
  { model, at, state = {}, keyframe }: SceneMechanism,
  { state: { mechanism } }: Member,
  { states }: SceneOptions,
): ReadonlySet<string> | undefined {
  if (typeof state === 'string' || keyframe !== undefined) return undefined;
  if (typeof model === 'string' && states?.has(model) === true) return undefined;
  const base = at === undefined ? undefined : mechanism.joints.find(({ parent }) => parent === GROUND)?.name;
  return new Set([...Object.keys(state), ...(base === undefined ? [] : [base])]);
}

function stateOf(
  { state, keyframe: key, model: name }: SceneMechanism,
  model: Model,
  loader: Loader,
  { states }: SceneOptions,
): State {
  const given = typeof name === 'string' ? states?.get(name) : undefined;
  if (given !== undefined) return given;
  if (key !== undefined) return located('keyframe', () => keyframeOf(model, key).state);
  if (state === undefined) return model.state;
  if (typeof state === 'string') return located('state', () => loader.state(state, model.mechanism));
  return located('state', () => posed(model.state.clone(), state));
}

/** Damping for hinges and ball joints that have none: as the scene says, or as people have it. */
function damped(model: Model, { damping, model: name }: SceneMechanism): Model {
  const figure = typeof name === 'string' && /^(?:human|crowd)-\d+$/.test(name);
  if (damping === undefined && !figure) return model;
  const { mechanism } = model;
  const joints = mechanism.joints.map((joint) => {
    const bare = joint.damping === 0 && joint.model.nv > 0 && !(joint.parent === GROUND && joint.type === 'floating');
    return bare ? { ...joint, damping: damping ?? figureDamping(joint.name) } : joint;
  });
  return { ...model, mechanism: new Mechanism({ ...mechanism, joints }) };
}

class Loader {
  readonly #options: SceneOptions;
  readonly #models = new Map<string, Model>();
  readonly #told = new Set<readonly Problem[]>();

  constructor(options: SceneOptions) {
    this.#options = options;
  }

  /** Warnings of a model are told once, however often it stands in the scene. */
  isFirst({ mechanism: { warnings } }: Model): boolean {
    if (this.#told.has(warnings)) return false;
    this.#told.add(warnings);
    return true;
  }

  model({ model: given, base }: SceneMechanism): Model {
    const adapt = base === undefined ? {} : { base };
    if (typeof given !== 'string')
      return adapted('bodies' in given ? parseDescription(given) : alone(bodyOf(given)), adapt);
    const key = `${base} ${given}`;
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const model = this.#options.models?.get(given) ?? this.#load(given, adapt);
    this.#models.set(key, model);
    return model;
  }

  #load(name: string, adapt: { base?: 'fixed' | 'floating' }): Model {
    const own = SCENE_MODELS.get(name);
    if (own !== undefined) return adapted(own(), adapt);
    if ((MODEL_FILES as readonly string[]).includes(extensionOf(name))) {
      const { bytes, path } = this.#read(name);
      const files = { folder: folderOf(path), read: (file: string) => this.#options.files!.read(file) };
      return readModel(bytes, path, { ...adapt, files });
    }
    if (extensionOf(name) !== '' || /[\\/]/.test(name))
      throw ImportError.of(
        'model',
        '',
        `The model ${quoted(name)} is no file of a known kind (${MODEL_FILES.join(', ')}).`,
      );
    return adapted(alone(builtinMechanism(name, { what: 'model', names: [...SCENE_MODELS.keys()] })), adapt);
  }

  state(name: string, mechanism: Mechanism): State {
    const { bytes, path } = this.#read(name);
    return parseState(decodeText(bytes), mechanism, { file: path }).state;
  }

  motion(name: string, { model: given }: SceneMechanism, model: Model, start: State): Guide {
    if (name === 'gait') return gait(start);
    if (!(MOTION_FILES as readonly string[]).includes(extensionOf(name)))
      throw ImportError.of(
        'motion',
        '',
        `The motion ${quoted(name)} is neither "gait" nor one of a known kind (${MOTION_FILES.join(', ')}).`,
      );
    // A BVH file brings its own figure; tables of coordinates belong to the model.
    const isBvh = extensionOf(name) === '.bvh';
    if (isBvh && given !== name)
      throw ImportError.of(
        'motion',
        '',
        `The motion of a .bvh file moves its own figure; give "${name}" as the model too.`,
      );
    const { bytes, path } = this.#read(name);
    const { trajectory } = readMotion(bytes, path, isBvh ? {} : { model: model.mechanism });
    return new SampledGuide({ ...trajectory, mechanism: model.mechanism });
  }

  #read(name: string): { bytes: Uint8Array; path: string } {
    const { files } = this.#options;
    const found = filePath(name, [files?.folder ?? '']);
    if ('expected' in found) throw ImportError.of('file', '', `Expected ${found.expected}, got "${name}".`);
    const bytes = files?.read(found.path);
    if (bytes === undefined) throw ImportError.of('file', '', `There is no file "${found.path}" beside the scene.`);
    return { bytes, path: found.path };
  }
}

const alone = (mechanism: Mechanism): Model => ({ mechanism, state: new State(mechanism) });

function bodyOf(given: SceneBody): Mechanism {
  switch (given.kind) {
    case 'box': {
      const { kind, size, ...options } = given;
      return box(size, options);
    }
    case 'sphere': {
      const { kind, radius, ...options } = given;
      return ball(radius, { name: 'ball', ...options });
    }
    case 'capsule':
    case 'cylinder': {
      const { kind, radius, length, ...options } = given;
      return (kind === 'capsule' ? capsule : cylinder)(radius, length, options);
    }
  }
}

function addGround(world: World, { ground, obstacles = [] }: Scene): void {
  if (ground !== undefined && ground !== false) {
    const { plane, ...surface } = ground === true ? { plane: undefined } : ground;
    const [a, b, c, d] = plane ?? [0, 0, 1, 0];
    const length = Math.hypot(a, b, c);
    const normal: Vec3 = [a / length, b / length, c / length];
    // The frame of the level plane is that of the ground itself.
    const level = normal[2] === 1;
    world.ground({ ...surface, at: scale(d / length, normal), ...(!level && { E: axisFrame(normal) }) });
  }
  obstacles.forEach(({ name, shape, E, t, ...surface }, k) => {
    located(`obstacles[${k}]`, () =>
      world.obstacle({
        ...surface,
        geometry: geometryOf(shape),
        ...(name !== undefined && { name }),
        ...(E !== undefined && { E: orthonormalised(E as unknown as Mat3) }),
        ...(t !== undefined && { t }),
      }),
    );
  });
}

function geometryOf(shape: SceneGeometry): Geometry {
  if (shape.kind === 'hull') return { kind: 'hull', points: Float64Array.from(shape.points) };
  if (shape.kind === 'heights') return { ...shape, heights: Float64Array.from(shape.heights) };
  return shape;
}

/** What a filter names: bodies, or an obstacle. */
function addFilters(world: World, { filters = [] }: Scene): void {
  const sides = (given: string): (string | readonly [Member, string])[] => {
    if (world.obstacles.some(({ name }) => name === given)) return [given];
    const whole = world.members.find(({ name }) => name === given);
    if (whole !== undefined) return whole.state.mechanism.bodies.map(({ name }) => [whole, name] as const);
    const holder = world.members.find(({ name }) => given.startsWith(`${name}/`));
    if (holder !== undefined) return [[holder, holder.state.mechanism.body(given.slice(holder.name.length + 1)).name]];
    const known = [...world.members, ...world.obstacles].map(({ name }) => name);
    throw ImportError.of('filter', '', `There is no mechanism or obstacle "${given}". ${nearNames(given, known)}`);
  };
  filters.forEach(({ without: [a, b] }, k) => {
    const path = `filters[${k}].without`;
    for (const x of located(`${path}[0]`, () => sides(a)))
      for (const y of located(`${path}[1]`, () => sides(b))) world.exclude(x, y);
  });
}
