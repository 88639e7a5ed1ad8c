// The measuring of the engine itself (it tries how many threads are fastest), with names.

import { type CallTime, type TimedCall, timings } from '#src/engines/threads/measure.js';

export { pause, type TimedCall, timings, warmUp } from '#src/engines/threads/measure.js';

export interface NamedCall extends TimedCall {
  readonly name: string;
}

/** Calls after which the engine has compiled functions as well as it can. */
const WARM_CALLS = 2000;

/** Times of functions by name, each called often enough before to be warm. */
export function measure(
  tasks: readonly NamedCall[],
  rounds = 200,
  progress?: (fraction: number) => void,
): (CallTime & { readonly name: string })[] {
  for (const { call } of tasks) for (let k = 0; k < WARM_CALLS; k++) call();
  const times = timings(tasks, { rounds, ...(progress !== undefined && { progress }) });
  return tasks.map(({ name }, i) => ({ name, ...times[i] }));
}
