// The kernels of the contact solver and the memory they work in, one for all worlds of a thread: an island is laid out there,
// solved, and read back before the next. They run as WebAssembly, or as the TypeScript that it is made of, with the same bits.

import { KERNEL_BYTES } from './generated.js';
import { bookLinks } from './kernel/books.js';
import { motionOfBlocks, prepareBlocks } from './kernel/contacts.js';
import { interior } from './kernel/interior.js';
import { integrateJoints } from './kernel/joints.js';
import { factoriseInertia } from './kernel/mass-matrix.js';
import { evaluate, newton } from './kernel/newton.js';
import { moveLinks, placeLinks, translateLinks } from './kernel/place.js';
import { predict } from './kernel/predict.js';
import { findPairs, followShapes, keepNear, pairMargin } from './kernel/shapes.js';
import { sweepShapes } from './kernel/sweep.js';

/** Bytes of a page of memory, and pages that are there from the start. */
const PAGE = 65536;
const FIRST = 16;

/** What is asked for from outside; see the files in kernel/. */
export interface Kernels {
  factoriseInertia(): number;
  prepareBlocks(fresh: number): void;
  predict(h: number, gx: number, gy: number, gz: number): void;
  motionOfBlocks(v: number, u: number): void;
  evaluate(lambda: number, u: number): number;
  newton(tolerance: number, most: number, eps: number, growth: number): number;
  placeLinks(tree: number): void;
  translateLinks(tree: number): void;
  moveLinks(tree: number): void;
  interior(tolerance: number, aim: number, most: number): number;
  bookLinks(tree: number): void;
  integrateJoints(tree: number, h: number): void;
  sweepShapes(shapes: number): number;
  followShapes(shapes: number, from: number, to: number): void;
  findPairs(shapes: number, h: number, near: number, drop: number): number;
  keepNear(shapes: number, count: number, h: number, near: number, drop: number): number;
  pairMargin(shapes: number, a: number, b: number, h: number, near: number, drop: number): number;
}

/** The kernels with numbers and integers over the same bytes. */
export interface KernelMachine {
  readonly engine: 'wasm' | 'plain';
  readonly run: Kernels;
  F: Float64Array;
  N: Int32Array;
  /** What stands in memory: the layout of trees and of pairs. */
  holds: object | undefined;
  holdsPairs: object | undefined;
  /** At least so many bytes; what is there stays. Never within a kernel. */
  ensure(bytes: number): void;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

interface Wasm {
  readonly Memory: new (limits: { initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** The TypeScript of the kernels. */
export function plainMachine(): KernelMachine {
  const machine: KernelMachine = {
    engine: 'plain',
    F: new Float64Array(0),
    N: new Int32Array(0),
    holds: undefined,
    holdsPairs: undefined,
    run: {
      factoriseInertia: () => factoriseInertia(machine.F, machine.N),
      prepareBlocks: (fresh) => prepareBlocks(machine.F, machine.N, fresh),
      predict: (h, gx, gy, gz) => predict(machine.F, machine.N, h, gx, gy, gz),
      motionOfBlocks: (v, u) => motionOfBlocks(machine.F, machine.N, v, u),
      evaluate: (lambda, u) => evaluate(machine.F, machine.N, lambda, u),
      interior: (tolerance, aim, most) => interior(machine.F, machine.N, tolerance, aim, most),
      newton: (tolerance, most, eps, growth) => newton(machine.F, machine.N, tolerance, most, eps, growth),
      placeLinks: (tree) => placeLinks(machine.F, machine.N, tree),
      translateLinks: (tree) => translateLinks(machine.F, machine.N, tree),
      moveLinks: (tree) => moveLinks(machine.F, machine.N, tree),
      bookLinks: (tree) => bookLinks(machine.F, machine.N, tree),
      integrateJoints: (tree, h) => integrateJoints(machine.F, machine.N, tree, h),
      sweepShapes: (shapes) => sweepShapes(machine.F, machine.N, shapes),
      followShapes: (shapes, from, to) => followShapes(machine.F, machine.N, shapes, from, to),
      findPairs: (shapes, h, near, drop) => findPairs(machine.F, machine.N, shapes, h, near, drop),
      keepNear: (shapes, count, h, near, drop) => keepNear(machine.F, machine.N, shapes, count, h, near, drop),
      pairMargin: (shapes, a, b, h, near, drop) => pairMargin(machine.F, machine.N, shapes, a, b, h, near, drop),
    },
    ensure(bytes) {
      if (bytes <= machine.F.byteLength) return;
      const before = machine.F;
      view(machine, new ArrayBuffer(PAGE * pagesFor(bytes)));
      machine.F.set(before);
    },
  };
  return machine;
}

/** The WebAssembly; undefined where there is none, or it may not be made. */
export function wasmMachine(): KernelMachine | undefined {
  const { WebAssembly: wasm } = globalThis as { WebAssembly?: Wasm };
  if (wasm === undefined) return undefined;
  try {
    const memory = new wasm.Memory({ initial: FIRST });
    const module = new wasm.Module(Uint8Array.from(atob(KERNEL_BYTES), (letter) => letter.charCodeAt(0)));
    const { exports } = new wasm.Instance(module, { manikin: { memory } });
    const machine: KernelMachine = {
      engine: 'wasm',
      F: new Float64Array(0),
      N: new Int32Array(0),
      holds: undefined,
      holdsPairs: undefined,
      run: exports as Kernels,
      ensure(bytes) {
        const { byteLength } = memory.buffer;
        if (bytes > byteLength) memory.grow(pagesFor(bytes) - byteLength / PAGE);
        if (machine.F.buffer !== memory.buffer) view(machine, memory.buffer);
      },
    };
    return machine;
  } catch {
    return undefined;
  }
}

/** Twice as many each time, so that growing is rare. */
function pagesFor(bytes: number): number {
  let pages = FIRST;
  while (PAGE * pages < bytes) pages *= 2;
  return pages;
}

function view(machine: KernelMachine, buffer: ArrayBuffer): void {
  machine.F = new Float64Array(buffer);
  machine.N = new Int32Array(buffer);
}

let machine: KernelMachine | undefined;

/** Where islands are solved: the same for all calls of a thread. */
export function kernels(): KernelMachine {
  machine ??= wasmMachine() ?? plainMachine();
  return machine;
}
