// The cost of handing over between two threads: a message there and an answer back, both threads spinning.

import { fileURLToPath } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const ROUNDS = 2000;
const BATCHES = 15;
/** Words of the shared memory, 128 bytes apart: each has one writer. */
const [CALL, ANSWER, WORDS] = [0, 32, 64];

function answer(shared: Int32Array): void {
  for (let turn = 1; turn <= ROUNDS * BATCHES; turn++) {
    while (Atomics.load(shared, CALL) !== turn);
    Atomics.store(shared, ANSWER, turn);
  }
}

/** Microseconds of a round trip: the least of many batches; undefined where threads do not run at the same time. */
export async function measureHandOver(): Promise<number | undefined> {
  const shared = new Int32Array(new SharedArrayBuffer(4 * WORDS));
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: shared.buffer });
  const failed = new Promise<never>((_, reject) => {
    worker.once('error', reject);
  });
  await Promise.race([new Promise((done) => worker.once('online', done)), failed]);
  let best = Number.POSITIVE_INFINITY;
  const patience = performance.now() + 5000;
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = performance.now();
    for (let turn = batch * ROUNDS + 1; turn <= (batch + 1) * ROUNDS; turn++) {
      Atomics.store(shared, CALL, turn);
      while (Atomics.load(shared, ANSWER) !== turn) {
        if (performance.now() < patience) continue;
        await worker.terminate();
        return Number.isFinite(best) ? best : undefined;
      }
    }
    best = Math.min(best, ((performance.now() - start) * 1000) / ROUNDS);
  }
  await worker.terminate();
  return best;
}

if (!isMainThread && workerData instanceof SharedArrayBuffer) answer(new Int32Array(workerData));
