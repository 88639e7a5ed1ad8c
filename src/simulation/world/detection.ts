// Which shapes touch, or may touch within the step: broad phase, then the points of every pair. Pairs come in the order of their
// keys, whatever the order in which they were found.

import { allowPairs } from '../../contact/broad-phase.js';
import { collide } from '../../contact/collide.js';
import { Manifold } from '../../contact/manifold.js';
import { SweptShapes } from '../../contact/swept-shapes.js';
import { SimulationError } from '../../mechanism/errors.js';
import { TRANSFORM } from '../../spatial/spatial.js';
import type { PairCheckpoint } from './checkpoint.js';
import { type PairFriction, ShapePair, type WorldShape } from './world-shape.js';

/** Shapes this near (m) are looked at even when they do not move. */
const NEAR = 2e-3;
/** Farther than anything in a world (m). */
const FAR = 1e9;

export class Detection {
  #shapes: readonly WorldShape[] = [];
  #swept = new SweptShapes([]);
  readonly #manifold = new Manifold();
  /** The pairs at the start of the step. */
  #marked: ShapePair[] | undefined;
  /** Friction that was given for pairs of shapes. */
  #given: ReadonlyMap<number, PairFriction> = new Map();
  /** Pairs with points, in the order of their keys. */
  touching: ShapePair[] = [];

  /** Other shapes from now on. `excluded`: keys of pairs that do not touch; `given`: of those that do, whatever else is said, with their friction. */
  set(shapes: readonly WorldShape[], excluded: ReadonlySet<number>, given: ReadonlyMap<number, PairFriction>): void {
    this.#shapes = shapes;
    this.#given = given;
    this.#marked = undefined;
    const colliders = shapes.map(({ collider }) => collider);
    const places = new Map(colliders.map((collider, i) => [collider, i]));
    const swept = new SweptShapes(colliders);
    this.#swept = swept;
    for (const shape of shapes) shape.attach(swept);
    allowPairs(swept, colliders, {
      include: [...given.keys()].map((key) => [Math.floor(key / shapes.length), key % shapes.length]),
      accept: (a, b) => {
        const [i, j] = [places.get(a)!, places.get(b)!];
        return !excluded.has(this.key(i, j)) && !joined(shapes[i], shapes[j]);
      },
    });
    this.touching = [];
  }

  key(i: number, j: number): number {
    return pairKey(this.#shapes.length, i, j);
  }

  /** All pairs, where the shapes are now; h: the length of the step. */
  find(h: number, gravity: number): void {
    const shapes = this.#shapes;
    const swept = this.#swept;
    swept.follow();
    const count = swept.find(h, NEAR, gravity * h);
    const { pairs, margins } = swept;
    const before = this.touching;
    this.touching = [];
    let old = 0;
    for (let k = 0; k < count; k++) {
      const i = pairs[2 * k];
      const j = pairs[2 * k + 1];
      const key = this.key(i, j);
      // Both lists are in the order of keys.
      while (old < before.length && before[old].key < key) old++;
      const known = old < before.length && before[old].key === key ? before[old] : undefined;
      const asleep = rests(shapes[i]) && rests(shapes[j]);
      if (asleep && (known === undefined || known.settled)) {
        if (known !== undefined) this.touching.push(known);
        continue;
      }
      if (known !== undefined && known.margin === margins[k] && stays(shapes[i]) && stays(shapes[j])) {
        known.kept = true;
        this.touching.push(known);
        continue;
      }
      this.#collide(shapes[i], shapes[j], margins[k]);
      if (this.#manifold.count === 0) continue;
      const pair = known ?? this.#newPair(key);
      pair.settled = asleep;
      pair.margin = margins[k];
      pair.kept = false;
      pair.age();
      pair.take(this.#manifold);
      this.touching.push(pair);
    }
  }

  /** Remembers pairs and warm starts as those at the start of a step. */
  mark(): void {
    this.#marked = this.touching;
    for (const pair of this.touching) pair.mark();
  }

  /** Back to what was remembered. */
  undo(): void {
    if (this.#marked === undefined) return;
    this.touching = this.#marked;
    for (const pair of this.touching) pair.undo();
  }

  /** Features and impulses of all pairs. */
  save(): PairCheckpoint[] {
    return this.touching.map(({ key, count, feature, impulse, moment, mode, torsional, rolling }) => ({
      key,
      features: feature.slice(0, count),
      impulses: impulse.slice(0, 3 * count),
      ...((torsional > 0 || rolling > 0) && { moments: moment.slice(0, 3 * count) }),
      modes: mode.slice(0, count),
    }));
  }

  restore(pairs: readonly PairCheckpoint[]): void {
    this.#marked = undefined;
    const n = this.#shapes.length;
    const strange = pairs.find(({ key }) => !(key < n * n));
    if (strange !== undefined)
      throw new SimulationError('checkpoint', `The checkpoint has a contact of shapes that are not there: ${n} are.`);
    this.touching = pairs.map(({ key, ...points }) => {
      const pair = this.#newPair(key);
      pair.recall(points);
      return pair;
    });
  }

  #newPair(key: number): ShapePair {
    const n = this.#shapes.length;
    return new ShapePair(key, this.#shapes[Math.floor(key / n)], this.#shapes[key % n], this.#given.get(key));
  }

  /** The points of these pairs where their shapes are now. */
  update(pairs: readonly ShapePair[], h: number, gravity: number): void {
    const swept = this.#swept;
    for (let k = 0; k < pairs.length; k++) {
      const { a, b } = pairs[k];
      if (a.node >= 0) swept.follow(a.index, a.index + 1);
      if (b.node >= 0) swept.follow(b.index, b.index + 1);
      this.#collide(a, b, swept.margin(a.index, b.index, h, NEAR, gravity * h));
      pairs[k].take(this.#manifold);
    }
  }

  /** The smallest gap between shapes of two lists, where they are now; negative where they penetrate, infinite where a list is empty. */
  distance(a: readonly WorldShape[], b: readonly WorldShape[]): number {
    let least = Number.POSITIVE_INFINITY;
    this.#swept.follow();
    for (const x of a)
      for (const y of b) {
        this.#collide(x, y, FAR);
        for (let k = 0; k < this.#manifold.count; k++) least = Math.min(least, this.#manifold.gap[k]);
      }
    return least;
  }

  /** The manifold of two shapes; a negative margin: they are too far from each other. */
  #collide({ collider: a, index: i }: WorldShape, { collider: b, index: j }: WorldShape, margin: number): void {
    const { poses } = this.#swept;
    if (margin < 0) this.#manifold.count = 0;
    else collide(this.#manifold, a, poses, TRANSFORM * i, b, poses, TRANSFORM * j, margin);
  }
}

/** Whether nothing moves a shape in this step. */
function rests({ node, member }: WorldShape): boolean {
  return node < 0 || member!.asleep;
}

/** Whether the last step left a shape where it was, and nothing else is asked of its member now. */
function stays({ member }: WorldShape): boolean {
  return member === undefined || member.halted;
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
