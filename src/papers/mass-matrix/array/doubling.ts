// Recursive doubling ([004], parallel V N-E B, steps 1.2, 2.1, 3.1 and 3.3), once for all of its uses. The processors of
// a column form a tree (a chain in the paper); every one has a value. In round e a processor and its ancestor of
// distance 2^e meet:
//
//   fromRoot    the ancestor's value goes to the descendant: afterwards each has put together all from the root to itself
//   fromLeaves  the descendant's value goes to the ancestor: afterwards each has put together all of its subtree
//
// After ceil(log2(depth)) rounds no one has such an ancestor any more. On a chain each processor hears from one other in
// a round; in a tree an ancestor may hear from several, and takes them one after the other.

import type { ProcessorArray, Transfer } from './processor-array.js';

/** For each round the pairs that meet: from ancestor to descendant. */
export type Rounds = readonly (readonly Transfer[])[];

/** parents: of each processor, -1 for a root. */
export function doublingRounds(parents: ArrayLike<number>): Rounds {
  const rounds: Transfer[][] = [];
  let ancestor = Array.from(parents);
  for (;;) {
    const pairs = ancestor.flatMap((from, to) => (from < 0 ? [] : [{ from, to }]));
    if (pairs.length === 0) return rounds;
    rounds.push(pairs);
    const last = ancestor;
    ancestor = last.map((a) => (a < 0 ? -1 : last[a]));
  }
}

export interface Doubling<V, M> {
  readonly name: string;
  readonly towards: 'root' | 'leaves';
  /** Numbers in a message. */
  readonly words: number;
  /** What a processor sends; its own work. */
  readonly prepare: (processor: number, value: V) => M;
  /** What a processor makes of its value and a message; its own work. */
  readonly combine: (processor: number, value: V, message: M) => V;
  /** Number of the first round, where a doubling is done in parts. */
  readonly first?: number;
}

/** values <- the values put together. */
export function double<V, M>(array: ProcessorArray, rounds: Rounds, values: V[], how: Doubling<V, M>): void {
  rounds.forEach((pairs, k) => {
    const round = k + (how.first ?? 0);
    const transfers = how.towards === 'leaves' ? pairs : pairs.map(({ from, to }) => ({ from: to, to: from }));
    const heard = new Map<number, number[]>();
    for (const { from, to } of transfers) {
      const list = heard.get(to);
      if (list === undefined) heard.set(to, [from]);
      else list.push(from);
    }
    const messages = new Map<number, M>();
    const senders = new Set(transfers.map(({ from }) => from));
    array.run(`${how.name}, round ${round + 1}: prepare`, (processor) => {
      if (senders.has(processor)) messages.set(processor, how.prepare(processor, values[processor]));
    });
    array.send(transfers, how.words, round);
    array.run(`${how.name}, round ${round + 1}: combine`, (processor) => {
      for (const from of heard.get(processor) ?? [])
        values[processor] = how.combine(processor, values[processor], messages.get(from)!);
    });
  });
}
