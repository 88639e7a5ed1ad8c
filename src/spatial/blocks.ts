// 6x6 blocks (row major) and six-vectors in Float64Array: the arithmetic of articulated inertias and partial chains.

/** Numbers in a block. */
export const BLOCK = 36;

export function setBlockIdentity(out: Float64Array, o: number): void {
  out.fill(0, o, o + BLOCK);
  for (let k = 0; k < 6; k++) out[o + 7 * k] = 1;
}

export function copyBlock(out: Float64Array, o: number, A: Float64Array, a: number): void {
  for (let k = 0; k < BLOCK; k++) out[o + k] = A[a + k];
}

/** A rigid inertia of 10 numbers as a block: [Io, h x; (h x)^T, m 1]. */
export function setRigidInertia(out: Float64Array, o: number, I: Float64Array, oi: number): void {
  const m = I[oi];
  const x = I[oi + 1];
  const y = I[oi + 2];
  const z = I[oi + 3];
  out.fill(0, o, o + BLOCK);
  out[o] = I[oi + 4];
  out[o + 1] = out[o + 6] = I[oi + 5];
  out[o + 2] = out[o + 12] = I[oi + 6];
  out[o + 7] = I[oi + 7];
  out[o + 8] = out[o + 13] = I[oi + 8];
  out[o + 14] = I[oi + 9];
  out[o + 4] = out[o + 24] = -z;
  out[o + 9] = out[o + 19] = z;
  out[o + 5] = out[o + 30] = y;
  out[o + 15] = out[o + 20] = -y;
  out[o + 11] = out[o + 31] = -x;
  out[o + 16] = out[o + 26] = x;
  out[o + 21] = out[o + 28] = out[o + 35] = m;
}

/** out = A^T. */
export function transposeBlock(out: Float64Array, o: number, A: Float64Array, a: number): void {
  for (let i = 0; i < 6; i++) for (let j = 0; j < 6; j++) out[o + 6 * i + j] = A[a + 6 * j + i];
}

/** out = A B. */
export function multiplyBlocks(
  out: Float64Array,
  o: number,
  A: Float64Array,
  a: number,
  B: Float64Array,
  b: number,
): void {
  for (let i = 0; i < 6; i++) {
    const a0 = A[a + 6 * i];
    const a1 = A[a + 6 * i + 1];
    const a2 = A[a + 6 * i + 2];
    const a3 = A[a + 6 * i + 3];
    const a4 = A[a + 6 * i + 4];
    const a5 = A[a + 6 * i + 5];
    for (let j = 0; j < 6; j++)
      out[o + 6 * i + j] =
        a0 * B[b + j] +
        a1 * B[b + 6 + j] +
        a2 * B[b + 12 + j] +
        a3 * B[b + 18 + j] +
        a4 * B[b + 24 + j] +
        a5 * B[b + 30 + j];
  }
}

/** out += s A B^T, for A, B of `columns` columns stored one after the other (six numbers each). */
export function addColumnProduct(
  out: Float64Array,
  o: number,
  s: number,
  A: Float64Array,
  a: number,
  B: Float64Array,
  b: number,
  columns: number,
): void {
  for (let c = 0; c < columns; c++)
    for (let i = 0; i < 6; i++) {
      const x = s * A[a + 6 * c + i];
      for (let j = 0; j < 6; j++) out[o + 6 * i + j] += x * B[b + 6 * c + j];
    }
}

/** out += s A x. */
export function addBlockTimes(
  out: Float64Array,
  o: number,
  s: number,
  A: Float64Array,
  a: number,
  x: Float64Array,
  ix: number,
): void {
  for (let i = 0; i < 6; i++) {
    const row = a + 6 * i;
    out[o + i] +=
      s *
      (A[row] * x[ix] +
        A[row + 1] * x[ix + 1] +
        A[row + 2] * x[ix + 2] +
        A[row + 3] * x[ix + 3] +
        A[row + 4] * x[ix + 4] +
        A[row + 5] * x[ix + 5]);
  }
}

/** out += s A^T x. */
export function addTransposedTimes(
  out: Float64Array,
  o: number,
  s: number,
  A: Float64Array,
  a: number,
  x: Float64Array,
  ix: number,
): void {
  for (let j = 0; j < 6; j++) {
    let sum = 0;
    for (let i = 0; i < 6; i++) sum += A[a + 6 * i + j] * x[ix + i];
    out[o + j] += s * sum;
  }
}

