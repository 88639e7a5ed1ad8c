// manikin/mpi: one mechanism over processes, on one machine or many.

export type { Ranks } from '../engine.js';
export { MpiRanks, mpi } from './mpi.js';
export { RANK_CONSTANTS, type SpreadOptions } from './spread-dynamics.js';
export type { SpreadSteps } from './spread-steps.js';
