// Runs the segments of an assembly one after the other, with intermediate memory full of NaN before each call.

import { answerName, blockModule, FINISH_NAME, meetName, type Step, stepName } from '../../src/compile/block-module.js';
import { type Cutting, createAssembly, type RootedPlan, wholeLinks } from '../../src/compile/blocks.js';
import { rootedPlan } from '../../src/compile/rooted-plan.js';
import { Store } from '../../src/compile/store.js';
import { webAssembly } from '../../src/compile/webassembly.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import type { Random } from '../../src/mechanism/random.js';
import type { State } from '../../src/mechanism/state.js';

export interface BlockRunner {
  readonly shapes: number;
  forward(state: State, tau: Float64Array): Float64Array;
}

export function blockRunner(mechanism: Mechanism, root: number, cutting: Cutting, blockLinks?: number): BlockRunner {
  const { links } = rootedPlan(mechanism, root)!.plan;
  const rooted = rootedPlan(mechanism, root, wholeLinks(links, cutting, blockLinks))!;
  const assembly = createAssembly(rooted, cutting, blockLinks);
  const made = blockModule(assembly);
  const store = new Store(made.memoryBytes, false);
  const code = store.instantiate(new (webAssembly().Module)(made.bytes(false)));
  const ints = new Int32Array(store.memory.buffer);
  const { nq, nv } = rooted.plan;
  const count = assembly.segments.length;
  const call = (step: Step, s: number): void => code[stepName(step, s)]();
  return {
    shapes: made.shapes,
    forward(state, tau) {
      for (const [from, end] of made.scratch) store.numbers(from, (end - from) / 8).fill(Number.NaN);
      for (const { at, values } of made.tables) ints.set(values, at / 4);
      store.numbers(made.qdd, nv).fill(Number.NaN);
      store.numbers(made.q, nq).set(state.q);
      store.numbers(made.v, nv).set(state.v);
      store.numbers(made.tau, nv).set(tau);
      for (let s = 0; s < count; s++) call('spin', s);
      for (let s = count - 1; s >= 0; s--) {
        for (const step of ['gather', 'join'] as const) call(step, s);
        for (const k of assembly.segments[s].joins.keys()) code[meetName(s, k)]();
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
export function randomCutting({ plan: { links } }: RootedPlan, random: Random, often = 3): Cutting {
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
  return { segmentOf, atPort, joins: randomJoins(links, segmentOf, atPort, random) };
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
