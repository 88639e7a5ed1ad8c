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
// by two in the lanes of vectors: where a chain leaves the lanes empty otherwise, this halves the price. Where the lanes are
// taken by two blocks (`wide`) they go one by one.

import type { EliminatedColumn, Lag } from './aba.js';
import type { Node } from './graph.js';
import type { Pose } from './joints.js';
import type { PartLayout, Size } from './part-record.js';
import type { NodeVec3, Vec6, VectorGraph } from './vectors.js';

const ROWS = [0, 1, 2, 3, 4, 5] as const;

export interface Port {
  /** Psi[row][group of columns]: three pairs, or two at a ball joint, the last of which is half empty; or single columns. */
  readonly Psi: readonly (readonly Node[])[];
  /** Phi[row][group of columns]: only groups not left of the diagonal; and what the joints passed since then add to it. */
  readonly Phi: readonly (readonly Node[])[];
  readonly added: readonly Added[];
  /** b, by groups. */
  readonly b: readonly Node[];
}

/** kappa and kappa / D of an eliminated column, by groups: their product is what it adds to Phi. */
interface Added {
  readonly kappa: readonly Node[];
  readonly scaled: readonly Node[];
}

/** For each eliminated column kappa / D, by groups: what pass 3 needs. */
export type Couplings = readonly (readonly Node[])[];

/** Columns in a group. */
const together = (g: VectorGraph): 1 | 2 => (g.wide ? 1 : 2);

/** The first column of each group. */
function groups(g: VectorGraph, port: Size): number[] {
  const step = together(g);
  return Array.from({ length: Math.ceil(port / step) }, (_, k) => step * k);
}

/** A number for each column, by groups; what is left over of the last group is zero. */
function grouped(g: VectorGraph, of: readonly Node[]): Node[] {
  return g.wide ? [...of] : groups(g, of.length as Size).map((c) => g.pair(of[c], of[c + 1] ?? g.zero));
}

/** A row of numbers, by groups; zero before the group of column `from`. */
export function readGroups(g: VectorGraph, array: number, at: number, port: Size, from = 0): Node[] {
  return groups(g, port).map((c) =>
    c + together(g) <= from ? g.zero : g.input(array, at + c, g.wide ? -1 : at + c + 1),
  );
}

/** Rows in memory have an even number of columns. */
function writeGroups(g: VectorGraph, array: number, at: number, port: Size, row: readonly Node[], from = 0): void {
  for (const [k, c] of groups(g, port).entries()) {
    if (c + together(g) <= from) continue;
    if (g.wide) g.output(array, at + c, row[k]);
    else writePair(g, array, at + c, row[k]);
  }
  if (g.wide && port % 2 === 1) g.output(array, at + port, g.zero);
}

/** At the link that carries the port, `reference` being its reference motion, so that b counts from rest. */
export function openPort(g: VectorGraph, reference: Vec6): Port {
  const unit = (i: number): Node[] => ROWS.map((c) => (c === i ? g.one : g.zero));
  return {
    Psi: ROWS.map((i) => grouped(g, unit(i))),
    Phi: ROWS.map(() => groups(g, 6).map(() => g.zero)),
    added: [],
    b: grouped(g, reference),
  };
}

/** At a ball joint, r in coordinates of the link that carries it; `a` is the reference acceleration of that point. */
export function openBallPort(g: VectorGraph, r: NodeVec3, a: NodeVec3): Port {
  const unit = (k: number): NodeVec3 => g.vec((i) => (i === k ? g.one : g.zero));
  // A unit force at r along each axis: [r x e, e].
  const columns = [0, 1, 2].map((k) => [...g.cross(r, unit(k)), ...unit(k)]);
  return {
    Psi: ROWS.map((i) =>
      grouped(
        g,
        columns.map((column) => column[i]),
      ),
    ),
    Phi: [0, 1, 2].map(() => groups(g, 3).map(() => g.zero)),
    added: [],
    b: grouped(g, a),
  };
}

export function readPort(g: VectorGraph, layout: PartLayout, array: number): Port {
  const { handle, port, width, Psi, b } = layout;
  return {
    Psi: Array.from({ length: handle }, (_, i) => readGroups(g, array, Psi + width * i, port)),
    Phi: Array.from({ length: port }, (_, i) => readGroups(g, array, layout.phiRow(i), port, i)),
    added: [],
    b: readGroups(g, array, b, port),
  };
}

