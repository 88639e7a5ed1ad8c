// What touches within a step is found before it does, also where only another impact makes it touch.

import { describe, expect, it } from 'vitest';
import { ball, box } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';
import { pile } from '../../support/world-scenes.js';

/** The deepest penetration until some time. */
function deepest(world: World, end: number): number {
  let depth = 0;
  world.runUntil(end, ({ report }) => {
    depth = Math.max(depth, report.depth);
    return true;
  });
  return depth;
}

describe('what is struck within a step', () => {
  it('is stopped by what flies behind it: boxes that fall together, 3 mm apart, do not enter each other', () => {
    for (const height of [0.51, 0.517, 0.523]) {
      const world = new World({ step: 0.005, ground: true });
      for (let k = 0; k < 5; k++)
        world.add(box([0.2, 0.2, 0.2], { mass: 1 + k }), { at: [0, 0, height + 0.203 * k], velocity: [0, 0, -5] });
      expect(deepest(world, 0.4)).toBeLessThan(1e-4);
    }
  });

  it('does not enter what rests behind it: a row of balls, the first struck at 20 m/s', () => {
    const world = new World({ step: 0.005, gravity: [0, 0, 0] });
    for (let k = 0; k < 4; k++) world.add(ball(0.1, { mass: 1 }), { at: [0.208 * k, 0, 0] });
    world.add(ball(0.1, { mass: 10 }), { at: [-1, 0, 0], velocity: [20, 0, 0] });
    expect(deepest(world, 0.1)).toBeLessThan(1e-4);
  });
});

describe('what turns fast', () => {
  it('does not come far into what it strikes: capsules and cylinders among others that fall', () => {
    // 5.1 mm where no step is taken in halves for it.
    expect(deepest(pile(30, 0.001), 0.6)).toBeLessThan(3.5e-3);
  });
});
