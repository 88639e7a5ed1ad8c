// Islands: members that contacts join, found by union-find; the ground joins nobody.

import { grown } from '../../contact/solver/problem.js';
import type { Articulation } from './articulation.js';
import type { JointRows } from './joint-rows.js';
import type { Member } from './member.js';
import type { ShapePair, WorldShape } from './world-shape.js';

/** Two shapes that touch, or may. */
export interface NearShapes {
  readonly a: WorldShape;
  readonly b: WorldShape;
}

/** Members that touch each other, with what they touch. Lists are filled again in every step. */
export class Island<Pair extends NearShapes = ShapePair> {
  /** Numbers of the members, ascending; the members, their articulations, their rows. */
  readonly numbers: number[] = [];
  readonly members: Member[] = [];
  readonly articulations: Articulation[] = [];
  readonly rows: JointRows[] = [];
  readonly pairs: Pair[] = [];
  #members = 0;
  #pairs = 0;

  empty(): void {
    this.#members = this.#pairs = 0;
  }

  addMember(number: number, member: Member, rows: JointRows): void {
    const k = this.#members++;
    this.numbers[k] = number;
    this.members[k] = member;
    this.articulations[k] = member.articulation;
    this.rows[k] = rows;
  }

  addPair(pair: Pair): void {
    this.pairs[this.#pairs++] = pair;
  }

  /** What is left of an earlier step goes. */
  finish(): void {
    if (this.pairs.length > this.#pairs) this.pairs.length = this.#pairs;
    if (this.numbers.length > this.#members)
      for (const list of [this.numbers, this.members, this.articulations, this.rows]) list.length = this.#members;
  }
}

export class Islands<Pair extends NearShapes = ShapePair> {
  #parent = new Int32Array(16);
  /** Number of the island of each root. */
  #islandOf = new Int32Array(16);
  /** Used again from step to step. */
  readonly #kept: Island<Pair>[] = [];
  count = 0;

  /** Island k: of one call of `add` in the order of their first members. */
  at(k: number): Island<Pair> {
    return this.#kept[k];
  }

  /** Finds them anew: none so far, of so many members. */
  begin(members: number): void {
    this.#parent = grown(this.#parent, members);
    this.#islandOf = grown(this.#islandOf, members);
    this.count = 0;
  }

  /** Those of the members of these numbers, ascending, which touch no others; members that cannot move are in none. */
  add(
    numbers: ArrayLike<number>,
    members: readonly Member[],
    rows: readonly JointRows[],
    pairs: readonly Pair[],
  ): void {
    const parent = this.#parent;
    const islandOf = this.#islandOf;
    const first = this.count;
    for (let k = 0; k < numbers.length; k++) {
      parent[numbers[k]] = numbers[k];
      islandOf[numbers[k]] = -1;
    }
    for (let p = 0; p < pairs.length; p++) {
      const { a, b } = pairs[p];
      if (a.node < 0 || b.node < 0) continue;
      const x = this.#root(a.memberIndex);
      const y = this.#root(b.memberIndex);
      // The smaller number is the root, so that the order of the islands does not depend on that of the pairs.
      if (x < y) parent[y] = x;
      else parent[x] = y;
    }
    for (let k = 0; k < numbers.length; k++) {
      const m = numbers[k];
      if (members[m].articulation.nv === 0) continue;
      const root = this.#root(m);
      if (islandOf[root] < 0) islandOf[root] = this.#next();
      this.#kept[islandOf[root]].addMember(m, members[m], rows[m]);
    }
    for (let p = 0; p < pairs.length; p++) {
      const { a, b } = pairs[p];
      this.#kept[islandOf[this.#root(a.node >= 0 ? a.memberIndex : b.memberIndex)]].addPair(pairs[p]);
    }
    for (let k = first; k < this.count; k++) this.#kept[k].finish();
  }

  #root(member: number): number {
    const parent = this.#parent;
    let k = member;
    while (parent[k] !== k) {
      parent[k] = parent[parent[k]];
      k = parent[k];
    }
    return k;
  }

  /** Number of an empty island. */
  #next(): number {
    const k = this.count++;
    if (k === this.#kept.length) this.#kept.push(new Island<Pair>());
    this.#kept[k].empty();
    return k;
  }
}
