// The timeline of a schedule of segments: what every processor does when, from counted costs, the time of an instruction and
// the time that a word takes from one processor to another. It follows the engine's protocol (docs/parallel.md): velocities,
// assembly, joins, disassembly. On the way the order is chosen in which parts are joined (join-order.ts). Threads begin and end a
// step together; ranks only wait for what they need, so that a step begins while others are still at the one before.

import type { EngineConstants } from './cost.js';
import { joinRow } from './join-order.js';
import {
  BALL,
  BOTH_LANES,
  type CutSize,
  type Cutting,
  type JoinWidths,
  type LinkCosts,
  PASSES,
  parentSegments,
  portSizes,
} from './link-costs.js';
import { instructionNs, messageNs } from './rank-constants.js';

/** What a processor does with a segment, without a pause. */
export interface SegmentSpan {
  readonly processor: number;
  readonly segment: number;
  readonly phase: 'velocities' | 'assembly' | 'disassembly';
  /** Nanoseconds from the beginning of the step. */
  readonly start: number;
  readonly end: number;
}

export interface SegmentTimeline {
  /** Nanoseconds of a step. */
  readonly ns: number;
  /** The parts that each segment joins to itself at its port. */
  readonly joins: readonly (readonly number[])[];
  /** When each segment is ready to be joined to others. */
  readonly ready: Float64Array;
  /** Waiting for others is part of a span. */
  readonly spans: readonly SegmentSpan[];
}

/** Steps of ranks that are played, and those after which a step is as long as the next. */
const [STEPS, SETTLED] = [8, 4];
/** Numbers of a relation of angular velocities. */
const SPIN = 12;

