// The simulated array of processors: the matrix, its bits, its steps.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinMechanism } from '../../../src/models/index.js';
import { Algebra, type Mat, type Moments, type Vec } from '../../../src/papers/mass-matrix/algebra.js';
import { doubles } from '../../../src/papers/mass-matrix/arithmetic.js';
import { doublingRounds } from '../../../src/papers/mass-matrix/array/doubling.js';
import { ARRAY_ALGORITHMS, massMatrixOnArray } from '../../../src/papers/mass-matrix/array/index.js';
import { denavitHartenbergChain } from '../../../src/papers/mass-matrix/dh-chain.js';
import { createLinks } from '../../../src/papers/mass-matrix/links.js';
import { randomMechanism, relativeError } from '../../support/random-mechanism.js';
import { hasShared, readShared } from '../../support/shared.js';
import { type Case, caseOf, randomChain } from './support.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const log2 = (n: number): number => Math.ceil(Math.log2(n));

describe('recursive doubling', () => {
  it('takes ceil(log2 n) rounds on a chain, in which distances double', () => {
    for (let n = 1; n <= 130; n++) {
      const rounds = doublingRounds(Array.from({ length: n }, (_, i) => i - 1));
      expect(rounds.length).toBe(log2(n));
      rounds.forEach((pairs, e) => {
        expect(pairs.length).toBe(n - 2 ** e);
        for (const { from, to } of pairs) expect(to - from).toBe(2 ** e);
      });
    }
  });
});

describe('the mass matrix on an array', () => {
  it('is that of the composite-rigid-body algorithm, on random trees of all joint types', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { tree, q, H } = caseOf(
          randomMechanism(seed, { armature: true, forest: true, shuffled: true }),
          seed + 1,
        );
        for (const algorithm of ARRAY_ALGORITHMS)
          for (const layout of ['triangle', 'columns'] as const)
            expect(
              relativeError(massMatrixOnArray(tree, q, { algorithm, layout }).H, H),
              `${algorithm}, ${layout}`,
            ).toBeLessThan(1e-11);
      }),
      { numRuns: 30 },
    );
  });

  it('on chains of 2 to 64 joints, in both frames', () => {
    for (const n of [2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64]) {
      const { tree, q, H } = caseOf(randomChain(n, n, n % 2 === 0 ? {} : { types: ['revolute'] }), n);
      for (const algorithm of ARRAY_ALGORITHMS)
        for (const frame of ['column', 'tip'] as const)
          expect(
            relativeError(massMatrixOnArray(tree, q, { algorithm, layout: 'triangle', frame }).H, H),
            `${n}, ${algorithm}, ${frame}`,
          ).toBeLessThan(1e-11);
    }
  });

  it('does not depend on the number of processors, bit for bit', () => {
    const { tree, q } = caseOf(builtinMechanism('human-34'), 3);
    for (const algorithm of ARRAY_ALGORITHMS)
      for (const layout of ['triangle', 'columns'] as const) {
        const all = massMatrixOnArray(tree, q, { algorithm, layout });
        for (const processors of [1, 2, 7, 64]) {
          const some = massMatrixOnArray(tree, q, { algorithm, layout, processors });
          expect(some.H).toEqual(all.H);
          expect(some.work).toEqual(all.work);
          expect(some.processors).toBe(Math.min(processors, some.virtual));
          expect(some.time.multiplications).toBeGreaterThanOrEqual(all.time.multiplications);
        }
        const one = massMatrixOnArray(tree, q, { algorithm, layout, processors: 1 });
        expect(one.time).toEqual(one.work);
        expect(one.messages).toBe(0);
      }
  });

  it.each([2, 3, 6, 8, 13, 16, 21])(
    'equals a serial program with the same summation tree, bit for bit: n = %i',
    (n) => {
      const chain = caseOf(denavitHartenbergChain(n, n), n);
      const { tree, q } = chain;
      const run = (algorithm: (typeof ARRAY_ALGORITHMS)[number]) =>
        massMatrixOnArray(tree, q, { algorithm, layout: 'triangle' }).H.map((x) => x + 0);
      expect(run('newton-euler-variant')).toEqual(serially(chain).newtonEuler.map((x) => x + 0));
      expect(run('composite-variant')).toEqual(serially(chain).composite.map((x) => x + 0));
    },
  );

  it('4096 processors for 90 joints', () => {
    const { tree, q, H } = caseOf(denavitHartenbergChain(90), 1);
    const run = massMatrixOnArray(tree, q, { algorithm: 'newton-euler-variant', processors: 4096 });
    expect(run).toMatchObject({ virtual: 4095, processors: 4095, layout: 'triangle' });
    expect(relativeError(run.H, H)).toBeLessThan(1e-11);
  });

  it('refuses what it cannot do', () => {
    const { tree, q } = caseOf(builtinMechanism('human-34'), 3);
    expect(() => massMatrixOnArray(tree, q, { algorithm: 'composite-variant', processors: 0 })).toThrow(/at least one/);
    expect(() => massMatrixOnArray(tree, q, { algorithm: 'composite-variant', frame: 'tip' })).toThrow(/chain/);
    const long = caseOf(denavitHartenbergChain(400), 1);
    expect(() => massMatrixOnArray(long.tree, long.q, { algorithm: 'composite-variant' })).toThrow(/up to/);
  });
});

