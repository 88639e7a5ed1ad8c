import type { CostTable } from './cost.js';
import { endSideOf, jointsAt, type PartMeter, partSize, rootSideOf, type TreePart } from './parts.js';
import type { WorkBound } from './work-bound.js';

/**
 * One-sided cuts, or peels: nodes that cut a joint next to a bare link, and so keep the whole range of processes for the
 * other side. A schedule may start with any run of peels before its first split. Nearly always it should not, and these
 * functions prove it: what they leave out cannot be within the limit. The arguments are in docs/scheduling.md.
 */

/**
 * How much a run of peels above a split can save on one side per unit of its own cost. Moved below the split, each
 * peel meets at most one handle more than above it. `from` and `to` bound the handles that peels of the run can meet.
 */
export function savingPerCost(costs: CostTable, from: number, to: number): number {
  let worst = 0;
  for (let k = from; k <= to; k++) {
    const more = costs.shared(k + 1) - costs.shared(k) + (k === 1 ? costs.maxInner : 0);
    const cost = (k >= 2 ? costs.minInnerOwn : costs.minOwn) + costs.shared(k);
    if (more > 0) worst = Math.max(worst, cost > 0 ? more / cost : Number.POSITIVE_INFINITY);
  }
  return worst;
}

/**
 * Whether some run of peels above a split could bring both sides within `rest`: a run of cost c lengthens one side by
 * c and shortens the other by at most `saving` c.
 */
export function leavesRoom(rest: number, rootLow: number, endLow: number, saving: number, leastPeel: number): boolean {
  if (saving >= 1) return true;
  const least = Math.min(rootLow, endLow);
  const most = Math.max(rootLow, endLow);
  return least + (1 - saving) * leastPeel <= rest && most <= rest + saving * (rest - least);
}

/** A run of peels that clears the side of joint `last` with exactly one handle link on it. */
export interface HandleRun {
  /** The joint cut last. */
  readonly last: number;
  /** The joints cut before it at the same link, if they all end in bare links; undefined if a branch goes deeper. */
  readonly before: readonly number[] | undefined;
  /** What the run costs; a lower bound where `before` is undefined. */
  readonly least: number;
  readonly kept: TreePart;
}

/**
 * The runs that the fast mode of dynamic-programme.ts has to look at. In it a branch without handles costs the same wherever it
 * is cut (`leastRunCost`), so it may as well be cut right before the joint that can be peeled only once it is gone.
 */
export function handleRuns(meter: PartMeter, part: TreePart): HandleRun[] {
  const { tree } = meter;
  meter.measurePart(part);
  const { handles } = meter;
  const handleLinks = meter.handleLink.slice(0, meter.handleLinks);
  const runs: HandleRun[] = [];
  for (const link of handleLinks) {
    for (const last of jointsAt(part, tree, link)) {
      const [cleared, kept] = sidesOf(part, meter, last, last === link ? 'end' : 'root');
      if (partSize(kept, tree) === 0) continue;
      if (handleLinks.some((other) => other !== link && holds(cleared, meter, other))) continue;
      const branches = jointsAt(cleared, tree, link);
      runs.push({
        last,
        before: branches.length === partSize(cleared, tree) ? branches : undefined,
        least: leastRunCost(meter, cleared, link, last, handles, branches.length),
        kept,
      });
    }
  }
  return runs;
}

/**
 * The branches at the handle link are cut before `last`, possibly far up in the schedule where there are fewer handles
 * than here. Even so each of them pays as if its first cut were made here: from its first cut on it is a handle of
 * every part on the way down, and what that adds makes up the difference. The cuts inside a branch pay at least for
 * the joints cut before them at their own two links, which the single-process cost of the side cleared counts.
 */
function leastRunCost(
  meter: PartMeter,
  cleared: TreePart,
  link: number,
  last: number,
  handles: number,
  branches: number,
): number {
  meter.measurePart(cleared);
  if (meter.costs.counts === 'links') return meter.nodeCost(last, handles) + meter.serial;
  const degree = meter.tree.degree[link];
  const countedAtLink = meter.sharedSum(degree) - meter.sharedSum(degree - branches);
  const paidAtLink = meter.sharedSum(handles + branches) - meter.sharedSum(handles);
  return meter.nodeCost(last, handles + branches) + meter.serial - countedAtLink + paidAtLink;
}

function holds(part: TreePart, meter: PartMeter, link: number): boolean {
  const { end } = meter.tree;
  if (link < part.top || link >= end[part.top]) return false;
  return part.cuts.every((cut) => link < cut || link >= end[cut]);
}

