// The code of an assembly (blocks.ts) and its place in memory. One module holds a function for each phase of each shape
// of block, and for each segment the calls that make up what its thread does between two hand-overs:
//
//   spin    the first phase of its blocks; of two segments at once where they share vectors (lane-partners.ts), as all that follows
//   gather  angular velocity of its base, motions, inertias of all that waits for nobody
//   complete the rest, after the segments it waits for
//   join    a part at its port joined to it, after that has been assembled; for each of its joins
//   fetch   the records of a join of others on its way down, brought here before they are needed
//   answer  the acceleration of its base and the force at its port, through all the joins on its way down
//   lead    accelerations on the way to the segments it waited for
//   follow  all others
//
// and for all together, when all of that is done, what is left for ball joints at which segments meet: finish.

import * as B from '../../emit/bytes.js';
import { encodeModule } from '../../emit/module.js';
import {
  BASE,
  BASE_RECORD,
  CHILD_BASE,
  CHILD_Q,
  CHILD_REL,
  CHILD_RISE,
  CHILD_TAU,
  CHILD_UP,
  COMPLETE,
  childArray,
  FINISH,
  FOLLOW,
  FORCE,
  GATHER,
  LEAD,
  MOVE,
  REL,
  REL_RECORD,
  RISE,
  SOURCE_Q,
  SOURCE_QDD,
  SOURCE_TAU,
  SOURCE_V,
  SPIN,
  UP,
} from '../../formulas/block-records.js';
import { addCounts, type OperationCount } from '../../formulas/graph.js';
import { JOIN_NUMBERS, type JoinSizes } from '../../formulas/join.js';
import { Q as Q_ARRAY, QDD, TAU, V as V_ARRAY } from '../../formulas/links.js';
import { partLayout } from '../../formulas/part-record.js';
import { type BlockFunctions, CONSTANT_BYTES, callWith, ModuleWriter, NUMBER, rowLength, SLOTS } from './block-code.js';
import type { BlockAssembly, Lane } from './blocks.js';

/** What a segment's thread does besides joins, in order. */
const STEPS = ['spin', 'gather', 'complete', 'lead', 'follow'] as const;
export type SegmentStep = (typeof STEPS)[number];
/** The function of the module for a step of segment s. */
export const stepName = (step: SegmentStep, s: number): string => `${step}${s}`;
/** Join number k of segment s. */
export const joinName = (s: number, k: number): string => `join${s}_${k}`;
/** Join k on the way down to segment s. */
export const fetchName = (s: number, k: number): string => `fetch${s}_${k}`;
export const answerName = (s: number): string => `answer${s}`;
export const FINISH_NAME = 'finishBalls';
/** All of it, on one thread: the same calls in the same order. */
export const RUN_NAME = 'run';

/** Where q, v, tau and qdd stand, and the first free address. */
export interface ModulePlace {
  readonly q: number;
  readonly v: number;
  readonly tau: number;
  readonly qdd: number;
  readonly top: number;
}

export interface BlockModule {
  /** The module, for memory that is shared or not. */
  readonly bytes: (shared: boolean) => Uint8Array<ArrayBuffer>;
  readonly memoryBytes: number;
  /** Addresses of q, v, tau and qdd. */
  readonly q: number;
  readonly v: number;
  readonly tau: number;
  readonly qdd: number;
  /** Numbers to be written into memory before the first call, 32-bit, from an address on. */
  readonly tables: readonly { readonly at: number; readonly values: Int32Array }[];
  /** Stretches of memory that hold intermediate values only. */
  readonly scratch: readonly (readonly [number, number])[];
  /** The part of it where no address stands. */
  readonly records: readonly [number, number];
  /** Of each segment, where its records stand. */
  readonly places: readonly SegmentPlaces[];
  /** Different shapes of blocks, and instructions of one call, by segment. */
  readonly shapes: number;
  readonly instructions: readonly number[];
  /** Operations of one call, of all segments, without joins. */
  readonly operations: OperationCount;
}

/** Addresses of a segment's records: what others have to be told where memory is not shared. */
export interface SegmentPlaces {
  /** BASE_RECORD, REL_RECORD and the angular velocity from below, of its first block. */
  readonly base: number;
  readonly rel: number;
  readonly rise: number;
  /** The part that it is before its joins and after each of them, and the records of the joins (JOIN_NUMBERS). */
  readonly parts: readonly number[];
  readonly joins: readonly number[];
  /** The force that a join on the ground finds. */
  readonly force: number;
}

/** Apart enough that neighbours are never fetched together. */
const APART = 128;
/** Between what different threads write: processors fetch ahead, over the ends of pages of 4096 bytes as well. */
const FAR_APART = 1 << 15;
const FUNCTION_SIZE = 400;

