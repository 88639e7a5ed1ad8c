// Many states on all cores; one mechanism on many cores is the engine 'threads' of dynamics().

export { Batch, type BatchOptions, type BatchRun, type BatchSimulation, type BatchStates } from './batch.js';
export { endThreads } from './pool.js';
