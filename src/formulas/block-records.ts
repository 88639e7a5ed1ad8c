// What a block is (block-formulas.ts), its phases, and where the numbers stand that pass between blocks.

import type { ScaledPlan } from '../plan/length-units.js';
import type { Source } from '../plan/rooted-plan.js';
import type { Size } from './part-record.js';

/** A block that hangs from a link of this one. */
export interface BlockChild {
  readonly link: number;
  /**
   * 'inner': of the same segment. 'segment': of another one, whose inertia is waited for. 'port': of another one, which
   * is assembled at the same time; this block tells how it answers to a force there (mixed.ts).
   */
  readonly kind: 'inner' | 'segment' | 'port';
  /** The way to blocks of other segments leads on through it: it is told the angular velocity in the first phase. */
  readonly leads: boolean;
  /** It waits for other segments. */
  readonly waits: boolean;
  /** The port of the segment lies beyond it. */
  readonly passesPort: boolean;
  /** For a port at a ball joint. */
  readonly ball?: BallPlace;
}

/** A ball joint that carries another segment: its place in the link (PlanLink), and whether it is read backwards. */
export interface BallPlace {
  readonly E: readonly number[];
  readonly t: readonly number[];
  readonly reversed: boolean;
}

export interface Block {
  /** Its links; parent -1 is the base. Offsets of coordinates count from the block's own. */
  readonly plan: ScaledPlan;
  /**
   * What the base is: the ground; nothing, the block's one root being free in space; a link whose reference motion is
   * rest; or any other link.
   */
  readonly base: 'ground' | 'free' | 'rest' | 'moving';
  readonly children: readonly BlockChild[];
  /** What the first phase tells: angular velocities, or how they follow from that of the segment's base. */
  readonly spin: 'none' | 'direct' | 'relative';
  /** Where the angular velocity is known to begin with: 'base', 'source', or child k. */
  readonly spinFrom: 'base' | 'source' | number;
  /** All positions belong to the first phase: its segment has to wait for an angular velocity before the second one. */
  readonly early: boolean;
  /** The root block of its segment. */
  readonly top: boolean;
  /** Dimensions of what it hangs by; 3 where its one root hangs by a ball joint at the port of another segment. */
  readonly handle: Size;
  /** Dimensions of the segment's port, if that lies in this block or beyond it; else 0. */
  readonly port: Size;
  /** Links whose joint is read backwards by a change of coordinates (ball and universal joints). */
  readonly reversed: readonly number[];
  /** The author's free root, where it is not the root of the computation. */
  readonly source?: Source;
}

/** Phases in order. */
export const SPIN = 0;
export const MOVE = 1;
export const GATHER = 2;
export const COMPLETE = 3;
export const LEAD = 4;
export const FOLLOW = 5;
export const FINISH = 6;
export const PHASES = 7;

/** Arrays after those of unit-formulas.ts: coordinates of the author's free root, then the block's records. */
export const SOURCE_Q = 7;
export const SOURCE_V = 8;
export const SOURCE_TAU = 9;
export const SOURCE_QDD = 10;
export const BASE = 11;
export const UP = 12;
/** How angular velocities at the base follow from the segment's base, or the velocity itself; written by the parent. */
export const REL = 13;
/** The angular velocity of the base, where the block knows it from below; written by the block. */
export const RISE = 14;
/** The force at the port of the segment, g of mixed.ts. */
export const FORCE = 15;
/** For child k: its base, up, rel and rise, and the position and force of its first joint. */
const CHILDREN = 16;
export const CHILD_ARRAYS = 6;
export const childArray = (k: number, which: 0 | 1 | 2 | 3 | 4 | 5): number => CHILDREN + CHILD_ARRAYS * k + which;
export const CHILD_BASE = 0;
export const CHILD_UP = 1;
export const CHILD_REL = 2;
export const CHILD_RISE = 3;
export const CHILD_Q = 4;
export const CHILD_TAU = 5;

/** Offsets in records, in numbers. */
/**
 * What is told on the way down (delta, and the force at the port of the part) stands apart from the reference motion, and
 * both from what is needed at the end for a ball joint: the angular acceleration above it, then what it does by itself, and
 * its rotation.
 */
export const BASE_RECORD = {
  delta: 0,
  force: 6,
  w: 16,
  alpha: 19,
  a: 22,
  turn: 32,
  ball: 40,
  rotation: 43,
  size: 52,
} as const;
/** Columns 0 and 1 of R two by two, then column 2 and w: w_here = R w_base + w. Or just w, in the first three. */
export const REL_RECORD = { size: 16 } as const;