/** What is found at a join on the way down: a base, as in BASE_RECORD, and a force. */
const PATH_RECORD = { force: 12, size: 18 } as const;

const aligned = (address: number): number => APART * Math.ceil(address / APART);

/** `place`: in memory that has the arrays already, for one thread; left out, in memory of its own. */
export function blockModule(assembly: BlockAssembly, place?: ModulePlace): BlockModule {
  const { blocks, segments, rooted } = assembly;
  let top = aligned(place?.top ?? APART);
  const take = (bytes: number): number => {
    const at = top;
    top = aligned(top + bytes);
    return at;
  };
  const leaveGap = (): void => {
    top += FAR_APART;
  };
  const q = place?.q ?? take(NUMBER * rooted.plan.nq);
  const [v, tau, qdd] = (['v', 'tau', 'qdd'] as const).map((name) => place?.[name] ?? take(NUMBER * rooted.plan.nv));
  const writer = new ModuleWriter(take(CONSTANT_BYTES), FUNCTION_SIZE);

  // Records of a segment stand together.
  const scratchFrom = top;
  const blockRecords = blocks.map(() => ({ base: 0, up: 0, rel: 0, rise: 0 }));
  /** For each segment: its part after each join, records of the joins, the force at the ground, and what is on its way. */
  const joinPlaces = segments.map(() => ({ parts: [0], joins: [0], force: 0, path: [0], velocity: 0 }));
  segments.forEach((segment, s) => {
    leaveGap();
    for (const b of segment.blocks)
      blockRecords[b] = {
        base: take(NUMBER * BASE_RECORD.size),
        up: take(NUMBER * partLayout(blocks[b].block.handle, blocks[b].block.port).size),
        rel: take(NUMBER * REL_RECORD.size),
        rise: take(NUMBER * 4),
      };
    const { up } = blockRecords[segment.blocks[0]];
    const { joins } = segment;
    joinPlaces[s] = {
      parts: [up, ...joins.map(({ sizes: { handle, port } }) => take(NUMBER * partLayout(handle, port).size))],
      joins: joins.map(() => take(NUMBER * JOIN_NUMBERS)),
      force: take(NUMBER * 6),
      path: segment.path.map(() => take(NUMBER * PATH_RECORD.size)),
      velocity: take(NUMBER * 8),
    };
  });

  const recordsEnd = top;

  /** Both at once: on the ground, when nothing more is to come. */
  const atOnce = ({ handle, port }: JoinSizes): boolean => handle === 0 && port === 0;
  const baseOf = (s: number): number => blockRecords[segments[s].blocks[0]].base;
  /** The way down to each segment: what joinDown is called with at each join, and where the force at its port ends up. */
  const descents = segments.map(({ path, row }, s) => {
    let base = baseOf(row);
    let force = base + NUMBER * BASE_RECORD.force;
    const lastBelow = path.findLastIndex(({ below }) => below);
    const calls = path.map(({ upper, k, below }, i) => {
      const { joins, partner } = segments[upper];
      const { part, sizes } = joins[k];
      const { parts, joins: records, force: atGround } = joinPlaces[upper];
      const found = joinPlaces[s].path[i];
      const whole = atOnce(sizes);
      // What a segment finds at the join with its partner is what the partner needs, too.
      const direct = whole || (upper === s && part === partner);
      const to = direct ? baseOf(part) : below && i === lastBelow ? baseOf(s) : found;
      const at = whole ? atGround : found + NUMBER * PATH_RECORD.force;
      const read = [parts[k], joinPlaces[part].parts.at(-1)!, records[k]] as const;
      const call = { sizes, whole, read, addresses: [...read, base, to, at, force] };
      if (below) base = to;
      force = below ? to + NUMBER * BASE_RECORD.force : at;
      return call;
    });
    return { calls, force };
  });

  /** Addresses of the arrays of a block; its slots are added where they are known. */
  const addresses = (b: number): Int32Array => {
    const { block, iq, iv, segment, children } = blocks[b];
    const values = new Int32Array(rowLength(block));
    const own = blockRecords[b];
    values[Q_ARRAY] = q + NUMBER * iq;
    values[V_ARRAY] = v + NUMBER * iv;
    values[TAU] = tau + NUMBER * iv;
    values[QDD] = qdd + NUMBER * iv;
    const { source } = rooted;
    if (source !== undefined) {
      values[SOURCE_Q] = q + NUMBER * source.iq;
      values[SOURCE_V] = v + NUMBER * source.iv;
      values[SOURCE_TAU] = tau + NUMBER * source.iv;
      values[SOURCE_QDD] = qdd + NUMBER * source.iv;
    }
    values[BASE] = own.base;
    values[UP] = own.up;
    values[REL] = own.rel;
    values[RISE] = own.rise;
    values[FORCE] = descents[segment].force;
    children.forEach((child, k) => {
      values[childArray(k, CHILD_BASE)] = blockRecords[child].base;
      // Of another segment, what it has become after its last join.
      const { segment: other } = blocks[child];
      values[childArray(k, CHILD_UP)] = other === segment ? blockRecords[child].up : joinPlaces[other].parts.at(-1)!;
      values[childArray(k, CHILD_REL)] = blockRecords[child].rel;
      values[childArray(k, CHILD_RISE)] = blockRecords[child].rise;
      const below = blocks[child];
      const [first] = below.block.plan.links;
      values[childArray(k, CHILD_Q)] = q + NUMBER * (below.iq + first.iq);
      values[childArray(k, CHILD_TAU)] = tau + NUMBER * (below.iv + first.iv);
    });
    return values;
  };

  // Code that only one block uses has the addresses in it, which makes it a fifth faster; shared code takes a row of them.
  const names = blocks.map(({ block }) => JSON.stringify(block));
  const users = new Map<string, number>();
  for (const { lanes, inSecondLane } of segments)
    for (const [b, other] of inSecondLane ? [] : lanes)
      if (other === undefined) users.set(names[b], (users.get(names[b]) ?? 0) + 1);
  /** For each block, or the first of two in the lanes of vectors: its code, and the rows that this takes. */
  const codes: BlockFunctions[] = [];
  const rows: number[][] = [];
  const tables: { at: number; values: Int32Array }[] = [];
  for (const { lanes, inSecondLane } of segments) {
    if (inSecondLane) continue;
    leaveGap();
    for (const lane of lanes) {
      const [b, other] = lane;
      const values = lane.map((one) => addresses(one));
      const alone = other === undefined && users.get(names[b]) === 1;
      codes[b] =
        other === undefined
          ? writer.shape(names[b], blocks[b].block, alone ? { addresses: values[0], slotsAt: top } : undefined)
          : writer.pair(
              lane.map((one) => names[one]),
              lane.map((one) => blocks[one].block),
            );
      values[0][SLOTS] = take(codes[b].slotBytes);
      rows[b] = alone ? [] : values.map((row) => take(4 * row.length));
      for (const [k, at] of rows[b].entries()) tables.push({ at, values: values[k] });
    }
  }
  // Rows of addresses stand between the slots: they are written after memory has been filled, in tests.
  const scratch: [number, number] = [scratchFrom, top];

  const call = (body: B.Bytes, [b]: Lane, phase: number): void => {
    for (const code of codes[b].phases[phase]) callWith(body, code, rows[b]);
  };
  const numberOf = new Map<string, number>();
  const add = (name: string, code: (body: B.Bytes) => void): void => {
    const body = new B.Bytes().byte(0);
    code(body);
    numberOf.set(name, writer.functions.push({ parameters: 0, body: body.byte(B.END), name }) - 1);
  };
  segments.forEach((segment, s) => {
    const { lanes, inSecondLane, partner, joins } = segment;
    const waits = ([b]: Lane): boolean => blocks[b].block.children.some((child) => child.waits);
    const own = inSecondLane ? [] : lanes;
    const inwards = [...own].reverse();
    // Of two segments that are computed together all blocks know their angular velocity from the base; where blocks of one
    // segment are, it comes from the source, up to the root.
    const pairs = own.some((lane) => lane.length === 2);
    const spinOrder =
      partner >= 0
        ? own
        : pairs
          ? inwards.filter(([b]) => segment.spinOrder.includes(b))
          : segment.spinOrder.map((b): Lane => [b]);
    const { parts, joins: records, force, velocity } = joinPlaces[s];
    const join = (body: B.Bytes, k: number): void => {
      const { part, sizes } = joins[k];
      const below = joinPlaces[part].parts.at(-1)!;
      if (part !== partner)
        callWith(body, writer.prefetch, [below, below + NUMBER * partLayout(sizes.at, sizes.port).size, velocity]);
      if (atOnce(sizes)) callWith(body, writer.joinGround(sizes.at), [parts[k], below, baseOf(part), force]);
      else callWith(body, writer.joinUp(sizes), [parts[k], below, records[k], parts[k + 1]]);
    };
    const spinAt = (base: number): number => base + NUMBER * BASE_RECORD.w;
    const findSpin = (body: B.Bytes): void =>
      writer.baseVelocity(body, segment, spinAt(baseOf(s)), velocity, (other) => {
        const { rel, rise } = blockRecords[segments[other].blocks[0]];
        return { rel, rise };
      });
    const waitsAtAll = own.some(waits);
    const write: { readonly [step in SegmentStep]: (body: B.Bytes) => void } = {
      spin: (body) => {
        for (const lane of inSecondLane ? [] : spinOrder) call(body, lane, SPIN);
      },
      gather: (body) => {
        if (!inSecondLane) findSpin(body);
        // The partner hangs from this one: a step further.
        if (partner >= 0) {
          const { rel } = blockRecords[segments[partner].blocks[0]];
          writer.childVelocity(body, [baseOf(s), baseOf(partner)].map(spinAt), rel);
        }
        for (const lane of own) call(body, lane, MOVE);
        for (const lane of inwards) {
          call(body, lane, GATHER);
          if (!waits(lane)) call(body, lane, COMPLETE);
        }
        if (partner >= 0 && !waitsAtAll) join(body, 0);
      },
      complete: (body) => {
        for (const lane of inwards) if (waits(lane)) call(body, lane, COMPLETE);
        if (partner >= 0 && waitsAtAll) join(body, 0);
      },
      lead: (body) => {
        for (const lane of own) if (waits(lane)) call(body, lane, LEAD);
      },
      follow: (body) => {
        for (const lane of own) {
          if (!waits(lane)) call(body, lane, LEAD);
          call(body, lane, FOLLOW);
        }
      },
    };
    for (const step of STEPS) add(stepName(step, s), write[step]);
    for (const [k, { part }] of joins.entries())
      if (part !== partner)
        add(joinName(s, k), (body) => {
          join(body, k);
        });
    const { calls } = descents[s];
    calls.forEach(({ sizes: { handle, at, port }, whole, read: [upper, lower, joined] }, k) => {
      if (whole || segment.path[k].upper === s) return;
      add(fetchName(s, k), (body) => {
        callWith(body, writer.prefetch, [upper, upper + NUMBER * partLayout(handle, at).size, velocity]);
        callWith(body, writer.prefetch, [lower, lower + NUMBER * partLayout(at, port).size, velocity]);
        callWith(body, writer.prefetch, [joined, joined + NUMBER * at * at, velocity]);
      });
    });
    add(answerName(s), (body) => {
      for (const { sizes, whole, addresses } of inSecondLane ? [] : calls)
        if (!whole) callWith(body, writer.joinDown(sizes), addresses);
    });
  });
  add(FINISH_NAME, (body) => {
    const balls = segments.filter(({ handle }) => handle === 3).map(({ blocks: [first] }) => first);
    for (const b of balls) {
      const at = (offset: number): number => blockRecords[b].base + NUMBER * offset;
      callWith(body, writer.prefetch, [at(BASE_RECORD.turn), at(BASE_RECORD.size), joinPlaces[0].velocity]);
    }
    const lanes = segments.flatMap(({ lanes, inSecondLane }) => (inSecondLane ? [] : lanes));
    for (const lane of lanes) if (lane.some((b) => balls.includes(b))) call(body, lane, FINISH);
  });
  add(RUN_NAME, (body) => {
    const run = (name: string): void => callWith(body, numberOf.get(name)!, []);
    for (let s = 0; s < segments.length; s++) run(stepName('spin', s));
    for (let s = segments.length - 1; s >= 0; s--) {
      run(stepName('gather', s));
      run(stepName('complete', s));
      for (const [k, { part }] of segments[s].joins.entries()) if (part !== segments[s].partner) run(joinName(s, k));
    }
    for (let s = 0; s < segments.length; s++)
      for (const name of [answerName(s), stepName('lead', s), stepName('follow', s)]) run(name);
    run(FINISH_NAME);
  });
  const { constants, functions } = writer;
  if (constants.bytes > CONSTANT_BYTES) throw new RangeError(`${constants.bytes} bytes of constants`);
  return {
    bytes: (shared) =>
      encodeModule({
        functions,
        memoryBytes: top,
        shared,
        data: { at: constants.at, values: constants.values },
      }),
    memoryBytes: top,
    q,
    v,
    tau,
    qdd,
    tables,
    scratch: [scratch],
    records: [scratchFrom, recordsEnd],
    places: segments.map(({ blocks: [first] }, s) => ({ ...blockRecords[first], ...joinPlaces[s] })),
    shapes: writer.shapes,
    instructions: segments.map(({ lanes, inSecondLane }) =>
      (inSecondLane ? [] : lanes).reduce((sum, [b]) => sum + codes[b].operations.instructions, 0),
    ),
    operations: addCounts(
      segments.flatMap(({ lanes, inSecondLane }) => (inSecondLane ? [] : lanes).map(([b]) => codes[b].operations)),
    ),
  };
}
