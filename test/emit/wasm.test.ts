import { describe, expect, it } from 'vitest';
import { cut } from '../../src/emit/cut-functions.js';
import { arityOf, type Graph, INPUT, type Node } from '../../src/formulas/graph.js';
import { VectorGraph } from '../../src/formulas/vectors.js';
import { Random } from '../../src/mechanism/random.js';
import { runner } from '../formulas/run-graph.js';

const INPUTS = 8;
const OUTPUTS = 40;

/** A random graph of scalars and pairs over eight inputs, with outputs of all kinds. */
function randomGraph(seed: number, size: number, pairs: boolean): VectorGraph {
  const random = new Random(seed);
  const g = new VectorGraph();
  const nodes: Node[] = [];
  for (let k = 0; k < INPUTS; k++) nodes.push(g.input(0, k));
  if (pairs) nodes.push(g.input(0, 1, 5), g.constant(0.5, -0.25));
  nodes.push(g.constant(0.75));
  for (let k = 0; k < size; k++) {
    const [a, b] = [random.pick(nodes.slice(-30)), random.pick(nodes.slice(-60))];
    // Values stay of moderate size: products are damped, quotients have denominators above 1.
    const made = [
      () => g.add(g.mul(a, g.constant(0.5)), g.mul(b, g.constant(0.4))),
      () => g.sub(g.mul(a, g.constant(0.6)), b),
      () => g.div(a, g.add(g.constant(2), g.mul(b, b))),
      () => g.neg(a),
      () => g.nearest(g.mul(a, g.constant(8))),
      () => g.sqrt(g.add(g.mul(a, a), g.constant(0.1))),
      () => g.mul(g.constant(0.1), g.mul(a, b)),
      () => (pairs ? g.pair(g.lane(a, 0), g.lane(b, 1)) : g.add(a, b)),
    ];
    nodes.push(random.pick(made)());
    if (k % 50 === 49) g.mark();
  }
  for (let k = 0; k < OUTPUTS; k += 2) {
    const node = random.pick(nodes);
    if (g.lanes[node] === 2) g.output(1, k, node, k + 1);
    else {
      g.output(1, k, node);
      g.output(1, k + 1, g.neg(node));
    }
  }
  return g;
}

/** What the graph means, in plain arithmetic: both lanes of every node. */
function interpret(g: Graph, input: readonly number[]): number[] {
  const values: [number, number][] = [];
  const nearest = (x: number): number => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));
  for (let n = 0; n < g.size; n++) {
    const [a, b] = [values[g.a[n]], values[g.b[n]]];
    const both = (f: (k: 0 | 1) => number): [number, number] => [f(0), f(1)];
    const table: (() => [number, number])[] = [
      () => [g.x[n], g.y[n]],
      () => [input[g.b[n]], input[g.lanes[n] === 2 ? g.x[n] : g.b[n]]],
      () => both((k) => a[k] + b[k]),
      () => both((k) => a[k] - b[k]),
      () => both((k) => a[k] * b[k]),
      () => both((k) => a[k] / b[k]),
      () => both((k) => -a[k]),
      () => both((k) => Math.sqrt(a[k])),
      () => both((k) => nearest(a[k])),
      () => [a[0], a[0]],
      () => [a[g.b[n]], a[g.b[n]]],
      () => [a[0], b[0]],
    ];
    values.push(table[g.op[n]]());
  }
  const out: number[] = [];
  for (const { i, j, node } of g.outputs) {
    out[i] = values[node][0];
    if (j >= 0) out[j] = values[node][1];
  }
  return out;
}

const input = [0.3, -0.7, 1.1, 0.2, -1.4, 0.9, -0.1, 0.6];
/** Minus zero and zero are one number here. */
const plain = (values: Iterable<number>): number[] => [...values].map((x) => x + 0);

describe('WebAssembly emitter', () => {
  it.each([1, 2, 3, 4, 5, 6])('random graph %i means what its arithmetic says, bit for bit', (seed) => {
    for (const pairs of [false, true]) {
      const g = randomGraph(seed, 400, pairs);
      const { out } = runner(g)(input);
      expect(plain(out.slice(0, OUTPUTS))).toEqual(plain(interpret(g, input)));
    }
  });

  it('cut into functions it gives the same bits, whatever the intermediate memory holds', () => {
    const g = randomGraph(7, 2000, true);
    const whole = runner(g, { functionSize: 1e6 })(input);
    const pieces = runner(g, { functionSize: 60 })(input);
    expect(whole.functions).toBe(1);
    expect(pieces.functions).toBeGreaterThan(20);
    expect([...pieces.out]).toEqual([...whole.out]);
  });

  it('no value is read from a slot that another one has taken', () => {
    const g = randomGraph(8, 2000, true);
    const { pieces, slot, live } = cut(g, 60, 0, false);
    const pieceOf = (n: Node): number => pieces.findIndex(({ from, end }) => n >= from && n < end);
    const owners = new Map<number, { node: Node; until: number }[]>();
    const crossing: Node[] = [];
    slot.forEach((at, node) => {
      if (at < 0) return;
      crossing.push(node);
      let until = 0;
      for (let n = 0; n < g.size; n++)
        if (
          live[n] === 1 &&
          g.op[n] > INPUT &&
          arityOf(g.op[n]) > 0 &&
          (g.a[n] === node || (arityOf(g.op[n]) > 1 && g.b[n] === node))
        )
          until = Math.max(until, pieceOf(n));
      const list = owners.get(at) ?? [];
      for (const other of list) expect(pieceOf(node)).toBeGreaterThan(other.until);
      owners.set(at, [...list, { node, until }]);
    });
    expect(crossing.length).toBeGreaterThan(100);
    expect(owners.size).toBeLessThan(crossing.length);
  });

  it('wide: two states at once', () => {
    const g = randomGraph(9, 500, false);
    const other = input.map((x) => 0.5 - x);
    const interleaved = input.flatMap((x, k) => [x, other[k]]);
    const { out } = runner(g, { wide: true, functionSize: 100 })(interleaved);
    const lane = (k: number): number[] => plain([...out.slice(0, 2 * OUTPUTS)].filter((_, i) => i % 2 === k));
    expect(lane(0)).toEqual(plain(interpret(g, input)));
    expect(lane(1)).toEqual(plain(interpret(g, other)));
  });

  it('refuses operations that are for counting only', () => {
    const g = new VectorGraph({ opaqueTrig: true });
    g.output(1, 0, g.sine(g.input(0, 0)));
    expect(() => runner(g)).toThrow(RangeError);
  });
});
