// What can be read of a mechanism in a World.

import { State } from '../../mechanism/state.js';
import type { Mat3, Vec3 } from '../../spatial/matrix3.js';
import { compose, forceToA, forceToB, invert, TRANSFORM } from '../../spatial/spatial.js';
import type { Member } from './member.js';

/** What the last step solved: H qdd + C = forces, at a state half way or at its start. */
export interface SolvedStep {
  /** Where it was solved; its time is that of the start. */
  readonly state: State;
  readonly qdd: Float64Array;
  /** Forces on the bodies, of contacts, loop joints and pushes: 6 numbers each [moment, force] at the body's origin, body coordinates. */
  readonly external: Float64Array;
  /** The whole force through each joint on the body it carries, body coordinates: 6 numbers each. */
  readonly jointForces: Float64Array;
}

/** An inertial measurement unit: what it reads in its own axes. */
export interface ImuReading {
  readonly angularVelocity: Vec3;
  /** Of free fall 0, at rest gravity upwards, m/s^2. */
  readonly acceleration: Vec3;
}

/** The equation of motion that the last step solved, contact forces in it. */
export function solvedStep(member: Member, gravity: Vec3): SolvedStep {
  const { articulation, q, middle, a, touched, external: pushed, state: present } = member;
  const { tree, mechanism, pose, reference, root } = articulation;
  const state = new State(mechanism, { q: q.slice(), v: new Float64Array(mechanism.nv) });
  state.time = present.time;
  const links = touched.map((x, k) => x + pushed[k]);
  const external = new Float64Array(6 * tree.n);
  const jointForces = new Float64Array(6 * tree.n);
  const qdd = new Float64Array(mechanism.nv);
  articulation.place(q);
  articulation.move(middle);
  articulation.toAuthor(state.v, middle);
  articulation.jointForces(q, middle, a, gravity, links, jointForces);
  authorAccelerations(member, qdd);
  const X = new Float64Array(TRANSFORM);
  const own = new Float64Array(6);
  for (let i = 0; i < tree.n; i++) {
    X.set(pose.subarray(TRANSFORM * i, TRANSFORM * (i + 1)));
    for (let k = 0; k < 3; k++) X[9 + k] -= reference[3 * root[i] + k];
    forceToB(own, 0, X, 0, links, 6 * i);
    forceToA(external, 6 * tree.body[i], tree.offset, TRANSFORM * i, own, 0);
  }
  articulation.place(present.q);
  articulation.move(member.v);
  return { state, qdd, external, jointForces };
}

/** qdd <- accelerations of the last step in the author's coordinates; the articulation stands where it was solved. */
function authorAccelerations({ articulation, a, middle }: Member, qdd: Float64Array): void {
  const { tree, free, pose, reference } = articulation;
  for (let i = 0; i < tree.n; i++) {
    const o = tree.dof[i];
    const iv = tree.iv[i];
    for (let k = o; k < tree.dof[i + 1]; k++) qdd[iv + k - o] = a[k];
    if (free[i] === 0) continue;
    const E = pose.subarray(TRANSFORM * i, TRANSFORM * i + 9);
    const r = [0, 1, 2].map((k) => pose[TRANSFORM * i + 9 + k] - reference[3 * i + k]);
    const [w, dw] = [middle.subarray(o, o + 3), a.subarray(o, o + 3)];
    const cross = (x: ArrayLike<number>, y: ArrayLike<number>): number[] => [
      x[1] * y[2] - x[2] * y[1],
      x[2] * y[0] - x[0] * y[2],
      x[0] * y[1] - x[1] * y[0],
    ];
    const turn = (x: ArrayLike<number>): number[] =>
      [0, 1, 2].map((k) => E[3 * k] * x[0] + E[3 * k + 1] * x[1] + E[3 * k + 2] * x[2]);
    const wr = cross(w, r);
    const [dwr, wwr] = [cross(dw, r), cross(w, wr)];
    // Velocity and acceleration of the origin; the body's axes turn.
    const v = turn([0, 1, 2].map((k) => middle[o + 3 + k] + wr[k]));
    const origin = turn([0, 1, 2].map((k) => a[o + 3 + k] + dwr[k] + wwr[k]));
    const turning = cross(turn(w), v);
    turn(dw).forEach((x, k) => {
      qdd[iv + k] = x;
      qdd[iv + 3 + k] = origin[k] - turning[k];
    });
  }
}

/** Place and axes of a body or a named frame, now: t its origin in ground coordinates, E takes ground to its own coordinates. */
export function poseOf(member: Member, name: string): { readonly E: Mat3; readonly t: Vec3 } {
  const X = framePose(member, name);
  const [a, b, c, d, e, f, g, h, i, x, y, z] = X;
  return { E: [a, b, c, d, e, f, g, h, i], t: [x, y, z] };
}

/** What an IMU at a body or a named frame reads: velocity now, mean acceleration over the last step. */
export function imuOf(member: Member, name: string, gravity: Vec3): ImuReading {
  const { articulation, v0, q0, h } = member;
  const { mechanism, tree, V, reference, root } = articulation;
  const link = tree.link[mechanism.frame(name).body];
  const velocity = (X: Float64Array): number[] => {
    const o = 6 * link;
    const [x, y, z] = [0, 1, 2].map((k) => X[9 + k] - reference[3 * root[link] + k]);
    return [
      V[o + 3] + V[o + 1] * z - V[o + 2] * y,
      V[o + 4] + V[o + 2] * x - V[o] * z,
      V[o + 5] + V[o] * y - V[o + 1] * x,
    ];
  };
  const X = framePose(member, name);
  const after = velocity(X);
  const spin = [V[6 * link], V[6 * link + 1], V[6 * link + 2]];
  articulation.place(q0);
  articulation.move(v0);
  const before = velocity(framePose(member, name));
  articulation.place(member.state.q);
  articulation.move(member.v);
  const rate = after.map((x, k) => (x - before[k]) / h - gravity[k]);
  const own = (x: readonly number[]): Vec3 => [
    X[0] * x[0] + X[1] * x[1] + X[2] * x[2],
    X[3] * x[0] + X[4] * x[1] + X[5] * x[2],
    X[6] * x[0] + X[7] * x[1] + X[8] * x[2],
  ];
  return { angularVelocity: own(spin), acceleration: own(rate) };
}

/** Ground to the frame, where the articulation stands. */
function framePose({ articulation }: Member, name: string): Float64Array {
  const { mechanism, tree, pose } = articulation;
  const { body, E, t } = mechanism.frame(name);
  const link = tree.link[body];
  const [toBody, inBody, out] = [new Float64Array(TRANSFORM), new Float64Array(TRANSFORM), new Float64Array(TRANSFORM)];
  invert(toBody, 0, tree.offset, TRANSFORM * link);
  compose(inBody, 0, toBody, 0, pose, TRANSFORM * link);
  compose(out, 0, Float64Array.of(...E, ...t), 0, inBody, 0);
  return out;
}
