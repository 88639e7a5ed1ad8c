// Ranks of one machine: a record is put into memory that all of them have mapped, and a word behind it says of which step it is.
// That costs what threads pay for it; MPI is for what is large, and for whoever is elsewhere.
//
// A record has SLOTS places, taken in turn: a rank may be so many steps ahead of those who read what it writes. It knows how far they
// are by the step that each has begun: who has begun one has read everything of those before.

import type { Channel, OpenChannels, Transport } from './transport.js';

/** Bytes of the memory that ranks share. What does not fit goes by MPI. */
export const HOST_MEMORY = 1 << 23;
const SLOTS = 4;
/** Numbers of a record, at most: beyond, MPI copies as fast. */
const LARGEST = 512;
/** Bytes between what two ranks write: processors fetch lines in pairs. */
const APART = 128;
/** A look at a word takes so much less time than a look by MPI, for which `idle` counts. */
const LOOKS = 8;
const NOBODY: Channel = { from: -1, to: -1, count: 0, data: new Float64Array(0) };

/** `memory`: zeros, HOST_MEMORY bytes, the same on all ranks. */
export function hostTransport(memory: SharedArrayBuffer, mpi: Transport): Transport {
  const { rank, ranks } = mpi;
  let top = 0;
  return {
    rank,
    ranks,
    relays: false,
    shares: () => false,
    idle: (waits) => mpi.idle(Math.floor(waits / LOOKS)),
    open: (channels) => {
      const begun = top;
      // Places are given on all ranks alike. They are not given twice: somebody might still read what was there.
      let next = top + APART * ranks;
      const places = channels.map(({ count, same }) => {
        if (same !== undefined || count > LARGEST) return -1;
        const at = next;
        next += SLOTS * slotBytes(count);
        return at;
      });
      if (next > memory.byteLength) return mpi.open(channels);
      top = next;
      channels.forEach(({ same }, k) => {
        if (same !== undefined) places[k] = places[same];
      });
      const isHere = places.map((at) => at >= 0);
      const far = isHere.every((here) => here)
        ? undefined
        : mpi.open(channels.map((channel, k) => (isHere[k] ? NOBODY : channel)));
      const near = new Slots(memory, rank, begun, channels, places, (waits) => mpi.idle(Math.floor(waits / LOOKS)));
      return {
        begin: () => {
          near.begin();
          far?.begin();
        },
        send: (k) => (isHere[k] ? near : far!).send(k),
        arrived: (k) => (isHere[k] ? near : far!).arrived(k),
        sent: () => far === undefined || far.sent(),
        close: () => far?.close(),
      };
    },
  };
}

/** Numbers, then the step. */
const slotBytes = (count: number): number => APART * Math.ceil((8 * count + 4) / APART);

class Slots implements Pick<OpenChannels, 'begin' | 'send' | 'arrived'> {
  readonly #ints: Int32Array;
  readonly #numbers: Float64Array;
  readonly #channels: readonly Channel[];
  readonly #places: readonly number[];
  readonly #idle: (waits: number) => void;
  /** Words in which this rank and its readers say which step they have begun. */
  readonly #own: number;
  readonly #readers: readonly number[];
  /** The step, and one that all readers have begun. */
  #step = 0;
  #known = 0;

  constructor(
    memory: SharedArrayBuffer,
    rank: number,
    begun: number,
    channels: readonly Channel[],
    places: readonly number[],
    idle: (waits: number) => void,
  ) {
    this.#ints = new Int32Array(memory);
    this.#numbers = new Float64Array(memory);
    this.#channels = channels;
    this.#places = places;
    this.#idle = idle;
    const word = (other: number): number => (begun + APART * other) / 4;
    this.#own = word(rank);
    const readers = channels.flatMap(({ from, to }, k) => (from === rank && places[k] >= 0 ? [word(to)] : []));
    this.#readers = [...new Set(readers)];
  }

  begin(): void {
    const step = (this.#step + 1) | 0;
    this.#step = step;
    Atomics.store(this.#ints, this.#own, step);
    const needed = (step - SLOTS + 1) | 0;
    if (((this.#known - needed) | 0) >= 0) return;
    let least = step;
    for (const word of this.#readers) {
      let there = Atomics.load(this.#ints, word);
      for (let waits = 0; ((there - needed) | 0) < 0; waits++) {
        this.#idle(waits);
        there = Atomics.load(this.#ints, word);
      }
      if (((there - least) | 0) < 0) least = there;
    }
    this.#known = least;
  }

  #slot(k: number): number {
    return this.#places[k] + (this.#step & (SLOTS - 1)) * slotBytes(this.#channels[k].count);
  }

  #word(k: number, slot: number): number {
    return (slot + slotBytes(this.#channels[k].count)) / 4 - 1;
  }

  send(k: number): void {
    const { data, same } = this.#channels[k];
    // Who wants the same finds it in the same place.
    if (same !== undefined) return;
    const [numbers, slot] = [this.#numbers, this.#slot(k)];
    for (let i = 0, to = slot / 8; i < data.length; i++) numbers[to + i] = data[i];
    Atomics.store(this.#ints, this.#word(k, slot), this.#step);
  }

  arrived(k: number): boolean {
    const slot = this.#slot(k);
    if (Atomics.load(this.#ints, this.#word(k, slot)) !== this.#step) return false;
    const { data } = this.#channels[k];
    const numbers = this.#numbers;
    for (let i = 0, from = slot / 8; i < data.length; i++) data[i] = numbers[from + i];
    return true;
  }
}