describe('steps', () => {
  const timeOf = (n: number, algorithm: (typeof ARRAY_ALGORITHMS)[number], layout: 'triangle' | 'columns') => {
    const { tree, q } = caseOf(denavitHartenbergChain(n), n);
    const frame = layout === 'triangle' && algorithm === 'newton-euler-variant' ? 'tip' : 'column';
    return massMatrixOnArray(tree, q, { algorithm, layout, frame });
  };

  it('of a triangle grow by the same amount whenever the chain doubles', () => {
    for (const algorithm of ARRAY_ALGORITHMS) {
      const runs = [8, 16, 32, 64].map((n) => timeOf(n, algorithm, 'triangle').time);
      const growth = runs.slice(1).map((time, k) => ({
        multiplications: time.multiplications - runs[k].multiplications,
        additions: time.additions - runs[k].additions,
      }));
      for (const step of growth) expect(step).toEqual(growth[0]);
      // The paper's log terms: 48m + 63a and 33m + 33a.
      expect(growth[0].multiplications).toBeLessThanOrEqual(algorithm === 'composite-variant' ? 48 : 33);
      expect(growth[0].additions).toBeLessThanOrEqual(algorithm === 'composite-variant' ? 63 : 33);
    }
  });

  it('messages take O(log n) steps with shuffles, O(n) without', () => {
    for (const n of [2, 4, 8, 16, 32, 64]) {
      const { nearest, shuffle } = timeOf(n, 'newton-euler-variant', 'triangle');
      // Five doublings (R, Z, P, F, N) and two messages to the next row.
      expect(nearest.steps).toBe(5 * (n - 1) + 2);
      expect(shuffle.steps).toBe(5 * 2 * log2(n) + 2);
    }
  });

  it.skipIf(!hasShared('reference/opcounts.json'))('are never more than the paper says', () => {
    const { table } = JSON.parse(readShared('reference/opcounts.json')) as {
      table: Record<string, Record<string, [number, number]>>;
    };
    for (const [algorithm, short] of [
      ['newton-euler-variant', 'V N-E B'],
      ['composite-variant', 'V C R-B'],
    ] as const)
      for (const [layout, row] of [
        ['triangle', `PA ${short}, n(n+1)/2 processors`],
        ['columns', `PPA ${short}, n processors`],
      ] as const)
        for (let n = 2; n <= 32; n++) {
          const { time } = timeOf(n, algorithm, layout);
          const [mul, add] = table[row][String(n)];
          expect(time.multiplications, `${row}, n = ${n}`).toBeLessThanOrEqual(mul);
          expect(time.additions, `${row}, n = ${n}`).toBeLessThanOrEqual(add);
        }
  });
});

