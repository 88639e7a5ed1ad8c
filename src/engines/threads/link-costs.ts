// What the scheduler (src/schedule) is told about a mechanism: its links with their instructions, counted for links in long
// chains; where code is made they are counted exactly. And the instructions of joins, counted from their formulas.

import { joinDown, joinGround, joinUp } from '../../formulas/join.js';
import { pairedUnits } from '../../formulas/lanes.js';
import { partLayout } from '../../formulas/part-record.js';
import type { VectorGraph } from '../../formulas/vectors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { PlanLink } from '../../plan/plan.js';
import type { RootedPlan } from '../../plan/rooted-plan.js';
import { ENGINE_CONSTANTS, type EngineConstants } from '../../schedule/cost.js';
import type { JoinWidths, LinkCosts } from '../../schedule/link-costs.js';

/** A link at the end has no inertia to take over. */
const LEAF = 0.6;
/** A pair of links in the lanes of vectors takes a little more than one. */
const PAIR = 0.55;
/** Instructions of a join wait for each other more than those of links do. */
const SLOW = 1.3;

/** A joint that passes on no moment but that of its motor. */
export const isBall = ({ type, armature }: PlanLink): boolean => type === 'spherical' && armature.every((x) => x === 0);

/** Parents of the links and which of them hang by ball joints. */
export const linkTree = (links: readonly PlanLink[]): Pick<LinkCosts, 'parent' | 'ball'> => ({
  parent: Int32Array.from(links, ({ parent }) => parent),
  ball: Uint8Array.from(links, (link) => (isBall(link) ? 1 : 0)),
});

export function linkCosts(
  mechanism: Mechanism,
  { plan, source }: RootedPlan,
  { joints }: EngineConstants = ENGINE_CONSTANTS,
): LinkCosts {
  const { links } = plan;
  const own = new Float64Array(links.length);
  const alone = new Float64Array(links.length);
  const mixed = new Float64Array(links.length);
  const unit = new Int32Array(links.length);
  const leaf = new Uint8Array(links.length).fill(1);
  for (const { parent } of links) if (parent >= 0) leaf[parent] = 0;
  pairedUnits(plan).forEach(({ links: pair }, k) => {
    for (const i of pair) {
      const { type, E } = links[i];
      const { one, oneTurned = one, two } = joints.find(({ kind }) => kind === type)!;
      const renames = E.every((entry) => entry === 0 || Math.abs(entry) === 1);
      alone[i] = (renames ? one : oneTurned) * (leaf[i] === 1 ? LEAF : 1);
      own[i] = alone[i] * (pair.length === 2 ? PAIR : 1);
      mixed[i] = two - one;
      unit[i] = k;
    }
  });
  return {
    ...linkTree(links),
    own,
    alone,
    mixed,
    unit,
    look: looks(mechanism, plan),
    source: source?.link ?? -1,
    join: joinInstructions,
    record: (handle, port) => partLayout(handle, port).size,
  };
}

/** For each link a number that says what it looks like: its joint, its place and its mass. */
function looks({ bodies }: Mechanism, plan: RootedPlan['plan']): Int32Array {
  // Masses in a plan have been regrouped along the tree: those of the bodies count.
  const masses: string[] = plan.links.map(() => '');
  plan.bodies.forEach(({ link }, body) => {
    const { mass, com, inertia } = bodies[body];
    if (link >= 0) masses[link] += ` ${mass} ${com} ${inertia}`;
  });
  const numbers = new Map<string, number>();
  return Int32Array.from(plan.links, ({ type, E, t, parameters, armature, damped, sense, angle }, i) => {
    const text = JSON.stringify([type, E, t, parameters, armature, damped, sense, angle, masses[i]]);
    let number = numbers.get(text);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(text, number);
    }
    return number;
  });
}

const counted = new Map<number, { readonly up: number; readonly down: number }>();

/** Instructions of a join, assembly and disassembly; counted once for each kind. */
function joinInstructions(sizes: JoinWidths): { readonly up: number; readonly down: number } {
  const { handle, at, port } = sizes;
  const key = (handle * 7 + at) * 7 + port;
  let cost = counted.get(key);
  if (cost === undefined) {
    const instructions = (graph: VectorGraph): number => SLOW * graph.count().instructions;
    cost =
      handle === 0 && port === 0
        ? { up: instructions(joinGround(at)), down: 0 }
        : { up: instructions(joinUp(sizes)), down: instructions(joinDown(sizes)) };
    counted.set(key, cost);
  }
  return cost;
}
