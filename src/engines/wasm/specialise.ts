// Code for one mechanism: a pure function from a plan (plain data) to the bytes of a module, so a worker can call it.

import * as B from '../../emit/bytes.js';
import { derivativeLoops } from '../../emit/derivative-loops.js';
import { forwardDerivativeLoops } from '../../emit/forward-derivative-loops.js';
import { inverseMassLoops, type Loops, massMatrixLoops } from '../../emit/inverse-mass-loops.js';
import { encodeModule, type ModuleFunction } from '../../emit/module.js';
import { ConstantPool, emitFunctions } from '../../emit/wasm.js';
import { centroidalFormulas } from '../../formulas/centroidal.js';
import { pairedUnitsOf } from '../../formulas/columns.js';
import { derivativeColumns } from '../../formulas/derivative-columns.js';
import { energyFormulas } from '../../formulas/energy.js';
import { forwardFormulas } from '../../formulas/forward.js';
import { constantRows, forwardDerivativeColumns, ROW_ARMATURE } from '../../formulas/forward-derivative-columns.js';
import { forwardDerivativeStages } from '../../formulas/forward-derivatives.js';
import type { Graph, OperationCount } from '../../formulas/graph.js';
import { inverseFormulas } from '../../formulas/inverse.js';
import { inertiaRows, inverseDerivativeStages } from '../../formulas/inverse-derivatives.js';
import { inverseMassColumns } from '../../formulas/inverse-mass-columns.js';
import { inverseMassFormulas } from '../../formulas/inverse-mass-matrix.js';
import { jacobianFormulas, jacobiansFormulas } from '../../formulas/jacobian.js';
import { kinematicsFormulas } from '../../formulas/kinematics.js';
import { singleUnits, type Unit } from '../../formulas/lanes.js';
import type { UnitOptions } from '../../formulas/links.js';
import { massMatrixFormulas } from '../../formulas/mass-matrix.js';
import { massMatrixColumnFormulas, massMatrixColumns } from '../../formulas/mass-matrix-columns.js';
import { VectorGraph } from '../../formulas/vectors.js';
import type { Plan } from '../../plan/plan.js';
import { BODY_POSE, BODY_VELOCITY, ENERGY } from '../../plan/results.js';
import { blockModule } from '../threads/block-module.js';
import type { BlockAssembly } from '../threads/blocks.js';
import { aligned, type Layout, placesOf } from './layout.js';

/**
 * What can be computed: qdd from tau (also with forces from outside, and an armature of damped joints, that are read from
 * memory), tau from qdd (also with forces from outside, and with the whole force through every joint), the mass matrix and its inverse; H^-1 tau; poses and velocities of all bodies, each
 * by itself or both; the Jacobian of a body and of all; energy, momentum and centre of mass; the centroidal momentum matrix; derivatives of inverse dynamics at qdd,
 * and of forward dynamics that gave qdd, with respect to q, v (and tau: the inverse of the mass matrix).
 */
export type CompiledTask =
  | 'forward'
  | 'forwardLoaded'
  | 'inverse'
  | 'inverseLoaded'
  | 'inverseForces'
  | 'massMatrix'
  | 'inverseMassMatrix'
  | 'solve'
  | 'poses'
  | 'velocities'
  | 'posesAndVelocities'
  | 'jacobians'
  | 'centroidal'
  | 'energy'
  | 'inverseDerivatives'
  | 'forwardDerivatives'
  | `jacobian ${number}`;

export interface SpecialiseOptions {
  readonly task: CompiledTask;
  readonly layout: Layout;
  /** First free address: constants and intermediate values go there. */
  readonly scratchAt: number;
  /** Code that blocks of links share instead of code for every link (threads/planner.ts); for forward dynamics. */
  readonly blocks?: BlockAssembly;
}

export interface Specialised {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Memory the module needs, from address 0. */
  readonly memoryBytes: number;
  /** The numbers between these addresses are intermediate values. */
  readonly scratch: readonly [number, number];
  /** Address and length of what the task computes beside the arrays of the layout. */
  readonly result: readonly [number, number];
  readonly operations: OperationCount;
  /** Numbers to be written into memory before the first call, from an address on. */
  readonly tables?: readonly { readonly at: number; readonly values: Int32Array }[];
}

/** Operations in a function: measured, for one state and for two in the lanes. */
const FUNCTION_SIZE = 250;

export interface FormulaOptions {
  /** Like limbs in the two lanes of a vector. */
  readonly pairLimbs: boolean;
  /** The lanes are for two states. */
  readonly twoStates: boolean;
}

