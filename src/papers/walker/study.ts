// What one wants to know of a walker: its gait, how it gets there, how much it forgives, and what becomes of it on other slopes.

import { type Dynamics, dynamics as dynamicsOf } from '../../dynamics/dynamics.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { Tolerances } from '../../simulation/dormand-prince.js';
import type { Vec3 } from '../../spatial/matrix3.js';
import { TRANSFORM } from '../../spatial/spatial.js';
import { followGait, type Gait, type Section, sectionOf, standingAt, walk } from './gait.js';
import { scaledSection, WALKERS, type WalkerModelName, type WalkerSizes } from './models.js';
import { coordinates, type Standing, Walker } from './walker.js';

/** Which walker, of which sizes, on which slope. */
export interface WalkerRequest {
  readonly model: WalkerModelName;
  readonly slope: number;
  readonly sizes: WalkerSizes;
  readonly scuffing?: 'ignore' | 'stop';
  readonly tolerances?: Tolerances;
}

/** The walker of a request. */
export function makeWalker({ model, slope, sizes, scuffing, tolerances }: WalkerRequest): Walker {
  return new Walker(WALKERS[model].build(sizes), {
    slope,
    ...(scuffing !== undefined && { scuffing }),
    ...(tolerances !== undefined && { tolerances }),
  });
}

const ON_THE_WAY: Tolerances = { relative: 1e-8, absolute: 1e-9 };

/** The gait of the walker, followed from that of the model with its own sizes on its own slope. */
export function gaitOf(request: WalkerRequest): Gait {
  const { model, slope, sizes } = request;
  const known = WALKERS[model];
  const between = (from: number, to: number, part: number): number => from + (to - from) * part;
  const { legLength, gravity } = makeWalker(request);
  if (!(slope > 0))
    throw MechanismError.of(
      'walker',
      'slope',
      `Each heel strike takes energy that only a slope downwards gives back: there is no passive gait at ${slope}.`,
    );
  // Lengths and gravity alike only change the scale of time: the way leads through sizes in proportion.
  const start: WalkerSizes = scaledSizes(known.sizes, legLength, gravity);
  const walkerAt = (part: number): Walker => {
    const mixed = Object.entries(start).map(([name, from]) => {
      const to = sizes[name as keyof WalkerSizes] ?? known.sizes[name as keyof WalkerSizes]!;
      return [name, between(from, to, part)];
    });
    // Few digits will do on the way.
    const tolerances = part < 1 ? ON_THE_WAY : request.tolerances;
    const here = { ...request, sizes: Object.fromEntries(mixed), slope: between(known.slope, slope, part) };
    return makeWalker({ ...here, ...(tolerances !== undefined && { tolerances }) });
  };
  return followGait(walkerAt, scaledSection(known.near, legLength, gravity));
}

function scaledSizes(sizes: WalkerSizes, length: number, gravity: number): WalkerSizes {
  const lengths = new Set([
    'legLength',
    'legMassFromFoot',
    'thighLength',
    'shankLength',
    'thighMassFromKnee',
    'shankMassFromFoot',
  ]);
  const scaled = Object.entries(sizes).map(([name, value]) => [
    name,
    name === 'gravity' ? gravity : lengths.has(name) ? value * length : value,
  ]);
  return Object.fromEntries(scaled) as WalkerSizes;
}

/** How far one coordinate of the section may be off, alone, for the walker to come back to its gait. */
export interface BasinHint {
  readonly coordinate: 'q_st' | 'v_st' | 'v_sw';
  readonly below: number;
  readonly above: number;
}

/** Steps after which a walker that is coming back must be near its gait. */
const SETTLING = 60;

/** Finds the edges by halving, to a hundredth of what was looked at; `pause` between walks. */
export async function basinHints(
  walker: Walker,
  { section }: Gait,
  pause: () => Promise<void> = async () => {},
): Promise<BasinHint[]> {
  const names = ['q_st', 'v_st', 'v_sw'] as const;
  const reach = [0.3, 1.5, 3];
  const comesBack = (k: number, offset: number): boolean => {
    const moved = section.map((value, j) => value + (j === k ? offset : 0)) as unknown as Section;
    const { steps, fall } = walk(walker, standingAt(walker, moved), SETTLING, (step) => distance(step, section) > 1e-3);
    return fall === undefined && steps.length > 0 && distance(steps[steps.length - 1], section) < 1e-2;
  };
  const hints: BasinHint[] = [];
  for (const [k, coordinate] of names.entries()) {
    const edges: number[] = [];
    for (const sign of [-1, 1]) {
      let [good, bad] = [0, reach[k]];
      if (comesBack(k, sign * bad)) good = bad;
      while (bad - good > reach[k] / 100) {
        const middle = (good + bad) / 2;
        if (comesBack(k, sign * middle)) good = middle;
        else bad = middle;
        await pause();
      }
      edges.push(good);
    }
    hints.push({ coordinate, below: edges[0], above: edges[1] });
  }
  return hints;
}

