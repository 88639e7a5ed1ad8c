// The mixed form of a partial chain over the formula graph: a part with a handle at its root, where an acceleration is
// given, and a port at its tip, where a force is.
//
//   F      = I delta + p + Psi g           force at the handle for its acceleration delta and the force g at the port
//   a_port = Psi^T delta + b - Phi g       acceleration at the port
//
// g is the force that the part exerts on what hangs from the port. Column by column, from tip to root, with U = I S,
// D = S^T U, y = u / D and kappa = S^T Psi:
//
//   Psi <- Psi - (U / D) kappa,   Phi <- Phi + kappa^T kappa / D,   b <- b + kappa^T y,   qdd = (u - U^T delta) / D - kappa g / D,
//
// and each link then hands Psi on to its parent's coordinates. All six columns of Psi take the same steps, so they go two
// by two in the lanes of vectors: where a chain leaves the lanes empty otherwise, this halves the price.

import type { Column, Lag } from './aba.js';
import type { Node } from './graph.js';
import type { Pose } from './joint-formulas.js';
import type { Vec3, Vec6, VectorGraph } from './vectors.js';

/** Pairs of columns: 0 and 1, 2 and 3, 4 and 5. */
const PAIRS = [0, 1, 2] as const;
const ROWS = [0, 1, 2, 3, 4, 5] as const;

export interface Port {
  /** Psi[row][pair of columns]. */
  readonly Psi: readonly (readonly Node[])[];
  /** Phi[row][pair of columns]: only pairs not left of the diagonal. */
  readonly Phi: readonly (readonly Node[])[];
  /** b, two by two. */
  readonly b: readonly Node[];
}

/** For each eliminated column kappa / D, two by two: what pass 3 needs. */
export type Couplings = readonly (readonly Node[])[];

/** Offsets in a record, in numbers. Of Phi the pairs stand row by row: 3, 3, 2, 2, 1, 1. */
export const PORT_RECORD = { Psi: 0, Phi: 36, b: 60, size: 66 } as const;

/** Where pair k of row i of Phi stands; -1 for what is left of the diagonal. */
export function phiPair(i: number, k: number): number {
  const first = Math.floor(i / 2);
  if (k < first) return -1;
  let at: number = PORT_RECORD.Phi;
  for (let row = 0; row < i; row++) at += 2 * (3 - Math.floor(row / 2));
  return at + 2 * (k - first);
}

/** At the link that carries the port: `reference` is its reference motion, so that b counts from rest. */
export function openPort(g: VectorGraph, reference: Vec6): Port {
  return {
    Psi: ROWS.map((i) => PAIRS.map((k) => g.constant(i === 2 * k ? 1 : 0, i === 2 * k + 1 ? 1 : 0))),
    Phi: ROWS.map(() => PAIRS.map(() => g.zero)),
    b: PAIRS.map((k) => g.pair(reference[2 * k], reference[2 * k + 1])),
  };
}

export function readPort(g: VectorGraph, array: number, at: number): Port {
  const two = (offset: number): Node => g.input(array, at + offset, at + offset + 1);
  return {
    Psi: ROWS.map((i) => PAIRS.map((k) => two(PORT_RECORD.Psi + 6 * i + 2 * k))),
    Phi: ROWS.map((i) => PAIRS.map((k) => (phiPair(i, k) < 0 ? g.zero : two(phiPair(i, k))))),
    b: PAIRS.map((k) => two(PORT_RECORD.b + 2 * k)),
  };
}

/** `toBase`: Psi too, which nobody needs where the part's handle is the ground. */
export function writePort(g: VectorGraph, { Psi, Phi, b }: Port, array: number, at: number, toBase: boolean): void {
  const two = (offset: number, node: Node): void => {
    if (g.lanes[node] === 2) g.output(array, at + offset, node, at + offset + 1);
    else for (const lane of [0, 1]) g.output(array, at + offset + lane, node);
  };
  for (const i of ROWS)
    for (const k of PAIRS) {
      if (toBase) two(PORT_RECORD.Psi + 6 * i + 2 * k, Psi[i][k]);
      if (phiPair(i, k) >= 0) two(phiPair(i, k), Phi[i][k]);
    }
  for (const k of PAIRS) two(PORT_RECORD.b + 2 * k, b[k]);
}

/** Takes a port through a joint, after aba.ts has eliminated its columns. */
export function passJoint(
  g: VectorGraph,
  { rotation, r, S }: Pick<Pose, 'rotation' | 'r' | 'S'>,
  lag: Lag,
  columns: readonly Column[],
  port: Port,
): { port: Port; couplings: Couplings } {
  let { Psi, Phi, b } = port;
  const couplings: Node[][] = [];
  for (let c = columns.length - 1; c >= 0; c--) {
    const { G, y, inverse } = columns[c];
    const kappa = PAIRS.map((k) => g.dot(S[c], [Psi[0][k], Psi[1][k], Psi[2][k], Psi[3][k], Psi[4][k], Psi[5][k]]));
    const scaled = kappa.map((node) => g.mul(inverse!, node));
    couplings[c] = scaled;
    Psi = Psi.map((row, i) => PAIRS.map((k) => g.sub(row[k], g.mul(G[i], kappa[k]))));
    Phi = Phi.map((row, i) => {
      const own = g.lane(kappa[i >> 1], (i & 1) as 0 | 1);
      return PAIRS.map((k) => (phiPair(i, k) < 0 ? g.zero : g.add(row[k], g.mul(own, scaled[k]))));
    });
    b = b.map((node, k) => g.add(node, g.mul(kappa[k], y)));
  }
  const moved: Node[][] = [[], [], [], [], [], []];
  const offset: Node[] = [];
  for (const k of PAIRS) {
    const n: Vec3 = [Psi[0][k], Psi[1][k], Psi[2][k]];
    const f: Vec3 = [Psi[3][k], Psi[4][k], Psi[5][k]];
    const turned = rotation.toParent(f);
    const moment = g.plus(rotation.toParent(n), g.cross(r, turned));
    [...moment, ...turned].forEach((node, i) => {
      moved[i][k] = node;
    });
    offset[k] = g.sum(b[k], g.dot(n, lag.angular), g.dot(f, lag.linear), g.dot(turned, lag.origin));
  }
  return { port: { Psi: moved, Phi, b: offset }, couplings };
}

/** kappa g / D of each column; `force` is g, two by two. */
export function portShare(g: VectorGraph, couplings: Couplings, force: readonly Node[]): Node[] {
  return couplings.map((scaled) => {
    const sum = g.sum(...PAIRS.map((k) => g.mul(scaled[k], force[k])));
    return g.lanes[sum] === 2 ? g.laneSum(sum) : g.add(sum, sum);
  });
}
