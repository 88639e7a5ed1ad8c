// Formulas as a graph: every scalar of an algorithm is a node, made by the operation that computes it. Equal formulas
// are one node (hash-consing), constants are folded, x * 0, x * 1 and x + 0 vanish, and signs are pulled outwards, so
// that a - (-b) c becomes a + b c. What a mechanism does not need (zero offsets, axes that are only renamed, leaves
// whose inertia never changes) is gone before a single instruction is written.
//
// A node has one lane (a number) or two (a pair of numbers, one SIMD vector: left and right arm). Constants with equal
// lanes and nodes of one lane spread to two where they meet a pair.
//
// Nodes are numbers, their fields stand in arrays: a mechanism of 161 degrees of freedom takes some 30 000 of them.

export type Node = number;

export const CONSTANT = 0;
/** Read from memory: number b (and, for a pair, number `second`) of array a. */
export const INPUT = 1;
export const ADD = 2;
export const SUB = 3;
export const MUL = 4;
export const DIV = 5;
export const NEG = 6;
export const SQRT = 7;
/** The nearest integer, halves to even. */
export const NEAREST = 8;
/** One number in both lanes. */
export const SPLAT = 9;
/** Lane b of a pair. */
export const LANE = 10;
/** The pair of two numbers. */
export const PAIR = 11;
/** The absolute value. */
export const ABS = 14;
/** Only in graphs made for counting (see trig.ts). */
export const SIN = 12;
export const COS = 13;
/** 1 - 1 / |q|^2 of the four numbers in two pairs; only in graphs for GPUs. */
export const UNIT_DEFECT = 15;

/** One number (or both lanes of a pair) written to memory: number i of an array, lane 1 to number j. */
export interface Output {
  readonly array: number;
  readonly i: number;
  readonly j: number;
  readonly node: Node;
}

export interface OperationCount {
  readonly multiplications: number;
  /** Additions, subtractions, changes of sign and absolute values. */
  readonly additions: number;
  readonly divisions: number;
  readonly roots: number;
  readonly trigonometric: number;
  /** Movements between lanes. */
  readonly shuffles: number;
  /** All of them, a pair counted as one. */
  readonly instructions: number;
}

export function addCounts(counts: readonly OperationCount[]): OperationCount {
  const sum = (key: keyof OperationCount): number => counts.reduce((total, count) => total + count[key], 0);
  return {
    multiplications: sum('multiplications'),
    additions: sum('additions'),
    divisions: sum('divisions'),
    roots: sum('roots'),
    trigonometric: sum('trigonometric'),
    shuffles: sum('shuffles'),
    instructions: sum('instructions'),
  };
}

const bits = new Float64Array(2);
const words = new Uint32Array(bits.buffer);

export class Graph {
  /** Fields of the nodes, `size` of each. */
  op = new Uint8Array(1024);
  lanes = new Uint8Array(1024);
  a = new Int32Array(1024);
  b = new Int32Array(1024);
  /** Values of a constant in the two lanes; of an input pair x is the second index. */
  x = new Float64Array(1024);
  y = new Float64Array(1024);
  size = 0;
  readonly outputs: Output[] = [];
  /** Numbers of nodes at which the graph may well be cut into functions. */
  readonly marks: number[] = [];
  /**
   * Where one phase ends and the next begins: numbers of nodes and of outputs made so far. Functions never cross it, so
   * that something else can happen in between.
   */
  readonly phases: { readonly node: number; readonly output: number }[] = [];
  /** Sine and cosine stay single nodes: for counting operations. */
  readonly opaqueTrig: boolean;
  /**
   * The lanes are taken by two states, or by two blocks at once: formulas have no use of them, and every node counts as one
   * lane. Two blocks may have different constants, and different places of their numbers (`j` of inputs and outputs).
   */
  readonly wide: boolean;
  #table = new Int32Array(4096).fill(-1);

  constructor(options: { readonly opaqueTrig?: boolean; readonly wide?: boolean } = {}) {
    this.opaqueTrig = options.opaqueTrig === true;
    this.wide = options.wide === true;
  }

  constant(x: number, y = x): Node {
    // Minus zero is zero: signs of zeros carry no meaning in the formulas.
    return this.#node(CONSTANT, this.wide || Object.is(x + 0, y + 0) ? 1 : 2, 0, 0, x + 0, y + 0);
  }

  /** Number i of an array; with j the pair of numbers i and j. */
  input(array: number, i: number, j = -1): Node {
    return this.#node(INPUT, this.wide || j < 0 ? 1 : 2, array, i, j, 0);
  }

  output(array: number, i: number, node: Node, j = -1): void {
    this.outputs.push({ array, i, j, node });
  }

  /** A good place to end one function and begin another: few values cross it. */
  mark(): void {
    this.marks.push(this.size);
  }

