// Re-rooting ([001], all of section 6 and 7.1): another body hangs from the ground, by a joint of any type at any point,
// and the joints between it and the old top body are read from their other sides. The result is an ordinary mechanism
// with its state, for engines that know only parents and children; the same bodies move in the same way.
//
// Names as in the paper: the chain of inversion goes from the old top body c[0] down to the new one, c[m]. Joint i of the
// chain (i > 0), by which c[i] hung from c[i-1], now carries c[i-1]; it stays where it is. Every body of the chain keeps its
// orientation and gets its origin at the joint that carries it now: it moves by
//   s_i = t of joint i+1 (i < m),   s_m = E_abs (at - origin of the top)       [001] eq. 10, 13, 14
// in body coordinates. What is fixed in such a body then has coordinates x - s_i: centre of mass (eq. 19, 20 as corrected by
// errata 001-2), shapes, frames, and the tree transforms of the other children (eq. 12, errata 001-1 and 001-3). The tree
// transform of an inverted joint is E' = E^T, t' = -s of the new parent.
//
// Cost: the chain, the children of its bodies, and the copying of lists (bodies, joints, children, q, v), which takes 8 bytes
// a body and list and no look at any of them. All bodies and joints that did not change are shared with the old mechanism.

import { type JointTypeName, PARAMETERS } from '../joints/index.js';
import { apply, type Mat3, multiply, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { addCrossMotion, compose, motionToB, setIdentity, TRANSFORM } from '../spatial/spatial.js';
import { MechanismError } from './errors.js';
import { invertCoordinates, invertedJoint } from './joint-inversion.js';
import {
  type Body,
  type Coupling,
  GROUND,
  type Joint,
  type LoopFrame,
  Mechanism,
  type Placement,
  type Shape,
} from './mechanism.js';
import type { JointKindSpec } from './spec.js';
import { State } from './state.js';
import { holds, placeTop, setTopVelocity, type TopKind, type TopPlacement, topKind } from './top-joint.js';
import { canonicalFrame } from './tree.js';

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

export interface Rerooted {
  readonly mechanism: Mechanism;
  readonly state: State;
  /** Where they were given. */
  readonly accelerations: Float64Array | undefined;
}

/**
 * The same mechanism in the same state with `top` hanging from the ground. Joints keep their names and the places of their
 * coordinates in q and v; the new joint takes name and place of the one that disappears, or the end of q and v where its
 * numbers are not as many.
 */
export function reroot(mechanism: Mechanism, state: State, options: RerootOptions): Rerooted {
  const { at } = options;
  const where = `body "${options.top}"`;
  const top = mechanism.bodyIndex(options.top);
  const given = typeof options.joint === 'string' ? { type: options.joint } : options.joint;
  const kind = topKind(given, where);
  check(mechanism, state, at, options.accelerations, where);
  const chain = chainTo(mechanism, top);
  const motion = chainMotion(mechanism, chain, state, options.accelerations);
  const place = placeTop(kind, motion.E, motion.bind, at);
  if (!holds(place.rest) && options.pose !== 'tree')
    throw MechanismError.of(
      'pose',
      where,
      `A ${kind.type} joint cannot hold its orientation: it is turned out of its neutral position in another way (by ${place.rest.toPrecision(3)}). Take a spherical or floating joint, or have the rest put into the tree transform.`,
    );
  const shift: Vec3[] = chain.map((_, i) => (i + 1 < chain.length ? mechanism.joints[chain[i + 1]].t : ZERO3));
  shift[chain.length - 1] = apply(motion.E, subtract(at, motion.origin));
  refuseMasslessEnd(mechanism, chain);

  const slots = slotsFor(mechanism, chain[0], kind);
  const bodies = mechanism.bodies.slice();
  const joints = slots.joints.slice();
  const children = rewriteBodies(mechanism, bodies, joints, chain, shift);
  rewriteJoints(mechanism, joints, chain, shift, { ...place, iq: slots.iq, iv: slots.iv });

  const moved = <T extends Placement & { readonly body: number }>(placed: T): T => {
    const i = chain.indexOf(placed.body);
    return i < 0 ? placed : { ...placed, t: subtract(placed.t, shift[i]) };
  };
  const next = new Mechanism(
    {
      name: mechanism.name,
      gravity: mechanism.gravity,
      bodies,
      joints,
      loops: mechanism.loops.map((loop) => ({ ...loop, a: moved<LoopFrame>(loop.a), b: moved<LoopFrame>(loop.b) })),
      frames: mechanism.frames.map(moved),
      couplings: couplings(mechanism, chain),
      warnings: mechanism.warnings,
    },
    { sameBodies: mechanism, nq: slots.nq, nv: slots.nv, children },
  );

  const q = slots.q(state.q);
  const v = slots.v(state.v);
  const a = options.accelerations === undefined ? undefined : slots.v(options.accelerations);
  for (let i = 1; i < chain.length; i++) {
    const { iq, iv } = joints[chain[i - 1]];
    invertCoordinates(mechanism.joints[chain[i]], q, iq, v, iv, a);
  }
  q.set(place.q, slots.iq);
  setTopMotion(place, motion, shift[chain.length - 1], v, a, slots.iv, options, where);
  const result = new State(next, { q, v });
  result.time = state.time;
  return { mechanism: next, state: result, accelerations: a };
}

function check(
  mechanism: Mechanism,
  { q, v }: State,
  at: Vec3,
  accelerations: Float64Array | undefined,
  where: string,
): void {
  const { nq, nv, name } = mechanism;
  if (at.length !== 3 || !at.every(Number.isFinite))
    throw MechanismError.of(
      'reroot',
      where,
      `The point of the new joint must be three finite numbers, got ${at.join(', ')}.`,
    );
  if (q.length !== nq || v.length !== nv)
    throw MechanismError.of('state', '', `The state does not belong to "${name}".`);
  if (accelerations !== undefined && accelerations.length !== nv)
    throw MechanismError.of('length', 'accelerations', `Expected ${nv} numbers, got ${accelerations.length}.`);
}

/** Bodies from the one on the ground down to `top`. */
function chainTo({ joints }: Mechanism, top: number): number[] {
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

/** Kinematics along the chain: [001] eq. 8 and 9, v_i = X_i v_p + S_i qd_i (errata 001-10), and its derivative. */
function chainMotion(
  { joints }: Mechanism,
  chain: readonly number[],
  { q, v }: State,
  qdd: Float64Array | undefined,
): ChainMotion {
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

/** Where the coordinates are: joints with the places of the result, and copies of q and v in that order. */
interface Slots {
  readonly joints: readonly Joint[];
  /** Of the top joint. */
  readonly iq: number;
  readonly iv: number;
  readonly nq: number;
  readonly nv: number;
  q(old: Float64Array): Float64Array;
  v(old: Float64Array): Float64Array;
}

/** Joints of a mechanism with the coordinates of the given one, which disappear, taken out of the count. */
const WITHOUT = new WeakMap<Mechanism, Map<number, readonly Joint[]>>();

function slotsFor(mechanism: Mechanism, oldTop: number, { model }: TopKind): Slots {
  const old = mechanism.joints[oldTop];
  if (old.model.nq === model.nq && old.model.nv === model.nv) {
    const copy = (x: Float64Array): Float64Array => x.slice();
    return { joints: mechanism.joints, iq: old.iq, iv: old.iv, nq: mechanism.nq, nv: mechanism.nv, q: copy, v: copy };
  }
  let byTop = WITHOUT.get(mechanism);
  if (byTop === undefined) {
    byTop = new Map();
    WITHOUT.set(mechanism, byTop);
  }
  let joints = byTop.get(oldTop);
  if (joints === undefined) {
    const { iq, iv } = old;
    const last = iq + old.model.nq === mechanism.nq && iv + old.model.nv === mechanism.nv;
    joints = last
      ? mechanism.joints
      : mechanism.joints.map((joint) => ({
          ...joint,
          iq: joint.iq > iq ? joint.iq - old.model.nq : joint.iq,
          iv: joint.iv > iv ? joint.iv - old.model.nv : joint.iv,
        }));
    byTop.set(oldTop, joints);
  }
  const iq = mechanism.nq - old.model.nq;
  const iv = mechanism.nv - old.model.nv;
  return {
    joints,
    iq,
    iv,
    nq: iq + model.nq,
    nv: iv + model.nv,
    q: (x) => moved(x, old.iq, old.model.nq, model.nq),
    v: (x) => moved(x, old.iv, old.model.nv, model.nv),
  };
}

/** x without `n` numbers from `at` on, with `more` at the end. */
function moved(x: Float64Array, at: number, n: number, more: number): Float64Array {
  const out = new Float64Array(x.length - n + more);
  out.set(x.subarray(0, at));
  out.set(x.subarray(at + n), at);
  return out;
}

/** Bodies of the chain with their new origins, and the joints of their other children; returns the new lists of children. */
function rewriteBodies(
  mechanism: Mechanism,
  bodies: Body[],
  joints: Joint[],
  chain: readonly number[],
  shift: readonly Vec3[],
): (readonly [number, readonly number[]])[] {
  const last = chain.length - 1;
  return chain.map((b, i) => {
    const s = shift[i];
    const stays = s[0] === 0 && s[1] === 0 && s[2] === 0;
    const others = mechanism.childrenOf(b).filter((child) => i === last || child !== chain[i + 1]);
    const children = [b, i === 0 ? others : [...others, chain[i - 1]]] as const;
    if (stays) return children;
    const body = bodies[b];
    const place = (shape: Shape): Shape => ({ ...shape, t: subtract(shape.t, s) });
    bodies[b] = {
      name: body.name,
      mass: body.mass,
      com: subtract(body.com, s),
      inertia: body.inertia,
      visuals: body.visuals.length === 0 ? body.visuals : body.visuals.map(place),
      collisions: body.collisions.length === 0 ? body.collisions : body.collisions.map(place),
    };
    for (const child of others) joints[child] = { ...joints[child], t: subtract(joints[child].t, s) };
    return children;
  });
}

function rewriteJoints(
  mechanism: Mechanism,
  joints: Joint[],
  chain: readonly number[],
  shift: readonly Vec3[],
  top: { readonly kind: TopKind; readonly E: Mat3; readonly t: Vec3; readonly iq: number; readonly iv: number },
): void {
  const last = chain.length - 1;
  // Upwards: a joint gives the places of its coordinates to the body above before it gets those of the joint below.
  let { iq, iv } = joints[chain[last]];
  for (let i = last; i > 0; i--) {
    const above = joints[chain[i - 1]];
    const { iq: nextQ, iv: nextV } = above;
    const [x, y, z] = shift[i];
    joints[chain[i - 1]] = invertedJoint(mechanism.joints[chain[i]], chain[i], [0 - x, 0 - y, 0 - z], iq, iv);
    iq = nextQ;
    iv = nextV;
  }
  const { kind } = top;
  joints[chain[last]] = {
    name: mechanism.joints[chain[0]].name,
    parent: GROUND,
    model: kind.model,
    type: kind.type,
    axis: kind.axis,
    axis2: kind.axis2,
    pitch: kind.pitch,
    E: top.E,
    t: top.t,
    iq: top.iq,
    iv: top.iv,
    damping: 0,
    friction: 0,
    armature: 0,
    stiffness: 0,
    rest: 0,
    limits: {},
  };
}

/** With q' = -q of inverted joints; joints by the bodies that they carry now. */
function couplings({ couplings: old, joints }: Mechanism, chain: readonly number[]): readonly Coupling[] {
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
function refuseMasslessEnd(mechanism: Mechanism, chain: readonly number[]): void {
  for (let i = 0; i + 1 < chain.length; i++) {
    const stack = [chain[i]];
    for (let b = stack.pop(); b !== undefined; b = stack.pop()) {
      const { mass, inertia } = mechanism.bodies[b];
      if (mass !== 0 || inertia[0] + inertia[4] + inertia[8] !== 0) return;
      for (const child of mechanism.childrenOf(b)) if (b !== chain[i] || child !== chain[i + 1]) stack.push(child);
    }
    const joint = mechanism.joints[chain[i + 1]];
    if (joint.model.nv === 0 || joint.armature !== 0) continue;
    throw MechanismError.of(
      'massless-leaf',
      `body "${mechanism.bodies[chain[i]].name}"`,
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
  iv: number,
  options: RerootOptions,
  where: string,
): void {
  const { X } = scratch;
  setIdentity(X, 0);
  X.set(s, 9);
  motionToB(velocity, 0, X, 0, velocity, 0);
  motionToB(acceleration, 0, X, 0, acceleration, 0);
  const refuse = (what: string, rest: number, help: string): void => {
    if (holds(rest) || options.velocity === 'drop') return;
    const type = typeof options.joint === 'string' ? options.joint : options.joint.type;
    throw MechanismError.of(
      'velocity',
      where,
      `A ${type} joint at ${options.at.join(', ')} cannot hold its ${what} (${rest.toPrecision(3)} of it is left). ${help}`,
    );
  };
  const left = setTopVelocity(place, v, a, iv, velocity, acceleration);
  refuse(
    'velocity',
    left.velocity,
    'Bring the body to rest there by an impact first, take another joint, or have the rest dropped.',
  );
  refuse('acceleration', left.acceleration, 'Take another joint, or have the rest dropped.');
}
