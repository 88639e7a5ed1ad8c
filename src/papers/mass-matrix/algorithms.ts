// The six serial algorithms by name: computing with doubles, and counting with a trace.

import { MechanismError } from '../../mechanism/errors.js';
import type { Tree } from '../../mechanism/tree.js';
import { type Arithmetic, doubles } from './arithmetic.js';
import { composite } from './composite.js';
import { compositeVariant } from './composite-variant.js';
import type { ProjectionFrame } from './frames.js';
import { kane } from './kane.js';
import { kaneVariant } from './kane-variant.js';
import { type ChainLinks, createLinks } from './links.js';
import { newtonEuler } from './newton-euler.js';
import { newtonEulerVariant } from './newton-euler-variant.js';
import type { Projected } from './projected.js';
import { type Operations, Trace } from './trace.js';

/** An algorithm of paper 004: as first published, or the paper's variant of it. */
export type MassMatrixAlgorithm =
  | 'kane'
  | 'kane-variant'
  | 'newton-euler'
  | 'newton-euler-variant'
  | 'composite'
  | 'composite-variant';

type Serial = <T>(model: ChainLinks<T>, frame?: ProjectionFrame) => Projected<T>;

const ALGORITHMS = new Map<MassMatrixAlgorithm, { readonly run: Serial; readonly frame: string }>([
  ['kane', { run: kane, frame: 'root' }],
  ['kane-variant', { run: kaneVariant, frame: 'root' }],
  ['newton-euler', { run: newtonEuler, frame: 'body' }],
  ['newton-euler-variant', { run: newtonEulerVariant, frame: 'root' }],
  ['composite', { run: composite, frame: 'body' }],
  ['composite-variant', { run: compositeVariant, frame: 'body, then root' }],
]);

/** The six algorithms of paper 004. */
export const MASS_MATRIX_ALGORITHMS: readonly MassMatrixAlgorithm[] = [...ALGORITHMS.keys()];

/** The frame that an algorithm takes where none is asked for, in words. */
export function frameOf(algorithm: MassMatrixAlgorithm): string {
  return ALGORITHMS.get(algorithm)!.frame;
}

function runWith<T>(
  arithmetic: Arithmetic<T>,
  tree: Tree,
  q: Float64Array,
  algorithm: MassMatrixAlgorithm,
  frame: ProjectionFrame | undefined,
): Projected<T> {
  const found = ALGORITHMS.get(algorithm);
  if (found === undefined)
    throw MechanismError.of(
      'algorithm',
      `"${algorithm}"`,
      `It is no mass matrix algorithm; there are ${MASS_MATRIX_ALGORITHMS.join(', ')}.`,
    );
  return found.run(createLinks(tree, arithmetic, q), frame);
}

/** The mass matrix at q, nv x nv, rows in link order (tree.dof), armature included. */
export function massMatrixInLinkOrder(
  tree: Tree,
  q: Float64Array,
  algorithm: MassMatrixAlgorithm,
  frame?: ProjectionFrame,
): Float64Array {
  return Float64Array.from(runWith(doubles, tree, q, algorithm, frame).H.entries);
}

export interface CountedMatrix {
  readonly operations: Operations;
  /** Vectors and matrices turned from one frame to another. */
  readonly transformations: number;
  /** The matrix of the counted run, rows in link order. */
  readonly H: Float64Array;
}

/** Runs the algorithm at q and counts what it does. */
export function countMassMatrix(
  tree: Tree,
  q: Float64Array,
  algorithm: MassMatrixAlgorithm,
  frame?: ProjectionFrame,
): CountedMatrix {
  const trace = new Trace();
  const { H, transformations } = runWith(trace, tree, q, algorithm, frame);
  return {
    operations: trace.count(trace.needed(H.entries)),
    transformations,
    H: Float64Array.from(H.entries, (step) => trace.valueOf(step)),
  };
}
