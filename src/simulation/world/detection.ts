// Which shapes touch, or may touch within the step: broad phase, then the points of every pair. Pairs come in the order of their
// keys, whatever the order in which they were found.

import { allowPairs } from '../../contact/broad-phase.js';
import { collide } from '../../contact/collide.js';
import { Manifold } from '../../contact/manifold.js';
import { SweptShapes } from '../../contact/swept-shapes.js';
import { SimulationError } from '../../mechanism/errors.js';
import type { Vec3 } from '../../spatial/matrix3.js';
import { TRANSFORM } from '../../spatial/spatial.js';
import type { PairCheckpoint } from './checkpoint.js';
import { type PairFriction, pairKey, ShapePair, type WorldShape } from './world-shape.js';

/** Shapes this near (m) are looked at even when they do not move. */
const NEAR = 2e-3;
/** Farther than anything in a world (m). */
const FAR = 1e9;

/** Two shapes that may touch within the step, and their pair: that of the step before, then that of this one. */
export interface NearPair {
  key: number;
  a: WorldShape;
  b: WorldShape;
  margin: number;
  pair: ShapePair | undefined;
}

/** Two shapes in each other: how deep, metres, and the direction in which a is to be moved out. */
export interface Overlapping {
  readonly a: WorldShape;
  readonly b: WorldShape;
  readonly depth: number;
  readonly normal: Vec3;
}

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
  /** Pairs that the last sweep found near each other. */
  readonly candidates: NearPair[] = [];

  /** Other shapes from now on. `excluded`: keys of pairs that do not touch; `given`: of those that do, whatever else is said, with their friction. */
  set(shapes: readonly WorldShape[], excluded: ReadonlySet<number>, given: ReadonlyMap<number, PairFriction>): void {
    this.follow(shapes, given);
    const colliders = shapes.map(({ collider }) => collider);
    const places = new Map(colliders.map((collider, i) => [collider, i]));
    allowPairs(this.#swept, colliders, {
      include: [...given.keys()].map((key) => [Math.floor(key / shapes.length), key % shapes.length]),
      accept: (a, b) => {
        const [i, j] = [places.get(a)!, places.get(b)!];
        return !excluded.has(this.key(i, j)) && !joined(shapes[i], shapes[j]);
      },
    });
  }

  /** Other shapes, of which no pairs are looked for. */
  follow(shapes: readonly WorldShape[], given: ReadonlyMap<number, PairFriction>): void {
    this.#shapes = shapes;
    this.#given = given;
    this.#marked = undefined;
    this.#swept = new SweptShapes(shapes.map(({ collider }) => collider));
    for (const shape of shapes) shape.attach(this.#swept);
    this.touching = [];
  }

  key(i: number, j: number): number {
    return pairKey(this.#shapes.length, i, j);
  }

  /** All pairs, where the shapes are now; h: the length of the step, `wider`: see sweep. */
  find(h: number, gravity: number, wider: number): void {
    this.sweep(h, gravity, wider);
    for (let k = 0; k < this.candidates.length; k++) this.look(this.candidates[k]);
    this.gather();
  }

  /**
   * The pairs that may touch, in the order of their keys: `look` at all of them, in any order, then `gather` those that do. Farther
   * apart by `wider` than their speeds say: metres that something has moved on which was struck within the step.
   */
  sweep(h: number, gravity: number, wider: number): void {
    const swept = this.#swept;
    const { candidates } = this;
    swept.follow();
    const count = swept.find(h, NEAR + wider, gravity * h);
    const { pairs, margins } = swept;
    const before = this.touching;
    while (candidates.length < count)
      candidates.push({ key: 0, a: this.#shapes[0], b: this.#shapes[0], margin: 0, pair: undefined });
    candidates.length = count;
    let old = 0;
    for (let k = 0; k < count; k++) {
      const candidate = candidates[k];
      const i = pairs[2 * k];
      const j = pairs[2 * k + 1];
      const key = this.key(i, j);
      // Both lists are in the order of keys.
      while (old < before.length && before[old].key < key) old++;
      candidate.key = key;
      candidate.a = this.#shapes[i];
      candidate.b = this.#shapes[j];
      // What rests is looked at as before, or it would have to be computed again.
      const rest = wider > 0 && stays(candidate.a) && stays(candidate.b);
      candidate.margin = rest ? swept.margin(i, j, h, NEAR, gravity * h) : margins[k];
      candidate.pair = old < before.length && before[old].key === key ? before[old] : undefined;
    }
  }

  /** The pair of a candidate if it has points. */
  look(candidate: NearPair): ShapePair | undefined {
    const { key, a, b, margin, pair: known } = candidate;
    const asleep = rests(a) && rests(b);
    if (asleep && (known === undefined || known.settled)) return known;
    if (known !== undefined && known.margin === margin && stays(a) && stays(b)) {
      known.kept = true;
      return known;
    }
    candidate.pair = undefined;
    this.#collide(a, b, margin);
    if (this.#manifold.count === 0) return undefined;
    const pair = known ?? this.newPair(key);
    pair.settled = asleep;
    pair.margin = margin;
    pair.kept = false;
    pair.age();
    pair.take(this.#manifold);
    candidate.pair = pair;
    return pair;
  }

  /** The pairs that have points, after `look` at all candidates. */
  gather(): void {
    this.touching = [];
    for (let k = 0; k < this.candidates.length; k++) {
      const { pair } = this.candidates[k];
      if (pair !== undefined) this.touching.push(pair);
    }
  }

  /**
   * What the step did not foresee, metres: how deep shapes are in each other, where they are now, that are no pair (`missed`), and how
   * much deeper than at its start those that are one (`entered`).
   */
  surprises(): { readonly missed: number; readonly entered: number } {
    const swept = this.#swept;
    const { touching } = this;
    swept.follow();
    const count = swept.find(0, 0, 0);
    let [missed, entered] = [0, 0];
    for (let k = 0, known = 0; k < count; k++) {
      const [i, j] = [swept.pairs[2 * k], swept.pairs[2 * k + 1]];
      const key = this.key(i, j);
      while (known < touching.length && touching[known].key < key) known++;
      const pair = known < touching.length && touching[known].key === key ? touching[known] : undefined;
      this.#collide(this.#shapes[i], this.#shapes[j], 0);
      const depth = depthOf(this.#manifold);
      if (pair === undefined) missed = Math.max(missed, depth);
      else if (pair.compliance === 0) entered = Math.max(entered, depth - depthOf(pair));
    }
    return { missed, entered };
  }

  /** Shapes that may touch and are in each other, where they are now. */
  overlaps(): Overlapping[] {
    const swept = this.#swept;
    swept.follow();
    const count = swept.find(0, 0, 0);
    const out: Overlapping[] = [];
    for (let k = 0; k < count; k++) {
      const [a, b] = [this.#shapes[swept.pairs[2 * k]], this.#shapes[swept.pairs[2 * k + 1]]];
      this.#collide(a, b, 0);
      const { gap, normal } = this.#manifold;
      const depth = depthOf(this.#manifold);
      const o = 3 * gap.indexOf(-depth);
      if (depth > 0) out.push({ a, b, depth, normal: [normal[o], normal[o + 1], normal[o + 2]] });
    }
    return out;
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

  /** Points of all pairs, with their impulses. */
  save(): PairCheckpoint[] {
    return this.touching.map(({ key, count, feature, position, frame, gap, impulse, moment, mode, h, ...pair }) => ({
      key,
      features: feature.slice(0, count),
      positions: position.slice(0, 3 * count),
      normals: Float64Array.from({ length: 3 * count }, (_, k) => frame[9 * Math.floor(k / 3) + (k % 3)]),
      gaps: gap.slice(0, count),
      impulses: impulse.slice(0, 3 * count),
      ...((pair.torsional > 0 || pair.rolling > 0) && { moments: moment.slice(0, 3 * count) }),
      modes: mode.slice(0, count),
      h,
    }));
  }

  restore(pairs: readonly PairCheckpoint[]): void {
    this.#marked = undefined;
    const n = this.#shapes.length;
    const strange = pairs.find(({ key }) => !(key < n * n));
    if (strange !== undefined)
      throw new SimulationError('checkpoint', `The checkpoint has a contact of shapes that are not there: ${n} are.`);
    this.touching = pairs.map(({ key, ...points }) => {
      const pair = this.newPair(key);
      pair.recall(points);
      return pair;
    });
  }

  newPair(key: number): ShapePair {
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

  /** Joules in the contacts that give way, where the shapes are now. */
  springEnergy(): number {
    let sum = 0;
    for (const { a, b, compliance } of this.touching) {
      if (compliance === 0) continue;
      if (a.node >= 0) this.#swept.follow(a.index, a.index + 1);
      if (b.node >= 0) this.#swept.follow(b.index, b.index + 1);
      this.#collide(a, b, 0);
      const { count, gap } = this.#manifold;
      for (let k = 0; k < count; k++) sum += (0.5 * Math.min(0, gap[k]) ** 2) / compliance;
    }
    return sum;
  }

  /** The manifold of two shapes; a negative margin: they are too far from each other. */
  #collide({ collider: a, index: i }: WorldShape, { collider: b, index: j }: WorldShape, margin: number): void {
    const { poses } = this.#swept;
    if (margin < 0) this.#manifold.count = 0;
    else collide(this.#manifold, a, poses, TRANSFORM * i, b, poses, TRANSFORM * j, margin);
  }
}

/** How deep the deepest of some points is; 0 where none is. */
function depthOf({ count, gap }: { readonly count: number; readonly gap: Float64Array }): number {
  let depth = 0;
  for (let k = 0; k < count; k++) depth = Math.max(depth, -gap[k]);
  return depth;
}

/** Whether nothing moves a shape in this step. */
function rests({ node, member }: WorldShape): boolean {
  return node < 0 || member!.asleep;
}

/** Whether the last step left a shape where it was, and nothing else is asked of its member now. */
function stays({ member }: WorldShape): boolean {
  return member === undefined || member.halted;
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
