// [004] Parallel V C R-B: on a triangle of processors in O(log n), or on one processor for each column in O(n). The
// composite bodies come by doubling: in round e a row sends the moments of the 2^e links beyond it, shifted to the origin
// of the row that far inwards; the shift is P summed over the same links, which doubling P has at that moment.

import type { Tree } from '../../../mechanism/tree.js';
import type { Moments, Vec } from '../algebra.js';
import { SymmetricMatrix } from '../links.js';
import type { TraceStep } from '../trace.js';
import { double } from './doubling.js';
import type { ArrayLayout } from './layout.js';
import { setEntry } from './newton-euler-array.js';
import type { ProcessorArray } from './processor-array.js';
import { type ArrayFrame, type Shared, shareRows } from './rows.js';

export function compositeOnArray(
  array: ProcessorArray,
  tree: Tree,
  q: Float64Array,
  layout: ArrayLayout,
  frame: ArrayFrame,
): SymmetricMatrix<TraceStep> {
  const shared = shareRows(array, tree, q, layout, frame);
  const H = new SymmetricMatrix(tree.dof[tree.n], shared.algebra.zero);
  const { whole, P } = composites(array, shared);
  if (layout.kind === 'triangle') triangle(array, shared, whole, P, H);
  else columns(array, tree, shared, whole, H);
  return H;
}

/** Moments of the composite body of every row, and P from the head of the column. */
function composites(array: ProcessorArray, shared: Shared): { whole: Moments<TraceStep>[]; P: Vec<TraceStep>[] } {
  const { algebra: a, rounds, rows } = shared;
  const P = rows.map((row) => row.P);
  const whole = new Array<Moments<TraceStep>>(rows.length);
  array.run('h and k', (v) => {
    const { link, R } = rows[v];
    const { m, h, k } = link.moments;
    whole[v] = { m, h: a.times(R, h), k: a.turnSym(R, k) };
  });
  rounds.forEach((pairs, round) => {
    const shift = P.slice();
    // One round of each, in step.
    double(array, [pairs], whole, {
      name: 'composites',
      towards: 'root',
      words: 10,
      prepare: (v, value) => a.shift(value, shift[v]),
      combine: (_, own, other) => a.joined(own, other),
      first: round,
    });
    double(array, [pairs], P, {
      name: 'P',
      towards: 'leaves',
      words: 3,
      prepare: (_, value) => value,
      combine: (_, own, other) => a.add(other, own),
      first: round,
    });
  });
  return { whole, P };
}

/** a_ij = Z(i) . (n(j) + P(j,i) x f(j)) + Y(i) . f(j) */
function triangle(
  array: ProcessorArray,
  shared: Shared,
  whole: readonly Moments<TraceStep>[],
  P: readonly Vec<TraceStep>[],
  H: SymmetricMatrix<TraceStep>,
): void {
  const { algebra: a, layout, rows } = shared;
  array.run('f, n and a', (v) => {
    const { m, h, k } = whole[v];
    rows[v].columns.forEach(({ Z, Y }, l) => {
      const f = a.add(a.scale(m, Y), a.cross(Z, h));
      const n = a.add(a.add(a.symTimes(k, Z), a.cross(h, Y)), a.cross(P[v], f));
      rows[v].head.forEach((head, c) => {
        if (!layout.diagonal(v) || l >= c) setEntry(shared, H, v, l, c, a.dot2(head.Z, n, head.Y, f));
      });
    });
  });
}

/** Every row hands Z and P to the columns of its subtree; each of those climbs to the root. */
function columns(
  array: ProcessorArray,
  tree: Tree,
  shared: Shared,
  whole: readonly Moments<TraceStep>[],
  H: SymmetricMatrix<TraceStep>,
): void {
  const { algebra: a, rows } = shared;
  const transfers = rows.flatMap((_, to) => {
    const list: { from: number; to: number }[] = [];
    for (let from = tree.parent[to]; from >= 0; from = tree.parent[from]) list.push({ from, to });
    return list;
  });
  array.passAlong(transfers, 6 + 3);
  array.run('columns', (i) => {
    const { m, h, k } = whole[i];
    rows[i].columns.forEach(({ Z, Y }, c) => {
      const f = a.add(a.scale(m, Y), a.cross(Z, h));
      let n = a.add(a.symTimes(k, Z), a.cross(h, Y));
      const entries = (j: number): void => {
        rows[j].columns.forEach((above, l) => {
          if (j !== i || l <= c) H.set(tree.dof[i] + c, tree.dof[j] + l, a.dot2(above.Z, n, above.Y, f));
        });
      };
      entries(i);
      for (let child = i, j = tree.parent[i]; j >= 0; child = j, j = tree.parent[j]) {
        n = a.add(n, a.cross(rows[child].P, f));
        entries(j);
      }
    });
  });
}
