import { describe, expect, it } from 'vitest';

const script = new URL('../../../scripts/kernel-compiler.mjs', import.meta.url).href;
const { compileKernels } = (await import(script)) as {
  compileKernels(files: Map<string, string>): Uint8Array<ArrayBuffer>;
};

interface Memory {
  readonly buffer: ArrayBuffer;
}
const { Memory, Module, Instance } = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (limits: { initial: number }) => Memory;
      Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
      Instance: new (
        module: object,
        imports: object,
      ) => { readonly exports: Record<string, (...values: number[]) => number> };
    };
  }
).WebAssembly;

/** The exported functions of a text, with the numbers and integers of their memory. */
function made(source: string) {
  const memory = new Memory({ initial: 1 });
  const module = new Module(compileKernels(new Map([['kernel.ts', source]])));
  const { exports } = new Instance(module, { manikin: { memory } });
  return { run: exports, F: new Float64Array(memory.buffer), N: new Int32Array(memory.buffer) };
}

describe('the compiler of kernels', () => {
  it('loops, branches, calls and mixes integers with numbers as TypeScript does', () => {
    const { run, F, N } = made(`
      import { type f64, type i32 } from './layout.js';
      const OFFSET = 4;
      const HALF = 0.5;
      function square(F: Float64Array, x: f64): f64 {
        return x * x;
      }
      export function norm(F: Float64Array, N: Int32Array, at: i32, count: i32): f64 {
        let sum: f64 = 0;
        for (let k = 0; k < count; k++) {
          if (k === 3) continue;
          if (k >= 6) break;
          sum += square(F, F[at + k]) * k;
        }
        return Math.sqrt(sum) + HALF * (count - 1);
      }
      export function collatz(N: Int32Array, start: i32): i32 {
        let n = start;
        let steps = 0;
        while (n > 1) {
          n = (n & 1) === 0 ? n >> 1 : 3 * n + 1;
          steps++;
        }
        N[OFFSET + 2] = steps;
        N[OFFSET - 1] -= steps;
        return steps > 100 || (steps > 5 && !(steps < 8)) ? -steps : steps;
      }
      export function clamp(x: f64, low: f64, high: f64): f64 {
        return Math.min(high, Math.max(low, -Math.abs(x))) / 2;
      }`);
    for (let k = 0; k < 9; k++) F[100 + k] = k - 2.5;
    let sum = 0;
    for (const k of [0, 1, 2, 4, 5]) sum += (k - 2.5) ** 2 * k;
    expect(run.norm(100, 9)).toBe(Math.sqrt(sum) + 4);
    N[3] = 50;
    expect(run.collatz(6)).toBe(-8);
    expect([N[6], N[3]]).toEqual([8, 42]);
    expect(run.collatz(3)).toBe(7);
    expect(run.clamp(3, -2, 5)).toBe(-1);
  });

  it.each([
    ['export function f(x: f64): i32 { return x; }', /kernel\.ts:1: "x" is no integer/],
    ['export function f(x: f64): f64 { return y; }', /"y" is not known here/],
    ['export function f(x: f64): f64 { const [a] = [x]; return a; }', /kernel\.ts:1/],
    ['export function f(x: string): f64 { return 1; }', /"string" is not part of the language/],
    ['function g(x: f64): f64 { return x; } export function f(): f64 { return g(); }', /another number of arguments/],
    ['const THIRD = 1 / 3;', /"const THIRD = 1 \/ 3;" is no number/],
    ['const A = 1; const A = 2;', /"A" has two values/],
    ['function f(): void {} function f(): void {}', /"f" stands twice/],
    ['export class C {}', /"export class C {}" is not part of the language/],
  ])('refuses %s', (source, message) => {
    expect(() => compileKernels(new Map([['kernel.ts', source]]))).toThrow(message);
  });
});
