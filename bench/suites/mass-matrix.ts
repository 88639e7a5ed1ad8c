// The algorithms of paper 004 in plain TypeScript.

import { State } from '#src/mechanism/state.js';
import { createTree } from '#src/mechanism/tree.js';
import { builtinMechanism } from '#src/models/index.js';
import { MASS_MATRIX_ALGORITHMS, massMatrixInLinkOrder } from '#src/papers/mass-matrix/algorithms.js';
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
  const algorithms: object[] = [];
  for (const name of ['chain-8', 'chain-32', 'human-34']) algorithms.push(await algorithmRow(name));
  return { algorithms };
}
