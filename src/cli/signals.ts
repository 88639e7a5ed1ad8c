// SIGINT (Ctrl-C), SIGTERM and SIGHUP end the program at once, as usual, unless there is something to clean up: a file
// that is being written, or a command that asked to be told. JavaScript hears of a signal only between two turns of its
// event loop, so handlers are there no longer than they are needed: a long calculation, or an input that stays silent,
// is ended by the system itself.

import { Interrupted } from './errors.js';

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type SignalName = (typeof SIGNALS)[number];

const cleanups = new Set<() => void>();
const controller = new AbortController();
let watched = false;
let listening = false;

function listen(): void {
  const wanted = watched || cleanups.size > 0;
  if (wanted === listening) return;
  listening = wanted;
  for (const name of SIGNALS) {
    if (wanted) process.on(name, onSignal);
    else process.off(name, onSignal);
  }
  if (wanted) process.on('exit', cleanUp);
  else process.off('exit', cleanUp);
}

function cleanUp(): void {
  for (const cleanup of cleanups) cleanup();
  cleanups.clear();
}

function onSignal(name: SignalName): void {
  const interrupted = new Interrupted(name);
  // The command cleans up by itself; the second signal does not wait for it.
  if (watched && !controller.signal.aborted) {
    controller.abort(interrupted);
    return;
  }
  cleanUp();
  process.exit(interrupted.code);
}

/** Aborted by a signal. Who asks for it must look at it now and then, and end with its reason. */
export function interruption(): AbortSignal {
  watched = true;
  listen();
  return controller.signal;
}

/** Calls `cleanup` where the program ends, by whatever, before the returned function is called. */
export function atExit(cleanup: () => void): () => void {
  cleanups.add(cleanup);
  listen();
  return () => {
    cleanups.delete(cleanup);
    listen();
  };
}

/** Does something that may wait for another program: while it does, a signal ends this one at once. */
export function interruptible<T>(wait: () => T): T {
  const handled = listening && cleanups.size === 0;
  if (handled) for (const name of SIGNALS) process.off(name, onSignal);
  try {
    return wait();
  } finally {
    if (handled) for (const name of SIGNALS) process.on(name, onSignal);
  }
}
