// How long a step takes on as many threads as there are segments: the protocol of runner.ts played through with the
// weights of the links and the time that a word takes from one thread to another.

import type { Cutting } from '../compile/blocks.js';
import type { PlanLink } from '../compile/plan.js';
import { MEETING, PASSES, type Weights } from './weights.js';

export interface Costs {
  /** Nanoseconds of an instruction, on average. */
  readonly instruction: number;
  /** Nanoseconds from writing a word to seeing it on another thread. */
  readonly latency: number;
  /** Nanoseconds of a call: arrays copied in and out, results checked, for each link. */
  readonly call: number;
}

/** Measured on a two-core AMD EPYC, Node 20; ready() measures what decides. */
export const COSTS: Costs = { instruction: 0.195, latency: 150, call: 1.5 };

export interface Prediction {
  readonly ns: number;
  /** Of all segments one after the other on one thread. */
  readonly serial: number;
  /** Nanoseconds of work of each segment. */
  readonly work: readonly number[];
}

export function predict(
  links: readonly PlanLink[],
  { own, mixed }: Weights,
  { segmentOf, atPort }: Cutting,
  costs: Costs,
): Prediction {
  const count = atPort.length;
  const parent = new Int32Array(count).fill(-1);
  /** Instructions: of all links, of those on the way to what is waited for, and of the mixed form. */
  const whole = new Float64Array(count);
  const waiting = new Float64Array(count);
  const extra = new Float64Array(count);
  const port = new Int32Array(count).fill(-1);
  const onWait = new Uint8Array(links.length);
  const onPort = new Uint8Array(links.length);
  for (let i = links.length - 1; i >= 0; i--) {
    const s = segmentOf[i];
    const above = links[i].parent;
    whole[s] += own[i];
    if (onWait[i] === 1) waiting[s] += own[i];
    if (onPort[i] === 1) extra[s] += mixed[i];
    if (above < 0) continue;
    if (segmentOf[above] === s) {
      if (onWait[i] === 1) onWait[above] = 1;
      if (onPort[i] === 1) onPort[above] = 1;
      continue;
    }
    parent[s] = segmentOf[above];
    if (atPort[s]) {
      onPort[above] = 1;
      port[segmentOf[above]] = s;
    } else onWait[above] = 1;
  }
  const { instruction, latency } = costs;
  const of = (instructions: number): number => instructions * instruction;
  const waits: number[][] = Array.from({ length: count }, () => []);
  for (let s = 1; s < count; s++) if (parent[s] >= 0 && !atPort[s]) waits[parent[s]].push(s);
  // The first phase: everyone at once; the caller begins a word earlier.
  const start = (s: number): number => (s === 0 ? 0 : latency);
  const spun = Array.from({ length: count }, (_, s) => start(s) + of(PASSES.spin * whole[s]));
  const allSpun = count === 1 ? 0 : Math.max(...spun) + latency;
  const up = new Float64Array(count);
  for (let s = count - 1; s >= 0; s--) {
    const ready = s === 0 ? spun[s] : Math.max(spun[s], Math.min(allSpun, spun[Math.max(0, parent[s])] + latency));
    let at = ready + of(PASSES.up * (whole[s] - waiting[s]) + 0.8 * extra[s]);
    for (const c of waits[s]) at = Math.max(at, up[c] + latency);
    at += of(PASSES.up * waiting[s]);
    if (port[s] >= 0) at = Math.max(at, up[port[s]] + latency) + of(parent[s] < 0 ? MEETING.ground : MEETING.up);
    up[s] = at;
  }
  const told = new Float64Array(count);
  const done = new Float64Array(count);
  for (let s = 0; s < count; s++) {
    let at = parent[s] < 0 ? up[s] : Math.max(up[s], told[s] + latency);
    if (port[s] >= 0) {
      if (parent[s] >= 0) at += of(MEETING.down);
      told[port[s]] = at;
    }
    at += of(PASSES.down * waiting[s]);
    for (const c of waits[s]) told[c] = at;
    done[s] = at + of(PASSES.down * (whole[s] - waiting[s]) + 0.2 * extra[s]) + (s === 0 ? 0 : latency);
  }
  const work = Array.from(whole, (w, s) => of(w + extra[s] + (port[s] < 0 ? 0 : MEETING.up)));
  return {
    ns: Math.max(...done) + costs.call * links.length,
    serial: work.reduce((sum, w) => sum + w, 0) + costs.call * links.length,
    work,
  };
}
