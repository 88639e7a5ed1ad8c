// URDF, the robot description of ROS (http://wiki.ros.org/urdf/XML), up to its version 1.2.

import type { InertiaMode } from '../mechanism/create.js';
import { lockMasslessJoints } from '../mechanism/lock-massless.js';
import { Mechanism } from '../mechanism/mechanism.js';
import type { CouplingSpec, MechanismSpec } from '../mechanism/spec.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { createLocated } from './create-located.js';
import { ImportLog, quoted } from './import-log.js';
import { mergeFixedJoints } from './merge-fixed.js';
import { NameGiver } from './names.js';
import { readJoint, type UrdfJoint } from './urdf-joint.js';
import { readLink, type UrdfLink } from './urdf-link.js';
import { ShapeReader } from './urdf-shape.js';
import { arrangeTree, type UrdfTree } from './urdf-tree.js';
import { parseXml, type XmlElement } from './xml.js';
import { warnOfUnused } from './xml-unused.js';

/** Options of `parseUrdf`. */
export interface UrdfOptions {
  /** Name of the file, for messages. */
  readonly file?: string;
  /** How the root link hangs from the ground; URDF itself does not say. */
  readonly base?: 'fixed' | 'floating';
  /** Mimic joints follow their source, or move on their own. */
  readonly mimic?: 'couple' | 'ignore';
  /** Links on fixed joints stay bodies, or become part of their parents (see mergeFixedJoints). */
  readonly fixedJoints?: 'keep' | 'merge';
  readonly inertia?: InertiaMode;
  /** Folders of the packages that meshes are in, by name. No other folder is ever named in a mesh path. */
  readonly packages?: ReadonlyMap<string, string>;
  readonly gravity?: Vec3;
  /** Joints that carry nothing that weighs: locked with a warning (default), or an error. */
  readonly massless?: 'lock' | 'error';
}

/** Elements that other programs read and the dynamics has no use for: listed once each, with their number. */
const EXTENSIONS = new Set(['gazebo', 'transmission', 'sensor', 'contact', 'safety_controller', 'calibration']);

/**
 * Reads a URDF file. The bodies are its links, parents first, branch by branch, children in the order of their joints.
 * The frame of a body is that of its link. The root link hangs from the ground by a joint named `root_joint`
 * (`root_joint_2`, ... where the file has a joint of that name).
 */
export function parseUrdf(text: string, options: UrdfOptions = {}): Mechanism {
  const log = new ImportLog(options.file);
  const robot = parseXml(text, log);
  if (isXacro(robot))
    robot.error(
      'xacro',
      'This is a xacro file, a template for a URDF; run it through "xacro file > robot.urdf" first.',
    );
  else if (robot.name !== 'robot') robot.error('not-urdf', `A URDF file is a <robot>, this one is a <${robot.name}>.`);
  log.throwIfBroken();
  const { links, joints, name } = readRobot(robot, options, log);
  checkMimics(joints, log);
  const tree = arrangeTree(links, joints, log);
  log.throwIfBroken();
  warnOfUnused(robot, EXTENSIONS, log);
  const spec = { name, ...(options.gravity && { gravity: options.gravity }), ...specOf(tree!, joints, options) };
  return create(spec, { links, joints }, options, log);
}

/** Elements of xacro, or expressions in names: the name space alone is left behind in finished files too. */
function isXacro(robot: XmlElement): boolean {
  return robot
    .elements()
    .some(({ name, attributes }) => name.startsWith('xacro:') || (attributes.name?.includes('${') ?? false));
}

interface Parts {
  readonly links: readonly UrdfLink[];
  readonly joints: readonly UrdfJoint[];
}

function readRobot(robot: XmlElement, options: UrdfOptions, log: ImportLog): Parts & { name: string } {
  const version = robot.text('version') ?? '1.0';
  if (!/^1(\.[0-2])?$/.test(version))
    robot.warn('version', `URDF 1.0 to 1.2 is known here, this is ${quoted(version)}.`);
  const isNamed = (robot.text('name') ?? '') !== '';
  if (!isNamed) robot.warn('missing-attribute', 'The <robot> has no name; it is called "robot".');
  const name = isNamed ? robot.requiredName('name') : undefined;
  const shapes = new ShapeReader(robot, options.packages ?? new Map());
  const links = robot.children('link').flatMap((link) => readLink(link, shapes) ?? []);
  const joints = robot.children('joint').flatMap((joint) => readJoint(joint, options.mimic ?? 'couple') ?? []);
  shapes.warnOfUnresolvedPackages(log);
  return { links, joints, name: name ?? 'robot' };
}

function checkMimics(joints: readonly UrdfJoint[], log: ImportLog): void {
  const types = new Map(joints.map(({ name, spec }) => [name, spec.type]));
  for (const { name, mimic } of joints) {
    if (mimic === undefined) continue;
    const { source } = mimic.coupling;
    if (source === name) log.error('mimic', mimic.place, `Joint ${quoted(name)} cannot mimic itself.`);
    else if (!types.has(source))
      log.error(
        'mimic',
        mimic.place,
        `Joint ${quoted(name)} mimics ${quoted(source)}, which is not a joint of this file.`,
      );
    else if (types.get(source) === 'fixed')
      log.error(
        'mimic',
        mimic.place,
        `Joint ${quoted(name)} mimics ${quoted(source)}, which is fixed and never moves.`,
      );
  }
}

function specOf(tree: UrdfTree, joints: readonly UrdfJoint[], options: UrdfOptions): MechanismSpec {
  const rootJoint = new NameGiver(joints.map(({ name }) => name)).give('root_joint');
  return {
    bodies: [tree.root.body, ...tree.branches.map(({ link }) => link.body)],
    joints: [
      { name: rootJoint, type: options.base ?? 'fixed', parent: null, child: tree.root.name },
      ...tree.branches.map(({ joint }) => joint.spec),
    ],
    couplings: joints.flatMap(({ mimic }): CouplingSpec[] => (mimic === undefined ? [] : [mimic.coupling])),
  };
}

function create(given: MechanismSpec, { links, joints }: Parts, options: UrdfOptions, log: ImportLog): Mechanism {
  const places = new Map<string, string>();
  for (const { name, place } of links) places.set(`body "${name}"`, place);
  for (const { name, place, mimic } of joints) {
    places.set(`joint "${name}"`, place);
    if (mimic !== undefined) places.set(`coupling of joint "${name}"`, mimic.place);
  }
  const { spec, warnings } = options.massless === 'error' ? { spec: given, warnings: [] } : lockMasslessJoints(given);
  for (const { code, where, message } of warnings) log.warn(code, places.get(where) ?? where, message);
  const inertia = options.inertia ?? 'warn';
  const locate = (where: string): string | undefined => places.get(where);
  const mechanism = createLocated(spec, { inertia, warnings: log.warnings }, log.file, locate);
  if (options.fixedJoints !== 'merge') return mechanism;
  // Each link has been checked, and repaired if so asked, by itself: in a sum its faults could hide. What is wrong with
  // the sums has therefore been said already.
  const merged = mergeFixedJoints({ ...spec, bodies: mechanism.bodies });
  return new Mechanism({
    ...createLocated(merged, { inertia: 'warn' }, log.file, locate),
    warnings: mechanism.warnings,
  });
}
