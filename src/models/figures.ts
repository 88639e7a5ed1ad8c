// The human figures: which of the skeleton's segments move, and how. A segment without a joint is welded to its parent.

export type Axis = 'x' | 'y' | 'z';
/** Hinges one after the other, the first next to the parent. */
export type Hinges = Axis | `${Axis}${Axis}` | `${Axis}${Axis}${Axis}`;
export type JointChoice = 'floating' | 'spherical' | Hinges;

export interface FigureChoice {
  readonly description: string;
  /** By segment, without the side. The root, the pelvis, floats and is not listed. */
  readonly joints: Readonly<Record<string, JointChoice>>;
  /** For segments not listed; welded where left out. */
  readonly others?: JointChoice;
  /** Names for bodies that are more than the segment their joint carries. */
  readonly names?: Readonly<Record<string, string>>;
}

/** A trunk and a head in one piece each, or the table's parts of the trunk and a neck. */
const COARSE_TRUNK = { lumbar_1: 'torso', cervical_1: 'head' };
const FINE_TRUNK = { lumbar_1: 'abdomen', thoracic_1: 'thorax', cervical_1: 'neck' };

const BALL_AND_HINGE_LIMBS = {
  upper_arm: 'spherical',
  forearm: 'y',
  hand: 'spherical',
  thigh: 'spherical',
  shank: 'y',
  foot: 'spherical',
} as const;

export const FIGURES = {
  'human-34': {
    description: 'human figure of papers 000 and 003: free root and 28 hinges',
    joints: {
      lumbar_1: 'zy',
      cervical_1: 'zy',
      upper_arm: 'yxz',
      forearm: 'y',
      hand: 'zx',
      thigh: 'zxy',
      shank: 'y',
      foot: 'yx',
    },
    names: COARSE_TRUNK,
  },
  'human-40': {
    description: 'human figure of paper 002: free root, 10 spherical joints, 4 hinges',
    joints: { lumbar_1: 'spherical', cervical_1: 'spherical', ...BALL_AND_HINGE_LIMBS },
    names: COARSE_TRUNK,
  },
  'human-48': {
    description: 'human figure of papers 000 and 003: free root and 42 hinges',
    joints: {
      lumbar_1: 'zyx',
      thoracic_1: 'zyx',
      cervical_1: 'zyx',
      head: 'y',
      clavicle: 'xz',
      upper_arm: 'yxz',
      forearm: 'y',
      hand: 'zxy',
      thigh: 'zxy',
      shank: 'y',
      foot: 'yx',
      toes: 'y',
    },
    names: FINE_TRUNK,
  },
  'human-52': {
    description: 'human figure of paper 002: free root, 14 spherical joints, 4 hinges',
    joints: {
      lumbar_1: 'spherical',
      thoracic_1: 'spherical',
      cervical_1: 'spherical',
      head: 'spherical',
      clavicle: 'spherical',
      ...BALL_AND_HINGE_LIMBS,
    },
    names: FINE_TRUNK,
  },
  'human-161': {
    description:
      'human figure of paper 002: free root, floating jaw, 49 spherical joints (spine, fingers, toes), 2 hinges',
    // The lower jaw glides in its joints as well as it turns, so it is the part that deserves six degrees of freedom.
    joints: { jaw: 'floating', shank: 'y' },
    others: 'spherical',
  },
} satisfies Record<string, FigureChoice>;

/** The built-in human figures. */
export type FigureName = keyof typeof FIGURES;

/**
 * How far hinges go, degrees, left side: rounded typical values after American Academy of Orthopaedic Surgeons, Joint
 * Motion (1965); those of chest, head and clavicle are estimates. All angles are right-handed about the axis.
 */
export const HINGE_LIMITS: Readonly<Record<string, Readonly<Partial<Record<Axis, readonly [number, number]>>>>> = {
  // Bending left or right, forward, turning.
  waist: { x: [-35, 35], y: [-25, 80], z: [-45, 45] },
  chest: { x: [-20, 20], y: [-15, 35], z: [-30, 30] },
  neck: { x: [-45, 45], y: [-45, 45], z: [-60, 60] },
  head: { y: [-15, 15] },
  // Raising; drawing back.
  clavicle: { x: [-10, 40], z: [-25, 25] },
  // Abduction; backward (negative: forward and up); turning outward.
  shoulder: { x: [-75, 180], y: [-180, 60], z: [-70, 90] },
  elbow: { y: [-150, 0] },
  // Bending back (negative: towards the palm); towards the little finger; supination.
  wrist: { x: [-80, 70], y: [-20, 30], z: [-80, 80] },
  // Abduction; backward (negative: flexion); turning outward.
  hip: { x: [-30, 45], y: [-120, 30], z: [-45, 45] },
  knee: { y: [0, 135] },
  // Eversion (negative: inversion); toes down.
  ankle: { x: [-35, 15], y: [-20, 50] },
  toes: { y: [-70, 45] },
};

/**
 * Damping of joints that nobody moves, N m s/rad: estimates of their size, so that a figure that falls comes to rest as people do. No
 * part of the figures themselves, whose papers have none; scenes add it.
 */
const DAMPING: Readonly<Record<string, number>> = {
  waist: 4,
  chest: 4,
  lumbar: 4,
  thoracic: 4,
  neck: 0.8,
  cervical: 0.8,
  head: 0.5,
  jaw: 0.02,
  clavicle: 1,
  shoulder: 1,
  elbow: 0.4,
  wrist: 0.1,
  hip: 2.5,
  knee: 1,
  ankle: 0.6,
  toes: 0.1,
};
/** Of fingers. */
const LEAST_DAMPING = 0.002;

/** What a joint of a figure has, by its name: `left_knee`, `right_hip_x`, `figure_2_neck_z`. */
export function figureDamping(joint: string): number {
  const words = joint.split('_');
  const known = words.find((word) => Object.hasOwn(DAMPING, word));
  return known === undefined ? LEAST_DAMPING : DAMPING[known];
}
