// Reads the JSON description of a mechanism and its state (description.ts). Everything that the format demands must be
// there; what it does not know is listed as a warning.

import { jointType } from '../joints/index.js';
import type { InertiaMode } from '../mechanism/create.js';
import type { JointLimits, Mechanism } from '../mechanism/mechanism.js';
import type {
  BodySpec,
  CouplingSpec,
  FrameSpec,
  JointKindSpec,
  JointSpec,
  LoopFrameSpec,
  LoopSpec,
} from '../mechanism/spec.js';
import type { State } from '../mechanism/state.js';
import type { Mat3, Vec3 } from '../spatial/matrix3.js';
import { createLocated } from './create-located.js';
import type { DescribedType } from './description.js';
import { readShape } from './description-shape.js';
import { ImportLog, quoted } from './import-log.js';
import { type JsonObject, readJson, shown } from './json-reader.js';
import { NameGiver } from './names.js';
import { StateFiller } from './state-filler.js';

/** Options of `parseDescription`. */
export interface DescriptionOptions {
  /** Name of the file, for messages. */
  readonly file?: string;
  /** What to do about impossible inertias; 'warn' where left out, as for other files. */
  readonly inertia?: InertiaMode;
  /** Folders of the packages that meshes are in, by name. */
  readonly packages?: ReadonlyMap<string, string>;
}

const TYPES: readonly DescribedType[] = [
  'fixed',
  'revolute',
  'prismatic',
  'helical',
  'cylindrical',
  'universal',
  'planar',
  'spherical',
  'floating',
];

/** The mechanism, and the state that the description gives: neutral for bodies it does not mention. */
export function parseDescription(
  source: string | object,
  options: DescriptionOptions = {},
): { mechanism: Mechanism; state: State } {
  const log = new ImportLog(options.file);
  const reader = new DescriptionReader(readJson(source, log), options.packages ?? new Map(), log);
  const mechanism = reader.mechanism(options.inertia ?? 'warn');
  return { mechanism, state: reader.state(mechanism) };
}

class DescriptionReader {
  readonly #root: JsonObject;
  readonly #packages: ReadonlyMap<string, string>;
  readonly #log: ImportLog;
  /** Every object that was read, to find the keys that were not. */
  readonly #seen: JsonObject[] = [];
  /** Path of what createMechanism calls `body "arm"`. */
  readonly #paths = new Map<string, string>();

  constructor(root: JsonObject, packages: ReadonlyMap<string, string>, log: ImportLog) {
    this.#root = this.#see(root);
    this.#packages = packages;
    this.#log = log;
  }

  mechanism(inertia: InertiaMode): Mechanism {
    const root = this.#root;
    const name = root.has('name') ? root.name('name') : 'mechanism';
    const gravity = root.vector('gravity');
    const bodies = root.objects('bodies').map((body) => this.#body(this.#see(body)));
    const loops = this.#optional(root, 'loops').map((loop) => this.#loop(loop));
    const frames = this.#optional(root, 'frames').map((frame) => this.#frame(frame));
    const couplings = this.#optional(root, 'couplings').map((coupling) => this.#coupling(coupling));
    // Read later, when there is a mechanism to read them for.
    root.value('time');
    root.value('state');
    this.#log.throwIfBroken();
    this.#warnOfUnknownKeys();
    const names = new NameGiver([...bodies.map(({ joint }) => joint.name), ...loops.map((loop) => loop.name)]);
    const named = <T extends { name: string }>(part: T, name: string): T =>
      part.name === '' ? { ...part, name: names.give(name) } : part;
    const spec = {
      name,
      gravity,
      bodies: bodies.map(({ body }) => body),
      joints: bodies.map(({ joint }) => named(joint, joint.child)),
      loops: loops.map((loop) => named(loop, 'loop')),
      frames,
      couplings,
    };
    const { file, warnings } = this.#log;
    return createLocated(spec, { inertia, warnings }, file, (where) => {
      const path = this.#paths.get(where);
      return path === undefined || file === undefined ? path : `${file}: ${path}`;
    });
  }

  state(mechanism: Mechanism): State {
    const filler = new StateFiller(mechanism, this.#log);
    if (this.#root.has('time')) filler.state.time = this.#root.number('time');
    const state = this.#root.has('state') ? this.#root.object('state') : undefined;
    for (const name of state?.keys() ?? []) {
      const coordinates = state!.object(name);
      if (!mechanism.hasBody(name)) state!.error(name, 'the name of a body', quoted(name));
      else if (coordinates !== undefined) filler.set(mechanism.bodyIndex(name), coordinates, 'qd');
    }
    const filled = filler.finish();
    this.#log.throwIfBroken();
    return filled;
  }

  #see(object: JsonObject): JsonObject {
    this.#seen.push(object);
    return object;
  }

  #inner(from: JsonObject, key: string): JsonObject | undefined {
    const object = from.object(key);
    return object && this.#see(object);
  }

  #optional(from: JsonObject, key: string): JsonObject[] {
    return from.has(key) ? from.objects(key).map((object) => this.#see(object)) : [];
  }

  #body(from: JsonObject): { body: BodySpec; joint: JointSpec } {
    const name = from.name('name');
    const joint = this.#inner(from, 'joint');
    const jointName = joint?.has('name') ? joint.name('name') : '';
    this.#paths.set(`body "${name}"`, from.path);
    this.#paths.set(`joint "${jointName === '' ? name : jointName}"`, from.pathOf('joint'));
    const shapes = (key: string) =>
      this.#optional(from, key).map((shape) => readShape(shape, this.#packages, (inner) => this.#see(inner)));
    return {
      body: {
        name,
        mass: from.amount('mass'),
        com: from.vector('com'),
        inertia: from.matrix('inertia'),
        visuals: shapes('visuals'),
        collisions: shapes('collisions'),
      },
      joint: {
        name: jointName,
        parent: bodyOrGround(from, 'parent'),
        child: name,
        ...placement(from),
        ...(joint === undefined ? { type: 'fixed' } : this.#joint(joint)),
      },
    };
  }

  #joint(from: JsonObject): JointKindSpec & Partial<JointSpec> {
    const amounts = (['damping', 'friction', 'armature', 'stiffness'] as const).filter((key) => from.has(key));
    const limits = from.has('limits') ? this.#inner(from, 'limits') : undefined;
    return {
      ...readKind(from),
      ...Object.fromEntries(amounts.map((key) => [key, from.amount(key)])),
      ...(from.has('rest') && { rest: from.number('rest') }),
      ...(limits !== undefined && { limits: readLimits(limits) }),
    };
  }

