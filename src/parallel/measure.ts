// Least times of short functions, taken in turn: a busy moment of the machine then hits all of them.

/** Milliseconds of a batch, and of all of them together. */
const BATCH = 0.5;
const TOTAL = 60;

/** Milliseconds of a round of warming up, and of all rounds at most. */
const ROUND = 15;
const WARM = 1500;

/**
 * Calls a function until it gets no faster: engines compile WebAssembly again, better, after some hundred calls, on
 * threads of their own, for which it pauses.
 */
export async function warmUp(call: () => void, most = WARM): Promise<void> {
  const until = performance.now() + most;
  let best = Number.POSITIVE_INFINITY;
  let calls = 0;
  for (let stale = 0; stale < 4 && performance.now() < until; ) {
    let round = Number.POSITIVE_INFINITY;
    for (const end = performance.now() + ROUND; performance.now() < end; calls++) {
      const start = performance.now();
      call();
      round = Math.min(round, performance.now() - start);
    }
    stale = round > 0.97 * best && calls > 1500 ? stale + 1 : 0;
    best = Math.min(best, round);
    await new Promise((resolve) => {
      setTimeout(resolve, 4);
    });
  }
}

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
