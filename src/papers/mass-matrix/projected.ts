import type { SymmetricMatrix } from './links.js';

/** What every algorithm of this folder returns. */
export interface Projected<T> {
  /** The mass matrix, rows in link order. */
  readonly H: SymmetricMatrix<T>;
  /** Vectors and matrices turned from one frame to another. */
  readonly transformations: number;
}
