// From a schedule tree to a list of operations: which partial chains there are, what of them can be seen from outside,
// and where their numbers live.
//
// A partial chain ("part") is a connected set of links. Its root is its link nearest to the ground (or the ground itself);
// its tips are its other links that carry a joint not yet assembled. It answers to the acceleration of its root and the
// forces on its tips (the mixed form):
//
//   force on the root     f_r = I a_r + p - sum_t Psi_t^T f_t
//   acceleration of tips  a_t = Psi_t a_r + sum_s Phi_ts f_s + b_t
//
// Without tips this is the articulated inertia of the articulated-body algorithm. Nothing in it needs the inverse of an
// inertia, so that massless links and large mass ratios do no harm.

import { MechanismError } from '../../../mechanism/errors.js';
import type { Tree } from '../../../mechanism/tree.js';
import type { ScheduleTree } from '../../../schedule/tree.js';
import { BLOCK } from '../../../spatial/blocks.js';

/** The ground, where a link is expected. */
export const GROUND_LINK = -1;

export interface PartialChain {
  readonly root: number;
  /** Links seen from outside besides the root; a tip that is hidden is known but carries no joint any more. */
  readonly tips: readonly number[];
  readonly hidden: readonly boolean[];
  /** Offset of its numbers: k blocks Psi, k (k + 1) / 2 blocks Phi (s <= t), k vectors b, k vectors of sizes (see sizeAt). */
  readonly at: number;
}

/** Joint i hangs end (root of its part) from a link of another part. */
export interface JoinOperation {
  readonly kind: 'join';
  readonly joint: number;
  /** Link on the root side; GROUND_LINK where it is the ground. */
  readonly a: number;
  /** Link on the end side: the link that joint i carries. */
  readonly b: number;
  readonly rootPart: PartialChain;
  readonly endPart: PartialChain;
  /** What of the end part is still seen afterwards: its tips, and its root where that link has further joints. */
  readonly carried: PartialChain;
  /** Its tips: those of the root part but a, then the carried ones, then a where it is no root. */
  readonly result: PartialChain;
  /** Tips are involved: the joint takes the general steps. */
  readonly general: boolean;
  /** Joint a is no root: what hangs on it is felt by the other handles of the root part. */
  readonly atTip: boolean;
  /** Index of a among the tips of the root part; -1 for its root. */
  readonly tipA: number;
  /** For each tip of the result its index among the tips of the root part, or -1. */
  readonly fromRoot: Int32Array;
  /** For each carried tip its index among the tips of the end part, or -1. */
  readonly fromEnd: Int32Array;
  /** How many tips of the result come before the carried ones. */
  readonly firstCarried: number;
  /** Offset of kappa L^-T for each carried tip, 36 numbers each. */
  readonly kappa: number;
  /** At a tip: offset of K, N, p' (see join.ts), then Psi of each carried tip as seen from a. */
  readonly hanging: number;
}

/**
 * Two parts that no joint of the tree connects at the root of one of them: put side by side as one part, for a joint that
 * closes between them. The root of the end part becomes a tip, which takes the inverse of its inertia: the form of papers
 * 000 and 002, used where it alone will do.
 */
export interface BridgeOperation {
  readonly kind: 'bridge';
  readonly rootPart: PartialChain;
  readonly endPart: PartialChain;
  /** Its tips: those of the root part, the root of the end part, the tips of the end part. */
  readonly union: PartialChain;
  /** For each tip of the union its index among the tips of the root part, or -1. */
  readonly fromRoot: Int32Array;
  /** For each tip of the union its index among the tips of the end part, or -1. */
  readonly fromEnd: Int32Array;
}

/** Joints between links of one part, added at once: those that follow each other in the schedule share the load. */
export interface CloseOperation {
  readonly kind: 'close';
  /** Loop joints by their number, then the closers of the plan. */
  readonly loops: readonly number[];
  readonly part: PartialChain;
  readonly result: PartialChain;
  /** For each tip of the result its index among the tips of the part. */
  readonly from: Int32Array;
}

