// Re-rooting ([001], all of section 6 and 7.1): another body hangs from the ground, by a joint of any type at any point,
// and the joints between it and the old top body are read from their other sides. The result is an ordinary mechanism
// with its state, for engines that know only parents and children; the same bodies move in the same way.
//
// Names as in the paper: the chain of inversion goes from the old top body c[0] down to the new one, c[m]. Joint i of the
// chain (i > 0), by which c[i] hung from c[i-1], now carries c[i-1]; it stays where it is. Every body of the chain keeps its
// orientation and gets its origin at the joint that carries it now: it moves by
//   s_i = t of joint i+1 (i < m),   s_m = E_abs (at - origin of the top)       [001] eq. 10, [001] eq. 13, [001] eq. 14
// in body coordinates. What is fixed in such a body then has coordinates x - s_i: centre of mass ([001] eq. 19, [001] eq. 20,
// errata 001-2), shapes, frames, and the tree transforms of the other children ([001] eq. 12, errata 001-1 and 001-3). The
// tree transform of an inverted joint is E' = E^T ([001] eq. 11), t' = -s of the new parent.
//
// Cost of reroot: the chain, the children of its bodies, and the copying of lists (bodies, joints, q, v), which takes 8 bytes a
// body and list and no look at any of them; bodies and joints that did not change are shared with the old mechanism. A
// RerootableMechanism (rerootable.ts) is rewritten in place, without copying: its cost is that of the chain alone.

import { subtract, type Vec3 } from '../spatial/matrix3.js';
import { MechanismError } from './errors.js';
import { invertCoordinates, invertedJoint } from './joint-inversion.js';
import {
  type Body,
  type Frame,
  GROUND,
  type Joint,
  type LoopFrame,
  type LoopJoint,
  Mechanism,
  type Placement,
  type Shape,
} from './mechanism.js';
import { planReroot, type RerootOptions, type RerootPlan } from './reroot-plan.js';
import { belongsTo, State } from './state.js';
import type { TopKind } from './top-joint.js';

export type { RerootOptions } from './reroot-plan.js';

/** The same mechanism in the same state, seen from another root. */
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
  const top = mechanism.bodyIndex(options.top);
  if (!belongsTo(state, mechanism))
    throw MechanismError.of('state', '', `The state does not belong to "${mechanism.name}".`);
  checkLengths(mechanism, state, options.accelerations);
  const view = {
    bodies: mechanism.bodies,
    joints: mechanism.joints,
    couplings: mechanism.couplings,
    q: state.q,
    v: state.v,
    a: options.accelerations,
    childrenOf: (body: number) => mechanism.childrenOf(body),
  };
  const plan = planReroot(view, top, options);
  const slots = slotsFor(mechanism, plan.chain[0], plan.top.kind);
  const bodies = mechanism.bodies.slice();
  const joints = slots.joints.slice();
  const q = slots.q(state.q);
  const v = slots.v(state.v);
  const a = options.accelerations === undefined ? undefined : slots.v(options.accelerations);
  const children = rewrite(bodies, joints, view.childrenOf, plan, q, v, a, slots);
  const next = new Mechanism(
    {
      name: mechanism.name,
      gravity: mechanism.gravity,
      bodies,
      joints,
      loops: mechanism.loops.map((loop) => movedLoop(loop, plan)),
      frames: mechanism.frames.map((frame) => moved<Frame>(frame, plan)),
      couplings: plan.couplings,
      warnings: mechanism.warnings,
    },
    { sameBodies: mechanism, nq: slots.nq, nv: slots.nv, children },
  );
  const result = new State(next, { q, v });
  result.time = state.time;
  return { mechanism: next, state: result, accelerations: a };
}

export function checkLengths(
  { nq, nv, name }: Mechanism,
  { q, v }: { readonly q: Float64Array; readonly v: Float64Array },
  accelerations: Float64Array | undefined,
): void {
  if (q.length !== nq || v.length !== nv)
    throw MechanismError.of('state', '', `The state does not belong to "${name}".`);
  if (accelerations !== undefined && accelerations.length !== nv)
    throw MechanismError.of('length', 'accelerations', `Expected ${nv} numbers, got ${accelerations.length}.`);
}

