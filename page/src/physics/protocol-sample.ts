// The numbers of a moment that plots show. The physics notes them 60 times a simulated second, however seldom the page draws.

import type { Frame } from './protocol.js';

/** `forces`, `largest`, `upwards`: newtons of all contacts; from `member` on: of the chosen joint, by member and body. */
export const SAMPLE = [
  'time',
  'kinetic',
  'potential',
  'work',
  'contacts',
  'depth',
  'forces',
  'largest',
  'upwards',
  'member',
  'body',
  'position',
  'velocity',
  'effort',
  'force',
  'moment',
] as const;
export type Sample = Readonly<Record<(typeof SAMPLE)[number], number>>;

/** Of a frame. */
export function sampleOf({
  time,
  kinetic,
  potential,
  work,
  contacts,
  depth,
  contactForces: f,
  jointForce,
}: Frame): Sample {
  let [forces, largest, upwards] = [0, 0, 0];
  for (let o = 3; o < f.length; o += 6) {
    const size = Math.hypot(f[o], f[o + 1], f[o + 2]);
    forces += size;
    largest = Math.max(largest, size);
    upwards += f[o + 2];
  }
  const {
    member = -1,
    body = -1,
    position = Number.NaN,
    velocity = Number.NaN,
    effort = Number.NaN,
  } = jointForce ?? {};
  const [force, moment] = [jointForce?.force, jointForce?.moment].map((x) =>
    x === undefined ? Number.NaN : Math.hypot(...x),
  );
  const ofJoint = { member, body, position, velocity, effort, force, moment };
  return { time, kinetic, potential, work, contacts, depth, forces, largest, upwards, ...ofJoint };
}

/** One after the other, as numbers that are handed over. */
export function packed(samples: readonly Sample[]): Float64Array {
  return Float64Array.from(samples.flatMap((sample) => SAMPLE.map((name) => sample[name])));
}

export function unpacked(numbers: Float64Array): Sample[] {
  const { length } = SAMPLE;
  return Array.from(
    { length: numbers.length / length },
    (_, row) => Object.fromEntries(SAMPLE.map((name, k) => [name, numbers[row * length + k]])) as Sample,
  );
}
