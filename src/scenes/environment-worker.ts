// The program of a thread of an environment: it makes its share of the copies, then waits in shared memory for what to do.

import { ownPort } from '../threads/port.js';
import { beginThread } from '../threads/surroundings.js';
import { EnvironmentCopies } from './environment-copies.js';
import {
  ANSWERED,
  ASKED,
  END,
  type EnvironmentReady,
  type EnvironmentShare,
  formatTold,
  RESET,
  SEED,
  TEXT,
  TEXT_ROOM,
  WHAT,
} from './environment-protocol.js';
import { loadTask } from './environment-task.js';

/** Does what is asked for until the end. */
function serve(copies: EnvironmentCopies, { control, own, text }: EnvironmentShare): void {
  const encoder = new TextEncoder();
  for (let done = 0; ; ) {
    Atomics.wait(control, ASKED, done);
    done = Atomics.load(control, ASKED);
    const what = control[WHAT];
    if (what === END) return;
    let error: unknown;
    try {
      if (what === RESET) copies.reset(control[SEED]);
      else copies.step();
    } catch (cause) {
      error = cause;
    }
    control[own + TEXT] = encoder.encodeInto(formatTold(copies, error).slice(0, TEXT_ROOM / 4), text).written;
    Atomics.store(control, own + ANSWERED, done);
    Atomics.notify(control, own + ANSWERED);
  }
}

beginThread((threads) => {
  const port = ownPort<EnvironmentShare, EnvironmentReady>(threads);
  port.listen(async (share) => {
    try {
      const options = { ...(await loadTask(share.task)), copies: share.copies };
      const copies = new EnvironmentCopies(share.scene, options, share.arrays, share.first, share.end);
      port.post({ error: undefined });
      serve(copies, share);
    } catch (error) {
      port.post({ error: error instanceof Error ? error.message : String(error) });
    }
  });
});
