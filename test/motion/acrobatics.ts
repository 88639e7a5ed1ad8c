// Motions on hands, as BVH: a cartwheel and a handstand, made by placing hands and feet on the ground and bending knees and
// elbows to reach them. All of it is in the plane of the body, x and y; lengths in centimetres.

const TRUNK = 50;
const LEG = 45;
const ARM = 37;
const SOLE = 7;
const PALM = 5;

const chain = (names: readonly string[], offsets: readonly string[], end: string): string =>
  names.reduceRight(
    (inside, name, k) => `JOINT ${name} { OFFSET ${offsets[k]} CHANNELS 3 Zrotation Xrotation Yrotation ${inside} }`,
    `End Site { OFFSET ${end} }`,
  );
const leg = (side: string, z: number): string =>
  chain(
    [`${side}UpLeg`, `${side}Leg`, `${side}Foot`, `${side}ToeBase`],
    [`0 0 ${z}`, `0 ${-LEG} 0`, `0 ${-LEG} 0`, '0 -5 13'],
    '0 0 6',
  );
const arm = (side: string, z: number): string =>
  chain([`${side}Arm`, `${side}ForeArm`, `${side}Hand`], [`0 ${TRUNK} ${z}`, `0 ${ARM} 0`, `0 ${ARM} 0`], '0 2 15');
const HIERARCHY =
  `HIERARCHY ROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  ${leg('Left', 8)} ${leg('Right', -8)} JOINT Spine { OFFSET 0 10 0 CHANNELS 3 Zrotation Xrotation Yrotation
  ${arm('Left', 14).replace(`${TRUNK} `, `${TRUNK - 10} `)} ${arm('Right', -14).replace(`${TRUNK} `, `${TRUNK - 10} `)}
  JOINT Head { OFFSET 0 55 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 18 0 } } } }`
    .replace(/([{}])/g, '\n$1\n')
    .replace(/(CHANNELS|JOINT|End)/g, '\n$1');

type Point = readonly [x: number, y: number];
export type Limb = 'LeftFoot' | 'RightFoot' | 'LeftHand' | 'RightHand';
const LIMBS = ['LeftFoot', 'RightFoot', 'LeftHand', 'RightHand'] as const;

/** A limb on the ground at x, from one time to another. */
export interface Contact {
  readonly limb: Limb;
  readonly from: number;
  readonly to: number;
  readonly x: number;
}

interface Acrobatics {
  readonly seconds: number;
  /** The middle of the trunk, and how far the body has turned, clockwise, in degrees. */
  readonly trunk: (time: number) => { readonly at: Point; readonly turn: number };
  readonly contacts: readonly Contact[];
}

const smooth = (x: number): number => {
  const s = Math.min(1, Math.max(0, x));
  return s * s * s * (10 - 15 * s + 6 * s * s);
};
const degrees = (angle: number): number => (angle * 180) / Math.PI;

