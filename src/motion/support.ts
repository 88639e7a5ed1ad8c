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
import { BESIDE, distanceToPoints, seatedFrames, stretches } from './carriers.js';
import { type BodySide, namedPart } from './segments.js';

/** A foot, or what else may carry: the body that carries the figure on it, and the points that may touch the ground. */
export interface Foot {
  readonly side: BodySide;
  /** What it is where it is no foot. */
  readonly part?: 'hand' | 'seat' | 'other';
  /** Index of the body that carries the figure when it stands on this foot. */
  readonly body: number;
  /** Points of the sole, each in its body. */
  readonly points: readonly FootPoint[];
}

export interface FootPoint {
  readonly body: number;
  readonly at: Vec3;
}

/** How the figure is carried: by one foot, by both, by something else as well, by none. */
export type SupportKind = 'left' | 'right' | 'double' | 'other' | 'none';

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
  /** Feet, and behind them what else may carry. */
  readonly feet: readonly Foot[];
  readonly count: number;
  readonly interval: number;
  /** Of each frame, bodies x 12. */
  readonly poses: readonly Float64Array[];
  /** Of each frame: the vertical force that the motion needs, as a share of the weight. */
  readonly load: ArrayLike<number>;
  /** Of each frame: where on the ground the whole force acts, if there is one; for hands and seats. */
  readonly centres?: readonly (Vec3 | undefined)[];
  readonly gravity: Vec3;
  /** Of the figure, metres. */
  readonly height: number;
}

export function findSupport(input: SupportInput): Support[] {
  const { feet, count, gravity } = input;
  if (!feet.some(({ part }) => part === undefined))
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
  if (down.some((f) => feet[f].part !== undefined)) return 'other';
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

/** Hands are thicker than soles: their points are within this share of the height of the ground. */
const LOW_HAND = 0.05;

/** Of each carrier, in each frame: whether it touches. `points`: of each carrier, of each of its points, in each frame. */
function contacts(input: SupportInput, points: readonly (readonly Vec3[])[][], up: Vec3): boolean[][] {
  const { count, interval, height, gravity, load, feet } = input;
  const slow = SLOW * Math.sqrt(norm(gravity) * LEG_SHARE * height);
  const heights = points.map((foot) => foot.map((track) => track.map((point) => dot(point, up))));
  const lowestOf = heights.map((foot) => Array.from({ length: count }, (_, k) => least(foot.map((h) => h[k]))));
  const indices = (is: (foot: Foot) => boolean): number[] => feet.flatMap((foot, f) => (is(foot) ? [f] : []));
  const soles = indices(({ part }) => part === undefined);
  const hands = indices(({ part }) => part === 'hand');
  const shortest = Math.max(1, Math.round(SHORTEST / interval));
  const reach = Math.max(1, Math.round(GROUND_WINDOW / interval));
  const levelOf = (list: readonly number[]): number[] => {
    const lowest = Array.from({ length: count }, (_, k) => least(list.map((f) => lowestOf[f][k])));
    return lowest.map((_, k) => least(lowest.slice(Math.max(0, k - reach), k + reach + 1)));
  };
  const moving = groundVelocity(
    soles.map((f) => points[f]),
    soles.map((f) => heights[f]),
    interval,
  );
  const isSlow = (f: number, p: number, k: number): boolean =>
    norm(subtract(velocity(points[f][p], k, interval), moving)) < slow;
  const raised = input.poses.map((pose, k) => {
    let low = Infinity;
    for (let at = 0; at < pose.length; at += TRANSFORM)
      low = Math.min(low, up[0] * pose[at + 9] + up[1] * pose[at + 10] + up[2] * pose[at + 11]);
    return lowestOf.map((track) => track[k] > low + OVERHEAD * height);
  });
  const touches = (f: number, ground: readonly number[], low: number): boolean[] =>
    Array.from(
      { length: count },
      (_, k) => !raised[k][f] && heights[f].some((track, p) => track[k] < ground[k] + low * height && isSlow(f, p, k)),
    );
  const touching = feet.map(() => new Array<boolean>(count).fill(false));
  const ground = levelOf(soles);
  for (const f of soles) touching[f] = touches(f, ground, LOW);
  const down = (k: number): number[] => feet.flatMap((_, f) => (touching[f][k] ? [f] : []));
  /** What the motion needs cannot come from what touches: nothing does, or it would act beside it. */
  const unexplained = (k: number): boolean => {
    if (load[k] <= 2 * CARRIED) return false;
    const carriers = down(k);
    if (carriers.length === 0) return true;
    const centre = input.centres?.[k];
    if (centre === undefined) return false;
    const level = (point: Vec3): Vec3 => subtract(point, scale(dot(point, up), up));
    const around = carriers.flatMap((f) => points[f].map((track) => level(track[k])));
    return distanceToPoints(level(centre), around) > BESIDE;
  };
  const missing = Array.from({ length: count }, (_, k) => unexplained(k));
  const common = levelOf([...soles, ...hands]);
  for (const f of hands) {
    const near = touches(f, common, LOW_HAND);
    closeShort(near, false, shortest);
    for (const [from, to] of stretches(count, (k) => near[k])) {
      const needed = missing.slice(from, to + 1).filter((is) => is).length;
      if (needed >= shortest && to - from + 1 >= shortest) touching[f].fill(true, from, to + 1);
    }
  }
  for (let k = 0; k < count; k++) {
    // Beside hands on the ground a foot is down only where they are.
    if (hands.some((f) => touching[f][k]))
      for (const f of soles) touching[f][k] &&= lowestOf[f][k] < common[k] + LOW * height;
    if (load[k] <= CARRIED || down(k).length > 0) continue;
    // The lower foot; both where neither is lower, as when somebody jumps with both.
    const lowest = least(soles.map((f) => lowestOf[f][k]));
    for (const f of soles) if (lowestOf[f][k] <= lowest + LEVEL * height) touching[f][k] = !raised[k][f];
  }
  for (const list of touching) {
    closeShort(list, false, shortest);
    closeShort(list, true, shortest);
  }
  for (const f of indices(({ part }) => part === 'seat'))
    for (const [from, to] of seatedFrames(
      lowestOf[f].map((h, k) => h - common[k]),
      (k) => isSlow(f, 0, k),
      unexplained,
      LOW * height,
      interval,
    ))
      touching[f].fill(true, from, to + 1);
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
 * each good from its time on. Words are left, right, both and none; several carry together with "+" between them.
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
    all.push({ side: namedPart(word).side, part: 'other', body, points: [{ body, at: [0, 0, 0] }] });
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
    const words = item.slice(at + 1).split('+');
    return { time, feet: [...new Set(words.flatMap((word) => indexOf(word.trim())))] };
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
