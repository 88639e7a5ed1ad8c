// Runs the segments of an assembly one after the other, with intermediate memory full of NaN before each call.

import {
  answerName,
  blockModule,
  FINISH_NAME,
  joinName,
  type SegmentStep,
  stepName,
} from '../../../src/engines/threads/block-module.js';
import { createAssembly, wholeLinks } from '../../../src/engines/threads/blocks.js';
import { Store } from '../../../src/engines/wasm/store.js';
import { webAssembly } from '../../../src/engines/wasm/webassembly.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import type { Random } from '../../../src/mechanism/random.js';
import type { State } from '../../../src/mechanism/state.js';
import type { RootedPlan } from '../../../src/plan/rooted-plan.js';
import { rootedPlan } from '../../../src/plan/rooted-plan.js';
import type { Cutting } from '../../../src/schedule/link-costs.js';

export interface BlockRunner {
  readonly shapes: number;
  /** Blocks that share the lanes of vectors with another one. */
  readonly paired: number;
  forward(state: State, tau: Float64Array): Float64Array;
}

export function blockRunner(mechanism: Mechanism, root: number, cutting: Cutting, blockLinks?: number): BlockRunner {
  const { links } = rootedPlan(mechanism, root)!.plan;
  const rooted = rootedPlan(mechanism, root, wholeLinks(links, cutting, blockLinks))!;
  const assembly = createAssembly(rooted, cutting, { ...(blockLinks !== undefined && { blockLinks }) });
  const made = blockModule(assembly);
  const store = new Store(made.memoryBytes);
  const code = store.instantiate(new (webAssembly().Module)(made.bytes(false)));
  const ints = new Int32Array(store.memory.buffer);
  const { nq, nv } = rooted.plan;
  const count = assembly.segments.length;
  const call = (step: SegmentStep, s: number): void => code[stepName(step, s)]();
  return {
    shapes: made.shapes,
    paired: assembly.segments.flatMap(({ lanes }) => lanes.filter((lane) => lane.length === 2)).length,
    forward(state, tau) {
      for (const [from, end] of made.scratch) store.numbers(from, (end - from) / 8).fill(Number.NaN);
      for (const { at, values } of made.tables) ints.set(values, at / 4);
      store.numbers(made.qdd, nv).fill(Number.NaN);
      store.numbers(made.q, nq).set(state.q);
      store.numbers(made.v, nv).set(state.v);
      store.numbers(made.tau, nv).set(tau);
      for (let s = 0; s < count; s++) call('spin', s);
      for (let s = count - 1; s >= 0; s--) {
        for (const step of ['gather', 'complete'] as const) call(step, s);
        const { joins, partner } = assembly.segments[s];
        for (const [k, { part }] of joins.entries()) if (part !== partner) code[joinName(s, k)]();
      }
      for (let s = 0; s < count; s++) {
        code[answerName(s)]();
        for (const step of ['lead', 'follow'] as const) call(step, s);
      }
      code[FINISH_NAME]();
      return Float64Array.from(store.numbers(made.qdd, nv));
    },
  };
}

/** Any cutting: segments of any size, ports wherever they may be. */
export function randomCutting({ plan: { links }, source }: RootedPlan, random: Random, often = 3): Cutting {
  const segmentOf = new Int32Array(links.length);
  const atPort: boolean[] = [];
  const hasPort: boolean[] = [];
  /** Roots that hang from the same link may share a segment. */
  const latest = new Map<number, number>();
  links.forEach(({ parent }, i) => {
    const above = parent < 0 ? -1 : segmentOf[parent];
    if (i > 0 && parent >= 0 && random.below(often) > 0) {
      segmentOf[i] = above;
      return;
    }
    const shared = latest.get(parent);
    if (shared !== undefined && random.below(2) === 0) {
      segmentOf[i] = shared;
      return;
    }
    const port = above >= 0 && !hasPort[above] && random.below(2) === 0;
    if (port) hasPort[above] = true;
    segmentOf[i] = atPort.push(port) - 1;
    latest.set(parent, segmentOf[i]);
  });
  const joins = randomJoins(links, segmentOf, atPort, random);
  // Segments that happen to fit are computed together, mostly without blocks of the same shape.
  const partner = atPort.map(() => -1);
  const knows = source === undefined ? -1 : segmentOf[source.link];
  atPort.forEach((port, s) => {
    const [first] = joins[s];
    if (s === knows || first === knows) return;
    if (port && first !== undefined && joins[first].length === 0 && !partner.includes(s) && random.below(2) === 0)
      partner[s] = first;
  });
  return { segmentOf, atPort, joins, partner };
}

