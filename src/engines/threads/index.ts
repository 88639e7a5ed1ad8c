// Several threads: one mechanism on many cores (ParallelDynamics), many states on all of them (Batch).

export { Batch, type BatchOptions, type BatchRun, type BatchSimulation, type BatchStates } from './batch.js';
export type { ParallelOptions } from './options.js';
export { type InPlace, type Mode, ParallelDynamics } from './parallel-dynamics.js';
export { endThreads } from './pool.js';
