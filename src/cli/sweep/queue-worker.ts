// The worker's side of a queue. Runs are made on threads, so that the lease of a run is renewed while it is under way; a worker that
// dies lets it go, and BullMQ gives the run to another one.

import { setTimeout as wait } from 'node:timers/promises';
import type { Job } from 'bullmq';
import type { RunJob } from './job.js';
import { redacted } from './queue-address.js';
import { atMost, jobIdOf, QUEUE, type QueueConnection } from './queue-connection.js';
import type { RunPool } from './run-pool.js';

export interface WorkerConditions {
  readonly threads: number;
  /** Seconds. */
  readonly lease: number;
  readonly idle: number | undefined;
  readonly signal: AbortSignal;
}

/** Who is told what happens. */
export interface WorkerStatus {
  sayOnce(line: string): void;
  count(good: boolean): void;
}

/** A run that takes its worker down is tried so often by others: it may be innocent. */
const MOST_STALLS = 10;

/** Works until the signal, or until there was nothing to do for long enough. */
export async function workQueue(
  { bull, client, address }: QueueConnection,
  pool: RunPool,
  { threads, lease, idle, signal }: WorkerConditions,
  status: WorkerStatus,
): Promise<void> {
  let [busy, last] = [0, performance.now()];
  const make = async (job: Job, token: string | undefined): Promise<{ text: string }> => {
    busy++;
    try {
      const outcome = await pool.run(job.data as RunJob);
      if ('fault' in outcome)
        throw outcome.permanent ? new bull.UnrecoverableError(outcome.fault) : new Error(outcome.fault);
      if (jobIdOf(outcome.key) !== job.id)
        throw new bull.UnrecoverableError('The name of the run does not belong to what is in it.');
      return { text: outcome.text };
    } catch (error) {
      if (!signal.aborted) throw error;
      await job.moveToWait(token);
      throw new bull.WaitingError();
    } finally {
      busy--;
      last = performance.now();
    }
  };
  const worker = new bull.Worker(QUEUE, make, {
    connection: client,
    concurrency: threads,
    lockDuration: 1000 * lease,
    stalledInterval: 500 * lease,
    maxStalledCount: MOST_STALLS,
    drainDelay: 1,
  });
  worker.on('completed', () => status.count(true));
  worker.on('failed', (_job, error) => {
    status.count(false);
    status.sayOnce(`Failed: ${redacted(error.message, address)}`);
  });
  // Outages are told by the client; a lease that was lost in one means that somebody else makes the run.
  worker.on('error', (error) => {
    if (!/lock|ECONN|Connection is closed|EPIPE|LOADING/i.test(error.message))
      status.sayOnce(`Warning: ${redacted(error.message, address)}`);
  });
  const stop = (): void => void pool.end(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    while (!signal.aborted && (idle === undefined || busy > 0 || performance.now() - last < 1000 * idle))
      await wait(200, undefined, { signal }).catch(() => {});
  } finally {
    signal.removeEventListener('abort', stop);
    await atMost(3000, worker.close());
    await pool.end();
    client.disconnect();
  }
}
