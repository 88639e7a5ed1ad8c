// Formula graphs as WebAssembly functions: scalar f64 and, for pairs, f64x2. With `wide` every node is a vector: two
// states at once, or two blocks whose numbers stand apart.
//
// A value used once is computed where it is used, on the stack; one used more often sits in a local, which is given back
// after its last use. Scalar constants stand in the code; vectors of constants are read from memory once in a function
// (engines build them slowly).

import {
  ABS,
  ADD,
  arityOf,
  CONSTANT,
  DIV,
  type Graph,
  INPUT,
  LANE,
  MUL,
  NEAREST,
  NEG,
  type Node,
  type Output,
  PAIR,
  SPLAT,
  SQRT,
  SUB,
} from '../formulas/graph.js';
import * as B from './bytes.js';
import { cut, isCheap, type Piece, type Pieces } from './cut-functions.js';
import type { ModuleFunction } from './module.js';

/** Where number i of an array stands: at offset + i * stride, from the address in a parameter if there is one. */
export interface ArrayPlace {
  readonly parameter: number;
  readonly offset: number;
  /** Bytes. */
  readonly stride: number;
  /** The address from which the second lane counts; left out, it stands next to the first. Only where all is wide. */
  readonly second?: number;
  /** Bytes from a number of the first lane to that of the second, where all is wide; next to it where left out. */
  readonly apart?: number;
}

/** Constants in memory, each a pair of numbers, put there as data of the module. */
export class ConstantPool {
  readonly at: number;
  readonly values: number[] = [];
  readonly #places = new Map<string, number>();

  /** `at`: address of the first, a multiple of 16. */
  constructor(at: number) {
    this.at = at;
  }

  get bytes(): number {
    return 8 * this.values.length;
  }

  address(x: number, y: number): number {
    const key = `${x},${y}`;
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.at + this.bytes;
      this.#places.set(key, place);
      this.values.push(x, y);
    }
    return place;
  }
}

/** An address in a row of a table: the parameter that leads to the row, and an offset in bytes. */
export interface Pointer {
  readonly row: number;
  readonly offset: number;
}

export interface WasmOptions {
  /** Places of the arrays that inputs and outputs name. */
  readonly arrays: readonly ArrayPlace[];
  /** i32 parameters of each function. */
  readonly parameters: number;
  /**
   * Addresses that a function first reads from rows of a table: it takes the addresses of the rows as its parameters.
   * Places of arrays count them after the parameters.
   */
  readonly pointers?: readonly Pointer[];
  /** Operations in one function, about. */
  readonly functionSize: number;
  readonly constants: ConstantPool;
  /** Address of the memory for values that cross from one function to the next. */
  readonly slotsAt: number;
  /** Pointer (counted as in places of arrays) that holds an address to add to those of the slots. */
  readonly slotParameter?: number;
  /**
   * Values are computed when first used, not in the order of the graph: fewer of them wait in registers, the bits are the
   * same. Only for graphs that never write where they read.
   */
  readonly onDemand?: boolean;
  /** Every node a vector: two states at once. */
  readonly wide?: boolean;
  /** Vector multiplications and additions fused, with one rounding (relaxed SIMD). */
  readonly fused?: boolean;
}

/** The functions that compute a graph, to be called in order. */
export function emitFunctions(
  graph: Graph,
  options: WasmOptions,
): { readonly functions: ModuleFunction[]; readonly phases: number[]; readonly slotBytes: number } {
  const pieces = cut(graph, options.functionSize, options.slotsAt, options.wide === true);
  const writer = new FunctionWriter(graph, pieces, options);
  return {
    functions: pieces.pieces.map((piece) => ({ parameters: options.parameters, body: writer.write(piece) })),
    phases: pieces.pieces.map(({ phase }) => phase),
    slotBytes: pieces.slotBytes,
  };
}

/** Opcodes of [scalar, vector] operations. */
const OPCODES = new Map<number, readonly [number, number]>([
  [ADD, [0xa0, 0xf0]],
  [SUB, [0xa1, 0xf1]],
  [MUL, [0xa2, 0xf2]],
  [DIV, [0xa3, 0xf3]],
  [NEG, [0x9a, 0xed]],
  [SQRT, [0x9f, 0xef]],
  [NEAREST, [0x9e, 0x94]],
  [ABS, [0x99, 0xec]],
]);

const NO_LOCAL = -1;

