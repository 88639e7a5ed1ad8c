// Long runs without failure and without growth of memory. MANIKIN_LONG=1: one million steps of a figure, and 50 figures for a minute.

import { describe, expect, it } from 'vitest';
import { kernels } from '../../../src/contact/solver/kernels.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { bundledScene } from '../../../src/scenes/bundled.js';
import { sceneWorld } from '../../../src/scenes/make-scene.js';
import { World } from '../../../src/simulation/world/world.js';

const LONG = process.env.MANIKIN_LONG === '1';
const SLOW = { timeout: 24 * 3_600_000 };

/** Bytes of the kernels' memory and of arrays of numbers outside the heap. */
function memory(): { kernels: number; arrays: number } {
  return { kernels: kernels().F.byteLength, arrays: process.memoryUsage().arrayBuffers };
}

describe('a long run', () => {
  it('of a figure that is pushed about and lies down again needs no more memory', SLOW, () => {
    const steps = LONG ? 1_000_000 : 3000;
    const world = new World({ step: 0.005, ground: { friction: 0.8 } });
    const figure = world.add(builtinMechanism('human-34'), { at: [0, 0, 1] });
    const before: ReturnType<typeof memory>[] = [];
    for (let k = 0; k < steps; k++) {
      // Up to its weight, in directions that change.
      const angle = 0.37 * Math.floor(k / 200);
      if (k % 200 < 20) figure.push('torso', [300 * Math.cos(angle), 300 * Math.sin(angle), 500]);
      world.step();
      if (k >= steps / 2 && k % (steps / 10) === 0) before.push(memory());
    }
    expect(Number.isFinite(world.energy().total)).toBe(true);
    expect(world.pose(figure, 'pelvis').t[2]).toBeGreaterThan(0.03);
    const after = memory();
    expect(after.kernels).toBe(before[0].kernels);
    // Checkpoints, reports and the like come and go; a byte a step would show.
    expect(after.arrays - before[0].arrays).toBeLessThan(LONG ? 400_000 : 200_000);
  });

  it('of a crowd ends well', SLOW, () => {
    const run = sceneWorld(bundledScene('crowd')!);
    const end = LONG ? 60 : 0.02;
    while (run.stepTowards(end)) expect(Number.isFinite(run.world.report.residual)).toBe(true);
    expect(run.time).toBeCloseTo(end, 9);
    for (const member of run.world.members) expect(run.world.pose(member, 'pelvis').t[2]).toBeGreaterThan(0.03);
  });
});
