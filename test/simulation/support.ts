// Mechanisms whose motion is known, for the tests of this folder.

import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import type { JointSpec } from '../../src/mechanism/spec.js';
import type { State } from '../../src/mechanism/state.js';
import type { Vec3 } from '../../src/spatial/matrix3.js';

export const GRAVITY = 9.81;
export const LENGTH = 0.7;
/** Moment of inertia of the pendulum about its axis. */
export const MOMENT = 0.05 + 2 * LENGTH ** 2;

/** A body of 2 kg at LENGTH below a hinge about y; at q = 0 it hangs. */
export function pendulum(joint: Partial<JointSpec> = {}, gravity: Vec3 = [0, 0, -GRAVITY]): Mechanism {
  return createMechanism({
    name: 'pendulum',
    gravity,
    bodies: [{ name: 'bob', mass: 2, com: [0, 0, -LENGTH], inertia: [0.05, 0, 0, 0, 0.05, 0, 0, 0, 0.05] }],
    joints: [{ name: 'hinge', parent: null, child: 'bob', type: 'revolute', axis: [0, 1, 0], ...joint }],
  });
}

/** One body with three different moments, on the joint given, centre of mass at the joint, no gravity. */
export function top(type: 'spherical' | 'floating'): Mechanism {
  return createMechanism({
    gravity: [0, 0, 0],
    bodies: [{ name: 'top', mass: 3, com: [0, 0, 0], inertia: [0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.25] }],
    joints: [{ name: 'joint', parent: null, child: 'top', type }],
  });
}

/** Velocities between two states and difference of positions along the joints' own manifolds: largest of both. */
export function distance(a: State, b: State): number {
  const d = new Float64Array(a.v.length);
  for (const { model, iq, iv } of a.mechanism.joints) model.difference(d, iv, a.q, iq, b.q, iq);
  return Math.max(...d.map(Math.abs), ...a.v.map((v, k) => Math.abs(v - b.v[k])));
}
