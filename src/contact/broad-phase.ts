// Which shapes can touch: boxes along the axes, sorted along the axis on which they are spread most, swept once (sweep and
// prune). The order of the boxes is kept from call to call, since little changes in a step. The pairs come sorted by (a, b),
// so that they do not depend on it.

import { GROUND, type Mechanism } from '../mechanism/mechanism.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { boundsOf } from './bounds.js';
import { type Collider, PLANE } from './collider.js';

/** Which pairs of shapes are asked about at all. */
export interface PairFilter {
  /** Pairs of bodies that never touch; GROUND is a body. */
  readonly without?: readonly (readonly [number, number])[];
  /** Pairs of colliders, by their numbers, that are asked about whatever else is said. */
  readonly include?: readonly (readonly [number, number])[];
  /** Decides last, for pairs that everything else lets through; asked once for each pair, when the broad phase is made. */
  readonly accept?: (a: Collider, b: Collider) => boolean;
}

/** Bodies joined by a joint: pairs that are left out by default. Bodies on the ground against the ground's shapes are not. */
export function neighbours(mechanism: Mechanism): [number, number][] {
  const pairs = mechanism.joints.map(({ parent }, body): [number, number] => [parent, body]);
  const loops = mechanism.loops.map(({ a, b }): [number, number] => [a.body, b.body]);
  return [...pairs, ...loops].filter(([a, b]) => a !== GROUND && b !== GROUND);
}

/** Whether two shapes may touch at all, by body, group and mask. */
function mayTouch(a: Collider, b: Collider): boolean {
  if (a.body === b.body) return false;
  return (a.group & b.mask) !== 0 || (b.group & a.mask) !== 0;
}

/** Pairs of shapes that may touch: sweep and prune over boxes along the axes. */
export class BroadPhase {
  /** Pair k: pairs[2 k] < pairs[2 k + 1], numbers of colliders, sorted. */
  pairs = new Int32Array(128);
  count = 0;
  /** How far each shape reaches beyond its surface: speculative margins, to be set by the caller; zero at first. */
  readonly margins: Float64Array;
  readonly #colliders: readonly Collider[];
  /** Bit b of row a: the pair is allowed, a < b. */
  readonly #allowed: Uint8Array;
  readonly #bounds: Float64Array;
  /** Bounded shapes in the order of their least coordinate. */
  readonly #order: Int32Array;
  readonly #planes: Int32Array;
  #keys = new Float64Array(64);

  constructor(colliders: readonly Collider[], { without = [], include = [], accept }: PairFilter = {}) {
    const n = colliders.length;
    this.#colliders = colliders;
    this.margins = new Float64Array(n);
    this.#bounds = new Float64Array(6 * n);
    const all = colliders.map((_, i) => i);
    this.#planes = Int32Array.from(all.filter((i) => colliders[i].kind === PLANE));
    this.#order = Int32Array.from(all.filter((i) => colliders[i].kind !== PLANE));
    this.#allowed = new Uint8Array(Math.ceil((n * n) / 8));
    const key = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
    const excluded = new Set(without.map(([a, b]) => key(a, b)));
    for (let a = 0; a < n; a++)
      for (let b = a + 1; b < n; b++) {
        const [x, y] = [colliders[a], colliders[b]];
        if (mayTouch(x, y) && !excluded.has(key(x.body, y.body)) && accept?.(x, y) !== false) this.#allow(a, b);
      }
    for (const [a, b] of include) this.#allow(Math.min(a, b), Math.max(a, b));
  }

