// The inertial parameters of a body that a real one can have: those with a positive definite pseudo-inertia
//
//   P = [Sigma h; h^T m],   Sigma = tr(I) / 2 - I        (Wensing, Kim and Slotine 2018)
//
// which is linear in them. -log det P is convex, and grows without bound where they cease to be possible.

type Four = number[][];

/** P of the parameters m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz from number o on. */
function pseudoInertia(parameters: ArrayLike<number>, o: number): Four {
  const [m, x, y, z, xx, xy, yy, xz, yz, zz] = Array.from({ length: 10 }, (_, k) => parameters[o + k]);
  const half = (xx + yy + zz) / 2;
  return [
    [half - xx, -xy, -xz, x],
    [-xy, half - yy, -yz, y],
    [-xz, -yz, half - zz, z],
    [x, y, z, m],
  ];
}

/** How P changes with each parameter. */
const SLOPES: readonly Four[] = Array.from({ length: 10 }, (_, k) =>
  pseudoInertia(
    Array.from({ length: 10 }, (_, j) => Number(j === k)),
    0,
  ),
);

/** P = L L^T; undefined where P is not positive definite. */
function factorised(P: Four): Four | undefined {
  const L = P.map((row) => row.map(() => 0));
  for (let i = 0; i < 4; i++)
    for (let j = 0; j <= i; j++) {
      let sum = P[i][j];
      for (let k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      if (i > j) L[i][j] = sum / L[j][j];
      else if (sum > 1e-14 * Math.abs(P[i][i])) L[i][i] = Math.sqrt(sum);
      else return undefined;
    }
  return L;
}

/** Whether a real body can have these parameters. */
export const isPossible = (parameters: ArrayLike<number>, o = 0): boolean =>
  factorised(pseudoInertia(parameters, o)) !== undefined;

/** -log det P with its gradient (10) and second derivatives (10 x 10). */
export interface Barrier {
  readonly value: number;
  readonly gradient: number[];
  readonly second: number[][];
}

/** The barrier of a body's parameters; undefined where no real body has them. */
export function barrierOf(parameters: ArrayLike<number>, o = 0): Barrier | undefined {
  const L = factorised(pseudoInertia(parameters, o));
  if (L === undefined) return undefined;
  // W_k = L^-1 (dP / d k) L^-T: gradient -tr(W_k), second derivatives tr(W_k W_l).
  const W = SLOPES.map((E) => {
    const half = [0, 1, 2, 3].map((c) =>
      forwardSolve(
        L,
        E.map((row) => row[c]),
      ),
    );
    return [0, 1, 2, 3].map((r) =>
      forwardSolve(
        L,
        half.map((column) => column[r]),
      ),
    );
  });
  const trace = (A: Four, B: Four): number =>
    A.reduce((sum, row, i) => sum + row.reduce((inner, x, j) => inner + x * B[i][j], 0), 0);
  return {
    value: -2 * L.reduce((sum, row, i) => sum + Math.log(row[i]), 0),
    gradient: W.map((own) => -own.reduce((sum, row, i) => sum + row[i], 0)),
    second: W.map((own) => W.map((other) => trace(own, other))),
  };
}

function forwardSolve(L: Four, b: readonly number[]): number[] {
  const x: number[] = [];
  for (let i = 0; i < 4; i++) {
    let sum = b[i];
    for (let k = 0; k < i; k++) sum -= L[i][k] * x[k];
    x.push(sum / L[i][i]);
  }
  return x;
}
