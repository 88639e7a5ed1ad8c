// The program of a schedule for ranks, which share no memory: what each of them runs, and which records it sends to whom and
// waits for in between. All have the same code and the same addresses, so a message is a stretch of memory that becomes the
// same stretch elsewhere; one for each cut and direction, and one for all angular velocities that a rank tells another (in a round,
// where they are passed on).
//
//   spin     relations of angular velocities (REL_RECORD), from whoever finds them to all who need them on their way; and
//            position and force of a ball joint at a cut, to the segment above it
//   up       a part that is complete but for its handle and port, to whoever takes it in or waits for it
//   meet     a join, to all who find their own way down through it: both parts and Q of join.ts
//   ground   what the last join on the ground has found, to all of its row
//   told     acceleration of a base, to the row that hangs from it
//   turn     angular acceleration above a ball joint at a cut
//   gather   joint accelerations, to everybody
//
// Segments are taken in the order of threads (protocol.ts): children first on the way up, parents first on the way down. So
// somebody can always go on.

import { BASE_RECORD, REL_RECORD } from '../../formulas/block-records.js';
import { partLayout } from '../../formulas/part-record.js';
import { answerName, FINISH_NAME, joinName, RUN_NAME, type SegmentStep, stepName } from '../threads/block-module.js';
import type { ThreadProgram } from '../threads/program.js';

/** Numbers in memory: the address of the first, and how many. */
export interface MemoryPiece {
  readonly at: number;
  readonly count: number;
}

export interface RankMessage {
  readonly from: number;
  readonly to: number;
  readonly pieces: readonly MemoryPiece[];
}

/** What a rank does next: a function of the module, a message that it sends, or one that it waits for. */
export type RankOperation = { readonly run: string } | { readonly send: number } | { readonly wait: number };

/** Messages of all ranks, and what each rank does. */
export interface RankProgram {
  readonly messages: readonly RankMessage[];
  readonly operations: readonly (readonly RankOperation[])[];
}

/** Where the coordinates of a rank's joints stand in q, and in v, tau and qdd: first index and count, in order. */
export interface OwnedRanges {
  readonly q: readonly (readonly [number, number])[];
  readonly v: readonly (readonly [number, number])[];
}

const NUMBER = 8;
/** Numbers of an acceleration, of the force at a join, and of an angular acceleration. */
const [DELTA, FORCE, TURN] = [6, 6, 3];

/** A message on the way of a record from its writer to all readers; those of a round need those of the rounds before. */
interface Hop {
  readonly round: number;
  readonly from: number;
  readonly to: number;
}

/**
 * How a record gets to all its readers: at once, or passed on by those who have it already, twice as many in every round. Records of
 * neighbours then travel together: each of n ranks of a chain sends log n messages and not n.
 */
function hops(writer: number, readers: readonly number[], ranks: number, relayed: boolean): Hop[] {
  if (!relayed) return readers.map((to) => ({ round: 0, from: writer, to }));
  const after = (rank: number): number => (rank - writer + ranks) % ranks;
  const members = [writer, ...readers.toSorted((a, b) => after(a) - after(b))];
  return members.slice(1).map((to, k) => {
    const round = 31 - Math.clz32(k + 1);
    return { round, from: members[k + 1 - (1 << round)], to };
  });
}

/**
 * The step of all ranks, up to accelerations that each has of its own joints. `relayed`: records for many are passed on, where it takes
 * as long to hand a message over as it is under way.
 */
