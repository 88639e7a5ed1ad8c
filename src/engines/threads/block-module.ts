// The code of an assembly (blocks.ts) and its place in memory. One module holds a function for each phase of each shape
// of block, and for each segment the calls that make up what its thread does between two meetings with others:
//
//   spin    the first phase of its blocks; of two segments at once where they are twins (block-twins.ts), as all that follows
//   gather  angular velocity of its base, motions, inertias of all that waits for nobody
//   join    the rest, after the segments it waits for
//   meet    a part at its port taken in, after that has come up; for each of those that it takes in
//   fetch   the records of a meeting of others on its way down, brought here before they are needed
//   answer  the acceleration of its base and the force at its port, through all the meetings on its way down
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
  childArray,
  FINISH,
  FOLLOW,
  FORCE,
  GATHER,
  JOIN,
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
import { MEET_NUMBERS, type MeetSizes } from '../../formulas/join.js';
import { Q as Q_ARRAY, QDD, TAU, V as V_ARRAY } from '../../formulas/links.js';
import { partLayout } from '../../formulas/part-record.js';
import { CONSTANT_BYTES, callWith, ModuleWriter, NUMBER, rowLength, type Shape, SLOTS } from './block-code.js';
import type { Assembly, Lane } from './blocks.js';

/** What a segment's thread does besides meetings, in order. */
const STEPS = ['spin', 'gather', 'join', 'lead', 'follow'] as const;
export type Step = (typeof STEPS)[number];
/** The function of the module for a step of segment s. */
export const stepName = (step: Step, s: number): string => `${step}${s}`;
/** What segment s takes in as number k of its parts. */
export const meetName = (s: number, k: number): string => `meet${s}_${k}`;
/** Turn k on the way down to segment s. */
export const fetchName = (s: number, k: number): string => `fetch${s}_${k}`;
export const answerName = (s: number): string => `answer${s}`;
export const FINISH_NAME = 'finish';

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
  /** Different shapes of blocks, and operations of one call, by segment. */
  readonly shapes: number;
  readonly instructions: readonly number[];
}

/** Apart enough that neighbours are never fetched together. */
const APART = 128;
/** Between what different threads write: processors fetch ahead, over the ends of pages of 4096 bytes as well. */
const FAR_APART = 1 << 15;
const FUNCTION_SIZE = 400;

/** What is found at a turn on the way down: a base, as in BASE_RECORD, and a force. */
const TURN = { force: 12, size: 18 } as const;

const aligned = (address: number): number => APART * Math.ceil(address / APART);

