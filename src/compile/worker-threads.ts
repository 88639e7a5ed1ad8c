// Node's threads, reached without an import, so that this folder loads in a browser.

interface ThreadEvents {
  on(event: 'message', listener: (data: unknown) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  postMessage(message: unknown): void;
}

/** The part of node:worker_threads that is used. */
export interface WorkerThreads {
  readonly parentPort: ThreadEvents | null;
  readonly Worker: new (
    url: URL,
    options: { readonly execArgv: readonly string[] },
  ) => ThreadEvents & { ref(): void; unref(): void };
}

/** Undefined in a browser, and in versions of Node before 20.16. */
export function workerThreads(): WorkerThreads | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.('node:worker_threads') as WorkerThreads | undefined;
}
