// Which processors there are, and what each is about.
//
//   triangle   one for each pair of links (j, i) where joint i moves link j: n (n + 1) / 2 for a chain. Column i is the
//              subtree of link i; every column works for itself, redundantly ([004]: "by all processors of row j")
//   columns    one for each link: row j of the common part of the work, then column i of the matrix

import type { Tree } from '../../../mechanism/tree.js';
import { subtrees } from '../links.js';

/** Which virtual processor does which pair of links. */
export interface ArrayLayout {
  readonly kind: 'triangle' | 'columns';
  /** Row (link j) and column (link i) of each virtual processor. */
  readonly row: Int32Array;
  readonly column: Int32Array;
  /** The processor of the parent's row in the same column; -1 where the column ends. */
  readonly parent: Int32Array;
  /** First degree of freedom of the column's link. */
  readonly dof: Int32Array;
  /** Whether the column is that of the row's own link. */
  readonly diagonal: (processor: number) => boolean;
  /** Place in the column. */
  readonly place: Int32Array;
}

export function createLayout(tree: Tree, kind: ArrayLayout['kind']): ArrayLayout {
  const { n, parent } = tree;
  const rows: number[] = [];
  const columns: number[] = [];
  const parents: number[] = [];
  if (kind === 'columns')
    for (let i = 0; i < n; i++) {
      rows.push(i);
      columns.push(i);
      parents.push(parent[i]);
    }
  else
    subtrees(Array.from(parent, (p) => ({ parent: p }))).forEach((list, i) => {
      const at = new Map<number, number>();
      for (const j of list) {
        at.set(j, rows.length);
        parents.push(j === i ? -1 : at.get(parent[j])!);
        rows.push(j);
        columns.push(i);
      }
    });
  return {
    kind,
    row: Int32Array.from(rows),
    column: Int32Array.from(columns),
    parent: Int32Array.from(parents),
    dof: Int32Array.from(columns, (i) => tree.dof[i]),
    diagonal: (v) => rows[v] === columns[v],
    place: Int32Array.from(rows, (j, v) => (kind === 'columns' ? j : j - columns[v])),
  };
}
