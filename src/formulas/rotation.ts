// Rotations from parent to link coordinates, as they come in joints: a turn about z after a constant rotation, or a
// whole matrix. Each knows the cheapest way to carry vectors and tensors through it.

import type { LowInertiaAxis } from '../plan/low-inertia-axes.js';
import type { Node } from './graph.js';
import type { NodeMat3, NodeVec3, Sym3, VectorGraph } from './vectors.js';

export interface Rotation {
  /** E x */
  toLink(x: NodeVec3): NodeVec3;
  /** E^T x */
  toParent(x: NodeVec3): NodeVec3;
  /** E^T A E */
  symToParent(A: Sym3): Sym3;
  /** The same for rotational inertias, of which one may be far smaller than the others. */
  inertiaToParent(J: Sym3): Sym3;
  matToParent(A: NodeMat3): NodeMat3;
}

const SAME: Rotation = {
  toLink: (x) => x,
  toParent: (x) => x,
  symToParent: (A) => A,
  inertiaToParent: (J) => J,
  matToParent: (A) => A,
};

/** Any matrix E. Where its entries are constants 0 and 1, products vanish in the graph and only names change. */
export function matrixRotation(g: VectorGraph, E: NodeMat3): Rotation {
  if (E.every((entry, k) => g.is(entry, k % 4 === 0 ? 1 : 0))) return SAME;
  const renames = E.every((entry) => g.is(entry, 0) || g.is(entry, 1) || g.is(entry, -1));
  if (g.is(E[2], 0) && !renames) {
    // The first row has no z: a turn about z, then one about x. Two small steps are cheaper than a matrix.
    return compose(zTurn(g, E[1], E[0]), compose(compose(NEXT_AXES, zTurn(g, E[5], E[8])), LAST_AXES));
  }
  const column = (j: number): NodeVec3 => [E[j], E[3 + j], E[6 + j]];
  const symToParent = (A: Sym3): Sym3 => {
    if (g.isZero(A)) return A;
    return renames ? conjugate(g, A, column) : conjugateDeviator(g, A, column);
  };
  return {
    toLink: (x) => g.apply(E, x),
    toParent: (x) => g.applyT(E, x),
    symToParent,
    inertiaToParent: symToParent,
    matToParent: (A) => (g.isZero(A) ? A : g.multiply(g.multiply(g.transpose(E), A), E)),
  };
}

/** One rotation, then another. */
function compose(first: Rotation, second: Rotation): Rotation {
  return {
    toLink: (x) => second.toLink(first.toLink(x)),
    toParent: (x) => first.toParent(second.toParent(x)),
    symToParent: (A) => first.symToParent(second.symToParent(A)),
    inertiaToParent: (J) => first.inertiaToParent(second.inertiaToParent(J)),
    matToParent: (A) => first.matToParent(second.matToParent(A)),
  };
}

/** Axes renamed: [x, y, z] becomes [y, z, x]. */
const NEXT_AXES: Rotation = {
  toLink: ([x, y, z]) => [y, z, x],
  toParent: ([x, y, z]) => [z, x, y],
  symToParent: renameNext,
  inertiaToParent: renameNext,
  matToParent: ([xx, xy, xz, yx, yy, yz, zx, zy, zz]) => [zz, zx, zy, xz, xx, xy, yz, yx, yy],
};
/** [x, y, z] becomes [z, x, y]. */
const LAST_AXES: Rotation = {
  toLink: NEXT_AXES.toParent,
  toParent: NEXT_AXES.toLink,
  symToParent: (A) => renameNext(renameNext(A)),
  inertiaToParent: (J) => renameNext(renameNext(J)),
  matToParent: (A) => NEXT_AXES.matToParent(NEXT_AXES.matToParent(A)),
};

function renameNext([xx, xy, xz, yy, yz, zz]: Sym3): Sym3 {
  return [zz, xz, yz, xx, xy, yy];
}

function conjugate(g: VectorGraph, A: Sym3, column: (j: number) => NodeVec3): Sym3 {
  const images = [0, 1, 2].map((j) => g.applySym(A, column(j)));
  const entry = (i: number, j: number): Node => g.dot(column(i), images[j]);
  return [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)];
}

