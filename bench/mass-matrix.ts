// The mass matrix: CRBA in body frames, the paper's variant in a fixed frame, and that on two threads.

import { crba, createCrba } from '../src/engines/plain/crba.js';
import { State } from '../src/mechanism/state.js';
import { createTree } from '../src/mechanism/tree.js';
import { builtinMechanism } from '../src/models/index.js';
import { MASS_MATRIX_ALGORITHMS, massMatrixInLinkOrder } from '../src/papers/mass-matrix/algorithms.js';
import { ParallelMassMatrix } from '../src/papers/mass-matrix/threads/parallel.js';

/** Calls in a row: a program that computes one matrix will soon compute the next. */
const ROW = 5;

/** Microseconds of one call each: the least of many rounds in which the tasks take turns, after some to warm up. */
function measureLong(tasks: ReadonlyMap<string, () => void>, milliseconds: number): Map<string, number> {
  const best = new Map([...tasks.keys()].map((name) => [name, Number.POSITIVE_INFINITY]));
  for (const warm of [true, false]) {
    const end = performance.now() + milliseconds / (warm ? 4 : 1);
    while (performance.now() < end)
      for (const [name, call] of tasks)
        for (let k = 0; k < ROW; k++) {
          const start = process.hrtime.bigint();
          call();
          const micros = Number(process.hrtime.bigint() - start) / 1000;
          if (!warm) best.set(name, Math.min(best.get(name)!, micros));
        }
  }
  return best;
}

const round = (x: number): number => Number(x.toPrecision(4));

async function threadRow(name: string): Promise<object> {
  const mechanism = builtinMechanism(name);
  const tree = createTree(mechanism);
  const { q } = State.random(mechanism, 1);
  const scratch = createCrba(tree);
  const one = new ParallelMassMatrix(mechanism, { threads: 1 });
  const two = new ParallelMassMatrix(mechanism, { threads: 2, worthwhile: 0 });
  await two.ready();
  const times = measureLong(
    new Map([
      ['crba', () => crba(tree, scratch, q)],
      ['one', () => void one.compute(q)],
      ['two', () => void two.compute(q)],
    ]),
    9000,
  );
  await two.dispose();
  const [body, single, double] = ['crba', 'one', 'two'].map((key) => times.get(key)!);
  return {
    model: name,
    crbaMicroseconds: round(body),
    oneThreadMicroseconds: round(single),
    twoThreadsMicroseconds: round(double),
    gain: round(single / double),
  };
}

/** The readable algorithms of the paper, over the arithmetic that also counts. */
function algorithmRow(name: string): object {
  const mechanism = builtinMechanism(name);
  const tree = createTree(mechanism);
  const { q } = State.random(mechanism, 1);
  const tasks = MASS_MATRIX_ALGORITHMS.map((algorithm): [string, () => void] => [
    algorithm,
    () => void massMatrixInLinkOrder(tree, q, algorithm),
  ]);
  const times = measureLong(new Map(tasks), 1500);
  return { model: name, microseconds: Object.fromEntries([...times].map(([key, x]) => [key, round(x)])) };
}

export async function run(): Promise<object> {
  const threads: object[] = [];
  for (const name of ['chain-64', 'chain-128', 'chain-256', 'chain-512', 'chain-1024', 'human-161'])
    threads.push(await threadRow(name));
  return { threads, algorithms: ['chain-8', 'chain-32', 'human-34'].map(algorithmRow) };
}