/** What is fixed in a body of the chain has other coordinates there. */
export function moved<T extends Placement & { readonly body: number }>(placed: T, { chain, shift }: RerootPlan): T {
  const i = chain.indexOf(placed.body);
  return i < 0 ? placed : { ...placed, t: subtract(placed.t, shift[i]) };
}

export function movedLoop(loop: LoopJoint, plan: RerootPlan): LoopJoint {
  return { ...loop, a: moved<LoopFrame>(loop.a, plan), b: moved<LoopFrame>(loop.b, plan) };
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
    const atEnd = iq + old.model.nq === mechanism.nq && iv + old.model.nv === mechanism.nv;
    const last = atEnd || old.model.nq === 0;
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
    q: (x) => without(x, old.iq, old.model.nq, model.nq),
    v: (x) => without(x, old.iv, old.model.nv, model.nv),
  };
}

/** x without `n` numbers from `at` on, with `more` at the end. */
function without(x: Float64Array, at: number, n: number, more: number): Float64Array {
  const out = new Float64Array(x.length - n + more);
  // A joint without coordinates may have its place anywhere.
  if (n === 0) {
    out.set(x);
    return out;
  }
  out.set(x.subarray(0, at));
  out.set(x.subarray(at + n), at);
  return out;
}

/**
 * Carries a plan out on lists that may be changed; `top`: where the coordinates of the new top joint stand in q, v and a. Returns
 * the new lists of children of the chain's bodies.
 */
export function rewrite(
  bodies: Body[],
  joints: Joint[],
  childrenOf: (body: number) => readonly number[],
  plan: RerootPlan,
  q: Float64Array,
  v: Float64Array,
  a: Float64Array | undefined,
  top: { readonly iq: number; readonly iv: number },
): (readonly [number, readonly number[]])[] {
  const { chain, shift } = plan;
  for (let i = 1; i < chain.length; i++) {
    const joint = joints[chain[i]];
    invertCoordinates(joint, q, joint.iq, v, joint.iv, a);
  }
  q.set(plan.top.q, top.iq);
  for (let k = 0; k < plan.top.kind.model.nv; k++) {
    v[top.iv + k] = plan.v[k];
    if (a !== undefined) a[top.iv + k] = plan.a[k];
  }
  const last = chain.length - 1;
  const children = chain.map((b, i) => {
    const others = childrenOf(b).filter((child) => i === last || child !== chain[i + 1]);
    moveOrigin(bodies, joints, b, others, shift[i]);
    return [b, i === 0 ? others : [...others, chain[i - 1]]] as const;
  });
  const { name } = joints[chain[0]];
  // Downwards: each joint is read before the one below is written in its place.
  for (let i = 1; i <= last; i++) {
    const joint = joints[chain[i]];
    const [x, y, z] = shift[i];
    joints[chain[i - 1]] = invertedJoint(joint, chain[i], [0 - x, 0 - y, 0 - z], joint.iq, joint.iv);
  }
  joints[chain[last]] = topJoint(name, plan, top);
  return children;
}

/** The origin of a body moves by s, in its own coordinates; `others`: the children that stay its children. */
function moveOrigin(bodies: Body[], joints: Joint[], b: number, others: readonly number[], s: Vec3): void {
  if (s[0] === 0 && s[1] === 0 && s[2] === 0) return;
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
}

function topJoint(name: string, plan: RerootPlan, { iq, iv }: { readonly iq: number; readonly iv: number }): Joint {
  const { kind, E, t } = plan.top;
  return {
    name,
    parent: GROUND,
    model: kind.model,
    type: kind.type,
    axis: kind.axis,
    axis2: kind.axis2,
    pitch: kind.pitch,
    E,
    t,
    iq,
    iv,
    damping: 0,
    friction: 0,
    armature: 0,
    stiffness: 0,
    rest: 0,
    limits: {},
  };
}
