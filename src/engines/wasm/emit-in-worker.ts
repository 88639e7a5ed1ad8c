// Code is made in one worker for the whole process or page: a thread of Node or a Web Worker, begun when it is first
// needed and kept, since its second job takes a fraction of the first. Where there can be none (a policy without
// worker-src, a bundle without the worker's file, an old Node), every request fails with WorkerMissing.

import { openThread, type Thread, type WebWorker, type WorkerProgram } from '../../threads/thread.js';
import type { EmitAnswer, EmitRequest } from './emit-worker.js';
import type { Specialised } from './specialise.js';
import type { Emit } from './specialiser.js';

export class WorkerMissing extends Error {
  override readonly name = 'WorkerMissing';
}

/** A page's. */
declare const Worker: new (file: URL, options: { type: 'module' }) => WebWorker;

const PROGRAM: WorkerProgram = {
  name: 'emit-worker.js',
  file: () => new URL('./emit-worker.js', import.meta.url),
  inPage: () => new Worker(new URL('./emit-worker.js', import.meta.url), { type: 'module' }),
};

interface Waiting {
  readonly resolve: (made: Specialised) => void;
  readonly reject: (error: Error) => void;
}

let line: Thread | undefined;
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
    // The process must not end while an answer is awaited, nor wait for a worker without work.
    line.hold(true);
    line.send({ id, plan, options } satisfies EmitRequest);
  });

function receive(data: unknown): void {
  const answer = data as EmitAnswer;
  const asker = waiting.get(answer.id);
  waiting.delete(answer.id);
  if (waiting.size === 0) line?.hold(false);
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

function open(): Thread {
  const thread = openThread(PROGRAM);
  thread.listen(receive, lose);
  return thread;
}
