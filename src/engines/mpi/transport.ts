// How records travel between those who compute one mechanism together. A program of ranks (messages.ts) knows nothing else
// of where they are: in one thread (in tests), on threads with one memory (shared-memory.ts), in processes of one machine
// (host-transport.ts), or anywhere (mpi-transport.ts).

/** Numbers that go from one rank to another in each step. */
export interface Channel {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** An earlier channel of the same sender with the same numbers. */
  readonly same?: number;
  /** What is sent, or where it arrives; nothing for whoever has no part in it. */
  readonly data: Float64Array;
}

/** Channels that one rank has opened. Numbers of channels are those of the list that `open` was given. */
export interface OpenChannels {
  /** A step begins: everything that will come may come. */
  begin(): void;
  send(channel: number): void;
  /** Whether what is sent in this step has come; it stands in `data` then. */
  arrived(channel: number): boolean;
  /** Whether all that was sent has left `data`. */
  sent(): boolean;
  close(): void;
}

export interface Transport {
  readonly rank: number;
  readonly ranks: number;
  /** A message takes as long to hand over as it is under way: what many need is passed on by those who have it already. */
  readonly relays: boolean;
  /** Whether another rank has the same memory: records are where they belong, and nothing but the news of them travels. */
  shares(rank: number): boolean;
  /** All ranks open the same list, in the same order; `data` matters to sender and receiver only. */
  open(channels: readonly Channel[]): OpenChannels;
  /** Called again and again while somebody is waited for; `waits` counts from 0. */
  idle(waits: number): void;
}
