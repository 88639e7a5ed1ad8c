// Least times of short functions, taken in turn: a busy moment of the machine then hits all of them.

/** Milliseconds of a batch, and of all of them together. */
const BATCH = 0.5;
const TOTAL = 60;

/** Milliseconds of a round of warming up, of the pause after it, and of all rounds at most. */
const ROUND = 8;
const PAUSE = 4;
const WARM = 1000;
/** Calls after which small functions have been compiled again too; large ones have been so sooner, after milliseconds. */
const CALLS = 1500;
const LONG = 60;

/**
 * Calls functions in turn until none gets faster: engines compile WebAssembly again, better, after some hundred calls, on
 * threads of their own, for which it pauses.
 */
export async function warmUp(calls: readonly (() => void)[], most = WARM): Promise<void> {
  const until = performance.now() + most;
  const states = calls.map(() => ({ best: Number.POSITIVE_INFINITY, calls: 0, spent: 0 }));
  for (let stale = 0; stale < 4 && performance.now() < until; ) {
    let faster = false;
    for (const [k, call] of calls.entries()) {
      const state = states[k];
      let least = Number.POSITIVE_INFINITY;
      const begin = performance.now();
      let start = begin;
      do {
        call();
        const end = performance.now();
        least = Math.min(least, end - start);
        start = end;
        state.calls++;
      } while (start < begin + ROUND);
      state.spent += start - begin;
      if (least <= 0.97 * state.best || (state.calls < CALLS && state.spent < LONG)) faster = true;
      state.best = Math.min(state.best, least);
    }
    stale = faster ? 0 : stale + 1;
    await pause(PAUSE);
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

export interface Timing {
  /** Nanoseconds of one call: the least of all batches, and the middle one. */
  readonly ns: number;
  readonly nsMedian: number;
}

export interface Timed {
  readonly call: () => void;
  /** Called before each batch, outside of its time: threads may have fallen asleep. */
  readonly before?: () => void;
}

/** Times of calls in turn, for a number of milliseconds altogether. */
export function timings(tasks: readonly Timed[], total = TOTAL): Timing[] {
  const time = ({ call, before }: Timed, count: number): number => {
    before?.();
    const start = performance.now();
    for (let k = 0; k < count; k++) call();
    return performance.now() - start;
  };
  const counts = tasks.map((task) => {
    let count = 1;
    while (time(task, count) < BATCH && count < 1e6) count *= 2;
    return count;
  });
  const samples = tasks.map((): number[] => []);
  const until = performance.now() + total;
  do for (const [k, task] of tasks.entries()) samples[k].push((time(task, counts[k]) / counts[k]) * 1e6);
  while (performance.now() < until);
  return samples.map((list) => {
    list.sort((a, b) => a - b);
    return { ns: Math.round(list[0]), nsMedian: Math.round(list[list.length >> 1]) };
  });
}