/** The parts from link `first` to link `last` put together as doubling does it, seen from the last one: halves of 2^e. */
function backwards<V>(values: readonly V[], first: number, last: number, join: (far: V, near: V) => V): V {
  const count = last - first + 1;
  if (count === 1) return values[last];
  const half = 2 ** (log2(count) - 1);
  return join(backwards(values, first, last - half, join), backwards(values, last - half + 1, last, join));
}

/** The same seen from the first one. */
function forwards<V>(values: readonly V[], first: number, last: number, join: (near: V, far: V) => V): V {
  const count = last - first + 1;
  if (count === 1) return values[first];
  const half = 2 ** (log2(count) - 1);
  return join(forwards(values, first, first + half - 1, join), forwards(values, first + half, last, join));
}

/** The two parallel algorithms for a chain of revolute joints, one column after the other, written without processors. */
function serially({ tree, q }: Case): { newtonEuler: Float64Array; composite: Float64Array } {
  const { links } = createLinks(tree, doubles, q);
  const a = new Algebra(doubles);
  const n = links.length;
  const newtonEuler = new Float64Array(n * n);
  const composite = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const at = (j: number) => j - i;
    const rows = links.slice(i);
    const own = rows.map(
      (link, k): Mat<number> => (k === 0 ? a.identity : link.joint.below(link.placement.below(a.identity))),
    );
    const R = rows.map((_, k) => backwards(own, 0, k, (far, near) => a.multiply(far, near)));
    const Z = rows.map((link, k) => a.times(R[k], link.columns[0].Z));
    const P = rows.map((link, k): Vec<number> => (k === 0 ? a.zero3 : a.times(R[k - 1], link.P)));
    const from = P.map((_, k) => backwards(P, 0, k, (far, near) => a.add(far, near)));
    const h = rows.map((link, k) => a.times(R[k], link.moments.h));
    const last = rows.length - 1;
    const F = rows.map(({ moments }, k) => a.add(a.scale(moments.m, a.cross(Z[0], from[k])), a.cross(Z[0], h[k])));
    const sumF = F.map((_, k) => forwards(F, k, last, (near, far) => a.add(near, far)));
    const N = rows.map(({ moments }, k) => {
      const spin = a.times(R[k], a.symTimes(moments.k, a.times(a.transpose(R[k]), Z[0])));
      const alone = a.add(spin, a.cross(h[k], a.cross(Z[0], from[k])));
      return k === last ? alone : a.add(alone, a.cross(P[k + 1], sumF[k + 1]));
    });
    // A part of a composite: its moments about its first origin, and how far its end is from there.
    const parts = rows.map(({ moments: { m, k } }, r) => ({
      moments: { m, h: h[r], k: a.turnSym(R[r], k) } as Moments<number>,
      first: r,
    }));
    for (let j = i; j < n; j++) {
      const sumN = forwards(N, at(j), last, (near, far) => a.add(near, far));
      newtonEuler[j * n + i] = newtonEuler[i * n + j] = a.dot(Z[at(j)], sumN);
      const { moments } = forwards(parts, at(j), last, (near, far) => ({
        moments: a.joined(
          near.moments,
          a.shift(
            far.moments,
            backwards(P, near.first + 1, far.first, (x, y) => a.add(x, y)),
          ),
        ),
        first: near.first,
      }));
      const f = a.cross(Z[at(j)], moments.h);
      const moment = a.add(a.symTimes(moments.k, Z[at(j)]), a.cross(from[at(j)], f));
      composite[j * n + i] = composite[i * n + j] = a.dot(Z[0], moment);
    }
  }
  return { newtonEuler, composite };
}
