// SDF, the format of Gazebo (http://sdformat.org), versions 1.4 to 1.11: one model, with the models in it.

import type { InertiaMode } from '../mechanism/create.js';
import { lockMasslessJoints } from '../mechanism/lock-massless.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { BodySpec, CouplingSpec, FrameSpec, JointSpec, LoopSpec, MechanismSpec } from '../mechanism/spec.js';
import { State } from '../mechanism/state.js';
import { norm, quaternionFromRotation, scale } from '../spatial/matrix3.js';
import { createLocated } from './create-located.js';
import { ImportLog } from './import-log.js';
import { composed, inversePose, placementOf, type RigidPose } from './mjcf-frame.js';
import type { ModelFiles } from './model-files.js';
import { NameGiver } from './names.js';
import { type SdfDocument, SdfReader } from './sdf-file.js';
import { readGearbox, readSdfJoint, readSdfMimic, type SdfJoint, worldPose } from './sdf-joint.js';
import { readSdfLink } from './sdf-link.js';
import { type SdfFrame, type SdfScope, vectorOr } from './sdf-scope.js';
import { childNumbers } from './xml-text.js';
import { warnOfUnused } from './xml-unused.js';

/** Options of `parseSdf`. */
export interface SdfOptions {
  /** Name of the file, for messages. */
  readonly file?: string;
  /** Where included models come from; without it they are not read. */
  readonly files?: ModelFiles;
  /** How links that no joint carries hang from the world; where left out, fixed in a static model and free otherwise. */
  readonly base?: 'fixed' | 'floating';
  /** Joints that mimic others, and gearboxes, hold; or not. */
  readonly mimic?: 'couple' | 'ignore';
  readonly inertia?: InertiaMode;
  /** Folders of the models that meshes are in, by name. */
  readonly packages?: ReadonlyMap<string, string>;
  /** Joints that carry nothing that weighs: locked with a warning (default), or an error. */
  readonly massless?: 'lock' | 'error';
}

/** A model from an SDF file, in the pose that the file draws. */
export interface SdfModel {
  readonly mechanism: Mechanism;
  readonly state: State;
}

/** Elements that other programs read and the dynamics has no use for: listed once each, with their number. */
const EXTENSIONS = new Set([
  'plugin',
  'sensor',
  'physics',
  'light',
  'camera',
  'scene',
  'gui',
  'battery',
  'audio_source',
]);

/**
 * Reads an SDF file: one model, or a world with one model that moves. Bodies are its links, by their names, those of nested
 * models as `model::link`; frames are its frames. A joint off the origin of its child link has a link without mass, named
 * `joint:link`, between them. Joints that close a loop become loop joints. What stands in no joint floats, in the pose of
 * the file, unless the model is static.
 */
export function parseSdf(text: string, options: SdfOptions = {}): SdfModel {
  const log = new ImportLog(options.file);
  const document = new SdfReader(options.files, log).read(text);
  log.throwIfBroken();
  const { spec: given, places, roots } = new SpecMaker(document!, options).make();
  log.throwIfBroken();
  for (const root of document!.roots) warnOfUnused(root, EXTENSIONS, log);
  const { spec, warnings } = options.massless === 'error' ? { spec: given, warnings: [] } : lockMasslessJoints(given);
  for (const { code, where, message } of warnings) log.warn(code, places.get(where) ?? where, message);
  const creation = { inertia: options.inertia ?? 'warn', warnings: log.warnings } as const;
  const mechanism = createLocated(spec, creation, log.file, (where) => places.get(where));
  const state = new State(mechanism);
  for (const [joint, { R, p }] of roots) state.set(joint, [...quaternionFromRotation(R), ...p]);
  return { mechanism, state: state.applyCouplings() };
}

/** An offset below this is none: what is left of decimal numbers. */
const NO_OFFSET = 1e-12;

class SpecMaker {
  readonly #document: SdfDocument;
  readonly #options: SdfOptions;
  readonly #bodies: BodySpec[] = [];
  readonly #joints: JointSpec[] = [];
  readonly #loops: LoopSpec[] = [];
  readonly #frames: FrameSpec[] = [];
  readonly #places = new Map<string, string>();
  /** The joint that carries a link. */
  readonly #carrier = new Map<SdfFrame, SdfJoint>();
  readonly #bodyNames: NameGiver;
  readonly #jointNames: NameGiver;
  readonly #links: SdfFrame[] = [];
  readonly #jointFrames: SdfFrame[] = [];

  constructor(document: SdfDocument, options: SdfOptions) {
    this.#document = document;
    this.#options = options;
    this.#collect(document.scope);
    this.#bodyNames = new NameGiver(this.#links.map(fullName));
    this.#jointNames = new NameGiver(this.#jointFrames.map(fullName));
  }

