// What else may carry a figure: hands on the ground, as in a cartwheel or a handstand, and the pelvis of somebody who sits.
//
// A hand counts where it is low and slow, like a foot, but only in stretches in which the feet cannot give what the motion
// needs: hands that pick something up carry nothing. A seat is not near the ground; what shows it is that the force acts
// beside the feet for some time, while the pelvis is lower than it was and keeps still.

import type { Problem } from '../mechanism/errors.js';
import { GROUND, type Mechanism } from '../mechanism/mechanism.js';
import { dot, norm, scale, subtract, type Vec3 } from '../spatial/matrix3.js';
import { namedPart } from './segments.js';
import type { Foot, FootPoint, Support } from './support.js';

/** Hands and pelvis of a mechanism by the names of its bodies, with the origins and centres of mass of hand and fingers. */
export function carriersByName(mechanism: Mechanism): Foot[] {
  const { bodies, joints } = mechanism;
  const named = bodies.map(({ name }) => namedPart(name));
  const within = (top: number, b: number): boolean => {
    for (let at = b; at !== GROUND; at = joints[at].parent) if (at === top) return true;
    return false;
  };
  const hands = (['left', 'right'] as const).flatMap((side): Foot[] => {
    const body = named.findIndex((known) => known.part === 'hand' && known.side === side);
    if (body < 0) return [];
    const points = bodies.flatMap(({ com }, b): FootPoint[] =>
      within(body, b) ? [{ body: b, at: [0, 0, 0] }, ...(norm(com) > 0 ? [{ body: b, at: com }] : [])] : [],
    );
    return [{ side, part: 'hand', body, points }];
  });
  const pelvis = named.findIndex(({ part }, b) => part === 'pelvis' && bodies[b].mass > 0);
  return pelvis < 0
    ? hands
    : [...hands, { side: '', part: 'seat', body: pelvis, points: [{ body: pelvis, at: [0, 0, 0] }] }];
}

/** Metres from what carries at which the force of the ground may act: soles are wider than their points. */
export const BESIDE = 0.2;
/** Seconds for which it acts there before a seat is thought of, or it is said. */
export const BESIDE_FOR = 0.3;
/** Who sits has the pelvis below this share of where it was at its highest. */
const SEATED = 0.85;

/** Stretches of frames [from, to] with a property. */
export function stretches(count: number, has: (frame: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let k = 0; k < count; k++) {
    if (!has(k)) continue;
    if (k > 0 && has(k - 1)) found[found.length - 1][1] = k;
    else found.push([k, k]);
  }
  return found;
}

/** Whether it holds in more than half of the frames up to `reach` away; those beyond the ends do not count. */
function mostAround(holds: readonly boolean[], reach: number): boolean[] {
  return holds.map((_, k) => {
    const around = holds.slice(Math.max(0, k - reach), k + reach + 1);
    return 2 * around.filter((is) => is).length > around.length;
  });
}

/** The distance of a point from the nearest line between any two of others. */
export function distanceToPoints(at: Vec3, points: readonly Vec3[]): number {
  let least = Infinity;
  for (const a of points)
    for (const b of points) {
      const [along, away] = [subtract(b, a), subtract(at, a)];
      const length = dot(along, along);
      const share = length > 0 ? Math.min(1, Math.max(0, dot(away, along) / length)) : 0;
      least = Math.min(least, norm(subtract(away, scale(share, along))));
    }
  return least;
}

/** Frames in which the pelvis is held up by something: [from, to] of each stretch. */
export function seatedFrames(
  heights: readonly number[],
  slow: (frame: number) => boolean,
  unexplainedThere: (frame: number) => boolean,
  level: number,
  interval: number,
): [number, number][] {
  // In most frames around: where the force acts, noise moves it to and fro.
  const unexplained = mostAround(
    Array.from(heights, (_, k) => unexplainedThere(k)),
    Math.round(BESIDE_FOR / 2 / interval),
  );
  const standing = heights.reduce((most, height) => Math.max(most, height), -Infinity);
  const seated = (k: number): boolean => slow(k) && heights[k] < SEATED * standing;
  return stretches(heights.length, (k) => seated(k) && unexplained[k]).flatMap(([from, to]): [number, number][] => {
    if ((to - from + 1) * interval < BESIDE_FOR) return [];
    // As long as it stays where it is.
    const seat = heights.slice(from, to + 1).sort((a, b) => a - b)[(to - from) >> 1];
    const still = (k: number): boolean =>
      k >= 0 && k < heights.length && seated(k) && Math.abs(heights[k] - seat) < level;
    while (still(from - 1)) from--;
    while (still(to + 1)) to++;
    return [[from, to]];
  });
}

/** One line that says what other than feet was found to carry, and when. */
export function otherCarriers(
  supports: readonly Support[],
  carriers: readonly Foot[],
  mechanism: Mechanism,
  time: (frame: number) => number,
): Problem[] {
  const seconds = (frame: number): number => Number(time(frame).toFixed(3));
  const found = carriers.flatMap(({ part, body }, c) => {
    if (part === undefined) return [];
    const name = mechanism.bodies[body].name;
    return stretches(supports.length, (k) => supports[k].feet.includes(c)).map(
      ([from, to]) => `${name}${part === 'seat' ? ' (a seat?)' : ''} from ${seconds(from)} to ${seconds(to)} s`,
    );
  });
  if (found.length === 0) return [];
  const message = `Not feet alone are taken to carry: ${found.join(', ')}. Feet could not give the force there; --support says otherwise.`;
  return [{ code: 'carried-by', where: '', message }];
}
