// The order in which parts of a row are joined, against all orders there are.

import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { joinRow, type Row } from '../../src/schedule/join-order.js';

type Tree = number | readonly [Tree, Tree];

/** All ways to join the parts from i to j. */
function trees(i: number, j: number): Tree[] {
  if (i === j) return [i];
  const all: Tree[] = [];
  for (let k = i; k < j; k++)
    for (const upper of trees(i, k)) for (const lower of trees(k + 1, j)) all.push([upper, lower]);
  return all;
}

interface Times {
  readonly first: number;
  readonly last: number;
  readonly whole: number;
  readonly told: number;
}

function play(row: Row, tree: Tree): Times {
  if (typeof tree === 'number') return { first: tree, last: tree, whole: row.ready[tree], told: 0 };
  const [upper, lower] = [play(row, tree[0]), play(row, tree[1])];
  const [i, k, j] = [upper.first, upper.last, lower.last];
  const way = row.latency(i, k);
  return {
    first: i,
    last: j,
    whole: Math.max(upper.whole, lower.whole + way) + row.cost(i, k, j),
    told: Math.max(upper.told, lower.told) + row.back(i, k, j),
  };
}

/** The tree that lists of parts taken in stand for. */
function treeOf(joins: readonly (readonly number[])[], part: number): Tree {
  return joins[part].reduce<Tree>((tree, other) => [tree, treeOf(joins, other)], part);
}

function randomRow(seed: number, count: number): Row {
  const random = new Random(seed);
  return {
    ready: Array.from({ length: count }, () => 1000 * random.next()),
    cost: (_i, _k, j) => (j === count - 1 ? 200 : 450),
    back: () => 60,
    latency: () => 150,
  };
}

describe('parts of a row', () => {
  it('are joined nearly as well as can be', () => {
    let worst = 1;
    for (let seed = 1; seed <= 30; seed++) {
      const row = randomRow(seed, 2 + (seed % 6));
      const value = (tree: Tree): number => {
        const { whole, told } = play(row, tree);
        return whole + told;
      };
      const found = value(treeOf(joinRow(row), 0));
      const best = Math.min(...trees(0, row.ready.length - 1).map(value));
      worst = Math.max(worst, found / best);
    }
    expect(worst).toBeLessThan(1.1);
  });

  it('that are ready at once are joined in a few rounds, not one after the other', () => {
    for (const count of [16, 40]) {
      const row = { ...randomRow(1, count), ready: new Array<number>(count).fill(0), cost: () => 1, back: () => 1 };
      const tree = treeOf(joinRow({ ...row, latency: () => 1 }), 0);
      const { last, whole } = play({ ...row, latency: () => 1 }, tree);
      expect(last).toBe(count - 1);
      expect(whole).toBeLessThan(14);
    }
  });

  it('all of them, each once', () => {
    for (const count of [1, 2, 5, 23, 24, 25, 64]) {
      const joins = joinRow(randomRow(count, count));
      const taken = joins.flat().sort((a, b) => a - b);
      expect(taken).toEqual(Array.from({ length: count - 1 }, (_, k) => k + 1));
    }
  });
});
