// Vectors and matrices over the formula graph, so that algorithms read like their equations. Conventions as in
// docs/notation.md: angular before linear, symmetric matrices as xx, xy, xz, yy, yz, zz, others row by row.

import { Graph, type Node } from './graph.js';

export type NodeVec3 = readonly [Node, Node, Node];
/** Nine nodes, row major. */
export type NodeMat3 = readonly Node[];
/** Six nodes: xx, xy, xz, yy, yz, zz. */
export type Sym3 = readonly Node[];
/** Six nodes: angular, then linear. */
export type Vec6 = readonly Node[];

/** Where entry (i, j) of a symmetric matrix stands. */
export const SYM: readonly (readonly number[])[] = [
  [0, 1, 2],
  [1, 3, 4],
  [2, 4, 5],
];

export class VectorGraph extends Graph {
  readonly zero: Node = this.constant(0);
  readonly one: Node = this.constant(1);
  readonly zero3: NodeVec3 = [this.zero, this.zero, this.zero];

  sum(...terms: readonly Node[]): Node {
    let total = this.zero;
    for (const term of terms) total = this.add(total, term);
    return total;
  }

  vec(of: (k: 0 | 1 | 2) => Node): NodeVec3 {
    return [of(0), of(1), of(2)];
  }

  plus(x: NodeVec3, y: NodeVec3): NodeVec3 {
    return [this.add(x[0], y[0]), this.add(x[1], y[1]), this.add(x[2], y[2])];
  }

  minus(x: NodeVec3, y: NodeVec3): NodeVec3 {
    return [this.sub(x[0], y[0]), this.sub(x[1], y[1]), this.sub(x[2], y[2])];
  }

  times(s: Node, x: NodeVec3): NodeVec3 {
    return [this.mul(s, x[0]), this.mul(s, x[1]), this.mul(s, x[2])];
  }

  cross(x: NodeVec3, y: NodeVec3): NodeVec3 {
    if (this.isZero(x) || this.isZero(y)) return this.zero3;
    return [
      this.sub(this.mul(x[1], y[2]), this.mul(x[2], y[1])),
      this.sub(this.mul(x[2], y[0]), this.mul(x[0], y[2])),
      this.sub(this.mul(x[0], y[1]), this.mul(x[1], y[0])),
    ];
  }

  dot(x: readonly Node[], y: readonly Node[]): Node {
    let total = this.zero;
    for (let k = 0; k < x.length; k++) total = this.add(total, this.mul(x[k], y[k]));
    return total;
  }

  /** a x + b y + c z */
  #row(a: Node, b: Node, c: Node, x: NodeVec3): Node {
    return this.add(this.add(this.mul(a, x[0]), this.mul(b, x[1])), this.mul(c, x[2]));
  }

  /** a - x y: one product after the other off a. */
  lessProducts(a: Node, x: readonly Node[], y: readonly Node[]): Node {
    return x.reduce((left, factor, k) => this.sub(left, this.mul(factor, y[k])), a);
  }

  /** A x */
  apply(A: NodeMat3, x: NodeVec3): NodeVec3 {
    if (this.isZero(x)) return x;
    return [this.#row(A[0], A[1], A[2], x), this.#row(A[3], A[4], A[5], x), this.#row(A[6], A[7], A[8], x)];
  }

  /** A^T x */
  applyT(A: NodeMat3, x: NodeVec3): NodeVec3 {
    if (this.isZero(x)) return x;
    return [this.#row(A[0], A[3], A[6], x), this.#row(A[1], A[4], A[7], x), this.#row(A[2], A[5], A[8], x)];
  }

  applySym(A: Sym3, x: NodeVec3): NodeVec3 {
    if (this.isZero(x)) return x;
    return [this.#row(A[0], A[1], A[2], x), this.#row(A[1], A[3], A[4], x), this.#row(A[2], A[4], A[5], x)];
  }

  multiply(A: NodeMat3, B: NodeMat3): NodeMat3 {
    const product: Node[] = [];
    for (let j = 0; j < 3; j++) {
      const column = this.apply(A, [B[j], B[3 + j], B[6 + j]]);
      for (let i = 0; i < 3; i++) product[3 * i + j] = column[i];
    }
    return product;
  }

  /** All zero. Vanishing products would vanish anyway; not to form them makes the graph sooner. */
  isZero(nodes: readonly Node[]): boolean {
    const { zero } = this;
    for (let k = 0; k < nodes.length; k++) if (nodes[k] !== zero) return false;
    return true;
  }

  transpose(A: NodeMat3): NodeMat3 {
    return [A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]];
  }

  /** [x cross] */
  skew(x: NodeVec3): NodeMat3 {
    const { zero } = this;
    return [zero, this.neg(x[2]), x[1], x[2], zero, this.neg(x[0]), this.neg(x[1]), x[0], zero];
  }

  /** tr(A) 1 - A: second moments of mass to rotational inertia. */
  complement(A: Sym3): Sym3 {
    return [
      this.add(A[3], A[5]),
      this.neg(A[1]),
      this.neg(A[2]),
      this.add(A[0], A[5]),
      this.neg(A[4]),
      this.add(A[0], A[3]),
    ];
  }

  addAll(a: readonly Node[], b: readonly Node[]): Node[] {
    return a.map((e, k) => this.add(e, b[k]));
  }

  /** Both lanes of a pair added up. */
  laneSum(a: Node): Node {
    return this.add(this.lane(a, 0), this.lane(a, 1));
  }

  inputs(array: number, from: number, count: number): Node[] {
    return Array.from({ length: count }, (_, k) => this.input(array, from + k));
  }
}
