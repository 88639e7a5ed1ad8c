// Ranks that are threads with one memory: a message is a word that holds the number of the step. A rank may begin a step when
// all have left the one before: until then others read what it would write.

import type { OpenChannels, Transport } from './transport.js';

/** Words from one flag to the next: processors fetch lines in pairs. */
export const FLAG_WORDS = 32;

/** `flags`: zeros, FLAG_WORDS for each channel that is opened. */
export function sharedMemory(rank: number, ranks: number, flags: Int32Array): Transport {
  let opened = 0;
  return {
    rank,
    ranks,
    relays: false,
    shares: () => true,
    open: (channels) => {
      const first = opened;
      opened += channels.length;
      return openFlags(flags.subarray(FLAG_WORDS * first, FLAG_WORDS * opened));
    },
    idle: () => {},
  };
}

function openFlags(flags: Int32Array): OpenChannels {
  let step = 0;
  return {
    begin: () => {
      step = (step + 1) | 0;
    },
    send: (k) => void Atomics.store(flags, FLAG_WORDS * k, step),
    arrived: (k) => Atomics.load(flags, FLAG_WORDS * k) === step,
    sent: () => true,
    close: () => {},
  };
}
