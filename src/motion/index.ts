// Captured motion: from files to joint forces.

export { type BvhFigure, type BvhFigureOptions, figureFromBvh, type UpAxis } from './bvh-figure.js';
export {
  CoordinateModel,
  type CoordinateMotion,
  coordinateMotion,
  type MotionFilter,
  type NamedCoordinate,
} from './coordinate-motion.js';
export { coordinateNames } from './coordinate-names.js';
export { applyLowPass, type LowPass, lowPass } from './filter.js';
export { type GaitCurve, type GaitCycle, gaitCycles } from './gait-cycle.js';
export {
  type CarriedFrame,
  type CarrierPlace,
  type DoubleSupport,
  type FootForce,
  type FrameForces,
  inverseOfMotion,
  type LoadSplit,
  type MotionForces,
  type MotionInverseOptions,
} from './inverse.js';
export { AppliedLoads } from './loads.js';
export { opensimRates, type SplineRates } from './opensim-filter.js';
export { type Strides, strideFrames } from './strides.js';
export { type Foot, feetByName, givenSupport, type Support, type SupportKind, upOf } from './support.js';
export { differentiated, type Positions, smoothed, type Trajectory } from './trajectory.js';
export { leastNormSplit, type Wrench } from './wrench.js';
