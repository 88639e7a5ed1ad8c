// What a user learns about contacts.

import { OPEN, SLIDE } from '../../contact/solver/sweeps.js';
import type { Vec3 } from '../../spatial/matrix3.js';
import type { Overlapping } from './detection.js';
import type { ShapePair, WorldShape } from './world-shape.js';

/** One of the two shapes of a contact. */
export interface ContactSide {
  /** undefined: the ground, or an obstacle. */
  readonly member: string | undefined;
  /** Body, or the name of the obstacle. */
  readonly body: string;
  /** Name of the shape, where it has one. */
  readonly shape: string | undefined;
}

/** One contact point of the last step. */
export interface ContactReport {
  readonly a: ContactSide;
  readonly b: ContactSide;
  /** Ground coordinates. */
  readonly position: Vec3;
  /** From b to a. */
  readonly normal: Vec3;
  /** Positive where the shapes penetrate, metres. */
  readonly depth: number;
  /** On a, newtons, ground axes; b gets the opposite. */
  readonly force: Vec3;
  /** Against spinning and rolling, on a, newton metres, ground axes; zero without such friction. */
  readonly moment: Vec3;
  readonly mode: 'open' | 'stick' | 'slide';
}

export function reportContacts(pairs: readonly ShapePair[]): ContactReport[] {
  return pairs.flatMap((pair) => {
    const { a, b, count, position, frame, gap, impulse, moment, mode, h } = pair;
    const [sideA, sideB] = [side(a), side(b)];
    const vector = (x: Float64Array, o: number, s = 1): Vec3 => [s * x[o], s * x[o + 1], s * x[o + 2]];
    return Array.from(
      { length: count },
      (_, k): ContactReport => ({
        a: sideA,
        b: sideB,
        position: vector(position, 3 * k),
        normal: vector(frame, 9 * k),
        depth: -gap[k],
        force: vector(impulse, 3 * k, 1 / h),
        moment: vector(moment, 3 * k, 1 / h),
        mode: mode[k] === OPEN ? 'open' : mode[k] === SLIDE ? 'slide' : 'stick',
      }),
    );
  });
}

/** Two shapes that may touch and are in each other. */
export interface Overlap {
  readonly a: ContactSide;
  readonly b: ContactSide;
  /** Metres. */
  readonly depth: number;
  /** From b to a, ground axes. */
  readonly normal: Vec3;
}

export function reportOverlaps(found: readonly Overlapping[]): Overlap[] {
  return found.map(({ a, b, depth, normal }) => ({ a: side(a), b: side(b), depth, normal }));
}

function side({ member, bodyName, collider: { shape } }: WorldShape): ContactSide {
  return { member: member?.name, body: bodyName, shape: shape.name };
}

/** Two bodies began to touch in the last step, or ceased to. */
export interface TouchEvent {
  readonly kind: 'touch' | 'release';
  readonly a: ContactSide;
  readonly b: ContactSide;
}

/** Watches which shapes press on each other. */
export class TouchWatch {
  /** Those that do, in the order of their keys. */
  #pressing: readonly Pressing[] = [];

  /** What has changed since the last call; the pairs in the order of their keys. */
  changes(pairs: readonly ShapePair[]): readonly TouchEvent[] {
    const now = pairs.filter(presses);
    const before = this.#pressing;
    this.#pressing = now;
    if (before.length === now.length && before.every(({ key }, k) => key === now[k].key)) return NONE;
    return [...missing(before, now).map(event('release')), ...missing(now, before).map(event('touch'))];
  }

  /** Other shapes from now on: the keys that pairs have now; undefined where a shape is gone, and the pair ceases to touch. */
  rename(keyOf: (key: number) => number | undefined): void {
    this.#pressing = this.#pressing.map(({ key, a, b }) => ({ key: keyOf(key) ?? GONE, a, b }));
  }
}

type Pressing = Pick<ShapePair, 'key' | 'a' | 'b'>;

const NONE: readonly TouchEvent[] = [];
/** The key of no pair. */
const GONE = -1;

function presses({ count, mode }: ShapePair): boolean {
  for (let k = 0; k < count; k++) if (mode[k] !== OPEN) return true;
  return false;
}

/** Those of one list whose keys are not in the other. */
function missing(list: readonly Pressing[], other: readonly Pressing[]): Pressing[] {
  const keys = new Set(other.map(({ key }) => key));
  return list.filter(({ key }) => !keys.has(key));
}

function event(kind: TouchEvent['kind']): (pair: Pressing) => TouchEvent {
  return ({ a, b }) => ({ kind, a: side(a), b: side(b) });
}
