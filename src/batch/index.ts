// Many states of one mechanism at once, on all cores or on the GPU: batch(mechanism, { states }).

export type { HeldTorque, PdTorque, SequenceTorque, SplineTorque, Torque } from '../engines/torque.js';
export { held, pd, sequence, spline } from '../engines/torque.js';
export { type Batch, batch, type Rows } from './batch.js';
export type {
  ArrayName,
  BatchEngine,
  BatchFunctionName,
  BatchOptions,
  BatchReport,
  BatchRun,
  CountedRun,
  DerivativeFunctionName,
  GpuChoice,
  MatrixName,
  RolloutOptions,
} from './options.js';
