// The JSON description of a mechanism and its state: shape of the data, and the way from a mechanism to it.
// description-reader.ts goes the other way. The keys are a contract with programs outside; adding some is allowed.

import { type JointTypeName, jointType } from '../joints/index.js';
import {
  type ContactProperties,
  type Coupling,
  type Frame,
  GROUND,
  type Joint,
  type JointKind,
  type JointLimits,
  type LoopFrame,
  type Mechanism,
  type Placement,
  type Shape,
} from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';

/** The types of the format. A continuous joint is a revolute one with a mark. */
export type DescribedType = Exclude<JointTypeName, 'continuous'>;

export interface DescribedKind {
  name?: string;
  type: DescribedType;
  /** A revolute joint that turns without end. */
  continuous?: true;
  axis?: number[];
  axis2?: number[];
  pitch?: number;
}

export interface DescribedJoint extends DescribedKind {
  damping?: number;
  friction?: number;
  armature?: number;
  stiffness?: number;
  rest?: number;
  limits?: { -readonly [key in keyof JointLimits]: JointLimits[key] };
}

export interface DescribedPlacement {
  E: number[];
  t: number[];
}

type Listed<T> = T extends Float64Array ? number[] : T;
type DescribedOf<G> = G extends unknown ? { [K in keyof Omit<G, 'data'>]: Listed<G[K & keyof G]> } : never;

/** Points and heights as lists; what was read from the file of a mesh stays there. */
export type DescribedGeometry = DescribedOf<Shape['geometry']>;

export interface DescribedShape extends DescribedPlacement, ContactProperties {
  name?: string;
  geometry: DescribedGeometry;
  color?: number[];
}

export interface DescribedBody extends DescribedPlacement {
  name: string;
  parent: string | null;
  joint: DescribedJoint;
  mass: number;
  com: number[];
  inertia: number[];
  visuals?: DescribedShape[];
  collisions?: DescribedShape[];
}

export interface DescribedLoop {
  name: string;
  joint: DescribedKind;
  a: DescribedPlacement & { body: string | null };
  b: DescribedPlacement & { body: string | null };
}

/** Coordinates of one joint: a number where it has one of them, else a list. */
export interface DescribedCoordinates {
  q: number | number[];
  qd: number | number[];
}

/** The JSON description format: a mechanism, and its state where there is one. */
export interface Description {
  name: string;
  gravity: number[];
  bodies: DescribedBody[];
  loops?: DescribedLoop[];
  frames?: (DescribedPlacement & { name: string; body: string })[];
  couplings?: { joint: string; source: string; multiplier: number; offset: number }[];
  time?: number;
  /** By name of the body that the joint carries; without fixed joints. */
  state?: { [body: string]: DescribedCoordinates };
}

/** The mechanism as plain data, with its state if one is given. Parts that are empty or zero by default are left out. */
export function formatDescription(mechanism: Mechanism, state?: State): Description {
  const { name, gravity, bodies, joints, loops, frames, couplings } = mechanism;
  const bodyName = (index: number): string | null => (index === GROUND ? null : bodies[index].name);
  const loopEnd = (end: LoopFrame) => ({ body: bodyName(end.body), ...placement(end) });
  return {
    name,
    gravity: [...gravity],
    bodies: bodies.map((body, i) => ({
      name: body.name,
      parent: bodyName(joints[i].parent),
      joint: describeJoint(joints[i]),
      ...placement(joints[i]),
      mass: body.mass,
      com: [...body.com],
      inertia: [...body.inertia],
      ...(body.visuals.length > 0 && { visuals: body.visuals.map(describeShape) }),
      ...(body.collisions.length > 0 && { collisions: body.collisions.map(describeShape) }),
    })),
    ...(loops.length > 0 && {
      loops: loops.map((loop) => ({
        name: loop.name,
        joint: describeKind(loop),
        a: loopEnd(loop.a),
        b: loopEnd(loop.b),
      })),
    }),
    ...(frames.length > 0 && {
      frames: frames.map((frame: Frame) => ({ name: frame.name, body: bodies[frame.body].name, ...placement(frame) })),
    }),
    ...(couplings.length > 0 && {
      couplings: couplings.map(({ joint, source, multiplier, offset }: Coupling) => ({
        joint: joints[joint].name,
        source: joints[source].name,
        multiplier,
        offset,
      })),
    }),
    ...(state !== undefined && state.time !== 0 && { time: state.time }),
    ...(state !== undefined && { state: describeState(state) }),
  };
}

export function describedType(type: JointTypeName): DescribedType {
  return type === 'continuous' ? 'revolute' : type;
}

function placement({ E, t }: Placement): DescribedPlacement {
  return { E: [...E], t: [...t] };
}

function describeKind({ type, axis, axis2, pitch }: JointKind): DescribedKind {
  const { axes } = jointType(type);
  return {
    type: describedType(type),
    ...(type === 'continuous' && { continuous: true as const }),
    ...(axes >= 1 && { axis: [...axis] }),
    ...(axes === 2 && { axis2: [...axis2] }),
    ...(type === 'helical' && { pitch }),
  };
}

function describeJoint(joint: Joint): DescribedJoint {
  // JSON has no infinity; a limit that is infinite is none.
  const limits = Object.entries(joint.limits).filter(([, value]) => Number.isFinite(value));
  const amounts = (['damping', 'friction', 'armature', 'stiffness', 'rest'] as const).filter((key) => joint[key] !== 0);
  return {
    name: joint.name,
    ...describeKind(joint),
    ...Object.fromEntries(amounts.map((key) => [key, joint[key]])),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}

/** What a shape may say about contact. */
export const CONTACT_KEYS = [
  'friction',
  'restitution',
  'rollingFriction',
  'torsionalFriction',
  'compliance',
  'relaxation',
  'group',
  'mask',
] as const satisfies readonly (keyof ContactProperties)[];

function describeShape(shape: Shape): DescribedShape {
  const { name, geometry, color } = shape;
  const said = CONTACT_KEYS.filter((key) => shape[key] !== undefined);
  return {
    ...(name !== undefined && { name }),
    geometry: describeGeometry(geometry),
    ...placement(shape),
    ...(color !== undefined && { color: [...color] }),
    ...(shape.combine !== undefined && { combine: shape.combine }),
    ...Object.fromEntries(said.map((key) => [key, shape[key]])),
  };
}

/** A copy that shares no list with the original, which must not change. */
function describeGeometry(geometry: Shape['geometry']): DescribedGeometry {
  const entries = Object.entries(geometry)
    .filter(([key]) => key !== 'data')
    .map(([key, value]) => [key, typeof value === 'object' ? Array.from(value as ArrayLike<number>) : value]);
  return Object.fromEntries(entries);
}

function describeState({ mechanism, q, v }: State): { [body: string]: DescribedCoordinates } {
  // Without a prototype: the keys are names that a stranger chose, and "__proto__" is one like any other.
  const described: { [body: string]: DescribedCoordinates } = Object.create(null);
  mechanism.joints.forEach(({ model, iq, iv }, i) => {
    if (model.nv === 0) return;
    described[mechanism.bodies[i].name] = {
      q: model.nq === 1 ? q[iq] : [...q.subarray(iq, iq + model.nq)],
      qd: model.nv === 1 ? v[iv] : [...v.subarray(iv, iv + model.nv)],
    };
  });
  return described;
}
