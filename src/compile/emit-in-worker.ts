// Code is made in one worker for the whole process or page: a thread of Node or a Web Worker, begun when it is first
// needed and kept, since its second job takes a fraction of the first. Where there can be none (a policy without
// worker-src, a bundle without the worker's file, an old Node), every request fails with WorkerMissing.

import type { EmitAnswer, EmitRequest } from './emit-worker.js';
import { workerThreads } from './node-modules.js';
import type { Specialised } from './specialise.js';
import type { Emit } from './specialiser.js';

export class WorkerMissing extends Error {
  override readonly name = 'WorkerMissing';
}

interface WebWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { readonly message?: string; preventDefault?(): void }) => void) | null;
  postMessage(message: unknown): void;
}

/** The browser's; Node has none under this name. */
declare const Worker: undefined | (new (url: URL, options: { type: 'module' }) => WebWorker);

/** A worker of either kind. A process must not end while an answer is awaited, nor wait for a worker without work. */
interface Line {
  post(request: EmitRequest): void;
  ref(): void;
  unref(): void;
}

interface Waiting {
  readonly resolve: (made: Specialised) => void;
  readonly reject: (error: Error) => void;
}

let line: Line | undefined;
let missing: WorkerMissing | undefined;
let lastId = 0;
const waiting = new Map<number, Waiting>();

export const emitInWorker: Emit = (plan, options) =>
  new Promise((resolve, reject) => {
    try {
      if (missing !== undefined) throw missing;
      line ??= open();
    } catch (error) {
      lose(error);
      reject(missing!);
      return;
    }
    const id = ++lastId;
    waiting.set(id, { resolve, reject });
    line.ref();
    line.post({ id, plan, options });
  });

function receive(data: unknown): void {
  const answer = data as EmitAnswer;
  const asker = waiting.get(answer.id);
  waiting.delete(answer.id);
  if (waiting.size === 0) line?.unref();
  if ('made' in answer) asker?.resolve(answer.made);
  else asker?.reject(new Error(answer.error));
}

/** There is no worker, or no longer. */
function lose(error: unknown): void {
  missing = new WorkerMissing(`no worker could be started (${error instanceof Error ? error.message : String(error)})`);
  line = undefined;
  for (const { reject } of waiting.values()) reject(missing);
  waiting.clear();
}

function open(): Line {
  if (typeof Worker !== 'undefined') {
    // Bundlers look for these very words, and make a bundle of the worker.
    const worker = new Worker(new URL('./emit-worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      lose(event.message ?? 'it is not allowed here, or its file is missing');
    };
    return { post: (request) => worker.postMessage(request), ref: () => {}, unref: () => {} };
  }
  const threads = workerThreads();
  if (threads === undefined) throw new Error('this environment has none');
  // Flags of the process are not the worker's: some of them (--input-type) would stop it.
  const worker = new threads.Worker(new URL('./emit-worker.js', import.meta.url), { execArgv: [] });
  worker.on('message', receive);
  worker.on('error', lose);
  worker.on('exit', () => lose('it has ended'));
  return {
    post: (request) => worker.postMessage(request),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}
