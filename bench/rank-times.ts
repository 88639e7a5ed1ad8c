// What ranks cost here (schedule/rank-constants.ts): messages there and back through the transport that programs use, and
// instructions of chains of several lengths while all ranks are at work. All ranks call this.

import type { MpiRanks } from '#src/engines/mpi/index.js';
import { Planner } from '#src/engines/threads/planner.js';
import { ThreadProgram } from '#src/engines/threads/program.js';
import { State } from '#src/mechanism/state.js';
import { builtinMechanism } from '#src/models/index.js';
import type { RankConstants } from '#src/schedule/rank-constants.js';

const BYTES = [8, 64, 512, 4096, 32_768, 262_144, 1_048_576];
/** Links of a rank: code in the caches, numbers in the second, in the third, beyond. */
const LINKS = [1024, 8192, 65_536];
/** Partners of rank 0 that are tried: the last is the farthest where hosts are filled one after the other. */
const PARTNERS = 8;
/** Milliseconds for a size of messages, and for a chain. */
const [MESSAGES_MS, CHAIN_MS] = [150, 400];

export interface RankTimes extends RankConstants {
  /** Nanoseconds of a message of 64 bytes between rank 0 and others. */
  readonly partners: readonly { readonly rank: number; readonly ns: number }[];
}

/** `most`: links of the longest chain. */
export function measureRanks(ranks: MpiRanks, most: number, progress: (fraction: number) => void): RankTimes {
  return rankMeter(ranks, most)(progress);
}

/** What measures, again and again: chains are made once. */
export function rankMeter(ranks: MpiRanks, most: number): (progress: (fraction: number) => void) => RankTimes {
  const last = ranks.ranks - 1;
  const others = Array.from({ length: Math.min(PARTNERS, last) }, (_, k) => last - k).reverse();
  const lengths = LINKS.filter((links, k) => k === 0 || links <= most);
  const chains = lengths.map((links) => chainOf(links));
  return (progress) => {
    const partners = others.map((rank) => ({ rank, ns: oneWay(ranks, rank, 64) }));
    // The slowest counts: a schedule does not know who is near.
    const slowest = partners.reduce((a, b) => (b.ns > a.ns ? b : a));
    const messages = BYTES.map((bytes, k) => {
      progress((0.3 * k) / BYTES.length);
      return { bytes, ns: oneWay(ranks, slowest.rank, bytes) };
    });
    ascending(messages);
    const instructions = lengths.map((links, k) => {
      progress(0.3 + (0.7 * k) / lengths.length);
      return { links, ns: instruction(ranks, chains[k]) };
    });
    return { partners, messages, instructions };
  };
}

/** The least of each: what was taken in turn on a machine that others use too. */
export function leastTimes(all: readonly RankTimes[]): RankTimes {
  const least = <T extends { readonly ns: number }>(of: (times: RankTimes) => readonly T[]): (T & { ns: number })[] =>
    of(all[0]).map((entry, k) => ({ ...entry, ns: Math.min(...all.map((times) => of(times)[k].ns)) }));
  const messages = least((times) => times.messages);
  ascending(messages);
  return { partners: least((times) => times.partners), messages, instructions: least((times) => times.instructions) };
}

/** No size takes less than a smaller one: what was measured otherwise was an accident. */
function ascending(messages: { ns: number }[]): void {
  for (let k = messages.length - 2; k >= 0; k--) messages[k].ns = Math.min(messages[k].ns, messages[k + 1].ns);
}

/** Nanoseconds of a message from rank 0 to another: half of the shortest time there and back. */
function oneWay(ranks: MpiRanks, partner: number, bytes: number): number {
  const { rank, transport } = ranks;
  const data = (): Float64Array => new Float64Array(new ArrayBuffer(bytes));
  const channels = transport.open([
    { from: 0, to: partner, count: bytes / 8, data: data() },
    { from: partner, to: 0, count: bytes / 8, data: data() },
  ]);
  const taking = (channel: number): void => {
    for (let waits = 0; !channels.arrived(channel); waits++) transport.idle(waits);
  };
  const leaving = (): void => {
    for (let waits = 0; !channels.sent(); waits++) transport.idle(waits);
  };
  const there = (): void => {
    channels.begin();
    channels.send(0);
    taking(1);
    leaving();
  };
  const back = (): void => {
    channels.begin();
    taking(0);
    channels.send(1);
    leaving();
  };
  const takesPart = rank === 0 || rank === partner;
  const turn = rank === 0 ? there : back;
  let best = Number.POSITIVE_INFINITY;
  let count = 4;
  for (const end = performance.now() + MESSAGES_MS; ; ) {
    const more = ranks.tell(Float64Array.of(performance.now() < end ? count : 0))[0];
    if (more === 0) break;
    if (!takesPart) continue;
    turn();
    const start = performance.now();
    for (let k = 0; k < more; k++) turn();
    const took = performance.now() - start;
    best = Math.min(best, (1e6 * took) / more / 2);
    if (took < 0.5) count = 2 * more;
  }
  channels.close();
  return ranks.tell(Float64Array.of(best))[0];
}

interface Chain {
  readonly run: () => void;
  /** In instructions as schedules count them. */
  readonly counted: number;
}

function chainOf(links: number): Chain {
  const mechanism = builtinMechanism(`chain-${links}`);
  const plan = new Planner(mechanism).plan(1);
  const { arrays, runner } = new ThreadProgram(plan).alone;
  const { q, v } = State.random(mechanism, 1);
  arrays.q.set(q);
  arrays.v.set(v);
  return { run: () => runner.alone(), counted: plan.schedule.costs.own.reduce((sum, own) => sum + own, 0) };
}

/** Nanoseconds of an instruction: of each rank the shortest time, of all ranks the middle one. */
function instruction(ranks: MpiRanks, { run, counted }: Chain): number {
  run();
  ranks.barrier();
  let best = Number.POSITIVE_INFINITY;
  for (const end = performance.now() + CHAIN_MS; performance.now() < end; ) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  const all = ranks.gather(Float64Array.of((1e6 * best) / counted)).sort();
  return all[all.length >> 1];
}
