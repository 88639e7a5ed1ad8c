// What robots are programmed with, beside the dynamics themselves: positions on their manifold, inverse kinematics, more.

export { numericalDerivative } from '../reference/differences.js';
export {
  type ConfigurationDerivatives,
  difference,
  differenceDerivatives,
  integrate,
  integrateDerivatives,
  interpolate,
  interpolateDerivatives,
} from './configurations.js';
export {
  type ConstrainedInverse,
  type ConstrainedInverseOptions,
  constrainedInverse,
  type SupportForce,
  type SupportPoint,
} from './constrained-inverse.js';
export { type Identification, type IdentificationSample, identify } from './identification.js';
export type { IkTask } from './ik-tasks.js';
export {
  type IkOptions,
  type IkResult,
  type IkTaskReport,
  InverseKinematics,
  inverseKinematics,
} from './inverse-kinematics.js';
export { criterionSplit, type SplitCriterion, type SplitOptions } from './load-split.js';
export { type MarkerOptions, type MarkerTracking, trackMarkers } from './marker-tracking.js';
export {
  biasForces,
  type CentroidalMotion,
  centroidalMotion,
  coriolisMatrix,
  gravityForces,
  INERTIAL_PARAMETERS,
  type InertialDerivatives,
  inertialDerivatives,
  inertialParameters,
  type OperationalInertia,
  operationalInertia,
  type Regressor,
  regressor,
} from './quantities.js';
export { type StepDerivatives, type StepOptions, stepDerivatives } from './step-derivatives.js';
