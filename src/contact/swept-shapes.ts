// Shapes in the memory of the kernels: they follow the links that carry them, and are swept for pairs (solver/kernel/sweep.ts).

import { TRANSFORM } from '../spatial/spatial.js';
import { BOX, CAPSULE, CONE, type Collider, CYLINDER, ELLIPSOID, PLANE, SPHERE } from './collider.js';
import * as at from './solver/kernel/layout.js';
import { takeRoom, treeMachine } from './solver/tree-memory.js';

/** Room for pairs at first; more is made where it is not enough. */
const PAIRS = 64;

/** Where numbers of the link that carries a shape stand in the memory: pose, velocity, reference point of its tree. */
export interface LinkPlaces {
  readonly pose: number;
  readonly velocity: number;
  readonly reference: number;
}

export class SweptShapes {
  readonly #machine = treeMachine();
  readonly #count: number;
  /** Place of its integers. */
  readonly #at: number;
  /** The memory that the views are of, and those. */
  #memory: Float64Array | undefined;
  #poses!: Float64Array;
  #pairs!: Int32Array;
  #margins!: Float64Array;
  /** How many pairs there is room for; owns that room. */
  #room = { capacity: 0 };

  constructor(colliders: readonly Collider[]) {
    const n = colliders.length;
    this.#count = n;
    const integers = [
      [at.SHAPE_ORDER, n],
      [at.SHAPE_ALLOWED, Math.ceil((n * n) / 32)],
      [at.SHAPE_LINK, 3 * n],
      [at.SHAPE_FIRST, n],
    ] as const;
    const numbers = [
      [at.SHAPE_PLACEMENT, TRANSFORM * n],
      [at.SHAPE_POSE, TRANSFORM * n],
      [at.SHAPE_BOX, 7 * n],
      [at.SHAPE_REACH, n],
      [at.SHAPE_MARGIN, n],
      [at.SHAPE_BOUNDS, 6 * n],
    ] as const;
    const half = (at.SHAPE_HEADER + 1 + integers.reduce((sum, [, count]) => sum + count, 0)) >> 1;
    const room = takeRoom(
      this,
      numbers.reduce((sum, [, count]) => sum + count, half),
    );
    const own = 2 * room;
    this.#at = own;
    const { F, N } = this.#machine;
    const planes = colliders.flatMap(({ kind }, i) => (kind === PLANE ? [i] : []));
    const bounded = colliders.flatMap(({ kind }, i) => (kind === PLANE ? [] : [i]));
    N[own + at.SHAPES] = n;
    N[own + at.SHAPE_BOUNDED] = bounded.length;
    let next = own + at.SHAPE_HEADER;
    for (const [header, count] of integers) {
      N[own + header] = next;
      next += count;
    }
    next = room + half;
    for (const [header, count] of numbers) {
      N[own + header] = next;
      next += count;
    }
    N.set([...bounded, ...planes], N[own + at.SHAPE_ORDER]);
    N.fill(-1, N[own + at.SHAPE_LINK], N[own + at.SHAPE_LINK] + 3 * n);
    colliders.forEach((collider, i) => {
      F.set(boxOf(collider), N[own + at.SHAPE_BOX] + 7 * i);
      F.set(collider.placement, N[own + at.SHAPE_POSE] + TRANSFORM * i);
      F[N[own + at.SHAPE_REACH] + i] = collider.reach;
    });
    this.#makeRoomForPairs(PAIRS);
  }

