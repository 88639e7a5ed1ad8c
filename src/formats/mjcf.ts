// MJCF, the model files of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html).

import type { Transmission } from '../mechanism/actuation.js';
import type { InertiaMode } from '../mechanism/create.js';
import { Mechanism } from '../mechanism/mechanism.js';
import type { ModelData } from '../mechanism/model-data.js';
import { State } from '../mechanism/state.js';
import { createLocated } from './create-located.js';
import { ImportLog } from './import-log.js';
import type { ActuatorTarget } from './mjcf-actuator.js';
import { addReflected } from './mjcf-armature.js';
import { BodyReader, type MjcfBody } from './mjcf-body.js';
import { type MjcfOptions, readOptions } from './mjcf-compiler.js';
import { ConstraintReader } from './mjcf-constraint.js';
import { openMjcf } from './mjcf-file.js';
import { fuseStatic } from './mjcf-fuse.js';
import { attachedKeyframes, readKeyframe, warnOfAligned } from './mjcf-keyframe.js';
import { allInertials, scaledToTotal } from './mjcf-mass.js';
import { type MjcfParts, mechanismParts, referencePositions } from './mjcf-mechanism.js';
import { ReferenceInertia, referencePoses } from './mjcf-reference.js';
import { SectionReader } from './mjcf-sections.js';
import { shapesOf } from './mjcf-shape.js';
import { resolveTarget } from './mjcf-target.js';
import type { ModelFiles } from './model-files.js';
import { warnOfUnused } from './xml-unused.js';

/** Options of `parseMjcf`. */
export interface MjcfReadOptions {
  /** Name of the file, for messages. */
  readonly file?: string;
  /** Where meshes and included files come from; without it they are not read. */
  readonly files?: ModelFiles;
  readonly inertia?: InertiaMode;
}

/** A model from an MJCF file: the mechanism, and what else the file says about it. */
export interface MjcfModel extends ModelData {
  readonly mechanism: Mechanism;
  /** The pose that the file draws (MuJoCo's qpos0), at rest. */
  readonly state: State;
  /** Names of the file's bodies in MuJoCo's order; null is the world, which comes first. */
  readonly bodies: readonly (string | null)[];
  /** The file's joints in MuJoCo's order. */
  readonly joints: readonly string[];
  readonly options: MjcfOptions;
}

/** Elements for drawing and for MuJoCo's own memory: listed once each, with their number. */
const EXTENSIONS = new Set([
  'visual',
  'statistic',
  'size',
  'custom',
  'extension',
  'deformable',
  'texture',
  'skin',
  'camera',
  'light',
]);

/** Reads an MJCF model (MuJoCo's XML); warnings list what was left out. */
export function parseMjcf(text: string, options: MjcfReadOptions = {}): MjcfModel {
  const { file: name, files } = options;
  const log = new ImportLog(name);
  const main = openMjcf(text, [files?.folder, name].filter(Boolean).join('/'), files, log);
  const settings = readOptions(main.root.children('option'));
  const reader = new BodyReader(main, main.root.children('worldbody'), log);
  log.throwIfBroken();
  const { names } = reader;
  const fused = fuseStatic(reader.bodies, allInertials(reader.bodies));
  const { bodies } = fused;
  const inertials = scaledToTotal(fused.inertials, main.compiler);
  log.throwIfBroken();
  const poses = referencePoses(bodies);
  const reference = new ReferenceInertia(bodies, inertials, poses);
  setSpringDampers(bodies, reference);

  const all = [main, ...[...names.attached.keys()].filter((attached) => attached !== main)];
  const sections = new SectionReader(names, all);
  sections.readStructure();
  const paired = new Set(sections.pairs.flatMap(({ shape1, shape2 }) => [shape1, shape2]));
  const parts = mechanismParts(bodies, inertials, paired);
  const target = (transmission: Transmission): ActuatorTarget =>
    resolveTarget(transmission, parts, sections.tendons, bodies, reference);
  sections.readActuation(target);
  addReflected(parts, sections.tendons, sections.actuators, (part) =>
    sections
      .elementOf(part)
      ?.warn('armature', 'Armature and damping of what pulls at more than one hinge or slide are not used.'),
  );
  const ground = shapesOf(bodies[0].geoms, main, main.colors, paired);
  const constraints = new ConstraintReader(bodies, parts, poses).read(sections.equalities);
  log.throwIfBroken();

  const keys = main.root.children('keyframe').flatMap((section) => section.children('key'));
  if (keys.length > 0) warnOfAligned(bodies);
  const gravity = settings.flags.get('gravity') === false ? ([0, 0, 0] as const) : settings.gravity;
  const spec = {
    name: main.root.text('model') ?? 'model',
    gravity,
    bodies: parts.bodies,
    joints: parts.joints,
    frames: parts.frames,
    ...constraints,
  };
  const locate = (where: string): string | undefined => parts.places.get(where);
  const created = createLocated(spec, { inertia: options.inertia ?? 'warn' }, name, locate);
  const state = stateOf(created, parts, bodies);
  const keyframes = keys.flatMap((key, k) => readKeyframe(key, k, created, parts, state, reader.copied) ?? []);
  const motors = sections.actuators.map(({ name: motor }) => motor);
  for (const [attached, times] of names.attached)
    if (attached !== main)
      for (const renaming of times)
        keyframes.push(...attachedKeyframes(attached, renaming, created, parts, motors, state));
  log.throwIfBroken();
  for (const file of all) warnOfUnused(file.root, EXTENSIONS, log);
  const mechanism = new Mechanism({ ...created, warnings: [...log.warnings, ...created.warnings] });
  return {
    mechanism,
    state: stateOf(mechanism, parts, bodies),
    bodies: parts.bodyNames,
    joints: parts.moving.map(({ name: joint }) => joint),
    keyframes,
    tendons: sections.tendons,
    actuators: sections.actuators,
    sensors: sections.sensors,
    contacts: { pairs: sections.pairs, exclusions: [...reader.exclusions, ...sections.exclusions] },
    ground,
    gravityCompensation: new Map(
      bodies.flatMap(({ gravcomp }, k) => (gravcomp !== 0 && k > 0 ? [[parts.bodyNames[k]!, gravcomp] as const] : [])),
    ),
    options: settings,
  };
}

/** Spring and damper from a time constant T and a damping ratio r: I / (T r)^2 and 2 I / T, I the inertia they feel. */
function setSpringDampers(bodies: readonly MjcfBody[], reference: ReferenceInertia): void {
  bodies.forEach((body, b) => {
    body.joints.forEach((joint, k) => {
      if (joint.springdamper === undefined) return;
      const [time, ratio] = joint.springdamper;
      if (time <= 0 || ratio <= 0) {
        joint.element.attributeError('springdamper', 'springdamper', 'expected two numbers above zero');
        return;
      }
      const inertia = reference.felt(b, k);
      if (inertia === undefined) {
        joint.element.warn(
          'springdamper',
          'The springdamper is not used: the inertia that this joint feels is not to be had.',
        );
        return;
      }
      const single = joint.type === 'hinge' || joint.type === 'slide';
      body.joints[k] = {
        ...joint,
        stiffness: single ? inertia / (time * time * ratio * ratio) : 0,
        damping: (2 * inertia) / time,
      };
    });
  });
}

function stateOf(mechanism: Mechanism, parts: MjcfParts, bodies: readonly MjcfBody[]): State {
  const state = new State(mechanism);
  for (const [name, values] of referencePositions(parts, bodies))
    state.q.set(values, mechanism.joints[mechanism.jointIndex(name)].iq);
  return state;
}
