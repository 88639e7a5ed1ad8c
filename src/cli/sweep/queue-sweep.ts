// The sweep's side of a queue: puts runs in, takes results out and writes them. Redis is no store: whatever it loses is put in again,
// results that come twice are the same, and the only thing that counts is the folder of results.

import { setTimeout as wait } from 'node:timers/promises';
import type { Job, Queue } from 'bullmq';
import { packageVersion } from '../version.js';
import type { RunJob } from './job.js';
import { keep } from './local.js';
import type { PlannedRun, SweepPlan } from './plan.js';
import { type QueueAddress, redacted } from './queue-address.js';
import { atMost, jobIdOf, openQueue, QUEUE } from './queue-connection.js';
import type { ResultStore } from './result-store.js';
import type { Tally } from './tally.js';

/** Runs in the queue at the same time, and bytes of them. */
const MOST_QUEUED = 2000;
const MOST_BYTES = 64 * 1024 * 1024;
/** How often a run is tried where it may go better elsewhere. */
const ATTEMPTS = 3;
/** Seconds after which the server forgets results that nobody fetched. */
const KEPT = 7 * 24 * 3600;
const MAX_RESULT = 64 * 1024 * 1024;
/** Milliseconds: between looks for results where there were none, and between looks for runs that the server has lost. */
const LOOK = 100;
const RECONCILE = 1000;
const STATES = ['wait', 'active', 'delayed', 'prioritized', 'completed', 'failed'] as const;

export async function runQueued(
  plan: SweepPlan,
  runs: readonly PlannedRun[],
  store: ResultStore,
  tally: Tally,
  address: QueueAddress,
  signal: AbortSignal,
): Promise<void> {
  const { bull, client } = await openQueue(address, (line) => tally.say(line));
  const queue = new bull.Queue(QUEUE, {
    connection: client,
    // Nobody listens to events; the server keeps few of them.
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: {
      attempts: ATTEMPTS,
      backoff: { type: 'fixed', delay: 1000 },
      removeOnComplete: { age: KEPT },
      removeOnFail: { age: KEPT },
    },
  });
  // The client tells of outages.
  queue.on('error', () => {});
  const side = new QueuedRuns(plan, runs, store, tally, queue, address);
  try {
    await side.run(signal);
  } finally {
    if (signal.aborted) await atMost(3000, side.cancel());
    await atMost(1000, queue.close());
    client.disconnect();
  }
}

class QueuedRuns {
  readonly #plan: SweepPlan;
  readonly #runs: readonly PlannedRun[];
  readonly #store: ResultStore;
  readonly #tally: Tally;
  readonly #queue: Queue;
  readonly #address: QueueAddress;
  /** Runs whose results are awaited, by the name of their job. */
  readonly #awaited = new Map<string, PlannedRun>();
  #next = 0;
  #looked = performance.now();
  #alone = performance.now();
  #told = false;

  constructor(
    plan: SweepPlan,
    runs: readonly PlannedRun[],
    store: ResultStore,
    tally: Tally,
    queue: Queue,
    address: QueueAddress,
  ) {
    this.#plan = plan;
    this.#runs = runs;
    this.#store = store;
    this.#tally = tally;
    this.#queue = queue;
    this.#address = address;
  }

