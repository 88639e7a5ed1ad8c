// The part that both parallel algorithms begin with: every processor of row j brings the vectors of link j into a frame
// that all of its column share.
//
//   R(j) by doubling: 27 multiplications and 18 additions a round; then one step to hand R to the neighbouring row
//
// Two such frames. `column` (and with it the layout of one processor for each link: the root's): the frame of the link at
// the head of the column; R is doubled from there outwards. `tip`: that of the last link, R is doubled from there inwards,
// as the paper does for Newton-Euler; for chains only.

import type { Tree } from '../../../mechanism/tree.js';
import { Algebra, type Mat, type Vec } from '../algebra.js';
import type { MotionColumn } from '../joint-pose.js';
import { createLink, type Link } from '../links.js';
import type { TraceStep } from '../trace.js';
import { double, doublingRounds, type Rounds } from './doubling.js';
import type { ArrayLayout } from './layout.js';
import type { ProcessorArray, Transfer } from './processor-array.js';

/** The frame of an array: of the head of each column, or of the last link. */
export type ArrayFrame = 'column' | 'tip';

/** What a processor has: link j of its row, in the frame of its column. */
export interface ProcessorRow {
  readonly link: Link<TraceStep>;
  /** Link to column frame. */
  readonly R: Mat<TraceStep>;
  readonly columns: readonly MotionColumn<TraceStep>[];
  /** P(j, parent); zero at the head of a column. */
  readonly P: Vec<TraceStep>;
  /** The degrees of freedom of link i, the head of the column, in the column frame. */
  readonly head: readonly MotionColumn<TraceStep>[];
}

export interface Shared {
  readonly algebra: Algebra<TraceStep>;
  readonly layout: ArrayLayout;
  readonly rounds: Rounds;
  /** Messages to the row of the parent. */
  readonly toParent: readonly Transfer[];
  readonly rows: readonly ProcessorRow[];
}

export function shareRows(
  array: ProcessorArray,
  tree: Tree,
  q: Float64Array,
  layout: ArrayLayout,
  frame: ArrayFrame,
): Shared {
  const algebra = new Algebra(array.trace);
  const { row, column, parent } = layout;
  const rounds = doublingRounds(parent);
  const toParent = Array.from(parent).flatMap((to, from) => (to < 0 ? [] : [{ from, to }]));
  const fromParent = toParent.map(({ from, to }) => ({ from: to, to: from }));
  const links = new Array<Link<TraceStep>>(layout.row.length);
  const heads = new Array<readonly MotionColumn<TraceStep>[]>(layout.row.length);
  const R = new Array<Mat<TraceStep>>(layout.row.length);
  array.run('R of one joint', (v) => {
    const link = createLink(tree, algebra, q, row[v]);
    links[v] = link;
    heads[v] = row[v] === column[v] ? link.columns : createLink(tree, algebra, q, column[v]).columns;
    // column: link to parent; tip: parent to link.
    const below = link.joint.below(link.placement.below(algebra.identity));
    if (frame === 'tip') R[v] = algebra.transpose(below);
    else R[v] = parent[v] < 0 ? algebra.identity : below;
  });
  double(array, rounds, R, {
    name: 'R',
    towards: frame === 'tip' ? 'root' : 'leaves',
    words: 9,
    prepare: (_, value) => value,
    combine: (_, own, other) => algebra.multiply(other, own),
  });
  // In the frame of the tip R(v) belongs to the parent of link j, and the link's own comes from the next row; in the
  // frame of the head it is the other way round.
  const own = R.slice();
  const above = R.slice();
  if (frame === 'tip') {
    own.fill(algebra.identity);
    array.send(toParent, 9);
    for (const { from, to } of toParent) own[to] = R[from];
  } else {
    array.send(fromParent, 9);
    for (const { from, to } of fromParent) above[to] = R[from];
  }
  const rows = new Array<ProcessorRow>(layout.row.length);
  array.run('Z and P', (v) => {
    const turn = (x: Vec<TraceStep>): Vec<TraceStep> => (x === algebra.zero3 ? x : algebra.times(own[v], x));
    rows[v] = {
      link: links[v],
      R: own[v],
      columns: links[v].columns.map(({ Z, Y }) => ({ Z: turn(Z), Y: turn(Y) })),
      P: parent[v] < 0 ? algebra.zero3 : algebra.times(above[v], links[v].P),
      head: heads[v],
    };
  });
  if (frame === 'tip') {
    // The head's own vectors go down its column, as copies.
    const heads = rows.map((r) => r.columns);
    double(array, rounds, heads, {
      name: 'Z of the head',
      towards: 'leaves',
      words: 3,
      prepare: (_, value) => value,
      combine: (_, _own, other) => other,
    });
    rows.forEach((r, v) => {
      rows[v] = { ...r, head: heads[v] };
    });
  }
  return { algebra, layout, rounds, toParent, rows };
}
