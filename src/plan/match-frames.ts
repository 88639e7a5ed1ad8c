// Frames of links turned by half a turn so that their numbers become those of other links. Two halves of a chain, one read
// forwards and one backwards, differ in signs; where links of the two share vectors, equal numbers are zeros, ones and
// products that need not be computed for each lane.

import type { PlanLink } from './plan.js';
import type { RootedPlan } from './rooted-plan.js';

/** Signs of x, y and z: no turn, half a turn about x, about y, about z. */
type Signs = readonly [number, number, number];
const TURNS: readonly Signs[] = [
  [1, 1, 1],
  [1, -1, -1],
  [-1, 1, -1],
  [-1, -1, 1],
];

/** Types whose axis may point the other way: `sense` tells which. */
const MAY_TURN: ReadonlySet<PlanLink['type']> = new Set(['revolute', 'prismatic', 'helical', 'cylindrical']);

/**
 * `partnerOf`: for links, the one whose numbers they should have. Turns are chosen for which the fewest numbers differ: from
 * the tips to the roots, for each turn of the parent the best turn of every link.
 */
export function matchFrames(rooted: RootedPlan, partnerOf: ReadonlyMap<number, number>): RootedPlan {
  const { plan, source } = rooted;
  const { links } = plan;
  // Only links below which some numbers are to be matched.
  const concerned = new Uint8Array(links.length);
  for (let i = links.length - 1; i >= 0; i--) {
    if (partnerOf.has(i)) concerned[i] = 1;
    if (concerned[i] === 1 && links[i].parent >= 0) concerned[links[i].parent] = 1;
  }
  const count = TURNS.length;
  /** Least number of differences in the subtree of a link, for each turn of its parent, and the turn that has it. */
  const least = links.map(() => new Float64Array(count));
  const best = links.map(() => new Uint8Array(count));
  /** The same summed over the children of a link, for each turn of the link. */
  const below = links.map(() => new Float64Array(count));
  for (let i = links.length - 1; i >= 0; i--) {
    const turns = concerned[i] === 1 && MAY_TURN.has(links[i].type) && i !== source?.link ? count : 1;
    const partner = partnerOf.get(i);
    for (let p = 0; p < count; p++) {
      least[i][p] = Number.POSITIVE_INFINITY;
      for (let k = 0; k < turns; k++) {
        const differs = partner === undefined ? 0 : differences(turned(links[i], TURNS[p], TURNS[k]), links[partner]);
        const cost = below[i][k] + differs;
        if (cost >= least[i][p]) continue;
        least[i][p] = cost;
        best[i][p] = k;
      }
    }
    const { parent } = links[i];
    if (parent >= 0) for (let p = 0; p < count; p++) below[parent][p] += least[i][p];
  }
  const turn = new Uint8Array(links.length);
  const made = links.map((link, i) => {
    const above = link.parent < 0 ? 0 : turn[link.parent];
    turn[i] = best[i][above];
    return above === 0 && turn[i] === 0 ? link : turned(link, TURNS[above], TURNS[turn[i]]);
  });
  return { ...rooted, plan: { ...plan, links: made } };
}

/** A link whose frame has been turned, and the frame of its parent: E <- S E P, t <- P t. */
function turned(link: PlanLink, parent: Signs, own: Signs): PlanLink {
  const { E, t, h, sigma, sense, angle } = link;
  const [x, y, z] = own;
  const products = [1, x * y, x * z, 1, y * z, 1];
  return {
    ...link,
    E: E.map((entry, k) => own[Math.floor(k / 3)] * parent[k % 3] * entry + 0),
    t: t.map((entry, k) => parent[k] * entry + 0),
    h: h.map((entry, k) => own[k] * entry + 0),
    sigma: sigma.map((entry, k) => products[k] * entry + 0),
    sense: z * sense,
    angle: z * angle + 0,
  };
}

function differences(a: PlanLink, b: PlanLink): number {
  const count = (x: readonly number[], y: readonly number[]): number => x.filter((entry, k) => entry !== y[k]).length;
  return (
    count(a.E, b.E) * 4 +
    count(a.t, b.t) * 2 +
    count(a.h, b.h) +
    count(a.sigma, b.sigma) +
    (a.sense === b.sense ? 0 : 1)
  );
}
