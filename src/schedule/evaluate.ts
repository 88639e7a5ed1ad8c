import type { CostTable } from './cost.js';
import { type FlatTree, preorder } from './flat-tree.js';
import type { LinkGraph } from './topology.js';

/** What follows from a legal schedule tree, per joint. */
export interface Evaluation {
  /** Joints in preorder; reversed, every node comes after its sides. */
  readonly order: Int32Array;
  /** N_O: joints outside the partial chain that touch it ([002] Section II-B). */
  readonly external: Int32Array;
  /** Handles as the cost model counts them. */
  readonly handles: Int32Array;
  /** Cost of the node in ticks, without hand-over. */
  readonly ticks: Float64Array;
  /** Nodes between this one and the top. */
  readonly level: Int32Array;
  /** 1 for a joint that closes a loop. */
  readonly closes: Uint8Array;
}

/** Goes through a legal tree from the leaves to the root and keeps, for every partial chain, what touches it. */
export function evaluate(flat: FlatTree, graph: LinkGraph, costs: CostTable): Evaluation {
  const order = preorder(flat);
  const external = new Int32Array(graph.joints);
  const handles = new Int32Array(graph.joints);
  const handleLinks = new Int32Array(graph.joints);
  const ticks = new Float64Array(graph.joints);
  const level = new Int32Array(graph.joints);
  const { rootSide: roots, endSide: ends } = flat;
  for (let i = 0; i < order.length; i++) {
    const joint = order[i];
    if (roots[joint] >= 0) level[roots[joint]] = level[joint] + 1;
    if (ends[joint] >= 0) level[ends[joint]] = level[joint] + 1;
  }
  const { closes, joinedToo } = meetings(order, graph);
  const left = graph.degree.slice(); // by link: joints not yet added
  const countsLinks = costs.counts === 'links';
  for (let i = order.length - 1; i >= 0; i--) {
    const joint = order[i];
    const a = graph.rootEnd[joint];
    const b = graph.endEnd[joint];
    const rootSide = roots[joint];
    const endSide = ends[joint];
    const rootExternal = rootSide < 0 ? graph.degree[a] : external[rootSide];
    const rootLinks = rootSide < 0 ? 1 : handleLinks[rootSide];
    let linksBefore = rootLinks;
    if (closes[joint]) {
      external[joint] = rootExternal - 1;
    } else {
      linksBefore += endSide < 0 ? 1 : handleLinks[endSide];
      external[joint] = rootExternal + (endSide < 0 ? graph.degree[b] : external[endSide]) - 2 - joinedToo[joint];
    }
    // The ground (vertex 0) stays a handle of models that count links even when no joint is left on it.
    handleLinks[joint] = linksBefore - (--left[a] === 0 && a > 0 ? 1 : 0) - (--left[b] === 0 && b > 0 ? 1 : 0);
    handles[joint] = countsLinks ? handleLinks[joint] : external[joint];
    ticks[joint] = closes[joint]
      ? costs.closingCost(joint, countsLinks ? linksBefore : external[joint])
      : costs.cost(joint, handles[joint]);
  }
  return { order, external, handles, ticks, level, closes };
}

/**
 * Which joints close a loop, and how many other joints find both their links in one chain for the first time at the
 * node of a joint: those count once from there on. Merges lists of joints, the shorter into the longer.
 */
function meetings(order: Int32Array, graph: LinkGraph): { closes: Uint8Array; joinedToo: Int32Array } {
  const closes = new Uint8Array(graph.joints);
  const joinedToo = new Int32Array(graph.joints);
  if (graph.joints === graph.treeJoints) return { closes, joinedToo };
  const chainOf = Int32Array.from({ length: graph.links }, (_, link) => link);
  const linksOf: number[][] = Array.from({ length: graph.links }, (_, link) => [link]);
  const jointsOf: number[][] = Array.from({ length: graph.links }, () => []);
  for (let joint = 0; joint < graph.joints; joint++) {
    jointsOf[graph.rootEnd[joint]].push(joint);
    jointsOf[graph.endEnd[joint]].push(joint);
  }
  for (let i = order.length - 1; i >= 0; i--) {
    const joint = order[i];
    const [a, b] = [chainOf[graph.rootEnd[joint]], chainOf[graph.endEnd[joint]]];
    if (a === b) {
      closes[joint] = 1;
      continue;
    }
    const [into, from] = linksOf[a].length >= linksOf[b].length ? [a, b] : [b, a];
    for (const other of jointsOf[from]) {
      const ends = [chainOf[graph.rootEnd[other]], chainOf[graph.endEnd[other]]];
      if (other !== joint && ends.includes(into) && ends.includes(from)) joinedToo[joint]++;
    }
    for (const link of linksOf[from]) {
      chainOf[link] = into;
      linksOf[into].push(link);
    }
    for (const other of jointsOf[from]) jointsOf[into].push(other);
  }
  return { closes, joinedToo };
}