  #loop(from: JsonObject): LoopSpec {
    const name = from.has('name') ? from.name('name') : '';
    const joint = this.#inner(from, 'joint');
    const [a, b] = [this.#inner(from, 'a'), this.#inner(from, 'b')];
    this.#paths.set(`loop "${name}"`, from.path);
    return {
      name,
      ...(joint === undefined ? { type: 'fixed' as const } : readKind(joint)),
      a: loopEnd(a),
      b: loopEnd(b),
    };
  }

  #frame(from: JsonObject): FrameSpec {
    const name = from.name('name');
    this.#paths.set(`frame "${name}"`, from.path);
    return { name, body: from.name('body'), ...placement(from) };
  }

  #coupling(from: JsonObject): CouplingSpec {
    const joint = from.name('joint');
    this.#paths.set(`coupling of joint "${joint}"`, from.path);
    return {
      joint,
      source: from.name('source'),
      ...(from.has('multiplier') && { multiplier: from.number('multiplier') }),
      ...(from.has('offset') && { offset: from.number('offset') }),
    };
  }

  /** One warning for each kind of key: what the first body has, the others often have too. */
  #warnOfUnknownKeys(): void {
    const kinds = new Map<string, { path: string; count: number }>();
    for (const object of this.#seen)
      for (const key of object.unreadKeys()) {
        const path = object.pathOf(key);
        const kind = path.replace(/\[\d+\]/g, '[]');
        const seen = kinds.get(kind) ?? { path, count: 0 };
        kinds.set(kind, seen);
        seen.count++;
      }
    const { file } = this.#log;
    for (const { path, count } of kinds.values()) {
      const more = count > 1 ? ` (and ${count - 1} more of the kind)` : '';
      this.#log.warn('not-used', file === undefined ? path : `${file}: ${path}`, `This key is not used${more}.`);
    }
  }
}

function readKind(from: JsonObject): JointKindSpec {
  const written = from.value('type');
  const type = TYPES.find((known) => known === written);
  if (type === undefined) {
    from.error('type', `one of ${TYPES.join(', ')}`, shown(written));
    return { type: 'fixed' };
  }
  const continuous = from.has('continuous') && from.boolean('continuous');
  if (continuous && type !== 'revolute') from.error('continuous', 'it with revolute joints only', `a ${type} one`);
  const { axes } = jointType(type);
  return {
    type: continuous ? 'continuous' : type,
    // Some writers give every joint an axis.
    ...((axes >= 1 || from.has('axis')) && { axis: from.unitVector('axis') }),
    ...(axes === 2 && { axis2: from.unitVector('axis2') }),
    ...(type === 'helical' && { pitch: from.number('pitch') }),
  };
}

function readLimits(from: JsonObject): JointLimits {
  const keys = (['lower', 'upper', 'effort', 'velocity'] as const).filter((key) => from.has(key));
  return Object.fromEntries(keys.map((key) => [key, from.number(key)]));
}

function placement(from: JsonObject): { E: Mat3; t: Vec3 } {
  return { E: from.matrix('E'), t: from.vector('t') };
}

function bodyOrGround(from: JsonObject, key: string): string | null {
  return from.value(key) === null ? null : from.name(key);
}

function loopEnd(from: JsonObject | undefined): LoopFrameSpec {
  return from === undefined ? { body: null } : { body: bodyOrGround(from, 'body'), ...placement(from) };
}
