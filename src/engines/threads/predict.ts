// How long a step takes: the protocol of runner.ts played through with the weights of the links and the time that a word
// takes from one thread to another. On the way the order is chosen in which segments meet (joins.ts).

import type { MeetSizes } from '../../formulas/join.js';
import { partLayout } from '../../formulas/part-record.js';
import type { PlanLink } from '../../plan/plan.js';
import { joinRow } from './joins.js';
import { type Cutting, parentSegments, portSizes } from './segments.js';
import { BALL, BOTH_LANES, meetingWeight, PASSES, type Weights } from './weights.js';

export interface Costs {
  /** Nanoseconds of an instruction, on average. */
  readonly instruction: number;
  /** Nanoseconds from writing a word to seeing it on another thread. */
  readonly latency: number;
  /** Nanoseconds that each line of a record, 8 numbers, takes besides. */
  readonly line: number;
  /** Nanoseconds of a call: arrays copied in and out, results checked, for each link. */
  readonly call: number;
}

/** Measured on a two-core AMD EPYC, Node 20; ready() measures what decides. */
export const COSTS: Costs = { instruction: 0.195, latency: 150, line: 10, call: 1.5 };

export interface CutResult {
  readonly cutting: Cutting;
  /** Thread of each segment. */
  readonly threadOf: readonly number[];
  /** Predicted nanoseconds of a step. */
  readonly ns: number;
}

export interface Prediction {
  readonly ns: number;
  /** What each segment takes in at its port. */
  readonly joins: readonly (readonly number[])[];
  /** When each segment is ready to meet others. */
  readonly ready: Float64Array;
}