class FunctionWriter {
  readonly #graph: Graph;
  readonly #pieces: Pieces;
  readonly #options: WasmOptions;
  readonly #wide: boolean;
  readonly #pointers: readonly Pointer[];
  readonly #slots: number;
  /** For the function being written: uses of each node still to come, and the local that holds it. */
  readonly #uses: Int32Array;
  readonly #local: Int32Array;
  #touched: Node[] = [];
  #types: number[] = [];
  #free: { [lanes: number]: number[] } = {};
  #code = new B.Bytes();
  /** 1 for each pointer that the function uses. */
  #pointed = new Uint8Array(0);
  #piece: Piece = { from: 0, end: 0, outputs: [], phase: 0 };

  constructor(graph: Graph, pieces: Pieces, options: WasmOptions) {
    this.#graph = graph;
    this.#pieces = pieces;
    this.#options = options;
    this.#wide = options.wide === true;
    this.#pointers = options.pointers ?? [];
    this.#slots = options.slotParameter ?? -1;
    this.#uses = new Int32Array(graph.size);
    this.#local = new Int32Array(graph.size).fill(NO_LOCAL);
  }

  write(piece: Piece): B.Bytes {
    const { op } = this.#graph;
    const onDemand = this.#options.onDemand === true;
    const { live, slot } = this.#pieces;
    this.#piece = piece;
    this.#code = new B.Bytes();
    this.#types = this.#pointers.map(() => B.I32);
    this.#pointed = new Uint8Array(this.#pointers.length);
    this.#free = { 1: [], 2: [] };
    for (const n of this.#touched) {
      this.#uses[n] = 0;
      this.#local[n] = NO_LOCAL;
    }
    this.#touched = [];
    const outputsOf = new Map<Node, Output[]>();
    for (const output of piece.outputs) {
      this.#use(output.node);
      const list = outputsOf.get(output.node);
      if (list === undefined) outputsOf.set(output.node, [output]);
      else list.push(output);
    }
    for (let n = piece.from; n < piece.end; n++) {
      if (live[n] === 0 || op[n] <= INPUT || isCheap(op[n])) continue;
      this.#useOperands(n);
      if (slot[n] >= 0) this.#use(n);
    }
    for (let n = piece.from; n < piece.end; n++) {
      if (live[n] === 0 || op[n] <= INPUT || isCheap(op[n])) continue;
      const outputs = outputsOf.get(n);
      outputsOf.delete(n);
      if (slot[n] >= 0 || outputs !== undefined) this.#computeAndStore(n, slot[n], outputs ?? []);
      else if (this.#uses[n] > 1 && !onDemand) {
        this.#compute(n);
        this.#keep(n, B.LOCAL_SET);
      }
    }
    // What is only a sign, a lane, a constant or an input.
    for (const outputs of outputsOf.values()) for (const output of outputs) this.#storeOutput(output);
    return this.#finish();
  }

  /** Declarations of the locals, in runs of one type, then the code. */
  #finish(): B.Bytes {
    const runs: { type: number; count: number }[] = [];
    for (const type of this.#types) {
      const run = runs.at(-1);
      if (run?.type === type) run.count++;
      else runs.push({ type, count: 1 });
    }
    const body = new B.Bytes().unsigned(runs.length);
    for (const { type, count } of runs) body.unsigned(count).byte(type);
    this.#pointers.forEach(({ row, offset }, k) => {
      if (this.#pointed[k] === 0) return;
      body.bytes(B.LOCAL_GET, row, B.I32_LOAD, 2).unsigned(offset);
      body.byte(B.LOCAL_SET).unsigned(this.#options.parameters + k);
    });
    return body.append(this.#code).byte(B.END);
  }

  #use(n: Node): void {
    if (this.#uses[n]++ > 0) return;
    this.#touched.push(n);
    // Made again in each function that needs it.
    if (isCheap(this.#graph.op[n])) this.#useOperands(n);
  }

  #useOperands(n: Node): void {
    const arity = arityOf(this.#graph.op[n]);
    if (arity > 0) this.#use(this.#graph.a[n]);
    if (arity > 1) this.#use(this.#graph.b[n]);
  }

  #lanes(n: Node): number {
    return this.#wide ? 2 : this.#graph.lanes[n];
  }

  #computeAndStore(n: Node, slot: number, outputs: readonly Output[]): void {
    const stores = outputs.length + (slot >= 0 ? 1 : 0);
    if (stores === 1 && this.#uses[n] === 1 && this.#local[n] === NO_LOCAL) {
      if (slot < 0) this.#storeOutput(outputs[0]);
      else {
        this.#address(this.#slots);
        this.#compute(n);
        this.#memory(this.#lanes(n) === 2 ? B.V128_STORE : B.F64_STORE, this.#lanes(n), slot);
      }
      return;
    }
    // On demand it may be there already.
    if (this.#local[n] === NO_LOCAL) {
      this.#compute(n);
      this.#keep(n, B.LOCAL_SET);
    }
    if (slot >= 0) {
      this.#address(this.#slots);
      this.#get(n, this.#lanes(n));
      this.#memory(this.#lanes(n) === 2 ? B.V128_STORE : B.F64_STORE, this.#lanes(n), slot);
    }
    for (const output of outputs) this.#storeOutput(output);
  }

