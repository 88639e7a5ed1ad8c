// Times of the scheduler: Table I of paper 002, the human figure of 161 degrees of freedom, and large mechanisms.

import { scheduleByAStar } from '#src/papers/astar/index.js';
import {
  engineCost,
  paperCost,
  type Schedule,
  type ScheduleOptions,
  schedule,
  type Topology,
} from '#src/schedule/index.js';

export function serialChain(joints: number): Topology {
  return { joints, parent: Array.from({ length: joints }, (_, joint) => joint - 1), dof: new Array(joints).fill(1) };
}

/** The tree of the figure `human-161`: 53 joints; a free root, a jaw of 6 degrees of freedom, 49 balls, 2 knees. */
export function human161(): Topology {
  const names: string[] = [];
  const parent: number[] = [];
  const kind: string[] = [];
  const add = (name: string, on: string | null, type = 'spherical'): string => {
    parent.push(on === null ? -1 : names.indexOf(on));
    names.push(name);
    kind.push(type);
    return name;
  };
  const series = (prefix: string, count: number, on: string): string => {
    let last = on;
    for (let i = 1; i <= count; i++) last = add(`${prefix}_${i}`, last);
    return last;
  };
  add('pelvis', null, 'floating');
  series('thoracic', 6, series('lumbar', 5, 'pelvis'));
  add('skull', series('cervical', 3, 'thoracic_6'));
  add('jaw', 'skull', 'floating');
  for (const side of ['left', 'right']) {
    add(`${side}_clavicle`, 'thoracic_5');
    add(`${side}_upper_arm`, `${side}_clavicle`);
    add(`${side}_forearm`, `${side}_upper_arm`);
    add(`${side}_hand`, `${side}_forearm`);
    for (const finger of ['thumb', 'index', 'middle', 'ring', 'little']) series(`${side}_${finger}`, 2, `${side}_hand`);
  }
  for (const side of ['left', 'right']) {
    add(`${side}_thigh`, 'pelvis');
    add(`${side}_shank`, `${side}_thigh`, 'revolute');
    add(`${side}_foot`, `${side}_shank`);
    add(`${side}_toes`, `${side}_foot`);
  }
  const degrees = new Map([
    ['floating', 6],
    ['spherical', 3],
    ['revolute', 1],
  ]);
  return {
    joints: names.length,
    parent,
    dof: kind.map((type) => degrees.get(type) as number),
    names,
    kind,
    freeRoot: true,
  };
}

/** A generator of reproducible random numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A random tree of joints of 1, 3 and 6 degrees of freedom. Every joint hangs on one of the `reach` links before it:
 * a small reach gives long limbs, an infinite one gives hubs with many joints.
 */
export function randomTree(joints: number, seed: number, reach = Number.POSITIVE_INFINITY): Topology {
  const random = randomNumbers(seed);
  const parent = Array.from(
    { length: joints },
    (_, joint) => joint - 1 - Math.floor(random() * Math.min(reach, joint + 1)),
  );
  const dof = parent.map(() => [1, 3, 6][Math.floor(random() * 3)]);
  return { joints, parent, dof };
}

interface Row {
  readonly name: string;
  readonly processors: number;
  readonly makespan: number;
  readonly serial: number;
  readonly optimal: boolean;
  readonly gap: number;
  readonly expansions: number;
  /** The first call in this process, and the fastest of five. */
  readonly firstMs: number;
  readonly leastMs: number;
}

function row(name: string, topology: Topology, options: ScheduleOptions, search = schedule): Row {
  let last: Schedule = search(topology, options);
  const firstMs = last.milliseconds;
  let leastMs = firstMs;
  for (let i = 0; i < 4 && firstMs < 1000; i++) {
    last = search(topology, options);
    leastMs = Math.min(leastMs, last.milliseconds);
  }
  const { makespan, serial, optimal, gap, expansions } = last;
  return { name, processors: options.processors, makespan, serial, optimal, gap, expansions, firstMs, leastMs };
}

/** The times that docs/scheduling.md quotes. */
export async function run(): Promise<object> {
  const figure = human161();
  const rows: Row[] = [];
  for (const joints of [16, 32, 64]) {
    for (const processors of [2, 4]) rows.push(row(`Table I, ${joints} joints`, serialChain(joints), { processors }));
  }
  for (const processors of [2, 4]) {
    rows.push(row('Table I, 64 joints, A*', serialChain(64), { processors }, scheduleByAStar));
  }
  for (const processors of [2, 4, 8]) rows.push(row('human-161', figure, { processors }));
  for (const processors of [2, 4, 8]) {
    const options = { processors, cost: engineCost(), chooseRoot: true };
    rows.push(row('human-161, engine costs, root chosen', figure, options));
  }
  rows.push(row('chain of 200 joints', serialChain(200), { processors: 8 }));
  for (const [what, reach] of [
    ['any link', Number.POSITIVE_INFINITY],
    ['last 20 links', 20],
    ['last 3 links', 3],
  ] as const) {
    for (const cost of [paperCost(), engineCost()]) {
      rows.push(
        row(`random tree of 1000 joints, each on ${what}, ${cost.name} costs`, randomTree(1000, 1, reach), {
          processors: 16,
          cost,
        }),
      );
    }
  }
  rows.push(row('chain of 10000 joints', serialChain(10000), { processors: 8 }));
  return { rows };
}
