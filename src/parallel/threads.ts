// Threads of Node (worker_threads) and of browsers (Web Workers) behind one interface. The only place that knows which.

export interface Thread {
  send(message: unknown): void;
  /** Called with every message, and once when the thread is gone, with the reason. */
  listen(onMessage: (message: unknown) => void, onEnd: (reason: string) => void): void;
  /** Whether the program shall wait for it before it ends: only while an answer is awaited. */
  hold(on: boolean): void;
  end(): void;
}

interface NodeWorker {
  postMessage(message: unknown): void;
  on(event: string, listener: (value: unknown) => void): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}

interface WebWorker {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  onerror: ((event: { message?: string; preventDefault(): void }) => void) | null;
  terminate(): void;
}

interface Surroundings {
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly Worker?: new (url: URL, options: { type: 'module' }) => WebWorker;
  readonly SharedArrayBuffer?: unknown;
  readonly crossOriginIsolated?: boolean;
  readonly navigator?: { readonly hardwareConcurrency?: number };
  readonly document?: unknown;
}

const here = globalThis as Surroundings;

export const isNode = (): boolean => here.process?.versions?.node !== undefined && here.document === undefined;

/** Why there can be no threads here; undefined where there can. */
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

/** Where the thread's program is; tests run from the sources, where it stands compiled beside them. */
function programUrl(): URL {
  const compiled = !import.meta.url.endsWith('.ts');
  return new URL(compiled ? './worker.js' : '../../dist/parallel/worker.js', import.meta.url);
}

export async function startThread(): Promise<Thread> {
  if (!isNode()) return webThread(new here.Worker!(programUrl(), { type: 'module' }));
  const { Worker } = await import('node:worker_threads');
  return nodeThread(new Worker(programUrl()) as unknown as NodeWorker);
}

function nodeThread(worker: NodeWorker): Thread {
  return {
    send: (message) => worker.postMessage(message),
    listen: (onMessage, onEnd) => {
      let reason = 'it ended';
      worker.on('message', onMessage);
      worker.on('error', (error) => {
        reason = String(error);
      });
      worker.on('exit', () => onEnd(reason));
    },
    hold: (on) => (on ? worker.ref() : worker.unref()),
    end: () => void worker.terminate(),
  };
}

function webThread(worker: WebWorker): Thread {
  let ended: (reason: string) => void = () => {};
  return {
    send: (message) => worker.postMessage(message),
    listen: (onMessage, onEnd) => {
      ended = onEnd;
      worker.onmessage = ({ data }) => onMessage(data);
      worker.onerror = (event) => {
        event.preventDefault();
        onEnd(event.message ?? 'it failed');
      };
    },
    hold: () => {},
    end: () => {
      worker.terminate();
      ended('it was ended');
    },
  };
}
