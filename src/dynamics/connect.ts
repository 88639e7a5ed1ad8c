// Structure that changes while the mechanism moves (paper 000): hold and release. Connecting bodies that move differently is
// a plastic impact in the new joint; releasing changes no velocity.

import { LoopClosing } from '../engines/plain/assembly/closing.js';
import { refuseForeign } from '../engines/plain/refuse.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { JointKindSpec } from '../mechanism/spec.js';
import type { State } from '../mechanism/state.js';
import { carriedOver, withFreedBody, withLoop, withoutLoop } from '../mechanism/structure.js';
import {
  apply,
  IDENTITY3,
  type Mat3,
  quaternionFromRotation,
  subtract,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import { plainDynamics } from './checked-dynamics.js';

/** Frames further apart than this (metres, radians) cannot be connected as they are. */
const MAX_GAP = 1e-6;

/** The joint that `connect` adds between two bodies, or between a body and the ground. */
export interface ConnectOptions {
  readonly name: string;
  readonly a: string;
  /** Null is the ground. */
  readonly b: string | null;
  readonly joint: JointKindSpec;
  /** Where the joint sits on each body; E maps body to frame coordinates. */
  readonly frames?: {
    readonly a?: { readonly E?: Mat3; readonly t?: Vec3 };
    readonly b?: { readonly E?: Mat3; readonly t?: Vec3 };
  };
  /** Or: one point of the ground where both bodies are joined, the joint's axes being those of the ground. */
  readonly at?: Vec3;
}

/** What `connect` makes: the mechanism with the joint, and the state after the impact that closed it. */
export interface Connected {
  readonly mechanism: Mechanism;
  readonly state: State;
  /** [moment, force] times seconds on body b, at its origin, body coordinates (ground coordinates where b is the ground). */
  readonly impulse: Float64Array;
  /** Joules that the plastic impact took. */
  readonly energyLost: number;
}

interface Pose {
  readonly E: Mat3;
  readonly t: Vec3;
}

function poseOf(mechanism: Mechanism, poses: Float64Array, body: string | null): Pose {
  if (body === null) return { E: IDENTITY3, t: ZERO3 };
  const p = 12 * mechanism.bodyIndex(body);
  return {
    E: Array.from(poses.subarray(p, p + 9)) as unknown as Mat3,
    t: Array.from(poses.subarray(p + 9, p + 12)) as unknown as Vec3,
  };
}

/** Joins two bodies, or a body and the ground, as they are; velocities jump by the impulse that the new joint demands. */
export function connect(mechanism: Mechanism, state: State, options: ConnectOptions): Connected {
  const { name, a, b, joint, frames = {}, at } = options;
  const dynamics = plainDynamics(mechanism);
  const poses = dynamics.poses(state);
  const place = (body: string | null, given: Partial<Pose>) => {
    if (at === undefined) return { body, ...given };
    const { E, t } = poseOf(mechanism, poses, body);
    return { body, E: transpose(E), t: apply(E, subtract(at, t)) };
  };
  const next = withLoop(mechanism, { name, ...joint, a: place(a, frames.a ?? {}), b: place(b, frames.b ?? {}) });
  const closing = new LoopClosing(plainDynamics(next).tree);
  const carried = carriedOver(state, next);
  const gap = closing.gap(carried);
  if (gap > MAX_GAP)
    throw MechanismError.of(
      'gap',
      `joint "${name}"`,
      `The bodies cannot be joined as they are: the frames are ${gap.toPrecision(3)} (metres or radians) apart. Move them together, or give "at".`,
    );
  const before = dynamics.energy(state).kinetic;
  const impulses = new Float64Array(6 * next.loops.length);
  closing.hold(carried, impulses);
  return {
    mechanism: next,
    state: carried,
    impulse: impulses.slice(-6),
    energyLost: before - plainDynamics(next).energy(carried).kinetic,
  };
}

/** Takes a joint away: a loop joint, or a joint of the tree, whose body then floats with all that hangs on it. */
export function disconnect(mechanism: Mechanism, state: State, joint: string): { mechanism: Mechanism; state: State } {
  refuseForeign(mechanism, state);
  if (!mechanism.hasJoint(joint)) {
    const next = withoutLoop(mechanism, joint);
    return { mechanism: next, state: carriedOver(state, next) };
  }
  const index = mechanism.jointIndex(joint);
  const dynamics = plainDynamics(mechanism);
  const { E, t } = poseOf(mechanism, dynamics.poses(state), mechanism.bodies[index].name);
  const velocity = dynamics.velocities(state).subarray(6 * index, 6 * index + 6);
  const next = withFreedBody(mechanism, joint);
  const carried = carriedOver(state, next);
  carried.set(joint, [...quaternionFromRotation(transpose(E)), ...t], velocity);
  return { mechanism: next, state: carried };
}
