// What a re-rooting does, worked out before anything is written: the chain of inversion, how far the origins of its bodies move,
// and the joint of the new top body with its coordinates. All refusals are here.

import { type JointTypeName, PARAMETERS } from '../joints/index.js';
import { apply, type Mat3, multiply, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { addCrossMotion, compose, motionToB, setIdentity, TRANSFORM } from '../spatial/spatial.js';
import { MechanismError } from './errors.js';
import { refuseUnequal } from './joint-inversion.js';
import { type Body, type Coupling, GROUND, type Joint } from './mechanism.js';
import type { JointKindSpec } from './spec.js';
import { holds, placeTop, setTopVelocity, type TopPlacement, topKind } from './top-joint.js';
import { canonicalFrame } from './tree.js';

/** Which body hangs from the ground from now on, where, and by which joint (paper 001). */
export interface RerootOptions {
  /** The body that hangs from the ground from now on. */
  readonly top: string;
  /** Where its joint is, ground coordinates. */
  readonly at: Vec3;
  /** Its type, or more than that; axes in ground coordinates (z where left out), fixed in the ground and in the body. */
  readonly joint: JointTypeName | JointKindSpec;
  /**
   * What a joint of that type cannot hold of the pose (errata 001-8): 'refuse' (default), or 'tree', which puts it into the
   * tree transform. Then the way back does not find the old tree transform again.
   */
  readonly pose?: 'refuse' | 'tree';
  /** What it cannot hold of the velocity: 'refuse' (default), or 'drop', which changes the motion. */
  readonly velocity?: 'refuse' | 'drop';
  /** Accelerations of the joints, in the order of v, to be rewritten as well. */
  readonly accelerations?: Float64Array;
}

/** A tree as the plan reads it. */
export interface TreeView {
  readonly bodies: readonly Body[];
  readonly joints: readonly Joint[];
  readonly couplings: readonly Coupling[];
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly a: Float64Array | undefined;
  childrenOf(body: number): readonly number[];
}

export interface RerootPlan {
  /** Bodies from the old top to the new one. */
  readonly chain: readonly number[];
  /** How far the origin of each moves, in its own coordinates. */
  readonly shift: readonly Vec3[];
  /** The new top joint, and its velocities and accelerations. */
  readonly top: TopPlacement;
  readonly v: Float64Array;
  readonly a: Float64Array;
  readonly couplings: readonly Coupling[];
}

export function planReroot(view: TreeView, top: number, options: RerootOptions): RerootPlan {
  const { at } = options;
  const where = `body "${options.top}"`;
  const kind = topKind(typeof options.joint === 'string' ? { type: options.joint } : options.joint, where);
  if (at.length !== 3 || !at.every(Number.isFinite))
    throw MechanismError.of(
      'reroot',
      where,
      `The point of the new joint must be three finite numbers, got ${at.join(', ')}.`,
    );
  const chain = chainTo(view.joints, top);
  for (let i = 1; i < chain.length; i++) refuseUnequal(view.joints[chain[i]]);
  refuseMasslessEnd(view, chain);
  const motion = chainMotion(view, chain);
  const place = placeTop(kind, motion.E, motion.bind, at);
  if (!holds(place.rest) && options.pose !== 'tree')
    throw MechanismError.of(
      'pose',
      where,
      `A ${kind.type} joint cannot hold its orientation: it is turned out of its neutral position in another way (by ${place.rest.toPrecision(3)}). Take a spherical or floating joint, or have the rest put into the tree transform.`,
    );
  const shift: Vec3[] = chain.map((_, i) => (i + 1 < chain.length ? view.joints[chain[i + 1]].t : ZERO3));
  shift[chain.length - 1] = apply(motion.E, subtract(at, motion.origin));
  const v = new Float64Array(6);
  const a = new Float64Array(6);
  setTopMotion(place, motion, shift[chain.length - 1], v, view.a === undefined ? undefined : a, options, where);
  return { chain, shift, top: place, v, a, couplings: couplings(view, chain) };
}

/** Bodies from the one on the ground down to `top`. */
function chainTo(joints: readonly Joint[], top: number): number[] {
  const chain: number[] = [];
  for (let b = top; b !== GROUND; b = joints[b].parent) chain.push(b);
  return chain.reverse();
}

/** Working memory of a walk down the chain; typed arrays are dear to make. */
const scratch = {
  pose: new Float64Array(TRANSFORM),
  X: new Float64Array(TRANSFORM),
  XJ: new Float64Array(TRANSFORM),
  next: new Float64Array(TRANSFORM),
  S: new Float64Array(36),
  p: new Float64Array(PARAMETERS),
  velocity: new Float64Array(6),
  acceleration: new Float64Array(6),
  vJ: new Float64Array(6),
  aJ: new Float64Array(6),
};

interface ChainMotion {
  /** Of the new top body: ground to body coordinates, now and in the bind pose; its origin. */
  readonly E: Mat3;
  readonly bind: Mat3;
  readonly origin: Vec3;
  /** Its spatial velocity and acceleration (gravity not included), body coordinates; good until the next walk. */
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
}

/** Kinematics along the chain: [001] eq. 8, [001] eq. 9, v_i = X_i v_p + S_i qd_i (errata 001-10), and its derivative. */
function chainMotion({ joints, q, v, a: qdd }: TreeView, chain: readonly number[]): ChainMotion {
  const { pose, X, XJ, next, S, p, velocity, acceleration, vJ, aJ } = scratch;
  setIdentity(pose, 0);
  velocity.fill(0);
  acceleration.fill(0);
  let bind: Mat3 | undefined;
  for (const b of chain) {
    const joint = joints[b];
    const { model, iq, iv, E, t } = joint;
    const { E: F, parameters } = canonicalFrame(joint, false);
    p.set(parameters);
    bind = bind === undefined ? E : multiply(E, bind);
    // X = rot(F^T) X_J rot(F) X_T: joints are written about their own z axes.
    X.set(multiply(F, E));
    X.set(t, 9);
    model.transform(XJ, 0, q, iq, p, 0);
    compose(next, 0, XJ, 0, X, 0);
    X.set(next);
    turnBack(X, 0, F);
    compose(next, 0, X, 0, pose, 0);
    pose.set(next);
    model.motionSpace(S, 0, q, iq, p, 0);
    model.bias(aJ, 0, q, iq, v, iv, p, 0);
    vJ.fill(0);
    for (let k = 0; k < model.nv; k++)
      for (let row = 0; row < 6; row++) {
        vJ[row] += S[6 * k + row] * v[iv + k];
        if (qdd !== undefined) aJ[row] += S[6 * k + row] * qdd[iv + k];
      }
    turnVector(vJ, 0, F);
    turnVector(vJ, 3, F);
    turnVector(aJ, 0, F);
    turnVector(aJ, 3, F);
    motionToB(velocity, 0, X, 0, velocity, 0);
    motionToB(acceleration, 0, X, 0, acceleration, 0);
    for (let row = 0; row < 6; row++) {
      velocity[row] += vJ[row];
      acceleration[row] += aJ[row];
    }
    addCrossMotion(acceleration, 0, velocity, 0, vJ, 0);
  }
  return {
    E: Array.from(pose.subarray(0, 9)) as unknown as Mat3,
    bind: bind!,
    origin: [pose[9], pose[10], pose[11]],
    velocity,
    acceleration,
  };
}

/** E <- F^T E. */
function turnBack(X: Float64Array, o: number, F: Mat3): void {
  for (let j = 0; j < 3; j++) {
    const a = X[o + j];
    const b = X[o + 3 + j];
    const c = X[o + 6 + j];
    X[o + j] = F[0] * a + F[3] * b + F[6] * c;
    X[o + 3 + j] = F[1] * a + F[4] * b + F[7] * c;
    X[o + 6 + j] = F[2] * a + F[5] * b + F[8] * c;
  }
}

/** x <- F^T x. */
function turnVector(x: Float64Array, o: number, F: Mat3): void {
  const a = x[o];
  const b = x[o + 1];
  const c = x[o + 2];
  x[o] = F[0] * a + F[3] * b + F[6] * c;
  x[o + 1] = F[1] * a + F[4] * b + F[7] * c;
  x[o + 2] = F[2] * a + F[5] * b + F[8] * c;
}

/** With q' = -q of inverted joints; joints by the bodies that they carry now. */
function couplings({ couplings: old, joints }: TreeView, chain: readonly number[]): readonly Coupling[] {
  if (old.length === 0) return old;
  const place = new Map(chain.map((b, i) => [b, i]));
  const carried = (joint: number): { now: number; sign: 1 | -1 } => {
    const i = place.get(joint);
    if (i === undefined) return { now: joint, sign: 1 };
    if (i === 0)
      throw MechanismError.of(
        'reroot',
        `joint "${joints[joint].name}"`,
        'It would disappear, but is coupled with another joint. Take the coupling away first.',
      );
    return { now: chain[i - 1], sign: -1 };
  };
  return old.map(({ joint, source, multiplier, offset }) => {
    const [follower, leader] = [carried(joint), carried(source)];
    return {
      joint: follower.now,
      source: leader.now,
      multiplier: follower.sign * leader.sign * multiplier,
      offset: follower.sign * offset,
    };
  });
}

/** The old top body, if nothing with mass hangs on it, must not end up on a joint that moves it. */
function refuseMasslessEnd(view: TreeView, chain: readonly number[]): void {
  for (let i = 0; i + 1 < chain.length; i++) {
    const stack = [chain[i]];
    for (let b = stack.pop(); b !== undefined; b = stack.pop()) {
      const { mass, inertia } = view.bodies[b];
      if (mass !== 0 || inertia[0] + inertia[4] + inertia[8] !== 0) return;
      for (const child of view.childrenOf(b)) if (b !== chain[i] || child !== chain[i + 1]) stack.push(child);
    }
    const joint = view.joints[chain[i + 1]];
    if (joint.model.nv === 0 || joint.armature !== 0) continue;
    throw MechanismError.of(
      'massless-leaf',
      `body "${view.bodies[chain[i]].name}"`,
      `It would hang by joint "${joint.name}" at the end of the tree, and neither it nor what it carries has mass. Give it mass, or fix the joint.`,
    );
  }
}

/** v and a of the top joint from the motion of its body at the joint: X = trn(s). */
function setTopMotion(
  place: TopPlacement,
  { velocity, acceleration }: ChainMotion,
  s: Vec3,
  v: Float64Array,
  a: Float64Array | undefined,
  options: RerootOptions,
  where: string,
): void {
  const { X } = scratch;
  setIdentity(X, 0);
  X.set(s, 9);
  motionToB(velocity, 0, X, 0, velocity, 0);
  motionToB(acceleration, 0, X, 0, acceleration, 0);
  const left = setTopVelocity(place, v, a, 0, velocity, acceleration);
  const refuse = (what: string, rest: number, help: string): void => {
    if (holds(rest) || options.velocity === 'drop') return;
    throw MechanismError.of(
      'velocity',
      where,
      `A ${place.kind.type} joint at ${options.at.join(', ')} cannot hold its ${what} (${rest.toPrecision(3)} of it is left). ${help}`,
    );
  };
  refuse(
    'velocity',
    left.velocity,
    'Bring the body to rest there by an impact first, take another joint, or have the rest dropped.',
  );
  refuse('acceleration', left.acceleration, 'Take another joint, or have the rest dropped.');
}
