// What one rank does in a step: the operations of messages.ts on its own memory. Where something has not come yet it can be
// left and taken up again, so that ranks may share a thread.

import type { WasmInstance, WasmMemory } from '../wasm/webassembly.js';
import type { MemoryPiece, RankMessage, RankProgram } from './messages.js';
import type { Channel, OpenChannels, Transport } from './transport.js';

const NUMBER = 8;
const NOTHING = new Float64Array(0);

/** Done, or to be asked again. */
type Action = () => boolean;

export class RankRunner {
  readonly #transport: Transport;
  readonly #channels: OpenChannels;
  readonly #actions: readonly Action[];
  /** The next action; -1 before a step. */
  #at = -1;

  constructor(
    { messages, operations }: RankProgram,
    { memory, exports }: { readonly memory: WasmMemory; readonly exports: WasmInstance['exports'] },
    transport: Transport,
  ) {
    this.#transport = transport;
    const { rank } = transport;
    const numbers = new Float64Array(memory.buffer, 0, Math.floor(memory.buffer.byteLength / NUMBER));
    const isNear = messages.map(({ from, to }) => transport.shares(from === rank ? to : from));
    const buffers = messages.map((message, k) => (isNear[k] ? NOTHING : buffer(message, rank, memory)));
    const known = new Map<string, number>();
    const channels = transport.open(
      messages.map(({ from, to, pieces }, k): Channel => {
        const count = pieces.reduce((sum, piece) => sum + piece.count, 0);
        const contents = `${from} ${pieces.map((piece) => piece.at)} ${count}`;
        const same = known.get(contents);
        if (same === undefined) known.set(contents, k);
        return { from, to, count, ...(same !== undefined && { same }), data: buffers[k] };
      }),
    );
    this.#channels = channels;
    this.#actions = operations[rank].map((operation): Action => {
      if ('run' in operation) {
        const run = exports[operation.run];
        return () => {
          run();
          return true;
        };
      }
      const k = 'send' in operation ? operation.send : operation.wait;
      const { pieces } = messages[k];
      const data = buffers[k];
      const inPlace = isNear[k] || pieces.length === 1;
      if ('send' in operation)
        return () => {
          if (!inPlace) pack(data, numbers, pieces);
          channels.send(k);
          return true;
        };
      return () => {
        if (!channels.arrived(k)) return false;
        if (!inPlace) unpack(numbers, data, pieces);
        return true;
      };
    });
  }

  /** Does all that can be done now; whether that is all of the step. */
  advance(): boolean {
    const actions = this.#actions;
    if (this.#at < 0) {
      this.#channels.begin();
      this.#at = 0;
    }
    while (this.#at < actions.length) {
      if (!actions[this.#at]()) return false;
      this.#at++;
    }
    if (!this.#channels.sent()) return false;
    this.#at = -1;
    return true;
  }

  /** The whole step; `check` is called while it waits. */
  step(check?: () => void): void {
    for (let waits = 0, at = 0; !this.advance(); ) {
      waits = at === this.#at ? waits + 1 : 0;
      at = this.#at;
      check?.();
      this.#transport.idle(waits);
    }
  }

  close(): void {
    this.#channels.close();
  }
}

/** A single piece travels from where it stands to where it belongs; several go through a buffer. */
function buffer({ from, to, pieces }: RankMessage, rank: number, memory: WasmMemory): Float64Array {
  if (from !== rank && to !== rank) return NOTHING;
  if (pieces.length === 1) return new Float64Array(memory.buffer, pieces[0].at, pieces[0].count);
  const count = pieces.reduce((sum, piece) => sum + piece.count, 0);
  return new Float64Array(new ArrayBuffer(NUMBER * count));
}

function pack(data: Float64Array, numbers: Float64Array, pieces: readonly MemoryPiece[]): void {
  let to = 0;
  for (let p = 0; p < pieces.length; p++) {
    const { at, count } = pieces[p];
    const from = at / NUMBER;
    for (let k = 0; k < count; k++) data[to++] = numbers[from + k];
  }
}

function unpack(numbers: Float64Array, data: Float64Array, pieces: readonly MemoryPiece[]): void {
  let from = 0;
  for (let p = 0; p < pieces.length; p++) {
    const { at, count } = pieces[p];
    const to = at / NUMBER;
    for (let k = 0; k < count; k++) numbers[to + k] = data[from++];
  }
}