function distance(step: Parameters<typeof sectionOf>[0], section: Section): number {
  return Math.max(...sectionOf(step).map((value, k) => Math.abs(value - section[k])));
}

/** What a walker settles to on a slope. */
export interface SweepPoint {
  readonly slope: number;
  /** Of the steps after it has settled; empty where it falls. */
  readonly periods: readonly number[];
}

/**
 * What the walker settles to on one slope after the other, each begun where the one before ended: the way from a gait that
 * repeats every step over ones that repeat after 2, 4, 8, ... to chaos.
 */
export async function sweep(
  request: WalkerRequest,
  slopes: readonly number[],
  options: { settle: number; keep: number },
  pause: (done: number) => Promise<void> = async () => {},
): Promise<SweepPoint[]> {
  const points: SweepPoint[] = [];
  let x: Section = gaitOf({ ...request, slope: slopes[0] }).section;
  for (const slope of slopes) {
    const walker = makeWalker({ ...request, slope });
    const settled = walk(walker, standingAt(walker, x), options.settle);
    const kept = settled.fall === undefined ? walk(walker, settled.at, options.keep) : settled;
    const good = settled.fall === undefined && kept.fall === undefined;
    points.push({ slope, periods: good ? kept.steps.map(({ period }) => period) : [] });
    if (good) x = sectionOf(kept.steps[kept.steps.length - 1]);
    await pause(points.length / slopes.length);
  }
  return points;
}

/** After how many steps the periods repeat to a tolerance: 1, 2, 4, ...; undefined where they do not. */
export function repeatsAfter(periods: readonly number[], tolerance: number): number | undefined {
  for (let n = 1; n <= Math.min(16, periods.length / 2); n++)
    if (periods.every((period, k) => k < n || Math.abs(period - periods[k - n]) < tolerance)) return n;
  return undefined;
}

/** One moment of a walk, for drawing. Leg a is the one that stands at the start of the first step. */
export interface WalkSample {
  readonly time: number;
  /** Number of the step. */
  readonly step: number;
  /** Foot, knee (if it has one), hip, in the plane of x and z. */
  readonly a: readonly (readonly [number, number])[];
  readonly b: readonly (readonly [number, number])[];
  /** Leg a (its thigh) from the vertical, its rate, and whether it stands. */
  readonly angle: number;
  readonly rate: number;
  readonly stands: boolean;
  readonly kinetic: number;
  readonly potential: number;
  /** As it is while it stands on this foot, and where its bodies are. */
  readonly mechanism: Mechanism;
  readonly poses: Float64Array;
}

/** Follows some steps closely, from just before a heel strike. */
export function recordWalk(walker: Walker, from: Standing, count: number): WalkSample[] {
  const samples: WalkSample[] = [];
  let at = from;
  let first: string | undefined;
  for (let step = 0; step < count; step++) {
    const result = walker.step(at, (now, dynamics) => {
      const support = now.mechanism.bodies[now.mechanism.joints.findIndex(({ parent }) => parent < 0)].name;
      first ??= support;
      samples.push(sample(now, dynamics, step, support === first));
    });
    if ('fall' in result) break;
    // The end of the step, just before the strike.
    const end = result.before;
    const support = end.mechanism.bodies[end.mechanism.joints.findIndex(({ parent }) => parent < 0)].name;
    samples.push(sample(end, dynamicsOf(end.mechanism, { engine: 'plain' }), step, support === first));
    at = end;
  }
  return samples;
}

function sample(now: Standing, dynamics: Dynamics, step: number, stands: boolean): WalkSample {
  const { mechanism, state } = now;
  const poses = dynamics.poses(state);
  const originOf = (body: number, [x, y, z]: Vec3 = [0, 0, 0]): [number, number] => {
    const P = poses.subarray(TRANSFORM * body, TRANSFORM * (body + 1));
    return [P[9] + P[0] * x + P[3] * y + P[6] * z, P[11] + P[2] * x + P[5] * y + P[8] * z];
  };
  const hip = originOf(mechanism.jointIndex('hip'));
  const footBody = mechanism.joints.findIndex(({ parent }) => parent < 0);
  const standing = mechanism.frames.find(({ body }) => body === footBody)!;
  const leg = (stance: boolean): (readonly [number, number])[] => {
    const frame = mechanism.frames.find((other) => (other === standing) === stance)!;
    const knee = mechanism.joints.findIndex(({ name, parent }, i) => {
      if (name === 'hip' || name === 'support') return false;
      // The knee of a leg is between its foot's body and the other one.
      return i === frame.body || parent === frame.body;
    });
    return [originOf(frame.body, frame.t), ...(knee < 0 ? [] : [originOf(knee)]), hip];
  };
  const [q, w] = coordinates(now, 'q');
  const [v, u] = coordinates(now, 'v');
  const { kinetic, potential } = dynamics.energy(state);
  return {
    time: state.time,
    step,
    a: leg(stands),
    b: leg(!stands),
    angle: stands ? q : q + w,
    rate: stands ? v : v + u,
    stands,
    kinetic,
    potential,
    mechanism,
    poses,
  };
}
