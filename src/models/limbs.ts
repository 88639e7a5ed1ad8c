// Arms and legs of the skeleton. The right side is the left one with the sign of y changed, so both are mirror images
// to the last bit.

import { add, scale, type Vec3 } from '../spatial/matrix3.js';
import {
  type BodySize,
  DE_LEVA_MALE,
  DE_LEVA_MALE_PALM,
  FLAT,
  PALM_INWARD,
  PROPORTIONS,
  tableMass,
  UPRIGHT,
} from './anthropometry.js';
import { carve, solidCylinder } from './mass-properties.js';
import { box, type Color, capsule } from './shapes.js';
import type { Landmarks, StandingSegment } from './standing.js';

type Side = 'left_' | 'right_';

/** Mass of a shoulder girdle (collar bone, shoulder blade and what covers them), share of the table's upper trunk. */
const GIRDLE_SHARE = 0.08;
/** Mass of each digit, share of the hand. */
const DIGIT_SHARE = 0.06;
/** How a digit's length and mass are divided: the proximal phalanx, and the others together. */
const PROXIMAL_SHARE = 0.45;
/** Toes: shares of the foot's mass and of its length. */
const TOE_SHARE = { mass: 0.12, length: 0.28 };
/** The ankle's place along the foot, from the heel. */
const ANKLE_SHARE = 0.25;

/**
 * Digits of a left hand that hangs with the thumb in front: where each begins, in metres forward, leftward and down from
 * the wrist (down: fingers begin where the palm ends), its direction, and its length as a share of the middle finger's.
 */
const DIGITS = [
  { key: 'thumb', forward: 0.025, left: -0.01, down: 0.03, direction: [0.6, 0, -0.8], length: 0.6 },
  { key: 'index', forward: 0.03, left: 0, down: DE_LEVA_MALE_PALM, direction: [0, 0, -1], length: 0.9 },
  { key: 'middle', forward: 0.01, left: 0, down: DE_LEVA_MALE_PALM, direction: [0, 0, -1], length: 1 },
  { key: 'ring', forward: -0.01, left: 0, down: DE_LEVA_MALE_PALM, direction: [0, 0, -1], length: 0.93 },
  { key: 'little', forward: -0.03, left: 0, down: DE_LEVA_MALE_PALM, direction: [0, 0, -1], length: 0.73 },
] as const;
const DIGIT_RADIUS = 0.008;

const LEFT_COLOR: Color = [0.45, 0.58, 0.75, 1];
const RIGHT_COLOR: Color = [0.75, 0.55, 0.45, 1];

/** Shoulder girdle, arm, hand and fingers; the girdle comes first. */
export function arm(side: Side, collar: string, size: BodySize, at: Landmarks): StandingSegment[] {
  const { upperTrunk, upperArm, forearm, hand } = DE_LEVA_MALE;
  const { m, sign, color } = sided(side, at);
  const hanging = hangingSegments(side, size, at);
  const y = sign * PROPORTIONS.shoulderOffset * size.height;
  const sternum: Vec3 = [0, sign * m(0.02), at.collar];
  const shoulder: Vec3 = [0, y, at.shoulder];
  const elbow = below(shoulder, m(upperArm.length));
  const wrist = below(elbow, m(forearm.length));
  const knuckles = below(wrist, m(DE_LEVA_MALE_PALM));
  const digits = digitSegments(side, size, at, wrist);
  const wholeHand = tableMass(hand, size, below(wrist, m(hand.com * hand.length)), PALM_INWARD);
  return [
    {
      key: 'clavicle',
      side,
      parent: collar,
      joint: 'clavicle',
      at: sternum,
      body: solidCylinder(GIRDLE_SHARE * upperTrunk.mass * size.mass, sternum, shoulder, m(0.04)),
      shapes: [capsule(sternum, shoulder, m(0.04), color)],
    },
    hanging('upper_arm', `${side}clavicle`, 'shoulder', upperArm, shoulder, elbow, 0.045),
    hanging('forearm', `${side}upper_arm`, 'elbow', forearm, elbow, wrist, 0.035),
    {
      key: 'hand',
      side,
      parent: `${side}forearm`,
      joint: 'wrist',
      at: wrist,
      body: carve(
        wholeHand,
        digits.map(({ body }) => body),
      ),
      shapes: [box(scale(0.5, add(wrist, knuckles)), [m(0.085), m(0.03), m(DE_LEVA_MALE_PALM)], color)],
    },
    ...digits,
  ];
}

