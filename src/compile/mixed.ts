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
import type { PartLayout, Size } from './part-record.js';
import type { Vec3, Vec6, VectorGraph } from './vectors.js';

const ROWS = [0, 1, 2, 3, 4, 5] as const;

export interface Port {
  /** Psi[row][pair of columns]: three pairs, or two at a ball joint, the last of which is half empty. */
  readonly Psi: readonly (readonly Node[])[];
  /** Phi[row][pair of columns]: only pairs not left of the diagonal. */
  readonly Phi: readonly (readonly Node[])[];
  /** b, two by two. */
  readonly b: readonly Node[];
}

/** For each eliminated column kappa / D, two by two: what pass 3 needs. */
export type Couplings = readonly (readonly Node[])[];

const pairs = (port: Size): readonly number[] => (port === 6 ? [0, 1, 2] : [0, 1]);

/** At the link that carries the port, `reference` being its reference motion, so that b counts from rest. */
export function openPort(g: VectorGraph, reference: Vec6): Port {
  const columns = pairs(6);
  return {
    Psi: ROWS.map((i) => columns.map((k) => g.constant(i === 2 * k ? 1 : 0, i === 2 * k + 1 ? 1 : 0))),
    Phi: ROWS.map(() => columns.map(() => g.zero)),
    b: columns.map((k) => g.pair(reference[2 * k], reference[2 * k + 1])),
  };
}

/** At a ball joint, r in coordinates of the link that carries it; `a` is the reference acceleration of that point. */
export function openBallPort(g: VectorGraph, r: Vec3, a: Vec3): Port {
  const { zero } = g;
  const unit = (k: number): Vec3 => g.vec((i) => (i === k ? g.one : zero));
  // A unit force at r along each axis: [r x e, e].
  const columns = [0, 1, 2].map((k) => [...g.cross(r, unit(k)), ...unit(k)]);
  return {
    Psi: ROWS.map((i) => [g.pair(columns[0][i], columns[1][i]), g.pair(columns[2][i], zero)]),
    Phi: [0, 1, 2].map(() => [zero, zero]),
    b: [g.pair(a[0], a[1]), g.pair(a[2], zero)],
  };
}

export function readPort(g: VectorGraph, layout: PartLayout, array: number): Port {
  const two = (at: number): Node => g.input(array, at, at + 1);
  const columns = pairs(layout.port);
  return {
    Psi: Array.from({ length: layout.handle }, (_, i) =>
      columns.map((k) => two(layout.Psi + layout.width * i + 2 * k)),
    ),
    Phi: Array.from({ length: layout.port }, (_, i) =>
      columns.map((k) => (layout.phi(i, k) < 0 ? g.zero : two(layout.phi(i, k)))),
    ),
    b: columns.map((k) => two(layout.b + 2 * k)),
  };
}

/** Rows of Psi from `first` on belong to the handle. */
export function writePort(g: VectorGraph, { Psi, Phi, b }: Port, layout: PartLayout, array: number, first = 0): void {
  const columns = pairs(layout.port);
  for (let i = 0; i < layout.handle; i++)
    for (const k of columns) writePair(g, array, layout.Psi + layout.width * i + 2 * k, Psi[first + i][k]);
  for (let i = 0; i < layout.port; i++)
    for (const k of columns) if (layout.phi(i, k) >= 0) writePair(g, array, layout.phi(i, k), Phi[i][k]);
  for (const k of columns) writePair(g, array, layout.b + 2 * k, b[k]);
}

export function writePair(g: VectorGraph, array: number, at: number, node: Node): void {
  if (g.lanes[node] === 2) g.output(array, at, node, at + 1);
  else for (const lane of [0, 1]) g.output(array, at + lane, node);
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
  const columnPairs = b.map((_, k) => k);
  const couplings: Node[][] = [];
  for (let c = columns.length - 1; c >= 0; c--) {
    const { G, y, inverse } = columns[c];
    const kappa = columnPairs.map((k) =>
      g.dot(S[c], [Psi[0][k], Psi[1][k], Psi[2][k], Psi[3][k], Psi[4][k], Psi[5][k]]),
    );
    const scaled = kappa.map((node) => g.mul(inverse!, node));
    couplings[c] = scaled;
    Psi = Psi.map((row, i) => columnPairs.map((k) => g.sub(row[k], g.mul(G[i], kappa[k]))));
    Phi = Phi.map((row, i) => {
      const own = g.lane(kappa[i >> 1], (i & 1) as 0 | 1);
      return columnPairs.map((k) => (k < i >> 1 ? g.zero : g.add(row[k], g.mul(own, scaled[k]))));
    });
    b = b.map((node, k) => g.add(node, g.mul(kappa[k], y)));
  }
  const moved: Node[][] = [[], [], [], [], [], []];
  const offset: Node[] = [];
  for (const k of columnPairs) {
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
    const sum = g.sum(...scaled.map((node, k) => g.mul(node, force[k])));
    return g.lanes[sum] === 2 ? g.laneSum(sum) : g.add(sum, sum);
  });
}
