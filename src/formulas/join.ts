// Where two parts meet at a port: the upper one in mixed form (mixed.ts), the lower one with a handle there,
//
//   F = I delta + p + Psi g,   a = Psi^T delta + b - Phi g        upper part
//   g = I_c a + p_c + Psi_c k,   a_c = Psi_c^T a + b_c - Phi_c k  lower part; k is the force at its own port, if it has one.
//
// With Q = (I_c^-1 + Phi)^-1, e = p_c + Psi_c k and r = Psi^T delta + b - Phi e:   g = e + Q r,   a = r - Phi Q r. The two
// together are a part again: with r0 = b - Phi p_c and X = (1 - Q Phi) Psi_c
//
//   I + Psi Q Psi^T,   p + Psi (p_c + Q r0),   Psi X,   Phi_c + (Phi Psi_c)^T X,   b_c + X^T r0.
//
// I_c may be singular (a link on a prismatic joint has no inertia along it), so it is written C C^T, and
// Q = C (1 + C^T Phi C)^-1 C^T: the matrix in the middle is at least 1. Pivots of C that are rounding of zero give
// columns of zero, without a branch. Columns of matrices go two by two in the lanes of vectors.

import { BASE_RECORD } from './block-records.js';
import type { Node } from './graph.js';
import { writePair } from './mixed.js';
import { type PartLayout, partLayout, type Size } from './part-record.js';
import { VectorGraph } from './vectors.js';

/** The dimensions of a join: handle of the upper part, where the two meet, port of the lower part. */
export interface JoinSizes {
  readonly handle: Size;
  readonly at: 3 | 6;
  readonly port: Size;
}

/** Numbers of a join's record: Q, row by row. */
export const JOIN_NUMBERS = 36;

/** Pivots below this part of the diagonal entry are none. */
const NOTHING = 1e-14;

/** Rows of pairs of columns. */
type Rows = readonly (readonly Node[])[];
type Entry = (i: number, j: number) => Node;

const range = (n: number): number[] => Array.from({ length: n }, (_, k) => k);

class Join {
  readonly g = new VectorGraph();
  readonly size: number;
  readonly upper: PartLayout;
  readonly lower: PartLayout;
  readonly #own: number;
  readonly #below: number;

  /** `own`, `below`: the arrays that hold the two parts. */
  constructor({ handle, at, port }: JoinSizes, own: number, below: number) {
    this.size = at;
    this.upper = partLayout(handle, at);
    this.lower = partLayout(at, port);
    this.#own = own;
    this.#below = below;
  }

