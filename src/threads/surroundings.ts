// What there is where this program runs.

import { builtinModule } from './builtin.js';
import { builtinThreads, type WorkerThreads } from './thread.js';

interface Surroundings {
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly Worker?: unknown;
  readonly SharedArrayBuffer?: unknown;
  readonly crossOriginIsolated?: boolean;
  readonly navigator?: { readonly hardwareConcurrency?: number };
  readonly document?: unknown;
}

const here = globalThis as Surroundings;

export const isNode = (): boolean => here.process?.versions?.node !== undefined && here.document === undefined;

/** Why threads cannot share memory here; undefined where they can. */
export function reasonForOneThread(): string | undefined {
  if (here.SharedArrayBuffer === undefined)
    return 'there is no shared memory: a page needs the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.';
  if (isNode()) return undefined;
  if (here.crossOriginIsolated === false)
    return 'the page is not cross-origin isolated: it needs the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.';
  if (here.document !== undefined) return "a page's own thread must never wait: step in a Web Worker.";
  return here.Worker === undefined ? 'there are no workers.' : undefined;
}

/** Processors that this program may use. */
export async function processors(): Promise<number> {
  if (!isNode()) return here.navigator?.hardwareConcurrency ?? 1;
  const { availableParallelism } = (await nodeModule('node:os')) as { availableParallelism(): number };
  return availableParallelism();
}

/** Processors of the machine, for Node: Open MPI binds each rank to one of them, which is all that `processors` sees then. */
export async function allProcessors(): Promise<number> {
  const { cpus } = (await nodeModule('node:os')) as { cpus(): readonly unknown[] };
  return cpus().length;
}

/** Node's module, in every version of it; undefined in pages. */
export async function loadThreads(): Promise<WorkerThreads | undefined> {
  return isNode() ? ((await nodeModule('node:worker_threads')) as WorkerThreads) : undefined;
}

/**
 * Begins the program of a thread with Node's module: at once where that is there or not needed, so that a page's worker
 * listens before its first message comes. No `await` at the top of a module: workers are bundled as plain scripts, too.
 */
export function beginThread(program: (threads: WorkerThreads | undefined) => void): void {
  const threads = builtinThreads();
  if (threads !== undefined || !isNode()) program(threads);
  else void loadThreads().then(program);
}

/** Versions of Node before 20.16 need an import, with a name that bundlers for pages do not look for. */
async function nodeModule(name: string): Promise<unknown> {
  return builtinModule(name) ?? import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}
