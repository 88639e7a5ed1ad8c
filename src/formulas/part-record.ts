// Where the numbers of a part stand in memory. A part is a piece of a mechanism with a handle at its root, where an
// acceleration is given, and possibly a port at its tip, where a force is (mixed.ts):
//
//   F = I delta + p + Psi g,   a_port = Psi^T delta + b - Phi g.
//
// Handle and port have six dimensions, or three where the cut goes through a ball joint, which hands on no moment but the
// one of its motor. A part that stands on the ground has no handle; a complete one has no port.

/** Dimensions of a handle or a port; 0 where there is none. */
export type Size = 0 | 3 | 6;

export interface PartLayout {
  readonly handle: Size;
  readonly port: Size;
  /** Upper triangle, row by row. */
  readonly I: number;
  readonly p: number;
  /** Psi, row by row; columns two by two. */
  readonly Psi: number;
  /** Numbers of a row of Psi, and of b: an even number. */
  readonly width: number;
  readonly b: number;
  /** Numbers of all. */
  readonly size: number;
  /** Where entry (i, j) of I stands. */
  inertia(i: number, j: number): number;
  /** Where row i of Phi would begin; what is left of the pair on the diagonal has no place. */
  phiRow(i: number): number;
}

const even = (n: number): number => n + (n & 1);

export function partLayout(handle: Size, port: Size): PartLayout {
  const p = (handle * (handle + 1)) / 2;
  const width = even(port);
  const Psi = even(p + handle);
  const Phi = Psi + handle * width;
  const rows: number[] = [];
  let b = Phi;
  for (let i = 0; i < port; i++) {
    rows.push(b - (i & ~1));
    b += width - (i & ~1);
  }
  return {
    handle,
    port,
    I: 0,
    p,
    Psi,
    width,
    b,
    size: b + width,
    inertia: (i, j) => {
      const [row, column] = i < j ? [i, j] : [j, i];
      return (row * (2 * handle - 1 - row)) / 2 + column;
    },
    phiRow: (i) => rows[i],
  };
}
