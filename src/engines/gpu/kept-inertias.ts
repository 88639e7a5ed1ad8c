// Links that are kept as inertias, as formulas. They wait until all that they carry is known; then their joints are assembled
// as by the articulated-body algorithm (the symbols are those of src/engines/plain/assembly/join.ts), which divides by nothing
// but D, and D is regular wherever the mass matrix is:
//
//   D = S^T I S + G,   E = I S D^-1,   u = D^-1 (tau - S^T (p + I c)),   I' = I - E (I S)^T,   p' = p + I c + I S u.
//
// I' a + p' is the force through the joint, a the acceleration of what it hangs from.

import { SYM6 } from '../../formulas/aba.js';
import type { Node } from '../../formulas/graph.js';
import type { Vec6, VectorGraph } from '../../formulas/vectors.js';
import { inverse, row, SIX, type Transmitted } from './part-formulas.js';
import type { JointHere } from './part-joints.js';

/** What disassembly needs of such a joint: qdd = u - E^T a. */
export interface Lifted {
  readonly E: readonly Vec6[];
  readonly u: readonly Node[];
}

/** Never more than transmittedNumbers. */
export const numbersOfLifted = ({ E, u }: Lifted): Node[] => [...E.flat(), ...u];

export const readLifted = (g: VectorGraph, array: number, { S }: JointHere): Lifted => ({
  E: S.map((_, k) => g.inputs(array, 6 * k, 6)),
  u: g.inputs(array, 6 * S.length, S.length),
});

/** Row i of a matrix given by columns, times weights. */
const across = (g: VectorGraph, columns: readonly Vec6[], i: number, weights: readonly Node[]): Node =>
  g.dot(
    columns.map((column) => column[i]),
    weights,
  );

/** `whole`: I (21) and p (6) of a link with all that it carries. */
export function lift(
  g: VectorGraph,
  { S, c, tau, gear }: JointHere,
  whole: readonly Node[],
): { lifted: Lifted; seen: Pick<Transmitted, 'W' | 'force'> } {
  const I = whole.slice(0, 21);
  const U = S.map((s) => SIX.map((i) => g.dot(row(I, i), s)));
  const inverted = inverse(
    g,
    S.map((s, i) =>
      U.map((u, j) => (i === j && gear !== undefined ? g.add(g.mul(gear, gear), g.dot(s, u)) : g.dot(s, u))),
    ),
  );
  const pc = SIX.map((i) => g.add(whole[21 + i], g.dot(row(I, i), c)));
  const drive = S.map((s, j) => g.sub(tau[j], g.dot(s, pc)));
  const u = S.map((_, j) => g.dot(inverted[j], drive));
  const E = S.map((_, j) => SIX.map((i) => across(g, U, i, inverted[j])));
  const W: Node[] = [];
  for (let i = 0; i < 6; i++)
    for (let j = i; j < 6; j++)
      W.push(
        g.sub(
          I[SYM6[i][j]],
          across(
            g,
            U,
            i,
            E.map((e) => e[j]),
          ),
        ),
      );
  return { lifted: { E, u }, seen: { W, force: SIX.map((i) => g.add(pc[i], across(g, U, i, u))) } };
}

/** On the way back: joint accelerations and the link's own, from that of what it hangs from. */
export function unlift(g: VectorGraph, { S, c }: JointHere, { E, u }: Lifted, a: Vec6): { a: Vec6; qdd: Node[] } {
  const qdd = u.map((x, k) => g.sub(x, g.dot(E[k], a)));
  return { qdd, a: SIX.map((i) => g.add(g.add(a[i], c[i]), across(g, S, i, qdd))) };
}
