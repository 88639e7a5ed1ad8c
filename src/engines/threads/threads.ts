// The threads of this folder: where their program is.

import { loadThreads } from '../../threads/surroundings.js';
import { openThread, type Thread, type WebWorker } from '../../threads/thread.js';

/** A page's. */
declare const Worker: new (file: URL, options: { type: 'module' }) => WebWorker;

export async function startThread(): Promise<Thread> {
  // Tests run from the sources, where the program stands compiled beside them.
  const compiled = !import.meta.url.endsWith('.ts');
  const file = new URL(compiled ? './worker.js' : '../../../dist/engines/threads/worker.js', import.meta.url);
  const inPage = (): WebWorker => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  return openThread(file, inPage, await loadThreads());
}
