import { ScheduleError } from './errors.js';
import type { RankConstants } from './rank-constants.js';
import type { LinkGraph } from './topology.js';

/**
 * The time of one node of a schedule tree: assembling and disassembling one joint.
 *
 *   cost(joint, k) = own(joint) + (k >= 2 ? inner(joint) : 0) + shared(k)
 *   shared(k) = k < from ? 0 : quadratic k^2 + linear k + constant
 *
 * where k counts the handles of the partial chain that the joint completes. Both models below have this form, which
 * is what makes the single-process optimum a closed formula (single-process.ts): only `shared` couples joints.
 */
export interface CostModel {
  readonly name: string;
  /**
   * What a handle is. 'joints': every joint outside the part that touches it (N_O of [002] eq. 11, base not counted).
   * 'links': every link of the part that carries such a joint, and the ground where the part holds it.
   */
  readonly counts: 'joints' | 'links';
  readonly shared: {
    readonly from: number;
    readonly quadratic: number;
    readonly linear: number;
    readonly constant: number;
  };
  /** Time added to a node whose two sides run on different processors. */
  readonly handOver: number;
  /** The part of the cost that belongs to the joint alone. */
  joint(dof: number, kind: string | undefined): { readonly own: number; readonly inner: number };
}

/** [002] eq. 11, C = alpha N_O^2 + beta N_O + gamma n + delta, and an optional hand-over time that the paper leaves out. */
export interface PaperConstants {
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
  readonly delta: number;
  readonly handOver?: number;
}

/** [002] Section IV-A, microseconds. */
export const PAPER_CONSTANTS: PaperConstants = { alpha: 1.6, beta: 1.0, gamma: -1.0, delta: 14.4 };

/** The cost model of paper 002: alpha, beta, gamma, delta of its equations. */
export function paperCost(constants: PaperConstants = PAPER_CONSTANTS): CostModel {
  const { alpha, beta, gamma, delta, handOver = 0 } = constants;
  return {
    name: 'paper',
    counts: 'joints',
    shared: { from: 0, quadratic: alpha, linear: beta, constant: 0 },
    handOver,
    joint: (dof) => ({ own: gamma * dof + delta, inner: 0 }),
  };
}

/**
 * The engine's costs, as plain JSON: counted instructions of every form that a part can have, and what an instruction and
 * a hand-over take on a machine. A part is kept in the cheapest form that fits its handles: one handle in
 * articulated-inertia form, two in mixed form, more in inverse-inertia form (docs/scheduling.md).
 */
export interface EngineConstants {
  /** Nanoseconds of an instruction, on average; `manikin calibrate` measures it. */
  readonly instruction: number;
  /** Instructions of a joint. A joint uses the entry of its type, or else of its degrees of freedom. */
  readonly joints: readonly JointInstructions[];
  /**
   * Instructions that k >= 3 handles add to `two`: quadratic k^2 + linear k + constant. The joint's type does not enter:
   * the 6x6 blocks per pair of handles do the work, not the joint.
   */
  readonly more: { readonly quadratic: number; readonly linear: number; readonly constant: number };
  /** Nanoseconds from writing a word to seeing it on another processor; `manikin calibrate` measures it. */
  readonly latency: number;
  /** Nanoseconds that each cache line of a record, 8 numbers, takes besides. */
  readonly line: number;
  /** Nanoseconds of a call for each link: arrays copied in and out, results checked. */
  readonly call: number;
  /** Between ranks of MPI instead of threads; `manikin calibrate --mpi` measures them. */
  readonly ranks?: RankConstants;
}

export interface JointInstructions {
  readonly kind?: string;
  readonly dof: number;
  /** One handle, the axes of the joint along coordinate axes of its link's parent. */
  readonly one: number;
  /** The same with axes in any direction; as `one` where left out. */
  readonly oneTurned?: number;
  /** Two handles: the mixed form. */
  readonly two: number;
}

