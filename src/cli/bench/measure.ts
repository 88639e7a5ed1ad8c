// Times of short functions on a noisy machine: batches of calls, many rounds, tasks in turn, and the minimum of all.
// (Benchmark packages run one task after the other; a busy moment of the machine would then hit one of them alone.)

export interface NamedCall {
  readonly name: string;
  /** One call of what is measured. */
  readonly call: () => void;
}

export interface NamedTiming {
  readonly name: string;
  /** Nanoseconds of one call: the least of all batches, and the middle one. */
  readonly ns: number;
  readonly nsMedian: number;
}

/** Milliseconds of a batch: long against the clock's grain, short against the interruptions of other programs. */
const BATCH = 1;

function timeOf(call: () => void, calls: number): number {
  const start = process.hrtime.bigint();
  for (let k = 0; k < calls; k++) call();
  return Number(process.hrtime.bigint() - start);
}

/** `progress` is told the part that is done, after each round. */
export function measure(
  tasks: readonly NamedCall[],
  rounds = 200,
  progress?: (fraction: number) => void,
): NamedTiming[] {
  const batches = tasks.map(({ call }) => {
    timeOf(call, 2000);
    let calls = 1;
    while (timeOf(call, calls) < BATCH * 1e6) calls *= 2;
    return calls;
  });
  const samples = tasks.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    tasks.forEach(({ call }, i) => {
      samples[i].push(timeOf(call, batches[i]) / batches[i]);
    });
    progress?.((round + 1) / rounds);
  }
  return tasks.map(({ name }, i) => {
    const sorted = samples[i].sort((a, b) => a - b);
    return { name, ns: Math.round(sorted[0]), nsMedian: Math.round(sorted[sorted.length >> 1]) };
  });
}
