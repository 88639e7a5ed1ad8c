// The frame that the equations are projected onto ([004], "optimal choice of coordinate frame"). The algorithms are
// written once; what a hop from a link to its neighbour costs is decided here:
//
//   body    every link's own frame: each hop turns the vector, O(n^2) transformations in all
//   root    the frame of the link that hangs from the ground (a fixed frame that makes one link's numbers constant)
//   ground  the frame of the ground
//   tip     the frame of the last link
//
// In the last three a hop costs nothing and each link's own vectors are turned once, O(n) transformations.

import type { Mat, Sym, Vec } from './algebra.js';
import type { ChainLinks } from './links.js';

/**
 * What equations are projected onto: every link's own frame, that of the first link, the ground, or that of the last
 * link.
 */
export type ProjectionFrame = 'body' | 'root' | 'ground' | 'tip';
/** The frames that equations can be projected onto. */
export const FRAMES: readonly ProjectionFrame[] = ['body', 'root', 'ground', 'tip'];

export class Frames<T> {
  readonly #links: ChainLinks<T>;
  /** Link to working frame, for the fixed ones. */
  readonly #R: readonly Mat<T>[] | undefined;
  #turned = 0;

  constructor(links: ChainLinks<T>, frame: ProjectionFrame) {
    this.#links = links;
    this.#R = frame === 'body' ? undefined : orientations(links, frame);
  }

  /** Vectors and matrices that were turned from one frame to another so far. */
  get transformations(): number {
    return this.#turned;
  }

  /** A vector of link i, from its own coordinates to the working frame. */
  vector(i: number, x: Vec<T>): Vec<T> {
    if (this.#R === undefined || this.#isZero(x)) return x;
    this.#turned++;
    return this.#links.algebra.times(this.#R[i], x);
  }

  /** P(i, parent) in the working frame of the parent. */
  origin(i: number): Vec<T> {
    const { parent, P } = this.#links.links[i];
    return this.vector(parent, P);
  }

  sym(i: number, K: Sym<T>): Sym<T> {
    if (this.#R === undefined) return K;
    this.#turned++;
    return this.#links.algebra.turnSym(this.#R[i], K);
  }

  /** From the working frame of the parent of link i to that of link i. */
  toChild(i: number, x: Vec<T>): Vec<T> {
    if (this.#R !== undefined) return x;
    this.#turned++;
    const { placement, joint } = this.#links.links[i];
    return joint.toChild(placement.toChild(x));
  }

  /** From the working frame of link i to that of its parent. */
  toParent(i: number, x: Vec<T>): Vec<T> {
    if (this.#R !== undefined) return x;
    this.#turned++;
    const { placement, joint } = this.#links.links[i];
    return placement.toParent(joint.toParent(x));
  }

  #isZero(x: Vec<T>): boolean {
    return x === this.#links.algebra.zero3;
  }
}

/** Orientation of every link in a fixed frame, one link after the other. */
function orientations<T>({ algebra, links }: ChainLinks<T>, frame: 'root' | 'ground' | 'tip'): Mat<T>[] {
  const R = new Array<Mat<T>>(links.length);
  if (frame === 'tip') {
    let i = links.length - 1;
    R[i] = algebra.identity;
    for (; links[i].parent >= 0; i = links[i].parent) {
      const { parent, placement, joint } = links[i];
      R[parent] = placement.above(joint.above(R[i]));
    }
  }
  links.forEach(({ parent, placement, joint }, i) => {
    if (R[i] !== undefined) return;
    const from = parent >= 0 ? R[parent] : algebra.identity;
    R[i] = parent < 0 && frame !== 'ground' ? from : joint.below(placement.below(from));
  });
  return R;
}