/** Adds the formulas of a task to a graph. */
export function addFormulas(
  g: VectorGraph,
  plan: Plan,
  task: CompiledTask,
  { pairLimbs, twoStates }: FormulaOptions,
): void {
  const body = bodyOf(task);
  if (body !== undefined) {
    jacobianFormulas(g, plan, body, { twoStates });
    return;
  }
  const units = pairLimbs ? pairedUnitsOf(plan) : singleUnits(plan);
  FORMULAS[task as NamedTask](g, plan, units, { twoStates });
}

type NamedTask = Exclude<CompiledTask, `jacobian ${number}`>;
type Formulas = (g: VectorGraph, plan: Plan, units: readonly Unit[], options: UnitOptions) => void;

const FORMULAS: { readonly [task in NamedTask]: Formulas } = {
  forward: forwardFormulas,
  forwardLoaded: (g, plan, units, options) => forwardFormulas(g, plan, units, { ...options, loaded: true }),
  inverse: inverseFormulas,
  inverseLoaded: (g, plan, units, options) => inverseFormulas(g, plan, units, { ...options, loaded: true }),
  inverseForces: (g, plan, units, options) =>
    inverseFormulas(g, plan, units, { ...options, loaded: true, jointForces: true }),
  massMatrix: massMatrixFormulas,
  inverseMassMatrix: (g, plan, units, options) => {
    inverseMassFormulas(g, plan, units, options, inverseMassColumns(plan));
  },
  solve: (g, plan, units, options) => forwardFormulas(g, plan, units, { ...options, atRest: true }),
  poses: (g, plan, units, options) =>
    kinematicsFormulas(g, plan, units, { ...options, poses: true, velocities: false }),
  velocities: (g, plan, units, options) =>
    kinematicsFormulas(g, plan, units, { ...options, poses: false, velocities: true }),
  posesAndVelocities: (g, plan, units, options) =>
    kinematicsFormulas(g, plan, units, { ...options, poses: true, velocities: true }),
  jacobians: jacobiansFormulas,
  centroidal: centroidalFormulas,
  energy: energyFormulas,
  inverseDerivatives: (g, plan, units, options) =>
    inverseDerivativeStages(g, plan, units, options, derivativeColumns(plan, false)),
  forwardDerivatives: (g, plan, units, options) =>
    forwardDerivativeStages(g, plan, units, options, forwardDerivativeColumns(plan)),
};

/** What loops do once the formulas are computed, and the memory they work in, from the begin of the result. */
interface After {
  readonly size: number;
  readonly loops: (resultAt: number, first: number, constants: ConstantPool) => Loops;
  /** Numbers that loops read and nobody changes, and where they stand from the begin of the result. */
  readonly tables?: readonly { readonly at: number; readonly values: Float64Array }[];
}

function afterOf(plan: Plan, task: CompiledTask, { tau, qdd }: Layout): After | undefined {
  if (task === 'inverseMassMatrix') {
    const columns = inverseMassColumns(plan);
    return { size: columns.size, loops: (at, first) => inverseMassLoops(columns, at, first) };
  }
  if (task === 'inverseDerivatives') {
    const columns = derivativeColumns(plan, false);
    const { size, links } = columns;
    const tables = [{ at: links.inertia, values: inertiaRows(plan, links) }];
    return { size, tables, loops: (at, first, constants) => derivativeLoops(columns, at, first, constants) };
  }
  if (task !== 'forwardDerivatives') return undefined;
  const columns = forwardDerivativeColumns(plan);
  const { size, links, rows, order } = columns;
  return {
    size,
    tables: [
      { at: links.inertia, values: inertiaRows(plan, links) },
      { at: rows + ROW_ARMATURE * order.stride, values: constantRows(plan, columns) },
    ],
    loops: (at, first, constants) => forwardDerivativeLoops(columns, { result: at, tau, qdd }, first, constants),
  };
}

const JACOBIAN = 'jacobian ';
export const jacobianTask = (body: number): CompiledTask => `${JACOBIAN}${body}` as CompiledTask;
const bodyOf = (task: CompiledTask): number | undefined =>
  task.startsWith(JACOBIAN) ? Number(task.slice(JACOBIAN.length)) : undefined;

