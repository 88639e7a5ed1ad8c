// [004] Parallel V N-E B, as corrected (errata 004-9 to 004-11): on a triangle of processors in O(log n), or on one
// processor for each column in O(n).

import type { Tree } from '../../../mechanism/tree.js';
import type { Vec } from '../algebra.js';
import { SymmetricMatrix, subtrees } from '../links.js';
import { newtonEulerColumn } from '../newton-euler-variant.js';
import type { TraceStep } from '../trace.js';
import { double } from './doubling.js';
import type { ArrayLayout } from './layout.js';
import type { ProcessorArray } from './processor-array.js';
import { type ArrayFrame, type Shared, shareRows } from './rows.js';

export function newtonEulerOnArray(
  array: ProcessorArray,
  tree: Tree,
  q: Float64Array,
  layout: ArrayLayout,
  frame: ArrayFrame,
): SymmetricMatrix<TraceStep> {
  const shared = shareRows(array, tree, q, layout, frame);
  const H = new SymmetricMatrix(tree.dof[tree.n], shared.algebra.zero);
  if (layout.kind === 'triangle') triangle(array, shared, H);
  else columns(array, tree, shared, H);
  return H;
}

function triangle(array: ProcessorArray, shared: Shared, H: SymmetricMatrix<TraceStep>): void {
  const { algebra: a, layout, rounds, toParent, rows } = shared;
  // Step 2.1: P(j, i) from the head of the column, by doubling.
  const P = rows.map((row) => row.P);
  double(array, rounds, P, {
    name: 'P',
    towards: 'leaves',
    words: 3,
    prepare: (_, value) => value,
    combine: (_, own, other) => a.add(other, own),
  });
  // Step 2.2: force and moment of one link, for each degree of freedom of the head.
  const F = new Array<Vec<TraceStep>[]>(rows.length);
  const N = new Array<Vec<TraceStep>[]>(rows.length);
  array.run('V, F, N of one link', (v) => {
    const { link, R, head } = rows[v];
    const { m, h, k } = link.moments;
    const turned = a.times(R, h);
    const back = a.transpose(R);
    F[v] = [];
    N[v] = [];
    for (const { Z, Y } of head) {
      const V = a.add(Y, a.cross(Z, P[v]));
      F[v].push(a.add(a.scale(m, V), a.cross(Z, turned)));
      N[v].push(a.add(a.times(R, a.symTimes(k, a.times(back, Z))), a.cross(turned, V)));
    }
  });
  const sums = (name: string, values: Vec<TraceStep>[][]): void =>
    double(array, rounds, values, {
      name,
      towards: 'root',
      words: 3,
      prepare: (_, value) => value,
      combine: (_, own, other) => own.map((x, c) => a.add(x, other[c])),
    });
  // Steps 3.1 and 3.2: F(n+1, j, i), and what it does about the origin of the parent.
  sums('F', F);
  const moments = new Array<Vec<TraceStep>[]>(rows.length);
  array.run('P x F', (v) => {
    if (layout.parent[v] >= 0) moments[v] = F[v].map((f) => a.cross(rows[v].P, f));
  });
  array.send(toParent, 3);
  const heard = rows.map((): number[] => []);
  for (const { from, to } of toParent) heard[to].push(from);
  array.run('N + P x F', (v) => {
    for (const from of heard[v]) N[v] = N[v].map((n, c) => a.add(n, moments[from][c]));
  });
  // Step 3.3, then step 4: a_ji = Z(j) . N(n+1, j, i) + Y(j) . F(n+1, j, i)
  sums('N', N);
  array.run('a', (v) => {
    rows[v].columns.forEach(({ Z, Y }, l) => {
      N[v].forEach((n, c) => {
        if (!layout.diagonal(v) || l >= c) setEntry(shared, H, v, l, c, a.dot2(Z, n, Y, F[v][c]));
      });
    });
  });
}

/** Entry of degree of freedom l of the row's link with degree of freedom c of the column's. */
export function setEntry(
  { rows, layout }: Shared,
  H: SymmetricMatrix<TraceStep>,
  v: number,
  l: number,
  c: number,
  value: TraceStep,
): void {
  H.set(rows[v].link.dof + l, layout.dof[v] + c, value);
}

/** Every row hands its vectors to the columns of its ancestors; then each column is computed by itself. */
function columns(array: ProcessorArray, tree: Tree, shared: Shared, H: SymmetricMatrix<TraceStep>): void {
  const { algebra: a, rows } = shared;
  const h = new Array<Vec<TraceStep>>(rows.length);
  const k = new Array<ReturnType<typeof a.turnSym>>(rows.length);
  array.run('h and k', (v) => {
    const { link, R } = rows[v];
    h[v] = a.times(R, link.moments.h);
    k[v] = a.turnSym(R, link.moments.k);
  });
  const below = subtrees(rows.map(({ link }) => link));
  array.passAlong(
    below.flatMap((list, to) => list.filter((from) => from !== to).map((from) => ({ from, to }))),
    6 + 3 + 3 + 6,
  );
  const data = {
    links: rows.map(({ link }) => link),
    columns: rows.map((row) => row.columns),
    P: rows.map((row) => row.P),
    h,
    k,
    below,
  };
  const stay = { toChild: (_: number, x: Vec<TraceStep>) => x, toParent: (_: number, x: Vec<TraceStep>) => x };
  array.run('columns', (i) => {
    for (let c = 0; c < tree.dof[i + 1] - tree.dof[i]; c++) newtonEulerColumn(a, data, stay, i, c, H);
  });
}