export type Operation = JoinOperation | BridgeOperation | CloseOperation;

export interface AssemblyPlan {
  readonly tree: Tree;
  /** In the order of assembly; disassembly goes backwards. */
  readonly operations: readonly Operation[];
  /** Links whose tree joints close loops in this schedule: they are treated as constraints, as loop joints are. */
  readonly closers: readonly number[];
  /** Numbers needed for all parts. */
  readonly memory: number;
  /** Length of the longest path from the root of the schedule tree to a leaf. */
  readonly levels: number;
}

export function blocksOf(k: number): number {
  return BLOCK * (k + (k * (k + 1)) / 2) + 8 * k;
}

export function psiAt(part: PartialChain, t: number): number {
  return part.at + BLOCK * t;
}

/** Offset of Phi_ts for s <= t; for s > t take the transpose of Phi_st. */
export function phiAt(part: PartialChain, t: number, s: number): number {
  return part.at + BLOCK * (part.tips.length + (t * (t + 1)) / 2 + s);
}

export function biasAt(part: PartialChain, t: number): number {
  const k = part.tips.length;
  return part.at + BLOCK * (k + (k * (k + 1)) / 2) + 6 * t;
}

/**
 * Offset of the sizes of tip t: two numbers, of which the squares are all that was summed for the traces of Phi_tt, that of
 * turning and that of shifting. What cancels in Phi later leaves a rounding error of 1e-16 of them; rank.ts decides by it.
 */
export function sizeAt(part: PartialChain, t: number): number {
  return biasAt(part, part.tips.length) + 2 * t;
}

function illegal(message: string): MechanismError {
  return MechanismError.of('schedule', '', message);
}

/** The ends of a joint as links of the tree: the root side first. */
function endsOf(tree: Tree, joint: number): readonly [number, number] {
  const { joints, loops } = tree.mechanism;
  if (joint < joints.length) {
    const link = tree.link[joint];
    return [tree.parent[link], link];
  }
  const { a, b } = loops[joint - joints.length];
  return [a.body < 0 ? GROUND_LINK : tree.link[a.body], b.body < 0 ? GROUND_LINK : tree.link[b.body]];
}

/** Checks a schedule against a mechanism and lays it out. The tree must be the author's (no reversed joints). */
export function createAssemblyPlan(tree: Tree, schedule: ScheduleTree): AssemblyPlan {
  return new Planner(tree).run(schedule);
}

class Planner {
  readonly #tree: Tree;
  readonly #count: number;
  readonly #treeJoints: number;
  /** Joints of each link (the ground first) that are not assembled yet. */
  readonly #open: Int32Array;
  readonly #seen: Uint8Array;
  /** Part that each link (the ground first) belongs to, as the last operation on it left it. */
  readonly #partOf: number[];
  readonly #parts: PartialChain[] = [];
  /** Union-find over the indices of parts. */
  readonly #merged: number[] = [];
  readonly #closers: number[] = [];
  #memory = 0;

