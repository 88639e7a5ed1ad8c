// The emitter of TypeScript: what it writes computes what the WebAssembly of the same graph computes, bit for bit.

import { describe, expect, it } from 'vitest';
import { jsFunction } from '../../src/emit/js.js';
import type { Graph } from '../../src/formulas/graph.js';
import { sincos } from '../../src/formulas/trig.js';
import { VectorGraph } from '../../src/formulas/vectors.js';
import { Random } from '../../src/mechanism/random.js';
import { runner } from '../formulas/run-graph.js';

/** Array 0 in, array 1 out. Tests may do what the library must not: make code from text. */
function asFunction(graph: Graph, outputs: number): (input: readonly number[]) => number[] {
  const text = jsFunction('f', graph, [0, 1]).replace(/: (?:Float64Array|number|void)/g, '');
  const f = new Function(`${text}; return f;`)();
  return (input) => {
    const s = new Float64Array(input.length + outputs);
    s.set(input);
    f(s, 0, input.length);
    return Array.from(s.subarray(input.length));
  };
}

describe('TypeScript of a graph', () => {
  it('random graphs give the bits of WebAssembly', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = new Random(seed);
      const g = new VectorGraph();
      const nodes = Array.from({ length: 6 }, (_, i) => g.input(0, i));
      const pick = (): number => nodes[Math.floor(random.between(0, nodes.length))];
      for (let k = 0; k < 60; k++)
        nodes.push(
          [
            () => g.add(pick(), pick()),
            () => g.sub(pick(), pick()),
            () => g.mul(pick(), pick()),
            () => g.div(pick(), g.add(g.constant(0.5), g.abs(pick()))),
            () => g.neg(pick()),
            () => g.sqrt(g.abs(pick())),
            () => g.nearest(g.div(pick(), g.add(g.constant(1), g.abs(pick())))),
            () => g.mul(pick(), g.constant(random.between(-2, 2))),
          ][Math.floor(random.between(0, 8))](),
        );
      nodes.slice(-10).forEach((node, i) => {
        g.output(1, i, node);
      });
      const input = Array.from({ length: 6 }, () => random.between(-3, 3));
      const made = asFunction(g, 10)(input);
      // Signs of zeros carry no meaning.
      expect(
        made.map((x) => x + 0),
        `seed ${seed}`,
      ).toEqual(Array.from(runner(g)(input).out.subarray(0, 10), (x) => x + 0));
    }
  });

  it('what is overwritten is read before', () => {
    const g = new VectorGraph();
    g.output(0, 0, g.add(g.input(0, 1), g.constant(1)));
    g.output(0, 1, g.mul(g.input(0, 0), g.constant(2)));
    const f = new Function(`${jsFunction('f', g, [0]).replace(/: (?:Float64Array|number|void)/g, '')}; return f;`)();
    const s = Float64Array.of(3, 5);
    f(s, 0);
    expect(Array.from(s)).toEqual([6, 6]);
  });

  it('sine and cosine', () => {
    const g = new VectorGraph();
    sincos(g, g.input(0, 0)).forEach((node, i) => {
      g.output(1, i, node);
    });
    const made = asFunction(g, 2);
    for (let k = -500; k <= 500; k++) {
      const x = 0.37 * k + k ** 3 / 100;
      expect(made([x])[0]).toBeCloseTo(Math.sin(x), 14);
      expect(made([x])[1]).toBeCloseTo(Math.cos(x), 14);
    }
  });

  it('pairs are refused', () => {
    const g = new VectorGraph();
    g.output(0, 0, g.pair(g.input(0, 0), g.input(0, 1)), 1);
    expect(() => jsFunction('f', g, [0])).toThrow('pairs');
  });
});
