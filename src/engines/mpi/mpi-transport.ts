// Records over MPI: for each channel a request that is made once and started in every step. Receives are started before
// anything is computed, so that what comes early finds its place. Records of joins are small enough that a send returns at once.

import { type MpiLibrary, REQUEST_BYTES } from './library.js';
import type { Channel, OpenChannels, Transport } from './transport.js';

/** Tags that every MPI has. */
const TAGS = 32_768;
/**
 * Looks at what has come, a fraction of a microsecond each, before others are let in, and before we sleep: who waits so long
 * waits for somebody that has no processor. Where ranks take turns on processors that is so from the beginning: to yield
 * is not enough there, since who yields has its turn again soon. Between machines messages take their time, and who has
 * yielded to others comes late.
 */
const PATIENCE = {
  near: { yield: 400, sleep: 4000 },
  far: { yield: 4000, sleep: 40_000 },
  'in turns': { yield: 2, sleep: 4 },
} as const;

/** Where ranks are: on this machine with a processor for each, on others too, or more of them than processors. */
export type Neighbourhood = keyof typeof PATIENCE;

/** Numbers that every MPI sends without waiting for the receiver: 2 kB. */
const SMALL = 256;

export class MpiTransport implements Transport {
  readonly rank: number;
  readonly ranks: number;
  readonly #mpi: MpiLibrary;
  readonly #patience: { readonly yield: number; readonly sleep: number };
  readonly neighbourhood: Neighbourhood;
  #tag: number;

  /** `tag`: the first that is used, the same on all ranks. */
  constructor(mpi: MpiLibrary, neighbourhood: Neighbourhood, tag = 0) {
    this.rank = mpi.rank;
    this.ranks = mpi.ranks;
    this.#mpi = mpi;
    this.#patience = PATIENCE[neighbourhood];
    this.neighbourhood = neighbourhood;
    this.#tag = tag;
  }

  /** Between machines a message is under way for long, and where ranks take turns each hop waits for a turn. */
  get relays(): boolean {
    return this.neighbourhood === 'near';
  }

  open(channels: readonly Channel[]): OpenChannels {
    const first = this.#tag;
    // The same on all ranks: those of programs long gone are used again.
    this.#tag = (first + channels.length) % TAGS;
    return new MpiChannels(this.#mpi, channels, (k) => (first + k) % TAGS);
  }

  /** The tag of the first channel that is opened next. */
  get tag(): number {
    return this.#tag;
  }

  shares(): boolean {
    return false;
  }

  idle(waits: number): void {
    if (waits > this.#patience.sleep) this.#mpi.sleep();
    else if (waits > this.#patience.yield) this.#mpi.yield();
  }
}

class MpiChannels implements OpenChannels {
  readonly #mpi: MpiLibrary;
  /** Requests side by side: what comes, then what goes. */
  readonly #incoming: Uint8Array;
  readonly #outgoing: Uint8Array;
  readonly #comes: number;
  readonly #goes: number;
  readonly #tag: (k: number) => number;
  /** The request of each channel; none where small numbers go. */
  readonly #requests: readonly (Uint8Array | undefined)[];
  /** Memory that MPI knows must stay. */
  readonly #channels: readonly Channel[];

  constructor(mpi: MpiLibrary, channels: readonly Channel[], tag: (k: number) => number) {
    const { rank } = mpi;
    const size = mpi.family === 'Open MPI' ? REQUEST_BYTES : 4;
    this.#mpi = mpi;
    this.#channels = channels;
    this.#tag = tag;
    this.#comes = channels.filter(({ to }) => to === rank).length;
    this.#goes = channels.filter(({ from, data }) => from === rank && data.length > SMALL).length;
    this.#incoming = new Uint8Array(new ArrayBuffer(size * Math.max(1, this.#comes)));
    this.#outgoing = new Uint8Array(new ArrayBuffer(size * Math.max(1, this.#goes)));
    let [comes, goes] = [0, 0];
    this.#requests = channels.map(({ from, to, data }, k) => {
      if (to === rank) {
        const request = this.#incoming.subarray(size * comes, size * ++comes);
        mpi.recvInit(data, from, tag(k), request);
        return request;
      }
      if (from !== rank || data.length <= SMALL) return undefined;
      const request = this.#outgoing.subarray(size * goes, size * ++goes);
      mpi.sendInit(data, to, tag(k), request);
      return request;
    });
  }

  begin(): void {
    if (this.#comes > 0) this.#mpi.startAll(this.#comes, this.#incoming);
  }

  send(k: number): void {
    const request = this.#requests[k];
    const { data, to } = this.#channels[k];
    if (request === undefined) this.#mpi.send(data, to, this.#tag(k));
    else this.#mpi.start(request);
  }

  arrived(k: number): boolean {
    return this.#mpi.test(this.#requests[k]!);
  }

  sent(): boolean {
    return this.#goes === 0 || this.#mpi.testAll(this.#goes, this.#outgoing);
  }

  close(): void {
    for (const request of this.#requests) if (request !== undefined) this.#mpi.free(request);
  }
}
