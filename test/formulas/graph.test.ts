import { describe, expect, it } from 'vitest';
import { Graph, NEG } from '../../src/formulas/graph.js';

const X = 0;

describe('formula graph', () => {
  it('equal formulas are one node, in either order of operands', () => {
    const g = new Graph();
    const [a, b] = [g.input(X, 0), g.input(X, 1)];
    expect(g.input(X, 0)).toBe(a);
    expect(g.add(a, b)).toBe(g.add(b, a));
    expect(g.mul(a, b)).toBe(g.mul(b, a));
    expect(g.sub(a, b)).not.toBe(g.sub(b, a));
    expect(g.constant(0.1)).not.toBe(g.constant(0.2));
    expect(g.constant(1, 2)).not.toBe(g.constant(2, 1));
    expect(g.input(X, 0, 1)).not.toBe(g.input(X, 0, 2));
  });

  it('folds constants and drops what does nothing', () => {
    const g = new Graph();
    const a = g.input(X, 0);
    const [zero, one] = [g.constant(0), g.constant(1)];
    expect(g.add(a, zero)).toBe(a);
    expect(g.sub(a, zero)).toBe(a);
    expect(g.mul(a, one)).toBe(a);
    expect(g.div(a, one)).toBe(a);
    expect(g.mul(a, zero)).toBe(zero);
    expect(g.sub(a, a)).toBe(zero);
    expect(g.constant(-0)).toBe(zero);
    expect(g.add(g.constant(2), g.constant(3))).toBe(g.constant(5));
    expect(g.div(one, g.constant(4))).toBe(g.constant(0.25));
    expect(g.sqrt(g.constant(9))).toBe(g.constant(3));
  });

  it('pulls signs outwards until a sum swallows them', () => {
    const g = new Graph();
    const [a, b, c] = [0, 1, 2].map((k) => g.input(X, k));
    expect(g.neg(g.neg(a))).toBe(a);
    expect(g.mul(g.neg(a), g.neg(b))).toBe(g.mul(a, b));
    expect(g.add(c, g.mul(g.neg(a), b))).toBe(g.sub(c, g.mul(a, b)));
    expect(g.sub(c, g.mul(a, g.constant(-2)))).toBe(g.add(c, g.mul(a, g.constant(2))));
    expect(g.op[g.sub(g.neg(a), b)]).toBe(NEG);
  });

  it('spreads single values where they meet pairs, and takes lanes apart again', () => {
    const g = new Graph();
    const [single, pair] = [g.input(X, 0), g.input(X, 1, 2)];
    const sum = g.add(single, pair);
    expect(g.lanes[sum]).toBe(2);
    expect(g.lane(single, 1)).toBe(single);
    expect(g.lane(g.constant(1, 2), 1)).toBe(g.constant(2));
    const [a, b] = [g.input(X, 3), g.input(X, 4)];
    expect(g.lane(g.pair(a, b), 0)).toBe(a);
    expect(g.lane(g.neg(g.pair(a, b)), 1)).toBe(g.neg(b));
  });

  it('counts what the outputs need and nothing else', () => {
    const g = new Graph();
    const [a, b] = [g.input(X, 0), g.input(X, 1)];
    g.div(a, b);
    const product = g.mul(a, b);
    g.output(1, 0, g.add(product, g.sqrt(product)));
    expect(g.count()).toMatchObject({ multiplications: 1, additions: 1, divisions: 0, roots: 1, instructions: 3 });
  });

  it('keeps finding nodes after growing', () => {
    const g = new Graph();
    const nodes = Array.from({ length: 20000 }, (_, k) => g.constant(k));
    expect(nodes.every((node, k) => g.constant(k) === node)).toBe(true);
    expect(g.size).toBe(20000);
  });
});
