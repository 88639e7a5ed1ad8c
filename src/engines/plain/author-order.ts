// From link order, in which the algorithms compute, to the order of v, in which the author reads.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { DenseScratch } from './dense.js';

/** The joint-space mass matrix, rows and columns in the order of v. */
export interface MassMatrix {
  /** Rows and columns. */
  readonly n: number;
  /** n x n, row major. */
  readonly H: Float64Array;
  /** The joints it is about, in order; coupled joints are part of the joint they follow. */
  readonly joints: readonly { readonly name: string; readonly offset: number; readonly dof: number }[];
}

/**
 * scratch.A, a mass matrix (or its inverse) of the independent degrees of freedom in link order, with its rows in the order
 * of v. `out` takes its numbers.
 */
export function authorOrder(mechanism: Mechanism, scratch: DenseScratch, out?: Float64Array): MassMatrix {
  const { A, m } = scratch;
  const { rows, joints } = orderOf(mechanism, scratch);
  const H = out ?? new Float64Array(m * m);
  for (let row = 0, k = 0; row < m; row++) {
    const from = rows[row] * m;
    for (let column = 0; column < m; column++, k++) H[k] = A[from + rows[column]];
  }
  return { n: m, H, joints };
}

interface AuthorOrder {
  /** Row of the reduced matrix for each row in the order of v. */
  readonly rows: Int32Array;
  readonly joints: MassMatrix['joints'];
}

/** One scratch serves one mechanism. */
const orders = new WeakMap<DenseScratch, AuthorOrder>();

function orderOf(mechanism: Mechanism, scratch: DenseScratch): AuthorOrder {
  const known = orders.get(scratch);
  if (known !== undefined) return known;
  const { follows, at } = scratch;
  const rowOf = new Int32Array(mechanism.nv);
  for (let k = 0; k < at.length; k++) rowOf[at[k]] = follows[k];
  const joints = rowsOf(mechanism);
  const rows = joints.flatMap(({ name, dof }) => {
    const { iv } = mechanism.joints[mechanism.jointIndex(name)];
    return Array.from({ length: dof }, (_, k) => rowOf[iv + k]);
  });
  const order = { rows: Int32Array.from(rows), joints };
  orders.set(scratch, order);
  return order;
}

/** The rows of a mass matrix: independent joints in the order of v. */
export function rowsOf({ couplings, joints }: Mechanism): MassMatrix['joints'] {
  const coupled = new Set(couplings.map(({ joint }) => joints[joint].name));
  let offset = 0;
  // In a re-rooted mechanism the joints do not stand in the order of v.
  return [...joints]
    .sort((a, b) => a.iv - b.iv)
    .filter(({ name, model }) => model.nv > 0 && !coupled.has(name))
    .map(({ name, model: { nv: dof } }) => {
      offset += dof;
      return { name, offset: offset - dof, dof };
    });
}
