// Formula graphs as TypeScript: one function for one graph, text for a file that is made when the package is built (pages
// with a strict content security policy forbid code from strings at run time). Every operation is the one that the
// WebAssembly of the same graph does, in the same order, so both give the same bits.

import {
  ABS,
  ADD,
  arityOf,
  CONSTANT,
  DIV,
  type Graph,
  INPUT,
  MUL,
  NEAREST,
  NEG,
  type Node,
  SQRT,
  SUB,
} from '../formulas/graph.js';

const SIGN = new Map([
  [ADD, '+'],
  [SUB, '-'],
  [MUL, '*'],
  [DIV, '/'],
]);

/**
 * function NAME(s, a0, a1, ...): s is the one array that holds all numbers, a0 where array 0 of the graph begins in it, and
 * so on for all that are named. For graphs of single numbers (no pairs).
 */
export function jsFunction(name: string, graph: Graph, arrays: readonly number[]): string {
  const { op, a, b, x, outputs } = graph;
  const live = graph.live();
  const uses = new Uint32Array(graph.size);
  for (let n = 0; n < graph.size; n++) {
    if (live[n] === 0) continue;
    if (graph.lanes[n] !== 1) throw new RangeError('A graph with pairs has no TypeScript.');
    const arity = arityOf(op[n]);
    if (arity > 0) uses[a[n]]++;
    if (arity > 1) uses[b[n]]++;
  }
  for (const { node } of outputs) uses[node]++;
  const written = new Set(outputs.map(({ array, i }) => `${array} ${i}`));
  /** A number that is read once is read where it is needed, unless something may have been written there before. */
  const named = (n: Node): boolean =>
    op[n] !== CONSTANT && (uses[n] > 1 || (op[n] === INPUT && written.has(`${a[n]} ${b[n]}`)));
  const names = new Map<Node, string>();
  const place = (array: number, i: number): string => `s[a${array}${i === 0 ? '' : `+${i}`}]`;
  const value = (n: Node): string => names.get(n) ?? expression(n);
  /** Operands of an operator: sums and quotients in brackets, so that nothing is done in another order than in the graph. */
  const operand = (n: Node): string => (names.has(n) || op[n] === INPUT ? value(n) : `(${value(n)})`);
  const expression = (n: Node): string => {
    switch (op[n]) {
      case CONSTANT:
        return String(x[n]);
      case INPUT:
        return place(a[n], b[n]);
      case NEG:
        return `-${operand(a[n])}`;
      case SQRT:
        return `Math.sqrt(${value(a[n])})`;
      case ABS:
        return `Math.abs(${value(a[n])})`;
      case NEAREST:
        // The last bits fall off and come back as zeros: halves go to even, as in WebAssembly, for numbers below 2^51.
        return `${operand(a[n])}+6755399441055744-6755399441055744`;
      default: {
        const sign = SIGN.get(op[n]);
        if (sign === undefined) throw new RangeError(`Operation ${op[n]} has no TypeScript.`);
        return `${operand(a[n])}${sign}${operand(b[n])}`;
      }
    }
  };
  const lines: string[] = [];
  for (let n = 0; n < graph.size; n++) {
    if (live[n] === 0 || !named(n)) continue;
    const text = expression(n);
    names.set(n, `x${names.size}`);
    lines.push(`const ${names.get(n)}=${text};`);
  }
  for (const { array, i, node } of outputs) lines.push(`${place(array, i)}=${value(node)};`);
  const body = lines.join('\n');
  const parameters = arrays.map((k) => (body.includes(`[a${k}`) ? `a${k}` : `_a${k}`));
  return `function ${name}(s: Float64Array, ${parameters.join(': number, ')}: number): void {\n${body}\n}\n`;
}
