// OpenSim models (.osim, format 4): bodies and joints. Joints whose motion is a function of a coordinate become chains
// of one-axis joints between massless bodies, and the functions say how far each of them goes: the mechanism has more
// joints than the model has coordinates, and `joints` leads from one to the other.

import { createMechanism, type InertiaMode } from '../mechanism/create.js';
import type { Problem } from '../mechanism/errors.js';
import { Mechanism, type Shape } from '../mechanism/mechanism.js';
import type { BodySpec, CouplingSpec, FrameSpec, JointSpec } from '../mechanism/spec.js';
import { mechanismSpec } from '../mechanism/variants.js';
import {
  add,
  apply,
  axisFrame,
  IDENTITY3,
  type Mat3,
  multiply,
  rotationAbout,
  scale,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import { createLocated } from './create-located.js';
import { ImportLog, nearHint, quoted } from './import-log.js';
import { NameGiver } from './names.js';
import type { CoordinateFunction } from './osim-function.js';
import { inverted, OSIM_JOINT_TYPES, type OsimCoordinate, type OsimJoint, readOsimJoint } from './osim-joint.js';
import { parseXml, type XmlElement } from './xml.js';
import { childNumbers, childText, requiredNumbers } from './xml-text.js';

export type { CoordinateFunction } from './osim-function.js';
export type { OsimCoordinate } from './osim-joint.js';

/** Options of `parseOsim`. */
export interface OsimOptions {
  readonly file?: string;
  readonly inertia?: InertiaMode;
}

/** An OpenSim model: a mechanism, and how OpenSim's coordinates move its joints. */
export interface OsimModel {
  readonly mechanism: Mechanism;
  readonly coordinates: readonly OsimCoordinate[];
  /** For each joint of the mechanism that moves: which coordinate moves it, and how far. */
  readonly moves: readonly OsimMove[];
}

export interface OsimMove {
  /** Index of the joint in the mechanism; it has one degree of freedom. */
  readonly joint: number;
  /** Index of the coordinate. */
  readonly coordinate: number;
  readonly move: CoordinateFunction;
}

/** Parts of a model that inverse dynamics does not need; what else there is gets a warning. */
const NEEDLESS = ['ForceSet', 'ControllerSet', 'ProbeSet', 'ContactGeometrySet'];

/** Reads an OpenSim model (.osim); warnings list what was left out. */
export function parseOsim(text: string, options: OsimOptions = {}): OsimModel {
  const { file, inertia = 'warn' } = options;
  const log = new ImportLog(file);
  const root = parseXml(text, log);
  if (root.name !== 'OpenSimDocument') {
    root.error('not-osim', `Expected <OpenSimDocument>, got <${root.name}>.`);
    log.throwIfBroken();
  }
  const version = root.number('Version') ?? 0;
  const model = root.requiredChild('Model');
  if (model !== undefined && (version < 40000 || !model.has('JointSet')))
    root.error(
      'version',
      `The file is of format ${version}; save it with OpenSim 4, which writes format 40000 or later.`,
    );
  log.throwIfBroken();
  const places = new Map<string, string>();
  const bodies = readBodies(model!, places);
  const joints = readJoints(model!, log);
  const gravity = (childNumbers(model!, 'gravity', 3) ?? [0, -9.80665, 0]) as unknown as Vec3;
  warnOfRest(model!);
  log.throwIfBroken();
  const expanded = new Expansion(bodies, joints, places, log);
  log.throwIfBroken();
  const name = model!.text('name') ?? 'model';
  const made = createLocated(
    { name, gravity, bodies: expanded.bodies, joints: expanded.joints, frames: readMarkers(model!, expanded.bodies) },
    { inertia, warnings: log.warnings },
    file,
    (where) => places.get(where),
  );
  const moves = expanded.moves.map(({ body, ...rest }) => ({ joint: made.bodyIndex(body), ...rest }));
  return { mechanism: new Mechanism({ ...made }), coordinates: expanded.coordinates, moves };
}

function readBodies(model: XmlElement, places: Map<string, string>): BodySpec[] {
  const bodies: BodySpec[] = [];
  for (const element of model.child('BodySet')?.child('objects')?.children('Body') ?? []) {
    const name = element.requiredName('name');
    const mass = requiredNumbers(element, 'mass', 1)?.[0];
    const com = (childNumbers(element, 'mass_center', 3) ?? [0, 0, 0]) as unknown as Vec3;
    // [xx, yy, zz, xy, xz, yz] about the centre of mass.
    const I = childNumbers(element, 'inertia', 6) ?? [0, 0, 0, 0, 0, 0];
    if (name === undefined || mass === undefined) continue;
    places.set(`body "${name}"`, element.place);
    bodies.push({ name, mass, com, inertia: [I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]] });
  }
  return bodies;
}

