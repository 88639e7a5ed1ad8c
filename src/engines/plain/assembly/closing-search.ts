// Closes loops from a pose in which they are open: a search over joints that may move for the smallest gaps, by the method of
// Levenberg and Marquardt, from the given pose and, where that ends short of closed, from others.

import { Random } from '../../../mechanism/random.js';
import type { State } from '../../../mechanism/state.js';
import { createTree } from '../../../mechanism/tree.js';
import { solvePositive } from '../../../reference/solve-positive.js';
import { createLoops, updateLoops } from './loop-joint.js';

export interface ClosingSearch {
  /** Largest gap before and after, metres or radians. */
  readonly before: number;
  readonly after: number;
  /** How many starts it took. */
  readonly starts: number;
}

/** Closed: what is left is rounding. */
const CLOSED = 1e-11;
const MAX_STEPS = 100;
/** No joint moves by more than this in a step, radians or metres. */
const LONGEST_STEP = 0.5;
const STARTS = 40;
/** More than this takes too long by the method here. */
const MOST_FREE = 300;

/**
 * Changes the joints in `free` (all where left out) until the loops of the state's mechanism are closed, or as near to it as
 * the search gets.
 */
export function searchClosed(state: State, free?: ReadonlySet<string>): ClosingSearch {
  const search = new Search(state, free);
  const before = search.gap();
  if (before < CLOSED || search.count === 0 || search.count > MOST_FREE) return { before, after: before, starts: 0 };
  const given = state.q.slice();
  const random = new Random(20);
  let best = { q: given, gap: before };
  let starts = 0;
  while (best.gap > CLOSED && starts < STARTS) {
    state.q.set(given);
    // The first start is the given pose, but for a trace: in it a gap of half a turn may stand in balance.
    search.scatter(random, starts === 0 ? 1e-4 : Math.min(Math.PI, 0.1 * starts));
    starts++;
    const gap = search.run();
    if (gap < best.gap) best = { q: state.q.slice(), gap };
  }
  state.q.set(best.q);
  return { before, after: search.gap(), starts };
}

class Search {
  readonly #state: State;
  readonly #tree;
  readonly #loops;
  readonly #accelerations: Float64Array;
  /** Degrees of freedom that move. */
  readonly #free: readonly number[];
  readonly #rows: number;
  readonly #change: Float64Array;

  constructor(state: State, free: ReadonlySet<string> | undefined) {
    const { mechanism } = state;
    this.#state = state;
    this.#tree = createTree(mechanism);
    this.#loops = createLoops(this.#tree);
    this.#accelerations = new Float64Array(6 * this.#tree.n);
    const follows = new Set(mechanism.couplings.map(({ joint }) => joint));
    this.#free = mechanism.joints.flatMap(({ name, iv, model }, j) =>
      follows.has(j) || (free !== undefined && !free.has(name))
        ? []
        : Array.from({ length: model.nv }, (_, k) => iv + k),
    );
    this.#rows = this.#loops.loops.reduce((sum, { k }) => sum + k, 0);
    this.#change = new Float64Array(mechanism.nv);
  }

  get count(): number {
    return this.#free.length;
  }

  /** What the loops are open by, one number for each constraint. */
  #gaps(out: Float64Array): Float64Array {
    const { q, v } = this.#state;
    updateLoops(this.#tree, this.#loops, 'position', this.#accelerations, q, v);
    let at = 0;
    for (const beta of this.#loops.beta) for (const value of beta) out[at++] = value;
    return out;
  }

  gap(): number {
    return this.#gaps(new Float64Array(this.#rows)).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  }

  #move(factor: number): void {
    const { mechanism, q } = this.#state;
    for (const { model, iq, iv } of mechanism.joints) model.integrate(q, iq, this.#change, iv, factor);
    this.#state.applyCouplings();
  }

  scatter(random: Random, size: number): void {
    this.#change.fill(0);
    for (const k of this.#free) this.#change[k] = random.between(-size, size);
    this.#move(1);
  }

  /** Returns the largest gap where it ends. */
  run(): number {
    const [rows, n] = [this.#rows, this.#free.length];
    const r = this.#gaps(new Float64Array(rows));
    const next = new Float64Array(rows);
    const J = new Float64Array(rows * n);
    let damping = 1e-3;
    for (let step = 0; step < MAX_STEPS && largest(r) > CLOSED; step++) {
      this.#jacobian(J, r, next);
      const scale = squares(J) / n || 1;
      const from = this.#state.q.slice();
      let gained = false;
      for (let attempt = 0; attempt < 12 && !gained; attempt++) {
        const dx = leastSquares(J, r, rows, n, damping * scale);
        const longest = largest(dx);
        const short = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
        this.#change.fill(0);
        this.#free.forEach((k, c) => {
          this.#change[k] = -short * dx[c];
        });
        this.#move(1);
        this.#gaps(next);
        gained = squares(next) < squares(r);
        damping = gained ? Math.max(1e-15, damping / 10) : damping * 10;
        if (!gained) this.#state.q.set(from);
      }
      if (!gained) break;
      r.set(next);
    }
    return largest(r);
  }

  /** By differences: a step of 1e-6 errs by 1e-10, enough for a step of this method. */
  #jacobian(J: Float64Array, r: Float64Array, work: Float64Array): void {
    const { q } = this.#state;
    const from = q.slice();
    const [h, n] = [1e-6, this.#free.length];
    this.#free.forEach((k, c) => {
      this.#change.fill(0);
      this.#change[k] = h;
      this.#move(1);
      this.#gaps(work);
      for (let row = 0; row < r.length; row++) J[row * n + c] = (work[row] - r[row]) / h;
      q.set(from);
    });
  }
}

const largest = (values: Float64Array): number => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
const squares = (values: Float64Array): number => values.reduce((sum, x) => sum + x * x, 0);

/** x with (J^T J + damping) x = J^T r. */
function leastSquares(J: Float64Array, r: Float64Array, rows: number, n: number, damping: number): Float64Array {
  const A = new Float64Array(n * n);
  const x = new Float64Array(n);
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < n; i++) {
      const a = J[row * n + i];
      if (a === 0) continue;
      x[i] += a * r[row];
      for (let j = 0; j <= i; j++) A[i * n + j] += a * J[row * n + j];
    }
  for (let i = 0; i < n; i++) A[i * n + i] += damping;
  // No step where rounding leaves none: the damping will grow.
  if (!solvePositive(A, x, n)) x.fill(0);
  return x;
}
