// The threads of this folder: where their program is.

import { loadThreads } from '../../threads/surroundings.js';
import { openThread, type Thread, type WebWorker, type WorkerProgram } from '../../threads/thread.js';

/** A page's. */
declare const Worker: new (file: URL, options: { type: 'module' }) => WebWorker;

const PROGRAM: WorkerProgram = {
  name: 'threads-worker.js',
  file: () => {
    // Tests run from the sources, where the program stands compiled beside them.
    const here = import.meta.url;
    return new URL(
      here.endsWith('.ts') ? '../../../dist/engines/threads/threads-worker.js' : './threads-worker.js',
      here,
    );
  },
  inPage: () => new Worker(new URL('./threads-worker.js', import.meta.url), { type: 'module' }),
};

export async function startThread(): Promise<Thread> {
  return openThread(PROGRAM, await loadThreads());
}