  #storeOutput({ array, i, j, node }: Output): void {
    const { parameter, offset, stride, second, apart } = this.#options.arrays[array];
    if (apart !== undefined) {
      this.#storeLanes(node, [parameter, parameter], [offset + i * stride, offset + i * stride + apart]);
      return;
    }
    if (second !== undefined) {
      this.#storeLanes(node, [parameter, second], [offset + i * stride, offset + (j < 0 ? i : j) * stride]);
      return;
    }
    if (this.#wide || j < 0) {
      const lanes = this.#wide ? 2 : 1;
      this.#address(parameter);
      this.#get(node, lanes);
      this.#memory(lanes === 2 ? B.V128_STORE : B.F64_STORE, lanes, offset + i * stride);
      return;
    }
    if (j === i + 1 && stride === 8) {
      this.#address(parameter);
      this.#get(node, 2);
      this.#memory(B.V128_STORE, 2, offset + i * stride);
      return;
    }
    this.#storeLanes(node, [parameter, parameter], [offset + i * stride, offset + j * stride]);
  }

  /** The two lanes go to places of their own. */
  #storeLanes(node: Node, parameters: readonly number[], offsets: readonly number[]): void {
    this.#uses[node]++;
    for (const lane of [0, 1]) {
      this.#address(parameters[lane]);
      this.#get(node, 2);
      this.#memory(B.V128_STORE64_LANE, 2, offsets[lane]);
      this.#code.byte(lane);
    }
  }

  #loadLanes(parameters: readonly number[], offsets: readonly number[]): void {
    this.#address(parameters[1]);
    this.#address(parameters[0]);
    this.#memory(B.V128_LOAD64_ZERO, 2, offsets[0]);
    this.#memory(B.V128_LOAD64_LANE, 2, offsets[1]);
    this.#code.byte(1);
  }

  #address(parameter: number): void {
    if (parameter < 0) {
      this.#code.byte(B.I32_CONST).byte(0);
      return;
    }
    this.#code.byte(B.LOCAL_GET).unsigned(parameter);
    if (parameter >= this.#options.parameters) this.#pointed[parameter - this.#options.parameters] = 1;
  }

  /** A load or store; SIMD ones have their prefix. */
  #memory(opcode: number, lanes: number, offset: number): void {
    if (lanes === 2) this.#code.byte(B.SIMD).unsigned(opcode);
    else this.#code.byte(opcode);
    this.#code.unsigned(3).unsigned(offset);
  }

  /** Puts a node on the stack, as a number or as a vector. */
  #get(n: Node, lanes: number): void {
    const { op, x, y } = this.#graph;
    const remaining = --this.#uses[n];
    if (op[n] === CONSTANT && lanes === 1) {
      this.#code.byte(B.F64_CONST).float(x[n]);
      return;
    }
    const local = this.#local[n];
    if (local !== NO_LOCAL) {
      this.#code.byte(B.LOCAL_GET).unsigned(local);
      if (remaining === 0) {
        this.#free[lanes].push(local);
        this.#local[n] = NO_LOCAL;
      }
      return;
    }
    if (op[n] === CONSTANT) {
      this.#address(-1);
      this.#memory(B.V128_LOAD, 2, this.#options.constants.address(x[n], y[n]));
    } else if (op[n] === INPUT) this.#load(n);
    else if (this.#pieces.slot[n] >= 0 && !this.#isHere(n)) {
      this.#address(this.#slots);
      this.#memory(this.#lanes(n) === 2 ? B.V128_LOAD : B.F64_LOAD, this.#lanes(n), this.#pieces.slot[n]);
    } else this.#compute(n);
    if (remaining > 0) this.#keep(n, B.LOCAL_TEE, lanes);
  }

  #isHere(n: Node): boolean {
    return n >= this.#piece.from && n < this.#piece.end;
  }

  /** Puts the value on the stack into a local. */
  #keep(n: Node, opcode: number, lanes = this.#lanes(n)): void {
    let local = this.#free[lanes].pop();
    if (local === undefined) {
      local = this.#options.parameters + this.#types.length;
      this.#types.push(lanes === 2 ? B.V128 : B.F64);
    }
    this.#local[n] = local;
    this.#code.byte(opcode).unsigned(local);
  }

  #load(n: Node): void {
    const { a, b, x } = this.#graph;
    const { parameter, offset, stride, second, apart } = this.#options.arrays[a[n]];
    const first = offset + b[n] * stride;
    if (apart !== undefined) {
      this.#loadLanes([parameter, parameter], [first, first + apart]);
      return;
    }
    if (second !== undefined) {
      this.#loadLanes([parameter, second], [first, x[n] < 0 ? first : offset + x[n] * stride]);
      return;
    }
    if (this.#wide || this.#graph.lanes[n] === 1) {
      this.#address(parameter);
      this.#memory(this.#wide ? B.V128_LOAD : B.F64_LOAD, this.#wide ? 2 : 1, first);
      return;
    }
    if (x[n] === b[n] + 1 && stride === 8) {
      this.#address(parameter);
      this.#memory(B.V128_LOAD, 2, first);
      return;
    }
    this.#loadLanes([parameter, parameter], [first, offset + x[n] * stride]);
  }

  /** Address of a node that is in memory and not in a local, or -1. */
  #inMemory(n: Node): number {
    return this.#local[n] === NO_LOCAL && !this.#isHere(n) ? this.#pieces.slot[n] : -1;
  }

  #compute(n: Node): void {
    const { op, a, b } = this.#graph;
    const lanes = this.#lanes(n);
    const kind = op[n];
    if (kind === SPLAT || kind === LANE) {
      // Straight from memory where the value is there and nowhere else.
      const slot = this.#inMemory(a[n]);
      if (slot >= 0) {
        this.#uses[a[n]]--;
        this.#address(this.#slots);
        if (kind === SPLAT) this.#memory(B.V128_LOAD64_SPLAT, 2, slot);
        else this.#memory(B.F64_LOAD, 1, slot + 8 * b[n]);
        return;
      }
      this.#get(a[n], kind === SPLAT ? 1 : 2);
      if (kind === SPLAT) this.#code.byte(B.SIMD).unsigned(B.F64X2_SPLAT);
      else this.#code.byte(B.SIMD).unsigned(B.F64X2_EXTRACT).byte(b[n]);
      return;
    }
    if (kind === PAIR) {
      this.#get(a[n], 1);
      this.#code.byte(B.SIMD).unsigned(B.F64X2_SPLAT);
      this.#get(b[n], 1);
      this.#code.byte(B.SIMD).unsigned(B.F64X2_REPLACE).byte(1);
      return;
    }
    if (this.#options.fused === true && lanes === 2 && this.#computeFused(n)) return;
    this.#get(a[n], lanes);
    if (arityOf(kind) === 2) this.#get(b[n], lanes);
    const opcodes = OPCODES.get(kind);
    if (opcodes === undefined) throw new RangeError(`operation ${kind} has no instruction`);
    if (lanes === 2) this.#code.byte(B.SIMD).unsigned(opcodes[1]);
    else this.#code.byte(opcodes[0]);
  }

  /** a + b c and a - b c as one instruction, where the product is used nowhere else. */
  #computeFused(n: Node): boolean {
    const { op, a, b } = this.#graph;
    const isLonelyProduct = (m: Node): boolean =>
      op[m] === MUL &&
      this.#uses[m] === 1 &&
      this.#local[m] === NO_LOCAL &&
      this.#isHere(m) &&
      this.#pieces.slot[m] < 0;
    if (op[n] !== ADD && op[n] !== SUB) return false;
    let [product, other] = [b[n], a[n]];
    if (!isLonelyProduct(product)) {
      [product, other] = [a[n], b[n]];
      if (op[n] === SUB || !isLonelyProduct(product)) return false;
    }
    this.#uses[product]--;
    this.#get(a[product], 2);
    this.#get(b[product], 2);
    this.#get(other, 2);
    this.#code.byte(B.SIMD).unsigned(op[n] === ADD ? B.RELAXED_MADD : B.RELAXED_NMADD);
    return true;
  }
}