/** Instructions of links in long chains (docs/speed.md); times of a two-core AMD EPYC, Node 20. */
export const ENGINE_CONSTANTS: EngineConstants = {
  instruction: 0.195,
  joints: [
    { kind: 'fixed', dof: 0, one: 1, two: 1 },
    { kind: 'revolute', dof: 1, one: 255, oneTurned: 430, two: 433.5 },
    { kind: 'prismatic', dof: 1, one: 60, oneTurned: 200, two: 120 },
    { kind: 'helical', dof: 1, one: 370, oneTurned: 540, two: 555 },
    { kind: 'cylindrical', dof: 2, one: 320, oneTurned: 490, two: 544 },
    { kind: 'universal', dof: 2, one: 580, oneTurned: 740, two: 928 },
    { kind: 'planar', dof: 3, one: 540, oneTurned: 890, two: 918 },
    { kind: 'spherical', dof: 3, one: 375, oneTurned: 530, two: 675 },
    { dof: 4, one: 400, two: 700 },
    { dof: 5, one: 400, two: 700 },
    { kind: 'floating', dof: 6, one: 340, oneTurned: 400, two: 680 },
  ],
  more: { quadratic: 100, linear: 560, constant: -200 },
  latency: 150,
  line: 10,
  call: 1.5,
};

/** The cost model of this engine: instructions of its code, and what handing over between threads takes. */
export function engineCost(constants: EngineConstants = ENGINE_CONSTANTS): CostModel {
  const microseconds = (instructions: number): number => (instructions * constants.instruction) / 1000;
  return {
    name: 'engine',
    counts: 'links',
    shared: {
      from: 3,
      quadratic: microseconds(constants.more.quadratic),
      linear: microseconds(constants.more.linear),
      constant: microseconds(constants.more.constant),
    },
    // There and back.
    handOver: (2 * constants.latency) / 1000,
    joint(dof, kind) {
      const entry =
        constants.joints.find((each) => kind !== undefined && each.kind === kind && each.dof === dof) ??
        constants.joints.find((each) => each.dof === dof);
      if (!entry) {
        throw new ScheduleError('bad-cost', `The engine cost model has no entry for ${dof} degrees of freedom.`, {
          field: 'joints',
          expected: `an entry with dof ${dof}`,
          found: 'none',
        });
      }
      return { own: microseconds(entry.one), inner: microseconds(entry.two - entry.one) };
    },
  };
}

/**
 * A cost model applied to one mechanism, in integers ("ticks"). Equal costs then compare equal whatever the order of
 * their sum, so ties are broken by index and never by rounding. Decimal constants of up to nine digits are exact.
 */
export interface CostTable {
  readonly counts: 'joints' | 'links';
  readonly own: Float64Array;
  readonly inner: Float64Array;
  readonly handOver: number;
  readonly minOwn: number;
  /** Least own + inner. */
  readonly minInnerOwn: number;
  readonly maxInner: number;
  shared(handles: number): number;
  /** Cost of a node, [002] eq. 11. */
  cost(joint: number, handles: number): number;
  /**
   * Cost of a node that closes a loop within one part. `handles` are those of the part: after closing where the model
   * counts joints, as in [002] eq. 11; before it where it counts links, since that is the form the loop is closed in.
   */
  closingCost(joint: number, handles: number): number;
  toTime(ticks: number): number;
}

const MOST_TICKS = 2 ** 52;
/** Significant digits kept of the dearest node: far below the noise of any measurement. */
const DIGITS = 9;
/** Closing a loop needs the response at both of its ends and at the part's own handle: inverse-inertia form. */
const LOOP_HANDLES = 3;

function finite(value: number, field: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new ScheduleError('bad-cost', `The cost constant "${field}" is ${value}; expected a finite number.`, {
      field,
      expected: 'finite number',
      found: String(value),
    });
  }
  return value;
}

function notNegative(value: number, field: string, joint?: number): number {
  if (finite(value, field) < 0) {
    const where = joint === undefined ? '' : ` of joint ${joint}`;
    throw new ScheduleError('bad-cost', `The cost "${field}"${where} is ${value}; a cost must not be negative.`, {
      field,
      expected: '>= 0',
      found: String(value),
      ...(joint === undefined ? {} : { joint }),
    });
  }
  return value;
}