  /** Ends a phase. */
  endPhase(): void {
    this.phases.push({ node: this.size, output: this.outputs.length });
  }

  isConstant(n: Node): boolean {
    return this.op[n] === CONSTANT;
  }

  is(n: Node, value: number): boolean {
    return this.op[n] === CONSTANT && this.x[n] === value && this.y[n] === value;
  }

  neg(a: Node): Node {
    if (this.op[a] === CONSTANT) return this.constant(-this.x[a], -this.y[a]);
    if (this.op[a] === NEG) return this.a[a];
    return this.#node(NEG, this.lanes[a], a, 0, 0, 0);
  }

  add(a: Node, b: Node): Node {
    const { op, x, y } = this;
    if (op[a] === CONSTANT) {
      if (op[b] === CONSTANT) return this.constant(x[a] + x[b], y[a] + y[b]);
      if (this.is(a, 0)) return b;
    } else if (this.is(b, 0)) return a;
    if (op[a] === NEG) return op[b] === NEG ? this.neg(this.add(this.a[a], this.a[b])) : this.sub(b, this.a[a]);
    if (op[b] === NEG) return this.sub(a, this.a[b]);
    return a < b ? this.#binary(ADD, a, b) : this.#binary(ADD, b, a);
  }

  sub(a: Node, b: Node): Node {
    const { op, x, y } = this;
    if (a === b) return this.constant(0);
    if (op[a] === CONSTANT) {
      if (op[b] === CONSTANT) return this.constant(x[a] - x[b], y[a] - y[b]);
      if (this.is(a, 0)) return this.neg(b);
    } else if (this.is(b, 0)) return a;
    if (op[b] === NEG) return this.add(a, this.a[b]);
    if (op[a] === NEG) return this.neg(this.add(this.a[a], b));
    return this.#binary(SUB, a, b);
  }

  mul(a: Node, b: Node): Node {
    const { op, x, y } = this;
    if (op[a] === CONSTANT) {
      if (op[b] === CONSTANT) return this.constant(x[a] * x[b], y[a] * y[b]);
      return this.#scale(b, a);
    }
    if (op[b] === CONSTANT) return this.#scale(a, b);
    // Signs go outwards, where the next sum swallows them.
    if (op[a] === NEG) return this.neg(this.mul(this.a[a], b));
    if (op[b] === NEG) return this.neg(this.mul(a, this.a[b]));
    return a < b ? this.#binary(MUL, a, b) : this.#binary(MUL, b, a);
  }

  /** a times a constant. */
  #scale(a: Node, constant: Node): Node {
    const x = this.x[constant];
    const y = this.y[constant];
    if (x === 0 && y === 0) return constant;
    if (x === 1 && y === 1) return a;
    if (x < 0 && y < 0) return this.neg(this.mul(a, this.constant(-x, -y)));
    if (this.op[a] === NEG) return this.neg(this.#scale(this.a[a], constant));
    return a < constant ? this.#binary(MUL, a, constant) : this.#binary(MUL, constant, a);
  }

  div(a: Node, b: Node): Node {
    const { op, x, y } = this;
    if (this.is(b, 1)) return a;
    if (op[a] === CONSTANT && op[b] === CONSTANT) return this.constant(x[a] / x[b], y[a] / y[b]);
    return this.#binary(DIV, a, b);
  }

  sqrt(a: Node): Node {
    if (this.op[a] === CONSTANT) return this.constant(Math.sqrt(this.x[a]), Math.sqrt(this.y[a]));
    return this.#node(SQRT, this.lanes[a], a, 0, 0, 0);
  }

  abs(a: Node): Node {
    if (this.op[a] === CONSTANT) return this.constant(Math.abs(this.x[a]), Math.abs(this.y[a]));
    return this.#node(ABS, this.lanes[a], a, 0, 0, 0);
  }

  nearest(a: Node): Node {
    return this.#node(NEAREST, this.lanes[a], a, 0, 0, 0);
  }

  /** For counting only. */
  sine(a: Node): Node {
    return this.#node(SIN, this.lanes[a], a, 0, 0, 0);
  }

  cosine(a: Node): Node {
    return this.#node(COS, this.lanes[a], a, 0, 0, 0);
  }

  /** 1 - 1 / |q|^2, near zero for unit quaternions, to full precision where |q|^2 itself would be rounded. */
  unitDefect([w, x, y, z]: readonly Node[]): Node {
    return this.#node(UNIT_DEFECT, 1, this.pair(w, x), this.pair(y, z), 0, 0);
  }

  /** Lane k of a pair; a single number is the same in both lanes. */
  lane(a: Node, k: 0 | 1): Node {
    switch (this.op[a]) {
      case CONSTANT:
        return this.constant(k === 0 ? this.x[a] : this.y[a]);
      case SPLAT:
        return this.a[a];
      case PAIR:
        return k === 0 ? this.a[a] : this.b[a];
      case NEG:
        return this.neg(this.lane(this.a[a], k));
      default:
        return this.lanes[a] === 1 ? a : this.#node(LANE, 1, a, k, 0, 0);
    }
  }