  /** Room for F's margins, then for the pairs and their lists. */
  #makeRoomForPairs(capacity: number): void {
    this.#room = { capacity };
    const room = takeRoom(this.#room, 3 * capacity);
    const { N } = this.#machine;
    this.#memory = undefined;
    N[this.#at + at.SHAPE_CAPACITY] = capacity;
    N[this.#at + at.SHAPE_PAIR_MARGIN] = room;
    N[this.#at + at.SHAPE_PAIRS] = 2 * (room + capacity);
    N[this.#at + at.SHAPE_NEXT] = 2 * (room + 2 * capacity);
    N[this.#at + at.SHAPE_OTHER] = 2 * (room + 2 * capacity) + capacity;
  }

  /** Views of the memory, which is another one after it has grown. */
  #see(): void {
    const { F, N } = this.#machine;
    if (this.#memory === F) return;
    this.#memory = F;
    const own = this.#at;
    const { capacity } = this.#room;
    const pairs = N[own + at.SHAPE_PAIRS];
    this.#poses = F.subarray(N[own + at.SHAPE_POSE], N[own + at.SHAPE_POSE] + TRANSFORM * this.#count);
    this.#margins = F.subarray(N[own + at.SHAPE_PAIR_MARGIN], N[own + at.SHAPE_PAIR_MARGIN] + capacity);
    this.#pairs = N.subarray(pairs, pairs + 2 * capacity);
  }

  /** 12 numbers for each shape: ground to shape. */
  get poses(): Float64Array {
    this.#see();
    return this.#poses;
  }

  /** The pairs last found, sorted: numbers a < b of the shapes of each. */
  get pairs(): Int32Array {
    this.#see();
    return this.#pairs;
  }

  /** Of each pair, where `find` found it: how far apart its shapes are still looked at. */
  get margins(): Float64Array {
    this.#see();
    return this.#margins;
  }

  /** From now on a pair is looked at, a < b. */
  allow(a: number, b: number): void {
    const { N } = this.#machine;
    const bit = a * this.#count + b;
    N[N[this.#at + at.SHAPE_ALLOWED] + (bit >> 5)] |= 1 << (bit & 31);
  }

  /** A shape is carried by a link from now on; placement: link frame to shape. */
  attach(shape: number, placement: Float64Array, { pose, velocity, reference }: LinkPlaces): void {
    const { F, N } = this.#machine;
    N.set([pose, velocity, reference], N[this.#at + at.SHAPE_LINK] + 3 * shape);
    F.set(placement, N[this.#at + at.SHAPE_PLACEMENT] + TRANSFORM * shape);
  }

  /** Poses of the shapes where their links are: of all, or of those from number `from` to before `to`. */
  follow(from = 0, to = this.#count): void {
    this.#machine.run.followShapes(this.#at, from, to);
  }

  /** Pairs of shapes at these poses, each looking so far beyond its surface; how many. */
  sweep(poses: Float64Array, margins: Float64Array): number {
    const { F, N, run } = this.#machine;
    F.set(poses, N[this.#at + at.SHAPE_POSE]);
    F.set(margins, N[this.#at + at.SHAPE_MARGIN]);
    const count = run.sweepShapes(this.#at);
    if (!this.#outgrown(count)) return count;
    return run.sweepShapes(this.#at);
  }

  /** Pairs that may touch within a step of length h, after `follow`; how many. `near`, `drop`: see findPairs. */
  find(h: number, near: number, drop: number): number {
    const { run } = this.#machine;
    let count = run.findPairs(this.#at, h, near, drop);
    if (this.#outgrown(count)) count = run.findPairs(this.#at, h, near, drop);
    return run.keepNear(this.#at, count, h, near, drop);
  }

  /** How far apart two shapes are still looked at; negative where they are farther. */
  margin(a: number, b: number, h: number, near: number, drop: number): number {
    return this.#machine.run.pairMargin(this.#at, a, b, h, near, drop);
  }

  /** Makes room where there are more pairs than it is for. */
  #outgrown(count: number): boolean {
    let { capacity } = this.#room;
    if (count <= capacity) return false;
    while (capacity < count) capacity *= 2;
    this.#makeRoomForPairs(capacity);
    return true;
  }
}

/** Middle and half edges of a box along the shape's axes, and what is round about it. */
function boxOf({ kind, size, box }: Collider): ArrayLike<number> {
  switch (kind) {
    case PLANE:
      return [];
    case SPHERE:
      return [0, 0, 0, 0, 0, 0, size[0]];
    case CAPSULE:
      return [0, 0, 0, 0, 0, size[1], size[0]];
    case CYLINDER:
    case CONE:
      return [0, 0, 0, size[0], size[0], size[1], 0];
    case BOX:
    case ELLIPSOID:
      return [0, 0, 0, size[0], size[1], size[2], 0];
    default:
      return box;
  }
}
