// The rhythm of a motion, and means over whole strides.
//
// A stride lasts as long as the body takes to come back to the same pose: the lag at which the joint angles differ least
// from themselves. Landings alone would do where steps are even; but a landing is known to some frames only, and where
// the force changes fast that spoils a mean over one stride. The mean is taken over all stretches of one stride that the
// motion holds, whatever the phase they begin in.

import { GROUND, type Joint, type Mechanism } from '../mechanism/mechanism.js';
import { landings, type Support } from './support.js';
import type { Positions } from './trajectory.js';

/** Strides of a gait laid over each other. */
export interface Strides {
  /** Seconds. */
  readonly duration: number;
  /** Vertical force over one stride as a share of the weight: mean over all beginnings, and the extremes. */
  readonly mean: number;
  readonly lowest: number;
  readonly highest: number;
  /** From landing to landing of the same foot, with the mean of each. */
  readonly byLanding: readonly {
    readonly foot: string;
    readonly from: number;
    readonly to: number;
    readonly mean: number;
  }[];
}

/** Seconds. */
const SHORTEST_STRIDE = 0.3;
const LONGEST_STRIDE = 3;
/** Frames that are compared at each lag, at most. */
const COMPARED = 400;
/** A minimum counts where the poses differ this much less than at any lag. */
const CLEAR = 0.25;
/** The first minimum about as deep as the deepest is the stride; those after it are several strides. */
const AS_DEEP = 2;

export function stridesOf(
  positions: Positions,
  vertical: readonly number[],
  supports: readonly Support[],
  feet: readonly string[],
): Strides | undefined {
  const { start, interval, count } = positions;
  // Who stands, jumps once or turns a cartwheel has poses alike, too, but takes no steps.
  const steps = feet.every((_, f) => supports.some(({ feet: down }) => down.length === 1 && down[0] === f));
  const hops = feet.some((_, f) => landings(supports, f).length > 1);
  const lag = steps || hops ? strideFrames(positions) : undefined;
  if (lag === undefined) return undefined;
  const means = Array.from({ length: count - lag }, (_, from) => meanOver(vertical, from, from + lag));
  const byLanding = feet.flatMap((foot, f) => {
    const found = landings(supports, f);
    return found.slice(1).map((to, k) => ({
      foot,
      from: start + found[k] * interval,
      to: start + to * interval,
      mean: meanOver(vertical, found[k], to),
    }));
  });
  return {
    duration: lag * interval,
    mean: means.reduce((sum, value) => sum + value, 0) / means.length,
    lowest: means.reduce((low, value) => Math.min(low, value), Infinity),
    highest: means.reduce((high, value) => Math.max(high, value), -Infinity),
    byLanding,
  };
}

/** The integral by trapezoids, divided by the time. */
function meanOver(values: readonly number[], from: number, to: number): number {
  let sum = (values[from] + values[to]) / 2;
  for (let k = from + 1; k < to; k++) sum += values[k];
  return sum / (to - from);
}

/** Frames of a stride; undefined where the motion does not repeat itself. */
export function strideFrames(positions: Positions): number | undefined {
  const { mechanism, interval, count, q } = positions;
  const { nq } = mechanism;
  const joints = innerAngles(mechanism);
  const first = Math.max(2, Math.round(SHORTEST_STRIDE / interval));
  const last = Math.min(Math.round(LONGEST_STRIDE / interval), count - 2);
  if (joints.length === 0 || last <= first + 2) return undefined;
  const u = new Float64Array(6);
  const differences: number[] = [];
  for (let lag = first; lag <= last; lag++) {
    const step = Math.max(1, Math.floor((count - lag) / COMPARED));
    let sum = 0;
    let compared = 0;
    for (let frame = 0; frame + lag < count; frame += step, compared++)
      for (const { joint, angles } of joints) {
        joint.model.difference(u, 0, q, frame * nq + joint.iq, q, (frame + lag) * nq + joint.iq);
        for (const k of angles) sum += u[k] * u[k];
      }
    differences.push(sum / compared);
  }
  const usual = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  const minima = differences
    .map((value, k) => ({ value, lag: first + k }))
    .filter(({ value }, k) => k > 0 && value <= differences[k - 1] && value < (differences[k + 1] ?? -1));
  const deepest = minima.reduce((low, { value }) => Math.min(low, value), Infinity);
  if (!(deepest < CLEAR * usual)) return undefined;
  return minima.find(({ value }) => value <= AS_DEEP * deepest)?.lag;
}

/** Joints between bodies with mass, and which of their coordinates are angles. */
function innerAngles(mechanism: Mechanism): { joint: Joint; angles: readonly number[] }[] {
  const { joints, bodies } = mechanism;
  const hangsFreely = (b: number): boolean => b === GROUND || (bodies[b].mass === 0 && hangsFreely(joints[b].parent));
  return joints
    .filter(({ parent }) => !hangsFreely(parent))
    .map((joint) => ({ joint, angles: anglesOf(joint) }))
    .filter(({ angles }) => angles.length > 0);
}

function anglesOf({ type }: Joint): readonly number[] {
  switch (type) {
    case 'revolute':
    case 'continuous':
    case 'helical':
    case 'cylindrical':
      return [0];
    case 'universal':
      return [0, 1];
    case 'planar':
      return [2];
    case 'spherical':
    case 'floating':
      return [0, 1, 2];
    default:
      return [];
  }
}
