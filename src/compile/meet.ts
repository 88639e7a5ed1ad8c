// Where two segments meet at a port: the upper one in mixed form (mixed.ts), the lower one as articulated inertia,
//
//   F = I delta + p + Psi g,   a = Psi^T delta + b - Phi g,   g = I_c a + p_c.
//
// With Q = (I_c^-1 + Phi)^-1 and r = Psi^T delta + b - Phi p_c:   g = p_c + Q r,   a = r - Phi Q r, and the two together are
// an articulated inertia again, I + Psi Q Psi^T, with bias p + Psi (p_c + Q (b - Phi p_c)).
//
// I_c may be singular (a link on a prismatic joint has no inertia along it), so it is written C C^T, and
// Q = C (1 + C^T Phi C)^-1 C^T: the matrix in the middle is at least 1. Pivots of C that are rounding of zero give
// columns of zero, without a branch.

import { BASE_RECORD, UP_RECORD } from './block-records.js';
import type { Node } from './graph.js';
import { PORT_RECORD, phiPair } from './mixed.js';
import { VectorGraph } from './vectors.js';

const SIX = [0, 1, 2, 3, 4, 5] as const;
/** A record: Q (21), b - Phi p_c (6). */
export const MEET_RECORD = { Q: 0, r: 21, size: 32 } as const;

/** Pivots below this part of the diagonal entry are none. */
const NOTHING = 1e-14;

const upper = (i: number, j: number): number => {
  const [row, column] = i < j ? [i, j] : [j, i];
  return (row * (11 - row)) / 2 + column;
};

type Matrix = readonly (readonly Node[])[];

class Meeting {
  readonly g = new VectorGraph();
  readonly #own: number;
  readonly #lower: number;

  /** `own`, `lower`: the arrays that hold the two records. */
  constructor(own: number, lower: number) {
    this.#own = own;
    this.#lower = lower;
  }