/** `processorOf`: the processor of each segment; one for each where it is left out. */
export function playSegments(
  links: LinkCosts,
  cutting: Pick<Cutting, 'segmentOf' | 'atPort' | 'partner'>,
  constants: EngineConstants,
  processorOf?: ArrayLike<number>,
): SegmentTimeline {
  const { parent: above, own, mixed, source } = links;
  const { segmentOf, atPort, partner: partners = [] } = cutting;
  const count = atPort.length;
  const parent = parentSegments(above, segmentOf, count);
  const partner = (s: number): number => partners[s] ?? -1;
  const inSecondLane = new Set(partners);
  /** All but those that are computed together with the one above them: to all others the two are one. */
  const heads = Array.from({ length: count }, (_, s) => s).filter((s) => !inSecondLane.has(s));
  const portChild = Array.from({ length: count }, (_, s) => parent.findIndex((p, c) => p === s && atPort[c]));
  const sizes = portSizes(links, cutting, parent, portChild);
  /** Instructions of all links and of the mixed form, and those of them that are on the way to what is waited for. */
  const whole = new Float64Array(count);
  const waiting = new Float64Array(count);
  const extra = new Float64Array(count);
  const extraWaiting = new Float64Array(count);
  const onWait = new Uint8Array(above.length);
  const onPort = new Uint8Array(above.length);
  const waits: number[][] = Array.from({ length: count }, () => []);
  for (let i = above.length - 1; i >= 0; i--) {
    const s = segmentOf[i];
    const p = above[i];
    whole[s] += own[i];
    if (onWait[i] === 1) waiting[s] += own[i];
    if (onPort[i] === 1) {
      const more = mixed[i] * (sizes.port[s] === 3 ? BALL : 1);
      extra[s] += more;
      if (onWait[i] === 1) extraWaiting[s] += more;
    }
    if (p < 0) continue;
    if (segmentOf[p] === s) {
      if (onWait[i] === 1) onWait[p] = 1;
      if (onPort[i] === 1) onPort[p] = 1;
    } else if (atPort[s]) onPort[p] = 1;
    else onWait[p] = 1;
  }
  for (let s = 1; s < count; s++) if (parent[s] >= 0 && !atPort[s]) waits[parent[s]].push(s);
  /** Of two that are computed together: the port, and the sizes of their join. */
  const port = sizes.port.slice();
  const within = new Array<JoinWidths | undefined>(count).fill(undefined);
  for (const s of heads) {
    const below = partner(s);
    if (below < 0) continue;
    const [one, other] = [whole[s] + extra[s], whole[below] + extra[below]];
    const factor = (BOTH_LANES * Math.min(one, other) + Math.abs(one - other)) / (one + other);
    for (const list of [whole, waiting, extra, extraWaiting]) list[s] = factor * (list[s] + list[below]);
    waits[s].push(...waits[below]);
    within[s] = { handle: sizes.handle[s], at: sizes.handle[below] as 3 | 6, port: sizes.port[below] };
    port[s] = sizes.port[below];
    portChild[s] = portChild[below];
  }
  const inside = (s: number): { readonly up: number; readonly down: number } =>
    within[s] === undefined ? { up: 0, down: 0 } : links.join(within[s]);
  const { latency, line, ranks } = constants;
  const processor = (s: number): number => processorOf?.[s] ?? s;
  const processors = 1 + Math.max(...heads.map(processor));
  const instruction = ranks === undefined ? constants.instruction : instructionNs(ranks, above.length / processors);
  const of = (instructions: number): number => instructions * instruction;
  const processOf = (thread: number): number => Math.floor(thread / (ranks?.threads ?? 1));
  /** From the processor of one segment to that of another. */
  const travel = (from: number, to: number, numbers: number): number =>
    processor(from) === processor(to)
      ? 0
      : ranks === undefined || processOf(processor(from)) === processOf(processor(to))
        ? latency + line * Math.ceil(numbers / 8)
        : messageNs(ranks, 8 * numbers);
  const part = (s: number, port: number): number => links.record(sizes.handle[s], port as CutSize);

  // The first phase: everyone at once; the caller of threads begins a word earlier.
  const clock = Float64Array.from({ length: count }, (_, t) => (t === 0 || ranks !== undefined ? 0 : latency));
  const spun = new Float64Array(count);
  let spans: SegmentSpan[] = [];
  const note = (s: number, phase: SegmentSpan['phase'], start: number, end: number): void => {
    spans.push({ processor: processor(s), segment: s, phase, start, end });
  };
  let allSpun = 0;
  const spin = (): void => {
    for (const s of heads) {
      spun[s] = clock[processor(s)] + of(PASSES.spin * whole[s]);
      note(s, 'velocities', clock[processor(s)], spun[s]);
      clock[processor(s)] = spun[s];
    }
    allSpun = Math.max(...spun);
  };
  spin();
  // On the ground, or where the angular velocity is known, nobody is waited for.
  const knows = (s: number): boolean => parent[s] < 0 && (source < 0 || segmentOf[source] === s);
  /** Ranks wait for those above them, and for those above the one that knows. */
  const spunAbove = (s: number, below: number): number => {
    let latest = 0;
    for (const from of source < 0 ? [below] : [below, segmentOf[source]])
      for (let t = from; t >= 0; t = parent[t])
        if (!inSecondLane.has(t)) latest = Math.max(latest, spun[t] + travel(t, s, SPIN));
    return latest;
  };
  const needsSpun = (s: number): number =>
    knows(s) ? 0 : ranks === undefined ? allSpun + latency : spunAbove(s, parent[s]);

  /** Up to the joins at its port; `upOf` tells when those that are waited for are there. */
  const rise = (s: number, at: number, upOf: (c: number) => number): number => {
    const upwards = (links: number, mixedForm: number): number => of(PASSES.up * links + PASSES.upMixed * mixedForm);
    let now = Math.max(at, needsSpun(s)) + upwards(whole[s] - waiting[s], extra[s] - extraWaiting[s]);
    for (const c of waits[s]) now = Math.max(now, upOf(c) + travel(c, s, 27));
    return now + upwards(waiting[s], extraWaiting[s]) + of(inside(s).up);
  };

  // Once without the joins, to see when segments are ready.
  const ready = new Float64Array(count);
  const first = clock.slice();
  for (const s of heads.toReversed()) {
    ready[s] = rise(s, first[processor(s)], (c) => ready[c]);
    first[processor(s)] = ready[s];
  }
  const joins: number[][] = Array.from({ length: count }, () => []);
  /** The sizes of the join of s and the part from `below` to `last`. */
  const sizesOf = (s: number, below: number, last: number): JoinWidths => ({
    handle: sizes.handle[s],
    at: sizes.handle[below] as 3 | 6,
    port: port[last],
  });
  for (const top of heads) {
    if (atPort[top] || portChild[top] < 0) continue;
    const row: number[] = [];
    for (let s = top; s >= 0; s = portChild[s]) row.push(s);
    joinRow({
      ready: row.map((s) => ready[s]),
      cost: (i, k, j) => of(links.join(sizesOf(row[i], row[k + 1], row[j])).up),
      back: (i, k, j) => of(links.join(sizesOf(row[i], row[k + 1], row[j])).down),
      latency: (i, k) => travel(row[k + 1], row[i], part(row[k + 1], port[row[k + 1]])),
    }).forEach((list, i) => {
      joins[row[i]] = list.map((k) => row[k]);
    });
  }

  /** Up and down: when the step ends. */
  const upAndDown = (): number => {
    const last = Int32Array.from({ length: count }, (_, s) => s);
    const up = new Float64Array(count);
    const joined: JoinWidths[][] = joins.map(() => []);
    for (const s of heads.toReversed()) {
      let now = rise(s, clock[processor(s)], (c) => up[c]);
      joins[s].forEach((below, k) => {
        joined[s][k] = sizesOf(s, below, last[below]);
        last[s] = last[below];
        now =
          Math.max(now, up[below] + travel(below, s, part(below, joined[s][k].port))) + of(links.join(joined[s][k]).up);
      });
      note(s, 'assembly', clock[processor(s)], now);
      up[s] = now;
      clock[processor(s)] = now;
    }
    // A row is told when it is whole, or from above; then everyone goes its own way down through the joins.
    const told = new Float64Array(count);
    const row = Int32Array.from({ length: count }, (_, s) => s);
    /** Instructions of the ways down: to each part as it is joined. */
    const answers = new Float64Array(count);
    let end = 0;
    for (const s of heads) {
      const head = row[s];
      const complete = parent[head] < 0 ? up[head] : told[head];
      let way = answers[s];
      for (let k = joins[s].length - 1; k >= 0; k--) {
        const part = joins[s][k];
        way += links.join(joined[s][k]).down;
        answers[part] = way;
        row[part] = head;
      }
      const start = Math.max(clock[processor(s)], up[s], complete + travel(head, s, 12));
      let now = start + of(way + inside(s).down);
      now += of(PASSES.down * waiting[s]);
      for (const c of waits[s]) told[c] = now + travel(s, c, 6);
      now += of(PASSES.down * (whole[s] - waiting[s]) + (1 - PASSES.upMixed) * extra[s]);
      note(s, 'disassembly', start, now);
      clock[processor(s)] = now;
      // The caller of threads waits for all of them.
      end = Math.max(end, now + (ranks === undefined ? travel(s, 0, 1) : 0));
    }
    return end;
  };
  let ns = upAndDown();
  if (ranks !== undefined) {
    const ends = [ns];
    for (let step = 1; step < STEPS; step++) {
      spans = [];
      spin();
      ends.push(upAndDown());
    }
    ns = (ends[STEPS - 1] - ends[STEPS - 1 - SETTLED]) / SETTLED;
  }
  for (const s of heads) if (partner(s) >= 0) joins[s].unshift(partner(s));
  return {
    ns: ranks === undefined ? ns + constants.call * above.length : ns,
    joins,
    ready,
    spans,
  };
}
