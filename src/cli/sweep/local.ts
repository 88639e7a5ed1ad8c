// Runs on the threads of this machine.

import type { PlannedRun, SweepPlan } from './plan.js';
import type { ResultStore } from './result-store.js';
import { RUNS_AT_HAND, type RunPool } from './run-pool.js';
import { type Tally, unwrittenReason } from './tally.js';

/** Results that are being written, for each thread: the disk takes some time for a file, and several at once. */
const WRITTEN = 4;

export async function runHere(
  plan: SweepPlan,
  runs: readonly PlannedRun[],
  store: ResultStore,
  tally: Tally,
  pool: RunPool,
  signal: AbortSignal,
): Promise<void> {
  const stop = (): void => void pool.end(signal.reason);
  signal.addEventListener('abort', stop);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      const run = runs[next++];
      if (run === undefined) return;
      const outcome = await pool.run(await plan.job(run.index));
      if ('fault' in outcome) tally.fail({ ...run, message: outcome.fault });
      else await keep(run, outcome.text, store, tally);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min((RUNS_AT_HAND + WRITTEN) * pool.most, runs.length) }, lane));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Writes a result; a disk that is full costs this run and no other. False: it is not written. */
export async function keep(run: PlannedRun, text: string, store: ResultStore, tally: Tally): Promise<boolean> {
  try {
    await store.write(run.key, text);
  } catch (error) {
    tally.fail({ ...run, message: unwrittenReason(error) });
    return false;
  }
  tally.succeed();
  return true;
}
