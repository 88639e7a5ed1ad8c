// The standing pose that the skeleton is described in: x forward, y left, z up, soles at z = 0, the origin on the ground
// below the middle of the hips, arms hanging, palms to the thighs. No segment is turned against another, so positions
// are all there is.

import type { Shape } from '../mechanism/mechanism.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { type BodySize, DE_LEVA_MALE, DE_LEVA_MALE_TRUNK, PROPORTIONS, REFERENCE_SIZE } from './anthropometry.js';
import type { MassProperties } from './mass-properties.js';

/** A piece of the skeleton; positions and shapes in standing coordinates. */
export interface StandingSegment {
  /** Name without the side. */
  readonly key: string;
  readonly side: '' | 'left_' | 'right_';
  /** Side and key of the segment it hangs from; null is the ground. */
  readonly parent: string | null;
  /** Name, without the side, of the joint by which it hangs. */
  readonly joint: string;
  /** Where that joint is. */
  readonly at: Vec3;
  readonly body: MassProperties;
  readonly shapes: readonly Shape[];
}

/** Heights of joints and landmarks, metres. */
export interface Landmarks {
  /** Of all lengths, against the reference stature. */
  readonly scale: number;
  readonly ankle: number;
  readonly knee: number;
  readonly hip: number;
  readonly navel: number;
  readonly xiphoid: number;
  readonly shoulder: number;
  readonly collar: number;
  readonly neck: number;
  readonly vertex: number;
}

export function landmarks({ height }: BodySize): Landmarks {
  const scale = height / REFERENCE_SIZE.height;
  const ankle = PROPORTIONS.ankleHeight * height;
  const knee = ankle + scale * DE_LEVA_MALE.shank.length;
  const hip = knee + scale * DE_LEVA_MALE.thigh.length;
  const neck = height - scale * DE_LEVA_MALE.headAndNeck.length;
  // Ankle height and the table's lengths add up to 2 % more than the stature. The trunk, which is curved when a man
  // stands, gets what head and legs leave: 94 % of its length. Heights in it shrink in proportion; inertias do not.
  const upright = (neck - hip) / DE_LEVA_MALE_TRUNK.length;
  const navel = hip + upright * DE_LEVA_MALE.lowerTrunk.length;
  return {
    scale,
    ankle,
    knee,
    hip,
    navel,
    xiphoid: navel + upright * DE_LEVA_MALE.middleTrunk.length,
    shoulder: hip + upright * DE_LEVA_MALE_TRUNK.midShoulder,
    collar: hip + upright * DE_LEVA_MALE_TRUNK.suprasternale,
    neck,
    vertex: height,
  };
}
