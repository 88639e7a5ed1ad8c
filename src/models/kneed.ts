// The kneed cousin of the compass biped: each leg is a thigh and a shank. The knee of the stance leg is locked; that of the
// swing leg is free until the leg is straight again. Point feet, five point masses.

import { MechanismBuilder } from '../mechanism/builder.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Mat3, Vec3 } from '../spatial/matrix3.js';
import { weld } from './mass-properties.js';
import { type Color, capsule, sphere } from './shapes.js';

/** Masses and lengths of the walker with knees. */
export interface KneedOptions {
  /** Masses at the hip, of each thigh and of each shank, kilograms. */
  readonly hipMass?: number;
  readonly thighMass?: number;
  readonly shankMass?: number;
  /** Lengths, metres. */
  readonly thighLength?: number;
  readonly shankLength?: number;
  /** Distance of a thigh's mass from the knee, and of a shank's mass from the foot. */
  readonly thighMassFromKnee?: number;
  readonly shankMassFromFoot?: number;
  readonly gravity?: number;
}

const AXIS: Vec3 = [0, -1, 0];
const POINT: Mat3 = [0, 0, 0, 0, 0, 0, 0, 0, 0];
const STANCE: Color = [0.3, 0.45, 0.75, 1];
const SWING: Color = [0.8, 0.45, 0.3, 1];

/**
 * q = [q_st, q_sw, q_knee]: stance leg from the vertical, swing thigh from the stance leg, swing shank from its thigh, all
 * counter-clockwise positive as for the compass biped; a knee bends to negative angles. The default sizes are after V. F.
 * Hsu Chen, "Passive Dynamic Walking with Knees: A Point Foot Model" (MIT, 2007).
 */
export function kneed(options: KneedOptions = {}): Mechanism {
  const { hipMass = 0.5, thighMass = 0.5, shankMass = 0.05, thighLength = 0.5, shankLength = 0.5 } = options;
  const { thighMassFromKnee = 0.175, shankMassFromFoot = 0.375, gravity = 9.81 } = options;
  check('hipMass', hipMass, hipMass >= 0, 'zero or more');
  for (const [name, value] of Object.entries({ thighMass, shankMass, thighLength, shankLength, gravity }))
    check(name, value, value > 0, 'more than zero');
  const between = (name: string, value: number, length: number): void =>
    check(name, value, value >= 0 && value < length, `zero or more and less than ${length}`);
  between('thighMassFromKnee', thighMassFromKnee, thighLength);
  between('shankMassFromFoot', shankMassFromFoot, shankLength);
  const up = (z: number): Vec3 => [0, 0, z];
  const bar = (from: number, to: number, mass: number, color: Color) => [
    capsule(up(from), up(to), 0.01, color),
    sphere(up(mass), 0.025, color),
  ];
  return new MechanismBuilder('kneed')
    .gravity([0, 0, -gravity])
    .link('stance_shank', {
      parent: null,
      joint: { type: 'revolute', axis: AXIS, name: 'support' },
      mass: shankMass,
      com: up(shankMassFromFoot),
      inertia: POINT,
      visuals: bar(0, shankLength, shankMassFromFoot, STANCE),
    })
    .link('stance_thigh', {
      parent: 'stance_shank',
      joint: { type: 'fixed', axis: AXIS, name: 'stance_knee' },
      at: up(shankLength),
      ...weld([
        { mass: thighMass, com: up(thighMassFromKnee), inertia: POINT },
        { mass: hipMass, com: up(thighLength), inertia: POINT },
      ]),
      visuals: [...bar(0, thighLength, thighMassFromKnee, STANCE), sphere(up(thighLength), 0.05, STANCE)],
    })
    .link('swing_thigh', {
      parent: 'stance_thigh',
      joint: { type: 'revolute', axis: AXIS, name: 'hip' },
      at: up(thighLength),
      mass: thighMass,
      com: up(thighMassFromKnee - thighLength),
      inertia: POINT,
      visuals: bar(-thighLength, 0, thighMassFromKnee - thighLength, SWING),
    })
    .link('swing_shank', {
      parent: 'swing_thigh',
      joint: { type: 'revolute', axis: AXIS, name: 'swing_knee' },
      at: up(-thighLength),
      mass: shankMass,
      com: up(shankMassFromFoot - shankLength),
      inertia: POINT,
      visuals: bar(-shankLength, 0, shankMassFromFoot - shankLength, SWING),
    })
    .frame({ name: 'stance_foot', body: 'stance_shank' })
    .frame({ name: 'swing_foot', body: 'swing_shank', t: up(-shankLength) })
    .build();
}

function check(name: string, value: number, good: boolean, expected: string): void {
  if (!good || !Number.isFinite(value))
    throw MechanismError.of('kneed', `kneed ${name}`, `It must be ${expected}, got ${value}.`);
}
