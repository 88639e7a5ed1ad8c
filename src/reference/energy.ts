// Energy, momentum and centre of mass of the whole mechanism, in ground coordinates.

import type { Tree } from '../mechanism/tree.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { addInertiaToA, dot6, forceToA, INERTIA, inertiaTimes, TRANSFORM } from '../spatial/spatial.js';
import { createKinematics, type KinematicsScratch, velocities } from './kinematics.js';

export interface EnergyScratch {
  readonly kinematics: KinematicsScratch;
  /** 10: rigid inertia of everything, ground frame. */
  readonly total: Float64Array;
  /** 12: two force vectors. */
  readonly work: Float64Array;
}

/** Energy, mass, centre of mass and momentum at a state. */
export interface Energy {
  /** Joules, rotor inertias included. */
  kinetic: number;
  /** Joules, zero where all mass is at the height of the ground's origin; springs included. */
  potential: number;
  /** Kilograms. */
  mass: number;
  /** Centre of mass, metres. */
  com: Vec3;
  /** Linear momentum and angular momentum about the ground's origin (rotors not included). */
  momentum: { angular: Vec3; linear: Vec3 };
}

export function createEnergy(tree: Tree): EnergyScratch {
  return { kinematics: createKinematics(tree), total: new Float64Array(INERTIA), work: new Float64Array(12) };
}

export function energy(tree: Tree, scratch: EnergyScratch, q: Float64Array, qd: Float64Array): Energy {
  const { kinematics, total, work } = scratch;
  const { n, inertia, iq, iv, dof, armature, gravity, joint: jointOf } = tree;
  velocities(tree, kinematics, q, qd);
  const { pose, v } = kinematics;
  const momentum = [0, 0, 0, 0, 0, 0];
  let kinetic = 0;
  let springs = 0;
  total.fill(0);
  for (let i = 0; i < n; i++) {
    inertiaTimes(work, 0, inertia, INERTIA * i, v, 6 * i);
    kinetic += dot6(work, 0, v, 6 * i) / 2;
    forceToA(work, 6, pose, TRANSFORM * i, work, 0);
    for (let k = 0; k < 6; k++) momentum[k] += work[6 + k];
    addInertiaToA(total, 0, pose, TRANSFORM * i, inertia, INERTIA * i);
    for (let k = iv[i]; k < iv[i] + dof[i + 1] - dof[i]; k++) kinetic += (armature[k] * qd[k] * qd[k]) / 2;
    const { stiffness, rest } = tree.mechanism.joints[jointOf[i]];
    if (stiffness !== 0) springs += (stiffness * (q[iq[i]] - rest) ** 2) / 2;
  }
  const mass = total[0];
  const falling = -(gravity[0] * total[1] + gravity[1] * total[2] + gravity[2] * total[3]);
  const scale = mass > 0 ? 1 / mass : 0;
  return {
    kinetic,
    potential: falling + springs,
    mass,
    com: [scale * total[1], scale * total[2], scale * total[3]],
    momentum: {
      angular: [momentum[0], momentum[1], momentum[2]],
      linear: [momentum[3], momentum[4], momentum[5]],
    },
  };
}
