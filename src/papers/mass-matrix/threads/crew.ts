// A caller and its workers compute the columns of one mass matrix together.
//
// Memory is shared; each number has one writer at a time:
//   EPOCH   the number of the call; the caller raises it when the data of a call are complete
//   NEXT    the next chunk to be claimed in this call, in one word with the epoch: epoch * CHUNKS + chunk
//   DONE    chunks finished in this call, in one word with the epoch as well
//   PARKED  how many workers sleep
// A chunk is claimed by compareExchange on NEXT, by the caller and the workers alike. A worker that comes late, or not at
// all, leaves its chunks to the others: a call never waits for a worker that has claimed nothing. A claim names the epoch,
// so that a worker that slept through a whole call cannot claim in the next one by mistake. A finished chunk is added to
// DONE by its own epoch only; the caller waits until all chunks of its epoch are done, and those were claimed by threads
// that are running. A thread that ended with a chunk in its hands leaves the caller waiting: after PATIENCE it gives the
// crew up, memory and all, since a thread that was only very slow could still write there.
//
// Each column is computed by one thread from the same numbers: the bits do not depend on who took which chunk.
//
// A worker spins for SPIN microseconds after a call, then parks.

import { type Columns, computeColumns } from './fixed-frame.js';

export const CHUNKS = 64;
/** Places of the words: a cache line (and its neighbour) each. */
const [EPOCH, NEXT, DONE, PARKED] = [0, 32, 64, 96];
export const CONTROL_WORDS = 128;
const SPIN = 200;
/** Milliseconds without a finished chunk. A busy machine takes a thread away for some tens of them. */
const PATIENCE = 500;

/** What a worker is given. */
export interface Assignment {
  readonly columns: Columns;
  readonly control: Int32Array;
  /** First degree of freedom of each chunk, and the end. */
  readonly bounds: Int32Array;
}

/** Chunks of about equal work: the entries of a column are those above it. */
export function chunkBounds(above: Int32Array): Int32Array {
  const nv = above.length;
  const depth = new Int32Array(nv);
  let total = 0;
  for (let k = 0; k < nv; k++) {
    depth[k] = 1 + (above[k] < 0 ? 0 : depth[above[k]]);
    total += depth[k];
  }
  const bounds = new Int32Array(CHUNKS + 1);
  let chunk = 0;
  let sum = 0;
  for (let k = 0; k < nv; k++) {
    // Whole blocks of rows: mirror images go line by line.
    while (chunk < CHUNKS && k % 8 === 0 && sum >= (total * chunk) / CHUNKS) bounds[chunk++] = k;
    sum += depth[k];
  }
  return bounds.fill(nv, chunk);
}

/** Claims and computes chunks of this epoch until none is left. */
function help({ columns, control, bounds }: Assignment, epoch: number): void {
  const start = epoch * CHUNKS;
  for (;;) {
    const next = Atomics.load(control, NEXT);
    if (next < start || next >= start + CHUNKS) return;
    if (Atomics.compareExchange(control, NEXT, next, next + 1) !== next) continue;
    const chunk = next - start;
    computeColumns(columns, bounds[chunk], bounds[chunk + 1]);
    Atomics.add(control, DONE, 1);
  }
}

/** The caller's part: all columns are computed when this returns true; false where the crew is lost. */
export function computeTogether(assignment: Assignment, patience = PATIENCE): boolean {
  const { control } = assignment;
  // Numbers start again before they could overflow; every chunk of the last call is done by now.
  const last = Atomics.load(control, EPOCH);
  const epoch = last >= 2 ** 24 ? 1 : last + 1;
  Atomics.store(control, DONE, 0);
  Atomics.store(control, NEXT, epoch * CHUNKS);
  Atomics.store(control, EPOCH, epoch);
  if (Atomics.load(control, PARKED) > 0) Atomics.notify(control, EPOCH);
  help(assignment, epoch);
  let done = Atomics.load(control, DONE);
  let until = performance.now() + patience;
  while (done < CHUNKS) {
    const before = done;
    for (let k = 0; k < 1000 && done < CHUNKS; k++) done = Atomics.load(control, DONE);
    if (done > before) until = performance.now() + patience;
    else if (performance.now() > until) return false;
  }
  return true;
}

/** A worker's life: until its thread is ended. */
export function work(assignment: Assignment): never {
  const { control } = assignment;
  let epoch = 0;
  for (;;) {
    let now = Atomics.load(control, EPOCH);
    const until = performance.now() + SPIN / 1000;
    while (now === epoch && performance.now() < until) {
      for (let k = 0; k < 50 && now === epoch; k++) now = Atomics.load(control, EPOCH);
    }
    while (now === epoch) {
      Atomics.add(control, PARKED, 1);
      Atomics.wait(control, EPOCH, epoch);
      Atomics.sub(control, PARKED, 1);
      now = Atomics.load(control, EPOCH);
    }
    epoch = now;
    help(assignment, epoch);
  }
}