/** `threadOf`: the thread of each segment; one for each where it is left out. */
export function predict(
  links: readonly PlanLink[],
  { own, mixed, source }: Weights,
  cutting: Pick<Cutting, 'segmentOf' | 'atPort' | 'twins'>,
  costs: Costs,
  threadOf?: ArrayLike<number>,
): Prediction {
  const { segmentOf, atPort, twins = [] } = cutting;
  const count = atPort.length;
  const parent = parentSegments(links, segmentOf, count);
  const twin = (s: number): number => twins[s] ?? -1;
  const carried = new Set(twins);
  /** All but those that are computed together with the one above them: to all others the two are one. */
  const heads = Array.from({ length: count }, (_, s) => s).filter((s) => !carried.has(s));
  const portChild = Array.from({ length: count }, (_, s) => parent.findIndex((above, c) => above === s && atPort[c]));
  const sizes = portSizes(links, cutting, parent, portChild);
  /** Instructions of all links and of the mixed form, and those of them that are on the way to what is waited for. */
  const whole = new Float64Array(count);
  const waiting = new Float64Array(count);
  const extra = new Float64Array(count);
  const extraWaiting = new Float64Array(count);
  const onWait = new Uint8Array(links.length);
  const onPort = new Uint8Array(links.length);
  const waits: number[][] = Array.from({ length: count }, () => []);
  for (let i = links.length - 1; i >= 0; i--) {
    const s = segmentOf[i];
    const above = links[i].parent;
    whole[s] += own[i];
    if (onWait[i] === 1) waiting[s] += own[i];
    if (onPort[i] === 1) {
      const more = mixed[i] * (sizes.port[s] === 3 ? BALL : 1);
      extra[s] += more;
      if (onWait[i] === 1) extraWaiting[s] += more;
    }
    if (above < 0) continue;
    if (segmentOf[above] === s) {
      if (onWait[i] === 1) onWait[above] = 1;
      if (onPort[i] === 1) onPort[above] = 1;
    } else if (atPort[s]) onPort[above] = 1;
    else onWait[above] = 1;
  }
  for (let s = 1; s < count; s++) if (parent[s] >= 0 && !atPort[s]) waits[parent[s]].push(s);
  /** Of two that are computed together: the port, and the sizes at which they meet. */
  const port = sizes.port.slice();
  const within = new Array<MeetSizes | undefined>(count).fill(undefined);
  for (const s of heads) {
    const below = twin(s);
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
    within[s] === undefined ? { up: 0, down: 0 } : meetingWeight(within[s]);
  const { instruction, latency, line } = costs;
  const thread = (s: number): number => threadOf?.[s] ?? s;
  const of = (instructions: number): number => instructions * instruction;
  /** From the thread of one segment to that of another. */
  const travel = (from: number, to: number, numbers: number): number =>
    thread(from) === thread(to) ? 0 : latency + line * Math.ceil(numbers / 8);
  const part = (s: number, port: number): number => partLayout(sizes.handle[s], port as 0 | 3 | 6).size;

  // The first phase: everyone at once; the caller begins a word earlier.
  const clock = Float64Array.from({ length: count }, (_, t) => (t === 0 ? 0 : latency));
  const spun = new Float64Array(count);
  for (const s of heads) {
    clock[thread(s)] += of(PASSES.spin * whole[s]);
    spun[s] = clock[thread(s)];
  }
  const allSpun = Math.max(...spun);
  // On the ground, or where the angular velocity is known, nobody is waited for.
  const knows = (s: number): boolean => parent[s] < 0 && (source < 0 || segmentOf[source] === s);
  const needsSpun = (s: number): number => (knows(s) ? 0 : allSpun + latency);

  /** Up to the meetings at its port; `upOf` tells when those that are waited for are there. */
  const rise = (s: number, at: number, upOf: (c: number) => number): number => {
    const upwards = (links: number, mixedForm: number): number => of(PASSES.up * links + PASSES.upMixed * mixedForm);
    let now = Math.max(at, needsSpun(s)) + upwards(whole[s] - waiting[s], extra[s] - extraWaiting[s]);
    for (const c of waits[s]) now = Math.max(now, upOf(c) + travel(c, s, 27));
    return now + upwards(waiting[s], extraWaiting[s]) + of(inside(s).up);
  };

  // Once without the meetings, to see when segments are ready to meet.
  const ready = new Float64Array(count);
  const first = clock.slice();
  for (const s of heads.toReversed()) {
    ready[s] = rise(s, first[thread(s)], (c) => ready[c]);
    first[thread(s)] = ready[s];
  }
  const joins: number[][] = Array.from({ length: count }, () => []);
  /** The sizes of the meeting in which s takes in the part from `below` to `last`. */
  const sizesOf = (s: number, below: number, last: number): MeetSizes => ({
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
      cost: (i, k, j) => of(meetingWeight(sizesOf(row[i], row[k + 1], row[j])).up),
      back: (i, k, j) => of(meetingWeight(sizesOf(row[i], row[k + 1], row[j])).down),
      latency: (i, k) => travel(row[k + 1], row[i], part(row[k + 1], port[row[k + 1]])),
    }).forEach((list, i) => {
      joins[row[i]] = list.map((k) => row[k]);
    });
  }

  const last = Int32Array.from({ length: count }, (_, s) => s);
  const up = new Float64Array(count);
  const meets: MeetSizes[][] = joins.map(() => []);
  for (const s of heads.toReversed()) {
    let now = rise(s, clock[thread(s)], (c) => up[c]);
    joins[s].forEach((below, k) => {
      meets[s][k] = sizesOf(s, below, last[below]);
      last[s] = last[below];
      now =
        Math.max(now, up[below] + travel(below, s, part(below, meets[s][k].port))) + of(meetingWeight(meets[s][k]).up);
    });
    up[s] = now;
    clock[thread(s)] = now;
  }
  // A row is told when it is whole, or from above; then everyone goes its own way down through the meetings.
  const told = new Float64Array(count);
  const row = Int32Array.from({ length: count }, (_, s) => s);
  /** Instructions of the ways down: to each part as it is taken in. */
  const answers = new Float64Array(count);
  let end = 0;
  for (const s of heads) {
    const head = row[s];
    const complete = parent[head] < 0 ? up[head] : told[head];
    let way = answers[s];
    for (let k = joins[s].length - 1; k >= 0; k--) {
      const part = joins[s][k];
      way += meetingWeight(meets[s][k]).down;
      answers[part] = way;
      row[part] = head;
    }
    let now = Math.max(clock[thread(s)], up[s], complete + travel(head, s, 12)) + of(way + inside(s).down);
    now += of(PASSES.down * waiting[s]);
    for (const c of waits[s]) told[c] = now + travel(s, c, 6);
    now += of(PASSES.down * (whole[s] - waiting[s]) + (1 - PASSES.upMixed) * extra[s]);
    clock[thread(s)] = now;
    end = Math.max(end, now + travel(s, 0, 1));
  }
  for (const s of heads) if (twin(s) >= 0) joins[s].unshift(twin(s));
  return {
    ns: end + costs.call * links.length,
    joins,
    ready,
  };
}
