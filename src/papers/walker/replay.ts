// A walk as a replay: the walker on its slope, its angles and energies, and the figures of [001].

import type { Shape } from '../../mechanism/mechanism.js';
import type { Replay } from '../../plot/replay.js';
import { ReplayRecorder } from '../../plot/replay-recorder.js';
import type { WalkSample } from './study.js';

/** What `walkReplay` says of a walk. */
export interface WalkReplayOptions extends Partial<Pick<Replay, 'facts' | 'pictures'>> {
  readonly title: string;
  readonly slope: number;
  readonly legLength: number;
  /** How it ended, where it fell. */
  readonly fall?: string;
}

/** A replay of what `recordWalk` saw. */
export function walkReplay(samples: readonly WalkSample[], options: WalkReplayOptions): Replay {
  const { title, slope, legLength, fall, facts = [], pictures = [] } = options;
  const recorder = new ReplayRecorder({
    title,
    about: 'It walks by gravity alone: each heel strike takes what the slope has given.',
    seenFrom: [0.3, -1.9, 0.35],
    obstacles: [ramp(samples, slope, legLength)],
    curves: [
      { title: 'One leg', unit: 'rad, rad/s', names: ['angle from the vertical', 'rate'], shaded: standing(samples) },
      { title: 'Energy', unit: 'J', names: ['kinetic', 'potential', 'total'] },
    ],
  });
  const last = samples.at(-1);
  for (const sample of samples) {
    const { time, step, mechanism, poses, angle, rate, kinetic, potential } = sample;
    recorder.add({
      time,
      members: [{ name: mechanism.name, mechanism }],
      poses: [poses],
      caption: sample === last && fall !== undefined ? fall : `step ${step + 1}`,
      values: [angle, rate, kinetic, potential, kinetic + potential],
    });
  }
  return recorder.finish({ facts, pictures });
}

function standing(samples: readonly WalkSample[]): {
  readonly meaning: string;
  readonly stretches: readonly (readonly [number, number])[];
} {
  const stretches: [number, number][] = [];
  samples.forEach(({ time, stands }, k) => {
    if (!stands) return;
    if (k > 0 && samples[k - 1].stands) stretches.at(-1)![1] = time;
    else stretches.push([time, time]);
  });
  return { meaning: 'it stands on this leg', stretches };
}

/** The slope under all footholds, and a leg's length more on either side. */
function ramp(samples: readonly WalkSample[], slope: number, legLength: number): Shape {
  const [c, s] = [Math.cos(slope), Math.sin(slope)];
  // Along the slope, which goes through the first foothold, the origin.
  const along = samples.map(({ a }) => a[0][0] * c - a[0][1] * s);
  const [from, to] = [Math.min(0, ...along) - 2 * legLength, Math.max(0, ...along) + 2 * legLength];
  const [length, thick] = [to - from, 0.05 * legLength];
  const middle = (from + to) / 2;
  return {
    name: 'slope',
    geometry: { kind: 'box', size: [length, legLength, thick] },
    E: [c, 0, -s, 0, 1, 0, s, 0, c],
    t: [middle * c - (thick / 2) * s, 0, -middle * s - (thick / 2) * c],
    color: [0.62, 0.66, 0.7, 1],
  };
}