/**
 * Joints (link numbers) with which a run of peels may begin that ends within the limit. Such a run clears away a whole
 * side of some joint. The side either holds a handle, or the range is large enough to be split twice below and the
 * side has several joints (`addFreeBranches`); anything else is at least as good at the bottom of the schedule. The whole run is charged to
 * all processes, and the rest of the part has to fit into what remains.
 */
export function runStarts(
  meter: PartMeter,
  bound: WorkBound,
  part: TreePart,
  processors: number,
  limit: number,
): number[] {
  const { tree, costs } = meter;
  meter.measurePart(part);
  const { size, handles } = meter;
  const handleLinks = meter.handleLink.slice(0, meter.handleLinks);
  const leastPeel = (handles >= 2 ? costs.minInnerOwn : costs.minOwn) + costs.shared(handles);
  const found = new Set<number>();
  const fits = (kept: TreePart): boolean => {
    meter.measurePart(kept);
    if (meter.size === 0) return false;
    return (size - meter.size) * leastPeel + bound.makespan(meter.serial, processors, meter.handles) <= limit;
  };
  for (const link of handleLinks) {
    for (const v of jointsAt(part, tree, link)) {
      const [cleared, kept] = v === link ? sidesOf(part, meter, v, 'end') : sidesOf(part, meter, v, 'root');
      if (!fits(kept)) continue;
      if (partSize(cleared, tree) === 0) found.add(v);
      else for (const leaf of leavesOf(cleared, meter, link)) found.add(leaf);
    }
  }
  if (processors > 2) addFreeBranches(meter, part, handleLinks, fits, found);
  return [...found].sort((u, v) => tree.jointOf[u] - tree.jointOf[v]);
}

/**
 * Branches without handles whose joints, but the first, all end in bare links: the smallest runs of their kind. Where
 * the model counts links even a single joint may pay, since a further joint on a link is no further handle.
 */
function addFreeBranches(
  meter: PartMeter,
  part: TreePart,
  handleLinks: readonly number[],
  fits: (kept: TreePart) => boolean,
  found: Set<number>,
): void {
  const { tree, costs } = meter;
  const isBare = (link: number): boolean => jointsAt(part, tree, link).length === 1 && !handleLinks.includes(link);
  const links = linksOf(part, meter);
  for (const hub of links) {
    const joints = jointsAt(part, tree, hub);
    const leaves = joints.filter((v) => isBare(v === hub ? tree.parent[v] : v));
    if (costs.counts === 'links')
      for (const leaf of leaves) if (fits(sideWithout(part, meter, leaf, hub))) found.add(leaf);
    if (handleLinks.includes(hub) || joints.length < 2 || leaves.length < joints.length - 1) continue;
    for (const stem of joints) {
      if (leaves.length === joints.length - 1 && leaves.includes(stem)) continue;
      const [, kept] = stem === hub ? sidesOf(part, meter, stem, 'end') : sidesOf(part, meter, stem, 'root');
      if (!fits(kept)) continue;
      for (const leaf of leaves) if (leaf !== stem) found.add(leaf);
    }
  }
}

/** What is left of a part when the bare link beyond `leaf`, seen from `hub`, is taken away. */
function sideWithout(part: TreePart, meter: PartMeter, leaf: number, hub: number): TreePart {
  return leaf === hub ? endSideOf(part, meter.tree, leaf) : rootSideOf(part, meter.tree, leaf);
}

/** The two sides of joint v, the one named first. */
function sidesOf(part: TreePart, meter: PartMeter, v: number, first: 'root' | 'end'): [TreePart, TreePart] {
  const root = rootSideOf(part, meter.tree, v);
  const end = endSideOf(part, meter.tree, v);
  return first === 'root' ? [root, end] : [end, root];
}

function linksOf(part: TreePart, meter: PartMeter): number[] {
  const links = [part.top];
  for (let i = 0; i < links.length; i++) {
    for (const v of jointsAt(part, meter.tree, links[i])) if (v !== links[i]) links.push(v);
  }
  return links;
}

/** Joints of a part with a bare link other than `except` on one side. */
function leavesOf(part: TreePart, meter: PartMeter, except: number): number[] {
  const leaves: number[] = [];
  for (const link of linksOf(part, meter)) {
    const joints = jointsAt(part, meter.tree, link);
    if (joints.length === 1 && link !== except) leaves.push(joints[0]);
  }
  return leaves;
}
