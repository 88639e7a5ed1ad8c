// Ranks that take turns in one thread: what they send waits in a list.

import type { Channel, OpenChannels, Transport } from '../../src/engines/mpi/transport.js';

/** Transports of so many ranks, which whoever has made them advances in turn. */
export function sameThread(ranks: number): Transport[] {
  /** For each call of `open` and each channel, what has been sent and not yet fetched. */
  const boxes: Float64Array[][][] = [];
  return Array.from({ length: ranks }, (_, rank): Transport => {
    let opened = 0;
    return {
      rank,
      ranks,
      relays: false,
      shares: () => false,
      open: (channels) => {
        const number = opened++;
        boxes[number] ??= channels.map(() => []);
        return openBoxes(channels, boxes[number]);
      },
      idle: () => {
        throw new Error('ranks of one thread cannot wait for each other');
      },
    };
  });
}

function openBoxes(channels: readonly Channel[], boxes: Float64Array[][]): OpenChannels {
  return {
    begin: () => {},
    send: (k) => void boxes[k].push(channels[k].data.slice()),
    arrived: (k) => {
      const data = boxes[k].shift();
      if (data !== undefined) channels[k].data.set(data);
      return data !== undefined;
    },
    sent: () => true,
    close: () => {},
  };
}