/** A = zz 1 + D with D_zz = 0: only D need be turned, and its last diagonal entry follows from the trace. */
function conjugateDeviator(g: VectorGraph, A: Sym3, column: (j: number) => NodeVec3): Sym3 {
  const zz = A[5];
  const D = [g.sub(A[0], zz), A[1], A[2], g.sub(A[3], zz), A[4], g.zero];
  const images = [0, 1, 2].map((j) => g.applySym(D, column(j)));
  const entry = (i: number, j: number): Node => g.dot(column(i), images[j]);
  const xx = entry(0, 0);
  const yy = entry(1, 1);
  const last = g.sub(g.sub(g.add(D[0], D[3]), xx), yy);
  return [g.add(xx, zz), entry(0, 1), entry(0, 2), g.add(yy, zz), entry(1, 2), g.add(last, zz)];
}

/** A constant rotation (the joint's placement), then a turn about z by an angle of given sine and cosine. */
export function turnRotation(
  g: VectorGraph,
  placement: Rotation,
  s: Node,
  c: Node,
  lowInertia?: LowInertiaAxis,
): Rotation {
  return compose(placement, zTurn(g, s, c, lowInertia));
}

function zTurn(g: VectorGraph, s: Node, c: Node, lowInertia?: LowInertiaAxis): Rotation {
  const add = (a: Node, b: Node): Node => g.add(a, b);
  const sub = (a: Node, b: Node): Node => g.sub(a, b);
  const mul = (a: Node, b: Node): Node => g.mul(a, b);
  const back = (x: Node, y: Node): readonly [Node, Node] => [sub(mul(c, x), mul(s, y)), add(mul(s, x), mul(c, y))];
  // The x-y block: with e = s (xx - yy) + c (xy + yx), xx' = xx - s e, yy' = yy + s e, xy' = c e - yx, yx' = c e - xy.
  const block = (xx: Node, xy: Node, yx: Node, yy: Node): readonly Node[] => {
    const both = xy === yx ? mul(add(c, c), xy) : mul(c, add(xy, yx));
    const e = add(mul(s, sub(xx, yy)), both);
    const se = mul(s, e);
    const ce = mul(c, e);
    return [sub(xx, se), sub(ce, yx), sub(ce, xy), add(yy, se)];
  };
  /**
   * xx - s e is a difference of large numbers where xx is large and xx' small. With f = c (xx - yy) - 2 s xy as well,
   * xx' = yy + c f and yy' = yy + s e where yy is small, xx' = xx - s e and yy' = xx - c f where xx is.
   */
  const diagonal = (xx: Node, xy: Node, yy: Node): readonly [Node, Node] => {
    const e = mul(s, add(mul(s, sub(xx, yy)), mul(add(c, c), xy)));
    const f = mul(c, sub(mul(c, sub(xx, yy)), mul(add(s, s), xy)));
    return lowInertia === 'x' ? [sub(xx, e), sub(xx, f)] : [add(yy, f), add(yy, e)];
  };
  const turnSym = (A: Sym3, apart: boolean): Sym3 => {
    const [oldXx, oldXy, oldXz, oldYy, oldYz, zz] = A;
    const [xx, xy, , yy] = block(oldXx, oldXy, oldXy, oldYy);
    const [xz, yz] = back(oldXz, oldYz);
    if (!apart) return [xx, xy, xz, yy, yz, zz];
    const [preciseXx, preciseYy] = diagonal(oldXx, oldXy, oldYy);
    return [preciseXx, xy, xz, preciseYy, yz, zz];
  };
  return {
    toLink: (x) => [add(mul(c, x[0]), mul(s, x[1])), sub(mul(c, x[1]), mul(s, x[0])), x[2]],
    toParent: (x) => [...back(x[0], x[1]), x[2]],
    symToParent: (A) => turnSym(A, false),
    inertiaToParent: (J) => turnSym(J, lowInertia !== undefined),
    matToParent: (A) => {
      const [xx, xy, yx, yy] = block(A[0], A[1], A[3], A[4]);
      const [xz, yz] = back(A[2], A[5]);
      const [zx, zy] = back(A[6], A[7]);
      return [xx, xy, xz, yx, yy, yz, zx, zy, A[8]];
    },
  };
}
