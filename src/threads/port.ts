// The other side: a thread hears and answers whoever started it.

import { builtinThreads } from './thread.js';

export interface ThreadPort<In, Out> {
  post(message: Out): void;
  listen(receive: (message: In) => void): void;
}

interface WorkerScope {
  onmessage?: (event: { readonly data: unknown }) => void;
  postMessage?(message: unknown): void;
}

/** `threads`: Node's module, where it must be loaded first (surroundings.ts). */
export function ownPort<In, Out>(threads = builtinThreads()): ThreadPort<In, Out> {
  const port = threads?.parentPort ?? undefined;
  if (port !== undefined)
    return {
      post: (message) => port.postMessage(message),
      listen: (receive) => {
        port.on('message', (message) => receive(message as In));
      },
    };
  const scope = globalThis as WorkerScope;
  return {
    post: (message) => scope.postMessage?.(message),
    listen: (receive) => {
      scope.onmessage = ({ data }) => receive(data as In);
    },
  };
}
