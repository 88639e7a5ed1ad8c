// Collects the frames of a replay while something moves.

import type { Mechanism, Shape } from '../mechanism/mechanism.js';
import { apply, axisFrame, type Mat3, norm, scale, type Vec3 } from '../spatial/matrix3.js';
import type { Replay, ReplayCurve, ReplayMember, ReplayPlot, ReplayStructure } from './replay.js';

/** One moment of a motion, for a replay. */
export interface ReplayMoment {
  readonly time: number;
  /** Names and mechanisms of what moves. A mechanism that is another one than before is drawn anew. */
  readonly members: readonly { readonly name: string; readonly mechanism: Mechanism }[];
  /** Of each member, as `dynamics.poses` gives them. */
  readonly poses: readonly ArrayLike<number>[];
  /** Six numbers for each force: where it acts, and newtons. */
  readonly forces?: ArrayLike<number>;
  readonly caption?: string;
  /** One number for each curve over time; not a number where there is none. */
  readonly values?: ArrayLike<number>;
  /** Between which numbers each curve may lie. */
  readonly low?: ArrayLike<number>;
  readonly high?: ArrayLike<number>;
}

/** How a replay is recorded, and what it is called. */
export interface ReplayRecorderOptions extends Pick<Replay, 'seenFrom'> {
  readonly title: string;
  readonly about?: string;
  readonly obstacles?: readonly Shape[];
  /** Which way is up where it is not z; the replay is turned so that it is. */
  readonly up?: Vec3;
  /** Plots over time, with the names of their curves; `values` of a moment go to them in this order. */
  readonly curves?: readonly (Omit<ReplayPlot, 'curves' | 'x'> & { readonly names: readonly string[] })[];
}

/** Bytes of poses in a file, about; a longer motion keeps every second frame, every fourth, and so on. */
const MOST_NUMBERS = 6e6;
const MOST_FRAMES = 3600;

/** Collects moments, and thins them out where they become too many for a file. */
export class ReplayRecorder {
  readonly #options: ReplayRecorderOptions;
  readonly #turn: Mat3 | undefined;
  #moments: { readonly moment: ReplayMoment; readonly structure: number; readonly poses: Float32Array }[] = [];
  readonly #structures: (readonly ReplayMember[])[] = [];
  #known: readonly Mechanism[] = [];
  /** Of so many moments one is kept. */
  #every = 1;
  #seen = 0;

  constructor(options: ReplayRecorderOptions) {
    this.#options = options;
    const { up = [0, 0, 1] } = options;
    if (up[2] < 1 - 1e-12) this.#turn = axisFrame(scale(1 / norm(up), up));
  }

  /** A moment, unless it is one of those that are left out by now. */
  add(moment: ReplayMoment): void {
    if (this.#seen++ % this.#every !== 0) return;
    const mechanisms = moment.members.map(({ mechanism }) => mechanism);
    if (mechanisms.length !== this.#known.length || mechanisms.some((one, k) => one !== this.#known[k])) {
      this.#known = mechanisms;
      this.#structures.push(moment.members.map(drawn));
    }
    const poses = turned(Float32Array.from(moment.poses.flatMap((own) => Array.from(own))), this.#turn);
    const { values, low, high, forces = [] } = moment;
    // Callers may use their arrays again.
    const own = {
      ...moment,
      forces: turned(Float32Array.from(forces), this.#turn),
      ...(values !== undefined && { values: Float32Array.from(values) }),
      ...(low !== undefined && high !== undefined && { low: Float32Array.from(low), high: Float32Array.from(high) }),
    };
    this.#moments.push({ moment: own, structure: this.#structures.length - 1, poses });
    if (this.#moments.length > MOST_FRAMES || this.#moments.length * poses.length > MOST_NUMBERS) {
      this.#moments = this.#moments.filter((_, k) => k % 2 === 0);
      this.#every *= 2;
    }
  }

  /** All that was added, and what else belongs to it. */
  finish(more: Partial<Pick<Replay, 'plots' | 'facts' | 'pictures'>> = {}): Replay {
    const { title, about = '', seenFrom, obstacles = [], curves = [] } = this.#options;
    const moments = this.#moments;
    const structures: ReplayStructure[] = [];
    moments.forEach(({ structure }, from) => {
      if (structure !== moments[from - 1]?.structure) structures.push({ from, members: this.#structures[structure] });
    });
    const poses = new Float32Array(moments.reduce((sum, moment) => sum + moment.poses.length, 0));
    let at = 0;
    for (const moment of moments) {
      poses.set(moment.poses, at);
      at += moment.poses.length;
    }
    let first = 0;
    const plots = curves.map(({ names, ...plot }): ReplayPlot => {
      const from = first;
      first += names.length;
      const over = (what: 'values' | 'low' | 'high', k: number): Float32Array =>
        Float32Array.from(moments, ({ moment }) => moment[what]?.[from + k] ?? Number.NaN);
      const curveOf = (name: string, k: number): ReplayCurve => {
        const [values, low, high] = [over('values', k), over('low', k), over('high', k)];
        return { name, values, ...(low.some((value, i) => value < high[i]) && { band: { low, high } }) };
      };
      return { ...plot, curves: names.map(curveOf) };
    });
    return {
      title,
      about,
      ...(seenFrom !== undefined && { seenFrom }),
      times: Float64Array.from(moments, ({ moment }) => moment.time),
      structures,
      obstacles: obstacles.map((shape) => ({
        ...shape,
        E: turned([...shape.E], this.#turn) as unknown as Mat3,
        t: turned([...shape.t], this.#turn) as unknown as Vec3,
      })),
      poses,
      forces: moments.map(({ moment }) => moment.forces as Float32Array),
      captions: moments.map(({ moment }) => moment.caption ?? ''),
      facts: more.facts ?? [],
      pictures: more.pictures ?? [],
      plots: [...plots, ...(more.plots ?? [])],
    };
  }
}

/** Files of meshes may not have been read. */
const isThere = ({ geometry }: Shape): boolean => geometry.kind !== 'mesh' || geometry.data !== undefined;

/** What is drawn of a mechanism. Shapes that touch are drawn where there are none for the eye. */
function drawn({ name, mechanism }: ReplayMoment['members'][number]): ReplayMember {
  return {
    name,
    bodies: mechanism.bodies.map(({ name: body, mass, com, visuals, collisions }) => ({
      name: body,
      mass,
      com,
      visuals,
      collisions: visuals.some(isThere) ? [] : collisions,
    })),
    joints: mechanism.joints.map(({ name: joint, parent, t, E, axis, type }) => ({
      name: joint,
      parent,
      t,
      E,
      axis,
      type,
    })),
  };
}

/** Vectors in ground coordinates that are turned. So are poses: E becomes E R^T, whose rows are R times those of E; t becomes R t. */
function turned<A extends Float32Array | number[]>(vectors: A, R: Mat3 | undefined): A {
  if (R === undefined) return vectors;
  for (let o = 0; o < vectors.length; o += 3)
    [vectors[o], vectors[o + 1], vectors[o + 2]] = apply(R, [vectors[o], vectors[o + 1], vectors[o + 2]]);
  return vectors;
}
