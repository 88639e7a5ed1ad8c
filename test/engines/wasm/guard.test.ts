import { describe, expect, it } from 'vitest';
import { guardModule, TRUSTED } from '../../../src/engines/wasm/guard.js';
import { webAssembly } from '../../../src/engines/wasm/webassembly.js';
import { Random } from '../../../src/mechanism/random.js';

const POSITIONS = 64;
const RESULT = 1024;
const STATUS = 2048;

/** A guard of arrays of these lengths around code that only counts its calls. */
function guarded(positions: number, results: number) {
  const memory = new (webAssembly().Memory)({ initial: 1 });
  const guard = { call: [3, 4], positions: [POSITIONS, positions], result: [RESULT, results], status: STATUS } as const;
  const calls: number[][] = [];
  const module = new (webAssembly().Module)(guardModule(guard));
  const code = (...values: number[]): void => void calls.push(values);
  const { run } = new (webAssembly().Instance)(module, { manikin: { memory, code } }).exports;
  return {
    q: new Float64Array(memory.buffer, POSITIONS, positions),
    result: new Float64Array(memory.buffer, RESULT, results),
    calls,
    status: () => {
      run();
      return new Float64Array(memory.buffer, STATUS, 1)[0];
    },
  };
}

describe('guard', () => {
  it.each([
    [0, 0],
    [1, 0],
    [0, 5],
    [7, 6],
    [8, 8],
    [35, 34],
    [113, 97],
  ])('adds the squares of %i positions, and calls the code with its arguments; %i results', (positions, results) => {
    const random = new Random(positions + 1);
    const { q, result, calls, status } = guarded(positions, results);
    for (let k = 0; k < positions; k++) q[k] = random.between(-3, 3);
    for (let k = 0; k < results; k++) result[k] = random.between(-1e9, 1e9);
    const expected = q.reduce((sum, x) => sum + x * x, 0);
    expect(status()).toBeCloseTo(expected, 9);
    expect(calls).toEqual([[3, 4]]);
  });

  it('trusts no large position and no result that is not finite, wherever it stands', () => {
    const { q, result, status } = guarded(35, 34);
    expect(status() <= TRUSTED).toBe(true);
    for (const [array, bad] of [
      [q, [1.1e6, -1e7, Number.NaN, Number.POSITIVE_INFINITY]],
      [result, [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    ] as const)
      for (let k = 0; k < array.length; k++)
        for (const value of bad) {
          array[k] = value;
          expect(status() <= TRUSTED, `${value} at ${k}`).toBe(false);
          array[k] = 0;
        }
    expect(status()).toBe(0);
  });
});