/** Markers are frames with the axes of their body; those on parts that are not bodies are left out. */
function readMarkers(model: XmlElement, bodies: readonly BodySpec[]): FrameSpec[] {
  const known = new Set(bodies.map(({ name }) => name));
  const taken = new Set(known);
  const markers: FrameSpec[] = [];
  for (const element of model.child('MarkerSet')?.child('objects')?.children('Marker') ?? []) {
    const name = element.requiredName('name');
    const body = (childText(element, 'socket_parent_frame') ?? '').replace(/^.*\//, '');
    const t = childNumbers(element, 'location', 3);
    if (name === undefined || t === undefined) continue;
    if (!known.has(body) || taken.has(name)) {
      element.warn(
        'marker',
        `Marker ${quoted(name)} is left out: ${known.has(body) ? 'its name is taken' : `there is no body ${quoted(body)}`}.`,
      );
      continue;
    }
    taken.add(name);
    markers.push({ name, body, t: [t[0], t[1], t[2]] });
  }
  return markers;
}

function readJoints(model: XmlElement, log: ImportLog): OsimJoint[] {
  const objects = model.child('JointSet')?.child('objects');
  if (objects === undefined) return [];
  for (const type of OSIM_JOINT_TYPES) objects.children(type);
  // All of them, in the order of the file: so the coordinates come in the author's order.
  const joints = objects.readChildren().flatMap((element) => readOsimJoint(element) ?? []);
  for (const other of objects.unreadChildren())
    log.error('joint-type', other.place, `A ${other.name} is not read; known are ${OSIM_JOINT_TYPES.join(', ')}.`);
  return joints;
}

function warnOfRest(model: XmlElement): void {
  const constraints = model.child('ConstraintSet')?.child('objects')?.unreadChildren() ?? [];
  for (const constraint of constraints)
    constraint.warn('constraint', `The constraint <${constraint.name}> is not applied; the motion must obey it.`);
  const used = NEEDLESS.filter((name) => (model.child(name)?.child('objects')?.unreadChildren().length ?? 0) > 0);
  if (used.includes('ForceSet'))
    model.child('ForceSet')!.warn('forces', 'Muscles and other forces of the model are not used.');
}

/**
 * The mechanism alone, for use without a motion: its independent joints are the coordinates. Joints that follow one in a
 * straight line are coupled to it; those that follow a curve stay where the coordinate's default puts them.
 */
export function osimMechanism(model: OsimModel): Mechanism {
  const { mechanism, coordinates, moves } = model;
  const spec = mechanismSpec(mechanism);
  const owners = coordinates.map((_, c) =>
    moves.find(({ coordinate, move }) => coordinate === c && move.line?.[0] === 1 && move.line[1] === 0),
  );
  const value = new Float64Array(3);
  const warnings: Problem[] = [];
  const couplings: CouplingSpec[] = [];
  const frozen = new Map<number, JointSpec>();
  for (const entry of moves) {
    const { joint, coordinate, move } = entry;
    const owner = owners[coordinate];
    if (entry === owner) continue;
    const old = spec.joints[joint];
    if (owner !== undefined && move.line !== undefined) {
      const [multiplier, offset] = move.line;
      couplings.push({ joint: old.name, source: spec.joints[owner.joint].name, multiplier, offset });
      continue;
    }
    const { name, defaultValue } = coordinates[coordinate];
    move.evaluate(value, defaultValue);
    const { E = IDENTITY3, t = ZERO3, axis = [0, 0, 1] } = old;
    const turned = old.type === 'revolute' ? multiply(transpose(rotationAbout(unit(axis), value[0])), E) : E;
    const moved = old.type === 'prismatic' ? add(t, apply(transpose(E), scale(value[0], unit(axis)))) : t;
    frozen.set(joint, { name: old.name, parent: old.parent, child: old.child, type: 'fixed', E: turned, t: moved });
    warnings.push({
      code: 'curve',
      where: `joint "${old.name}"`,
      message: `It follows ${quoted(name)} on a curve; here it stays at its default place. "inverse" follows the curve.`,
    });
  }
  const joints = spec.joints.map((joint, i) => frozen.get(i) ?? joint);
  return new Mechanism({
    ...createMechanism({ ...spec, joints, couplings }, { inertia: 'warn' }),
    warnings: [...mechanism.warnings, ...warnings],
  });
}

/** Bodies and joints of the mechanism, with massless bodies between the joints of a chain. */
class Expansion {
  readonly bodies: BodySpec[];
  readonly joints: JointSpec[] = [];
  readonly coordinates: OsimCoordinate[] = [];
  readonly moves: { readonly body: string; readonly coordinate: number; readonly move: CoordinateFunction }[] = [];
  readonly #names: Set<string>;
  readonly #jointNames = new NameGiver([]);

  constructor(bodies: readonly BodySpec[], joints: readonly OsimJoint[], places: Map<string, string>, log: ImportLog) {
    this.#names = new Set(bodies.map(({ name }) => name));
    this.bodies = [];
    const coordinateIndex = new Map<string, number>();
    for (const joint of joints) {
      for (const side of [joint.parent, joint.child])
        if (side.body !== 'ground' && !this.#names.has(side.body))
          log.error(
            'unknown-body',
            joint.place,
            `Joint ${quoted(joint.name)}: there is no body ${quoted(side.body)}.${nearHint(side.body, this.#names)}`,
          );
      if (joint.child.body === 'ground')
        log.error('ground-child', joint.place, `Joint ${quoted(joint.name)} carries the ground; swap its frames.`);
      for (const coordinate of joint.coordinates) {
        if (coordinateIndex.has(coordinate.name))
          log.error('duplicate-name', joint.place, `There is another coordinate ${quoted(coordinate.name)}.`);
        coordinateIndex.set(coordinate.name, this.coordinates.length);
        this.coordinates.push(coordinate);
      }
      places.set(`joint "${joint.name}"`, joint.place);
    }
    if (log.broken) return;
    // Bodies in the order of the file, each after the massless bodies of the joint that carries it.
    const carriers = new Map(joints.map((joint) => [joint.child.body, joint]));
    const extra = joints.filter((joint) => carriers.get(joint.child.body) !== joint);
    for (const joint of extra)
      log.error(
        'two-parents',
        joint.place,
        `Joint ${quoted(joint.name)}: another joint carries ${quoted(joint.child.body)}.`,
      );
    const drawn = bodies.map((body) => ({ ...body, visuals: bones(body, joints) }));
    for (const body of drawn) {
      const joint = carriers.get(body.name);
      if (joint === undefined) {
        log.error(
          'no-joint',
          places.get(`body "${body.name}"`) ?? '',
          `Body ${quoted(body.name)} hangs from no joint.`,
        );
        continue;
      }
      this.#chain(joint, coordinateIndex, body);
    }
  }

  #chain(joint: OsimJoint, coordinateIndex: ReadonlyMap<string, number>, body: BodySpec): void {
    let carrier: string | null = joint.parent.body === 'ground' ? null : joint.parent.body;
    // Placement of the next joint in its carrier: constants of the chain collect here.
    let E: Mat3 = transpose(joint.parent.rot);
    let t: Vec3 = joint.parent.t;
    const moving = joint.axes.filter((axis) => axis.coordinate !== undefined);
    const toBody = inverted(joint.child);
    const bare = joint.child.rot === IDENTITY3 && joint.child.t.every((value) => value === 0);
    for (const axis of joint.axes) {
      if (axis.coordinate === undefined) {
        // A constant: turn or shift the placement.
        const amount = axis.move.constant ?? 0;
        const direction = unit(axis.axis);
        if (amount === 0) continue;
        if (axis.rotation) E = multiply(transpose(rotationAbout(direction, amount)), E);
        else t = add(t, apply(transpose(E), scale(amount, direction)));
        continue;
      }
      // A coordinate that is a joint's own position gives it its name.
      const own = axis.move.line?.[0] === 1 && axis.move.line[1] === 0;
      const jointName = this.#jointNames.give(own ? axis.coordinate : `${joint.name}:${axis.name}`);
      const last = axis === moving.at(-1) && bare && !constantAfter(joint, axis);
      const child = last ? body.name : this.#massless(`${joint.name}:${axis.name}`);
      const type = axis.rotation ? 'revolute' : 'prismatic';
      this.joints.push({ name: jointName, type, axis: axis.axis, parent: carrier, child, E, t });
      this.moves.push({ body: child, coordinate: coordinateIndex.get(axis.coordinate)!, move: axis.move });
      if (last) {
        this.bodies.push(body);
        return;
      }
      [carrier, E, t] = [child, IDENTITY3, ZERO3];
    }
    // What is left is fixed: constants at the end, and the child's offset frame.
    const placed = add(t, apply(transpose(E), toBody.t));
    this.joints.push({
      name: this.#jointNames.give(joint.name),
      type: 'fixed',
      parent: carrier,
      child: body.name,
      E: multiply(toBody.E, E),
      t: placed,
    });
    this.bodies.push(body);
  }

  #massless(wanted: string): string {
    let name = wanted;
    while (this.#names.has(name)) name += "'";
    this.#names.add(name);
    this.bodies.push({ name });
    return name;
  }
}

function constantAfter(joint: OsimJoint, axis: OsimJoint['axes'][0]): boolean {
  return joint.axes
    .slice(joint.axes.indexOf(axis) + 1)
    .some(({ move }) => move.constant !== undefined && move.constant !== 0);
}

function unit([x, y, z]: Vec3): Vec3 {
  const length = Math.hypot(x, y, z);
  return length > 0 ? [x / length, y / length, z / length] : [0, 0, 1];
}

/**
 * Something to draw, since the meshes are elsewhere: capsules from the body's origin to the joints that hang on it, as
 * they are in the default pose; where there are none, through the centre of mass and as far beyond.
 */
function bones({ name, com = ZERO3, mass = 0 }: BodySpec, joints: readonly OsimJoint[]): Shape[] {
  const value = new Float64Array(3);
  const ends = joints
    .filter(({ parent }) => parent.body === name)
    .map(({ parent, axes, coordinates }) => {
      let at: Vec3 = ZERO3;
      for (const { rotation, axis, move, coordinate } of axes) {
        if (rotation) continue;
        move.evaluate(value, coordinates.find((known) => known.name === coordinate)?.defaultValue ?? 0);
        at = add(at, scale(value[0], unit(axis)));
      }
      return add(parent.t, apply(parent.rot, at));
    });
  const tips = ends.length > 0 ? ends : [scale(2, com)];
  return tips.flatMap((tip) => {
    const length = Math.hypot(...tip);
    if (length < 0.01 || mass === 0) return [];
    const geometry = { kind: 'capsule', radius: Math.min(0.04, length / 8), length } as const;
    return [{ geometry, E: axisFrame(unit(tip)), t: scale(0.5, tip), color: colorOf(name) }];
  });
}

/** Left and right in the colours of our own figures; OpenSim's models end their names in _l and _r. */
function colorOf(name: string): NonNullable<Shape['color']> {
  if (/_l$|left/i.test(name)) return [0.45, 0.58, 0.75, 1];
  return /_r$|right/i.test(name) ? [0.75, 0.55, 0.45, 1] : [0.66, 0.63, 0.57, 1];
}
