// The mass matrix: CRBA in body frames, the paper's variant in a fixed frame, and that on two threads.

import { State } from '#src/mechanism/state.js';
import { createTree } from '#src/mechanism/tree.js';
import { builtinMechanism } from '#src/models/index.js';
import { MASS_MATRIX_ALGORITHMS, massMatrixInLinkOrder } from '#src/papers/mass-matrix/algorithms.js';
import { ParallelMassMatrix } from '#src/papers/mass-matrix/threads/parallel.js';
import { crba, createCrba } from '#src/reference/crba.js';
import { timings, warmUp } from '../measure.js';

/** Microseconds of one call each. */
async function microseconds(calls: readonly (() => void)[], milliseconds: number): Promise<number[]> {
  await warmUp(calls, milliseconds / 4);
  const times = timings(
    calls.map((call) => ({ call })),
    { milliseconds },
  );
  return times.map(({ ns }) => round(ns / 1000));
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
  const calls = [() => crba(tree, scratch, q), () => void one.compute(q), () => void two.compute(q)];
  const [body, single, double] = await microseconds(calls, 9000);
  await two.dispose();
  return {
    model: name,
    crbaMicroseconds: body,
    oneThreadMicroseconds: single,
    twoThreadsMicroseconds: double,
    gain: round(single / double),
  };
}

/** The readable algorithms of the paper, over the arithmetic that also counts. */
async function algorithmRow(name: string): Promise<object> {
  const mechanism = builtinMechanism(name);
  const tree = createTree(mechanism);
  const { q } = State.random(mechanism, 1);
  const calls = MASS_MATRIX_ALGORITHMS.map((algorithm) => () => void massMatrixInLinkOrder(tree, q, algorithm));
  const times = await microseconds(calls, 1500);
  return { model: name, microseconds: Object.fromEntries(MASS_MATRIX_ALGORITHMS.map((key, k) => [key, times[k]])) };
}

export async function run(): Promise<object> {
  const threads: object[] = [];
  for (const name of ['chain-64', 'chain-128', 'chain-256', 'chain-512', 'chain-1024', 'human-161'])
    threads.push(await threadRow(name));
  const algorithms: object[] = [];
  for (const name of ['chain-8', 'chain-32', 'human-34']) algorithms.push(await algorithmRow(name));
  return { threads, algorithms };
}
