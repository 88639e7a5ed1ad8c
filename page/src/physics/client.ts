// The page's end of the physics: asks the worker, and puts what it answers into the store.

import type { Replay } from 'manikin/plot';
import { ReplaySource } from '../replay/source.js';
import type { Store } from '../store.js';
import type { Answers, Reply, Request } from './protocol.js';

/** Put something else on the stage. */
const OTHERS = new Set<Request['do']>(['list', 'load', 'open', 'follow', 'restore']);

export class Physics implements Answers {
  readonly #worker: Worker;
  readonly #store: Store;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #next = 1;
  #replay: ReplaySource | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#take(data);
    this.#worker.onerror = ({ message }) => store.set({ message: `The physics stopped: ${message}`, playing: false });
  }

  /** A replay is on the stage until something else is loaded; the physics stands still. */
  play(replay: Replay): void {
    void this.#send({ do: 'play', speed: 0 });
    this.#replay = new ReplaySource(this.#store, replay);
    this.#store.set({ picked: undefined, schedule: undefined, colourByProcessor: false });
    this.#replay.show();
  }

  /** Never rejects: what went wrong is told to the person. */
  ask(request: Request): Promise<Reply> {
    if (this.#replay !== undefined && !OTHERS.has(request.do)) return this.#replay.ask(request);
    if (request.do !== 'list') this.#replay = undefined;
    return this.#send(request);
  }

  #send(request: Request): Promise<Reply> {
    const id = this.#next++;
    return new Promise((done) => {
      this.#waiting.set(id, done);
      this.#worker.postMessage({ id, request });
    });
  }

  #take(reply: Reply): void {
    const { id, frame, scene, said, error } = reply;
    const seen = this.#replay === undefined;
    this.#store.set({
      ...(seen && scene !== undefined && { scene }),
      ...(seen && frame !== undefined && { frame }),
      ...(said !== undefined && { message: said }),
      // What was asked for and refused stops nothing; where time itself cannot go on, it stands still.
      ...(error !== undefined && { message: error, ...(id === 0 && { playing: false }) }),
    });
    this.#waiting.get(id)?.(reply);
    this.#waiting.delete(id);
  }
}
