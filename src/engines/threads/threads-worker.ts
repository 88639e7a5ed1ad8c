// The program of a thread: spins for a while, then sleeps, until there is a step to work on or a message to read.

import { ownPort } from '../../threads/port.js';
import { beginThread } from '../../threads/surroundings.js';
import { type WasmMemory, type WasmModule, webAssembly } from '../wasm/webassembly.js';
import { runTask } from './batch-task.js';
import { ASLEEP, AWAKE, EPOCH, JOB, type Job, mail, sleeps } from './protocol.js';
import { Runner } from './runner.js';

/** Milliseconds of spinning after a step before a thread goes to sleep. */
const PATIENCE = 0.3;
const SPINS = 500;

/** What the pool sends. */
export type Message =
  | { readonly kind: 'start'; readonly control: SharedArrayBuffer; readonly thread: number }
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'forget'; readonly id: number }
  | { readonly kind: 'task'; readonly number: number; readonly task: unknown };

/** What threads send. */
export interface Answer {
  readonly kind: 'online' | 'ready' | 'result';
  readonly id?: number;
  readonly number?: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Milliseconds after which a sleeper looks for mail: a call that comes just as it falls asleep is not lost. */
const NAP = 100;

let flags: Int32Array | undefined;
let thread = 0;
let epoch = 0;
let rest = 1;
/** Messages read so far. */
let read = 0;
const runners = new Map<number, Runner>();

/** Works on steps until there is a message to read. */
function serve(words: Int32Array): void {
  const letters = mail(thread);
  // The clock is asked only when nothing comes for a while; 0 before that.
  let since = 0;
  let job = -1;
  let runner: Runner | undefined;
  for (;;) {
    for (let k = 0; k < SPINS; k++) {
      if (Atomics.load(words, EPOCH) !== epoch) break;
      // Back-off by dependent square roots, as in runner.ts.
      rest = Math.sqrt(rest + 2);
    }
    const now = Atomics.load(words, EPOCH);
    if (now !== epoch) {
      epoch = now;
      const asked = Atomics.load(words, JOB);
      if (asked !== job) {
        job = asked;
        runner = runners.get(job);
      }
      // Steps of others let it fall asleep.
      if (runner !== undefined) {
        runner.work(now);
        since = 0;
        continue;
      }
    }
    if (Atomics.load(words, letters) !== read) return;
    const clock = performance.now();
    if (since === 0) since = clock;
    if (clock - since < PATIENCE) continue;
    // Whoever writes a new epoch looks at `sleeps` afterwards: either it sees this, or the epoch is seen here.
    Atomics.store(words, sleeps(thread), ASLEEP);
    const idle = (): boolean => Atomics.load(words, EPOCH) === epoch || !runners.has(Atomics.load(words, JOB));
    while (
      Atomics.load(words, letters) === read &&
      idle() &&
      Atomics.wait(words, sleeps(thread), ASLEEP, NAP) === 'timed-out'
    );
    Atomics.store(words, sleeps(thread), AWAKE);
    since = 0;
  }
}

let serving = false;
/** Serves steps once there is a job and all messages that were sent have been read. */
function serveLater(): void {
  if (serving || flags === undefined || runners.size === 0 || Atomics.load(flags, mail(thread)) !== read) return;
  serving = true;
  setTimeout(() => {
    serving = false;
    if (Atomics.load(flags!, mail(thread)) === read) serve(flags!);
    // Otherwise the next message calls this again.
  }, 0);
}

beginThread((threads) => {
  const port = ownPort<Message, Answer>(threads);
  port.listen((message) => {
    read++;
    switch (message.kind) {
      case 'start':
        flags = new Int32Array(message.control);
        thread = message.thread;
        epoch = Atomics.load(flags, EPOCH);
        break;
      case 'job': {
        const { job } = message;
        const { Instance } = webAssembly();
        const instance = new Instance(job.module as WasmModule, { manikin: { memory: job.memory as WasmMemory } });
        const runner = new Runner(flags!, instance.exports, job, thread);
        runners.set(job.id, runner);
        port.post({ kind: 'ready', id: job.id });
        break;
      }
      case 'forget':
        runners.delete(message.id);
        break;
      case 'task':
        void runTask(message.task).then(
          (result) => port.post({ kind: 'result', number: message.number, result }),
          (error: unknown) => port.post({ kind: 'result', number: message.number, error: String(error) }),
        );
        break;
    }
    serveLater();
  });
  port.post({ kind: 'online' });
});
