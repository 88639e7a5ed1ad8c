// The walkers that come with the project, and a state of each near its gait from which others are found.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { type CompassOptions, compass } from '../../models/compass.js';
import { type KneedOptions, kneed } from '../../models/kneed.js';
import type { Section } from './gait.js';

/** Names of the walkers. */
export type WalkerModelName = 'compass' | 'kneed';

/** All sizes of a walker; those that a model does not have are not used. */
export type WalkerSizes = CompassOptions & KneedOptions;

interface WalkerModel {
  readonly build: (sizes: WalkerSizes) => Mechanism;
  readonly slope: number;
  /** Just before a heel strike, with legs of one metre and gravity 9.81, the other sizes as they are where left out. */
  readonly near: Section;
  /** Names of the sizes it has, and what they are where left out. */
  readonly sizes: Readonly<Partial<Record<keyof WalkerSizes, number>>>;
}

/** The walkers: the compass of paper 001, and one with knees. */
export const WALKERS: Readonly<Record<WalkerModelName, WalkerModel>> = {
  // [001] Table 1, which is a state just before a heel strike (errata 001-12).
  compass: {
    build: compass,
    slope: 0.0524,
    near: [-0.3236, -1.4939, -0.3117],
    sizes: { hipMass: 2, legMass: 1, legLength: 1, legMassFromFoot: 0.5, gravity: 9.81 },
  },
  kneed: {
    build: kneed,
    slope: 0.0504,
    near: [-0.289, -1.54, -0.45],
    sizes: {
      hipMass: 0.5,
      thighMass: 0.5,
      shankMass: 0.05,
      thighLength: 0.5,
      shankLength: 0.5,
      thighMassFromKnee: 0.175,
      shankMassFromFoot: 0.375,
      gravity: 9.81,
    },
  },
};

/** Angular velocities scale with the root of gravity over length. */
export function scaledSection([q, v, w]: Section, length: number, gravity: number): Section {
  const k = Math.sqrt(gravity / 9.81 / length);
  return [q, k * v, k * w];
}