/** Rows of Psi from `first` on belong to the handle. */
export function writePort(g: VectorGraph, of: Port, layout: PartLayout, array: number, first = 0): void {
  const { Psi, b } = of;
  const { handle, port, width } = layout;
  const Phi = wholePhi(g, of);
  for (let i = 0; i < handle; i++) writeGroups(g, array, layout.Psi + width * i, port, Psi[first + i]);
  for (let i = 0; i < port; i++) writeGroups(g, array, layout.phiRow(i), port, Phi[i], i);
  writeGroups(g, array, layout.b, port, b);
}

/** The sum of all that joints have added, one entry after the other: on the way it would only be carried along. */
function wholePhi(g: VectorGraph, { Phi, added }: Port): Node[][] {
  return Phi.map((row, i) =>
    row.map((entry, k) => {
      if (together(g) * (k + 1) <= i) return g.zero;
      return added.reduce((sum, { kappa, scaled }) => {
        const own = g.wide ? kappa[i] : g.lane(kappa[i >> 1], (i & 1) as 0 | 1);
        return g.add(sum, g.mul(own, scaled[k]));
      }, entry);
    }),
  );
}

export function writePair(g: VectorGraph, array: number, at: number, node: Node): void {
  if (g.lanes[node] === 2) g.output(array, at, node, at + 1);
  else for (const lane of [0, 1]) g.output(array, at + lane, node);
}

/** A joint whose columns aba.ts has eliminated. */
export interface PassedJoint extends Pick<Pose, 'rotation' | 'r' | 'S'> {
  readonly lag: Lag;
  readonly columns: readonly EliminatedColumn[];
}

/**
 * Takes a port through joints, from the tip inwards. One group of columns goes all the way before the next: few numbers are
 * under way at a time then.
 */
export function passJoints(
  g: VectorGraph,
  joints: readonly PassedJoint[],
  port: Port,
): { readonly port: Port; readonly couplings: readonly Couplings[] } {
  const kappas = joints.map(({ columns }) => columns.map((): Node[] => []));
  const couplings = joints.map(({ columns }) => columns.map((): Node[] => []));
  const moved: Node[][] = ROWS.map(() => []);
  const offset: Node[] = [];
  port.b.forEach((free, k) => {
    let Psi = ROWS.map((i) => port.Psi[i][k]);
    let b = free;
    for (const [j, { rotation, r, S, lag, columns }] of joints.entries()) {
      for (let c = columns.length - 1; c >= 0; c--) {
        const { G, y, inverse } = columns[c];
        const kappa = g.dot(S[c], Psi);
        kappas[j][c][k] = kappa;
        couplings[j][c][k] = g.mul(inverse!, kappa);
        Psi = Psi.map((entry, i) => g.sub(entry, g.mul(G[i], kappa)));
        b = g.add(b, g.mul(kappa, y));
      }
      const n: NodeVec3 = [Psi[0], Psi[1], Psi[2]];
      const f: NodeVec3 = [Psi[3], Psi[4], Psi[5]];
      const turned = rotation.toParent(f);
      const moment = g.plus(rotation.toParent(n), g.cross(r, turned));
      Psi = [...moment, ...turned];
      b = g.sum(b, g.dot(n, lag.angular), g.dot(f, lag.linear), g.dot(turned, lag.origin));
    }
    Psi.forEach((node, i) => {
      moved[i][k] = node;
    });
    offset[k] = b;
    g.mark();
  });
  const added = joints.flatMap(({ columns }, j) =>
    columns.map((_, c) => ({ kappa: kappas[j][c], scaled: couplings[j][c] })).reverse(),
  );
  return { port: { Psi: moved, Phi: port.Phi, added: [...port.added, ...added], b: offset }, couplings };
}

/** kappa g / D of each column; `force` is g, by groups. */
export function portShare(g: VectorGraph, couplings: Couplings, force: readonly Node[]): Node[] {
  return couplings.map((scaled) => {
    const sum = g.sum(...scaled.map((node, k) => g.mul(node, force[k])));
    if (g.wide) return sum;
    return g.lanes[sum] === 2 ? g.laneSum(sum) : g.add(sum, sum);
  });
}