/** out = A X for a motion transform X = rot(E) trn(r) of 12 numbers: the columns of A read in the frame X comes from. */
export function multiplyByTransform(
  out: Float64Array,
  o: number,
  A: Float64Array,
  a: number,
  X: Float64Array,
  x: number,
): void {
  const rx = X[x + 9];
  const ry = X[x + 10];
  const rz = X[x + 11];
  for (let i = 0; i < 6; i++) {
    const row = a + 6 * i;
    // [P, Q] [E 0; -E r x, E] = [P E - Q E r x, Q E]
    const q0 = A[row + 3] * X[x] + A[row + 4] * X[x + 3] + A[row + 5] * X[x + 6];
    const q1 = A[row + 3] * X[x + 1] + A[row + 4] * X[x + 4] + A[row + 5] * X[x + 7];
    const q2 = A[row + 3] * X[x + 2] + A[row + 4] * X[x + 5] + A[row + 5] * X[x + 8];
    out[o + 6 * i] = A[row] * X[x] + A[row + 1] * X[x + 3] + A[row + 2] * X[x + 6] - (q1 * rz - q2 * ry);
    out[o + 6 * i + 1] = A[row] * X[x + 1] + A[row + 1] * X[x + 4] + A[row + 2] * X[x + 7] - (q2 * rx - q0 * rz);
    out[o + 6 * i + 2] = A[row] * X[x + 2] + A[row + 1] * X[x + 5] + A[row + 2] * X[x + 8] - (q0 * ry - q1 * rx);
    out[o + 6 * i + 3] = q0;
    out[o + 6 * i + 4] = q1;
    out[o + 6 * i + 5] = q2;
  }
}

/**
 * A <- A^-1 by Gauss-Jordan elimination with complete pivoting of rows of one size: 1 + Phi I' of a large mass ratio has
 * small rows and columns whose own digits must survive. Returns false where A is singular. `work`: 36 numbers.
 */
export function invertBlock(A: Float64Array, a: number, work: Float64Array, w: number): boolean {
  setBlockIdentity(work, w);
  for (let i = 0; i < 6; i++) {
    let size = 0;
    for (let j = 0; j < 6; j++) size = Math.max(size, Math.abs(A[a + 6 * i + j]));
    if (!(size > 0)) return false;
    for (let j = 0; j < 6; j++) A[a + 6 * i + j] /= size;
    work[w + 7 * i] /= size;
  }
  // Pivot of step c: row c after the exchange, column columnOf[c]; taken: columns done, as bits.
  let taken = 0;
  for (let c = 0; c < 6; c++) {
    let row = c;
    let column = -1;
    let largest = 0;
    for (let i = c; i < 6; i++)
      for (let j = 0; j < 6; j++) {
        const size = Math.abs(A[a + 6 * i + j]);
        if ((taken & (1 << j)) === 0 && size > largest) {
          largest = size;
          row = i;
          column = j;
        }
      }
    if (column < 0) return false;
    taken |= 1 << column;
    columnOf[c] = column;
    const value = A[a + 6 * row + column];
    for (let j = 0; j < 6; j++) {
      const left = A[a + 6 * row + j];
      A[a + 6 * row + j] = A[a + 6 * c + j];
      A[a + 6 * c + j] = left / value;
      const right = work[w + 6 * row + j];
      work[w + 6 * row + j] = work[w + 6 * c + j];
      work[w + 6 * c + j] = right / value;
    }
    for (let i = 0; i < 6; i++) {
      const factor = A[a + 6 * i + column];
      if (i === c || factor === 0) continue;
      for (let j = 0; j < 6; j++) {
        A[a + 6 * i + j] -= factor * A[a + 6 * c + j];
        work[w + 6 * i + j] -= factor * work[w + 6 * c + j];
      }
    }
  }
  for (let c = 0; c < 6; c++) for (let j = 0; j < 6; j++) A[a + 6 * columnOf[c] + j] = work[w + 6 * c + j];
  return true;
}

/** Column of each pivot of invertBlock. */
const columnOf = new Int32Array(6);

/** out += s A for symmetric blocks; what is there stays symmetric to the last bit. */
export function addSymmetric(out: Float64Array, o: number, s: number, A: Float64Array, a: number): void {
  for (let i = 0; i < 6; i++)
    for (let j = i; j < 6; j++) out[o + 6 * j + i] = out[o + 6 * i + j] += s * A[a + 6 * i + j];
}

/** A <- (A + A^T) / 2. */
export function symmetrise(A: Float64Array, a: number): void {
  for (let i = 0; i < 6; i++)
    for (let j = 0; j < i; j++) {
      const mean = (A[a + 6 * i + j] + A[a + 6 * j + i]) / 2;
      A[a + 6 * i + j] = mean;
      A[a + 6 * j + i] = mean;
    }
}

/** out += s A B^T for blocks. */
export function addTransposedProduct(
  out: Float64Array,
  o: number,
  s: number,
  A: Float64Array,
  a: number,
  B: Float64Array,
  b: number,
): void {
  for (let i = 0; i < 6; i++)
    for (let j = 0; j < 6; j++) {
      let sum = 0;
      for (let k = 0; k < 6; k++) sum += A[a + 6 * i + k] * B[b + 6 * j + k];
      out[o + 6 * i + j] += s * sum;
    }
}

/** out += s A B for blocks. */
export function addProduct(
  out: Float64Array,
  o: number,
  s: number,
  A: Float64Array,
  a: number,
  B: Float64Array,
  b: number,
): void {
  for (let i = 0; i < 6; i++)
    for (let j = 0; j < 6; j++) {
      let sum = 0;
      for (let k = 0; k < 6; k++) sum += A[a + 6 * i + k] * B[b + 6 * k + j];
      out[o + 6 * i + j] += s * sum;
    }
}
