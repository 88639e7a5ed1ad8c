// A captured figure from BVH: the skeleton becomes a mechanism, the channels its positions frame by frame.
//
// A joint of three rotations becomes a spherical joint, not three hinges: it has no gimbal lock, its rates and torques do
// not depend on the order of the channels, and filters and differences act on the rotation itself. One rotation makes a
// revolute joint, two a universal one, none a fixed one. The root floats.

import { plainDynamics } from '../dynamics/checked-dynamics.js';
import type { BvhChannel, BvhMotion, BvhNode } from '../formats/bvh.js';
import type { JointTypeName } from '../joints/index.js';
import { createMechanism } from '../mechanism/create.js';
import { MechanismError, type Problem } from '../mechanism/errors.js';
import type { Mechanism, Shape } from '../mechanism/mechanism.js';
import type { BodySpec, JointSpec } from '../mechanism/spec.js';
import { State } from '../mechanism/state.js';
import { type BodySize, checkedSize, DE_LEVA_MALE, PROPORTIONS, REFERENCE_SIZE } from '../models/anthropometry.js';
import { type Color, capsule } from '../models/shapes.js';
import { add, dot, norm, scale, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { ANKLE_SHARE, assignMasses, footAxes, type RestNode, type RestSkeleton } from './body-masses.js';
import { coordinateNames } from './coordinate-names.js';
import { type Named, skeletonParts } from './segments.js';
import { type Foot, pointAt } from './support.js';
import type { Positions } from './trajectory.js';

/** The axis of a file that points up. */
export type UpAxis = 'x' | 'y' | 'z';

/** Scale, axes and mass of the figure that `figureFromBvh` makes. */
export interface BvhFigureOptions extends Partial<BodySize> {
  /** Metres for a unit of the file; where left out, the legs get the length that goes with the height. */
  readonly scale?: number;
  /** The file's axis that points up; where left out, y, unless the figure plainly stands along another. */
  readonly up?: UpAxis;
  readonly name?: string;
}

/** A figure with masses, made for a BVH motion, and its positions over time. */
export interface BvhFigure {
  readonly positions: Positions;
  readonly feet: readonly Foot[];
  /** Of the degrees of freedom, in the order of v. */
  readonly coordinates: readonly string[];
  readonly size: BodySize;
  /** Metres for a unit of the file. */
  readonly scale: number;
  readonly warnings: readonly Problem[];
}

const AXES = ['x', 'y', 'z'] as const;
const UP: Readonly<Record<UpAxis, Vec3>> = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const STANDARD_GRAVITY = 9.81;
/** Positions of a joint that change by less than this share of the height are taken as constant. */
const STILL = 1e-3;
const LEG = DE_LEVA_MALE.thigh.length + DE_LEVA_MALE.shank.length;

/** A figure with the segments of a BVH skeleton, masses by anthropometry, and its motion. */
export function figureFromBvh(motion: BvhMotion, options: BvhFigureOptions = {}): BvhFigure {
  const warnings: Problem[] = [...motion.warnings];
  const { nodes } = motion;
  const axis = options.up ?? 'y';
  const up = UP[axis];
  const parts = skeletonParts(nodes);
  const { size, scale: unit } = sizeOf(nodes, parts, up, options, warnings);
  const moving = nodes.map((node, i) => translationOf(motion, node, i, size.height / unit));
  const offsets = nodes.map((node, i) => scale(unit, moving[i].offset ?? node.offset));
  const rest = restNodes(nodes, parts, offsets, unit);
  refuseFar(rest.flatMap(({ at, ends }) => [at, ...ends].flat()));
  const skeleton: RestSkeleton = { nodes: rest, up, size };
  const { masses, recognised } = assignMasses(skeleton);
  const warn = (code: string, message: string): void => {
    warnings.push({ code, where: '', message });
  };
  if (recognised === 0)
    warn('bones', 'The names of the bones say nothing of a human body: masses are shared out by length alone.');
  else if (recognised < 0.9)
    warn('bones', `The bones found stand for ${Math.round(100 * recognised)} % of a body; they share the whole mass.`);
  const tips = tipsOf(rest);
  const bodies: BodySpec[] = nodes.map(({ name }, i) => ({
    name,
    ...masses[i],
    visuals: shapes(rest[i], tips[i], size),
  }));
  const joints = nodes.map((node, i) => jointOf(nodes, node, i, offsets[i], moving[i].moves));
  const mechanism = createMechanism({
    name: options.name ?? 'captured figure',
    gravity: scale(-STANDARD_GRAVITY, up),
    bodies,
    joints,
  });
  const q = positionsOf(motion, mechanism, unit, moving);
  refuseFar(q);
  const first = referencePose(mechanism, q, motion.frameCount) ? 1 : 0;
  if (first === 1)
    warn('reference-pose', 'The first frame is a reference pose and no part of the motion; it is left out.');
  const positions: Positions = {
    mechanism,
    start: first * motion.frameTime,
    interval: motion.frameTime,
    count: motion.frameCount - first,
    q: q.slice(first * mechanism.nq),
  };
  const feet = feetOf(skeleton);
  const other = options.up === undefined ? standsAlong(positions, feet, axis) : undefined;
  if (other !== undefined) {
    const { axis: found, always } = other;
    // Who lies all the time does not stand in the rest pose like that, too.
    if (isAlong(UP[found], rest[0].at, feet, (body) => rest[body].at)) {
      const figure = figureFromBvh(motion, { ...options, up: found });
      const message = `The figure stands along ${found}, not ${axis}: ${found} is taken to point up; --up says otherwise.`;
      return { ...figure, warnings: [...figure.warnings, { code: 'up', where: '', message }] };
    }
    if (always) warn('up', `The figure lies along ${found} all the time; if ${found} points up, say --up ${found}.`);
  }
  return { positions, feet, coordinates: coordinateNames(mechanism), size, scale: unit, warnings };
}

/** Metres: a thousand kilometres, where doubles still know a nanometre. */
const FARTHEST = 1e6;

function refuseFar(values: ArrayLike<number>): void {
  if (Array.prototype.every.call(values, (value: number) => Math.abs(value) < FARTHEST)) return;
  throw MechanismError.of(
    'too-far',
    '',
    'The figure reaches farther than 1000 km; look at its numbers, and at the scale.',
  );
}

// Size

/** Mass over height squared, kg/m^2: of the lightest and the heaviest people. */
const LEAST_INDEX = 8;
const MOST_INDEX = 80;

function sizeOf(
  nodes: readonly BvhNode[],
  parts: readonly Named[],
  up: Vec3,
  options: BvhFigureOptions,
  warnings: Problem[],
): { size: BodySize; scale: number } {
  const at = restPositions(
    nodes,
    nodes.map(({ offset }) => offset),
  );
  const legs = (['left', 'right'] as const).flatMap((side) => {
    const [hip, knee, ankle] = (['thigh', 'shank', 'foot'] as const).map((part) =>
      parts.findIndex((named) => named.part === part && named.side === side),
    );
    if (hip < 0 || knee < 0 || ankle < 0) return [];
    return [norm(subtract(at[knee], at[hip])) + norm(subtract(at[ankle], at[knee]))];
  });
  const ends = nodes.flatMap((node, i) => [at[i], ...node.ends.map((end) => add(at[i], end))]);
  const heights = ends.map((end) => dot(end, up));
  const extent = heights.reduce((high, h) => Math.max(high, h)) - heights.reduce((low, h) => Math.min(low, h));
  // Stature in units of the file: by the legs, whose joints are the table's; otherwise by the rest pose.
  const leg = legs.reduce((sum, length) => sum + length, 0) / Math.max(1, legs.length);
  const stature = leg > 0 ? (leg * REFERENCE_SIZE.height) / LEG : extent;
  if (!(stature > 0))
    throw MechanismError.of('no-size', '', 'The skeleton has no size: all its joints are in one place.');
  const { scale: given } = options;
  if (given !== undefined && !(given > 0 && Number.isFinite(given)))
    throw MechanismError.of('scale', '', `The scale must be a positive number of metres a unit, got ${given}.`);
  if (given === undefined && options.height === undefined)
    warnings.push({
      code: 'unit',
      where: '',
      message: `The file does not say how long its unit is; the figure is taken to be ${REFERENCE_SIZE.height} m tall. Give its height, or the scale.`,
    });
  const size = checkedSize({
    height: options.height ?? (given === undefined ? REFERENCE_SIZE.height : given * stature),
    ...(options.mass !== undefined && { mass: options.mass }),
  });
  const index = size.mass / size.height ** 2;
  if (leg > 0 && (index < LEAST_INDEX || index > MOST_INDEX))
    warnings.push({
      code: 'size',
      where: '',
      message: `Nobody of ${Number(size.mass.toPrecision(3))} kg is ${Number(size.height.toPrecision(3))} m tall; look at the scale, or give the height and the mass.`,
    });
  return { size, scale: given ?? size.height / stature };
}

function restPositions(nodes: readonly BvhNode[], offsets: readonly Vec3[]): Vec3[] {
  const at: Vec3[] = [];
  nodes.forEach(({ parent }, i) => {
    at.push(parent < 0 ? ZERO3 : add(at[parent], offsets[i]));
  });
  return at;
}

function restNodes(
  nodes: readonly BvhNode[],
  parts: readonly Named[],
  offsets: readonly Vec3[],
  unit: number,
): RestNode[] {
  const at = restPositions(nodes, offsets);
  return nodes.map(({ parent, ends }, i) => ({
    ...parts[i],
    parent,
    at: at[i],
    ends: ends.map((end) => add(at[i], scale(unit, end))),
  }));
}

// Joints

interface Translation {
  /** The joint moves against its parent, beside turning. */
  readonly moves: boolean;
  /** Its place where the file's positions say other than OFFSET; units of the file. */
  readonly offset?: Vec3;
  /** What positions are counted from: OFFSET where they are added to it, zero where they stand in its place. */
  readonly base: Vec3;
}

/**
 * What the position channels of a joint mean. Some programs add them to OFFSET, others write them instead of it: the
 * reading that stays nearer to OFFSET is taken. Positions that never change are the joint's place.
 */
function translationOf(motion: BvhMotion, node: BvhNode, i: number, height: number): Translation {
  if (i === 0) return { moves: true, base: node.offset };
  const channels = [0, 1, 2].map((axis) => node.channels.indexOf(`${'XYZ'[axis]}position` as BvhChannel));
  if (channels.every((channel) => channel < 0)) return { moves: false, base: ZERO3 };
  const { values, channelCount, frameCount } = motion;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const mean = [0, 0, 0];
  for (let frame = 0; frame < frameCount; frame++)
    channels.forEach((channel, axis) => {
      const value = channel < 0 ? 0 : values[frame * channelCount + node.first + channel];
      low[axis] = Math.min(low[axis], value);
      high[axis] = Math.max(high[axis], value);
      mean[axis] += value / frameCount;
    });
  const centre = mean as unknown as Vec3;
  const base = norm(subtract(centre, node.offset)) < norm(centre) ? ZERO3 : node.offset;
  const still = high.every((value, axis) => value - low[axis] < STILL * height);
  return still ? { moves: false, offset: add(base, centre), base } : { moves: true, base };
}

function rotationAxes(node: BvhNode): Vec3[] {
  return node.channels
    .filter((channel) => channel.endsWith('rotation'))
    .map((channel) => UP[channel[0].toLowerCase() as UpAxis]);
}

function jointOf(nodes: readonly BvhNode[], node: BvhNode, i: number, offset: Vec3, moves: boolean): JointSpec {
  const axes = rotationAxes(node);
  const type: JointTypeName = moves
    ? 'floating'
    : (['fixed', 'revolute', 'universal', 'spherical'] as const)[axes.length];
  return {
    name: node.name,
    type,
    parent: node.parent < 0 ? null : nodes[node.parent].name,
    child: node.name,
    // A joint that moves has its place in its positions.
    ...(!moves && i > 0 && { t: offset }),
    ...(type === 'revolute' && { axis: axes[0] }),
    ...(type === 'universal' && { axis: axes[0], axis2: axes[1] }),
  };
}

/** frames x nq */
function positionsOf(
  motion: BvhMotion,
  mechanism: Mechanism,
  unit: number,
  moving: readonly Translation[],
): Float64Array {
  const { nodes, values, channelCount, frameCount } = motion;
  const q = new Float64Array(frameCount * mechanism.nq);
  const quaternion = new Float64Array(4);
  for (let frame = 0; frame < frameCount; frame++)
    nodes.forEach(({ channels, first }, i) => {
      const { iq, type } = mechanism.joints[i];
      const at = frame * mechanism.nq + iq;
      const from = frame * channelCount + first;
      quaternion.set([1, 0, 0, 0]);
      const place = [...moving[i].base];
      let angles = 0;
      channels.forEach((channel, k) => {
        const axis = 'XYZ'.indexOf(channel[0]);
        const value = values[from + k];
        if (channel.endsWith('position')) place[axis] += value;
        else {
          const angle = (value * Math.PI) / 180;
          if (type === 'revolute' || type === 'universal') q[at + angles++] = angle;
          turn(quaternion, axis, angle);
        }
      });
      if (type === 'spherical' || type === 'floating') q.set(quaternion, at);
      if (type === 'floating') for (let k = 0; k < 3; k++) q[at + 4 + k] = unit * place[k];
    });
  return q;
}

/** q <- q times a turn about a coordinate axis of the turned frame. */
function turn(q: Float64Array, axis: number, angle: number): void {
  const c = Math.cos(angle / 2);
  const s = Math.sin(angle / 2);
  const [w, x, y, z] = q;
  const [a, b] = [1 + ((axis + 1) % 3), 1 + ((axis + 2) % 3)];
  const along = [x, y, z][axis];
  const [pa, pb] = [q[a], q[b]];
  q[0] = w * c - along * s;
  q[1 + axis] = along * c + w * s;
  q[a] = pa * c + pb * s;
  q[b] = pb * c - pa * s;
}

/** A first frame this many times farther from the second than frames usually are from each other is no motion. */
const JUMP = 8;

function referencePose(mechanism: Mechanism, q: Float64Array, count: number): boolean {
  if (count < 4) return false;
  const { nq, joints } = mechanism;
  const u = new Float64Array(6);
  const steps: number[] = [];
  for (let frame = 0; frame + 1 < count; frame++) {
    let total = 0;
    for (const { model, iq, parent } of joints) {
      if (parent < 0) continue;
      model.difference(u, 0, q, frame * nq + iq, q, (frame + 1) * nq + iq);
      total += Math.hypot(...u.subarray(0, Math.min(3, model.nv)));
    }
    steps.push(total);
  }
  const [first, ...others] = steps;
  const usual = others.sort((a, b) => a - b)[others.length >> 1];
  return first > JUMP * usual && first > 0.2;
}

// What points up

/** Cosine to an axis of what stands along it, or hangs. */
const UPRIGHT = 0.8;
/** Somebody who stands for so much of a motion, and so many times as long as along another axis, shows what is up; who lies so long lies. */
const STANDS = 0.2;
const LONGER = 3;
const ALWAYS = 0.8;
const LOOKS = 100;

/** An axis along which the figure stands, rather than along the given one, and whether it does nothing else. */
function standsAlong(
  { mechanism, q, count }: Positions,
  feet: readonly Foot[],
  given: UpAxis,
): { axis: UpAxis; always: boolean } | undefined {
  if (feet.length === 0) return undefined;
  const { nq } = mechanism;
  const dynamics = plainDynamics(mechanism);
  const state = new State(mechanism);
  const shares = { x: 0, y: 0, z: 0 };
  const looks = Math.min(LOOKS, count);
  for (let k = 0; k < looks; k++) {
    const frame = Math.floor(((k + 0.5) * count) / looks);
    state.q.set(q.subarray(frame * nq, (frame + 1) * nq));
    const pose = dynamics.poses(state);
    const origin = (body: number): Vec3 => pointAt(pose, { body, at: ZERO3 });
    for (const axis of AXES) if (isAlong(UP[axis], origin(0), feet, origin)) shares[axis] += 1 / looks;
  }
  const axis = AXES.find((other) => shares[other] > Math.max(STANDS, LONGER * shares[given]));
  return axis && { axis, always: shares[axis] > ALWAYS };
}

/** Whether the root is right above or below the middle of the feet. */
function isAlong(up: Vec3, root: Vec3, feet: readonly Foot[], at: (body: number) => Vec3): boolean {
  const middle = scale(1 / feet.length, feet.map(({ body }) => at(body)).reduce(add));
  const above = subtract(root, middle);
  return Math.abs(dot(above, up)) > UPRIGHT * norm(above);
}

// Feet and shapes

/** Heel, ball and tip of the toes of each foot, on the sole. */
function feetOf(skeleton: RestSkeleton): Foot[] {
  const { nodes, size } = skeleton;
  return (['left', 'right'] as const).flatMap((side) => {
    const foot = nodes.findIndex((node) => node.part === 'foot' && node.side === side);
    if (foot < 0) return [];
    const toe = nodes.findIndex((node) => node.part === 'toe' && node.side === side);
    const { forward, down } = footAxes(skeleton, foot);
    const { at } = nodes[foot];
    const length = (DE_LEVA_MALE.foot.length * size.height) / REFERENCE_SIZE.height;
    const sole = PROPORTIONS.ankleHeight * size.height;
    const onSole = (distance: number): Vec3 => add(at, add(scale(distance, forward), scale(sole, down)));
    const point = (body: number, distance: number): Foot['points'][0] => ({
      body,
      at: subtract(onSole(distance), nodes[body].at),
    });
    const tip = (1 - ANKLE_SHARE) * length;
    const ball = toe < 0 ? 0.6 * tip : dot(subtract(nodes[toe].at, at), forward);
    const end = toe < 0 ? tip : Math.max(ball + 0.02 * length, tip);
    return [
      {
        side,
        body: foot,
        points: [point(foot, -ANKLE_SHARE * length), point(foot, ball), point(toe < 0 ? foot : toe, end)],
      },
    ];
  });
}

const SIDE_COLORS: Readonly<Record<Named['side'], Color>> = {
  left: [0.45, 0.58, 0.75, 1],
  right: [0.75, 0.55, 0.45, 1],
  '': [0.5, 0.5, 0.5, 1],
};
/** Of the capsules that a bone is drawn with, as shares of the height. */
const THICKNESS: Partial<Record<string, number>> = {
  pelvis: 0.035,
  spine: 0.045,
  head: 0.035,
  girdle: 0.025,
  upperArm: 0.024,
  forearm: 0.018,
  hand: 0.014,
  finger: 0.006,
  thigh: 0.036,
  shank: 0.026,
  foot: 0.018,
  toe: 0.014,
};

/** Where the bones of each node end: at its children and at its own ends. */
function tipsOf(nodes: readonly RestNode[]): Vec3[][] {
  const tips = nodes.map((): Vec3[] => []);
  for (const { parent, at } of nodes) if (parent >= 0) tips[parent].push(at);
  nodes.forEach(({ ends }, i) => {
    tips[i].push(...ends);
  });
  return tips;
}

function shapes({ at, part, side }: RestNode, tips: readonly Vec3[], size: BodySize): Shape[] {
  const radius = (THICKNESS[part ?? ''] ?? 0.015) * size.height;
  return tips
    .map((tip) => subtract(tip, at))
    .filter((tip) => norm(tip) > 1e-3 * size.height)
    .map((tip) => capsule(ZERO3, tip, radius, SIDE_COLORS[side]));
}
