// Threads inside ranks: those of one process share memory, those of others are reached by MPI. They are numbered rank by rank.

import { sharedMemory } from './shared-memory.js';
import type { Channel, Transport } from './transport.js';

const NOBODY: Channel = { from: -1, to: -1, count: 0, data: new Float64Array(0) };

/** For a thread of the process that `mpi` belongs to; `flags` as of sharedMemory. */
export function threadTransport(thread: number, threads: number, flags: Int32Array, mpi: Transport): Transport {
  const rank = threads * mpi.rank + thread;
  const ranks = threads * mpi.ranks;
  const near = sharedMemory(rank, ranks, flags);
  const processOf = (other: number): number => Math.floor(other / threads);
  const shares = (other: number): boolean => processOf(other) === mpi.rank;
  return {
    rank,
    ranks,
    relays: false,
    shares,
    idle: (waits) => mpi.idle(waits),
    open: (channels) => {
      const flagged = near.open(channels);
      const isNear = channels.map(({ from, to }) => shares(from) && shares(to));
      // Channels keep their numbers, by which tags are given.
      const sent = mpi.open(
        channels.map(({ from, to, ...rest }, k) =>
          isNear[k] || (from !== rank && to !== rank) ? NOBODY : { ...rest, from: processOf(from), to: processOf(to) },
        ),
      );
      return {
        begin: () => {
          flagged.begin();
          sent.begin();
        },
        send: (k) => (isNear[k] ? flagged : sent).send(k),
        arrived: (k) => (isNear[k] ? flagged : sent).arrived(k),
        sent: () => sent.sent(),
        close: () => sent.close(),
      };
    },
  };
}