  #allow(a: number, b: number): void {
    const at = a * this.#colliders.length + b;
    this.#allowed[at >> 3] |= 1 << (at & 7);
  }

  /** Finds the pairs with shapes at `poses`, as `placeColliders` writes them; gives how many. */
  update(poses: Float64Array): number {
    const colliders = this.#colliders;
    const bounds = this.#bounds;
    const margins = this.margins;
    this.count = 0;
    for (let i = 0; i < colliders.length; i++) boundsOf(bounds, 6 * i, colliders[i], poses, TRANSFORM * i, margins[i]);
    const axis = this.#sort();
    this.#sweep(axis);
    this.#onPlanes(poses);
    this.#sortPairs();
    return this.count;
  }

  /** Sorts the order along the axis of largest spread, and gives that. */
  #sort(): number {
    const order = this.#order;
    const bounds = this.#bounds;
    let axis = 0;
    let most = -1;
    for (let k = 0; k < 3; k++) {
      let sum = 0;
      let squares = 0;
      for (let i = 0; i < order.length; i++) {
        const middle = bounds[6 * order[i] + k] + bounds[6 * order[i] + 3 + k];
        sum += middle;
        squares += middle * middle;
      }
      const spread = squares - (sum * sum) / order.length;
      if (spread > most) {
        most = spread;
        axis = k;
      }
    }
    // Insertion: almost sorted since the last call.
    for (let i = 1; i < order.length; i++) {
      const moved = order[i];
      const at = bounds[6 * moved + axis];
      let j = i - 1;
      while (j >= 0) {
        const other = bounds[6 * order[j] + axis];
        if (other < at || (other === at && order[j] < moved)) break;
        order[j + 1] = order[j];
        j--;
      }
      order[j + 1] = moved;
    }
    return axis;
  }

  #sweep(axis: number): void {
    const order = this.#order;
    const bounds = this.#bounds;
    const y = axis === 2 ? 0 : axis + 1;
    const z = y === 2 ? 0 : y + 1;
    for (let i = 0; i < order.length; i++) {
      const a = 6 * order[i];
      const end = bounds[a + 3 + axis];
      for (let j = i + 1; j < order.length; j++) {
        const b = 6 * order[j];
        if (bounds[b + axis] > end) break;
        if (
          bounds[a + y] <= bounds[b + 3 + y] &&
          bounds[b + y] <= bounds[a + 3 + y] &&
          bounds[a + z] <= bounds[b + 3 + z] &&
          bounds[b + z] <= bounds[a + 3 + z]
        )
          this.#add(order[i], order[j]);
      }
    }
  }

  /** Shapes whose box reaches a plane: n (middle) - |n| half <= 0, from the plane. */
  #onPlanes(poses: Float64Array): void {
    const bounds = this.#bounds;
    for (let k = 0; k < this.#planes.length; k++) {
      const plane = this.#planes[k];
      const X = TRANSFORM * plane;
      for (let i = 0; i < this.#order.length; i++) {
        const shape = this.#order[i];
        let height = -this.margins[plane];
        for (let c = 0; c < 3; c++) {
          const n = poses[X + 6 + c];
          const low = bounds[6 * shape + c];
          const high = bounds[6 * shape + 3 + c];
          height += n * (n > 0 ? low : high) - n * poses[X + 9 + c];
        }
        if (height <= 0) this.#add(plane, shape);
      }
    }
  }

  #add(i: number, j: number): void {
    const n = this.#colliders.length;
    const a = Math.min(i, j);
    const b = Math.max(i, j);
    const at = a * n + b;
    if ((this.#allowed[at >> 3] & (1 << (at & 7))) === 0) return;
    if (this.count === this.#keys.length) this.#grow();
    this.#keys[this.count++] = at;
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length);
    keys.set(this.#keys);
    this.#keys = keys;
    this.pairs = new Int32Array(2 * keys.length);
  }

  /** Heap sort: in place, the same number of steps whatever came in. */
  #sortPairs(): void {
    const keys = this.#keys;
    const n = this.count;
    for (let start = (n >> 1) - 1; start >= 0; start--) sift(keys, start, n);
    for (let end = n - 1; end > 0; end--) {
      const last = keys[end];
      keys[end] = keys[0];
      keys[0] = last;
      sift(keys, 0, end);
    }
    const width = this.#colliders.length;
    for (let k = 0; k < n; k++) {
      const a = Math.floor(keys[k] / width);
      this.pairs[2 * k] = a;
      this.pairs[2 * k + 1] = keys[k] - a * width;
    }
  }
}

/** Moves the key at `start` down until it is not below its children. */
function sift(keys: Float64Array, start: number, end: number): void {
  const moved = keys[start];
  let at = start;
  for (let child = 2 * at + 1; child < end; child = 2 * at + 1) {
    if (child + 1 < end && keys[child + 1] > keys[child]) child++;
    if (keys[child] <= moved) break;
    keys[at] = keys[child];
    at = child;
  }
  keys[at] = moved;
}
