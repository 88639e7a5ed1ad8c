// Surfaces of triangles: meshes with a tree of boxes, and height fields, whose triangles follow from the grid.

import type { HeightField, MeshData } from '../mechanism/mechanism.js';

export interface Surface {
  /** How many triangles. */
  readonly count: number;
  /** Solid below: what is wholly under a triangle is pushed up. Else it has passed through and is left alone. */
  readonly solid: boolean;
  /** out = x, y, z of the three corners, counter-clockwise from outside. */
  corners(out: Float64Array, triangle: number): void;
  /** The triangles whose boxes meet a box (least x, y, z, then most), in rising order, into `found`; gives how many. */
  query(box: Float64Array): number;
  /** Grows where it must. */
  found: Int32Array;
}

/** Triangles in a leaf of the tree. */
const LEAF = 4;

export class MeshSurface implements Surface {
  readonly count: number;
  readonly solid = false;
  found: Int32Array = new Int32Array(64);
  readonly #points: Float64Array;
  readonly #triangles: Uint32Array;
  /** Node: least and most of its box; first triangle and count of a leaf, or the right child and 0 (the left one is next). */
  readonly #boxes: Float64Array;
  readonly #first: Int32Array;
  readonly #inside: Int32Array;
  readonly #order: Int32Array;
  readonly #stack = new Int32Array(64);

  constructor({ points, triangles }: MeshData) {
    this.#points = points;
    // A triangle without area has no normal and is left out.
    this.#triangles = triangles.filter((_, k) => hasArea(points, triangles, k - (k % 3)));
    this.count = this.#triangles.length / 3;
    const nodes = Math.max(1, 2 * this.count);
    this.#boxes = new Float64Array(6 * nodes);
    this.#first = new Int32Array(nodes);
    this.#inside = new Int32Array(nodes);
    this.#order = Int32Array.from({ length: this.count }, (_, k) => k);
    if (this.count > 0) this.#build(0, this.count, 0);
  }

  corners(out: Float64Array, triangle: number): void {
    for (let k = 0; k < 3; k++) this.#vertex(out, 3 * k, this.#triangles[3 * triangle + k]);
  }

  #vertex(out: Float64Array, o: number, v: number): void {
    out[o] = this.#points[3 * v];
    out[o + 1] = this.#points[3 * v + 1];
    out[o + 2] = this.#points[3 * v + 2];
  }

  /** Splits at the median along the longest side; gives the first free node. */
  #build(from: number, to: number, node: number): number {
    const p = this.#points;
    const t = this.#triangles;
    const order = this.#order;
    const low = [0, 1, 2].map(() => Number.POSITIVE_INFINITY);
    const high = [0, 1, 2].map(() => Number.NEGATIVE_INFINITY);
    for (let k = from; k < to; k++)
      for (let c = 0; c < 3; c++)
        for (let i = 0; i < 3; i++) {
          const x = p[3 * t[3 * order[k] + c] + i];
          low[i] = Math.min(low[i], x);
          high[i] = Math.max(high[i], x);
        }
    this.#boxes.set([...low, ...high], 6 * node);
    if (to - from <= LEAF) {
      this.#first[node] = from;
      this.#inside[node] = to - from;
      return node + 1;
    }
    const widths = low.map((x, i) => high[i] - x);
    const axis = widths.indexOf(Math.max(...widths));
    const middle = (k: number): number => [0, 1, 2].reduce((sum, c) => sum + p[3 * t[3 * k + c] + axis], 0);
    order.subarray(from, to).sort((a, b) => middle(a) - middle(b) || a - b);
    const half = (from + to) >> 1;
    const right = this.#build(from, half, node + 1);
    this.#first[node] = right;
    return this.#build(half, to, right);
  }

  query(box: Float64Array): number {
    const boxes = this.#boxes;
    let count = 0;
    let depth = 0;
    if (this.count === 0) return 0;
    this.#stack[0] = 0;
    while (depth >= 0) {
      const node = this.#stack[depth--];
      const at = 6 * node;
      if (
        boxes[at] > box[3] ||
        boxes[at + 1] > box[4] ||
        boxes[at + 2] > box[5] ||
        boxes[at + 3] < box[0] ||
        boxes[at + 4] < box[1] ||
        boxes[at + 5] < box[2]
      )
        continue;
      const inside = this.#inside[node];
      if (inside === 0) {
        this.#stack[++depth] = this.#first[node];
        this.#stack[++depth] = node + 1;
        continue;
      }
      if (count + inside > this.found.length) this.found = grown(this.found);
      for (let k = 0; k < inside; k++) this.found[count++] = this.#order[this.#first[node] + k];
    }
    sortFirst(this.found, count);
    return count;
  }
}

