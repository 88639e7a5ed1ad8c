// What must stand, and what must come to rest. MANIKIN_LONG=1: a minute each, and the sizes of the benchmarks.

import { describe, expect, it } from 'vitest';
import type { World } from '../../../src/simulation/world/world.js';
import { arch, cardHouse, heapOfBalls, largestShift, pile, stack } from '../../support/world-scenes.js';

const LONG = process.env.MANIKIN_LONG === '1';
const SLOW = { timeout: 3_600_000 };

describe('stands', () => {
  it.each<[string, () => World, number]>([
    ['a stack of ten boxes', () => stack(10), 1e-9],
    ['a house of cards', cardHouse, 1e-9],
    ['an arch of stones', () => arch(9), 1e-9],
  ])('%s', SLOW, (_, make, most) => {
    const world = make();
    const from = world.members.map(({ state }) => state.q.slice());
    let unsolved = 0;
    world.runUntil(LONG ? 60 : 0.3, ({ report }) => {
      if (report.residual > 1e-8) unsolved++;
      return true;
    });
    expect(largestShift(world.members, from)).toBeLessThan(most);
    expect(unsolved).toBe(0);
  });
});

describe('comes to rest', () => {
  it('balls without friction do not enter each other', SLOW, () => {
    const world = heapOfBalls(LONG ? 6 : 2);
    let [sum, contacts] = [0, 0];
    world.runUntil(LONG ? 3 : 0.4, () => {
      for (const { depth } of world.contacts()) {
        sum += Math.max(0, depth) ** 2;
        contacts++;
      }
      return true;
    });
    expect(contacts).toBeGreaterThan(10);
    expect(sum / contacts).toBeLessThan(1e-8);
  });

  it('a few mixed shapes in a pen', SLOW, () => {
    const world = pile(8);
    world.runUntil(LONG ? 5 : 1.5);
    expect(world.report.depth).toBeLessThan(1e-4);
  });

  it('mixed shapes that begin apart, and stay at rest', SLOW, () => {
    const world = LONG ? pile(500, 0.001, 0.4) : pile(12, 0.01, 0.4);
    let [deepest, fastest] = [0, 0];
    const rest = LONG ? 4.25 : 1.5;
    world.runUntil(rest + 0.2, ({ time, report }) => {
      deepest = Math.max(deepest, report.depth);
      if (time > rest) fastest = Math.max(fastest, world.energy().kinetic);
      return true;
    });
    expect(fastest).toBeLessThan(1e-9);
    expect(world.report.depth).toBeLessThan(2e-5);
    expect(deepest).toBeLessThan(LONG ? 4e-3 : 2e-3);
  });

  it('mixed shapes in a pen that do not roll for ever, to the last bit', SLOW, () => {
    const world = LONG ? pile(100, 0.001) : pile(24, 0.01);
    let unsolved = 0;
    world.runUntil(LONG ? 5 : 1.3, ({ report }) => {
      if (report.residual > 1e-8) unsolved++;
      return true;
    });
    expect(world.energy().kinetic).toBe(0);
    expect(world.report.depth).toBeLessThan(2e-5);
    // Newton's method alone left one of the small pile.
    if (!LONG) expect(unsolved).toBe(0);
  });
});
