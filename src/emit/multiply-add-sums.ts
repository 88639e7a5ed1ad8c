// Sums of a formula graph as GPUs like them: begun with a number that is there, then one fma for each product. In the graph
// a + (b c - d e) is a product, an fma and a sum; as (a + b c) - d e it is two fma, and rounded less often.

import { ADD, arityOf, type Graph, INPUT, MUL, type Node, SUB } from '../formulas/graph.js';

export interface Term {
  readonly node: Node;
  readonly minus: boolean;
  /** The node is a product, computed as part of the sum. */
  readonly product: boolean;
}

export interface MultiplyAddSums {
  readonly live: Uint8Array;
  /** Products and sums that are parts of other sums, and are not computed on their own. */
  readonly inlined: Uint8Array;
  /** Terms of a sum, in the order of their additions. */
  readonly terms: (sum: Node) => readonly Term[];
}

/** A product that at most so many sums need is computed in each of them instead of once for all. */
const MOST_SUMS = 2;
/**
 * Sums become parts of others only where they were made no more nodes before: else their factors would have to wait, in
 * more registers than their value.
 */
const NEAR = 40;

/**
 * How sums are formed. 'merged': as above. 'shortened': the same, but only where it saves an operation. 'grouped': they keep
 * their parts, so that small terms are added up before they meet a large one. All are for graphs that never overwrite what
 * they read: a number may be read later than where it stands in the graph. Others are left as they are, with just those
 * products fused that nothing else needs.
 */
export type SumForm = 'merged' | 'shortened' | 'grouped';

export function multiplyAddSums(
  graph: Graph & { readonly sums?: SumForm; readonly apart?: ReadonlySet<Node> },
): MultiplyAddSums {
  const { op, a, b, size, sums, apart } = graph;
  const merges = sums === 'merged' || sums === 'shortened';
  const mostSums = sums === undefined ? 1 : MOST_SUMS;
  const live = graph.live();
  const isSum = (n: Node): boolean => op[n] === ADD || op[n] === SUB;
  /** How many sums need a node, and how much else does. */
  const bySums = new Int32Array(size);
  const byOthers = new Int32Array(size);
  /** The last sum that needs it. */
  const last = new Int32Array(size);
  for (const { node } of graph.outputs) byOthers[node]++;
  for (let n = 0; n < size; n++) {
    if (live[n] === 0 || op[n] <= INPUT) continue;
    for (const operand of arityOf(op[n]) === 2 ? [a[n], b[n]] : [a[n]]) {
      if (isSum(n)) bySums[operand]++;
      else byOthers[operand]++;
      last[operand] = n;
    }
  }
  const inlined = new Uint8Array(size);
  for (let n = 0; n < size; n++) {
    if (live[n] === 0 || byOthers[n] > 0 || bySums[n] === 0) continue;
    if (op[n] === MUL) inlined[n] = bySums[n] <= mostSums ? 1 : 0;
    else if (isSum(n) && merges && apart?.has(n) !== true) {
      // Of nothing but products: then it is an operation less.
      const shorter = inlined[a[n]] === 1 && inlined[b[n]] === 1;
      inlined[n] = (shorter || sums === 'merged') && bySums[n] === 1 && last[n] - n <= NEAR ? 1 : 0;
    }
  }
  const gather = (sum: Node, minus: boolean, into: Term[]): void => {
    const add = (node: Node, negative: boolean): void => {
      if (isSum(node) && inlined[node] === 1) gather(node, negative, into);
      else into.push({ node, minus: negative, product: op[node] === MUL && inlined[node] === 1 });
    };
    add(a[sum], minus);
    add(b[sum], op[sum] === SUB ? !minus : minus);
  };
  const terms = (sum: Node): readonly Term[] => {
    const list: Term[] = [];
    gather(sum, false, list);
    // A product to begin with would be an operation more.
    const first = list.findIndex(({ product }) => !product);
    return first <= 0 ? list : [list[first], ...list.slice(0, first), ...list.slice(first + 1)];
  };
  return { live, inlined, terms };
}
