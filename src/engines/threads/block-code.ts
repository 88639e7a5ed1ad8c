// The functions of a module for blocks (block-module.ts): one for each phase of each shape of block, those for joins, and small
// ones.

import * as B from '../../emit/bytes.js';
import type { ModuleFunction } from '../../emit/module.js';
import { ConstantPool, emitFunctions, type Pointer } from '../../emit/wasm.js';
import { velocityOfChild, velocityOfParent } from '../../formulas/base-velocity.js';
import { blockFormulas } from '../../formulas/block.js';
import { type Block, CHILD_ARRAYS, childArray, PHASES } from '../../formulas/block-records.js';
import type { OperationCount } from '../../formulas/graph.js';
import { type JoinSizes, joinDown, joinGround, joinUp } from '../../formulas/join.js';
import { VectorGraph } from '../../formulas/vectors.js';
import type { BlockSegment } from './blocks.js';

/** Bytes of a number. */
export const NUMBER = 8;
/** Arrays without use in blocks: this one's pointer leads to the slots. */
export const SLOTS = 4;

export interface BlockFunctions {
  /** Functions of each phase. */
  readonly phases: readonly (readonly number[])[];
  readonly slotBytes: number;
  readonly operations: OperationCount;
}

/** Pairs of constants of all shapes. */
export const CONSTANT_BYTES = 1 << 17;

export const rowLength = ({ children }: Block): number => childArray(0, 0) + CHILD_ARRAYS * children.length;

/** The addresses in the row of a block, which is the parameter number `row`. */
const rowPointers = (block: Block, row: number): Pointer[] =>
  Array.from({ length: rowLength(block) }, (_, k) => ({ row, offset: 4 * k }));

export function callWith(body: B.Bytes, code: number, addresses: readonly number[]): void {
  for (const address of addresses) body.byte(B.I32_CONST).signed(address);
  body.byte(B.CALL).unsigned(code);
}

export class ModuleWriter {
  readonly functions: ModuleFunction[] = [];
  readonly constants: ConstantPool;
  readonly #functionSize: number;
  readonly #shapes = new Map<string, BlockFunctions>();
  readonly #plain = new Map<string, number>();

  constructor(constantsAt: number, functionSize: number) {
    this.constants = new ConstantPool(constantsAt);
    this.#functionSize = functionSize;
  }

  get shapes(): number {
    return this.#shapes.size;
  }

  /** The code for blocks like this one: for all of them, or for one at its addresses. */
  shape(
    name: string,
    block: Block,
    place: { readonly addresses: Int32Array; readonly slotsAt: number } | undefined,
  ): BlockFunctions {
    let shape = this.#shapes.get(name);
    if (shape === undefined) {
      shape = this.#emitBlock(block, place);
      this.#shapes.set(name, shape);
    }
    return shape;
  }

