// Which shapes touch, or may touch within the step: broad phase, then the points of every pair. Pairs come in the order of their
// keys, whatever the order in which they were found.

import { BroadPhase } from '../../contact/broad-phase.js';
import { collide } from '../../contact/collide.js';
import { Manifold } from '../../contact/manifold.js';
import { TRANSFORM } from '../../spatial/spatial.js';
import type { PairCheckpoint } from './checkpoint.js';
import { relativeSpeed, ShapePair, type WorldShape } from './world-shape.js';

/** Shapes this near (m) are looked at even when they do not move. */
const NEAR = 2e-3;

export class Detection {
  #shapes: readonly WorldShape[] = [];
  #broad: BroadPhase | undefined;
  #poses = new Float64Array(0);
  #pairs = new Map<number, ShapePair>();
  /** Of the step before the last, to be used again. */
  #spare = new Map<number, ShapePair>();
  readonly #manifold = new Manifold();
  /** The pairs at the start of the step. */
  #marked: { readonly pairs: Map<number, ShapePair>; readonly touching: ShapePair[] } | undefined;
  /** Friction that was given for pairs of shapes. */
  #given: ReadonlyMap<number, number> = new Map();
  /** Pairs with points, in the order of their keys. */
  touching: ShapePair[] = [];

  /** Other shapes from now on. `excluded`: keys of pairs that do not touch; `given`: of those that do, whatever else is said, with their friction. */
  set(shapes: readonly WorldShape[], excluded: ReadonlySet<number>, given: ReadonlyMap<number, number>): void {
    this.#shapes = shapes;
    this.#given = given;
    this.#marked = undefined;
    this.#poses = new Float64Array(TRANSFORM * shapes.length);
    const places = new Map(shapes.map(({ collider }, i) => [collider, i]));
    this.#broad = new BroadPhase(
      shapes.map(({ collider }) => collider),
      {
        include: [...given.keys()].map((key) => [Math.floor(key / shapes.length), key % shapes.length]),
        accept: (a, b) => {
          const [i, j] = [places.get(a)!, places.get(b)!];
          return !excluded.has(this.key(i, j)) && !joined(shapes[i], shapes[j]);
        },
      },
    );
    this.#pairs.clear();
    this.touching = [];
  }

  key(i: number, j: number): number {
    return pairKey(this.#shapes.length, i, j);
  }

  /** All pairs, where the shapes are now; h: the length of the step. */
  find(h: number, gravity: number): void {
    const shapes = this.#shapes;
    const broad = this.#broad;
    if (broad === undefined) return;
    for (let i = 0; i < shapes.length; i++) {
      shapes[i].follow();
      this.#poses.set(shapes[i].pose, TRANSFORM * i);
      broad.margins[i] = 0.5 * NEAR + h * shapes[i].speed + gravity * h * h;
    }
    const count = broad.update(this.#poses);
    const before = this.#pairs;
    const now = this.#spare;
    now.clear();
    this.touching = [];
    for (let k = 0; k < count; k++) {
      const i = Math.min(broad.pairs[2 * k], broad.pairs[2 * k + 1]);
      const j = Math.max(broad.pairs[2 * k], broad.pairs[2 * k + 1]);
      this.#collide(shapes[i], shapes[j], h, gravity);
      if (this.#manifold.count === 0) continue;
      const key = this.key(i, j);
      const pair = before.get(key) ?? this.#newPair(key);
      pair.age();
      pair.take(this.#manifold);
      now.set(key, pair);
      this.touching.push(pair);
    }
    this.#spare = before;
    this.#pairs = now;
  }

  /** Remembers pairs and warm starts as those at the start of a step. */
  mark(): void {
    this.#marked = { pairs: this.#pairs, touching: this.touching };
    for (const pair of this.touching) pair.mark();
  }

  /** Back to what was remembered. */
  undo(): void {
    if (this.#marked === undefined) return;
    this.#pairs = this.#marked.pairs;
    this.touching = this.#marked.touching;
    for (const pair of this.touching) pair.undo();
  }

  /** Features and impulses of all pairs. */
  save(): PairCheckpoint[] {
    return this.touching.map(({ key, count, feature, impulse, mode }) => ({
      key,
      features: feature.slice(0, count),
      impulses: impulse.slice(0, 3 * count),
      modes: mode.slice(0, count),
    }));
  }

  restore(pairs: readonly PairCheckpoint[]): void {
    this.#pairs = new Map();
    this.#marked = undefined;
    this.touching = pairs.map(({ key, ...points }) => {
      const pair = this.#newPair(key);
      pair.recall(points);
      this.#pairs.set(key, pair);
      return pair;
    });
  }

  #newPair(key: number): ShapePair {
    const n = this.#shapes.length;
    return new ShapePair(key, this.#shapes[Math.floor(key / n)], this.#shapes[key % n], this.#given.get(key));
  }

  /** The points of a pair where its shapes are now. */
  update(pair: ShapePair, h: number, gravity: number): void {
    this.#collide(pair.a, pair.b, h, gravity);
    pair.take(this.#manifold);
  }

  /** The manifold of two shapes, for what may touch within the step; empty where they are too far from each other. */
  #collide(a: WorldShape, b: WorldShape, h: number, gravity: number): void {
    const margin = NEAR + h * relativeSpeed(a, b) + 2 * gravity * h * h;
    const x = a.pose[9] - b.pose[9];
    const y = a.pose[10] - b.pose[10];
    const z = a.pose[11] - b.pose[11];
    const far = a.collider.reach + b.collider.reach + margin;
    if (x * x + y * y + z * z > far * far) this.#manifold.count = 0;
    else collide(this.#manifold, a.collider, a.pose, 0, b.collider, b.pose, 0, margin);
  }
}

/** The number of a pair of shapes, of n in all. */
export function pairKey(n: number, i: number, j: number): number {
  return i < j ? i * n + j : j * n + i;
}

/** Whether two shapes cannot move against each other, or sit on bodies that a joint, or several at one place, connects. */
function joined(a: WorldShape, b: WorldShape): boolean {
  const [na, nb] = [a.node, b.node];
  if (a.memberIndex !== b.memberIndex) return na < 0 && nb < 0;
  return na === nb || carrier(a) === nb || carrier(b) === na;
}

/**
 * Node of the nearest body below a shape's own that is one: links without shapes only put joints together, if they weigh nothing or
 * the joints are at one place.
 */
function carrier({ member, node }: WorldShape): number {
  if (member === undefined || node < 0) return -2;
  const { parentNode, linkOf, tree, mechanism, nodeOf } = member.articulation;
  const empty = (k: number): boolean => {
    // `beyond` hangs from it.
    let mass = 0;
    for (let i = linkOf[k]; i < tree.n; i++) {
      if (nodeOf[i] !== k) continue;
      const body = mechanism.bodies[tree.body[i]];
      if (body.collisions.length > 0) return false;
      mass += body.mass;
    }
    return mass === 0 || mechanism.joints[tree.joint[linkOf[beyond]]].t.every((x) => x === 0);
  };
  let beyond = node;
  let k = parentNode[node];
  while (k >= 0 && empty(k)) {
    beyond = k;
    k = parentNode[k];
  }
  // A base on the ground may touch the ground.
  return k >= 0 ? k : -2;
}
