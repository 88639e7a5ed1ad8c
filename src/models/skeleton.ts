// The man of the table in his finest form: 53 segments. Every human figure is made from these by welding together what
// it does not move apart. What is split off from a segment of the table is carved out of it, so that welded together
// again it has the table's mass, centre of mass and inertia.

import type { Shape } from '../mechanism/mechanism.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { type BodySize, DE_LEVA_MALE, tableMass, UPRIGHT } from './anthropometry.js';
import { arm, leg } from './limbs.js';
import { carve, type MassProperties, slices, solidCylinder } from './mass-properties.js';
import { box, type Color, capsule } from './shapes.js';
import { type Landmarks, landmarks, type StandingSegment } from './standing.js';

/** Levels of the spine: each lumbar vertebra, the thoracic ones in pairs, the cervical ones in three groups. */
const SPINE = {
  lumbar: { levels: 5, parent: 'pelvis', firstJoint: 'waist' },
  thoracic: { levels: 6, parent: 'lumbar_5', firstJoint: 'chest' },
  cervical: { levels: 3, parent: 'thoracic_6', firstJoint: 'neck' },
};
/** The level that carries the collar bones. */
const COLLAR_LEVEL = 'thoracic_5';

/** Shares of the table's head and neck. */
const NECK_SHARE = { mass: 0.2, length: 0.4 };
const JAW_MASS_SHARE = 0.05;

const COLOR: Color = [0.78, 0.74, 0.68, 1];

/** All segments, parents before children: trunk, head, arms, legs, left before right. */
export function skeleton(size: BodySize): StandingSegment[] {
  const at = landmarks(size);
  const arms = [arm('left_', COLLAR_LEVEL, size, at), arm('right_', COLLAR_LEVEL, size, at)];
  const girdles = arms.map(([girdle]) => girdle.body);
  return [
    ...trunk(size, at, girdles),
    ...head(size, at),
    ...arms.flat(),
    ...leg('left_', size, at),
    ...leg('right_', size, at),
  ];
}

/** Pelvis and spine up to the neck. The shoulder girdles, a part of the table's upper trunk, go with the arms. */
function trunk(size: BodySize, at: Landmarks, girdles: readonly MassProperties[]): StandingSegment[] {
  const { lowerTrunk, middleTrunk, upperTrunk } = DE_LEVA_MALE;
  const m = (metres: number): number => at.scale * metres;
  const between = (top: number, bottom: number, fraction: number): Vec3 => [0, 0, top + fraction * (bottom - top)];
  const pelvis = tableMass(lowerTrunk, size, between(at.navel, at.hip, lowerTrunk.com), UPRIGHT);
  const abdomen = tableMass(middleTrunk, size, between(at.xiphoid, at.navel, middleTrunk.com), UPRIGHT);
  const chest = carve(tableMass(upperTrunk, size, between(at.neck, at.xiphoid, upperTrunk.com), UPRIGHT), girdles);
  return [
    {
      key: 'pelvis',
      side: '',
      parent: null,
      joint: 'root',
      at: [0, 0, at.hip],
      body: pelvis,
      shapes: [slab(at.hip - m(0.05), at.navel, m(0.19), m(0.3))],
    },
    ...levels('lumbar', abdomen, at.navel, at.xiphoid, (bottom, top) => slab(bottom, top, m(0.18), m(0.27))),
    ...levels('thoracic', chest, at.xiphoid, at.neck, (bottom, top, level) =>
      // The highest is above the shoulders: no broader than the base of the neck.
      level === SPINE.thoracic.levels ? slab(bottom, top, m(0.13), m(0.16)) : slab(bottom, top, m(0.2), m(0.29)),
    ),
  ];
}

/** Neck, skull and lower jaw: the table's head and neck. */
function head(size: BodySize, at: Landmarks): StandingSegment[] {
  const { headAndNeck } = DE_LEVA_MALE;
  const m = (metres: number): number => at.scale * metres;
  const length = m(headAndNeck.length);
  const whole = tableMass(headAndNeck, size, [0, 0, at.vertex - headAndNeck.com * length], UPRIGHT);
  const neckTop = at.neck + NECK_SHARE.length * length;
  const neck = solidCylinder(NECK_SHARE.mass * whole.mass, [0, 0, at.neck], [0, 0, neckTop], m(0.055));
  const chin = (y: number): Vec3 => [m(0.055), m(y), at.neck + m(0.05)];
  const jaw = solidCylinder(JAW_MASS_SHARE * whole.mass, chin(-0.04), chin(0.04), m(0.02));
  return [
    ...levels('cervical', neck, at.neck, neckTop, (bottom, top) =>
      capsule([0, 0, bottom], [0, 0, top], m(0.05), COLOR),
    ),
    {
      key: 'head',
      side: '',
      parent: `cervical_${SPINE.cervical.levels}`,
      joint: 'head',
      at: [0, 0, neckTop],
      body: carve(whole, [neck, jaw]),
      shapes: [capsule([0, 0, at.neck + m(0.11)], [0, 0, at.vertex - m(0.08)], m(0.08), COLOR)],
    },
    {
      key: 'jaw',
      side: '',
      parent: 'head',
      joint: 'jaw',
      // Between the two joints of the jaw, in front of the ears.
      at: [m(0.01), 0, at.neck + m(0.115)],
      body: jaw,
      shapes: [box(chin(0), [m(0.06), m(0.08), m(0.04)], COLOR)],
    },
  ];
}

/** A part of the spine, cut into levels that carry one another; level k is called `part_k`, lowest first. */
function levels(
  part: keyof typeof SPINE,
  whole: MassProperties,
  bottom: number,
  top: number,
  shape: (bottom: number, top: number, level: number) => Shape,
): StandingSegment[] {
  const { levels: n, parent, firstJoint } = SPINE[part];
  const height = (top - bottom) / n;
  return slices(whole, top - bottom, n).map((body, k) => {
    const z = bottom + k * height;
    const key = `${part}_${k + 1}`;
    return {
      key,
      side: '',
      parent: k === 0 ? parent : `${part}_${k}`,
      joint: k === 0 ? firstJoint : key,
      at: [0, 0, z],
      body,
      shapes: [shape(z, z + height, k + 1)],
    };
  });
}

function slab(bottom: number, top: number, depth: number, width: number): Shape {
  return box([0, 0, (bottom + top) / 2], [depth, width, top - bottom], COLOR);
}
