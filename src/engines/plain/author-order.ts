// The mass matrix as the author reads it: in the order of v.

import type { Mechanism } from '../../mechanism/mechanism.js';

/** The joint-space mass matrix, rows and columns in the order of v. */
export interface MassMatrix {
  /** Rows and columns. */
  readonly n: number;
  /** n x n, row major. */
  readonly H: Float64Array;
  /** The joints it is about, in order; coupled joints are part of the joint they follow. */
  readonly joints: readonly { readonly name: string; readonly offset: number; readonly dof: number }[];
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
