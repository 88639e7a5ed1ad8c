// The compass biped of paper 001, section 8: two straight legs, point feet, three point masses.

import { MechanismBuilder } from '../mechanism/builder.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Mat3, Vec3 } from '../spatial/matrix3.js';
import { weld } from './mass-properties.js';
import { capsule, sphere } from './shapes.js';

/** Masses and lengths of the compass walker. */
export interface CompassOptions {
  /** m_h: mass at the hip, kilograms. */
  readonly hipMass?: number;
  /** m_l: mass of each leg. */
  readonly legMass?: number;
  /** l: length of each leg, metres. */
  readonly legLength?: number;
  /** d: distance of a leg's mass from its foot. */
  readonly legMassFromFoot?: number;
  /** Downwards, metres per second squared; 9.81 where left out. */
  readonly gravity?: number;
}

/** It moves in the plane of x (forward) and z (up); turning about -y is counter-clockwise with x to the right, z up. */
const AXIS: Vec3 = [0, -1, 0];
const POINT: Mat3 = [0, 0, 0, 0, 0, 0, 0, 0, 0];
const STANCE = [0.3, 0.45, 0.75, 1] as const;
const SWING = [0.8, 0.45, 0.3, 1] as const;

/**
 * q = [q_st, q_sw]: the stance leg from the vertical, the swing leg from the stance leg, counter-clockwise positive, so
 * that the hip is at the stance foot + l (-sin q_st, cos q_st) in (x, z). The stance foot is at the origin. As in the
 * paper the hip's mass belongs to the stance leg. The slope it walks on is no part of the mechanism.
 */
export function compass(options: CompassOptions = {}): Mechanism {
  const { hipMass = 2, legMass = 1, legLength: l = 1, legMassFromFoot: d = 0.5, gravity = 9.81 } = options;
  check('hipMass', hipMass, hipMass >= 0, 'zero or more');
  check('legMass', legMass, legMass > 0, 'more than zero');
  check('legLength', l, l > 0, 'more than zero');
  // With its mass at the hip the swing leg would have no inertia about the hip.
  check('legMassFromFoot', d, d >= 0 && d < l, `zero or more and less than the leg's length ${l}`);
  check('gravity', gravity, gravity > 0, 'more than zero');
  const hip: Vec3 = [0, 0, l];
  const stanceMass: Vec3 = [0, 0, d];
  const swingMass: Vec3 = [0, 0, d - l];
  const swingFoot: Vec3 = [0, 0, -l];
  return new MechanismBuilder('compass')
    .gravity([0, 0, -gravity])
    .link('stance_leg', {
      parent: null,
      joint: { type: 'revolute', axis: AXIS, name: 'support' },
      ...weld([
        { mass: legMass, com: stanceMass, inertia: POINT },
        { mass: hipMass, com: hip, inertia: POINT },
      ]),
      visuals: [
        capsule([0, 0, 0], hip, 0.01 * l, STANCE),
        sphere(stanceMass, 0.04 * l, STANCE),
        sphere(hip, 0.06 * l, STANCE),
      ],
    })
    .link('swing_leg', {
      parent: 'stance_leg',
      joint: { type: 'revolute', axis: AXIS, name: 'hip' },
      at: hip,
      mass: legMass,
      com: swingMass,
      inertia: POINT,
      visuals: [capsule(swingFoot, [0, 0, 0], 0.01 * l, SWING), sphere(swingMass, 0.04 * l, SWING)],
    })
    .frame({ name: 'stance_foot', body: 'stance_leg' })
    .frame({ name: 'swing_foot', body: 'swing_leg', t: swingFoot })
    .build();
}

function check(name: string, value: number, good: boolean, expected: string): void {
  if (!good || !Number.isFinite(value))
    throw MechanismError.of('compass', `compass ${name}`, `It must be ${expected}, got ${value}.`);
}
