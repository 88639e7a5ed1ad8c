// Walkers for the gallery: a walk to look at, and what it settles to on many slopes.

import {
  makeWalker,
  recordWalk,
  type Section,
  sectionOf,
  standingAt,
  WALKERS,
  type Walker,
  walk,
  walkReplay,
} from 'manikin/papers';
import type { Settled, WalkEnd, Walked, WalkerName, WalkStudy } from './protocol.js';

/** Steps that are walked and shown. */
const STEPS = 15;
/** Of the bifurcation diagram: steps to settle on a slope, and those that are drawn. */
const [SETTLE, KEEP] = [24, 16];
/** Slopes of the diagram above and below that of the published gait. */
const [UP, DOWN] = [48, 14];
const [STEEPEST, FLATTEST] = [0.1, 0.005];
/** On the way to another walker: radians and parts of a mass at once, and steps on each. */
const [SLOPE_AT_ONCE, MASS_AT_ONCE, STEPS_BETWEEN] = [0.004, 0.25, 3];
/** What pictures need. */
const TOLERANCES = { relative: 1e-7, absolute: 1e-8 };

const FALLS = new Map([
  ['fell', 'it falls'],
  ['scuffed', 'its foot touches the ground while it swings past'],
  ['no-strike', 'the swing foot does not come down'],
]);

function walkerOf(model: WalkerName, slope: number, sizes: WalkStudy['sizes']): Walker {
  return makeWalker({ model, slope, sizes, tolerances: TOLERANCES });
}

/** The walk that was asked for. */
export function walked({ model, slope, sizes, from }: WalkStudy): Walked {
  const { slope: known, sizes: published, near } = WALKERS[model];
  const section = approach(model, from ?? { slope: known, sizes: published, section: near }, { slope, sizes });
  const walker = walkerOf(model, slope, sizes);
  const { steps, fall } = walk(walker, standingAt(walker, section), STEPS);
  const last = steps.at(-1);
  const why = fall === undefined ? undefined : (FALLS.get(fall) ?? fall);
  const periods = steps.map(({ period }) => period);
  return {
    replay: walkReplay(recordWalk(walker, standingAt(walker, section), STEPS), {
      title: model === 'compass' ? 'Compass walker' : 'Kneed walker',
      slope,
      legLength: walker.legLength,
      ...(why !== undefined && { fall: why }),
    }),
    periods,
    says: sentence(periods, why),
    ...(why !== undefined && { fall: why }),
    ...(why === undefined && last !== undefined && { end: { slope, sizes, section: sectionOf(last) } }),
  };
}

/**
 * A gait is lost where slope or masses jump: on the way there it takes a few steps on walkers in between. Where it falls on the way
 * the last state before that has to do.
 */
function approach(model: WalkerName, from: WalkEnd, to: Pick<WalkEnd, 'slope' | 'sizes'>): Section {
  const { sizes: published } = WALKERS[model];
  const names = Object.keys(published) as (keyof typeof published)[];
  const at = (sizes: WalkEnd['sizes'], name: keyof typeof published): number => sizes[name] ?? published[name]!;
  const changes = names.map((name) => Math.abs(at(to.sizes, name) - at(from.sizes, name)) / (published[name] || 1));
  const parts = Math.ceil(
    Math.max(Math.abs(to.slope - from.slope) / SLOPE_AT_ONCE, ...changes.map((x) => x / MASS_AT_ONCE)),
  );
  let { section } = from;
  for (let k = 1; k < parts; k++) {
    const between = (a: number, b: number): number => a + ((b - a) * k) / parts;
    const sizes = Object.fromEntries(names.map((name) => [name, between(at(from.sizes, name), at(to.sizes, name))]));
    const walker = walkerOf(model, between(from.slope, to.slope), sizes);
    const { steps, fall } = walk(walker, standingAt(walker, section), STEPS_BETWEEN);
    if (fall !== undefined) break;
    section = sectionOf(steps[steps.length - 1]);
  }
  return section;
}

/** What came of a walk. */
export function sentence(periods: readonly number[], fall: string | undefined): string {
  if (fall !== undefined) return `After ${periods.length} steps ${fall}.`;
  const last = periods.slice(-8);
  const [least, most] = [Math.min(...last), Math.max(...last)].map((period) => Number(period.toPrecision(4)));
  if (most - least < 2e-3) return `It walks: ${most} s a step.`;
  const two = last.every((period, k) => k < 2 || Math.abs(period - last[k - 2]) < 2e-3);
  return two
    ? `It limps: every second step is the same, ${least} and ${most} s.`
    : `It walks, and its steps differ: ${least} to ${most} s.`;
}

/** Slope after slope, each begun where the one before ended: upwards from the published gait, then downwards. */
export function* settles(model: WalkerName, sizes: WalkStudy['sizes']): Generator<Settled> {
  const { slope: known, near } = WALKERS[model];
  const upwards = Array.from({ length: UP }, (_, k) => known + ((STEEPEST - known) * k) / (UP - 1));
  const downwards = Array.from({ length: DOWN }, (_, k) => known - ((known - FLATTEST) * (k + 1)) / DOWN);
  for (const slopes of [upwards, downwards]) {
    let x: Section | undefined = near;
    for (const slope of slopes) {
      if (x === undefined) {
        yield { slope, periods: [] };
        continue;
      }
      const walker = walkerOf(model, slope, sizes);
      const settling = walk(walker, standingAt(walker, x), SETTLE);
      const kept = settling.fall === undefined ? walk(walker, settling.at, KEEP) : settling;
      const stays = kept.fall === undefined;
      yield { slope, periods: stays ? kept.steps.map(({ period }) => period) : [] };
      // Who falls on a slope falls on those beyond it, too.
      x = stays ? sectionOf(kept.steps[kept.steps.length - 1]) : undefined;
    }
  }
}