/**
 * Every joint by itself, added to partial chains in a balanced order: on each way from port to port the part in the middle is
 * the last one. Of the joints on one link the first is a port; the others hang there as limbs.
 */
export function balancedCutting({ plan: { links } }: RootedPlan): Cutting {
  const next = links.map(() => -1);
  const atPort = links.map(({ parent }, i) => {
    const port = parent >= 0 && next[parent] < 0;
    if (port) next[parent] = i;
    return port;
  });
  const joins: number[][] = links.map(() => []);
  const join = (way: readonly number[]): void => {
    if (way.length < 2) return;
    const middle = way.length >> 1;
    join(way.slice(0, middle));
    join(way.slice(middle));
    joins[way[0]].push(way[middle]);
  };
  links.forEach((_, top) => {
    if (atPort[top]) return;
    const way = [top];
    for (let s = next[top]; s >= 0; s = next[s]) way.push(s);
    join(way);
  });
  return { segmentOf: Int32Array.from(links.keys()), atPort, joins };
}

/** A mechanism made of like cells cut into a row of so many cells each, all at ports, neighbours from the second on partner. */
export function twinCutting(
  { plan }: RootedPlan,
  bodiesInCell: number,
  cells: readonly number[],
  random: Random,
): Cutting {
  const segmentOf = new Int32Array(plan.links.length);
  const starts = cells.map((_, s) => cells.slice(0, s).reduce((sum, n) => sum + n, 0));
  plan.bodies.forEach(({ link }, body) => {
    const cell = Math.floor(body / bodiesInCell);
    segmentOf[link] = starts.findLastIndex((start) => start <= cell);
  });
  const partner = cells.map((_, s) => (s % 2 === 1 && s + 1 < cells.length ? s + 1 : -1));
  const joins: number[][] = cells.map(() => []);
  let heads = cells.flatMap((_, s) => (partner.includes(s) ? [] : [s]));
  for (const s of heads) if (partner[s] >= 0) joins[s].push(partner[s]);
  while (heads.length > 1) {
    const k = random.below(heads.length - 1);
    joins[heads[k]].push(heads[k + 1]);
    heads = heads.filter((_, other) => other !== k + 1);
  }
  return { segmentOf, atPort: cells.map((_, s) => s > 0), joins, partner };
}

/** Along each way from port to port, parts joined in any order. */
function randomJoins(
  links: RootedPlan['plan']['links'],
  segmentOf: Int32Array,
  atPort: readonly boolean[],
  random: Random,
): number[][] {
  const portChild = atPort.map(() => -1);
  links.forEach(({ parent }, i) => {
    const s = segmentOf[i];
    if (parent >= 0 && segmentOf[parent] !== s && atPort[s]) portChild[segmentOf[parent]] = s;
  });
  const joins: number[][] = atPort.map(() => []);
  atPort.forEach((hangs, top) => {
    if (hangs) return;
    let parts = [top];
    for (let s = portChild[top]; s >= 0; s = portChild[s]) parts.push(s);
    while (parts.length > 1) {
      const k = random.below(parts.length - 1);
      joins[parts[k]].push(parts[k + 1]);
      parts = parts.filter((_, other) => other !== k + 1);
    }
  });
  return joins;
}
