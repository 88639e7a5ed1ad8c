// What is used of Node's own modules, reached without an import, so that this folder loads in a browser. All of it is
// undefined there, and in versions of Node before 20.16.

interface ThreadEvents {
  on(event: 'message', listener: (data: unknown) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  postMessage(message: unknown): void;
}

export interface WorkerThreads {
  readonly parentPort: ThreadEvents | null;
  readonly Worker: new (
    url: URL,
    options: { readonly execArgv: readonly string[] },
  ) => ThreadEvents & { ref(): void; unref(): void };
}

export interface FileSystem {
  readFileSync(path: URL): Uint8Array<ArrayBuffer>;
}

function builtin(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name);
}

export const workerThreads = (): WorkerThreads | undefined =>
  builtin('node:worker_threads') as WorkerThreads | undefined;

export const fileSystem = (): FileSystem | undefined => builtin('node:fs') as FileSystem | undefined;
