// The plain data that a mechanism is made from: what the builder collects and what every file format produces.

import type { JointTypeName } from '../joints/index.js';
import type { Mat3, Vec3 } from '../spatial/matrix3.js';
import type { JointLimits, Shape } from './mechanism.js';

/** A body as `createMechanism` takes it. */
export interface BodySpec {
  readonly name: string;
  readonly mass?: number;
  readonly com?: Vec3;
  /** About the centre of mass, body frame. */
  readonly inertia?: Mat3;
  readonly visuals?: readonly Shape[];
  readonly collisions?: readonly Shape[];
}

/** What kind of joint: its type, its axes, its pitch. */
export interface JointKindSpec {
  readonly type: JointTypeName;
  /** Any length but zero; z where left out. */
  readonly axis?: Vec3;
  /** Universal joints; y where left out. */
  readonly axis2?: Vec3;
  readonly pitch?: number;
}

/** A joint as `createMechanism` takes it: what it joins, where, and its parameters. */
export interface JointSpec extends JointKindSpec {
  readonly name: string;
  /** Name of the parent body; null is the ground. */
  readonly parent: string | null;
  readonly child: string;
  /** Tree transform rot(E) trn(t) ([001] eq. 5): E maps parent to tree frame, t is its origin in parent coordinates. */
  readonly E?: Mat3;
  readonly t?: Vec3;
  readonly damping?: number;
  readonly friction?: number;
  readonly armature?: number;
  readonly stiffness?: number;
  readonly rest?: number;
  readonly limits?: JointLimits;
}

export interface LoopFrameSpec {
  readonly body: string | null;
  readonly E?: Mat3;
  readonly t?: Vec3;
}

/** A joint that closes a loop between two frames. */
export interface LoopSpec extends JointKindSpec {
  readonly name: string;
  readonly a: LoopFrameSpec;
  readonly b: LoopFrameSpec;
}

/** A named frame on a body: a hand, a camera, a marker. */
export interface FrameSpec {
  readonly name: string;
  readonly body: string;
  readonly E?: Mat3;
  readonly t?: Vec3;
}

/** A joint that follows another: q = multiplier * q(source) + offset. */
export interface CouplingSpec {
  readonly joint: string;
  readonly source: string;
  readonly multiplier?: number;
  readonly offset?: number;
}

/** A mechanism as plain data, for `createMechanism`. */
export interface MechanismSpec {
  readonly name?: string;
  /** [0, 0, -9.81] where left out. */
  readonly gravity?: Vec3;
  readonly bodies: readonly BodySpec[];
  readonly joints: readonly JointSpec[];
  readonly loops?: readonly LoopSpec[];
  readonly frames?: readonly FrameSpec[];
  readonly couplings?: readonly CouplingSpec[];
}
