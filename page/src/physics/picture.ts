// What the page draws of a world: its structure, and where everything is.

import type { State, Vec3 } from 'manikin';
import type { Member, World } from 'manikin/world';
import { dynamicsOf } from './dynamics-of.js';
import { jointKey, type Marks } from './hands.js';
import type { Frame, JointForce, JointView, MemberView } from './protocol.js';

/** The joint whose force is shown. */
export interface Watched {
  readonly member: number;
  readonly joint: string;
}

/** The structure of member number m. */
export function memberView({ name, state: { mechanism } }: Member, m: number, { locked, targets }: Marks): MemberView {
  return {
    name,
    bodies: mechanism.bodies.map(({ name: body, mass, com, visuals, collisions }) => ({
      name: body,
      mass,
      com,
      visuals,
      collisions,
    })),
    joints: mechanism.joints.map(({ name: joint, parent, t, E, axis, type, limits, model, iq, iv }): JointView => {
      const key = jointKey(m, joint);
      const marks = { locked: locked.has(key), driven: targets.has(key) };
      return { name: joint, parent, t, E, axis, type, limits, nq: model.nq, nv: model.nv, iq, iv, ...marks };
    }),
    loops: mechanism.loops.map(({ name: loop, type, a, b }) => ({
      name: loop,
      type,
      a: mechanism.bodies[a.body]?.name ?? null,
      b: mechanism.bodies[b.body]?.name ?? null,
    })),
  };
}

/** Against gravity; z where there is none. */
export function upOf(gravity: Vec3): Vec3 {
  const size = Math.hypot(...gravity);
  return size > 0 ? (gravity.map((x) => 0 - x / size) as unknown as Vec3) : [0, 0, 1];
}

/** Where everything is, and what it weighs on: the part of a frame that follows from the world alone. */
export function worldPicture(world: World): Omit<Frame, 'work' | 'from' | 'to' | 'cost' | 'jointForce' | 'since'> {
  const { members, report, time } = world;
  const contacts = world.contacts().filter(({ mode }) => mode !== 'open');
  const [com, momentum] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  let mass = 0;
  for (const { state } of members) {
    const energy = dynamicsOf(state.mechanism).energy(state);
    mass += energy.mass;
    for (const k of [0, 1, 2]) {
      com[k] += energy.mass * energy.com[k];
      momentum[k] += energy.momentum.linear[k];
    }
  }
  const { kinetic, potential } = world.energy();
  return {
    time,
    kinetic,
    potential,
    contacts: report.contacts,
    depth: report.depth,
    residual: report.residual,
    poses: Float32Array.from(joined(members, bodyPoses)),
    q: joined(members, ({ q }) => q),
    v: joined(members, ({ v }) => v),
    // On what moves: where the first of the two is the ground, on the other.
    contactForces: Float32Array.from(
      contacts.flatMap(({ a, position, force }) => [
        ...position,
        ...(a.member === undefined ? force.map((x) => -x) : force),
      ]),
    ),
    com: com.map((x) => x / (mass || 1)) as unknown as Vec3,
    momentum: momentum as unknown as Vec3,
  };
}

/** Twelve numbers for each body. */
export function bodyPoses(state: State): Float64Array {
  return dynamicsOf(state.mechanism).poses(state);
}

const TURNING = new Set(['revolute', 'continuous']);

/** The force through a joint in the last step: on the body it carries, ground axes. */
export function jointForce(world: World, { member: m, joint }: Watched): JointForce | undefined {
  const member = world.members[m];
  if (!member?.state.mechanism.hasJoint(joint)) return undefined;
  const { mechanism, q, v } = member.state;
  const body = mechanism.jointIndex(joint);
  const { jointForces } = world.solved(member);
  const { E, t } = world.pose(member, mechanism.bodies[body].name);
  const turned = (o: number): Vec3 =>
    [0, 1, 2].map(
      (k) => E[k] * jointForces[o] + E[3 + k] * jointForces[o + 1] + E[6 + k] * jointForces[o + 2],
    ) as unknown as Vec3;
  const own = (o: number): Vec3 => [jointForces[o], jointForces[o + 1], jointForces[o + 2]];
  const along = { moment: own(6 * body), force: own(6 * body + 3) };
  const { type, axis, model, iq, iv } = mechanism.joints[body];
  const part = TURNING.has(type) ? along.moment : type === 'prismatic' ? along.force : undefined;
  return {
    member: m,
    body,
    position: model.nv > 0 ? q[iq] : Number.NaN,
    velocity: model.nv > 0 ? v[iv] : Number.NaN,
    at: t,
    moment: turned(6 * body),
    force: turned(6 * body + 3),
    axes: [
      [E[0], E[1], E[2]],
      [E[3], E[4], E[5]],
      [E[6], E[7], E[8]],
    ],
    along,
    ...(part !== undefined && { effort: part[0] * axis[0] + part[1] * axis[1] + part[2] * axis[2] }),
  };
}

function joined(members: readonly Member[], of: (state: State) => Float64Array): Float64Array {
  const parts = members.map(({ state }) => of(state));
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
