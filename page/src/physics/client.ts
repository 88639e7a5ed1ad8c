// The page's end of the physics: asks the worker, and puts what it answers into the store.

import type { Store } from '../store.js';
import type { Reply, Request } from './protocol.js';

export class Physics {
  readonly #worker: Worker;
  readonly #store: Store;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #next = 1;

  constructor(store: Store) {
    this.#store = store;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#take(data);
    this.#worker.onerror = ({ message }) => store.set({ message: `The physics stopped: ${message}`, playing: false });
  }

  /** Never rejects: what went wrong is told to the person. */
  ask(request: Request): Promise<Reply> {
    const id = this.#next++;
    return new Promise((done) => {
      this.#waiting.set(id, done);
      this.#worker.postMessage({ id, request });
    });
  }

  #take(reply: Reply): void {
    const { id, frame, scene, schedule, said, error } = reply;
    this.#store.set({
      ...(scene !== undefined && { scene }),
      ...(frame !== undefined && { frame }),
      ...(schedule !== undefined && { schedule }),
      ...(said !== undefined && { message: said }),
      ...(error !== undefined && { message: error, playing: false }),
    });
    this.#waiting.get(id)?.(reply);
    this.#waiting.delete(id);
  }
}
