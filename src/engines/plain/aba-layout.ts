// Scratch memory of the articulated-body algorithm: one record for the ground, then one for each link, so that the
// parent of link i is always a record too. aba.ts and aba-wide.ts read and write it.

import { JOINT_TYPES, PARAMETERS, PITCH, SENSE } from '../../joints/index.js';
import type { Tree } from '../../mechanism/tree.js';
import { INERTIA, TRANSFORM } from '../../spatial/spatial.js';

/**
 * The inertia that a joint feels is singular where the pivots of its elimination are, together, below this part of what was there
 * before: each pivot's rounding error grows by what the ones before it have lost.
 */
export const SINGULAR = 1e-13;

/** Fields of a record: name, numbers, meaning, the pass that writes it. */
export const COS = 0; // 1   cosine of the joint angle; pass 1, screws
export const SIN = 1; // 1   sine
export const R = 2; // 3     link origin in parent coordinates; pass 1
export const OMEGA = 5; // 3 angular velocity; pass 1
export const ALPHA = 8; // 3 angular acceleration without qdd; pass 1
export const ACC = 11; // 3  acceleration of the link's origin without qdd, less gravity; pass 1
export const W = 14; // 9    [alpha x] + [omega x]^2: point x of the link accelerates with ACC + W x; pass 1
export const IA_J = 23; // 6 articulated inertia I_A = [J H; H^T M]: xx xy xz yy yz zz; pass 1, added to in pass 2
export const IA_H = 29; // 9 row major
export const IA_M = 38; // 6
export const PA = 44; // 6   bias force p_A; pass 1, added to in pass 2
export const G = 50; // 6    U / D; pass 2, screws
export const UD = 56; // 1   u / D; pass 2, screws
export const DELTA = 57; // 6 acceleration due to qdd; pass 3
/** Numbers in a record: a multiple of 8, so records keep their place in cache lines. */
export const RECORD = 64;

/** Fields of the constants of a link. */
export const C_E = 0; // 9    rotation of the joint's placement
export const C_T = 9; // 3    its origin
export const C_MASS = 12; // 1
export const C_H = 13; // 3   first moment
export const C_I = 16; // 6   rotational inertia about the link's origin
export const C_SIGMA = 22; // 6 second moments: integral of x x^T
export const C_TURN = 28; // 1  screws: turn about z for each unit of the coordinate (0 or 1)
export const C_ADVANCE = 29; // 1 screws: advance along z for each unit of the coordinate
export const C_SENSE = 30; // 1 screws: the coordinate is q times 1 or -1
export const CONSTANTS = 32;

/** Fields of a wide joint (anything that is not a screw), in AbaScratch.wide. */
export const WIDE_X = 0; // 12     parent link frame to link frame
export const WIDE_S = 12; // 6 nv  motion space
export const WIDE_U = 48; // 6 nv  I_A S
export const WIDE_D = 84; // nv^2  Cholesky factor of S^T I_A S + armature
export const WIDE_u = 120; // nv   tau - S^T p_A
export const WIDE = 128;

/** Revolute, prismatic, helical joints. */
export const SCREW = 0;
/** Spherical joints. */
export const BALL = 1;
/** Floating joints to the ground. */
export const FREE = 2;
/** Everything else. */
export const OTHER = 3;

export interface AbaScratch {
  /** Records: the ground, n links, and a spare one. */
  readonly s: Float64Array;
  /** n x CONSTANTS. */
  readonly c: Float64Array;
  /** Which steps each link can take: SCREW, BALL, FREE or OTHER. */
  readonly shortCut: Uint8Array;
  /** Which it takes in this call. */
  readonly step: Uint8Array;
  /** Offset of each link's wide fields; -1 for screws. */
  readonly wideAt: Int32Array;
  readonly wide: Float64Array;
  /** 27: an articulated inertia and bias force on their way to the parent. */
  readonly carried: Float64Array;
  /** 24: joint transform and joint velocity of one wide joint. */
  readonly work: Float64Array;
}

/** [turn, advance] for each unit of the coordinate, or undefined for types that are not screws about z. */
function screw(name: string, pitch: number): readonly [number, number] | undefined {
  switch (name) {
    case 'revolute':
    case 'continuous':
      return [1, 0];
    case 'prismatic':
      return [0, 1];
    case 'helical':
      return [1, pitch];
    default:
      return undefined;
  }
}

/** `general`: links that take the general steps whatever their joint, so that their wide fields are there to be read. */
export function createAba(tree: Tree, general: (link: number) => boolean = () => false): AbaScratch {
  const { n, X, inertia, parameters, type } = tree;
  const c = new Float64Array(n * CONSTANTS);
  const shortCut = new Uint8Array(n);
  const wideAt = new Int32Array(n);
  let wide = 0;
  for (let i = 0; i < n; i++) {
    const k = CONSTANTS * i;
    const I = INERTIA * i;
    for (let j = 0; j < TRANSFORM; j++) c[k + C_E + j] = X[TRANSFORM * i + j];
    for (let j = 0; j < INERTIA; j++) c[k + C_MASS + j] = inertia[I + j];
    const half = (inertia[I + 4] + inertia[I + 7] + inertia[I + 9]) / 2;
    c[k + C_SIGMA] = half - inertia[I + 4];
    c[k + C_SIGMA + 1] = -inertia[I + 5];
    c[k + C_SIGMA + 2] = -inertia[I + 6];
    c[k + C_SIGMA + 3] = half - inertia[I + 7];
    c[k + C_SIGMA + 4] = -inertia[I + 8];
    c[k + C_SIGMA + 5] = half - inertia[I + 9];
    const { name } = JOINT_TYPES[type[i]];
    const turnAndAdvance = general(i) ? undefined : screw(name, parameters[PARAMETERS * i + PITCH]);
    if (turnAndAdvance === undefined) {
      shortCut[i] = general(i)
        ? OTHER
        : name === 'spherical'
          ? BALL
          : name === 'floating' && tree.parent[i] < 0
            ? FREE
            : OTHER;
      wideAt[i] = wide;
      wide += WIDE;
    } else {
      shortCut[i] = SCREW;
      wideAt[i] = -1;
      c[k + C_TURN] = turnAndAdvance[0];
      c[k + C_ADVANCE] = turnAndAdvance[1];
      c[k + C_SENSE] = parameters[PARAMETERS * i + SENSE];
    }
  }
  return {
    s: new Float64Array((n + 2) * RECORD),
    c,
    shortCut,
    step: new Uint8Array(n),
    wideAt,
    wide: new Float64Array(wide),
    carried: new Float64Array(27),
    work: new Float64Array(24),
  };
}