export function rankProgram(program: ThreadProgram, ranks: number, relayed = false): RankProgram {
  const { plan, made, segments: jobs } = program;
  const { segments } = plan.assembly;
  const rankOf = program.threadOf(ranks);
  if (rankOf.every((rank) => rank === 0)) {
    const all = Array.from({ length: ranks }, (_, rank): RankOperation[] => (rank === 0 ? [{ run: RUN_NAME }] : []));
    return { messages: [], operations: all };
  }
  /** Segments that hang by a ball joint from the port of another. */
  const balls = segments.flatMap(({ handle }, s) => (handle === 3 ? [s] : []));
  /** A message is named by who waits for it before it has a number, or after. */
  const operations: (RankOperation | { readonly awaits: string })[][] = Array.from({ length: ranks }, () => []);
  const jobOf = new Map<number, number>();
  for (const [job, { code }] of jobs.entries()) {
    jobOf.set(code, job);
    if (segments[code].partner >= 0) jobOf.set(segments[code].partner, job);
  }
  const rankOfSegment = (s: number): number => rankOf[jobOf.get(s)!];
  const { places } = made;
  const messages: RankMessage[] = [];
  const named = new Map<string, number>();
  const key = (name: string, s: number, from: number, to: number): string => `${name} ${s} ${from} ${to}`;
  const send = (name: string, s: number, from: number, to: number, pieces: readonly MemoryPiece[]): void => {
    const number = messages.push({ from, to, pieces }) - 1;
    named.set(key(name, s, from, to), number);
    operations[from].push({ send: number });
  };
  /** What ranks pass on before their ways down: in the order in which it comes to be, and all of it comes up. So nobody waits in a circle. */
  const passed: { readonly by: number; readonly awaits: string; readonly send: number }[] = [];
  const sendAll = (
    name: string,
    s: number,
    from: number,
    to: readonly number[],
    pieces: readonly MemoryPiece[],
  ): void => {
    for (const hop of hops(from, to, ranks, relayed)) {
      const number = messages.push({ from: hop.from, to: hop.to, pieces }) - 1;
      named.set(key(name, s, from, hop.to), number);
      if (hop.from === from) operations[from].push({ send: number });
      else passed.push({ by: hop.from, awaits: key(name, s, from, hop.from), send: number });
    }
  };
  const wait = (name: string, s: number, from: number, to: number): void => {
    if (from !== to) operations[to].push({ awaits: key(name, s, from, to) });
  };
  const each = (visit: (job: number, rank: number) => void, downwards: boolean): void => {
    const order = jobs.map((_, job) => job);
    for (const job of downwards ? order : order.reverse()) visit(job, rankOf[job]);
  };
  const membersOf = (row: number, but: number): number[] => [
    ...new Set(jobs.flatMap((job, j) => (job.row === row && rankOf[j] !== but ? [rankOf[j]] : []))),
  ];
  const step = (rank: number, name: SegmentStep, s: number): void =>
    void operations[rank].push({ run: stepName(name, s) });

  // ---- first phases, and who needs what they tell
  each((job, rank) => {
    if (jobs[job].spins) step(rank, 'spin', jobs[job].code);
  }, true);
  /** Position and force of a ball joint at the port of a segment: joints of another one. */
  const ballReads = (s: number): { readonly writer: number; readonly piece: MemoryPiece }[] =>
    balls
      .filter((ball) => jobOf.get(segments[ball].parent) === jobOf.get(s))
      .flatMap((ball) => {
        const { iq, iv, block } = plan.assembly.blocks[segments[ball].blocks[0]];
        const [{ iq: ownQ, iv: ownV, nq, nv }] = block.plan.links;
        const writer = rankOfSegment(ball);
        return [
          { writer, piece: { at: made.q + NUMBER * (iq + ownQ), count: nq } },
          { writer, piece: { at: made.tau + NUMBER * (iv + ownV), count: nv } },
        ];
      });
  /** Records on the way to the angular velocity of a segment's base, and who writes them. */
  const spinReads = (s: number): { readonly writer: number; readonly piece: MemoryPiece }[] => {
    const path = segments[s].velocityPath;
    if (path === undefined) return ballReads(s);
    const record = (segment: number, which: 'rel' | 'rise'): { writer: number; piece: MemoryPiece } => ({
      writer: rankOfSegment(which === 'rel' ? segments[segment].parent : segment),
      piece: { at: places[segment][which], count: which === 'rel' ? REL_RECORD.size : TURN },
    });
    const steps = path.steps.map(({ segment }) => record(segment, 'rel'));
    return [record(path.from.segment, path.from.record), ...steps, ...ballReads(s)];
  };
  /** Each record, who writes it, and all others who read it. */
  const read = new Map<
    number,
    { readonly writer: number; readonly piece: MemoryPiece; readonly readers: Set<number> }
  >();
  for (const [job, { code }] of jobs.entries())
    for (const { writer, piece } of spinReads(code)) {
      if (writer === rankOf[job]) continue;
      if (!read.has(piece.at)) read.set(piece.at, { writer, piece, readers: new Set() });
      read.get(piece.at)!.readers.add(rankOf[job]);
    }
  /** What one rank tells another in one go. */
  const told = new Map<string, Hop & { readonly pieces: MemoryPiece[] }>();
  for (const { writer, piece, readers } of read.values())
    for (const hop of hops(writer, [...readers], ranks, relayed)) {
      const name = `${hop.round} ${hop.from} ${hop.to}`;
      if (!told.has(name)) told.set(name, { ...hop, pieces: [] });
      told.get(name)!.pieces.push(piece);
    }
  const spinKey = (at: number, to: number): string => `spin ${at} ${to}`;
  for (const { from, to, pieces } of [...told.values()].sort((a, b) => a.round - b.round)) {
    for (const { at } of pieces)
      if (read.get(at)!.writer !== from) operations[from].push({ awaits: spinKey(at, from) });
    const number = messages.push({ from, to, pieces }) - 1;
    for (const { at } of pieces) named.set(spinKey(at, to), number);
    operations[from].push({ send: number });
  }

  // ---- up
  /** Who takes a part in, or waits for it: the job. */
  const consumer = new Map<number, number>();
  for (const [job, { waitsFor, joins }] of jobs.entries())
    for (const part of [...waitsFor, ...joins.map((join) => join.part)]) consumer.set(part, job);
  each((job, rank) => {
    const { code, waitsFor, joins, row } = jobs[job];
    for (const { writer, piece } of spinReads(code))
      if (writer !== rank) operations[rank].push({ awaits: spinKey(piece.at, rank) });
    step(rank, 'gather', code);
    for (const child of waitsFor) wait('up', child, rankOf[child], rank);
    if (waitsFor.length > 0) step(rank, 'complete', code);
    for (const { part, k } of joins) {
      wait('up', part, rankOf[part], rank);
      operations[rank].push({ run: joinName(code, k) });
      const { sizes, part: segment } = segments[code].joins[k];
      const whole = sizes.handle === 0 && sizes.port === 0;
      if (whole) {
        const pieces = [
          { at: places[segment].base, count: DELTA },
          { at: places[code].force, count: FORCE },
        ];
        sendAll('ground', part, rank, membersOf(row, rank), pieces);
        continue;
      }
      const pieces = [
        { at: places[code].parts[k], count: partLayout(sizes.handle, sizes.at).size },
        { at: places[segment].parts.at(-1)!, count: partLayout(sizes.at, sizes.port).size },
        { at: places[code].joins[k], count: sizes.at * sizes.at },
      ];
      const needy = jobs.flatMap(({ path }, j) => (path.some((met) => met.part === part) ? [rankOf[j]] : []));
      const others = [...new Set(needy)].filter((to) => to !== rank);
      sendAll('meet', part, rank, others, pieces);
    }
    const taker = consumer.get(job);
    if (taker === undefined || rankOf[taker] === rank) return;
    const join = jobs[taker].joins.find(({ part }) => part === job);
    const joined = join === undefined ? undefined : segments[jobs[taker].code].joins[join.k];
    const layout =
      joined === undefined ? partLayout(segments[code].handle, 0) : partLayout(joined.sizes.at, joined.sizes.port);
    const head = joined?.part ?? code;
    send('up', job, rank, rankOf[taker], [{ at: places[head].parts.at(-1)!, count: layout.size }]);
  }, false);

  for (const { by, awaits, send: number } of passed) operations[by].push({ awaits }, { send: number });

  // ---- down
  each((job, rank) => {
    const { code, waitsFor, path, row, answers } = jobs[job];
    for (const { part } of path) wait('meet', part, rankOf[consumer.get(part)!], rank);
    const head = jobs[row];
    if (!head.grounded) wait('told', row, rankOf[consumer.get(row)!], rank);
    else {
      const last = segments[head.code].joins.at(-1);
      const own = head.joins.at(-1);
      // A pair that shares vectors has joined itself: nobody else is in its row.
      if (last !== undefined && own !== undefined) wait('ground', own.part, rankOf[row], rank);
    }
    if (answers) operations[rank].push({ run: answerName(code) });
    if (waitsFor.length > 0) {
      step(rank, 'lead', code);
      for (const child of waitsFor)
        for (const to of membersOf(child, rank))
          send('told', child, rank, to, [{ at: places[jobs[child].code].base, count: DELTA }]);
    }
    step(rank, 'follow', code);
    for (const ball of balls) {
      const { parent } = segments[ball];
      if (jobOf.get(parent) !== job || rankOfSegment(ball) === rank) continue;
      const at = places[ball].base + NUMBER * BASE_RECORD.turn;
      send('turn', ball, rank, rankOfSegment(ball), [{ at, count: TURN }]);
    }
  }, true);
  for (const ball of balls) wait('turn', ball, rankOfSegment(segments[ball].parent), rankOfSegment(ball));
  // Of all ball joints at once: what it writes for joints of others is theirs to write.
  if (balls.length > 0) for (const list of operations) list.push({ run: FINISH_NAME });

  return {
    messages,
    operations: operations.map((list) => {
      const waited = new Set<number>();
      return list.flatMap((operation): RankOperation[] => {
        if (!('awaits' in operation)) return [operation];
        const number = named.get(operation.awaits)!;
        if (waited.has(number)) return [];
        waited.add(number);
        return [{ wait: number }];
      });
    }),
  };
}

