// Constraints between the handles of one part, in the printed form. A joint of the tree and the joints of a loop are the same
// step here: rows K on the accelerations of some handles e, which forces K^T lambda keep,
//
//   sum_e K_e a_e + beta = 0,   a = Phi f + b,   L = sum_e K_e Phi_e,   Gamma = sum_e L_e K_e^T,   bias = sum_e K_e b_e + beta
//   Phi' = Phi - L^T Gamma^+ L,   b' = b - L^T Gamma^+ bias
//   lambda = -Gamma^+ (bias + L f),   force at handle e: K_e^T lambda
//
// For joint i of the tree two parts A and B are put side by side, K = N_i at its handle on B and -N_i on A, Gamma = V_i^-1, and
// the drive R_i^T tau_i, on B, and its opposite on A are forces at these handles from the start: b includes them. Written out
// for the blocks of A (j) and B (k), with W_i = N_i^T V_i N_i and gamma_i = W_i beta_i + R_i^T tau_i, that is, as corrected:
//
//   [002] eq. 3   Phi_C,jj' = Phi_A,jj' - Phi_A,ji W_i Phi_A,ij'                                               (002-3)
//   [002] eq. 4   Phi_C,kk' = Phi_B,kk' - Phi_B,ki W_i Phi_B,ik'                                               (002-3)
//   [002] eq. 5   Phi_C,jk = Phi_A,ji W_i Phi_B,ik                                                             (002-2)
//   [002] eq. 6   b_C,j = b_A,j - Phi_A,ji gamma_i
//   [002] eq. 7   b_C,k = b_B,k + Phi_B,ki gamma_i
//   [002] eq. 8   n_i = V_i N_i r_i, which is -lambda with r_i = beta_i + sum_j Phi_A,ij f_j - sum_k Phi_B,ik f_k  (002-5)
//   [002] eq. 10  f_i = N_i^T n_i + R_i^T tau_i, on B; its opposite on A                                       (002-6)
//
// Paper 000 has Phi_C as [000] eq. 50 and the force as [000] eq. 51 (errata 000-1 to 000-4); for loops lambda is [000] eq. 57 and
// the bias [000] eq. 58: the four blocks of errata 000-5 are the sum over both ends. Gamma is singular for redundant loops: its
// pseudo-inverse gives the forces of least norm.

/** One side of a joint that is not assembled yet. */
export interface Handle {
  /** Parent side of a tree joint: the link the joint carries, whose transform leads to the handle's frame. Otherwise -1. */
  readonly carries: number;
  /** Offset of the joint's force in PrintedScratch.forces, and the sign with which it acts here (errata 002-6). */
  readonly force: number;
  readonly sign: 1 | -1;
}

/** A partial chain of k handles: acceleration = Phi f + b, 6 numbers for each handle. */
export interface PrintedPart {
  readonly handles: readonly Handle[];
  /** 6k x 6k. */
  readonly Phi: Float64Array;
  /** 6k. */
  readonly b: Float64Array;
}

export function createPart(handles: readonly Handle[]): PrintedPart {
  const n = 6 * handles.length;
  return { handles, Phi: new Float64Array(n * n), b: new Float64Array(n) };
}

export interface Constraint {
  readonly before: PrintedPart;
  readonly after: PrintedPart;
  /** For each of the 6k numbers of `after` its place in `before`. */
  readonly from: Int32Array;
  /** Handles of `before` that it is about, and K_e of each, `rows` x 6. */
  readonly ends: readonly number[];
  /** Where the rows of Phi of each of them are not zero: the numbers of its own part. */
  readonly reach: readonly (readonly [first: number, end: number])[];
  readonly K: readonly Float64Array[];
  rows: number;
  readonly beta: Float64Array;
  /** Added to the diagonal of Gamma. */
  readonly compliance: Float64Array;
  /** rows x 6k: L, and Gamma^+ L. */
  readonly L: Float64Array;
  readonly solved: Float64Array;
  readonly bias: Float64Array;
  readonly solvedBias: Float64Array;
  readonly gamma: Float64Array;
  readonly inverse: Float64Array;
  readonly lambda: Float64Array;
}

/** `parts`: those that stand side by side in `before`. */
export function createConstraint(
  before: PrintedPart,
  ends: readonly number[],
  rows: number,
  parts: readonly PrintedPart[] = [before],
): Constraint {
  const left = before.handles.map((_, k) => k).filter((k) => !ends.includes(k));
  const numbers = (count: number): Float64Array => new Float64Array(count);
  const n = 6 * before.handles.length;
  return {
    before,
    after: createPart(left.map((k) => before.handles[k])),
    from: Int32Array.from(left.flatMap((k) => [0, 1, 2, 3, 4, 5].map((j) => 6 * k + j))),
    ends,
    reach: ends.map((e) => {
      const border = parts[0].handles.length;
      return e < border ? [0, 6 * border] : [6 * border, n];
    }),
    K: ends.map(() => numbers(6 * rows)),
    rows,
    beta: numbers(rows),
    compliance: numbers(rows),
    L: numbers(rows * n),
    solved: numbers(rows * n),
    bias: numbers(rows),
    solvedBias: numbers(rows),
    gamma: numbers(rows * rows),
    inverse: numbers(rows * rows),
    lambda: numbers(rows),
  };
}

