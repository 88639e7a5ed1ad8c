// The family of paper 004: the mass matrix six ways, each counted by running it; on a simulated array of
// processors.

import type { MassMatrix } from '../../engines/plain/author-order.js';
import { reduceMatrix } from '../../engines/plain/couplings.js';
import { createDense } from '../../engines/plain/dense.js';
import { refuseForeign } from '../../engines/plain/refuse.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { createTree, type Tree } from '../../mechanism/tree.js';
import { countMassMatrix, type MassMatrixAlgorithm, massMatrixInLinkOrder } from './algorithms.js';
import { type ArrayOptions, massMatrixOnArray } from './array/index.js';
import type { ArrayLayout } from './array/layout.js';
import type { ArrayReport } from './array/processor-array.js';
import type { ArrayFrame } from './array/rows.js';
import type { ProjectionFrame } from './frames.js';
import type { Operations } from './trace.js';

export { frameOf, MASS_MATRIX_ALGORITHMS, type MassMatrixAlgorithm } from './algorithms.js';
export {
  ARRAY_ALGORITHMS,
  type ArrayAlgorithm,
  type ArrayOptions,
} from './array/index.js';
export type { ArrayLayout } from './array/layout.js';
export type { ArrayReport, Communication } from './array/processor-array.js';
export type { ArrayFrame } from './array/rows.js';
export { denavitHartenbergChain } from './dh-chain.js';
export { FRAMES, type ProjectionFrame } from './frames.js';
export type { Operations } from './trace.js';

/** Which algorithm of paper 004, in which frame. */
export interface MassMatrixOptions {
  readonly algorithm: MassMatrixAlgorithm;
  /** What the equations are projected onto; the paper's choice for the algorithm where left out. */
  readonly frame?: ProjectionFrame;
}

/**
 * Degrees of freedom up to which the readable algorithms are run, and counted: beyond, one run takes more than seconds,
 * or a list of its operations more than gigabytes.
 */
const MAX_RUN = { kane: 500, 'newton-euler': 1000, others: 2000 };
const MAX_COUNTED = { kane: 100, 'newton-euler': 300, others: 600 };

function refuseLarge(what: string, nv: number, algorithm: MassMatrixAlgorithm, limits: typeof MAX_RUN): void {
  const limit = algorithm === 'kane' || algorithm === 'newton-euler' ? limits[algorithm] : limits.others;
  if (nv > limit)
    throw MechanismError.of(
      'too-large',
      '',
      `${algorithm} is ${what} for up to ${limit} degrees of freedom; this mechanism has ${nv}. Dynamics.massMatrix (crba) takes more.`,
    );
}

/** The mass matrix by one of the paper's algorithms, in the order of v, as Dynamics.massMatrix gives it. */
export function massMatrixBy(mechanism: Mechanism, state: State, options: MassMatrixOptions): MassMatrix {
  refuseForeign(mechanism, state);
  refuseLarge('run', mechanism.nv, options.algorithm, MAX_RUN);
  const tree = createTree(mechanism);
  return inOrderOfV(tree, massMatrixInLinkOrder(tree, state.q, options.algorithm, options.frame));
}

/** Operations of one run of the algorithm for this mechanism, and how many vectors it turns between frames. */
export function countOperationsOf(
  mechanism: Mechanism,
  state: State,
  { algorithm, frame }: MassMatrixOptions,
): Operations & { readonly transformations: number } {
  refuseForeign(mechanism, state);
  refuseLarge('counted', mechanism.nv, algorithm, MAX_COUNTED);
  const { operations, transformations } = countMassMatrix(createTree(mechanism), state.q, algorithm, frame);
  return { ...operations, transformations };
}

/** A mass matrix with the account of the processors that computed it. */
export interface SimulatedMassMatrix extends MassMatrix, ArrayReport {
  readonly layout: ArrayLayout['kind'];
  readonly frame: ArrayFrame;
}

/** The mass matrix on a simulated array of processors, and what they did. */
export function simulateMassMatrix(mechanism: Mechanism, state: State, options: ArrayOptions): SimulatedMassMatrix {
  refuseForeign(mechanism, state);
  const tree = createTree(mechanism);
  const { H, ...report } = massMatrixOnArray(tree, state.q, options);
  return { ...report, ...inOrderOfV(tree, H) };
}

/** Of the independent joints, from link order. */
function inOrderOfV(tree: Tree, given: Float64Array): MassMatrix {
  const scratch = createDense(tree);
  reduceMatrix(scratch.A, given, scratch);
  return { n: scratch.rows, H: scratch.A, joints: scratch.joints };
}
