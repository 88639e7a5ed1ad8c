// A captured motion as a replay: the figure with the forces of the ground, its torques, who carries it, and the gait cycle.

import type { Motion } from '../files/read-motion.js';
import type { Shape } from '../mechanism/mechanism.js';
import { type GaitCycle, gaitCycles } from '../motion/gait-cycle.js';
import type { MotionForces } from '../motion/inverse.js';
import { everydayBody, everydayNames } from '../motion/segments.js';
import { upOf } from '../motion/support.js';
import { add, apply, axisFrame, dot, scale, transpose, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import type { Replay, ReplayPlot } from './replay.js';
import { ReplayRecorder } from './replay-recorder.js';

/** What `motionReplay` shows beside the forces of a motion. */
export interface MotionReplayOptions {
  readonly title: string;
  /** Of each frame, as `motion.forces` gives them. */
  readonly torques: readonly ArrayLike<number>[];
  /** Frames at either end that are left out of curves and gait cycles: the filter has no neighbours there. */
  readonly edge: number;
  /** Where the motion was cut to the times of `result`: the number of its first frame that is left. */
  readonly first?: number;
}

/** Between which numbers the torque of each coordinate lies. */
export interface TorqueBand {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** The torques that are possible while both feet are down: one of them may carry all. `torques` are those that were chosen. */
export function torqueBand(
  motion: Motion,
  { extremes }: MotionForces['frames'][number],
  torques: ArrayLike<number>,
  frame: number,
): TorqueBand | undefined {
  if (extremes === undefined) return undefined;
  const [one, other] = extremes.map((tau) => motion.forces(frame, tau));
  const pick = (choose: (...values: number[]) => number): number[] =>
    motion.coordinates.map((_, c) => choose(torques[c], one[c], other[c]));
  return { low: pick(Math.min), high: pick(Math.max) };
}

const WORDS = {
  left: 'left foot',
  right: 'right foot',
  double: 'both feet',
  none: 'no foot',
  other: 'hands or a seat, too',
} as const;
/** Curves that are shown until somebody chooses others. */
const SHOWN = 4;

/** A replay of a captured motion with the forces that `inverseOfMotion` found for it. */
export function motionReplay(motion: Motion, result: MotionForces, options: MotionReplayOptions): Replay {
  const { title, torques, edge, first = 0 } = options;
  const { frames, poses, mechanism, weight, mass, supports, strides } = result;
  const up = upOf(mechanism.gravity);
  const names = everydayNames(motion.coordinates);
  const chosen = strongest(motion, torques);
  const bands = frames.map((frame, k) => torqueBand(motion, frame, torques[k], first + k));
  const stretches = doubleSupport(result);
  const shaded = { meaning: 'both feet down', stretches };
  const unsure = { meaning: 'both feet down; the torques lie somewhere in the bands then', stretches };
  const ends = Number((edge * motion.trajectory.interval).toPrecision(2));
  const recorder = new ReplayRecorder({
    title,
    about: `${motion.model}: ${frames.length} frames, ${motion.coordinates.length} coordinates. Curves leave out ${ends} s at either end, where the filter has no neighbours.`,
    up,
    obstacles: [{ geometry: { kind: 'plane' }, E: axisFrame(up), t: scale(floorOf(result, up), up) }],
    curves: [
      {
        title: 'Torque',
        unit: 'N m',
        names: chosen.map((c) => names[c]),
        shown: SHOWN,
        shaded: bands.some((one) => one !== undefined) ? unsure : shaded,
      },
      {
        title: 'Vertical force of the ground',
        unit: 'weights',
        names: [
          supports.some(({ kind }) => kind === 'other') ? 'all together' : 'both feet',
          ...sides(result).map(everydayBody),
        ],
        shaded,
      },
    ],
  });
  const members = [{ name: motion.model, mechanism }];
  const feet = sides(result);
  frames.forEach(({ time, feet: carried, total, point, centreOfPressure }, k) => {
    // At the points on the ground where they act.
    const forces = carried.length < 2 ? [{ point: centreOfPressure ?? point, force: total.force }] : carried;
    const ofFoot = (name: string): number => {
      const found = carried.find(({ body }) => body === name);
      return found === undefined ? 0 : dot(up, found.force) / weight;
    };
    const atEnd = k < edge || k >= frames.length - edge;
    const values = [...chosen.map((c) => torques[k][c]), dot(up, total.force) / weight, ...feet.map(ofFoot)];
    const shown = (numbers: readonly number[]): readonly number[] =>
      atEnd ? values.map(() => Number.NaN) : [...numbers, ...values.slice(numbers.length)];
    recorder.add({
      time,
      members,
      poses: [poses[k]],
      caption: WORDS[supports[k].kind],
      forces: forces.flatMap(({ point: at, force }) => [...at, ...force]),
      values: shown(values),
      low: shown(chosen.map((c) => bands[k]?.low[c] ?? torques[k][c])),
      high: shown(chosen.map((c) => bands[k]?.high[c] ?? torques[k][c])),
    });
  });
  const size = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));
  return recorder.finish({
    plots: motionCycles(motion, result, options).flatMap((cycle) => cyclePlot(cycle, chosen, motion, names)),
    facts: [
      ['mass', `${size(mass, 4)} kg`],
      ...(motion.height === undefined ? [] : [['height', `${size(motion.height, 4)} m`] as const]),
      ...(strides === undefined ? [] : [['stride', `${size(strides.duration, 4)} s`] as const]),
      ...(['left', 'right', 'double', 'none', 'other'] as const).flatMap((kind) => {
        const count = supports.filter((support) => support.kind === kind).length;
        return kind === 'other' && count === 0 ? [] : [[WORDS[kind], `${count} frames`] as const];
      }),
    ],
  });
}