  /** The code for two blocks of the same structure at once, one in each lane. */
  pair([name, otherName]: readonly string[], [block, other]: readonly Block[]): BlockFunctions {
    const key = `pair ${name} ${otherName === name ? '' : otherName}`;
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = this.#emitPair(block, otherName === name ? undefined : other);
      this.#shapes.set(key, shape);
    }
    return shape;
  }

  get prefetch(): number {
    return this.#once('prefetch', () => ({ parameters: 3, body: prefetch() }));
  }

  joinUp(sizes: JoinSizes): number {
    return this.#fixed(`joinUp ${Object.values(sizes)}`, () => joinUp(sizes), 4);
  }
  joinDown(sizes: JoinSizes): number {
    return this.#fixed(`joinDown ${Object.values(sizes)}`, () => joinDown(sizes), 7);
  }
  joinGround(at: 3 | 6): number {
    return this.#fixed(`joinGround ${at}`, () => joinGround(at), 4);
  }

  /** Code for the angular velocity of a segment's base, at the address `to`. */
  baseVelocity(
    body: B.Bytes,
    { velocityPath }: BlockSegment,
    to: number,
    between: number,
    recordsOf: (segment: number) => { readonly rel: number; readonly rise: number },
  ): void {
    if (velocityPath === undefined) return;
    const { from, steps } = velocityPath;
    let at = recordsOf(from.segment)[from.record];
    if (steps.length === 0) callWith(body, this.#fixed('copy', copy, 2), [at, to]);
    steps.forEach(({ segment, direction }, k) => {
      const code =
        direction === 'up'
          ? this.#fixed('velocityOfParent', velocityOfParent, 3)
          : this.#fixed('velocityOfChild', velocityOfChild, 3);
      const next = k === steps.length - 1 ? to : between;
      callWith(body, code, [at, recordsOf(segment).rel, next]);
      at = next;
    });
  }

  /** From the angular velocity at one address to that at another, down through a relation. */
  childVelocity(body: B.Bytes, [from, to]: readonly number[], rel: number): void {
    callWith(body, this.#fixed('velocityOfChild', velocityOfChild, 3), [from, rel, to]);
  }

  #emitBlock(
    block: Block,
    place: { readonly addresses: Int32Array; readonly slotsAt: number } | undefined,
  ): BlockFunctions {
    const graph = new VectorGraph();
    blockFormulas(graph, block);
    const common = { functionSize: this.#functionSize, constants: this.constants };
    const pointers = rowPointers(block, 0);
    return this.#shapeOf(
      graph,
      emitFunctions(
        graph,
        place === undefined
          ? {
              ...common,
              arrays: pointers.map((_, k) => ({ parameter: 1 + k, offset: 0, stride: NUMBER })),
              parameters: 1,
              pointers,
              slotsAt: 0,
              slotParameter: 1 + SLOTS,
            }
          : {
              ...common,
              arrays: Array.from(place.addresses, (offset) => ({ parameter: -1, offset, stride: NUMBER })),
              parameters: 0,
              slotsAt: place.slotsAt,
            },
      ),
    );
  }

  /** A block in each lane: numbers of both stand where they stand for each alone, slots are those of the first. */
  #emitPair(block: Block, other: Block | undefined): BlockFunctions {
    const graph = new VectorGraph({ wide: true });
    blockFormulas(graph, block, other);
    const pointers = [...rowPointers(block, 0), ...rowPointers(block, 1)];
    const count = pointers.length / 2;
    const emitted = emitFunctions(graph, {
      functionSize: this.#functionSize,
      constants: this.constants,
      arrays: Array.from({ length: count }, (_, k) => ({
        parameter: 2 + k,
        second: 2 + count + k,
        offset: 0,
        stride: NUMBER,
      })),
      parameters: 2,
      pointers,
      slotsAt: 0,
      slotParameter: 2 + SLOTS,
      wide: true,
    });
    return this.#shapeOf(graph, emitted);
  }

  #shapeOf(graph: VectorGraph, { functions, phases, slotBytes }: ReturnType<typeof emitFunctions>): BlockFunctions {
    const byPhase: number[][] = Array.from({ length: PHASES }, () => []);
    functions.forEach((made, k) => {
      // Nothing to compute and nothing to write: two bytes of locals and end.
      if (made.body.length <= 2) return;
      byPhase[phases[k]].push(this.functions.push(made) - 1);
    });
    return { phases: byPhase, slotBytes, operations: graph.count() };
  }

  /** A function whose arrays begin at its parameters; made once. */
  #fixed(name: string, formulas: () => VectorGraph, parameters: number): number {
    return this.#once(name, () => {
      const { functions } = emitFunctions(formulas(), {
        arrays: Array.from({ length: parameters }, (_, k) => ({ parameter: k, offset: 0, stride: NUMBER })),
        parameters,
        functionSize: Number.MAX_SAFE_INTEGER,
        constants: this.constants,
        slotsAt: 0,
      });
      return functions[0];
    });
  }

  #once(name: string, make: () => ModuleFunction): number {
    let number = this.#plain.get(name);
    if (number === undefined) {
      number = this.functions.push(make()) - 1;
      this.#plain.set(name, number);
    }
    return number;
  }
}

/**
 * Reads a word of every line from the first address up to the second, and writes something to the third. Lines that come from
 * another core then come all at once; one after the other, where formulas need them, each would take its time.
 */
function prefetch(): B.Bytes {
  const [FROM, TO, RESULT, SUM] = [0, 1, 2, 3];
  const LINE_BYTES = 64;
  const body = new B.Bytes().bytes(1, 1, B.I32);
  body.bytes(B.LOOP, B.VOID);
  body.bytes(B.LOCAL_GET, SUM, B.LOCAL_GET, FROM, B.I32_LOAD, 2, 0, B.I32_ADD, B.LOCAL_SET, SUM);
  body.bytes(B.LOCAL_GET, FROM, B.I32_CONST).signed(LINE_BYTES).bytes(B.I32_ADD, B.LOCAL_TEE, FROM);
  body.bytes(B.LOCAL_GET, TO, B.I32_LT_U, B.BR_IF, 0, B.END);
  body.bytes(B.LOCAL_GET, RESULT, B.LOCAL_GET, SUM, B.I32_STORE, 2, 0, B.END);
  return body;
}

function copy(): VectorGraph {
  const g = new VectorGraph();
  g.inputs(0, 0, 3).forEach((node, k) => {
    g.output(1, k, node);
  });
  return g;
}
