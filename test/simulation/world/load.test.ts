// Long runs without failure and without growth of memory. MANIKIN_LONG=1: one million steps of a figure, and 50 figures for a minute.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bundledScene } from '../../../src/scenes/bundled.js';
import { sceneWorld } from '../../../src/scenes/make-scene.js';

const LONG = process.env.MANIKIN_LONG === '1';
const SLOW = { timeout: 24 * 3_600_000 };
const DIST = new URL('../../../dist/', import.meta.url).href;

/** In a process of its own, which collects its garbage before it looks: what is left is what is kept. */
const FIGURE = `
import { kernels } from '${DIST}contact/solver/kernels.js';
import { builtinMechanism } from '${DIST}models/index.js';
import { World } from '${DIST}simulation/world/index.js';
const steps = ${LONG ? 1_000_000 : 3000};
const world = new World({ step: 0.005, ground: { friction: 0.8 } });
const figure = world.add(builtinMechanism('human-34'), { at: [0, 0, 1] });
const memory = () => {
  gc();
  return { kernels: kernels().F.byteLength, arrays: process.memoryUsage().arrayBuffers, heap: process.memoryUsage().heapUsed };
};
let half;
for (let k = 0; k < steps; k++) {
  // Up to its weight, in directions that change.
  const angle = 0.37 * Math.floor(k / 200);
  if (k % 200 < 20) figure.push('torso', [300 * Math.cos(angle), 300 * Math.sin(angle), 500]);
  world.step();
  if (k === steps / 2) half = memory();
}
console.log(JSON.stringify({ half, end: memory(), energy: world.energy().total, height: world.pose(figure, 'pelvis').t[2] }));
`;

type Memory = Record<'kernels' | 'arrays' | 'heap', number>;

describe('a long run', () => {
  it('of a figure that is pushed about and lies down again needs no more memory', SLOW, () => {
    const args = ['--expose-gc', '--input-type=module', '-e', FIGURE];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    const run = JSON.parse(stdout) as { half: Memory; end: Memory; energy: number; height: number };
    expect(Number.isFinite(run.energy)).toBe(true);
    expect(run.height).toBeGreaterThan(0.03);
    expect(run.end.kernels).toBe(run.half.kernels);
    // Rows and blocks have room for the most contacts that were ever there: 150 kB come in the second half of the short run.
    expect(run.end.arrays - run.half.arrays).toBeLessThan(200_000);
    // What the JavaScript engine learns of the program is kept, too.
    expect(run.end.heap - run.half.heap).toBeLessThan(1_000_000);
  });

  it('of a crowd ends well', SLOW, () => {
    const run = sceneWorld(bundledScene('crowd')!);
    const end = LONG ? 60 : 0.02;
    while (run.stepTowards(end)) expect(Number.isFinite(run.world.report.residual)).toBe(true);
    expect(run.time).toBeCloseTo(end, 9);
    for (const member of run.world.members) expect(run.world.pose(member, 'pelvis').t[2]).toBeGreaterThan(0.03);
  });
});
