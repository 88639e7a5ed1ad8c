// The core of Manikin: mechanisms, their states, their dynamics, their motion. Nothing here needs Node or a package.

export { plainDynamics } from './dynamics/checked-dynamics.js';
export { type Connected, type ConnectOptions, connect, disconnect } from './dynamics/connect.js';
export {
  type Dynamics,
  type DynamicsOptions,
  type DynamicsReport,
  dynamics,
  type EngineChoice,
  type FunctionReport,
} from './dynamics/dynamics.js';
export type { AccelerationOptions, FrameName, FramePoint, FrameVelocity, InOption } from './dynamics/frames.js';
export { type Impact, type ImpactOptions, impact } from './dynamics/impact.js';
export {
  forwardDynamics,
  inverseDynamics,
  inverseMassMatrix,
  massMatrix,
  mechanicalEnergy,
} from './dynamics/once.js';
export type {
  EngineName,
  ForwardDerivatives,
  FunctionName,
  InverseDerivatives,
  OutOption,
  Runs,
} from './engines/engine.js';
export type { LoopReport } from './engines/plain/assembly/report.js';
export { schedule, topologyOf } from './engines/plain/assembly/schedule.js';
export type { InverseMassMatrix } from './engines/plain/mass-matrix-solver.js';
export type { ForwardAlgorithm, ForwardOptions, InverseOptions, MassMatrix } from './engines/plain/plain-dynamics.js';
export type { JointTypeName } from './joints/index.js';
export type {
  Actuator,
  ActuatorLaw,
  Bounds,
  ContactExclusion,
  ContactPair,
  ContactRules,
  FixedTendon,
  Sensor,
  SpatialTendon,
  Tendon,
  TendonPoint,
  Transmission,
} from './mechanism/actuation.js';
export { ActuatorForces, type ActuatorInput } from './mechanism/actuator-forces.js';
export { type LinkOptions, MechanismBuilder } from './mechanism/builder.js';
export { type CreateOptions, createMechanism, type InertiaMode } from './mechanism/create.js';
export { ImportError, MechanismError, type Problem, SimulationError } from './mechanism/errors.js';
export {
  type Body,
  type ContactProperties,
  type Coupling,
  type Frame,
  type Geometry,
  GROUND,
  type HeightField,
  type Joint,
  type JointLimits,
  type LoopJoint,
  type Mechanism,
  type MeshData,
  type PlacedJoint,
  type Placement,
  type Range,
  type Shape,
} from './mechanism/mechanism.js';
export type { Keyframe, ModelData } from './mechanism/model-data.js';
export { Random } from './mechanism/random.js';
export { type Rerooted, type RerootOptions, reroot } from './mechanism/reroot.js';
export { RerootableMechanism } from './mechanism/rerootable.js';
export type {
  BodySpec,
  CouplingSpec,
  FrameSpec,
  JointKindSpec,
  JointSpec,
  LoopSpec,
  MechanismSpec,
} from './mechanism/spec.js';
export { State } from './mechanism/state.js';
export { mechanismSpec, withBase, withoutCouplings } from './mechanism/variants.js';
export type { Energy } from './reference/energy.js';
export type { ScheduleTree } from './schedule/tree.js';
export type { Tolerances } from './simulation/dormand-prince.js';
export type { DriveOptions } from './simulation/drive.js';
export type { Occurrence, SimulationEvent } from './simulation/events.js';
export type { Control, IntegratorName } from './simulation/integrators.js';
export { Simulation, type SimulationOptions } from './simulation/simulation.js';
export type { Mat3, Quat, Vec3 } from './spatial/matrix3.js';
