// Sparse matrices made of small dense blocks, and their factors.
//
// A node is a joint, its block the degrees of freedom of that joint. The mass matrix of a tree has a block for each node and
// each of its ancestors; contacts add blocks between the nodes that move the two bodies. The pattern is symmetric, the numbers
// need not be: sliding friction is not. Nodes are eliminated from the last place to the first, so a tree with parents first
// has no fill-in (Featherstone's L^T L); where contacts tie nodes together, places are chosen by minimum degree.
//
//   K = (1 + M) D (1 + L)      M: blocks above the diagonal times D^-1, L: D^-1 times blocks below

/** Where everything stands; made once for a pattern. Places count from 0; `node` is the caller's number. */
export interface BlockStructure {
  readonly nodes: number;
  /** Rows of each node. */
  readonly size: Int32Array;
  /** First row of each node; nodes + 1 entries. */
  readonly start: Int32Array;
  /** Node at each place. */
  readonly node: Int32Array;
  /** Place of each node. */
  readonly place: Int32Array;
  /** First entry of each place in `column`; nodes + 1 entries. */
  readonly first: Int32Array;
  /** Places before this one that its row has blocks for, ascending. */
  readonly column: Int32Array;
  /** Offset of the diagonal block of each place. */
  readonly diagonal: Int32Array;
  /** Offset of the block (place, column) of each entry. */
  readonly lower: Int32Array;
  /** Offset of the block (column, place) of each entry. */
  readonly upper: Int32Array;
  /** First of each place in `target`. */
  readonly pairs: Int32Array;
  /** For every two entries a, b of a place, row after row: offset of the block (column a, column b). */
  readonly target: Int32Array;
  /** Numbers in all blocks. */
  readonly length: number;
}

/** Largest number of degrees of freedom of a joint. */
const LARGEST = 6;

/**
 * `neighbours`: for each node, those that it shares a block with; one direction is enough. `order`: 'given' keeps the numbers of
 * the nodes as places.
 */
export function createStructure(
  sizes: ArrayLike<number>,
  neighbours: readonly Iterable<number>[],
  order: 'given' | 'minimum-degree',
): BlockStructure {
  const nodes = sizes.length;
  const size = Int32Array.from(sizes);
  const start = new Int32Array(nodes + 1);
  for (let i = 0; i < nodes; i++) start[i + 1] = start[i] + size[i];
  const around = Array.from({ length: nodes }, () => new Set<number>());
  neighbours.forEach((list, i) => {
    for (const j of list)
      if (i !== j) {
        around[i].add(j);
        around[j].add(i);
      }
  });
  const node = order === 'given' ? Int32Array.from(size.keys()) : minimumDegree(size, around);
  const place = new Int32Array(nodes);
  node.forEach((i, p) => {
    place[i] = p;
  });
  const rows = fill(nodes, node, place, around);
  return layOut(size, start, node, place, rows);
}

/** Eliminates the node with the smallest neighbourhood, the last of equals, again and again; the first goes to the last place. */
function minimumDegree(size: Int32Array, around: readonly Set<number>[]): Int32Array {
  const nodes = size.length;
  const node = new Int32Array(nodes);
  const left = around.map((set) => new Set(set));
  const gone = new Uint8Array(nodes);
  const degree = Int32Array.from(left, (set) => [...set].reduce((sum, j) => sum + size[j], 0));
  for (let p = nodes - 1; p >= 0; p--) {
    let best = -1;
    for (let i = nodes - 1; i >= 0; i--) if (gone[i] === 0 && (best < 0 || degree[i] < degree[best])) best = i;
    gone[best] = 1;
    node[p] = best;
    for (const i of left[best]) {
      left[i].delete(best);
      for (const j of left[best]) if (i !== j) left[i].add(j);
      let sum = 0;
      for (const j of left[i]) sum += size[j];
      degree[i] = sum;
    }
  }
  return node;
}

/** For each place the earlier places that its row has blocks for, fill-in included: a row hands its pattern to the last of it. */
function fill(nodes: number, node: Int32Array, place: Int32Array, around: readonly Set<number>[]): Int32Array[] {
  const patterns = Array.from({ length: nodes }, () => new Set<number>());
  around.forEach((set, i) => {
    for (const j of set) if (place[j] < place[i]) patterns[place[i]].add(place[j]);
  });
  const rows: Int32Array[] = new Array(nodes);
  for (let p = node.length - 1; p >= 0; p--) {
    const row = Int32Array.from(patterns[p]).sort();
    rows[p] = row;
    if (row.length > 1) {
      const next = patterns[row[row.length - 1]];
      for (let k = 0; k < row.length - 1; k++) next.add(row[k]);
    }
  }
  return rows;
}

