import type { LinkGraph } from './topology.js';

/**
 * The links of an open mechanism in preorder. Link v > 0 and the joint above it share the number v; link 0 is the base.
 * The links beyond joint v are then the interval [v, end[v]), which makes parts of the mechanism cheap to name.
 */
export interface LinkTree {
  readonly links: number;
  /** Inboard link; parent[0] = -1. */
  readonly parent: Int32Array;
  readonly end: Int32Array;
  /** Joints between the link and the base. */
  readonly depth: Int32Array;
  /** Joint number of the topology. */
  readonly jointOf: Int32Array;
  /** Inverse of jointOf; -1 for a joint that is not in the tree. */
  readonly linkOf: Int32Array;
  readonly linkOfVertex: Int32Array;
  /** By joint: 1 where the inboard link is the end side of the joint (other spanning trees of a closed mechanism). */
  readonly reversed: Uint8Array;
  /** Joints of the tree at the link, its own joint included. */
  readonly degree: Int32Array;
  /** Outboard links of v, ascending in joint number: children[childStart[v] .. childStart[v + 1]). */
  readonly children: Int32Array;
  readonly childStart: Int32Array;
  /** Deepest link on the way to the base from both. */
  meet(u: number, v: number): number;
}

/** Numbers the links of a spanning tree without recursion. `inTree`, by joint: the tree joints unless given. */
export function linkTree(graph: LinkGraph, inTree?: Uint8Array): LinkTree {
  const { links } = graph;
  const taken = inTree ?? new Uint8Array(graph.joints).fill(1, 0, graph.treeJoints);
  const { start, joints } = jointsByVertex(graph, taken);
  const parent = new Int32Array(links).fill(-1);
  const depth = new Int32Array(links);
  const jointOf = new Int32Array(links).fill(-1);
  const linkOf = new Int32Array(graph.joints).fill(-1);
  const linkOfVertex = new Int32Array(links);
  const reversed = new Uint8Array(graph.joints);
  const degree = new Int32Array(links);
  const { rootEnd, endEnd } = graph;
  // Joints that lead to vertices still to number, in descending order so that they pop ascending.
  const stack = new Int32Array(links);
  let open = 0;
  const reached = new Uint8Array(links);
  for (let link = 0, vertex = 0, via = -1; ; ) {
    reached[vertex] = 1;
    linkOfVertex[vertex] = link;
    const first = start[vertex];
    const last = start[vertex + 1];
    degree[link] = last - first;
    for (let i = last - 1; i >= first; i--) if (joints[i] !== via) stack[open++] = joints[i];
    if (++link === links) break;
    via = stack[--open];
    const isReversed = reached[rootEnd[via]] === 0;
    const from = isReversed ? endEnd[via] : rootEnd[via];
    vertex = isReversed ? rootEnd[via] : endEnd[via];
    parent[link] = linkOfVertex[from];
    depth[link] = depth[parent[link]] + 1;
    jointOf[link] = via;
    linkOf[via] = link;
    reversed[via] = isReversed ? 1 : 0;
  }
  const end = new Int32Array(links);
  for (let link = 0; link < links; link++) end[link] = link + 1;
  for (let link = links - 1; link > 0; link--) if (end[link] > end[parent[link]]) end[parent[link]] = end[link];
  return {
    links,
    parent,
    end,
    depth,
    jointOf,
    linkOf,
    linkOfVertex,
    reversed,
    degree,
    ...childLists(parent, jointOf),
    meet: meetTable(parent, end, depth),
  };
}

/** Joints at every vertex, ascending: joints[start[v] .. start[v + 1]). */
export interface JointsByVertex {
  readonly start: Int32Array;
  readonly joints: Int32Array;
}

/** Which joints are at which vertex, loop joints included. */
export function allJointsByVertex(graph: LinkGraph): JointsByVertex {
  return jointsByVertex(graph, new Uint8Array(graph.joints).fill(1));
}

/** Which joints are at which vertex, those that are not taken (by joint) left out. */
function jointsByVertex(graph: LinkGraph, taken: Uint8Array): JointsByVertex {
  const start = new Int32Array(graph.links + 1);
  const { rootEnd, endEnd } = graph;
  for (let joint = 0; joint < graph.joints; joint++) {
    if (taken[joint] === 0) continue;
    start[rootEnd[joint] + 1]++;
    start[endEnd[joint] + 1]++;
  }
  for (let vertex = 0; vertex < graph.links; vertex++) start[vertex + 1] += start[vertex];
  const next = start.slice();
  const joints = new Int32Array(start[graph.links]);
  for (let joint = 0; joint < graph.joints; joint++) {
    if (taken[joint] === 0) continue;
    joints[next[rootEnd[joint]]++] = joint;
    joints[next[endEnd[joint]]++] = joint;
  }
  return { start, joints };
}

/** Outboard links by link. In preorder the outboard links of one link ascend in joint number. */
function childLists(parent: Int32Array, jointOf: Int32Array): { children: Int32Array; childStart: Int32Array } {
  const links = jointOf.length;
  const childStart = new Int32Array(links + 1);
  for (let link = 1; link < links; link++) childStart[parent[link] + 1]++;
  for (let link = 0; link < links; link++) childStart[link + 1] += childStart[link];
  const next = childStart.slice();
  const children = new Int32Array(links - 1);
  for (let link = 1; link < links; link++) children[next[parent[link]]++] = link;
  return { children, childStart };
}

/**
 * Lowest common ancestor by a sparse table. In preorder, the ancestor of u < v (where v is not beyond u) is the parent
 * of the shallowest link in (u, v]. Memory: links x log2(links) integers.
 */
function meetTable(parent: Int32Array, end: Int32Array, depth: Int32Array): (u: number, v: number) => number {
  const links = parent.length;
  const rows: Int32Array[] = [];
  // Two links that are not beyond each other are asked for rarely, in a chain never: not before the table is needed.
  const fillRows = (): void => {
    rows.push(new Int32Array(links));
    for (let link = 0; link < links; link++) rows[0][link] = link;
    for (let width = 1; 2 * width <= links; width *= 2) {
      const below = rows[rows.length - 1];
      const row = new Int32Array(links - 2 * width + 1);
      for (let i = 0; i < row.length; i++) {
        const [left, right] = [below[i], below[i + width]];
        row[i] = depth[right] < depth[left] ? right : left;
      }
      rows.push(row);
    }
  };
  return (a, b) => {
    const u = Math.min(a, b);
    const v = Math.max(a, b);
    if (v < end[u]) return u;
    if (rows.length === 0) fillRows();
    const level = 31 - Math.clz32(v - u);
    const [left, right] = [rows[level][u + 1], rows[level][v - 2 ** level + 1]];
    return parent[depth[right] < depth[left] ? right : left];
  };
}