/** Coordinates of each rank's joints. */
export function ownedRanges(program: ThreadProgram, ranks: number): OwnedRanges[] {
  const { rooted, blocks, segments } = program.plan.assembly;
  const rankOf = program.threadOf(ranks);
  const owner = new Map<number, number>();
  for (const [job, { code }] of program.segments.entries()) {
    owner.set(code, rankOf[job]);
    if (segments[code].partner >= 0) owner.set(segments[code].partner, rankOf[job]);
  }
  const found = Array.from({ length: ranks }, () => ({ q: [] as [number, number][], v: [] as [number, number][] }));
  const { source } = rooted;
  for (const { block, segment, iq, iv } of blocks) {
    const own = found[owner.get(segment)!];
    for (const link of block.plan.links) {
      if (block.base === 'free' && link.parent < 0) continue;
      own.q.push([iq + link.iq, link.nq]);
      own.v.push([iv + link.iv, link.nv]);
    }
    if (block.source !== undefined && source !== undefined) {
      own.q.push([source.iq, 7]);
      own.v.push([source.iv, 6]);
    }
  }
  return found.map(({ q, v }) => ({ q: merged(q), v: merged(v) }));
}

/** The same of processes with so many threads each. */
export function processRanges(owned: readonly OwnedRanges[], threads: number): OwnedRanges[] {
  return Array.from({ length: owned.length / threads }, (_, p) => {
    const own = owned.slice(threads * p, threads * (p + 1));
    return { q: merged(own.flatMap(({ q }) => q)), v: merged(own.flatMap(({ v }) => v)) };
  });
}

/** Every rank's numbers of an array at an address, told to all others. */
export function gatherProgram(
  owned: readonly OwnedRanges[],
  arrays: readonly { readonly at: number; readonly of: 'q' | 'v' }[],
): RankProgram {
  const messages: RankMessage[] = [];
  const operations: RankOperation[][] = owned.map(() => []);
  for (const [from, ranges] of owned.entries()) {
    const pieces = arrays.flatMap(({ at, of }) =>
      ranges[of].map(([first, count]) => ({ at: at + NUMBER * first, count })),
    );
    if (pieces.length === 0) continue;
    for (let turn = 1; turn < owned.length; turn++) {
      const to = (from + turn) % owned.length;
      operations[from].push({ send: messages.push({ from, to, pieces }) - 1 });
    }
  }
  for (const [number, { to }] of messages.entries()) operations[to].push({ wait: number });
  return { messages, operations };
}

/** Ranges in order, neighbours as one. */
function merged(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const result: [number, number][] = [];
  for (const [first, count] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (count === 0) continue;
    if (last !== undefined && last[0] + last[1] === first) last[1] += count;
    else result.push([first, count]);
  }
  return result;
}
