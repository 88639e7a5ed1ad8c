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

  it('takes two rounds at a time in lanes, and the last of an odd number alone', () => {
    const { run, F } = made(`
      const ROW = 3;
      export function product(F: Float64Array, out: i32, M: i32, L: i32, n: i32, columns: i32, scale: f64): void {
        // lanes
        for (let c = 0; c < columns; c++) {
          let sum = F[out + c];
          let l = L + c;
          for (let k = 0; k < n; k++) {
            if (k === ROW) sum -= 0.5;
            sum -= F[M + k] * F[l] * scale;
            l += columns;
          }
          F[out + c] = -sum / scale;
        }
      }
      export function three(F: Float64Array, at: i32): void {
        // lanes: two of them, and one
        for (let k = 0; k < ROW; k++) F[at + k] += F[at + 2 * ROW] * F[at + k + 3];
      }`);
    for (let columns = 0; columns < 9; columns++) {
      for (let k = 0; k < 90; k++) F[k] = Math.sin(k * k + 1);
      const before = F.slice();
      run.product(0, 10, 20, 5, columns, 1.7);
      for (let c = 0; c < columns; c++) {
        let sum = before[c];
        for (let k = 0; k < 5; k++) {
          if (k === 3) sum -= 0.5;
          sum -= before[10 + k] * before[20 + c + k * columns] * 1.7;
        }
        expect(F[c]).toBe(-sum / 1.7);
      }
      expect(F.slice(columns)).toEqual(before.slice(columns));
    }
    for (let k = 0; k < 9; k++) F[k] = k + 1;
    run.three(0);
    expect(Array.from(F.slice(0, 4))).toEqual([1 + 7 * 4, 2 + 7 * 5, 3 + 7 * 6, 4]);
  });

  it('reads and writes another place in each lane, and the same place one lane after the other', () => {
    const { run, F } = made(`
      export function turned(F: Float64Array, A: i32, x: i32, y: i32): void {
        // lanes
        for (let h = 0; h < 2; h++) {
          const sum = F[h === 0 ? A + 1 : A + 2] * F[A];
          F[h === 0 ? x : y] -= sum;
        }
      }`);
    const check = (x: number, y: number, wanted: readonly number[]) => {
      F.set([2, 3, 5, 100, 200]);
      run.turned(0, x, y);
      expect([F[x], F[y]]).toEqual(wanted);
    };
    check(3, 4, [94, 190]);
    check(3, 3, [84, 84]);
  });

  it.each([
    ['if (c > 2) F[c] = 1;', /"c > 2" is not one more in the next lane/],
    ['F[0] += F[c];', /"F\[0\]" is the same in all lanes/],
    ['x += F[c];', /"x" is the same in all lanes/],
    ['F[2 * c] = 1;', /"2 \* c" is not one more in the next lane/],
    ['F[c] = F[N[c]];', /"N\[c\]" is read lane by lane/],
    ['F[c] = Math.sqrt(F[c]);', /has no lanes/],
    ['F[c] = F[c] * c;', /"c" has no lanes/],
    ['g(F);', /is no part of lanes/],
    ['continue;', /leaves a loop that is unrolled or in lanes/],
  ])('refuses %s in lanes', (body, message) => {
    const source = `
      function g(F: Float64Array): void {}
      export function f(F: Float64Array, N: Int32Array, x: f64, n: i32): void {
        // lanes
        for (let c = 0; c < n; c++) { ${body} }
      }`;
    expect(() => compileKernels(new Map([['kernel.ts', source]]))).toThrow(message);
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
