// The value of a formula graph for given inputs: in double precision, or in 32 bits as a device with fma computes it.

import { multiplyAddSums } from '../../src/emit/multiply-add-sums.js';
import {
  ADD,
  CONSTANT,
  COS,
  DIV,
  type Graph,
  INPUT,
  MUL,
  NEAREST,
  NEG,
  type Node,
  PAIR,
  SIN,
  SQRT,
  SUB,
  UNIT_DEFECT,
} from '../../src/formulas/graph.js';

const { fround } = Math;
/** Products of two 32-bit numbers are exact in double precision, so this is fma but for a rounding in a million. */
const fma = (x: number, y: number, z: number): number => fround(x * y + z);

/** As the function of wgsl.ts. */
function sincos(x: number): readonly [number, number] {
  const k = Math.floor(fma(x, fround(0.6366197723675814), 0.5));
  const r = fma(k, fround(-7.549789954891882e-8), fma(k, -4.837512969970703e-4, fma(k, -1.5703125, x)));
  const z = fround(r * r);
  const polynomial = (a: number, b: number, c: number): number => fma(z, fma(z, fround(a), fround(b)), fround(c));
  const s = fma(fround(r * z), polynomial(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1), r);
  const tail = polynomial(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2);
  const c = fma(fround(z * z), tail, fma(z, -0.5, 1));
  const [sine, cosine] = (k & 1) !== 0 ? [c, s] : [s, c];
  return [(k & 2) !== 0 ? -sine : sine, ((k + 1) & 2) !== 0 ? -cosine : cosine];
}

function unitDefect(q: readonly number[], exact: boolean): number {
  if (exact) return 1 - 1 / q.reduce((sum, x) => sum + x * x, 0);
  const [w, x, y, z] = q;
  const half = fma(x, x, fma(w, w, 1));
  const sum = fma(z, z, fma(y, y, half));
  const rounded = fma(w, w, fma(x, x, fround(1 - half))) + fma(y, y, fma(z, z, fround(half - sum)));
  const excess = fround(fround(sum - 2) + fround(rounded));
  return fround(excess / fround(1 + excess));
}

/** Of all nodes of a graph, or node by node: whether it is computed in 32 bits. */
export type Precision = 32 | 64 | ((node: Node, graph: Graph) => boolean);

/** Outputs of a graph, by array and number, one state at a time. */
export function graphValues(
  graph: Graph,
  precision: Precision,
): (input: (array: number, i: number) => number) => Map<number, number[]> {
  const { op, a, b, x, size } = graph;
  const { live, inlined, terms } = multiplyAddSums(graph);
  const rounded = typeof precision === 'function' ? precision : () => precision === 32;
  const value = new Float64Array(size);
  const lists = Array.from({ length: size }, (_, n) => (op[n] === ADD || op[n] === SUB ? terms(n) : []));
  const compute = (n: number, input: (array: number, i: number) => number): number => {
    const [p, q] = [value[a[n]], value[b[n]]];
    const exact = !rounded(n, graph);
    const round = exact ? (number: number): number => number : fround;
    switch (op[n]) {
      case CONSTANT:
        return round(x[n]);
      case INPUT:
        return input(a[n], b[n]);
      case ADD:
      case SUB:
        return lists[n].reduce((sum, { node, minus }, k) => {
          const term = minus ? -value[node] : value[node];
          return k === 0 ? round(term) : round(sum + term);
        }, 0);
      case MUL:
        // Those that are part of sums are not rounded on their own.
        return inlined[n] === 1 ? p * q : round(p * q);
      case DIV:
        return round(p * round(1 / q));
      case NEG:
        return -p;
      case SQRT:
        return round(Math.sqrt(p));
      case NEAREST:
        return Math.round(p);
      case SIN:
        return exact ? Math.sin(p) : sincos(p)[0];
      case COS:
        return exact ? Math.cos(p) : sincos(p)[1];
      case PAIR:
        return 0;
      case UNIT_DEFECT:
        return unitDefect(
          [a[n], b[n]].flatMap((pair) => [value[a[pair]], value[b[pair]]]),
          exact,
        );
      default:
        throw new Error(`operation ${op[n]}`);
    }
  };
  return (input) => {
    for (let n = 0; n < size; n++) if (live[n] === 1) value[n] = compute(n, input);
    const outputs = new Map<number, number[]>();
    for (const { array, i, node } of graph.outputs) {
      const list = outputs.get(array) ?? [];
      list[i] = value[node];
      outputs.set(array, list);
    }
    return outputs;
  };
}
