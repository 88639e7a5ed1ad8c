// Which shapes may touch in this step: a sweep along x over the balls that hold the shapes, then the narrow phase for pairs that
// are allowed to touch. Pairs come in the order of their keys, whatever the order in which they were found.

import { collide } from '../../contact/collide.js';
import { Manifold } from '../../contact/manifold.js';
import type { PairCheckpoint } from './checkpoint.js';
import { ShapePair, type WorldShape } from './world-shape.js';

/** Shapes this near (m) are looked at even when they do not move. */
const NEAR = 2e-3;

export class Detection {
  #shapes: readonly WorldShape[] = [];
  /** Unbounded shapes are near everything. */
  #unbounded: number[] = [];
  #order: number[] = [];
  #excluded: ReadonlySet<number> = new Set();
  #pairs = new Map<number, ShapePair>();
  readonly #manifold = new Manifold();
  /** Pairs with points, in the order of their keys. */
  touching: ShapePair[] = [];

  /** Other shapes from now on. `excluded`: keys of pairs that do not touch. */
  set(shapes: readonly WorldShape[], excluded: ReadonlySet<number>): void {
    this.#shapes = shapes;
    this.#excluded = excluded;
    const numbers = shapes.map((_, i) => i);
    const bounded = (i: number): boolean => shapes[i].collider.reach < Number.POSITIVE_INFINITY;
    this.#unbounded = numbers.filter((i) => !bounded(i));
    this.#order = numbers.filter(bounded);
    this.#pairs.clear();
    this.touching = [];
  }

  key(i: number, j: number): number {
    return i < j ? i * this.#shapes.length + j : j * this.#shapes.length + i;
  }

  /** All pairs, where the shapes are now; h: the length of the step. */
  find(h: number, gravity: number): void {
    const shapes = this.#shapes;
    for (const shape of shapes) shape.follow();
    const found: number[] = [];
    this.#sweep(h, gravity, found);
    found.sort((x, y) => x - y);
    const before = this.#pairs;
    this.#pairs = new Map();
    this.touching = [];
    for (const key of found) {
      const pair = before.get(key) ?? this.#newPair(key);
      pair.age();
      this.update(pair, h, gravity);
      if (pair.count === 0) continue;
      this.#pairs.set(key, pair);
      this.touching.push(pair);
    }
  }

  /** Features and impulses of all pairs. */
  save(): PairCheckpoint[] {
    return this.touching.map(({ key, count, feature, impulse }) => ({
      key,
      features: feature.slice(0, count),
      impulses: impulse.slice(0, 3 * count),
    }));
  }

  restore(pairs: readonly PairCheckpoint[]): void {
    this.#pairs = new Map();
    this.touching = pairs.map(({ key, features, impulses }) => {
      const pair = this.#newPair(key);
      pair.recall(features, impulses);
      this.#pairs.set(key, pair);
      return pair;
    });
  }

  #newPair(key: number): ShapePair {
    const n = this.#shapes.length;
    return new ShapePair(key, this.#shapes[Math.floor(key / n)], this.#shapes[key % n]);
  }

  /** The points of a pair where its shapes are now. */
  update(pair: ShapePair, h: number, gravity: number): void {
    const { a, b } = pair;
    collide(this.#manifold, a.collider, a.pose, 0, b.collider, b.pose, 0, margin(a, b, h, gravity));
    pair.take(this.#manifold);
  }

  #sweep(h: number, gravity: number, found: number[]): void {
    const shapes = this.#shapes;
    const order = this.#order;
    const reach = (s: WorldShape): number => s.collider.reach + h * s.speed + 0.5 * NEAR + gravity * h * h;
    const low = (i: number): number => shapes[i].pose[9] - reach(shapes[i]);
    // Nearly sorted from the step before.
    for (let k = 1; k < order.length; k++) {
      const i = order[k];
      const x = low(i);
      let j = k - 1;
      for (; j >= 0 && (low(order[j]) > x || (low(order[j]) === x && order[j] > i)); j--) order[j + 1] = order[j];
      order[j + 1] = i;
    }
    for (let k = 0; k < order.length; k++) {
      const i = order[k];
      const a = shapes[i];
      const ra = reach(a);
      for (const u of this.#unbounded) if (this.#allowed(i, u)) found.push(this.key(i, u));
      for (let l = k + 1; l < order.length; l++) {
        const b = shapes[order[l]];
        const r = ra + reach(b);
        const dx = b.pose[9] - a.pose[9];
        if (dx - reach(b) > ra) break;
        const dy = b.pose[10] - a.pose[10];
        const dz = b.pose[11] - a.pose[11];
        if (dx * dx + dy * dy + dz * dz <= r * r && this.#allowed(i, order[l])) found.push(this.key(i, order[l]));
      }
    }
  }

  #allowed(i: number, j: number): boolean {
    const a = this.#shapes[i];
    const b = this.#shapes[j];
    const { group, mask } = a.collider;
    if ((group & b.collider.mask) === 0 && (b.collider.group & mask) === 0) return false;
    const [na, nb] = [a.node, b.node];
    if (a.memberIndex === b.memberIndex) {
      if (na === nb) return false;
      // Bodies that a joint connects.
      const { parentNode } = a.member!.articulation;
      if (na >= 0 && nb >= 0 && (parentNode[na] === nb || parentNode[nb] === na)) return false;
    } else if (na < 0 && nb < 0) return false;
    return !this.#excluded.has(this.key(i, j));
  }
}

function margin(a: WorldShape, b: WorldShape, h: number, gravity: number): number {
  return NEAR + h * (a.speed + b.speed) + gravity * h * h;
}
