import { ScheduleError } from './errors.js';

/** A joint that closes a loop between two links; link k is the child link of joint k, -1 the base link. */
export interface LoopEnds {
  readonly a: number;
  readonly b: number;
  readonly dof: number;
}

/**
 * All that the scheduler needs to know about a mechanism: who hangs on whom, and degrees of freedom.
 * Joint i connects the child link of joint `parent[i]` (-1: the base link) with its own child link, "link i".
 * Loop joint l has the number `joints + l` wherever a joint is named (schedule trees, assignments, `names`, `kind`).
 */
export interface Topology {
  readonly joints: number;
  readonly parent: ArrayLike<number>;
  readonly dof: ArrayLike<number>;
  /** Joint names for drawings and messages; `joints` entries, or `joints + loops.length`. */
  readonly names?: readonly string[];
  /** Joint types, for cost models that distinguish them; `joints` entries, or `joints + loops.length`. */
  readonly kind?: readonly string[];
  /** The only joint on the base link is a 6-DOF joint to the ground: the mechanism flies freely. */
  readonly freeRoot?: boolean;
  readonly loops?: readonly LoopEnds[];
}

/** The link that does not move, and the side of a joint that carries no other joint. */
export const BASE_LINK = -1;

/**
 * The mechanism as a graph of links and joints. Links are shifted by one so that the base link is vertex 0.
 * Tree joints come first, loop joints after them.
 */
export interface LinkGraph {
  readonly treeJoints: number;
  /** Number of joints, loop joints included. */
  readonly joints: number;
  readonly links: number;
  /** Vertex on the root side of every joint. */
  readonly rootEnd: Int32Array;
  /** Vertex on the end side of every joint. */
  readonly endEnd: Int32Array;
  readonly dof: Int32Array;
  /** Joint types; empty where they are not known. */
  readonly kind: readonly string[];
  /** Joints at every vertex. */
  readonly degree: Int32Array;
}

function badTopology(message: string, fields: ConstructorParameters<typeof ScheduleError>[2]): ScheduleError {
  return new ScheduleError('bad-topology', message, fields);
}

function checkDof(dof: number, joint: number): void {
  if (!Number.isInteger(dof) || dof < 0 || dof > 6) {
    throw badTopology(`Joint ${joint} has ${dof} degrees of freedom; expected an integer from 0 to 6.`, {
      joint,
      field: 'dof',
      expected: 'integer 0..6',
      found: String(dof),
    });
  }
}

function checkLink(link: number, links: number, joint: number, field: string): void {
  if (!Number.isInteger(link) || link < BASE_LINK || link >= links) {
    throw badTopology(`Joint ${joint} names link ${link}; expected -1 (base) to ${links - 1}.`, {
      joint,
      field,
      expected: `integer -1..${links - 1}`,
      found: String(link),
    });
  }
}

/** Every joint must lead to the base link in finitely many steps. */
function checkAcyclic(parent: ArrayLike<number>, joints: number): void {
  const state = new Uint8Array(joints); // 0 unseen, 1 on the current walk, 2 known to reach the base
  for (let start = 0; start < joints; start++) {
    let joint = start;
    while (joint !== BASE_LINK && state[joint] === 0) {
      state[joint] = 1;
      joint = parent[joint];
    }
    if (joint !== BASE_LINK && state[joint] === 1) {
      throw badTopology(`Joint ${joint} is its own ancestor; the parents must form a tree rooted at -1.`, {
        joint,
        field: 'parent',
        expected: 'a tree',
        found: 'a cycle',
      });
    }
    joint = start;
    while (joint !== BASE_LINK && state[joint] === 1) {
      state[joint] = 2;
      joint = parent[joint];
    }
  }
}

function checkLength(found: number, joints: number, loops: number, field: string): void {
  if (found !== joints && found !== joints + loops) {
    throw badTopology(`The list "${field}" has ${found} entries; expected one per joint (${joints}).`, {
      field,
      expected: String(joints),
      found: String(found),
    });
  }
}

/** Checks a topology at the door and gives its graph of links. Everything behind this function trusts its input. */
export function linkGraph(topology: Topology): LinkGraph {
  const { joints: treeJoints, parent, dof } = topology;
  if (!Number.isInteger(treeJoints) || treeJoints < 1) {
    throw new ScheduleError(
      'empty-mechanism',
      `A mechanism of ${treeJoints} joints cannot be scheduled; add a joint.`,
      {
        field: 'joints',
        expected: 'integer >= 1',
        found: String(treeJoints),
      },
    );
  }
  const loops = topology.loops ?? [];
  checkLength(parent.length, treeJoints, 0, 'parent');
  checkLength(dof.length, treeJoints, 0, 'dof');
  if (topology.names) checkLength(topology.names.length, treeJoints, loops.length, 'names');
  if (topology.kind) checkLength(topology.kind.length, treeJoints, loops.length, 'kind');

  const joints = treeJoints + loops.length;
  const rootEnd = new Int32Array(joints);
  const endEnd = new Int32Array(joints);
  const dofs = new Int32Array(joints);
  const degree = new Int32Array(treeJoints + 1);
  for (let joint = 0; joint < joints; joint++) {
    const isLoop = joint >= treeJoints;
    const a = isLoop ? loops[joint - treeJoints].a : parent[joint];
    const b = isLoop ? loops[joint - treeJoints].b : joint;
    const jointDof = isLoop ? loops[joint - treeJoints].dof : dof[joint];
    checkLink(a, treeJoints, joint, isLoop ? 'loops.a' : 'parent');
    checkLink(b, treeJoints, joint, 'loops.b');
    if (a === b) {
      throw badTopology(`Joint ${joint} connects link ${a} with itself; its two links must differ.`, { joint });
    }
    checkDof(jointDof, joint);
    rootEnd[joint] = a + 1;
    endEnd[joint] = b + 1;
    dofs[joint] = jointDof;
    degree[a + 1]++;
    degree[b + 1]++;
  }
  checkAcyclic(parent, treeJoints);
  if (topology.freeRoot) checkFreeRoot(topology);
  return { treeJoints, joints, links: treeJoints + 1, rootEnd, endEnd, dof: dofs, kind: topology.kind ?? [], degree };
}

function checkFreeRoot(topology: Topology): void {
  const onBase: number[] = [];
  for (let joint = 0; joint < topology.joints; joint++) if (topology.parent[joint] === BASE_LINK) onBase.push(joint);
  const loopOnBase = (topology.loops ?? []).some((loop) => loop.a === BASE_LINK || loop.b === BASE_LINK);
  if (onBase.length !== 1 || topology.dof[onBase[0]] !== 6 || loopOnBase) {
    throw badTopology('A free-flying mechanism has exactly one joint on the base link, with 6 degrees of freedom.', {
      field: 'freeRoot',
      expected: 'one 6-DOF joint on the base',
      found: `${onBase.length} joints on the base`,
    });
  }
}

/** The joint between the ground and a free-flying mechanism. */
export function freeJoint(topology: Topology): number {
  for (let joint = 0; joint < topology.joints; joint++) if (topology.parent[joint] === BASE_LINK) return joint;
  return -1;
}

/** What to call a joint in a drawing or a message. */
export function jointName(topology: Topology, joint: number): string {
  return topology.names?.[joint] ?? `joint ${joint}`;
}