function layOut(
  size: Int32Array,
  start: Int32Array,
  node: Int32Array,
  place: Int32Array,
  rows: readonly Int32Array[],
): BlockStructure {
  const nodes = node.length;
  const first = new Int32Array(nodes + 1);
  const pairs = new Int32Array(nodes + 1);
  for (let p = 0; p < nodes; p++) {
    first[p + 1] = first[p] + rows[p].length;
    pairs[p + 1] = pairs[p] + rows[p].length ** 2;
  }
  const entries = first[nodes];
  const column = new Int32Array(entries);
  const diagonal = new Int32Array(nodes);
  const lower = new Int32Array(entries);
  const upper = new Int32Array(entries);
  let length = 0;
  for (let p = 0; p < nodes; p++) {
    const rowsOf = size[node[p]];
    diagonal[p] = length;
    length += rowsOf * rowsOf;
    for (let e = first[p]; e < first[p + 1]; e++) {
      column[e] = rows[p][e - first[p]];
      const numbers = rowsOf * size[node[column[e]]];
      lower[e] = length;
      upper[e] = length + numbers;
      length += 2 * numbers;
    }
  }
  const structure = { nodes, size, start, node, place, first, column, diagonal, lower, upper, pairs, length };
  const target = new Int32Array(pairs[nodes]);
  for (let p = 0; p < nodes; p++) {
    const begin = first[p];
    const count = first[p + 1] - begin;
    for (let a = 0; a < count; a++) {
      const row = column[begin + a];
      target[pairs[p] + a * count + a] = diagonal[row];
      // With the fill-in, the row of a column has all columns before it: both lists ascend.
      for (let b = 0, e = first[row]; b < a; b++, e++) {
        while (column[e] < column[begin + b]) e++;
        target[pairs[p] + a * count + b] = lower[e];
        target[pairs[p] + b * count + a] = upper[e];
      }
    }
  }
  return { ...structure, target };
}

type Layout = Pick<BlockStructure, 'place' | 'first' | 'column' | 'diagonal' | 'lower' | 'upper'>;

function offsetAt({ first, column, diagonal, lower, upper }: Layout, p: number, q: number): number {
  if (p === q) return diagonal[p];
  const [row, wanted] = p > q ? [p, q] : [q, p];
  let low = first[row];
  let high = first[row + 1] - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  if (low > high || column[low] !== wanted) return -1;
  return p > q ? lower[low] : upper[low];
}

/** Offset of the block (row node, column node), row major; -1 where the pattern has none. */
export function blockOffset(structure: BlockStructure, row: number, column: number): number {
  return offsetAt(structure, structure.place[row], structure.place[column]);
}

const work = new Float64Array(LARGEST * LARGEST);

/** Replaces the matrix by its factors; diagonal blocks become D^-1. False where a block cannot be inverted. */
export function factorise(structure: BlockStructure, K: Float64Array): boolean {
  const { nodes, size, node, first, column, diagonal, lower, upper, pairs, target } = structure;
  for (let p = nodes - 1; p >= 0; p--) {
    const s = size[node[p]];
    const D = diagonal[p];
    if (!invertBlock(K, D, s)) return false;
    const begin = first[p];
    const end = first[p + 1];
    for (let a = begin, t = pairs[p]; a < end; a++) {
      const rows = size[node[column[a]]];
      const M = upper[a];
      // M = U D^-1
      for (let r = 0; r < rows; r++) {
        const o = M + r * s;
        for (let c = 0; c < s; c++) {
          let sum = 0;
          for (let k = 0; k < s; k++) sum += K[o + k] * K[D + k * s + c];
          work[c] = sum;
        }
        for (let c = 0; c < s; c++) K[o + c] = work[c];
      }
      for (let b = begin; b < end; b++, t++) {
        const columns = size[node[column[b]]];
        const L = lower[b];
        const out = target[t];
        for (let r = 0; r < rows; r++) {
          const o = out + r * columns;
          for (let k = 0; k < s; k++) {
            const m = K[M + r * s + k];
            const l = L + k * columns;
            for (let c = 0; c < columns; c++) K[o + c] -= m * K[l + c];
          }
        }
      }
    }
  }
  return true;
}