  async run(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<never>((_, failed) => {
      signal.addEventListener('abort', () => failed(signal.reason), { once: true });
    });
    stopped.catch(() => {});
    signal.throwIfAborted();
    // While the server is away commands wait; Ctrl-C does not.
    await Promise.race([this.#all(signal), stopped]);
  }

  async #all(signal: AbortSignal): Promise<void> {
    await this.#forgetFailures();
    const window = await this.#window();
    while (!signal.aborted && (this.#next < this.#runs.length || this.#awaited.size > 0)) {
      if (this.#awaited.size <= window / 2) await this.#put(window - this.#awaited.size);
      const took = await this.#take();
      if (performance.now() - this.#looked > RECONCILE) await this.#reconcile();
      this.#tally.draw();
      if (took === 0) await wait(LOOK);
    }
  }

  /** Takes back what nobody has begun. */
  async cancel(): Promise<void> {
    await Promise.all([...this.#awaited.keys()].map((id) => this.#queue.remove(id).catch(() => 0)));
  }

  /** What failed before is tried again. */
  async #forgetFailures(): Promise<void> {
    const mine = new Set(this.#runs.map(({ key }) => jobIdOf(key)));
    const failed = await this.#queue.getRanges(['failed'], 0, -1);
    await Promise.all(failed.filter((id) => mine.has(id)).map((id) => this.#queue.remove(id)));
  }

  async #window(): Promise<number> {
    if (this.#runs.length === 0) return 1;
    const bytes = JSON.stringify(await this.#plan.job(this.#runs[0].index)).length;
    return Math.max(16, Math.min(MOST_QUEUED, Math.floor(MOST_BYTES / bytes)));
  }

  async #put(count: number): Promise<void> {
    const runs = this.#runs.slice(this.#next, this.#next + count);
    this.#next += runs.length;
    for (const run of runs) this.#awaited.set(jobIdOf(run.key), run);
    await this.#add(runs);
  }

  /** A job whose name is there already is left as it is. */
  async #add(runs: readonly PlannedRun[]): Promise<void> {
    const jobs = await Promise.all(
      runs.map(async ({ index, key }) => {
        const data: RunJob = await this.#plan.job(index);
        return { name: 'run', data, opts: { jobId: jobIdOf(key) } };
      }),
    );
    if (jobs.length > 0) await this.#queue.addBulk(jobs);
  }

  /** Results that have come, the newest first: others may leave theirs. Returns their number. */
  async #take(): Promise<number> {
    const lists = await Promise.all([
      this.#queue.getRanges(['completed'], 0, 999),
      this.#queue.getRanges(['failed'], 0, 999),
    ]);
    const mine = lists.flat().filter((id) => this.#awaited.has(id));
    for (let k = 0; k < mine.length; k += 50) {
      const jobs = await Promise.all(
        mine.slice(k, k + 50).map((id) => this.#queue.getJob(id) as Promise<Job | undefined>),
      );
      await Promise.all(
        jobs.map(async (job) => {
          if (job !== undefined && (await this.#settle(job))) await this.#queue.remove(job.id!).catch(() => 0);
        }),
      );
    }
    return mine.length;
  }

  /** True: the server may forget the job. */
  async #settle(job: Job): Promise<boolean> {
    const run = this.#awaited.get(job.id!);
    if (run === undefined) return false;
    this.#awaited.delete(job.id!);
    if (job.failedReason !== undefined && job.returnvalue == null) {
      const message = redacted(String(job.failedReason), this.#address);
      this.#tally.fail({ ...run, message: /stalled more than/.test(message) ? LOST : message });
      return true;
    }
    const text = resultText(job.returnvalue, run.key);
    if (text === undefined) {
      this.#tally.fail({ ...run, message: 'What a worker sent is no result of this run.' });
      return true;
    }
    // A result that could not be written stays where it is, for the next time.
    return keep(run, text, this.#store, this.#tally);
  }

  /** Puts in again what the server has lost, and looks who works. */
  async #reconcile(): Promise<void> {
    const there = new Set(await this.#queue.getRanges([...STATES], 0, -1));
    await this.#add([...this.#awaited].filter(([id]) => !there.has(id)).map(([, run]) => run));
    const workers = await this.#queue.getWorkersCount();
    this.#tally.note = `, ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
    this.#looked = performance.now();
    if (workers > 0) this.#alone = this.#looked;
    if (this.#told || this.#looked - this.#alone < RECONCILE) return;
    this.#told = true;
    this.#tally.say(`No worker is there. Start some, here or elsewhere: manikin worker --queue ${this.#address.shown}`);
  }
}

const LOST = 'Its worker was lost each time that it was tried.';

/** The text of a result that a worker sent, if it is one. */
function resultText(value: unknown, key: string): string | undefined {
  const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : undefined;
  if (typeof text !== 'string' || text.length > MAX_RESULT) return undefined;
  try {
    const data = JSON.parse(text) as { key?: unknown; version?: unknown; result?: unknown };
    const fits = data.key === key && data.version === packageVersion() && typeof data.result === 'object';
    return fits ? text : undefined;
  } catch {
    return undefined;
  }
}
