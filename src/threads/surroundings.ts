// What there is where this program runs.

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
  const { availableParallelism } = await import('node:os');
  return availableParallelism();
}

/** Node's module, in every version of it; undefined in pages. */
export async function loadThreads(): Promise<WorkerThreads | undefined> {
  if (!isNode()) return undefined;
  return builtinThreads() ?? ((await import('node:worker_threads')) as unknown as WorkerThreads);
}