/** Numbers that a task computes beside the arrays of the layout. */
function resultSize(plan: Plan, task: CompiledTask): number {
  const { bodies, nv, loops } = plan;
  switch (task) {
    case 'inverseDerivatives':
      return 2 * nv * nv;
    case 'forwardDerivatives':
      return forwardDerivativeColumns(plan).result + 2 * nv * nv;
    case 'inverseMassMatrix':
      return nv * nv;
    case 'poses':
      return BODY_POSE * bodies.length;
    case 'inverseForces':
    case 'velocities':
      return BODY_VELOCITY * bodies.length;
    case 'posesAndVelocities':
      return (BODY_POSE + BODY_VELOCITY) * bodies.length;
    case 'energy':
      return ENERGY.size;
    case 'centroidal':
      return 6 * nv;
    case 'forward':
    case 'forwardLoaded': {
      // A, w and lambda of the constraints of loops (formulas/forward.ts).
      const constraints = loops.reduce((sum, { k }) => sum + k, 0);
      return constraints * (constraints + 2);
    }
    default:
      return task.startsWith('jacobian') ? 6 * nv : 0;
  }
}

/** The module exports `run`, with loops `finish` too (see sequences). */
export function specialise(plan: Plan, options: SpecialiseOptions): Specialised {
  const { task, layout, blocks } = options;
  if (blocks !== undefined) return specialiseBlocks(blocks, options);
  const graph = new VectorGraph();
  const deep = task === 'massMatrix' ? massMatrixColumns(plan) : undefined;
  if (deep === undefined) addFormulas(graph, plan, task, { pairLimbs: true, twoStates: false });
  else massMatrixColumnFormulas(graph, plan, pairedUnitsOf(plan), { twoStates: false }, deep);
  // Slots lie behind the constants, whose number is known only after the code is written: they get their room first.
  const resultAt = aligned(options.scratchAt);
  const resultNumbers = resultSize(plan, task);
  const after = afterOf(plan, task, layout);
  const room = after?.size ?? (deep === undefined ? resultNumbers : 12 * deep.stride);
  const resultEnd = resultAt + 8 * room;
  const constants = new ConstantPool(aligned(resultEnd));
  const loops = after?.loops(resultAt, 0, constants) ?? (deep && massMatrixLoops(deep, resultAt, layout.massMatrix, 0));
  const slotsAt = aligned(constants.at + constants.bytes + 16 * countConstants(graph));
  const { functions, phases, slotBytes } = emitFunctions(graph, {
    arrays: [...placesOf(layout), { parameter: -1, offset: resultAt, stride: 8 }],
    parameters: 0,
    functionSize: FUNCTION_SIZE,
    onDemand: true,
    constants,
    slotsAt,
  });
  const memoryBytes = slotsAt + slotBytes;
  const bytes = encodeModule({
    functions: [...(loops?.functions ?? []), ...functions, ...sequences(phases, loops)],
    memoryBytes,
    data: { at: constants.at, values: constants.values },
  });
  const tables = after?.tables?.map(({ at, values }) => ({
    at: resultAt + 8 * at,
    values: new Int32Array(values.buffer),
  }));
  return {
    bytes,
    memoryBytes,
    scratch: [slotsAt, memoryBytes],
    result: [resultAt, resultNumbers],
    operations: graph.count(),
    ...(tables && { tables }),
  };
}

function specialiseBlocks(blocks: BlockAssembly, { layout, scratchAt }: SpecialiseOptions): Specialised {
  const { q, v, tau, qdd } = layout;
  const made = blockModule(blocks, { q, v, tau, qdd, top: scratchAt });
  const { memoryBytes, records, operations, tables } = made;
  return { bytes: made.bytes(false), memoryBytes, scratch: records, result: [0, 0], operations, tables };
}

/** At most so many constants are put into memory. */
function countConstants(graph: Graph): number {
  let count = 0;
  for (let n = 0; n < graph.size; n++) if (graph.isConstant(n)) count++;
  return count;
}

/**
 * `run` calls the functions of the formulas, which stand behind those of the loops, and the loops after them and between their
 * phases. Where somebody else does something between them `finish` calls those of the second phase.
 */
function sequences(phases: readonly number[], loops: Loops | undefined): ModuleFunction[] {
  const count = 1 + Math.max(0, ...phases);
  const first = loops?.functions.length ?? 0;
  const bodies = Array.from({ length: count }, (_, phase) => {
    const body = new B.Bytes();
    for (const [k, of] of phases.entries()) if (of === phase) body.byte(B.CALL).unsigned(first + k);
    return body;
  });
  if (loops !== undefined)
    bodies.splice(0, count, bodies.reduce((all, body) => all.append(loops.between!).append(body)).append(loops.calls));
  return ['run', 'finish'].slice(0, bodies.length).map((name, k) => ({
    parameters: 0,
    body: new B.Bytes().byte(0).append(bodies[k]).byte(B.END),
    name,
  }));
}
