import { describe, expect, it } from 'vitest';
import { box } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';

const LONG = process.env.MANIKIN_LONG === '1';

describe('boxes', () => {
  it('a stack of ten stands', () => {
    const world = new World({ step: 0.005 });
    world.ground();
    const stack = Array.from({ length: 10 }, (_, k) =>
      world.add(box([0.4, 0.4, 0.4], { mass: 1, friction: 0.5 }), {
        at: [0.02 * Math.sin(5 * k), 0.02 * Math.cos(3 * k), 0.2 + 0.4 * k + 0.0005 * (k + 1)],
      }),
    );
    world.runUntil(1);
    const from = stack.map(({ state }) => state.q.slice());
    let [solved, all] = [0, 0];
    world.runUntil(LONG ? 60 : 2, ({ report }) => {
      all++;
      if (report.residual <= 1e-8) solved++;
      return true;
    });
    stack.forEach(({ state: { q } }, k) => {
      expect(Math.hypot(q[4] - from[k][4], q[5] - from[k][5], q[6] - from[k][6])).toBeLessThan(1e-6);
    });
    expect(solved / all).toBeGreaterThan(0.99);
    expect(world.report.depth).toBeLessThan(1e-4);
  });

  it('dominoes fall one after the other', () => {
    const world = new World({ step: 0.002 });
    world.ground({ friction: 0.6 });
    const count = LONG ? 20 : 5;
    const dominoes = Array.from({ length: count }, (_, k) =>
      world.add(box([0.02, 0.1, 0.2], { mass: 0.2, friction: 0.4 }), { at: [0.08 * k, 0, 0.1] }),
    );
    world.runUntil(0.2);
    for (const { state } of dominoes) expect(state.q[6]).toBeCloseTo(0.1, 4);
    for (let k = 0; k < 25; k++) {
      dominoes[0].push('box', [1, 0, 0], [0, 0, 0.19]);
      world.step();
    }
    world.runUntil(0.3 + 0.25 * count);
    for (const { state } of dominoes) expect(state.q[6]).toBeLessThan(0.09);
    expect(world.energy().kinetic).toBeLessThan(1e-3);
  });
});
