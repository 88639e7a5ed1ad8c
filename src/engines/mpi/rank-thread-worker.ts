// The program of a thread inside a rank: its part of every step, then it spins for a while, then it sleeps.

import { ownPort } from '../../threads/port.js';
import { beginThread } from '../../threads/surroundings.js';
import { type WasmMemory, type WasmModule, webAssembly } from '../wasm/webassembly.js';
import { joinMpi } from './library.js';
import { MpiTransport } from './mpi-transport.js';
import { RankRunner } from './rank-runner.js';
import { FAILED, left, STEP, sleeps, type ThreadJob } from './rank-threads.js';
import { threadTransport } from './thread-transport.js';

/** Milliseconds of spinning after a step, and looks between two at the clock. */
const PATIENCE = 0.3;
const LOOKS = 500;
/** Milliseconds after which a sleeper looks by itself: a call that comes just as it falls asleep is not lost. */
const NAP = 2;

async function serve(job: ThreadJob): Promise<never> {
  const { control, thread, threads, flags, module, memory, program } = job;
  const library = await joinMpi(job.mpi);
  const transport = threadTransport(thread, threads, flags, new MpiTransport(library, job.neighbourhood, job.tag));
  const { exports } = new (webAssembly().Instance)(module as WasmModule, { manikin: { memory: memory as WasmMemory } });
  const runner = new RankRunner(program, { memory: memory as WasmMemory, exports }, transport);
  for (let done = 0; ; ) {
    let since = 0;
    for (let looks = 0; Atomics.load(control, STEP) === done; looks++) {
      if (looks % LOOKS !== LOOKS - 1) continue;
      const now = performance.now();
      if (since === 0) since = now;
      if (now - since < PATIENCE) continue;
      Atomics.store(control, sleeps(thread), 1);
      if (Atomics.load(control, STEP) === done) Atomics.wait(control, sleeps(thread), 1, NAP);
      Atomics.store(control, sleeps(thread), 0);
    }
    // One after the other: the caller waits for all before it goes on.
    done++;
    runner.step();
    Atomics.store(control, left(thread), done);
  }
}

beginThread((threads) => {
  ownPort<ThreadJob, never>(threads).listen((job) => {
    serve(job).catch((error: unknown) => {
      console.error(`A thread of a rank has failed: ${String(error)}`);
      Atomics.store(job.control, FAILED, job.thread);
    });
  });
});
