// Runs on the threads of this machine.

import type { PlannedRun, SweepPlan } from './plan.js';
import type { ResultStore } from './result-store.js';
import { RUNS_AT_HAND, RunPool } from './run-pool.js';
import { type Tally, unwrittenReason } from './tally.js';

export async function runHere(
  plan: SweepPlan,
  runs: readonly PlannedRun[],
  store: ResultStore,
  tally: Tally,
  threads: number,
  signal: AbortSignal,
): Promise<void> {
  const pool = new RunPool(plan.root, Math.min(threads, runs.length));
  const stop = (): void => void pool.end(signal.reason);
  signal.addEventListener('abort', stop);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (;;) {
      signal.throwIfAborted();
      const run = runs[next++];
      if (run === undefined) return;
      const outcome = await pool.run(plan.job(run.index));
      if ('fault' in outcome) tally.fail({ ...run, message: outcome.fault });
      else keep(run, outcome.text, store, tally);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(RUNS_AT_HAND * threads, runs.length) }, lane));
  } finally {
    signal.removeEventListener('abort', stop);
    await pool.end();
  }
}

/** Writes a result; a disk that is full costs this run and no other. False: it is not written. */
export function keep(run: PlannedRun, text: string, store: ResultStore, tally: Tally): boolean {
  try {
    store.write(run.key, text);
  } catch (error) {
    tally.fail({ ...run, message: unwrittenReason(error) });
    return false;
  }
  tally.succeed();
  return true;
}