/** Rows along y, columns along x; two triangles for each cell: (r, c), (r, c + 1), (r + 1, c + 1), and the rest. */
export class HeightSurface implements Surface {
  readonly count: number;
  readonly solid = true;
  found: Int32Array = new Int32Array(64);
  readonly #field: HeightField;

  constructor(field: HeightField) {
    this.#field = field;
    this.count = 2 * (field.rows - 1) * (field.columns - 1);
  }

  corners(out: Float64Array, triangle: number): void {
    const across = this.#field.columns - 1;
    const cell = triangle >> 1;
    const c = cell % across;
    const r = (cell - c) / across;
    this.#vertex(out, 0, r, c);
    if ((triangle & 1) === 0) {
      this.#vertex(out, 3, r, c + 1);
      this.#vertex(out, 6, r + 1, c + 1);
    } else {
      this.#vertex(out, 3, r + 1, c + 1);
      this.#vertex(out, 6, r + 1, c);
    }
  }

  #vertex(out: Float64Array, o: number, r: number, c: number): void {
    const { rows, columns, size, heights } = this.#field;
    out[o] = (c / (columns - 1) - 0.5) * size[0];
    out[o + 1] = (r / (rows - 1) - 0.5) * size[1];
    out[o + 2] = heights[r * columns + c];
  }

  /** Cells below the box; those whose corners are all lower than it are left out. */
  query(box: Float64Array): number {
    const { rows, columns, size, heights } = this.#field;
    const column = (x: number): number => Math.floor((x / size[0] + 0.5) * (columns - 1));
    const row = (y: number): number => Math.floor((y / size[1] + 0.5) * (rows - 1));
    const c0 = Math.max(0, column(box[0]));
    const c1 = Math.min(columns - 2, column(box[3]));
    const r0 = Math.max(0, row(box[1]));
    const r1 = Math.min(rows - 2, row(box[4]));
    let count = 0;
    for (let r = r0; r <= r1; r++)
      for (let c = c0; c <= c1; c++) {
        const at = r * columns + c;
        const low = heights[at];
        const high = heights[at + columns + 1];
        const both = Math.max(low, high);
        if (count + 2 > this.found.length) this.found = grown(this.found);
        const triangle = 2 * (r * (columns - 1) + c);
        if (Math.max(both, heights[at + 1]) >= box[2]) this.found[count++] = triangle;
        if (Math.max(both, heights[at + columns]) >= box[2]) this.found[count++] = triangle + 1;
      }
    return count;
  }
}

function grown(list: Int32Array): Int32Array {
  const larger = new Int32Array(2 * list.length);
  larger.set(list);
  return larger;
}

/** Insertion: lists are short, and a sort of a part would make a view. */
function sortFirst(list: Int32Array, count: number): void {
  for (let i = 1; i < count; i++) {
    const moved = list[i];
    let j = i - 1;
    for (; j >= 0 && list[j] > moved; j--) list[j + 1] = list[j];
    list[j + 1] = moved;
  }
}

function hasArea(p: Float64Array, t: Uint32Array, at: number): boolean {
  const [a, b, c] = [3 * t[at], 3 * t[at + 1], 3 * t[at + 2]];
  const u = [0, 1, 2].map((i) => p[b + i] - p[a + i]);
  const v = [0, 1, 2].map((i) => p[c + i] - p[a + i]);
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const longest = Math.max(...u.map((x) => x * x), ...v.map((x) => x * x));
  return Math.max(...n.map(Math.abs)) > 1e-12 * longest;
}
