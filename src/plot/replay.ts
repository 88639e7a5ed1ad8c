// A replay: a motion that was computed, with all that is needed to show it again. As an HTML file it plays in any browser,
// without the engine and without a server. The page shows captured motions and walkers by the same replays.

import type { Body, Joint, Shape } from '../mechanism/mechanism.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { escapeXml } from './svg.js';

/** A mechanism as far as a replay draws it. */
export interface ReplayMember {
  readonly name: string;
  readonly bodies: readonly Pick<Body, 'name' | 'mass' | 'com' | 'visuals' | 'collisions'>[];
  readonly joints: readonly Pick<Joint, 'name' | 'parent' | 't' | 'E' | 'axis' | 'type'>[];
}

/** What is drawn from a frame on: joints that are released and roots that move make others of the same bodies. */
export interface ReplayStructure {
  readonly from: number;
  readonly members: readonly ReplayMember[];
}

/** A curve of a plot; beside it, where there is one, the band in which it could lie. */
export interface ReplayCurve {
  readonly name: string;
  /** Of each frame, or of each number of the plot's `x`. */
  readonly values: Float32Array;
  readonly band?: { readonly low: Float32Array; readonly high: Float32Array };
}

/** Curves over time, or over something else. */
export interface ReplayPlot {
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly ReplayCurve[];
  /** How many of them are shown until somebody chooses others; all where left out. */
  readonly shown?: number;
  /** Stretches of x that are shaded, and what that means. */
  readonly shaded?: { readonly meaning: string; readonly stretches: readonly (readonly [number, number])[] };
  /** Where it is not time: what it is, and its numbers, growing. */
  readonly x?: { readonly label: string; readonly values: Float32Array };
}

/** What a replay shows. */
export interface Replay {
  readonly title: string;
  readonly about: string;
  /** From which side it is seen first, metres for a figure of one metre; from the front where left out. */
  readonly seenFrom?: Vec3;
  /** Seconds, of each frame. */
  readonly times: Float64Array;
  readonly structures: readonly ReplayStructure[];
  /** What does not move. */
  readonly obstacles: readonly Shape[];
  /** Of each frame, twelve numbers for each body of each member, as `dynamics.poses` gives them; z is upwards. */
  readonly poses: Float32Array;
  /** Of each frame, six numbers for each force: where it acts, and newtons; empty where none are known. */
  readonly forces: readonly Float32Array[];
  /** Of each frame: what is said of it; empty where nothing is. */
  readonly captions: readonly string[];
  readonly plots: readonly ReplayPlot[];
  /** Names and what they are. */
  readonly facts: readonly (readonly [string, string])[];
  /** SVG documents, with a caption each. */
  readonly pictures: readonly { readonly svg: string; readonly caption: string }[];
}

/** Numbers of a body in `poses`: nine of its rotation, three of its place. */
const [POSE, ROTATION] = [12, 9];
/** Steps of a rotation's numbers, which lie between -1 and 1: 3e-5 is less than a pixel. */
const STEPS = 32767;
const DATA = /(<script type="application\/json" id="replay">)(<\/script>)/;

/** Typed arrays by the names under which they are written. */
const ARRAYS = {
  f32: Float32Array,
  f64: Float64Array,
  u32: Uint32Array,
  i16: Int16Array,
} as const;

/** One HTML file that plays the replay; `player` is the text of `manikin/player.html`. */
export function formatReplay(replay: Replay, player: string): string {
  const { poses, captions, ...rest } = replay;
  const words = [...new Set(captions)];
  const number = new Map(words.map((word, k) => [word, k]));
  const data = {
    ...rest,
    ...packed(poses),
    words,
    captions: Uint32Array.from(captions, (caption) => number.get(caption)!),
  };
  // Nothing of what a file says can end the script it stands in.
  const json = JSON.stringify(data, (_, value: unknown) => written(value)).replaceAll('<', '\\u003c');
  return player
    .replace('<title></title>', () => `<title>${escapeXml(replay.title)}</title>`)
    .replace(DATA, (_, begin: string, end: string) => begin + json + end);
}

/** What `formatReplay` wrote, from the JSON inside it. */
export function parseReplay(json: string): Replay {
  const { rotations, places, words, captions, ...rest } = JSON.parse(json, (_, value: unknown) => read(value)) as Omit<
    Replay,
    'poses' | 'captions'
  > &
    Packed & { readonly words: readonly string[]; readonly captions: Uint32Array };
  return { ...rest, poses: unpacked({ rotations, places }), captions: Array.from(captions, (k) => words[k]) };
}

interface Packed {
  readonly rotations: Int16Array;
  readonly places: Float32Array;
}

function packed(poses: Float32Array): Packed {
  const count = poses.length / POSE;
  const [rotations, places] = [new Int16Array(ROTATION * count), new Float32Array((POSE - ROTATION) * count)];
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < ROTATION; i++) rotations[ROTATION * k + i] = Math.round(STEPS * poses[POSE * k + i]);
    places.set(poses.subarray(POSE * k + ROTATION, POSE * (k + 1)), (POSE - ROTATION) * k);
  }
  return { rotations, places };
}

function unpacked({ rotations, places }: Packed): Float32Array {
  const count = rotations.length / ROTATION;
  const poses = new Float32Array(POSE * count);
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < ROTATION; i++) poses[POSE * k + i] = rotations[ROTATION * k + i] / STEPS;
    poses.set(places.subarray((POSE - ROTATION) * k, (POSE - ROTATION) * (k + 1)), POSE * k + ROTATION);
  }
  return poses;
}

/** Arrays of numbers as base64 of their bytes, which all browsers of today read in the same order. */
function written(value: unknown): unknown {
  if (!ArrayBuffer.isView(value)) return value;
  const [type] = Object.entries(ARRAYS).find(([, array]) => value instanceof array) ?? [];
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  let text = '';
  for (let o = 0; o < bytes.length; o += 0x8000) text += String.fromCharCode(...bytes.subarray(o, o + 0x8000));
  return { array: type, base64: btoa(text) };
}

function read(value: unknown): unknown {
  const { array, base64 } = (value ?? {}) as { readonly array?: keyof typeof ARRAYS; readonly base64?: string };
  if (array === undefined || base64 === undefined) return value;
  const text = atob(base64);
  const bytes = Uint8Array.from({ length: text.length }, (_, k) => text.charCodeAt(k));
  return new ARRAYS[array](bytes.buffer);
}