function acrobatics({ seconds, trunk, contacts }: Acrobatics): string {
  /** Along the body and across it, from the middle of the trunk, for a place in the world; and back. */
  const local = (time: number, [x, y]: Point): Point => {
    const { at, turn } = trunk(time);
    const a = (turn * Math.PI) / 180;
    const [dx, dy] = [x - at[0], y - at[1]];
    return [dx * Math.cos(a) - dy * Math.sin(a), dx * Math.sin(a) + dy * Math.cos(a)];
  };
  /** Where wrist or ankle is in the body's axes: on the ground, or on the way from one place there to the next. */
  const reach = (limb: Limb, time: number): Point => {
    const own = contacts.filter((contact) => contact.limb === limb);
    const height = limb.endsWith('Hand') ? PALM : SOLE;
    const on = own.find(({ from, to }) => time >= from && time <= to);
    if (on !== undefined) return local(time, [on.x, height]);
    const before = own.findLast(({ to }) => to < time);
    const after = own.find(({ from }) => from > time);
    // Free: straight away from the trunk.
    const free: Point = limb.endsWith('Hand') ? [0, TRUNK / 2 + 1.9 * ARM] : [0, -TRUNK / 2 - 1.9 * LEG];
    const away = (contact: Contact | undefined, at: number): readonly [Point, number] =>
      contact === undefined ? [free, 0] : [local(time, [contact.x, height]), 1 - smooth(Math.abs(time - at) / 0.5)];
    const [a, wa] = away(before, before?.to ?? 0);
    const [b, wb] = away(after, after?.from ?? 0);
    return [0, 1].map((k) => free[k] + wa * (a[k] - free[k]) + wb * (b[k] - free[k])) as unknown as Point;
  };
  /** Angles of both parts of a limb from its straight direction: `up` 1 for arms, -1 for legs. */
  const bent = ([x, y]: Point, length: number, up: number): readonly [number, number] => {
    const distance = Math.min(Math.hypot(x, y), 1.999 * length);
    const inner = Math.acos(distance / (2 * length));
    const towards = up > 0 ? Math.atan2(-x, y) : Math.atan2(x, -y);
    return [degrees(towards + inner), degrees(-2 * inner)];
  };
  const rows = Array.from({ length: 100 * seconds + 1 }, (_, k) => {
    const time = k / 100;
    const { at, turn } = trunk(time);
    const a = (turn * Math.PI) / 180;
    const hips = [at[0] - (TRUNK / 2) * Math.sin(a), at[1] - (TRUNK / 2) * Math.cos(a)];
    const angles = LIMBS.map((limb) => {
      const [x, y] = reach(limb, time);
      return limb.endsWith('Foot') ? bent([x, y + TRUNK / 2], LEG, -1) : bent([x, y - TRUNK / 2], ARM, 1);
    });
    const z = (angle: number): number[] => [angle, 0, 0];
    const legs = angles.slice(0, 2).flatMap(([first, second]) => [...z(first), ...z(second), ...z(0), ...z(0)]);
    const arms = angles.slice(2).flatMap(([first, second]) => [...z(first), ...z(second), ...z(0)]);
    return [...hips, 0, ...z(-turn), ...legs, ...z(0), ...arms, ...z(0)].map((value) => value.toFixed(5)).join(' ');
  });
  return `${HIERARCHY}\nMOTION\nFrames: ${rows.length}\nFrame Time: 0.01\n${rows.join('\n')}\n`;
}

/** Degrees that the body has turned: even in the middle, gentle at both ends. */
function turned(time: number): number {
  const s = Math.min(1, Math.max(0, (time - 0.5) / 3));
  return 360 * (s - Math.sin(2 * Math.PI * s) / (4 * Math.PI));
}

/** When it has turned so far. */
function timeOf(turn: number): number {
  let [low, high] = [0.5, 3.5];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (turned(middle) < turn) low = middle;
    else high = middle;
  }
  return low;
}

/** When the limbs are down in the cartwheel. */
export const CARTWHEEL: readonly Contact[] = [
  { limb: 'RightFoot', from: -1, to: timeOf(20), x: -25 },
  { limb: 'LeftFoot', from: -1, to: timeOf(100), x: 0 },
  { limb: 'LeftHand', from: timeOf(80), to: timeOf(235), x: 75 },
  { limb: 'RightHand', from: timeOf(105), to: timeOf(272), x: 115 },
  { limb: 'RightFoot', from: timeOf(255), to: 9, x: 175 },
  { limb: 'LeftFoot', from: timeOf(320), to: 9, x: 210 },
];

/** Stands for half a second, turns over both hands within three seconds, and stands again. */
export const cartwheelBvh = (): string =>
  acrobatics({
    seconds: 4,
    contacts: CARTWHEEL,
    trunk: (time) => {
      const turn = turned(time);
      const c = Math.cos((turn * Math.PI) / 180);
      const height = 79 + 11 * c + 18 * (2 * c * c - 1);
      return { at: [-12 + 105 * smooth((turn - 30) / 120) + 100 * smooth((turn - 210) / 120), height], turn };
    },
  });

/** On both hands throughout, the arms bending and stretching. */
export const handstandBvh = (): string =>
  acrobatics({
    seconds: 2,
    contacts: [
      { limb: 'LeftHand', from: -1, to: 9, x: -20 },
      { limb: 'RightHand', from: -1, to: 9, x: 20 },
    ],
    trunk: (time) => ({ at: [2 * Math.sin(3 * time), 90 + 6 * Math.cos(4 * time)], turn: 180 }),
  });