  Psi(i: number, j: number): Node {
    return this.g.input(this.#own, UP_RECORD.port + PORT_RECORD.Psi + 6 * i + j);
  }

  Phi(i: number, j: number): Node {
    const [row, column] = i < j ? [i, j] : [j, i];
    return this.g.input(this.#own, UP_RECORD.port + phiPair(row, column >> 1) + (column & 1));
  }

  get b(): Node[] {
    return this.g.inputs(this.#own, UP_RECORD.port + PORT_RECORD.b, 6);
  }

  get p(): Node[] {
    return this.g.inputs(this.#lower, UP_RECORD.p, 6);
  }

  /** sum_k a_k b_k */
  dot(a: (k: number) => Node, b: (k: number) => Node, from = 0, to = 6): Node {
    const { g } = this;
    let sum = g.zero;
    for (let k = from; k < to; k++) sum = g.add(sum, g.mul(a(k), b(k)));
    return sum;
  }

  /** C with I_c = C C^T, lower triangle. */
  root(): Matrix {
    const { g } = this;
    const I = (i: number, j: number): Node => g.input(this.#lower, UP_RECORD.I + upper(i, j));
    const C: Node[][] = SIX.map(() => []);
    for (const j of SIX) {
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
      const positive = g.mul(g.constant(0.5), g.add(d, g.sqrt(g.mul(d, d))));
      const least = g.add(g.mul(g.constant(NOTHING), I(j, j)), g.constant(1e-150));
      const size = g.sqrt(positive);
      const inverse = g.div(g.mul(size, positive), g.add(g.mul(positive, positive), g.mul(least, least)));
      C[j][j] = g.mul(positive, inverse);
      for (let i = j + 1; i < 6; i++) C[i][j] = g.mul(rest(i), inverse);
    }
    return C;
  }

  /** Phi C, and the factors L, D of 1 + C^T Phi C. */
  middle(C: Matrix): { T: Matrix; L: Matrix; inverse: readonly Node[] } {
    const { g } = this;
    const T = SIX.map((i) =>
      SIX.map((j) =>
        this.dot(
          (k) => this.Phi(i, k),
          (k) => C[k][j],
          j,
        ),
      ),
    );
    const S = SIX.map((i) =>
      SIX.map((j) =>
        j > i
          ? g.zero
          : g.add(
              g.constant(i === j ? 1 : 0),
              this.dot(
                (k) => C[k][i],
                (k) => T[k][j],
                i,
              ),
            ),
      ),
    );
    const L: Node[][] = SIX.map(() => []);
    const W: Node[][] = SIX.map(() => []);
    const inverse: Node[] = [];
    for (const j of SIX) {
      inverse[j] = g.div(
        g.one,
        g.sub(
          S[j][j],
          this.dot(
            (k) => L[j][k],
            (k) => W[j][k],
            0,
            j,
          ),
        ),
      );
      for (let i = j + 1; i < 6; i++) {
        W[i][j] = g.sub(
          S[i][j],
          this.dot(
            (k) => W[i][k],
            (k) => L[j][k],
            0,
            j,
          ),
        );
        L[i][j] = g.mul(W[i][j], inverse[j]);
      }
    }
    return { T, L, inverse };
  }

  /** b - Phi p_c */
  free(): Node[] {
    const { g, b, p } = this;
    return SIX.map((i) =>
      g.sub(
        b[i],
        this.dot(
          (k) => this.Phi(i, k),
          (k) => p[k],
        ),
      ),
    );
  }

  /** Q, upper triangle: M^T D^-1 M with L M = C^T. */
  Q(): Node[] {
    const { g } = this;
    const C = this.root();
    const { L, inverse } = this.middle(C);
    const M: Node[][] = SIX.map(() => []);
    for (const i of SIX)
      for (const c of SIX) {
        // C^T is an upper triangle: entry (i, c) is C[c][i].
        const start = c >= i ? C[c][i] : g.zero;
        M[i][c] = g.sub(
          start,
          this.dot(
            (k) => L[i][k],
            (k) => M[k][c],
            0,
            i,
          ),
        );
      }
    const scaled = M.map((row, i) => row.map((node) => g.mul(inverse[i], node)));
    const Q: Node[] = [];
    for (const i of SIX)
      for (let j = i; j < 6; j++)
        Q.push(
          this.dot(
            (k) => M[k][i],
            (k) => scaled[k][j],
          ),
        );
    return Q;
  }
}

function put(g: VectorGraph, array: number, at: number, nodes: readonly Node[]): void {
  nodes.forEach((node, k) => {
    g.output(array, at + k, node);
  });
}

/** Arrays: own up record, lower up record, meeting record. The own inertia and bias become those of both together. */
export function meetUp(): VectorGraph {
  const [OWN, LOWER, MEET] = [0, 1, 2];
  const meeting = new Meeting(OWN, LOWER);
  const { g } = meeting;
  const Q = meeting.Q();
  const at = (i: number, j: number): Node => Q[upper(i, j)];
  const r = meeting.free();
  put(g, MEET, MEET_RECORD.Q, Q);
  put(g, MEET, MEET_RECORD.r, r);
  const { p } = meeting;
  const force = SIX.map((i) =>
    g.add(
      p[i],
      meeting.dot(
        (k) => at(i, k),
        (k) => r[k],
      ),
    ),
  );
  const PsiQ = SIX.map((i) =>
    SIX.map((j) =>
      meeting.dot(
        (k) => meeting.Psi(i, k),
        (k) => at(k, j),
      ),
    ),
  );
  for (const i of SIX) {
    for (let j = i; j < 6; j++) {
      const place = UP_RECORD.I + upper(i, j);
      g.output(
        OWN,
        place,
        g.add(
          g.input(OWN, place),
          meeting.dot(
            (k) => PsiQ[i][k],
            (k) => meeting.Psi(j, k),
          ),
        ),
      );
    }
    const place = UP_RECORD.p + i;
    g.output(
      OWN,
      place,
      g.add(
        g.input(OWN, place),
        meeting.dot(
          (k) => meeting.Psi(i, k),
          (k) => force[k],
        ),
      ),
    );
  }
  return g;
}

/** Arrays: own up record, lower up record, meeting record, own base, lower base, port force. */
export function meetDown(): VectorGraph {
  const [OWN, LOWER, MEET, BASE, LOWER_BASE, FORCE] = [0, 1, 2, 3, 4, 5];
  const meeting = new Meeting(OWN, LOWER);
  const { g, p } = meeting;
  const delta = g.inputs(BASE, BASE_RECORD.delta, 6);
  const Q = g.inputs(MEET, MEET_RECORD.Q, 21);
  const r = SIX.map((i) =>
    g.add(
      g.input(MEET, MEET_RECORD.r + i),
      meeting.dot(
        (k) => meeting.Psi(k, i),
        (k) => delta[k],
      ),
    ),
  );
  const h = SIX.map((i) =>
    meeting.dot(
      (k) => Q[upper(i, k)],
      (k) => r[k],
    ),
  );
  finish(meeting, p, r, h, FORCE, LOWER_BASE);
  return g;
}

/** Both at once where nothing is above. Arrays: own up record, lower up record, lower base, port force. */
export function meetGround(): VectorGraph {
  const [OWN, LOWER, LOWER_BASE, FORCE] = [0, 1, 2, 3];
  const meeting = new Meeting(OWN, LOWER);
  const { g, p } = meeting;
  const C = meeting.root();
  const { L, inverse } = meeting.middle(C);
  const r = meeting.free();
  // h = C y with (1 + C^T Phi C) y = C^T r
  const z: Node[] = [];
  for (const i of SIX)
    z[i] = g.sub(
      meeting.dot(
        (k) => C[k][i],
        (k) => r[k],
        i,
      ),
      meeting.dot(
        (k) => L[i][k],
        (k) => z[k],
        0,
        i,
      ),
    );
  const y: Node[] = [];
  for (let i = 5; i >= 0; i--)
    y[i] = g.sub(
      g.mul(z[i], inverse[i]),
      meeting.dot(
        (k) => L[k][i],
        (k) => y[k],
        i + 1,
      ),
    );
  const h = SIX.map((i) =>
    meeting.dot(
      (k) => C[i][k],
      (k) => y[k],
      0,
      i + 1,
    ),
  );
  finish(meeting, p, r, h, FORCE, LOWER_BASE);
  return g;
}

/** g = p_c + h, a = r - Phi h */
function finish(
  meeting: Meeting,
  p: readonly Node[],
  r: readonly Node[],
  h: readonly Node[],
  forceArray: number,
  baseArray: number,
): void {
  const { g } = meeting;
  put(
    g,
    forceArray,
    0,
    SIX.map((i) => g.add(p[i], h[i])),
  );
  put(
    g,
    baseArray,
    BASE_RECORD.delta,
    SIX.map((i) =>
      g.sub(
        r[i],
        meeting.dot(
          (k) => meeting.Phi(i, k),
          (k) => h[k],
        ),
      ),
    ),
  );
}

/** w_here = R w + w_rel. Arrays: angular velocity, relation, result. */
export function hopDown(): VectorGraph {
  const { g, R, rel, w } = hop();
  for (const i of [0, 1, 2]) put(g, 2, i, [g.add(rel[i], g.dot([R(i, 0), R(i, 1), R(i, 2)], w))]);
  return g;
}

/** w = R^T (w_here - w_rel) */
export function hopUp(): VectorGraph {
  const { g, R, rel, w } = hop();
  const over = w.map((node, i) => g.sub(node, rel[i]));
  for (const i of [0, 1, 2]) put(g, 2, i, [g.dot([R(0, i), R(1, i), R(2, i)], over)]);
  return g;
}

/** Places as in block-records.ts: columns 0 and 1 two by two, then column 2 and w. */
function hop() {
  const g = new VectorGraph();
  const R = (i: number, j: number): Node => g.input(1, j < 2 ? 2 * i + j : 6 + 2 * i);
  const rel = [0, 1, 2].map((i) => g.input(1, 7 + 2 * i));
  return { g, R, rel, w: g.inputs(0, 0, 3) };
}
