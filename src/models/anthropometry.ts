// Segment parameters of an adult man: P. de Leva, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
// Journal of Biomechanics 29(9), 1996, pages 1223-1230, Table 4, males; where the table gives a segment more than once,
// the row whose end points are the joints used here.

import { MechanismError } from '../mechanism/errors.js';
import type { Mat3, Vec3 } from '../spatial/matrix3.js';
import type { MassProperties } from './mass-properties.js';

export interface TableSegment {
  /** From where to where, in the table's abbreviations: the first is the proximal or upper end. */
  readonly endpoints: string;
  /** Metres, at the reference stature. */
  readonly length: number;
  /** Fraction of the body's mass. */
  readonly mass: number;
  /** Distance of the centre of mass from the first end point, fraction of the length. */
  readonly com: number;
  /** Radii of gyration about the three axes through the centre of mass, fractions of the length. */
  readonly sagittal: number;
  readonly transverse: number;
  readonly longitudinal: number;
}

/** Stature in metres and mass in kilograms. */
export interface BodySize {
  readonly height: number;
  readonly mass: number;
}

/** The mean man of the table. */
export const REFERENCE_SIZE: BodySize = { height: 1.741, mass: 73 };

export const DE_LEVA_MALE = {
  headAndNeck: row('VERT-CERV', 0.2429, 0.0694, 0.5002, 0.303, 0.315, 0.261),
  upperTrunk: row('CERV-XYPH', 0.2421, 0.1596, 0.5066, 0.505, 0.32, 0.465),
  middleTrunk: row('XYPH-OMPH', 0.2155, 0.1633, 0.4502, 0.482, 0.383, 0.468),
  lowerTrunk: row('OMPH-MIDH', 0.1457, 0.1117, 0.6115, 0.615, 0.551, 0.587),
  upperArm: row('SJC-EJC', 0.2817, 0.0271, 0.5772, 0.285, 0.269, 0.158),
  forearm: row('EJC-WJC', 0.2689, 0.0162, 0.4574, 0.276, 0.265, 0.121),
  hand: row('WJC-DAC3', 0.1879, 0.0061, 0.3624, 0.288, 0.235, 0.184),
  thigh: row('HJC-KJC', 0.4222, 0.1416, 0.4095, 0.329, 0.329, 0.149),
  shank: row('KJC-AJC', 0.4403, 0.0433, 0.4395, 0.251, 0.246, 0.102),
  foot: row('HEEL-TTIP', 0.2581, 0.0137, 0.4415, 0.257, 0.245, 0.124),
};

/** Heights above the middle of the hips that the same table gives; of the trunk's length CERV-MIDH, 0.6033 m. */
export const DE_LEVA_MALE_TRUNK = {
  length: 0.6033,
  /** Suprasternale (SUPR-MIDH): where the collar bones begin. */
  suprasternale: 0.5319,
  /** Mid-shoulder (MIDS-MIDH): the height of the shoulder joints. */
  midShoulder: 0.5155,
};

/** Length of the hand without the fingers: the row WJC-MET3. */
export const DE_LEVA_MALE_PALM = 0.0862;

/** Fractions of the stature that the table does not give. */
export const PROPORTIONS = {
  /** Ankle joint above the sole; R. Drillis and R. Contini, Body segment parameters, 1966. */
  ankleHeight: 0.039,
  /** Breadth of the foot, the same source. */
  footBreadth: 0.055,
  /** Hip and shoulder joints from the mid-plane: rounded typical values. */
  hipOffset: 0.05,
  shoulderOffset: 0.11,
};

// Which radius of gyration belongs to x, y and z depends on how the segment is held. The transverse axis of the table
// always goes from side to side; the other two turn with the segment.

/** A segment that hangs down or stands up, front of the body forward. */
export const UPRIGHT = ['sagittal', 'transverse', 'longitudinal'] as const;
/** A hand that hangs down with the palm to the thigh: a quarter turn from the table's, whose palm is in front. */
export const PALM_INWARD = ['transverse', 'sagittal', 'longitudinal'] as const;
/** A foot on the ground: the table's long axis points forward, its sagittal axis up. */
export const FLAT = ['longitudinal', 'transverse', 'sagittal'] as const;

export function checkedSize({
  height = REFERENCE_SIZE.height,
  mass = REFERENCE_SIZE.mass,
}: Partial<BodySize>): BodySize {
  for (const [what, value, unit] of [
    ['height', height, 'metres'],
    ['mass', mass, 'kilograms'],
  ] as const)
    if (!(value > 0 && value < Number.POSITIVE_INFINITY))
      throw MechanismError.of('body-size', `human ${what}`, `It must be a positive number of ${unit}, got ${value}.`);
  return { height, mass };
}

/** Mass and inertia of a table segment of a body of that size, with its centre of mass at the place given. */
export function tableMass(
  segment: TableSegment,
  size: BodySize,
  com: Vec3,
  axes: typeof UPRIGHT | typeof PALM_INWARD | typeof FLAT,
): MassProperties {
  const mass = segment.mass * size.mass;
  const length = (segment.length * size.height) / REFERENCE_SIZE.height;
  const [x, y, z] = axes.map((axis) => mass * (segment[axis] * length) ** 2);
  const inertia: Mat3 = [x, 0, 0, 0, y, 0, 0, 0, z];
  return { mass, com, inertia };
}

function row(
  endpoints: string,
  length: number,
  mass: number,
  com: number,
  sagittal: number,
  transverse: number,
  longitudinal: number,
): TableSegment {
  return { endpoints, length, mass, com, sagittal, transverse, longitudinal };
}
