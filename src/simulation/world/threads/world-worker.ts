// The program of a thread of a world: takes tasks of batches, spins for a while when there are none, then sleeps, until there is a
// batch to work on or a message to read.

import { ownPort } from '../../../threads/port.js';
import { beginThread } from '../../../threads/surroundings.js';
import { Deputy } from './deputy.js';
import {
  ASLEEP,
  DONE,
  FAILED,
  FIRST,
  LIMIT,
  NEXT,
  PLACE,
  READY,
  SIGNAL,
  STATUS,
  type ThreadFault,
  VERSION,
  WAITING,
  type WorldPlan,
} from './protocol.js';

/** Milliseconds of spinning before a thread goes to sleep, and looks between two readings of the clock. */
const PATIENCE = 0.5;
const LOOKS = 200;
/** Milliseconds after which a sleeper looks around: a call that comes just as it falls asleep is not lost. */
const NAP = 100;

const deputy = new Deputy();
let tasks = 0;
let rest = 1;

/** Works on tasks until there is a message to read. */
function serve({ control, numbers, version, thread, fault }: WorldPlan): void {
  let since = 0;
  for (;;) {
    const signal = Atomics.load(control, SIGNAL);
    if (Atomics.load(control, VERSION) !== version) return;
    if (takeTask(control, numbers, thread, fault)) {
      since = 0;
      continue;
    }
    // Back-off by dependent square roots, as in engines/threads/runner.ts.
    for (let k = 0; k < LOOKS && Atomics.load(control, SIGNAL) === signal; k++) rest = Math.sqrt(rest + 2);
    const now = performance.now();
    if (since === 0) since = now;
    else if (now - since > PATIENCE) {
      Atomics.add(control, ASLEEP, 1);
      Atomics.wait(control, SIGNAL, signal, NAP);
      Atomics.sub(control, ASLEEP, 1);
      since = 0;
    }
  }
}

/** Does one task; false where there is none. */
function takeTask(control: Int32Array, numbers: Float64Array, thread: number, fault: ThreadFault | undefined): boolean {
  const task = Atomics.load(control, NEXT);
  if (((Atomics.load(control, LIMIT) - task) | 0) <= 0) return false;
  // Somebody else took it.
  if (Atomics.compareExchange(control, NEXT, task, (task + 1) | 0) !== task) return true;
  const at = (task - control[FIRST]) | 0;
  Atomics.store(control, STATUS + at, -thread);
  if (fault?.thread === thread && tasks++ === fault.after) fail(fault);
  let went = FAILED;
  try {
    went = deputy.advance(numbers, control[PLACE + at]);
  } finally {
    Atomics.store(control, STATUS + at, went);
    Atomics.add(control, DONE, 1);
    if (Atomics.load(control, WAITING) === 1) Atomics.notify(control, DONE);
  }
  return true;
}

/** For tests. */
function fail({ kind }: ThreadFault): void {
  if (kind === 'throw') throw new Error('as the test wants it');
  if (kind === 'end') (globalThis as { process?: { exit(): void } }).process?.exit();
  for (;;) rest = Math.sqrt(rest + 2);
}

beginThread((threads) => {
  const port = ownPort<WorldPlan, number>(threads);
  port.listen((plan) => {
    deputy.prepare(plan);
    Atomics.store(plan.control, READY + plan.thread, plan.version);
    port.post(plan.version);
    serve(plan);
  });
});
