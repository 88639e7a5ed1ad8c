// Times of short functions on a noisy machine: batches of calls, the functions in turn, and the least of all batches. A busy
// moment of the machine then hits all of them. (Benchmark packages run one function after the other.)

export interface TimedCall {
  /** One call of what is measured. */
  readonly call: () => void;
  /** Called before each batch, outside of its time: threads may have fallen asleep. */
  readonly before?: () => void;
}

export interface CallTime {
  /** Nanoseconds of one call: the least of all batches, and the middle one. */
  readonly ns: number;
  readonly nsMedian: number;
}

/** How long to measure: a number of batches of each function, or milliseconds altogether. */
export interface MeasuringOptions {
  readonly rounds?: number;
  readonly milliseconds?: number;
  /** Told the part that is done, after each round. */
  readonly progress?: (fraction: number) => void;
}

/** Milliseconds of a batch: long against the clock's grain, short against the interruptions of other programs. */
const BATCH = 0.5;
/** Calls after which small functions have been compiled by the engine's best compiler. */
const CALLS = 1500;

function timeOf({ call, before }: TimedCall, calls: number): number {
  before?.();
  const start = performance.now();
  for (let k = 0; k < calls; k++) call();
  return performance.now() - start;
}

/** Times of functions that are warm. Which of them begins a round changes from round to round. */
export function timings(tasks: readonly TimedCall[], options: MeasuringOptions): CallTime[] {
  const { rounds = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY, progress } = options;
  const counts = tasks.map((task) => {
    let count = 1;
    while (timeOf(task, count) < BATCH && count < 1e6) count *= 2;
    return count;
  });
  const samples = tasks.map((): number[] => []);
  const begin = performance.now();
  for (let round = 0, done = 0; done < 1; ) {
    for (let turn = 0; turn < tasks.length; turn++) {
      const i = (turn + round) % tasks.length;
      samples[i].push((1e6 * timeOf(tasks[i], counts[i])) / counts[i]);
    }
    round++;
    done = Math.max(round / rounds, (performance.now() - begin) / milliseconds);
    progress?.(Math.min(done, 1));
  }
  return samples.map((list) => {
    list.sort((a, b) => a - b);
    return { ns: Math.round(list[0]), nsMedian: Math.round(list[list.length >> 1]) };
  });
}

/** Milliseconds of a round of warming up, of the pause after it, and of all rounds at most. */
const ROUND = 8;
const PAUSE = 4;
const WARM = 1000;
/** Milliseconds after which a function is warm even with few calls: large ones are compiled sooner. */
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