  pair(a: Node, b: Node): Node {
    if (this.op[a] === CONSTANT && this.op[b] === CONSTANT) return this.constant(this.x[a], this.x[b]);
    return this.#node(PAIR, 2, a, b, 0, 0);
  }

  /** Which nodes the outputs need: 1 for each of them. */
  live(): Uint8Array {
    const live = new Uint8Array(this.size);
    for (const { node } of this.outputs) live[node] = 1;
    for (let n = this.size - 1; n >= 0; n--) {
      if (live[n] === 0) continue;
      const arity = arityOf(this.op[n]);
      if (arity > 0) live[this.a[n]] = 1;
      if (arity > 1) live[this.b[n]] = 1;
    }
    return live;
  }

  count(): OperationCount {
    const live = this.live();
    const of = new Array<number>(16).fill(0);
    for (let n = 0; n < this.size; n++) if (live[n] === 1) of[this.op[n]]++;
    const additions = of[ADD] + of[SUB] + of[NEG] + of[ABS];
    const trigonometric = of[SIN] + of[COS];
    const shuffles = of[SPLAT] + of[LANE] + of[PAIR];
    return {
      multiplications: of[MUL],
      additions,
      divisions: of[DIV],
      roots: of[SQRT],
      trigonometric,
      shuffles,
      instructions: of[MUL] + additions + of[DIV] + of[SQRT] + of[NEAREST] + trigonometric + shuffles,
    };
  }

  #binary(op: number, a: Node, b: Node): Node {
    const lanes = Math.max(this.lanes[a], this.lanes[b]);
    return this.#node(op, lanes, this.#spread(a, lanes), this.#spread(b, lanes), 0, 0);
  }

  #spread(a: Node, lanes: number): Node {
    if (lanes === 1 || this.lanes[a] === 2 || this.op[a] === CONSTANT) return a;
    return this.#node(SPLAT, 2, a, 0, 0, 0);
  }

  #node(op: number, lanes: number, a: number, b: number, x: number, y: number): Node {
    const table = this.#table;
    let at = hash(op, a, b, x, y) & (table.length - 1);
    for (let n = table[at]; n >= 0; n = table[at]) {
      if (this.op[n] === op && this.a[n] === a && this.b[n] === b && this.x[n] === x && this.y[n] === y) return n;
      at = (at + 1) & (table.length - 1);
    }
    const n = this.size++;
    if (n === this.op.length) this.#grow();
    this.op[n] = op;
    this.lanes[n] = lanes;
    this.a[n] = a;
    this.b[n] = b;
    this.x[n] = x;
    this.y[n] = y;
    table[at] = n;
    if (2 * this.size > table.length) this.#rehash(2 * table.length);
    return n;
  }

  #rehash(length: number): void {
    const table = new Int32Array(length).fill(-1);
    this.#table = table;
    for (let n = 0; n < this.size; n++) {
      let at = hash(this.op[n], this.a[n], this.b[n], this.x[n], this.y[n]) & (length - 1);
      while (table[at] >= 0) at = (at + 1) & (length - 1);
      table[at] = n;
    }
  }

  #grow(): void {
    const capacity = 2 * this.op.length;
    const larger = <T extends Uint8Array | Int32Array | Float64Array>(made: T, from: T): T => {
      made.set(from);
      return made;
    };
    this.op = larger(new Uint8Array(capacity), this.op);
    this.lanes = larger(new Uint8Array(capacity), this.lanes);
    this.a = larger(new Int32Array(capacity), this.a);
    this.b = larger(new Int32Array(capacity), this.b);
    this.x = larger(new Float64Array(capacity), this.x);
    this.y = larger(new Float64Array(capacity), this.y);
  }
}

function hash(op: number, a: number, b: number, x: number, y: number): number {
  let h = Math.imul(op + 31, 0x9e3779b1) ^ Math.imul(a + 17, 0x85ebca6b) ^ Math.imul(b + 7, 0xc2b2ae35);
  if (op <= INPUT) {
    bits[0] = x;
    bits[1] = y;
    h ^= Math.imul(words[0], 0x27d4eb2f) ^ Math.imul(words[1], 0x165667b1);
    h ^= Math.imul(words[2] + 5, 0x9e3779b1) ^ Math.imul(words[3] + 3, 0x85ebca6b);
  }
  return h ^ (h >>> 15);
}

/** Operands of an operation. */
export function arityOf(op: number): 0 | 1 | 2 {
  if (op <= INPUT) return 0;
  return op <= DIV || op === PAIR || op === UNIT_DEFECT ? 2 : 1;
}
