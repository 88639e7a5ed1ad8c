// What the scheduler of segments is told about a mechanism: a tree of links with counted costs, and what joining two
// parts costs. Costs of computing are in instructions, whatever an instruction takes on a machine (EngineConstants).

/** Components of a force that pass a cut: six; three at a ball joint, which passes on no moment; none at the ground. */
export type CutSize = 0 | 3 | 6;

/** Sizes of a join: handle of the upper part, where the two meet, and the port of the lower part. */
export interface JoinWidths {
  readonly handle: CutSize;
  readonly at: 3 | 6;
  readonly port: CutSize;
}

export interface LinkCosts {
  /** Parent of each link, -1 for the ground; parents come first. */
  readonly parent: Int32Array;
  /** Instructions of each link where its part has one handle (articulated inertia). */
  readonly own: Float64Array;
  /** The same where the link shares no vector with another one of its figure. */
  readonly alone: Float64Array;
  /** Added where the way from a port to the root of a segment passes (mixed form). */
  readonly mixed: Float64Array;
  /** Links that share a vector (left and right arm) have the same unit. */
  readonly unit: Int32Array;
  /** 1 where the joint of the link is a ball joint through which a cut passes three components. */
  readonly ball: Uint8Array;
  /** Links with the same number have the same joint, place and mass: their code can be shared. */
  readonly look: Int32Array;
  /** The link that knows its angular velocity, where that is not the root; else -1. */
  readonly source: number;
  /** Instructions of a join, assembly and disassembly. */
  join(sizes: JoinWidths): { readonly up: number; readonly down: number };
  /** Numbers that a part hands over. */
  record(handle: CutSize, port: CutSize): number;
}

/** Shares of a link's cost: velocities, assembly, disassembly; and of what the mixed form adds, assembly. */
export const PASSES = { spin: 0.12, up: 0.62, down: 0.26, upMixed: 0.8 } as const;
/** What the mixed form adds is less where the port is a ball joint: two pairs of columns instead of three. */
export const BALL = 2 / 3;
/** Instructions of two links in the lanes of vectors, each from another part of the mechanism, over those of one. */
const LANE_PAIR = 1.26;
/** Two halves of a mechanism share vectors where that takes less than this part of the instructions. */
const LANES_GAIN = 0.9;

/**
 * Whether one processor had better compute a mechanism two links at a time. `inLanes` is the mechanism as it would be
 * computed then, from another root, and `partnerOf` has for the links in second lanes those in first lanes; `asGiven` is the
 * mechanism from the author's root. Counted, never timed: which code runs must not depend on the machine.
 */
export function lanesPay(inLanes: LinkCosts, partnerOf: ReadonlyMap<number, number>, asGiven: LinkCosts): boolean {
  const paired = new Set([...partnerOf.keys(), ...partnerOf.values()]);
  let total = 0;
  inLanes.own.forEach((own, i) => {
    total += paired.has(i) ? (LANE_PAIR / 2) * inLanes.alone[i] : own;
  });
  return total < LANES_GAIN * asGiven.own.reduce((sum, own) => sum + own, 0);
}

/** Time of two segments in the lanes of vectors over that of one: 1.26 times the instructions, with more numbers under way. */
export const BOTH_LANES = 1.5;

/** Where a mechanism is cut. */
export interface Cutting {
  /** Segment of each link. The roots of a segment hang from one link (or the ground); parents have smaller numbers. */
  readonly segmentOf: Int32Array;
  /** For each segment: it hangs from a port, so that the one above it need not wait (one for each parent at most). */
  readonly atPort: readonly boolean[];
  /**
   * For each segment the parts that it joins to itself at its port, one after the other; each is named by its first segment
   * and hangs from the port of the one before. Left out, every segment joins all that hangs from its port at once.
   */
  readonly joins?: readonly (readonly number[])[];
  /**
   * For each segment the one that is computed together with it, in the second lane of its vectors (lane-pairs.ts); -1 for
   * none. That one is the first that it joins, and joins nothing itself.
   */
  readonly partner?: readonly number[];
}

/** A schedule of segments: plain data. */
export interface SegmentSchedule {
  readonly cutting: Cutting;
  /** Processor of each segment. */
  readonly processorOf: readonly number[];
  /** Predicted nanoseconds of a step. */
  readonly ns: number;
}

/** The segment from which each one hangs, -1 for the ground. */
export function parentSegments(parent: ArrayLike<number>, segmentOf: Int32Array, count: number): number[] {
  const above = new Array<number>(count).fill(-1);
  for (let i = 0; i < parent.length; i++)
    if (parent[i] >= 0 && segmentOf[parent[i]] !== segmentOf[i]) above[segmentOf[i]] = segmentOf[parent[i]];
  return above;
}

/** By how many dimensions segments hang, and how many their ports have. */
export interface PortSizes {
  readonly handle: readonly CutSize[];
  readonly port: readonly CutSize[];
}

export function portSizes(
  { parent, ball }: Pick<LinkCosts, 'parent' | 'ball'>,
  { segmentOf, atPort }: Pick<Cutting, 'segmentOf' | 'atPort'>,
  parentSegment: readonly number[],
  portChild: readonly number[],
): PortSizes {
  const roots: number[][] = parentSegment.map(() => []);
  parent.forEach((above, i) => {
    if (above < 0 || segmentOf[above] !== segmentOf[i]) roots[segmentOf[i]].push(i);
  });
  const handle = parentSegment.map((above, s): CutSize => {
    if (above < 0) return 0;
    return atPort[s] && roots[s].length === 1 && ball[roots[s][0]] === 1 ? 3 : 6;
  });
  return { handle, port: portChild.map((child) => (child < 0 ? 0 : handle[child])) };
}