/** Coordinates between bodies whose forces change most, those first, left and right together; not those of the root. */
export function strongest({ coordinates, units, moving }: Motion, torques: readonly ArrayLike<number>[]): number[] {
  const spread = coordinates.map((_, c) => {
    const mean = torques.reduce((sum, row) => sum + row[c], 0) / torques.length;
    return torques.reduce((sum, row) => sum + (row[c] - mean) ** 2, 0);
  });
  const sorted = spread
    .map((_, c) => c)
    .filter((c) => units[c] === 'N m' && moving[c] && spread[c] > 1e-12)
    .sort((a, b) => spread[b] - spread[a]);
  const pairs = sorted.flatMap((c) => [
    c,
    ...sorted.filter((other) => coordinates[other] === mirrored(coordinates[c])),
  ]);
  return [...new Set(pairs)];
}

const OPPOSITES = new Map(
  [
    ['left', 'right'],
    ['Left', 'Right'],
    ['l', 'r'],
    ['L', 'R'],
  ].flatMap(
    ([a, b]) =>
      [
        [a, b],
        [b, a],
      ] as const,
  ),
);

/** knee_angle_r for knee_angle_l, RightLeg for LeftLeg. */
function mirrored(name: string): string {
  return name.replace(/left|right|(?<=^|_)[lr](?=_|$)/i, (side) => OPPOSITES.get(side) ?? side);
}

/** Stretches of time with both feet down. */
export function doubleSupport({ frames, supports }: MotionForces): [number, number][] {
  const stretches: [number, number][] = [];
  supports.forEach(({ kind }, k) => {
    if (kind !== 'double') return;
    const { time } = frames[k];
    if (k > 0 && supports[k - 1].kind === 'double') stretches.at(-1)![1] = time;
    else stretches.push([time, time]);
  });
  return stretches;
}

/** Torques from strike to strike, of the coordinates that move; without frames at the edges. */
export function motionCycles(
  motion: Motion,
  { mechanism, supports, frames }: MotionForces,
  { torques, edge }: Omit<MotionReplayOptions, 'title'>,
): GaitCycle[] {
  const series = motion.coordinates.flatMap((name, c) =>
    motion.moving[c] ? [{ name, values: torques.map((row) => row[c]) }] : [],
  );
  const names = motion.feet.map(({ body }) => mechanism.bodies[body].name);
  const usable = (k: number): boolean => k >= edge && k < frames.length - edge;
  return gaitCycles(supports, names, motion.trajectory.interval, series, usable);
}

/** Feet that the ground pushes at some time. */
function sides({ frames }: MotionForces): string[] {
  return [...new Set(frames.flatMap(({ feet }) => feet.map(({ body }) => body)))];
}

/** Height of the ground: that of the lowest point of what is drawn, in all but a few frames. */
function floorOf({ mechanism, poses }: MotionForces, up: Vec3): number {
  const points = mechanism.bodies.flatMap(({ visuals }, body) => {
    const ends = visuals.flatMap(endsOf);
    return (ends.length > 0 ? ends : [{ at: ZERO3, radius: 0 }]).map((end) => ({ body, ...end }));
  });
  const lowest = poses.map((P) =>
    points.reduce((least, { body, at, radius }) => {
      const o = TRANSFORM * body;
      // t + E^T at, along up.
      const place = ([0, 1, 2] as const).map(
        (k) => P[o + 9 + k] + P[o + k] * at[0] + P[o + 3 + k] * at[1] + P[o + 6 + k] * at[2],
      ) as unknown as Vec3;
      return Math.min(least, dot(up, place) - radius);
    }, Number.POSITIVE_INFINITY),
  );
  return lowest.sort((a, b) => a - b)[Math.floor(lowest.length / 20)] ?? 0;
}

/** Spheres that hold a shape's lowest point, nearly. */
function endsOf({ geometry, E, t }: Shape): { readonly at: Vec3; readonly radius: number }[] {
  const placed = (x: number, y: number, z: number): Vec3 => add(t, apply(transpose(E), [x, y, z]));
  switch (geometry.kind) {
    case 'sphere':
      return [{ at: t, radius: geometry.radius }];
    case 'capsule':
    case 'cylinder': {
      const { length, radius } = geometry;
      return [-length / 2, length / 2].map((z) => ({ at: placed(0, 0, z), radius }));
    }
    case 'box': {
      const [x, y, z] = geometry.size.map((side) => side / 2);
      return [-x, x].flatMap((a) => [-y, y].flatMap((b) => [-z, z].map((c) => ({ at: placed(a, b, c), radius: 0 }))));
    }
    default:
      return [];
  }
}

function cyclePlot(
  { foot, strides, curves }: GaitCycle,
  chosen: readonly number[],
  { coordinates }: Motion,
  names: readonly string[],
): ReplayPlot[] {
  const ofName = new Map(curves.map((curve) => [curve.name, curve]));
  const shown = chosen.flatMap((c) => {
    const curve = ofName.get(coordinates[c]);
    return curve === undefined ? [] : [{ ...curve, name: names[c] }];
  });
  if (shown.length === 0) return [];
  return [
    {
      title: `Gait cycle of ${everydayBody(foot)}, ${strides} ${strides === 1 ? 'stride' : 'strides'}: torque`,
      unit: 'N m',
      x: { label: '% of the stride', values: Float32Array.from(shown[0].mean, (_, k) => k) },
      shown: 2,
      curves: shown.map(({ name, mean, low, high }) => ({
        name,
        values: Float32Array.from(mean),
        band: { low: Float32Array.from(low), high: Float32Array.from(high) },
      })),
    },
  ];
}