/** L, Gamma and bias, from K, beta and the part as it is. */
export function formConstraint(constraint: Constraint): void {
  const { before, ends, reach, K, rows, beta, compliance, L, bias, gamma } = constraint;
  const { Phi, b } = before;
  const n = b.length;
  L.fill(0, 0, rows * n);
  for (let r = 0; r < rows; r++) {
    bias[r] = beta[r];
    for (let k = 0; k < ends.length; k++) {
      const [first, end] = reach[k];
      const at = 6 * ends[k];
      for (let j = 0; j < 6; j++) {
        const x = K[k][6 * r + j];
        if (x === 0) continue;
        const row = (at + j) * n;
        for (let c = first; c < end; c++) L[r * n + c] += x * Phi[row + c];
        bias[r] += x * b[at + j];
      }
    }
  }
  for (let r = 0; r < rows; r++)
    for (let c = 0; c <= r; c++) {
      let sum = r === c ? compliance[r] : 0;
      for (let k = 0; k < ends.length; k++)
        for (let j = 0; j < 6; j++) sum += L[r * n + 6 * ends[k] + j] * K[k][6 * c + j];
      gamma[r * rows + c] = gamma[c * rows + r] = sum;
    }
}

/** The part that is left, and what disassembly needs, once `inverse` is known. */
export function eliminate({ before, after, from, rows, L, solved, bias, solvedBias, inverse }: Constraint): void {
  const n = before.b.length;
  const m = after.b.length;
  multiply(solved, inverse, L, rows, n);
  multiply(solvedBias, inverse, bias, rows, 1);
  for (let i = 0; i < m; i++) {
    const row = from[i];
    let b = before.b[row];
    for (let r = 0; r < rows; r++) b -= L[r * n + row] * solvedBias[r];
    after.b[i] = b;
    for (let j = 0; j <= i; j++) {
      const column = from[j];
      let sum = before.Phi[row * n + column];
      for (let r = 0; r < rows; r++) sum -= L[r * n + row] * solved[r * n + column];
      after.Phi[i * m + j] = after.Phi[j * m + i] = sum;
    }
  }
}

/** lambda, from the forces at the handles of `before`. */
export function findLambda({ before, rows, solved, solvedBias, lambda }: Constraint, f: Float64Array): void {
  const n = before.b.length;
  for (let r = 0; r < rows; r++) {
    lambda[r] = -solvedBias[r];
    for (let c = 0; c < n; c++) lambda[r] -= solved[r * n + c] * f[c];
  }
}

/** out += K_e^T lambda, at end number k. */
export function addEndForce(out: Float64Array, o: number, { K, rows, lambda }: Constraint, k: number): void {
  for (let r = 0; r < rows; r++) for (let j = 0; j < 6; j++) out[o + j] += K[k][6 * r + j] * lambda[r];
}

/** out <- A B for A of k x k and B of k rows of `columns`. */
export function multiply(out: Float64Array, A: Float64Array, B: Float64Array, k: number, columns: number): void {
  out.fill(0, 0, k * columns);
  for (let i = 0; i < k; i++)
    for (let j = 0; j < k; j++) {
      const x = A[i * k + j];
      for (let c = 0; c < columns; c++) out[columns * i + c] += x * B[columns * j + c];
    }
}

/** out <- A^-1 of a symmetric positive definite matrix, which is lost, by Gauss and Jordan; false where it has none. */
export function invertPositive(out: Float64Array, A: Float64Array, k: number): boolean {
  out.fill(0, 0, k * k);
  for (let i = 0; i < k; i++) out[i * (k + 1)] = 1;
  for (let p = 0; p < k; p++) {
    const pivot = A[p * (k + 1)];
    if (!(pivot > 0)) return false;
    for (let i = 0; i < k; i++) {
      const factor = i === p ? 0 : A[i * k + p] / pivot;
      for (let c = 0; c < k; c++) {
        A[i * k + c] -= factor * A[p * k + c];
        out[i * k + c] -= factor * out[p * k + c];
      }
    }
    for (let c = 0; c < k; c++) {
      A[p * k + c] /= pivot;
      out[p * k + c] /= pivot;
    }
  }
  return true;
}