  Psi(i: number, j: number): Node {
    return this.g.input(this.#own, this.upper.Psi + this.upper.width * i + j);
  }

  Phi(i: number, j: number): Node {
    const [row, column] = i < j ? [i, j] : [j, i];
    return this.g.input(this.#own, this.upper.phiRow(row) + column);
  }

  get b(): Node[] {
    return this.g.inputs(this.#own, this.upper.b, this.size);
  }

  get pBelow(): Node[] {
    return this.g.inputs(this.#below, this.lower.p, this.size);
  }

  PsiBelow(i: number, j: number): Node {
    return this.g.input(this.#below, this.lower.Psi + this.lower.width * i + j);
  }

  /** Pairs of columns of the lower part's Psi. */
  get PsiRows(): Rows {
    const { Psi, width } = this.lower;
    return range(this.size).map((i) =>
      range(width / 2).map((k) => this.g.input(this.#below, Psi + width * i + 2 * k, Psi + width * i + 2 * k + 1)),
    );
  }

  /** sum_k a_k b_k */
  dot(a: (k: number) => Node, b: (k: number) => Node, from = 0, to = this.size): Node {
    const { g } = this;
    let sum = g.zero;
    for (let k = from; k < to; k++) sum = g.add(sum, g.mul(a(k), b(k)));
    return sum;
  }

  /** A B, columns of B two by two. */
  product(A: Entry, B: Rows, rows = this.size): Node[][] {
    return range(rows).map((i) =>
      B[0].map((_, k) =>
        this.dot(
          (j) => A(i, j),
          (j) => B[j][k],
        ),
      ),
    );
  }

  /** Columns two by two of a matrix; where their number is odd the last lane is zero. */
  rows(A: Entry, count = this.size): Node[][] {
    const { g, size } = this;
    return range(count).map((i) =>
      range(Math.ceil(size / 2)).map((k) => g.pair(A(i, 2 * k), 2 * k + 1 < size ? A(i, 2 * k + 1) : g.zero)),
    );
  }

  entry(A: Rows): Entry {
    return (i, j) => this.g.lane(A[i][j >> 1], (j & 1) as 0 | 1);
  }

  /** C with I_c = C C^T, lower triangle. */
  root(): Entry {
    const { g, size } = this;
    const I: Entry = (i, j) => g.input(this.#below, this.lower.inertia(i, j));
    const C: Node[][] = range(size).map(() => []);
    for (let j = 0; j < size; j++) {
      const rest = (i: number): Node =>
        g.sub(
          I(i, j),
          this.dot(
            (k) => C[i][k],
            (k) => C[j][k],
            0,
            j,
          ),
        );
      const d = rest(j);
      // max(d, 0), and 1 / sqrt(d) that fades to zero where d is rounding.
      const positive = g.mul(g.constant(0.5), g.add(d, g.abs(d)));
      const least = g.add(g.mul(g.constant(NOTHING), I(j, j)), g.constant(1e-150));
      const inverse = g.div(g.mul(g.sqrt(positive), positive), g.add(g.mul(positive, positive), g.mul(least, least)));
      C[j][j] = g.mul(positive, inverse);
      for (let i = j + 1; i < size; i++) C[i][j] = g.mul(rest(i), inverse);
    }
    return (i, j) => (j > i ? g.zero : C[i][j]);
  }

  /** The factors L and 1 / D of 1 + C^T Phi C. */
  middle(C: Entry): { L: Entry; inverse: readonly Node[] } {
    const { g, size } = this;
    const T = this.product((i, j) => this.Phi(i, j), this.rows(C));
    const S = this.entry(this.product((i, j) => C(j, i), T));
    const L: Node[][] = range(size).map(() => []);
    const W: Node[][] = range(size).map(() => []);
    const inverse: Node[] = [];
    for (let j = 0; j < size; j++) {
      const rest = (i: number, start: Node): Node =>
        g.sub(
          start,
          this.dot(
            (k) => W[i][k],
            (k) => L[j][k],
            0,
            j,
          ),
        );
      inverse[j] = g.div(g.one, rest(j, g.add(g.one, S(j, j))));
      for (let i = j + 1; i < size; i++) {
        W[i][j] = rest(i, S(i, j));
        L[i][j] = g.mul(W[i][j], inverse[j]);
      }
    }
    return { L: (i, j) => L[i][j], inverse };
  }

  /** b - Phi p_c */
  free(): Node[] {
    const { g, b, pBelow } = this;
    return b.map((entry, i) =>
      g.sub(
        entry,
        this.dot(
          (k) => this.Phi(i, k),
          (k) => pBelow[k],
        ),
      ),
    );
  }

  /** Q = M^T D^-1 M with L M = C^T. */
  Q(): Entry {
    const { g, size } = this;
    const C = this.root();
    const { L, inverse } = this.middle(C);
    const M: Node[][] = [];
    for (const [i, row] of this.rows((i, j) => C(j, i)).entries())
      M.push(
        row.map((start, k) =>
          g.sub(
            start,
            this.dot(
              (j) => L(i, j),
              (j) => M[j][k],
              0,
              i,
            ),
          ),
        ),
      );
    const scaled = M.map((row, i) => row.map((node) => g.mul(inverse[i], node)));
    const at = this.entry(M);
    // Only what is not left of the diagonal.
    const half = range(size).map((i) =>
      scaled[0].map((_, k) =>
        k < i >> 1
          ? g.zero
          : this.dot(
              (j) => at(j, i),
              (j) => scaled[j][k],
            ),
      ),
    );
    const entry = this.entry(half);
    return (i, j) => (j >= (i & ~1) ? entry(i, j) : entry(j, i));
  }

  /** g = e + h, a = r - Phi h, and the force at the lower part's own port handed on. */
  finish(e: readonly Node[], r: readonly Node[], h: readonly Node[], forceArray: number, baseArray: number): void {
    const { g, size } = this;
    for (let i = 0; i < size; i++) {
      g.output(forceArray, i, g.add(e[i], h[i]));
      const a = g.sub(
        r[i],
        this.dot(
          (k) => this.Phi(i, k),
          (k) => h[k],
        ),
      );
      g.output(baseArray, BASE_RECORD.delta + i, a);
    }
    // Forces are read two by two.
    if (size === 3) g.output(forceArray, 3, g.zero);
  }
}

/** Arrays: upper part, lower part, the join's record, the part they make. */
export function joinUp(sizes: JoinSizes): VectorGraph {
  const [OWN, BELOW, MEET, RESULT] = [0, 1, 2, 3];
  const join = new Join(sizes, OWN, BELOW);
  const { g, size, upper, lower, pBelow } = join;
  const result = partLayout(sizes.handle, sizes.port);
  const { handle, port } = result;
  const Q = join.Q();
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) g.output(MEET, size * i + j, Q(i, j));
  const r = join.free();
  const Psi: Entry = (i, j) => join.Psi(i, j);
  if (handle > 0) {
    const PsiQ = join.entry(join.product(Psi, join.rows(Q), handle));
    const force = range(size).map((i) =>
      g.add(
        pBelow[i],
        join.dot(
          (k) => Q(i, k),
          (k) => r[k],
        ),
      ),
    );
    for (let i = 0; i < handle; i++) {
      for (let j = i; j < handle; j++) {
        const change = join.dot(
          (k) => PsiQ(i, k),
          (k) => Psi(j, k),
        );
        g.output(RESULT, result.inertia(i, j), g.add(g.input(OWN, upper.inertia(i, j)), change));
      }
      const change = join.dot(
        (k) => Psi(i, k),
        (k) => force[k],
      );
      g.output(RESULT, result.p + i, g.add(g.input(OWN, upper.p + i), change));
    }
  }
  if (port === 0) return g;
  const below = join.PsiRows;
  const PhiPsi = join.product((i, j) => join.Phi(i, j), below);
  const X = join.product(Q, PhiPsi).map((row, i) => row.map((node, k) => g.sub(below[i][k], node)));
  const PsiX = join.product(Psi, X, handle);
  for (let i = 0; i < handle; i++)
    for (const [k, node] of PsiX[i].entries()) writePair(g, RESULT, result.Psi + result.width * i + 2 * k, node);
  const Z = join.entry(PhiPsi);
  const pair = (at: number): Node => g.input(BELOW, at, at + 1);
  const pairs = range(result.width / 2);
  for (let i = 0; i < port; i++)
    for (const k of pairs) {
      if (k < i >> 1) continue;
      const change = join.dot(
        (j) => Z(j, i),
        (j) => X[j][k],
      );
      writePair(g, RESULT, result.phiRow(i) + 2 * k, g.add(pair(lower.phiRow(i) + 2 * k), change));
    }
  for (const k of pairs) {
    const change = join.dot(
      (j) => r[j],
      (j) => X[j][k],
    );
    writePair(g, RESULT, result.b + 2 * k, g.add(pair(lower.b + 2 * k), change));
  }
  return g;
}

/**
 * Arrays: upper part, lower part, the join's record, base of the upper part, base of the lower part, force where they
 * meet, force at the port of both together (copied to the lower part's base).
 */
export function joinDown(sizes: JoinSizes): VectorGraph {
  const [OWN, BELOW, MEET, BASE, BASE_BELOW, FORCE, OUTER] = [0, 1, 2, 3, 4, 5, 6];
  const join = new Join(sizes, OWN, BELOW);
  const { g, size, b, pBelow } = join;
  const { handle, port } = sizes;
  const delta = g.inputs(BASE, BASE_RECORD.delta, handle);
  const outer = g.inputs(OUTER, 0, port);
  const e = pBelow.map((p, i) =>
    g.add(
      p,
      join.dot(
        (k) => join.PsiBelow(i, k),
        (k) => outer[k],
        0,
        port,
      ),
    ),
  );
  const r = b.map((free, i) => {
    const moved = join.dot(
      (k) => join.Psi(k, i),
      (k) => delta[k],
      0,
      handle,
    );
    const back = join.dot(
      (k) => join.Phi(i, k),
      (k) => e[k],
    );
    return g.sub(g.add(free, moved), back);
  });
  const h = range(size).map((i) =>
    join.dot(
      (k) => g.input(MEET, size * i + k),
      (k) => r[k],
    ),
  );
  join.finish(e, r, h, FORCE, BASE_BELOW);
  for (const [k, node] of outer.entries()) g.output(BASE_BELOW, BASE_RECORD.force + k, node);
  if (port === 3) g.output(BASE_BELOW, BASE_RECORD.force + 3, g.zero);
  return g;
}

/** Both at once where nothing is above and nothing is below. Arrays: upper part, lower part, its base, force where they meet. */
export function joinGround(at: 3 | 6): VectorGraph {
  const [OWN, BELOW, BASE_BELOW, FORCE] = [0, 1, 2, 3];
  const join = new Join({ handle: 0, at, port: 0 }, OWN, BELOW);
  const { g, size, pBelow } = join;
  const C = join.root();
  const { L, inverse } = join.middle(C);
  const r = join.free();
  // h = C y with (1 + C^T Phi C) y = C^T r
  const z: Node[] = [];
  for (let i = 0; i < size; i++)
    z[i] = g.sub(
      join.dot(
        (k) => C(k, i),
        (k) => r[k],
        i,
      ),
      join.dot(
        (k) => L(i, k),
        (k) => z[k],
        0,
        i,
      ),
    );
  const y: Node[] = [];
  for (let i = size - 1; i >= 0; i--)
    y[i] = g.sub(
      g.mul(z[i], inverse[i]),
      join.dot(
        (k) => L(k, i),
        (k) => y[k],
        i + 1,
      ),
    );
  const h = range(size).map((i) =>
    join.dot(
      (k) => C(i, k),
      (k) => y[k],
      0,
      i + 1,
    ),
  );
  join.finish(pBelow, r, h, FORCE, BASE_BELOW);
  return g;
}
