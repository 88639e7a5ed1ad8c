// Cuts a formula graph into functions. Compilers of WebAssembly do best with a few hundred to a few thousand operations
// at a time: one huge function runs half as fast. What one function computes and another needs goes through memory, in
// slots that are used again once their value is no longer needed.

import { arityOf, CONSTANT, type Graph, INPUT, LANE, NEG, type Node, type Output, SPLAT } from '../formulas/graph.js';

export interface Piece {
  /** Its nodes are those from `from` to `end` that are live. */
  readonly from: number;
  readonly end: number;
  readonly outputs: readonly Output[];
  /** Number of the phase it belongs to. */
  readonly phase: number;
}

export interface Pieces {
  readonly live: Uint8Array;
  readonly pieces: readonly Piece[];
  /** Address of the value of each node that crosses from one function to another, -1 for the others. */
  readonly slot: Int32Array;
  /** Bytes of memory for the slots. */
  readonly slotBytes: number;
}

/** Cheap to make again from its operand, or to read differently from memory: never kept in a slot. */
export const isCheap = (op: number): boolean => op === NEG || op === SPLAT || op === LANE;

/** The node that holds the value in memory or in a local: through signs, splats and lanes. */
function source(graph: Graph, n: Node): Node {
  let at = n;
  while (isCheap(graph.op[at])) at = graph.a[at];
  return at;
}

export function cut(graph: Graph, functionSize: number, slotsAt: number, wide: boolean): Pieces {
  const live = graph.live();
  const { bounds, phaseOf } = boundaries(graph, live, functionSize);
  const count = bounds.length - 1;
  const pieceOf = new Int32Array(graph.size);
  for (let k = 0; k < count; k++) pieceOf.fill(k, bounds[k], bounds[k + 1]);
  const outputs: Output[][] = Array.from({ length: count }, () => []);
  // What is only read or constant is written in the phase that asked for it; the rest where it is computed.
  const lastOf = graph.phases.map((_, phase) => phaseOf.lastIndexOf(phase));
  let phase = 0;
  for (const [k, output] of graph.outputs.entries()) {
    while (phase < graph.phases.length && k >= graph.phases[phase].output) phase++;
    const from = source(graph, output.node);
    outputs[graph.op[from] <= INPUT ? (lastOf[phase] ?? count - 1) : pieceOf[from]].push(output);
  }
  const last = lastUses(graph, live, pieceOf, source);
  const { slot, slotBytes } = placeSlots(graph, live, bounds, pieceOf, last, slotsAt, wide);
  const pieces = outputs.map((list, k) => ({ from: bounds[k], end: bounds[k + 1], outputs: list, phase: phaseOf[k] }));
  return { live, pieces, slot, slotBytes };
}

/** Where functions begin and end, and the phase of each. */
function boundaries(
  graph: Graph,
  live: Uint8Array,
  functionSize: number,
): { readonly bounds: readonly number[]; readonly phaseOf: readonly number[] } {
  const bounds = [0];
  const phaseOf: number[] = [];
  const ends = [...graph.phases.map(({ node }) => node), graph.size];
  // After the end of the last phase there is nothing, unless no phase was ever ended.
  if (graph.phases.length > 0) ends.pop();
  ends.forEach((end, phase) => {
    const from = bounds.at(-1)!;
    bounds.push(...cuts(graph, live, functionSize, from, end), end);
    while (phaseOf.length < bounds.length - 1) phaseOf.push(phase);
  });
  return { bounds, phaseOf };
}

/** Cuts between two nodes: at marks where possible, anywhere where a stretch between marks is too long. */
function cuts(graph: Graph, live: Uint8Array, functionSize: number, from: number, end: number): number[] {
  const bounds: number[] = [];
  const marks = new Set(graph.marks);
  let operations = 0;
  let sinceMark = 0;
  let lastMark = from;
  for (let n = from; n < end; n++) {
    if (marks.has(n)) {
      if (operations + sinceMark > functionSize && operations > 0) {
        bounds.push(lastMark);
        operations = 0;
      }
      operations += sinceMark;
      sinceMark = 0;
      lastMark = n;
    }
    if (live[n] === 1 && graph.op[n] > INPUT) sinceMark++;
    if (operations + sinceMark > 2 * functionSize) {
      bounds.push(n);
      operations = 0;
      sinceMark = 0;
      lastMark = n;
    }
  }
  if (operations + sinceMark > functionSize && operations > 0) bounds.push(lastMark);
  return bounds;
}

/** For each node the last function that reads it. */
function lastUses(
  graph: Graph,
  live: Uint8Array,
  pieceOf: Int32Array,
  sourceOf: (graph: Graph, n: Node) => Node,
): Int32Array {
  const last = new Int32Array(graph.size).fill(-1);
  const use = (operand: Node, piece: number): void => {
    const from = sourceOf(graph, operand);
    if (last[from] < piece) last[from] = piece;
  };
  for (let n = 0; n < graph.size; n++) {
    const op = graph.op[n];
    if (live[n] === 0 || isCheap(op)) continue;
    const arity = arityOf(op);
    if (arity > 0) use(graph.a[n], pieceOf[n]);
    if (arity > 1) use(graph.b[n], pieceOf[n]);
  }
  return last;
}

function placeSlots(
  graph: Graph,
  live: Uint8Array,
  bounds: readonly number[],
  pieceOf: Int32Array,
  last: Int32Array,
  slotsAt: number,
  wide: boolean,
): { slot: Int32Array; slotBytes: number } {
  const slot = new Int32Array(graph.size).fill(-1);
  const free: { [lanes: number]: number[] } = { 1: [], 2: [] };
  const ending: Node[][] = bounds.map(() => []);
  let top = slotsAt;
  for (let piece = 0; piece + 1 < bounds.length; piece++) {
    for (let n = bounds[piece]; n < bounds[piece + 1]; n++) {
      const op = graph.op[n];
      if (live[n] === 0 || op === CONSTANT || op === INPUT || isCheap(op) || last[n] <= pieceOf[n]) continue;
      const lanes = wide ? 2 : graph.lanes[n];
      const again = free[lanes].pop();
      if (again === undefined) {
        // Vectors start at multiples of 16.
        if (lanes === 2) top = 16 * Math.ceil(top / 16);
        slot[n] = top;
        top += 8 * lanes;
      } else slot[n] = again;
      ending[last[n]].push(n);
    }
    // A value read for the last time here frees its slot for the next function, not for this one.
    for (const n of ending[piece]) free[wide ? 2 : graph.lanes[n]].push(slot[n]);
  }
  return { slot, slotBytes: top - slotsAt };
}
