// Which foot carries the figure, frame by frame.
//
// A foot touches the ground where one of its points is low and slow. Captured ground is not quite level, so low means
// near the lowest point of either foot within half a second. What is slow goes with the size of the figure: a share of
// sqrt(g leg), the speed that Froude numbers are made of; and is counted from the speed of the ground, which a treadmill
// has: that of the lowest point, in the median over the motion. Where no foot touches but the motion needs a force from
// outside, the lower foot is taken to give it. Short gaps and short touches are noise.

import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { dot, norm, scale, subtract, type Vec3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { type BodySide, namedPart } from './segments.js';

/** A foot: the body that carries the figure on it, and the points that may touch the ground. */
export interface Foot {
  readonly side: BodySide;
  /** Index of the body that carries the figure when it stands on this foot. */
  readonly body: number;
  /** Points of the sole, each in its body. */
  readonly points: readonly FootPoint[];
}

export interface FootPoint {
  readonly body: number;
  readonly at: Vec3;
}

/** How the figure is carried: by one foot, by both, by none. */
export type SupportKind = 'left' | 'right' | 'double' | 'none';

/** Which feet carry the figure in a frame. */
export interface Support {
  readonly kind: SupportKind;
  /** Indices into the feet: those that touch; the one that carries the figure comes first. */
  readonly feet: readonly number[];
}

/** Low: within this share of the figure's height of the lowest point around. */
const LOW = 0.03;
/** Slow: below this share of sqrt(g leg). */
const SLOW = 0.25;
/** Legs are half of the height. */
const LEG_SHARE = 0.5;
/** Seconds to either side within which the lowest point is the ground. */
const GROUND_WINDOW = 0.5;
/** Seconds below which a touch, or a gap between touches, is noise. */
const SHORTEST = 0.05;
/** A force of this share of the weight has to come from somewhere. */
export const CARRIED = 0.2;
/** A foot with another part of the body lower than it by this share of the height does not carry: hands do, or a seat. */
const OVERHEAD = 0.15;

/** Feet of a mechanism by the names of its bodies: heel and toes at their origins. */
export function feetByName(mechanism: Mechanism): Foot[] {
  const named = mechanism.bodies.map(({ name }) => namedPart(name));
  return (['left', 'right'] as const).flatMap((side) => {
    const body = named.findIndex((known) => known.part === 'foot' && known.side === side);
    if (body < 0) return [];
    const toe = named.findIndex((known) => known.part === 'toe' && known.side === side);
    const points = [body, ...(toe < 0 ? [] : [toe])].map((point) => ({ body: point, at: [0, 0, 0] as const }));
    return [{ side, body, points }];
  });
}

export interface SupportInput {
  readonly feet: readonly Foot[];
  readonly count: number;
  readonly interval: number;
  /** Of each frame, bodies x 12. */
  readonly poses: readonly Float64Array[];
  /** Of each frame: the vertical force that the motion needs, as a share of the weight. */
  readonly load: ArrayLike<number>;
  readonly gravity: Vec3;
  /** Of the figure, metres. */
  readonly height: number;
}

export function findSupport(input: SupportInput): Support[] {
  const { feet, count, gravity } = input;
  if (feet.length === 0)
    throw MechanismError.of(
      'no-feet',
      '',
      'No body is called a foot; say which body carries the figure, or none where the ground holds its root.',
    );
  const up = upOf(gravity);
  const points = feet.map((foot) => foot.points.map((point) => input.poses.map((pose) => pointAt(pose, point))));
  const touching = contacts(input, points, up);
  return Array.from({ length: count }, (_, frame) => {
    const down = feet.map((_, f) => f).filter((f) => touching[f][frame]);
    return { kind: kindOf(feet, down), feet: down };
  });
}

export function kindOf(feet: readonly Foot[], down: readonly number[]): SupportKind {
  if (down.length === 0) return 'none';
  if (down.length > 1) return 'double';
  return feet[down[0]].side === 'right' ? 'right' : 'left';
}

/** The direction against gravity; z where there is none. */
export function upOf(gravity: Vec3): Vec3 {
  return norm(gravity) > 0 ? scale(-1 / norm(gravity), gravity) : [0, 0, 1];
}

/** A point of a body in ground coordinates; poses as Dynamics.poses gives them. */
export function pointAt(pose: Float64Array, { body, at }: FootPoint): Vec3 {
  const P = pose.subarray(TRANSFORM * body, TRANSFORM * (body + 1));
  return [
    P[9] + P[0] * at[0] + P[3] * at[1] + P[6] * at[2],
    P[10] + P[1] * at[0] + P[4] * at[1] + P[7] * at[2],
    P[11] + P[2] * at[0] + P[5] * at[1] + P[8] * at[2],
  ];
}

/** Feet whose heights differ by no more than this share of the figure's height are level. */
const LEVEL = 0.005;

/** Of each foot, in each frame: whether it touches. `points`: of each foot, of each of its points, in each frame. */
function contacts(input: SupportInput, points: readonly (readonly Vec3[])[][], up: Vec3): boolean[][] {
  const { count, interval, height, gravity, load } = input;
  const slow = SLOW * Math.sqrt(norm(gravity) * LEG_SHARE * height);
  const heights = points.map((foot) => foot.map((track) => track.map((point) => dot(point, up))));
  const footHeight = heights.map((foot) => Array.from({ length: count }, (_, k) => least(foot.map((h) => h[k]))));
  const lowest = Array.from({ length: count }, (_, k) => least(footHeight.map((track) => track[k])));
  const reach = Math.max(1, Math.round(GROUND_WINDOW / interval));
  const ground = lowest.map((_, k) => least(lowest.slice(Math.max(0, k - reach), k + reach + 1)));
  const moving = groundVelocity(points, heights, interval);
  const raised = input.poses.map((pose, k) => {
    let low = Infinity;
    for (let at = 0; at < pose.length; at += TRANSFORM)
      low = Math.min(low, up[0] * pose[at + 9] + up[1] * pose[at + 10] + up[2] * pose[at + 11]);
    return footHeight.map((track) => track[k] > low + OVERHEAD * height);
  });
  const touching = points.map((foot, f) =>
    Array.from(
      { length: count },
      (_, k) =>
        !raised[k][f] &&
        foot.some(
          (track, p) =>
            heights[f][p][k] < ground[k] + LOW * height && norm(subtract(velocity(track, k, interval), moving)) < slow,
        ),
    ),
  );
  for (let k = 0; k < count; k++) {
    if (load[k] <= CARRIED || touching.some((touches) => touches[k])) continue;
    // The lower foot; both where neither is lower, as when somebody jumps with both.
    footHeight.forEach((track, f) => {
      if (track[k] <= lowest[k] + LEVEL * height) touching[f][k] = !raised[k][f];
    });
  }
  const shortest = Math.max(1, Math.round(SHORTEST / interval));
  for (const touches of touching) {
    closeShort(touches, false, shortest);
    closeShort(touches, true, shortest);
  }
  return touching;
}

function least(values: readonly number[]): number {
  return values.reduce((low, value) => Math.min(low, value), Infinity);
}

/** Of a point on its way, by the frames before and after. */
function velocity(track: readonly Vec3[], frame: number, interval: number): Vec3 {
  const [a, b] = [Math.max(0, frame - 1), Math.min(track.length - 1, frame + 1)];
  return scale(1 / (Math.max(1, b - a) * interval), subtract(track[b], track[a]));
}

/** Velocity of the lowest point of all, in the median over the motion, component by component. */
function groundVelocity(
  points: readonly (readonly Vec3[])[][],
  heights: readonly (readonly number[])[][],
  interval: number,
): Vec3 {
  const tracks = points.flat();
  const levels = heights.flat();
  const found = tracks[0].map((_, k) => {
    const p = levels.reduce((best, level, i) => (level[k] < levels[best][k] ? i : best), 0);
    return velocity(tracks[p], k, interval);
  });
  const median = (axis: number): number => found.map((v) => v[axis]).sort((a, b) => a - b)[found.length >> 1];
  return [median(0), median(1), median(2)];
}

/** Runs of that value that are too short become the other one; those at the ends may go on outside and stay. */
function closeShort(values: boolean[], value: boolean, shortest: number): void {
  for (let k = 0; k < values.length; ) {
    let end = k;
    while (end < values.length && values[end] === values[k]) end++;
    if (values[k] === value && end - k < shortest && k > 0 && end < values.length) values.fill(!value, k, end);
    k = end;
  }
}

/**
 * A choice that the user gave: a word or body for the whole motion, or "time:choice" pairs with commas between them,
 * each good from its time on. Words are left, right, both and none.
 */
export function givenSupport(
  text: string,
  feet: readonly Foot[],
  mechanism: Mechanism,
  times: ArrayLike<number>,
): { feet: Foot[]; supports: Support[] } {
  const all = [...feet];
  const indexOf = (word: string): readonly number[] => {
    if (word === 'none') return [];
    if (word === 'both' || word === 'double') {
      const [left, right] = [sideFoot('left'), sideFoot('right')];
      return [left, right];
    }
    if (word === 'left' || word === 'right') return [sideFoot(word)];
    const body = mechanism.bodyIndex(word);
    const known = all.findIndex((foot) => foot.body === body);
    if (known >= 0) return [known];
    all.push({ side: namedPart(word).side, body, points: [{ body, at: [0, 0, 0] }] });
    return [all.length - 1];
  };
  const sideFoot = (side: BodySide): number => {
    const found = feet.findIndex((foot) => foot.side === side);
    if (found < 0) throw MechanismError.of('no-feet', 'support', `No body is called the ${side} foot; name a body.`);
    return found;
  };
  const steps = text.split(',').map((item, k) => {
    const at = item.lastIndexOf(':');
    const time = at < 0 ? (k === 0 ? Number.NEGATIVE_INFINITY : Number.NaN) : Number(item.slice(0, at));
    if (Number.isNaN(time) || (at >= 0 && item.slice(0, at).trim() === ''))
      throw MechanismError.of(
        'support',
        'support',
        `Expected a foot, or pairs like 0:left,0.5:both,0.6:right, got "${item.trim()}".`,
      );
    return { time, feet: indexOf(item.slice(at + 1).trim()) };
  });
  if (steps.some(({ time }, k) => k > 0 && !(time > steps[k - 1].time)))
    throw MechanismError.of('support', 'support', 'The times of the support must increase.');
  const supports = Array.from(times, (time) => {
    const step = steps.findLast((candidate) => candidate.time <= time + 1e-9) ?? steps[0];
    return { kind: kindOf(all, step.feet), feet: step.feet };
  });
  return { feet: all, supports };
}

/** Frames where a foot begins to touch, after frames where it did not. */
export function landings(supports: readonly Support[], foot: number): number[] {
  const touches = (k: number): boolean => supports[k].feet.includes(foot);
  return supports.map((_, k) => k).filter((k) => k > 0 && touches(k) && !touches(k - 1));
}