/** x <- (1 + M)^-1 x, with the factors; numbers in the order of the nodes, from x[o] on. */
function eliminate(
  { nodes, size, start, node, first, column, upper }: BlockStructure,
  K: Float64Array,
  x: Float64Array,
  o: number,
): void {
  for (let p = nodes - 1; p >= 0; p--) {
    const s = size[node[p]];
    const from = o + start[node[p]];
    let zero = true;
    for (let k = 0; k < s; k++) zero &&= x[from + k] === 0;
    if (zero) continue;
    for (let e = first[p]; e < first[p + 1]; e++) {
      const i = node[column[e]];
      const to = o + start[i];
      const M = upper[e];
      for (let r = 0; r < size[i]; r++) {
        let sum = 0;
        for (let k = 0; k < s; k++) sum += K[M + r * s + k] * x[from + k];
        x[to + r] -= sum;
      }
    }
  }
}

/**
 * G (m x m) <- W K^-1 W^T for the m rows of W, with the factors of a symmetric K. W is used up. With y = (1 + M)^-1 w an entry is
 * y^T D^-1 y: half of the way of a solution, and for rows with few numbers a small part of it.
 */
export function responses(
  structure: BlockStructure,
  K: Float64Array,
  W: Float64Array,
  m: number,
  G: Float64Array,
): void {
  const { nodes, size, start, node, diagonal } = structure;
  const n = W.length / m;
  for (let r = 0; r < m; r++) eliminate(structure, K, W, r * n);
  G.fill(0);
  for (let p = 0; p < nodes; p++) {
    const s = size[node[p]];
    const at = start[node[p]];
    const D = diagonal[p];
    for (let r = 0; r < m; r++) {
      let zero = true;
      for (let i = 0; i < s; i++) {
        let sum = 0;
        for (let k = 0; k < s; k++) sum += K[D + i * s + k] * W[r * n + at + k];
        work[i] = sum;
        zero &&= sum === 0;
      }
      if (zero) continue;
      for (let c = 0; c <= r; c++) {
        let sum = 0;
        for (let k = 0; k < s; k++) sum += work[k] * W[c * n + at + k];
        G[r * m + c] += sum;
      }
    }
  }
  for (let r = 0; r < m; r++) for (let c = 0; c < r; c++) G[c * m + r] = G[r * m + c];
}

/** x <- K^-1 x, with the factors; numbers in the order of the nodes, from x[o] on. */
export function solveFactorised(structure: BlockStructure, K: Float64Array, x: Float64Array, o = 0): void {
  const { nodes, size, start, node, first, column, diagonal, lower } = structure;
  eliminate(structure, K, x, o);
  for (let p = 0; p < nodes; p++) {
    const s = size[node[p]];
    const at = o + start[node[p]];
    for (let e = first[p]; e < first[p + 1]; e++) {
      const j = node[column[e]];
      const columns = size[j];
      const from = o + start[j];
      const L = lower[e];
      for (let r = 0; r < s; r++) {
        let sum = 0;
        for (let c = 0; c < columns; c++) sum += K[L + r * columns + c] * x[from + c];
        x[at + r] -= sum;
      }
    }
    const D = diagonal[p];
    for (let r = 0; r < s; r++) {
      let sum = 0;
      for (let c = 0; c < s; c++) sum += K[D + r * s + c] * x[at + c];
      work[r] = sum;
    }
    for (let r = 0; r < s; r++) x[at + r] = work[r];
  }
}

const extended = new Float64Array(2 * LARGEST * LARGEST);

/** Gauss-Jordan with row exchanges, in place; s x s. */
function invertBlock(K: Float64Array, o: number, s: number): boolean {
  if (s === 1) {
    const x = K[o];
    K[o] = 1 / x;
    return x > 0 || x < 0;
  }
  const w = 2 * s;
  for (let r = 0; r < s; r++)
    for (let c = 0; c < s; c++) {
      extended[r * w + c] = K[o + r * s + c];
      extended[r * w + s + c] = r === c ? 1 : 0;
    }
  for (let k = 0; k < s; k++) {
    let pivot = k;
    for (let r = k + 1; r < s; r++) if (Math.abs(extended[r * w + k]) > Math.abs(extended[pivot * w + k])) pivot = r;
    const value = extended[pivot * w + k];
    if (!(value > 0 || value < 0)) return false;
    if (pivot !== k)
      for (let c = k; c < w; c++) {
        const kept = extended[k * w + c];
        extended[k * w + c] = extended[pivot * w + c];
        extended[pivot * w + c] = kept;
      }
    const scale = 1 / value;
    for (let c = k; c < w; c++) extended[k * w + c] *= scale;
    for (let r = 0; r < s; r++) {
      const f = extended[r * w + k];
      if (r === k || f === 0) continue;
      for (let c = k; c < w; c++) extended[r * w + c] -= f * extended[k * w + c];
    }
  }
  for (let r = 0; r < s; r++) for (let c = 0; c < s; c++) K[o + r * s + c] = extended[r * w + s + c];
  return true;
}