  #collect(scope: SdfScope): void {
    for (const frame of scope.frames.values()) {
      if (frame.kind === 'link') this.#links.push(frame);
      else if (frame.kind === 'joint') this.#jointFrames.push(frame);
    }
    for (const inner of scope.nested) this.#collect(inner);
  }

  make(): { spec: MechanismSpec; places: ReadonlyMap<string, string>; roots: ReadonlyMap<string, RigidPose> } {
    const { scope, world, isStatic } = this.#document;
    const { base = isStatic ? 'fixed' : 'floating', mimic, packages = new Map() } = this.#options;
    for (const link of this.#links) {
      const body = readSdfLink(link.element, link.scope, link.name, packages);
      this.#bodies.push(body);
      this.#places.set(`body "${body.name}"`, link.element.place);
    }
    const gears = this.#jointFrames.filter(({ element }) => element.attributes.type === 'gearbox');
    const joints = this.#jointFrames
      .filter((frame) => !gears.includes(frame))
      .flatMap((frame) => readSdfJoint(frame) ?? []);
    for (const joint of joints) {
      this.#places.set(`joint "${joint.name}"`, joint.element.place);
      if (this.#carrier.has(joint.child) || this.#carries(joint.child, joint.parent)) this.#close(joint);
      else this.#carry(joint);
    }
    const roots = new Map<string, RigidPose>();
    for (const link of this.#links) {
      if (this.#carrier.has(link)) continue;
      const name = this.#jointNames.give('root_joint');
      const pose = worldPose(link);
      const placed = base === 'fixed' ? placementOf(pose) : {};
      this.#joints.push({ name, type: base, parent: null, child: fullName(link), ...placed });
      if (base === 'floating') roots.set(name, pose);
    }
    this.#addFrames(scope);
    const couplings = joints.flatMap((joint): CouplingSpec[] => {
      const coupling = readSdfMimic(joint);
      return coupling === undefined ? [] : [coupling];
    });
    for (const gear of gears) {
      gear.element.text('type');
      const coupling = readGearbox(gear, joints);
      if (coupling !== undefined) couplings.push(coupling);
    }
    const gravity = world && childNumbers(world, 'gravity', 3);
    const spec: MechanismSpec = {
      name: scope.element.attributes.name ?? 'model',
      ...(gravity && { gravity: vectorOr(gravity) }),
      bodies: this.#bodies,
      joints: this.#joints,
      loops: this.#loops,
      frames: this.#frames,
      couplings: mimic === 'ignore' ? [] : couplings,
    };
    return { spec, places: this.#places, roots };
  }

  /** Whether a link is carried by another one. */
  #carries(above: SdfFrame, link: SdfFrame | null): boolean {
    for (let at = link; at !== null; at = this.#carrier.get(at)?.parent ?? null) if (at === above) return true;
    return false;
  }

  /** At the joint's origin, along the axes of the child link. */
  #placed({ parent, child, pose }: SdfJoint): RigidPose {
    const at = { R: worldPose(child).R, p: pose.p };
    return parent === null ? at : composed(inversePose(worldPose(parent)), at);
  }

  #carry(joint: SdfJoint): void {
    const { name, type, parent, child, axis, axis2, pitch, motion } = joint;
    this.#carrier.set(child, joint);
    const offset = this.#originIn(joint).p;
    const common = { name, type, parent: parent && fullName(parent), ...placementOf(this.#placed(joint)) };
    if (type === 'fixed') {
      const placed = parent === null ? worldPose(child) : composed(inversePose(worldPose(parent)), worldPose(child));
      this.#joints.push({ ...common, ...placementOf(placed), child: fullName(child) });
      return;
    }
    const moving = { ...common, axis, axis2, pitch, ...motion };
    if (norm(offset) < NO_OFFSET) {
      this.#joints.push({ ...moving, child: fullName(child) });
      return;
    }
    const link = this.#bodyNames.give(`${name}:link`);
    this.#bodies.push({ name: link });
    const fixed = this.#jointNames.give(`${name}:fixed`);
    this.#joints.push(
      { ...moving, child: link },
      { name: fixed, type: 'fixed', parent: link, child: fullName(child), t: scale(-1, offset) },
    );
  }

  /** The joint's origin in its child link. */
  #originIn({ child, pose }: SdfJoint): RigidPose {
    return composed(inversePose(worldPose(child)), pose);
  }

  #close(joint: SdfJoint): void {
    const { name, type, parent, child, axis, axis2, pitch } = joint;
    this.#loops.push({
      name,
      type,
      axis,
      axis2,
      pitch,
      a: { body: parent && fullName(parent), ...placementOf(this.#placed(joint)) },
      b: { body: fullName(child), t: this.#originIn(joint).p },
    });
  }

  #addFrames(scope: SdfScope): void {
    for (const frame of scope.frames.values()) {
      if (frame.kind !== 'frame') continue;
      const link = scope.linkOf(frame.name, frame.element);
      if (link === undefined) continue;
      const pose = composed(inversePose(worldPose(link)), worldPose(frame));
      this.#frames.push({ name: fullName(frame), body: fullName(link), ...placementOf(pose) });
    }
    for (const inner of scope.nested) this.#addFrames(inner);
  }
}

const fullName = ({ scope, name }: SdfFrame): string => scope.prefix + name;
