// Motions that nobody captured, as BVH: a figure of legs, trunk and arms that jumps with both feet, or sits down.

import { Random } from '../../src/mechanism/random.js';

const leg = (
  side: string,
  x: number,
): string => `JOINT ${side}UpLeg { OFFSET ${x} 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
JOINT ${side}Leg { OFFSET 0 -42 0 CHANNELS 3 Zrotation Xrotation Yrotation
JOINT ${side}Foot { OFFSET 0 -42 0 CHANNELS 3 Zrotation Xrotation Yrotation
JOINT ${side}ToeBase { OFFSET 0 -6 14 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 0 6 } } } } }`;
const HIERARCHY = `HIERARCHY ROOT Hips { OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation ${leg('Left', 9)} ${leg('Right', -9)}
JOINT Spine { OFFSET 0 10 0 CHANNELS 3 Zrotation Xrotation Yrotation
JOINT Head { OFFSET 0 56 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 18 0 } } } }`
  .replace(/([{}])/g, '\n$1\n')
  .replace(/(CHANNELS|JOINT|End)/g, '\n$1');

const HIPS = 90;
const THIGH = 42;
const smooth = (x: number): number => {
  const s = Math.min(1, Math.max(0, x));
  return s * s * s * (10 - 15 * s + 6 * s * s);
};
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

interface Pose {
  readonly hips: readonly [number, number, number];
  /** Degrees: hip, knee and ankle, of both legs. */
  readonly bent: readonly [number, number, number];
}

function bvh(seconds: number, pose: (time: number) => Pose): string {
  const rows = Array.from({ length: 100 * seconds + 1 }, (_, k) => {
    const { hips, bent } = pose(k / 100);
    const ofLeg = [...bent, 0].flatMap((angle) => [0, angle, 0]);
    return [...hips, 0, 0, 0, ...ofLeg, ...ofLeg, 0, 0, 0, 0, 0, 0].join(' ');
  });
  return `${HIERARCHY}\nMOTION\nFrames: ${rows.length}\nFrame Time: 0.01\n${rows.join('\n')}\n`;
}

/** Bends for 0.6 s, pushes off, is in the air for 0.45 s from 0.83 s on, lands as it took off, and rises: as people could. Centimetres. */
export const jumpBvh = (): string => {
  const [deep, shallow, takeOff] = [30, 5, 220];
  const push = (2 * (deep - shallow)) / takeOff;
  const inAir = (2 * takeOff) / 981;
  const [rises, lands] = [0.6 + push, 0.6 + push + inAir];
  /** How much lower the hips are than with straight legs, seconds after the deepest point. */
  const pushed = (t: number): number => deep - (takeOff * t * t) / (2 * push);
  return bvh(2.5, (t) => {
    const lower =
      t < 0.6
        ? deep * smooth(t / 0.6)
        : t < rises
          ? pushed(t - 0.6)
          : t < lands
            ? shallow
            : t < lands + push
              ? pushed(lands + push - t)
              : deep * (1 - smooth((t - lands - push) / 0.6));
    const flight = t > rises && t < lands ? (981 / 2) * (t - rises) * (lands - t) : 0;
    const crouch = (Math.acos(1 - lower / (2 * THIGH)) * 180) / Math.PI;
    return { hips: [0, HIPS - lower + flight, 0], bent: [-crouch, 2 * crouch, -crouch] };
  });
};

/** The hips drop by 30 cm within 0.25 s, feet on the ground: faster than anybody falls. */
export const plungeBvh = (): string =>
  bvh(2, (t) => {
    const lower = 30 * smooth((t - 0.8) / 0.25);
    const crouch = (Math.acos(1 - lower / (2 * THIGH)) * 180) / Math.PI;
    return { hips: [0, HIPS - lower, 0], bent: [-crouch, 2 * crouch, -crouch] };
  });

/** From 0.5 to 1.7 s the thighs come level, the shanks stay upright: the hips are 0.4 m behind the feet. */
export const sitBvh = (): string =>
  bvh(3, (t) => {
    const bend = 85 * smooth((t - 0.5) / 1.2);
    const back = -THIGH * Math.sin(radians(bend));
    return { hips: [0, HIPS - THIGH * (1 - Math.cos(radians(bend))), back], bent: [-bend, bend, 0] };
  });

/** As cameras see it: positions of the root off by about so many centimetres, angles by so many degrees. */
export function noisy(text: string, position: number, angle: number, seed: number): string {
  const random = new Random(seed);
  // Three numbers even in [-1, 1] have the variance 1.
  const noise = (): number => random.between(-1, 1) + random.between(-1, 1) + random.between(-1, 1);
  const start = text.indexOf('\n', text.indexOf('Frame Time')) + 1;
  const rows = text.slice(start).trim().split('\n');
  const moved = rows.map((row) =>
    row.split(' ').map((value, c) => Number(value) + (c < 3 ? position : angle) * noise()),
  );
  return text.slice(0, start) + moved.map((row) => row.join(' ')).join('\n');
}