export function blockModule(assembly: Assembly, functionSize = FUNCTION_SIZE): BlockModule {
  const { blocks, segments, rooted } = assembly;
  let top = APART;
  const take = (bytes: number): number => {
    const at = top;
    top = aligned(top + bytes);
    return at;
  };
  const leaveGap = (): void => {
    top += FAR_APART;
  };
  const q = take(NUMBER * rooted.plan.nq);
  const [v, tau, qdd] = [0, 0, 0].map(() => take(NUMBER * rooted.plan.nv));
  const writer = new ModuleWriter(take(CONSTANT_BYTES), functionSize);

  // Records of a segment stand together.
  const scratchFrom = top;
  const records = blocks.map(() => ({ base: 0, up: 0, rel: 0, rise: 0 }));
  /** For each segment: its part after each meeting, records of the meetings, the force at the ground, and what is on its way. */
  const meetings = segments.map(() => ({ parts: [0], meets: [0], force: 0, turns: [0], hop: 0 }));
  segments.forEach((segment, s) => {
    leaveGap();
    for (const b of segment.blocks)
      records[b] = {
        base: take(NUMBER * BASE_RECORD.size),
        up: take(NUMBER * partLayout(blocks[b].block.handle, blocks[b].block.port).size),
        rel: take(NUMBER * REL_RECORD.size),
        rise: take(NUMBER * 4),
      };
    const { up } = records[segment.blocks[0]];
    const { joins } = segment;
    meetings[s] = {
      parts: [up, ...joins.map(({ sizes: { handle, port } }) => take(NUMBER * partLayout(handle, port).size))],
      meets: joins.map(() => take(NUMBER * MEET_NUMBERS)),
      force: take(NUMBER * 6),
      turns: segment.path.map(() => take(NUMBER * TURN.size)),
      hop: take(NUMBER * 8),
    };
  });

  /** Both at once: on the ground, when nothing more is to come. */
  const atOnce = ({ handle, port }: MeetSizes): boolean => handle === 0 && port === 0;
  const baseOf = (s: number): number => records[segments[s].blocks[0]].base;
  /** The way down to each segment: what meetDown is called with at each turn, and where the force at its port ends up. */
  const descents = segments.map(({ path, row }, s) => {
    let base = baseOf(row);
    let force = base + NUMBER * BASE_RECORD.force;
    const lastBelow = path.findLastIndex(({ below }) => below);
    const calls = path.map(({ taker, k, below }, i) => {
      const { joins, twin } = segments[taker];
      const { part, sizes } = joins[k];
      const { parts, meets, force: atGround } = meetings[taker];
      const found = meetings[s].turns[i];
      const whole = atOnce(sizes);
      // What a segment finds at its meeting with its twin is what the twin needs, too.
      const direct = whole || (taker === s && part === twin);
      const to = direct ? baseOf(part) : below && i === lastBelow ? baseOf(s) : found;
      const at = whole ? atGround : found + NUMBER * TURN.force;
      const records = [parts[k], meetings[part].parts.at(-1)!, meets[k]] as const;
      const call = { sizes, whole, records, addresses: [...records, base, to, at, force] };
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
    const own = records[b];
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
      values[childArray(k, CHILD_BASE)] = records[child].base;
      // Of another segment, what it has become after its last meeting.
      const { segment: other } = blocks[child];
      values[childArray(k, CHILD_UP)] = other === segment ? records[child].up : meetings[other].parts.at(-1)!;
      values[childArray(k, CHILD_REL)] = records[child].rel;
      values[childArray(k, CHILD_RISE)] = records[child].rise;
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
  for (const { lanes, carried } of segments)
    for (const [b, other] of carried ? [] : lanes)
      if (other === undefined) users.set(names[b], (users.get(names[b]) ?? 0) + 1);
  /** For each block, or the first of two in the lanes of vectors: its code, and the rows that this takes. */
  const codes: Shape[] = [];
  const rows: number[][] = [];
  const tables: { at: number; values: Int32Array }[] = [];
  for (const { lanes, carried } of segments) {
    if (carried) continue;
    leaveGap();
    for (const lane of lanes) {
      const [b, other] = lane;
      const values = lane.map((one) => addresses(one));
      const alone = other === undefined && users.get(names[b]) === 1;
      codes[b] =
        other === undefined
          ? writer.shape(names[b], blocks[b].block, alone ? { addresses: values[0], slotsAt: top } : undefined)
          : writer.twin(names[b], blocks[b].block);
      values[0][SLOTS] = take(codes[b].slotBytes);
      rows[b] = alone ? [] : values.map((row) => take(4 * row.length));
      for (const [k, at] of rows[b].entries()) tables.push({ at, values: values[k] });
    }
  }
  // Rows stand between the slots: they are written after memory has been filled, in tests.
  const scratch: [number, number] = [scratchFrom, top];

  const call = (body: B.Bytes, [b]: Lane, phase: number): void => {
    for (const code of codes[b].phases[phase]) callWith(body, code, rows[b]);
  };
  const add = (name: string, code: (body: B.Bytes) => void): void => {
    const body = new B.Bytes().byte(0);
    code(body);
    writer.functions.push({ parameters: 0, body: body.byte(B.END), name });
  };
  segments.forEach((segment, s) => {
    const { lanes, carried, twin, joins } = segment;
    const waits = ([b]: Lane): boolean => blocks[b].block.children.some((child) => child.waits);
    const own = carried ? [] : lanes;
    const inwards = [...own].reverse();
    // Of two that are computed together all blocks know their angular velocity from the base.
    const spinOrder = twin < 0 ? segment.spinOrder.map((b): Lane => [b]) : own;
    const { parts, meets, force, hop } = meetings[s];
    const meet = (body: B.Bytes, k: number): void => {
      const { part, sizes } = joins[k];
      const below = meetings[part].parts.at(-1)!;
      if (part !== twin)
        callWith(body, writer.touch, [below, below + NUMBER * partLayout(sizes.at, sizes.port).size, hop]);
      if (atOnce(sizes)) callWith(body, writer.meetGround(sizes.at), [parts[k], below, baseOf(part), force]);
      else callWith(body, writer.meetUp(sizes), [parts[k], below, meets[k], parts[k + 1]]);
    };
    const spinAt = (base: number): number => base + NUMBER * BASE_RECORD.w;
    const findSpin = (body: B.Bytes): void =>
      writer.hops(body, segment, spinAt(baseOf(s)), hop, (other) => {
        const { rel, rise } = records[segments[other].blocks[0]];
        return { rel, rise };
      });
    const waitsAtAll = own.some(waits);
    const write: { readonly [step in Step]: (body: B.Bytes) => void } = {
      spin: (body) => {
        for (const lane of carried ? [] : spinOrder) call(body, lane, SPIN);
      },
      gather: (body) => {
        if (!carried) findSpin(body);
        // The twin hangs from this one: a step further.
        if (twin >= 0) writer.hop(body, [baseOf(s), baseOf(twin)].map(spinAt), records[segments[twin].blocks[0]].rel);
        for (const lane of own) call(body, lane, MOVE);
        for (const lane of inwards) {
          call(body, lane, GATHER);
          if (!waits(lane)) call(body, lane, JOIN);
        }
        if (twin >= 0 && !waitsAtAll) meet(body, 0);
      },
      join: (body) => {
        for (const lane of inwards) if (waits(lane)) call(body, lane, JOIN);
        if (twin >= 0 && waitsAtAll) meet(body, 0);
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
      if (part !== twin)
        add(meetName(s, k), (body) => {
          meet(body, k);
        });
    const { calls } = descents[s];
    calls.forEach(({ sizes: { handle, at, port }, whole, records: [upper, lower, meet] }, k) => {
      if (whole || segment.path[k].taker === s) return;
      add(fetchName(s, k), (body) => {
        callWith(body, writer.touch, [upper, upper + NUMBER * partLayout(handle, at).size, hop]);
        callWith(body, writer.touch, [lower, lower + NUMBER * partLayout(at, port).size, hop]);
        callWith(body, writer.touch, [meet, meet + NUMBER * at * at, hop]);
      });
    });
    add(answerName(s), (body) => {
      for (const { sizes, whole, addresses } of carried ? [] : calls)
        if (!whole) callWith(body, writer.meetDown(sizes), addresses);
    });
  });
  add(FINISH_NAME, (body) => {
    const balls = segments.filter(({ handle }) => handle === 3).map(({ blocks: [first] }) => first);
    for (const b of balls) {
      const at = (offset: number): number => records[b].base + NUMBER * offset;
      callWith(body, writer.touch, [at(BASE_RECORD.turn), at(BASE_RECORD.size), meetings[0].hop]);
    }
    const lanes = segments.flatMap(({ lanes, carried }) => (carried ? [] : lanes));
    for (const lane of lanes) if (lane.some((b) => balls.includes(b))) call(body, lane, FINISH);
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
    shapes: writer.shapes,
    instructions: segments.map(({ lanes, carried }) =>
      (carried ? [] : lanes).reduce((sum, [b]) => sum + codes[b].instructions, 0),
    ),
  };
}
