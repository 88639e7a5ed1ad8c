// Motion and constraint space of a joint, as papers 000 and 002 use them: rows R (n_i) and N (6 - n_i), errata 002-4:
// K_J of [000] eq. 2 and K_C of [000] eq. 1, which are also [003] eq. 2 and [003] eq. 1 with the sign of errata 003-1.
//
// Our motion spaces S are not orthonormal (screws with a pitch, universal joints), while R R^T = 1 is asked for. Taking
// R = (S^T S)^-1 S^T instead keeps every equation: R^T tau is the force within the motion space that does the work of tau,
// R (relative acceleration) is qdd, N R^T = 0, and where S is orthonormal R is its transpose.

/** R <- nv rows, N <- 6 - nv rows of six, from the nv columns of S (six numbers each). Q: work space of 36. */
export function setJointSpaces(
  R: Float64Array,
  N: Float64Array,
  S: Float64Array,
  s: number,
  nv: number,
  Q: Float64Array,
): void {
  // S = Q K with K upper triangular, whose rows wait in R; then R = K^-1 Q^T.
  for (let k = 0; k < nv; k++) {
    for (let j = 0; j < 6; j++) Q[6 * k + j] = S[s + 6 * k + j];
    for (let l = 0; l < k; l++) R[6 * l + k] = removePart(Q, 6 * k, Q, 6 * l);
    R[7 * k] = normalise(Q, 6 * k);
  }
  for (let row = nv; row < 6; row++) addRow(Q, row);
  for (let j = 6 * nv; j < 36; j++) N[j - 6 * nv] = Q[j];
  for (let k = nv - 1; k >= 0; k--) {
    for (let l = k + 1; l < nv; l++) {
      const factor = R[6 * k + l];
      for (let j = 0; j < 6; j++) Q[6 * k + j] -= factor * R[6 * l + j];
    }
    const size = R[7 * k];
    for (let j = 0; j < 6; j++) R[6 * k + j] = Q[6 * k + j] / size;
  }
}

/** Row `row` of Q <- a unit vector across the rows before it: the coordinate axis they know least, less its part in them. */
function addRow(Q: Float64Array, row: number): void {
  let axis = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let j = 0; j < 6; j++) {
    let known = 0;
    for (let l = 0; l < row; l++) known += Q[6 * l + j] * Q[6 * l + j];
    if (known < least) {
      least = known;
      axis = j;
    }
  }
  for (let j = 0; j < 6; j++) Q[6 * row + j] = j === axis ? 1 : 0;
  // Twice: the second time removes what rounding left.
  for (let pass = 0; pass < 2; pass++) for (let l = 0; l < row; l++) removePart(Q, 6 * row, Q, 6 * l);
  normalise(Q, 6 * row);
}

/** x -= (x . y) y; returns x . y. */
function removePart(x: Float64Array, ix: number, y: Float64Array, iy: number): number {
  let dot = 0;
  for (let j = 0; j < 6; j++) dot += x[ix + j] * y[iy + j];
  for (let j = 0; j < 6; j++) x[ix + j] -= dot * y[iy + j];
  return dot;
}

/** x /= |x|; returns |x|. */
function normalise(x: Float64Array, ix: number): number {
  let square = 0;
  for (let j = 0; j < 6; j++) square += x[ix + j] * x[ix + j];
  const size = Math.sqrt(square);
  for (let j = 0; j < 6; j++) x[ix + j] /= size;
  return size;
}