/** Two phalanges a digit: the proximal one, and the others as one. Uniform rods. */
function digitSegments(side: Side, size: BodySize, at: Landmarks, wrist: Vec3): StandingSegment[] {
  const { hand } = DE_LEVA_MALE;
  const { m, sign, color } = sided(side, at);
  const mass = DIGIT_SHARE * hand.mass * size.mass;
  return DIGITS.flatMap(({ key, forward, left, down, direction, length }) => {
    const whole = m(length * (hand.length - DE_LEVA_MALE_PALM));
    const base = add(wrist, [m(forward), sign * m(left), -m(down)]);
    const middle = add(base, scale(PROXIMAL_SHARE * whole, direction));
    const tip = add(base, scale(whole, direction));
    const phalanx = (part: string, parent: string, share: number, from: Vec3, to: Vec3): StandingSegment => ({
      key: `${key}_${part}`,
      side,
      parent: `${side}${parent}`,
      joint: `${key}_${part}`,
      at: from,
      body: solidCylinder(share * mass, from, to, m(DIGIT_RADIUS)),
      shapes: [capsule(from, to, m(DIGIT_RADIUS), color)],
    });
    return [
      phalanx('proximal', 'hand', PROXIMAL_SHARE, base, middle),
      phalanx('distal', `${key}_proximal`, 1 - PROXIMAL_SHARE, middle, tip),
    ];
  });
}

export function leg(side: Side, size: BodySize, at: Landmarks): StandingSegment[] {
  const { thigh, shank, foot } = DE_LEVA_MALE;
  const { m, sign, color } = sided(side, at);
  const hanging = hangingSegments(side, size, at);
  const y = sign * PROPORTIONS.hipOffset * size.height;
  const hip: Vec3 = [0, y, at.hip];
  const knee: Vec3 = [0, y, at.knee];
  const ankle: Vec3 = [0, y, at.ankle];
  const length = m(foot.length);
  const breadth = PROPORTIONS.footBreadth * size.height;
  const alongFoot = (share: number, z: number): Vec3 => [(share - ANKLE_SHARE) * length, y, z];
  const toeStart = 1 - TOE_SHARE.length;
  const toeHeight = m(0.03);
  const wholeFoot = tableMass(foot, size, alongFoot(foot.com, at.ankle / 2), FLAT);
  const toes = solidCylinder(
    TOE_SHARE.mass * wholeFoot.mass,
    alongFoot(toeStart, toeHeight / 2),
    alongFoot(1, toeHeight / 2),
    toeHeight / 2,
  );
  return [
    hanging('thigh', 'pelvis', 'hip', thigh, hip, knee, 0.065),
    hanging('shank', `${side}thigh`, 'knee', shank, knee, ankle, 0.045),
    {
      key: 'foot',
      side,
      parent: `${side}shank`,
      joint: 'ankle',
      at: ankle,
      body: carve(wholeFoot, [toes]),
      shapes: [box(alongFoot(toeStart / 2, m(0.03)), [toeStart * length, 0.9 * breadth, m(0.06)], color)],
    },
    {
      key: 'toes',
      side,
      parent: `${side}foot`,
      joint: 'toes',
      at: alongFoot(toeStart, toeHeight / 2),
      body: toes,
      shapes: [
        box(alongFoot(1 - TOE_SHARE.length / 2, toeHeight / 2), [TOE_SHARE.length * length, breadth, toeHeight], color),
      ],
    },
  ];
}

/** Makes segments that hang straight down, a row of the table each. */
function hangingSegments(side: Side, size: BodySize, at: Landmarks) {
  const { m, color } = sided(side, at);
  return (
    key: StandingSegment['key'],
    parent: string,
    joint: StandingSegment['joint'],
    row: Parameters<typeof tableMass>[0],
    from: Vec3,
    to: Vec3,
    radius: number,
  ): StandingSegment => ({
    key,
    side,
    parent,
    joint,
    at: from,
    body: tableMass(row, size, below(from, m(row.com * row.length)), UPRIGHT),
    shapes: [capsule(from, to, m(radius), color)],
  });
}

/** What differs between the sides, and the scale of all lengths. */
function sided(side: Side, { scale: s }: Landmarks): { m: (metres: number) => number; sign: 1 | -1; color: Color } {
  const left = side === 'left_';
  return { m: (metres) => s * metres, sign: left ? 1 : -1, color: left ? LEFT_COLOR : RIGHT_COLOR };
}

function below(point: Vec3, distance: number): Vec3 {
  return add(point, [0, 0, -distance]);
}
