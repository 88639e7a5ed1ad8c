// Threads of Node (worker_threads) and of pages (Web Workers) behind one interface. This folder alone knows which.

import { builtinModule } from './builtin.js';

export interface Thread {
  send(message: unknown): void;
  /** Called with every message, and once when the thread is gone, with the reason. */
  listen(onMessage: (message: unknown) => void, onEnd: (reason: string) => void): void;
  /** Whether the program shall wait for it before it ends: only while an answer is awaited. Pages do not wait. */
  hold(on: boolean): void;
  /** Done when it has ended, in the middle of whatever it does. */
  end(): Promise<unknown>;
}

interface NodeEvents {
  on(event: 'message' | 'error' | 'exit', listener: (value: unknown) => void): unknown;
  postMessage(message: unknown): void;
}

interface NodeWorker extends NodeEvents {
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

/** What is used of Node's module. */
export interface WorkerThreads {
  readonly parentPort: NodeEvents | null;
  readonly Worker: new (file: URL, options: { readonly execArgv: readonly string[] }) => NodeWorker;
}

export interface WebWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { readonly message?: string; preventDefault?(): void }) => void) | null;
  postMessage(message: unknown): void;
  terminate(): void;
}

/** Where the program of a thread is. */
export interface WorkerProgram {
  /** The name of its file. Bundlers that make no bundle of it need a copy from dist/workers beside their output. */
  readonly name: string;
  /** In Node. */
  file(): URL;
  /** In a page. Bundlers look for the very words `new Worker(new URL(...))`, which therefore stand at the caller's. */
  inPage(): WebWorker;
}

/** A page's; Node has none under this name. */
declare const Worker: new (file: URL, options: { type: 'module' }) => WebWorker;
declare const location: { readonly href: string };

/** Node's module, without waiting; undefined in pages and before Node 20.16. */
export const builtinThreads = (): WorkerThreads | undefined =>
  builtinModule('node:worker_threads') as WorkerThreads | undefined;

/** Starts a program; throws where there can be no threads. */
export function openThread(program: WorkerProgram, threads = builtinThreads()): Thread {
  if (typeof Worker !== 'undefined') return webThread(program);
  if (threads === undefined) throw new Error('this environment has none');
  // Flags of the process are not the thread's: some of them (--input-type) would stop it.
  return nodeThread(new threads.Worker(program.file(), { execArgv: [] }));
}

function nodeThread(worker: NodeWorker): Thread {
  return {
    send: (message) => worker.postMessage(message),
    listen: (onMessage, onEnd) => {
      let reason = 'it has ended';
      worker.on('message', onMessage);
      worker.on('error', (error) => {
        reason = error instanceof Error ? error.message : String(error);
      });
      worker.on('exit', () => onEnd(reason));
    },
    hold: (on) => (on ? worker.ref() : worker.unref()),
    end: () => worker.terminate(),
  };
}

/** A bundle that is a plain script does not know its own address: there the program is looked for beside the page. */
function webWorker({ name, inPage }: WorkerProgram): WebWorker {
  try {
    return inPage();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return new Worker(new URL(name, location.href), { type: 'module' });
  }
}

function webThread(program: WorkerProgram): Thread {
  const worker = webWorker(program);
  let ended: (reason: string) => void = () => {};
  return {
    send: (message) => worker.postMessage(message),
    listen: (onMessage, onEnd) => {
      ended = onEnd;
      worker.onmessage = ({ data }) => onMessage(data);
      worker.onerror = (event) => {
        event.preventDefault?.();
        onEnd(
          event.message ??
            `it is not allowed here, or its file is missing (a bundle needs ${program.name} from manikin/dist/workers beside it)`,
        );
      };
    },
    hold: () => {},
    // Pages tell nobody.
    end: async () => {
      worker.terminate();
      ended('it has ended');
    },
  };
}
