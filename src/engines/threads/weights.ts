// What the links of a mechanism cost, in instructions: enough to cut it into equal pieces. Where code is made they are
// counted exactly; these are the counts of links in long chains (docs/speed.md), so that cuts can be chosen before.

import { type MeetSizes, meetDown, meetGround, meetUp } from '../../formulas/join.js';
import { pairedUnits } from '../../formulas/lanes.js';
import type { VectorGraph } from '../../formulas/vectors.js';
import type { PlanLink } from '../../plan/plan.js';
import type { RootedPlan } from '../../plan/rooted-plan.js';

interface TypeWeight {
  /** Axes along coordinate axes, and any. */
  readonly plain: number;
  readonly any: number;
  /** What the mixed form adds, of that. */
  readonly mixed: number;
}

const WEIGHTS: { readonly [type in PlanLink['type']]: TypeWeight } = {
  revolute: { plain: 255, any: 430, mixed: 0.7 },
  prismatic: { plain: 60, any: 200, mixed: 1 },
  helical: { plain: 370, any: 540, mixed: 0.5 },
  cylindrical: { plain: 320, any: 490, mixed: 0.7 },
  universal: { plain: 580, any: 740, mixed: 0.6 },
  planar: { plain: 540, any: 890, mixed: 0.7 },
  spherical: { plain: 375, any: 530, mixed: 0.8 },
  floating: { plain: 340, any: 400, mixed: 1 },
};

/** A link at the end has no inertia to take over. */
const LEAF = 0.6;
/** A pair of links in the lanes of vectors takes a little more than one. */
const PAIR = 0.55;

/** Time of two segments in the lanes of vectors over that of one: 1.26 times the instructions, with more numbers under way. */
export const BOTH_LANES = 1.5;

/** Parts of a link's cost by pass: before the inertias, up to the root, back; and of what the mixed form adds, up. */
export const PASSES = { spin: 0.12, up: 0.62, down: 0.26, upMixed: 0.8 } as const;
/** What the mixed form adds is less where the port is a ball joint: two pairs of columns instead of three. */
export const BALL = 2 / 3;
/** Instructions of a meeting wait for each other more than those of links do. */
const SLOW = 1.3;

/** Instructions of a meeting, on the way up and on the way down; counted once for each kind. */
export function meetingWeight(sizes: MeetSizes): { readonly up: number; readonly down: number } {
  const key = (sizes.handle * 7 + sizes.at) * 7 + sizes.port;
  let weight = meetings.get(key);
  if (weight === undefined) {
    const { handle, at, port } = sizes;
    const instructions = (graph: VectorGraph): number => SLOW * graph.count().instructions;
    weight =
      handle === 0 && port === 0
        ? { up: instructions(meetGround(at)), down: 0 }
        : { up: instructions(meetUp(sizes)), down: instructions(meetDown(sizes)) };
    meetings.set(key, weight);
  }
  return weight;
}

const meetings = new Map<number, { readonly up: number; readonly down: number }>();

export interface Weights {
  readonly own: Float64Array;
  /** Added where the way from a port to the root of a segment passes. */
  readonly mixed: Float64Array;
  /** Links that share a vector have the same unit. */
  readonly unit: Int32Array;
  /** The link that knows its angular velocity, where that is not the root; else -1. */
  readonly source: number;
}

export function weigh({ plan, source }: RootedPlan): Weights {
  const { links } = plan;
  const own = new Float64Array(links.length);
  const mixed = new Float64Array(links.length);
  const unit = new Int32Array(links.length);
  const leaf = new Uint8Array(links.length).fill(1);
  for (const { parent } of links) if (parent >= 0) leaf[parent] = 0;
  pairedUnits(plan).forEach(({ links: pair }, k) => {
    for (const i of pair) {
      const { type, E } = links[i];
      const weight = WEIGHTS[type];
      const renames = E.every((entry) => entry === 0 || Math.abs(entry) === 1);
      const alone = (renames ? weight.plain : weight.any) * (leaf[i] === 1 ? LEAF : 1);
      own[i] = alone * (pair.length === 2 ? PAIR : 1);
      mixed[i] = weight.mixed * weight.plain;
      unit[i] = k;
    }
  });
  return { own, mixed, unit, source: source?.link ?? -1 };
}