  constructor(tree: Tree) {
    this.#tree = tree;
    const { joints, loops } = tree.mechanism;
    this.#treeJoints = joints.length;
    this.#count = joints.length + loops.length;
    this.#open = new Int32Array(tree.n + 1);
    this.#seen = new Uint8Array(this.#count);
    for (let joint = 0; joint < this.#count; joint++) for (const end of endsOf(tree, joint)) this.#open[end + 1]++;
    this.#partOf = Array.from({ length: tree.n + 1 }, (_, k) => k);
    for (let k = 0; k <= tree.n; k++) {
      this.#parts.push({ root: k - 1, tips: [], hidden: [], at: 0 });
      this.#merged.push(k);
    }
  }

  run(schedule: ScheduleTree): AssemblyPlan {
    const { order, levels } = this.#order(schedule);
    const operations: Operation[] = [];
    for (const next of order.flatMap((node) => this.#operations(node))) {
      const last = operations[operations.length - 1];
      if (next.kind === 'close' && last?.kind === 'close' && last.result === next.part)
        operations[operations.length - 1] = {
          ...next,
          loops: [...last.loops, ...next.loops],
          part: last.part,
          from: next.from.map((k) => last.from[k]),
        };
      else operations.push(next);
    }
    const missing = this.#seen.indexOf(0);
    if (missing >= 0) throw illegal(`The schedule leaves out joint ${this.#name(missing)}.`);
    return { tree: this.#tree, operations, closers: this.#closers, memory: this.#memory, levels };
  }

  /** Nodes with everything below them first; a stack of our own, since schedules can be deep. */
  #order(schedule: ScheduleTree): { order: ScheduleTree[]; levels: number } {
    const order: ScheduleTree[] = [];
    const stack: { node: ScheduleTree; depth: number }[] = [{ node: schedule, depth: 1 }];
    let levels = 0;
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const { node, depth } = top;
      if (!Array.isArray(node) || node.length < 1 || node.length > 3)
        throw illegal('A node of a schedule is [joint, root side, end side], with null for a bare link.');
      const [joint, rootSide = null, endSide = null] = node as unknown as [number, ScheduleTree?, ScheduleTree?];
      if (!Number.isInteger(joint) || joint < 0 || joint >= this.#count)
        throw illegal(`A schedule names joints by numbers from 0 to ${this.#count - 1}, got ${String(joint)}.`);
      if (this.#seen[joint] === 1) throw illegal(`The schedule has joint ${this.#name(joint)} twice.`);
      this.#seen[joint] = 1;
      order.push(node);
      levels = Math.max(levels, depth);
      for (const side of [rootSide, endSide]) if (side !== null) stack.push({ node: side, depth: depth + 1 });
    }
    return { order: order.reverse(), levels };
  }

  #name(joint: number): string {
    const { joints, loops } = this.#tree.mechanism;
    return `${joint} ("${joint < joints.length ? joints[joint].name : loops[joint - joints.length].name}")`;
  }

  #find(link: number): number {
    let k = this.#partOf[link + 1];
    while (this.#merged[k] !== k) {
      this.#merged[k] = this.#merged[this.#merged[k]];
      k = this.#merged[k];
    }
    return k;
  }

  /** The part of a link, which must be what the schedule says stands on that side of the joint. */
  #side(joint: number, link: number, below: ScheduleTree | null | undefined, side: string): number {
    const part = this.#find(link);
    const bare = this.#parts[part].tips.length === 0 && part === link + 1 && this.#merged[part] === part;
    if (below === null || below === undefined) {
      if (!bare)
        throw illegal(
          `Joint ${this.#name(joint)} has nothing below it on the ${side}, but that link is assembled already.`,
        );
    } else if (this.#find(endsOf(this.#tree, below[0])[0]) !== part)
      throw illegal(`What stands below joint ${this.#name(joint)} on the ${side} is not connected to it there.`);
    return part;
  }

  #operations([joint, rootSide, endSide]: ScheduleTree): Operation[] {
    const [a, b] = endsOf(this.#tree, joint);
    const [partA, partB] = [this.#find(a), this.#find(b)];
    this.#open[a + 1]--;
    this.#open[b + 1]--;
    if (partA === partB) {
      if (rootSide === null || (endSide ?? null) !== null)
        throw illegal(`Joint ${this.#name(joint)} closes a loop: it has one part below it, in the first place.`);
      return [this.#close(joint, partA)];
    }
    this.#side(joint, a, rootSide, 'root side');
    this.#side(joint, b, endSide, 'end side');
    if (joint < this.#treeJoints && b === this.#parts[partB].root) return [this.#join(joint, a, b, partA, partB)];
    const bridge = this.#bridge(partA, partB, [a, b]);
    return [bridge, this.#close(joint, this.#find(a))];
  }

  #bridge(partA: number, partB: number, ends: readonly number[]): Operation {
    // The ground keeps its part: it cannot be anything but a root.
    const [first, second] = this.#parts[partB].root === GROUND_LINK ? [partB, partA] : [partA, partB];
    const [rootPart, endPart] = [this.#parts[first], this.#parts[second]];
    const seen = (part: PartialChain): number[] =>
      part.tips.filter((tip, k) => !part.hidden[k] && (this.#open[tip + 1] > 0 || ends.includes(tip)));
    const union = this.#keep(rootPart.root, [...seen(rootPart), endPart.root, ...seen(endPart)]);
    this.#replace([partA, partB], union);
    return {
      kind: 'bridge',
      rootPart,
      endPart,
      union,
      fromRoot: Int32Array.from(union.tips, (tip) => rootPart.tips.indexOf(tip)),
      fromEnd: Int32Array.from(union.tips, (tip) => endPart.tips.indexOf(tip)),
    };
  }

  #close(joint: number, index: number): Operation {
    const part = this.#parts[index];
    const result = this.#keep(part.root, this.#exposed(part));
    this.#replace([index], result);
    const from = Int32Array.from(result.tips, (tip) => part.tips.indexOf(tip));
    return { kind: 'close', loops: [this.#constraint(joint)], part, result, from };
  }

  /** Number of a joint among those that are treated as constraints. */
  #constraint(joint: number): number {
    const { loops, joints } = this.#tree.mechanism;
    if (joint >= this.#treeJoints) return joint - this.#treeJoints;
    if (joints[joint].armature !== 0)
      throw illegal(
        `Joint ${this.#name(joint)} has armature and cannot be the one that closes a loop; assemble it earlier.`,
      );
    this.#closers.push(this.#tree.link[joint]);
    return loops.length + this.#closers.length - 1;
  }

  #join(joint: number, a: number, b: number, partA: number, partB: number): Operation {
    const rootPart = this.#parts[partA];
    const endPart = this.#parts[partB];
    const exposed = this.#exposed(endPart);
    const rootSeen = this.#open[b + 1] > 0;
    const carried =
      rootSeen || exposed.length < endPart.tips.length
        ? this.#keep(endPart.root, rootSeen ? [...exposed, b] : exposed)
        : endPart;
    const atTip = a !== rootPart.root;
    const general = atTip || carried.tips.length > 0;
    const kappa = this.#memory;
    this.#memory += BLOCK * carried.tips.length;
    const hanging = this.#memory;
    if (atTip) this.#memory += 2 * BLOCK + 6 + BLOCK * carried.tips.length;
    const others = this.#exposed(rootPart).filter((tip) => tip !== a);
    // A joint that brings no tips and hangs from the root changes nothing but the root's inertia.
    const result = general
      ? this.#keep(rootPart.root, [...others, ...carried.tips, ...(atTip ? [a] : [])], atTip && this.#open[a + 1] === 0)
      : rootPart;
    this.#replace([partA, partB], result);
    return {
      kind: 'join',
      joint,
      a,
      b,
      rootPart,
      endPart,
      carried,
      result,
      general,
      atTip,
      tipA: rootPart.tips.indexOf(a),
      fromRoot: Int32Array.from(result.tips, (tip) => rootPart.tips.indexOf(tip)),
      fromEnd: Int32Array.from(carried.tips, (tip) => endPart.tips.indexOf(tip)),
      firstCarried: others.length,
      kappa,
      hanging,
    };
  }

  /** Tips of a part that still have joints to be assembled. */
  #exposed(part: PartialChain): number[] {
    return part.tips.filter((tip, k) => !part.hidden[k] && this.#open[tip + 1] > 0);
  }

  #keep(root: number, tips: readonly number[], lastHidden = false): PartialChain {
    const at = this.#memory;
    this.#memory += blocksOf(tips.length);
    return { root, tips, hidden: tips.map((_, k) => lastHidden && k === tips.length - 1), at };
  }

  #replace(old: readonly number[], result: PartialChain): void {
    const index = this.#parts.length;
    this.#parts.push(result);
    this.#merged.push(index);
    for (const k of old) this.#merged[k] = index;
  }
}
