// What the author said: bodies, joints, loops, with names; plain data that never changes.

import type { JointType, JointTypeName } from '../joints/index.js';
import { IDENTITY3, type Mat3, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { MechanismError, type Problem } from './errors.js';
import { nearNames } from './near-names.js';

/** Index that stands for the ground where a body is expected. */
export const GROUND = -1;

/** A rigid placement: E maps coordinates of the carrying frame to the placed frame, t is its origin in the carrying frame. */
export interface Placement {
  readonly E: Mat3;
  readonly t: Vec3;
}

/**
 * Shapes stand about the origin of their frame. Cylinders, capsules and cones lie along z, centred at half their length; the
 * length of a capsule is that of its straight part, without the caps; a cone has its base at z = -length / 2 and its tip at
 * z = +length / 2. A plane is z = 0, unbounded, solid below.
 */
export type Geometry =
  | { readonly kind: 'plane' }
  | { readonly kind: 'box'; readonly size: Vec3 }
  | { readonly kind: 'cylinder'; readonly radius: number; readonly length: number }
  | { readonly kind: 'capsule'; readonly radius: number; readonly length: number }
  | { readonly kind: 'sphere'; readonly radius: number }
  | { readonly kind: 'ellipsoid'; readonly radii: Vec3 }
  | { readonly kind: 'cone'; readonly radius: number; readonly length: number }
  /** The convex hull of points: x, y, z of each. */
  | { readonly kind: 'hull'; readonly points: Float64Array }
  | HeightField
  /** `data` is there once its file was read: points with the scale in them, three indices for each triangle, counter-clockwise. */
  | { readonly kind: 'mesh'; readonly path: string; readonly scale: Vec3; readonly data?: MeshData };

/**
 * Heights over a grid, solid below. Row r and column c stand at x = (c / (columns - 1) - 1/2) size[0],
 * y = (r / (rows - 1) - 1/2) size[1], z = heights[r columns + c]. The diagonal from (r, c) to (r + 1, c + 1) cuts each cell.
 */
export interface HeightField {
  readonly kind: 'heights';
  readonly rows: number;
  readonly columns: number;
  /** Along x and along y. */
  readonly size: readonly [number, number];
  readonly heights: Float64Array;
}

/** Points (three numbers each) and triangles (three indices each) of a mesh. */
export interface MeshData {
  readonly points: Float64Array;
  readonly triangles: Uint32Array;
}

/** How a shape behaves in contact. Data only, like the shape. */
export interface ContactProperties {
  /** Coulomb's coefficient; 1 where left out. */
  readonly friction?: number;
  /** Speed after over speed before; 0 where left out. */
  readonly restitution?: number;
  /** Moment against rolling over normal force, metres; 0 where left out. Of two shapes the larger counts. */
  readonly rollingFriction?: number;
  /** Moment about the normal over normal force, metres; 0 where left out. Of two shapes the larger counts. */
  readonly torsionalFriction?: number;
  /** Metres that a contact point gives way for each newton along its normal; 0 where left out: rigid. Those of two shapes are added. */
  readonly compliance?: number;
  /** Of what gives way: the time in which it does, damping over stiffness, seconds; 0 where left out. */
  readonly relaxation?: number;
  /**
   * Which of two coefficients of friction counts: the smaller one, unless one of the two shapes says 'larger', as those of MJCF
   * do. 'smaller' where left out.
   */
  readonly combine?: 'smaller' | 'larger';
  /**
   * Bits. Two shapes can touch where a bit of the group of one is in the mask of the other (either way: contype and
   * conaffinity of MJCF). Group 1 and mask 0xffffffff where left out: with everything.
   */
  readonly group?: number;
  readonly mask?: number;
}

/** A shape on a body, for drawing or for contact. Data only: no algorithm of the dynamics reads it. */
export interface Shape extends Placement, ContactProperties {
  readonly name?: string;
  readonly geometry: Geometry;
  /** Red, green, blue, opacity, each from 0 to 1. */
  readonly color?: readonly [number, number, number, number];
}

/** A rigid body of a mechanism. */
export interface Body {
  readonly name: string;
  readonly mass: number;
  /** Centre of mass, body frame. */
  readonly com: Vec3;
  /** Rotational inertia about the centre of mass, body frame. */
  readonly inertia: Mat3;
  readonly visuals: readonly Shape[];
  readonly collisions: readonly Shape[];
}

/** Limits of a joint: positions, force, velocity. Data for controllers; forward dynamics does not stop at them. */
export interface JointLimits {
  readonly lower?: number;
  readonly upper?: number;
  readonly effort?: number;
  readonly velocity?: number;
}

/** What kind of joint, as the author gives it; axes are unit vectors in tree-frame coordinates. */
export interface JointKind {
  readonly type: JointTypeName;
  readonly axis: Vec3;
  readonly axis2: Vec3;
  /** Metres per radian, helical joints. */
  readonly pitch: number;
}

/** Joint i carries body i. */
export interface Joint extends JointKind, Placement {
  readonly name: string;
  /** Index of the parent body, or GROUND. */
  readonly parent: number;
  readonly model: JointType;
  /** Where its coordinates stand in q and in v: in the order of the joints, unless the mechanism was re-rooted. */
  readonly iq: number;
  readonly iv: number;
  /** Viscous: force = -damping v, each degree of freedom. */
  readonly damping: number;
  /** Coulomb: force of this size against the motion. */
  readonly friction: number;
  /** Rotor inertia added to the joint's own diagonal of the mass matrix. */
  readonly armature: number;
  /** Spring: force = -stiffness (q - rest); joints of one degree of freedom. */
  readonly stiffness: number;
  readonly rest: number;
  readonly limits: JointLimits;
}

/** Where a joint's numbers stand in an array: from, and the first behind them. */
export type Range = readonly [from: number, to: number];

/** A joint with its places: state.q.subarray(...joint.q) are its positions, tau.subarray(...joint.v) its forces. */
export interface PlacedJoint extends Joint {
  /** Of the joint, and of the body it carries. */
  readonly index: number;
  /** In q. */
  readonly q: Range;
  /** In v, and in every array that has a number for each degree of freedom. */
  readonly v: Range;
}

/** A joint between two bodies of the tree: frame b moves against frame a as the joint allows. */
export interface LoopJoint extends JointKind {
  readonly name: string;
  readonly a: LoopFrame;
  readonly b: LoopFrame;
}

export interface LoopFrame extends Placement {
  /** Index of a body, or GROUND. */
  readonly body: number;
}

/** A named frame on a body. */
export interface Frame extends Placement {
  readonly name: string;
  readonly body: number;
}

/** q[joint] = multiplier q[source] + offset: a mimic joint. Sources are independent joints. */
export interface Coupling {
  readonly joint: number;
  readonly source: number;
  readonly multiplier: number;
  readonly offset: number;
}

export interface MechanismParts {
  readonly name: string;
  readonly gravity: Vec3;
  readonly bodies: readonly Body[];
  readonly joints: readonly Joint[];
  readonly loops: readonly LoopJoint[];
  readonly frames: readonly Frame[];
  readonly couplings: readonly Coupling[];
  readonly warnings: readonly Problem[];
}

interface KnownOfMechanism {
  /** Its bodies have the same names and numbers: the index of names is shared. */
  readonly sameBodies: Mechanism;
  /** Sums over all joints. */
  readonly nq: number;
  readonly nv: number;
  /** Children of the bodies that have others than there. */
  readonly children: readonly (readonly [number, readonly number[]])[];
}

/** Lists of children: those of another mechanism, and those that are different here. */
interface Children {
  readonly base: readonly (readonly number[])[];
  readonly changed: ReadonlyMap<number, readonly number[]>;
}

function allChildren({ bodies, joints }: Mechanism): Children {
  const base = bodies.map((): number[] => []);
  joints.forEach(({ parent }, b) => {
    if (parent !== GROUND) base[parent].push(b);
  });
  return { base, changed: new Map() };
}

/** More differences than this are not carried on: the lists are then made anew when somebody asks for them. */
const MAX_CHANGED = 500;

function withChildren(old: Children | undefined, more: KnownOfMechanism['children']): Children | undefined {
  if (old === undefined || old.changed.size + more.length > MAX_CHANGED) return undefined;
  const changed = new Map(old.changed);
  for (const [body, children] of more) changed.set(body, children);
  return { base: old.base, changed };
}

/** An immutable mechanism. Made by createMechanism or MechanismBuilder, which check it. */
export class Mechanism {
  readonly name: string;
  readonly gravity: Vec3;
  readonly bodies: readonly Body[];
  /** joints[i] carries bodies[i]. */
  readonly joints: readonly Joint[];
  readonly loops: readonly LoopJoint[];
  readonly frames: readonly Frame[];
  readonly couplings: readonly Coupling[];
  /** What was noticed and let pass. */
  readonly warnings: readonly Problem[];
  /** Numbers in q. */
  readonly nq: number;
  /** Numbers in v. */
  readonly nv: number;
  readonly #bodyIndex: ReadonlyMap<string, number>;
  /** Made when it is first asked for. */
  #jointIndex: ReadonlyMap<string, number> | undefined;
  #frameIndex: ReadonlyMap<string, number> | undefined;
  #children: Children | undefined;

  /** `known` spares the walk over all bodies where a mechanism is made from another one. */
  constructor(parts: MechanismParts, known?: KnownOfMechanism) {
    this.name = parts.name;
    this.gravity = parts.gravity;
    this.bodies = parts.bodies;
    this.joints = parts.joints;
    this.loops = parts.loops;
    this.frames = parts.frames;
    this.couplings = parts.couplings;
    this.warnings = parts.warnings;
    if (known !== undefined) {
      this.nq = known.nq;
      this.nv = known.nv;
      this.#bodyIndex = known.sameBodies.#bodyIndex;
      this.#children = withChildren(known.sameBodies.#children, known.children);
      return;
    }
    let nq = 0;
    let nv = 0;
    for (const { model } of parts.joints) {
      nq += model.nq;
      nv += model.nv;
    }
    this.nq = nq;
    this.nv = nv;
    this.#bodyIndex = new Map(parts.bodies.map((body, i) => [body.name, i]));
  }

  get #joints(): ReadonlyMap<string, number> {
    this.#jointIndex ??= new Map(this.joints.map((joint, i) => [joint.name, i]));
    return this.#jointIndex;
  }

  /** The bodies that hang from a body. */
  childrenOf(body: number): readonly number[] {
    this.#children ??= allChildren(this);
    return this.#children.changed.get(body) ?? this.#children.base[body];
  }

  get #frames(): ReadonlyMap<string, number> {
    this.#frameIndex ??= new Map(this.frames.map((frame, i) => [frame.name, i]));
    return this.#frameIndex;
  }

  /** The body of that name; an error that suggests near names where there is none. */
  body(name: string): Body {
    return this.bodies[this.bodyIndex(name)];
  }

  /** The joint of that name, with the places of its numbers in q and v. */
  joint(name: string): PlacedJoint {
    const index = this.jointIndex(name);
    const joint = this.joints[index];
    const { iq, iv, model } = joint;
    return { ...joint, index, q: [iq, iq + model.nq], v: [iv, iv + model.nv] };
  }

  /**
   * The frame of that name: a named frame on a body, or the own frame of the body of that name (which comes first where
   * both exist).
   */
  frame(name: string): Frame {
    const body = this.#bodyIndex.get(name);
    if (body !== undefined) return { name, body, E: IDENTITY3, t: ZERO3 };
    const frame = this.#frames.get(name);
    if (frame !== undefined) return this.frames[frame];
    const known = [...this.#bodyIndex.keys(), ...this.#frames.keys()];
    throw MechanismError.of('unknown-frame', '', `There is no body or frame "${name}". ${nearNames(name, known)}`);
  }

  /** Index of the body of that name; an error that suggests near names where there is none. */
  bodyIndex(name: string): number {
    return find(this.#bodyIndex, name, 'body');
  }

  /** Index of the joint of that name (the same as that of the body it carries). */
  jointIndex(name: string): number {
    return find(this.#joints, name, 'joint');
  }

  /** Whether there is a body of that name. */
  hasBody(name: string): boolean {
    return this.#bodyIndex.has(name);
  }

  /** Whether there is a joint of that name. */
  hasJoint(name: string): boolean {
    return this.#joints.has(name);
  }
}

function find(index: ReadonlyMap<string, number>, name: string, what: string): number {
  const found = index.get(name);
  if (found !== undefined) return found;
  throw MechanismError.of(
    `unknown-${what}`,
    '',
    `There is no ${what} "${name}". ${nearNames(name, [...index.keys()])}`,
  );
}
