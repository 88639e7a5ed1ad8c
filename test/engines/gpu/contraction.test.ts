import { describe, expect, it } from 'vitest';
import { type Contraction, contract } from '../../../src/engines/gpu/contraction.js';
import { Random } from '../../../src/mechanism/random.js';

/** Replays the operations on sets of bodies and checks that each takes parts that are there and whole. */
function replay(
  parent: Int32Array,
  { rounds, roots, parts, below, taken }: Contraction,
  kept: Uint8Array = new Uint8Array(parent.length),
): void {
  const n = parent.length;
  const set = new Map<number, Set<number>>();
  const ready = new Set<number>();
  const count = new Int32Array(n);
  parent.forEach((p) => {
    if (p >= 0) count[p]++;
  });
  for (let i = 0; i < n; i++) {
    set.set(i, new Set([i]));
    // Kept bodies are never ready to be joined; the others have taken in their kept children first.
    const waits = kept[i] === 1 || parent.some((p, child) => p === i && kept[child] === 1);
    if (count[i] < 2 && !waits) ready.add(i);
  }
  const topOf = (part: number): number => Math.min(...set.get(part)!);
  for (const { rakes, bodies, joins } of rounds) {
    for (const { part, joint, parent: p } of rakes) {
      expect(kept[joint] === 1 ? part === joint && !ready.has(part) : ready.has(part)).toBe(true);
      if (kept[joint] === 1) expect(taken.get(joint)?.length ?? 0).toBe(count[joint]);
      expect(topOf(part)).toBe(joint);
      expect(parent[joint]).toBe(p);
      // Complete: every child of every body is in it, or was taken in by one of them.
      for (const body of set.get(part)!) expect(below[body] < 0 || set.get(part)!.has(below[body])).toBe(true);
      for (const body of set.get(part)!) set.get(p)!.add(body);
      ready.delete(part);
    }
    for (const body of bodies) {
      expect(ready.has(body) || kept[body] === 1).toBe(false);
      expect(taken.get(body)!.length).toBe(count[body] - (below[body] < 0 ? 0 : 1));
      ready.add(body);
    }
    for (const { upper, lower, joint, result } of joins) {
      expect(ready.has(upper) && ready.has(lower)).toBe(true);
      expect(topOf(lower)).toBe(joint);
      expect(set.get(upper)!.has(parent[joint])).toBe(true);
      expect(below[parent[joint]]).toBe(joint);
      set.set(result, new Set([...set.get(upper)!, ...set.get(lower)!]));
      for (const part of [upper, lower]) ready.delete(part);
      ready.add(result);
      expect(result).toBeLessThan(parts);
    }
  }
  expect(new Set(roots.filter(({ joint }) => kept[joint] === 0).map(({ part }) => part))).toEqual(ready);
  expect(roots.reduce((sum, { part }) => sum + set.get(part)!.size, 0)).toBe(n);
}

describe('contraction of a tree', () => {
  it('a chain is halved in every round', () => {
    for (const n of [1, 2, 3, 7, 8, 64, 1000]) {
      const parent = Int32Array.from({ length: n }, (_, i) => i - 1);
      const contraction = contract(parent);
      replay(parent, contraction);
      expect(contraction.rounds.length).toBe(Math.ceil(Math.log2(n)));
    }
  });

  it('kept bodies take in all that hangs from them', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed);
      const n = 1 + random.below(80);
      const reach = 1 + random.below(n);
      const parent = Int32Array.from({ length: n }, (_, i) =>
        i === 0 || random.below(40) === 0 ? -1 : Math.max(0, i - 1 - random.below(reach)),
      );
      const often = 1 + random.below(6);
      const kept = Uint8Array.from({ length: n }, () => (random.below(often) === 0 ? 1 : 0));
      replay(parent, contract(parent, kept), kept);
    }
    // All of them: one level after the other.
    const parent = Int32Array.from({ length: 1023 }, (_, i) => (i === 0 ? -1 : (i - 1) >> 1));
    expect(contract(parent, new Uint8Array(1023).fill(1)).rounds.length).toBe(9);
  });

  it('any tree in logarithmically many rounds', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed);
      const n = 1 + random.below(300);
      const reach = 1 + random.below(n);
      const parent = Int32Array.from({ length: n }, (_, i) =>
        i === 0 || random.below(40) === 0 ? -1 : Math.max(0, i - 1 - random.below(reach)),
      );
      const contraction = contract(parent);
      replay(parent, contraction);
      expect(contraction.rounds.length, `seed ${seed}`).toBeLessThan(3 + 2.5 * Math.log2(n + 1));
    }
    // A broom, a star of chains, a full binary tree.
    for (const parent of [
      Int32Array.from({ length: 400 }, (_, i) => (i < 200 ? i - 1 : 199)),
      Int32Array.from({ length: 401 }, (_, i) => (i === 0 ? -1 : i % 40 === 1 ? 0 : i - 1)),
      Int32Array.from({ length: 1023 }, (_, i) => (i === 0 ? -1 : (i - 1) >> 1)),
    ]) {
      const contraction = contract(parent);
      replay(parent, contraction);
      expect(contraction.rounds.length).toBeLessThan(25);
    }
  });
});
