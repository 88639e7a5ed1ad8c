// The mass matrix on a simulated array of processors.

import { MechanismError } from '../../../mechanism/errors.js';
import type { Tree } from '../../../mechanism/tree.js';
import { Trace } from '../trace.js';
import { compositeOnArray } from './composite-array.js';
import { type ArrayLayout, createLayout } from './layout.js';
import { newtonEulerOnArray } from './newton-euler-array.js';
import { type ArrayReport, ProcessorArray } from './processor-array.js';
import type { ArrayFrame } from './rows.js';

/** An algorithm for an array of processors. */
export type ArrayAlgorithm = 'newton-euler-variant' | 'composite-variant';
/** The algorithms that run on a simulated array of processors. */
export const ARRAY_ALGORITHMS: readonly ArrayAlgorithm[] = ['newton-euler-variant', 'composite-variant'];

/** Algorithm, processors and layout of a simulated array. */
export interface ArrayOptions {
  readonly algorithm: ArrayAlgorithm;
  /** Physical processors; as many as the layout can use where left out. */
  readonly processors?: number;
  /** Where left out: triangle if the processors suffice for one each, columns otherwise. */
  readonly layout?: ArrayLayout['kind'];
  /** Frame of a triangle's columns; `tip` is for chains only. Column where left out. */
  readonly frame?: ArrayFrame;
}

export interface ArrayRun extends ArrayReport {
  readonly layout: ArrayLayout['kind'];
  readonly frame: ArrayFrame;
  /** nv x nv, rows in link order, armature included. */
  readonly H: Float64Array;
}

/** Every operation is written down, some 60 bytes each: beyond this it takes gigabytes. */
const MAX_VIRTUAL = 40_000;

export function massMatrixOnArray(tree: Tree, q: Float64Array, options: ArrayOptions): ArrayRun {
  const { processors = Number.POSITIVE_INFINITY, frame = 'column' } = options;
  if (!(processors >= 1))
    throw MechanismError.of('processors', '', `Expected at least one processor, got ${processors}.`);
  let pairs = 0;
  for (let i = 0; i < tree.n; i++) for (let j = i; j >= 0; j = tree.parent[j]) pairs++;
  const kind = options.layout ?? (processors >= pairs ? 'triangle' : 'columns');
  if (frame === 'tip' && (kind === 'columns' || tree.parent.some((p, i) => p !== i - 1)))
    throw MechanismError.of(
      'frame',
      '',
      'The frame of the tip is for a triangle of processors and a chain without branches.',
    );
  const size = kind === 'triangle' ? pairs : tree.n;
  if (size > MAX_VIRTUAL || pairs > 40 * MAX_VIRTUAL)
    throw MechanismError.of(
      'too-large',
      '',
      `This mechanism needs ${size} virtual processors for ${pairs} pairs of links; up to ${MAX_VIRTUAL} are simulated.`,
    );
  const layout = createLayout(tree, kind);
  const trace = new Trace();
  const array = new ProcessorArray(trace, layout.place, processors);
  const run = options.algorithm === 'composite-variant' ? compositeOnArray : newtonEulerOnArray;
  const H = run(array, tree, q, layout, frame);
  array.run('armature', (v) => {
    const i = layout.row[v];
    if (!layout.diagonal(v)) return;
    for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++)
      H.set(k, k, trace.add(H.entries[k * H.n + k], trace.constant(tree.armature[tree.iv[i] + k - tree.dof[i]])));
  });
  return {
    ...array.report(H.entries),
    layout: kind,
    frame,
    H: Float64Array.from(H.entries, (step) => trace.valueOf(step)),
  };
}
