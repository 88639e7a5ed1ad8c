// The gallery's end of its worker. A new question takes the place of the one before: the worker that is busy with it is ended.

import type { Finding, FindingMessage, Study } from './protocol.js';

export class Studies {
  #worker: Worker | undefined;
  #busy = false;
  #next = 1;

  /** Asks; parts come as they are found. Rejects with what went wrong, and never where another question came after it. */
  ask(study: Study, found: (finding: Finding) => void): Promise<void> {
    if (this.#busy) this.end();
    this.#worker ??= new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    const [worker, id] = [this.#worker, this.#next++];
    this.#busy = true;
    return new Promise((done, fail) => {
      worker.onerror = ({ message }) => fail(new Error(`The computation stopped: ${message}`));
      worker.onmessage = ({ data }: MessageEvent<FindingMessage>) => {
        if (data.id !== id) return;
        if (!data.done) {
          found(data);
          return;
        }
        this.#busy = false;
        if (data.error === undefined) done();
        else fail(new Error(data.error));
      };
      worker.postMessage({ id, study });
    });
  }

  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#busy = false;
  }
}
