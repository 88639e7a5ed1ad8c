// The bits of a run follow from its scene: twice, after a checkpoint at any time, and as in a browser (test/browser/world.ts).
// What the solver reaches in every scene that comes with the package. MANIKIN_LONG=1: whole scenes, 1000 random times, all steps.

import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { formatCheckpoint, parseCheckpoint } from '../../src/recording/checkpoint-file.js';
import { BUNDLED_SCENES, bundledScene } from '../../src/scenes/bundled.js';
import { sceneWorld } from '../../src/scenes/make-scene.js';
import { RunSummary } from '../../src/scenes/run-summary.js';
import type { SceneWorld } from '../../src/scenes/scene-world.js';

const LONG = process.env.MANIKIN_LONG === '1';
const SLOW = { timeout: 7_200_000 };
const NAMES = BUNDLED_SCENES.map(({ name }) => name);
/** Steps of each scene, and of the crowd, which are fifty times as long. */
const STEPS = { all: 40, crowd: 2 };
const TIMES = LONG ? 1000 / NAMES.length : 2;

const made = (name: string): SceneWorld => sceneWorld(bundledScene(name)!);

/** Where a run of a scene ends here; of the crowd half a second, for a minute or two. */
function endOf({ world, duration }: SceneWorld, name: string): number {
  if (!LONG) return (name === 'crowd' ? STEPS.crowd : STEPS.all) * world.stepSize;
  return name === 'crowd' ? 0.5 : duration;
}

describe('every scene', () => {
  it.each(NAMES)('%s: the same hash twice, and after checkpoints at random times', SLOW, (name) => {
    const whole = made(name);
    const end = endOf(whole, name);
    const steps = Math.round(end / whole.world.stepSize);
    const random = new Random(NAMES.indexOf(name) + 1);
    const times = name === 'crowd' ? Math.min(TIMES, 20) : TIMES;
    const chosen = new Set(Array.from({ length: times }, () => random.below(steps)));
    const saved = new Map<number, { text: string; events: number; hash: readonly [number, number] }>();
    const summary = new RunSummary(whole.world);
    const keep = (): void => {
      if (!chosen.has(summary.figures.steps)) return;
      const { events } = whole.save();
      saved.set(summary.figures.steps, { text: formatCheckpoint(whole.world), events, hash: summary.figures.hash });
    };
    keep();
    while (whole.stepTowards(end)) {
      summary.look(whole.world);
      keep();
    }
    expect(summary.figures.steps).toBe(steps);
    expect(saved.size).toBe(chosen.size);
    const again = made(name);
    const other = new RunSummary(again.world);
    while (again.stepTowards(end)) other.look(again.world);
    expect(other.hash).toBe(summary.hash);
    for (const [at, { text, events, hash }] of saved) {
      const resumed = made(name);
      resumed.restore({ world: parseCheckpoint(text, resumed.world).checkpoint, events });
      const rest = new RunSummary(resumed.world);
      rest.figures.hash = [...hash];
      while (resumed.stepTowards(end)) rest.look(resumed.world);
      expect(rest.hash, `${name}, resumed after ${at} of ${steps} steps`).toBe(summary.hash);
    }
  });

  // Their last bits decide what is hard to solve: other starts are others.
  it.each(['dominoes', 'paper-003'])(
    '%s: 99.9 % of the steps are solved to 1e-8, from other starts, too',
    SLOW,
    (name) => {
      const lines: string[] = [];
      let [all, unsolved] = [0, 0];
      for (let start = 0; start < (LONG ? 12 : 2); start++) {
        const run = made(name);
        run.world.members.forEach((member, m) => {
          const { v } = member.state;
          for (let k = 0; k < v.length; k++) v[k] += 1e-10 * start * Math.sin(7 * start + 3.3 * m + 1.7 * k);
          member.changed();
        });
        const { figures, worst } = summarised(run, run.duration);
        all += figures.steps;
        unsolved += figures.unsolved;
        lines.push(`${figures.unsolved} of ${figures.steps}, ${worst}`);
      }
      expect(unsolved / all, lines.join('\n')).toBeLessThanOrEqual(0.001);
    },
  );

  it('99.9 % of the steps are solved to 1e-8', SLOW, () => {
    const lines: string[] = [];
    let [all, unsolved] = [0, 0];
    for (const name of NAMES) {
      const run = made(name);
      const end = endOf(run, name);
      const { figures, ...summary } = summarised(run, end);
      all += figures.steps;
      unsolved += figures.unsolved;
      if (figures.unsolved > 0) lines.push(`${name}: ${figures.unsolved} of ${figures.steps}, ${summary.worst}`);
    }
    if (LONG) console.log([`${unsolved} of ${all} steps above 1e-8`, ...lines].join('\n'));
    expect(unsolved / all, lines.join('\n')).toBeLessThanOrEqual(0.001);
  });
});

/** The figures of a run, and which of its steps were the worst. */
function summarised(run: SceneWorld, end: number): { figures: RunSummary['figures']; worst: string } {
  const summary = new RunSummary(run.world);
  const worst: string[] = [];
  while (run.stepTowards(end)) {
    summary.look(run.world);
    const { residual } = run.world.report;
    if (residual > 1e-8 && worst.length < 5) worst.push(`${run.time.toFixed(3)} s ${residual.toExponential(1)}`);
  }
  return { figures: summary.figures, worst: worst.join(', ') };
}