/** The exact rules of single-process.ts need a cost that never falls as handles are added. */
function checkShared(model: CostModel): void {
  const { from, quadratic, linear, constant } = model.shared;
  notNegative(quadratic, 'quadratic in handles');
  notNegative(linear, 'linear in handles');
  finite(constant, 'constant in handles');
  if (model.counts === 'joints') {
    if (constant !== 0 || from > 1) {
      throw new ScheduleError('bad-cost', 'A cost that counts joints must be a N_O^2 + b N_O for every N_O.', {});
    }
  } else {
    if (from < 3)
      throw new ScheduleError('bad-cost', 'A cost that counts links adds to nodes of 3 or more handles only.', {});
    notNegative(quadratic * from * from + linear * from + constant, 'three or more handles');
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Checks a model against a mechanism and turns it into ticks. `processors` only guards against overflow of sums. */
export function costTable(model: CostModel, graph: LinkGraph, processors: number): CostTable {
  checkShared(model);
  notNegative(model.handOver, 'handOver');
  const own = new Float64Array(graph.joints);
  const inner = new Float64Array(graph.joints);
  let dearest = model.handOver;
  // Most neighbours of a large mechanism are alike: all that differs from the joint before it begins a run.
  const runs: number[] = [];
  for (let joint = 0; joint < graph.joints; joint++) {
    if (joint > 0 && graph.dof[joint] === graph.dof[joint - 1] && graph.kind[joint] === graph.kind[joint - 1]) continue;
    runs.push(joint);
    const share = model.joint(graph.dof[joint], graph.kind[joint]);
    own[joint] = notNegative(share.own, 'cost of a joint', joint);
    inner[joint] = notNegative(share.inner, 'second handle', joint);
    dearest = Math.max(dearest, own[joint] + inner[joint]);
  }
  const { from, quadratic, linear, constant } = model.shared;
  const most = graph.joints + 1;
  const largestSum =
    8 * (graph.joints + processors) * (dearest + quadratic * most * most + linear * most + Math.abs(constant));
  if (!Number.isFinite(largestSum)) {
    throw new ScheduleError('bad-cost', 'The cost constants are too large to be added up.', {
      expected: 'sums below 1e308',
    });
  }
  const exponent = Math.min(
    Math.floor(Math.log10(MOST_TICKS / Math.max(largestSum, Number.MIN_VALUE))),
    DIGITS - Math.ceil(Math.log10(Math.max(dearest + quadratic + linear, 1e-300))),
  );
  const decimal = 10 ** Math.max(-300, Math.min(300, exponent));
  let tick = 0; // the largest unit of which every constant is a multiple: searches by bisection take fewer steps
  const measureBy = (each: number): void => {
    tick = greatestCommonDivisor(tick, Math.round(Math.abs(each) * decimal));
  };
  for (const each of [quadratic, linear, constant, model.handOver]) measureBy(each);
  for (const joint of runs) {
    measureBy(own[joint]);
    measureBy(inner[joint]);
  }
  tick ||= 1;
  const ticks = (time: number): number => Math.round(time * decimal) / tick;

  let [minOwn, minInnerOwn, maxInner] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  runs.forEach((joint, k) => {
    const [ownTicks, innerTicks] = [ticks(own[joint]), ticks(inner[joint])];
    own.fill(ownTicks, joint, runs[k + 1]);
    inner.fill(innerTicks, joint, runs[k + 1]);
    minOwn = Math.min(minOwn, ownTicks);
    minInnerOwn = Math.min(minInnerOwn, ownTicks + innerTicks);
    maxInner = Math.max(maxInner, innerTicks);
  });
  const [quadraticTicks, linearTicks, constantTicks] = [ticks(quadratic), ticks(linear), ticks(constant)];
  const shared = (handles: number): number =>
    handles < from ? 0 : (quadraticTicks * handles + linearTicks) * handles + constantTicks;
  const cost = (joint: number, handles: number): number =>
    own[joint] + (handles >= 2 ? inner[joint] : 0) + shared(handles);
  return {
    counts: model.counts,
    own,
    inner,
    handOver: ticks(model.handOver),
    minOwn,
    minInnerOwn,
    maxInner,
    shared,
    cost,
    closingCost: (joint, handles) => cost(joint, model.counts === 'joints' ? handles : Math.max(handles, LOOP_HANDLES)),
    toTime: (amount) => (amount * tick) / decimal,
  };
}
