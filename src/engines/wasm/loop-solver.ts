// The multipliers of loop joints between the inward and the outward pass of compiled forward dynamics: A lambda = -w with
// A = J H^-1 J^T, positive semidefinite, by Cholesky's method with diagonal pivots, A = L L^T with as many columns as the rank.
//
// A pivot is measured by what its row could feel, as in the plain engine (plain/assembly/rank.ts): a loop that constrains nothing
// leaves rounding, whatever the others are. Redundant constraints get none of the load: accelerations do not depend on how it is
// shared. Forces do, and are left to the plain engine, which also decides wherever a pivot lies in between. Where loops
// are not quite closed, redundant constraints contradict the others a little. As with the pseudo-inverse of the plain engine
// the error is then spread over all of them: L c = -w in the sense of least squares, in metres and radians.

/** Pivots below this part of what their row could feel are rounding ... */
const REDUNDANT = 1e-13;
/** ... and above this they are not. */
const INDEPENDENT = 1e-8;
/** What of w redundant constraints may break (relative to 1 and to w) before the plain engine is asked. */
const CONTRADICTION = 1e-6;
/** What is rounding only. */
const NO_CONTRADICTION = 1e-15;

export class LoopSolver {
  readonly m: number;
  rank = 0;
  readonly #L: Float64Array;
  readonly #diagonal: Float64Array;
  /** One over what each row could feel. */
  readonly #scale: Float64Array;
  readonly #y: Float64Array;
  readonly #order: Int32Array;

  readonly #weights: readonly number[];
  readonly #normal: Float64Array;
  readonly #change: Float64Array;

  /**
   * For each loop, for each of its constraints: by what its unit is multiplied to make it metres or radians, and what its
   * diagonal element could be in those (loopScales).
   */
  constructor(weights: readonly (readonly number[])[], scales: readonly (readonly number[])[]) {
    const m = weights.flat().length;
    this.m = m;
    this.#L = new Float64Array(m * m);
    this.#diagonal = new Float64Array(m);
    const could = scales.flat();
    // A row that could feel nothing is zero, whatever it is divided by.
    this.#scale = Float64Array.from(weights.flat(), (weight, i) => (could[i] > 0 ? weight ** 2 / could[i] : 1));
    this.#y = new Float64Array(m);
    this.#order = new Int32Array(m);
    this.#weights = weights.flat();
    this.#normal = new Float64Array(m * m);
    this.#change = new Float64Array(m);
  }

  /** `numbers`: A (m x m, the lower triangle is read), w (m), then lambda (m), which is written. False where in doubt. */
  solve(numbers: Float64Array): boolean {
    const m = this.m;
    const L = this.#L;
    const order = this.#order;
    const y = this.#y;
    const w = m * m;
    const lambda = w + m;
    const rank = this.#factorise(numbers);
    if (rank < 0) return false;
    this.rank = rank;
    let size = 1;
    for (let i = 0; i < m; i++) {
      y[i] = -numbers[w + i];
      size = Math.max(size, Math.abs(y[i]));
    }
    for (let k = 0; k < rank; k++) {
      const p = order[k];
      const value = y[p] / L[m * p + k];
      y[p] = value;
      for (let i = k + 1; i < m; i++) y[order[i]] -= L[m * order[i] + k] * value;
    }
    let broken = 0;
    for (let i = rank; i < m; i++) {
      numbers[lambda + order[i]] = 0;
      broken = Math.max(broken, Math.abs(y[order[i]]));
    }
    if (!(broken <= CONTRADICTION * size)) return false;
    if (broken > NO_CONTRADICTION * size) this.#spread(rank);
    for (let k = rank - 1; k >= 0; k--) {
      const p = order[k];
      let sum = y[p];
      for (let i = k + 1; i < rank; i++) sum -= L[m * order[i] + k] * numbers[lambda + order[i]];
      numbers[lambda + p] = sum / L[m * p + k];
    }
    return true;
  }

  /** y of the pivots += (L^T W L)^-1 L^T W e, with e what the other rows are broken by, in y, and W the squares of the weights. */
  #spread(rank: number): void {
    const m = this.m;
    const L = this.#L;
    const order = this.#order;
    const y = this.#y;
    const N = this.#normal;
    const change = this.#change;
    N.fill(0);
    change.fill(0);
    for (let i = 0; i < m; i++) {
      const row = m * order[i];
      const weight = this.#weights[order[i]] ** 2;
      const end = Math.min(i + 1, rank);
      for (let k = 0; k < end; k++) {
        const scaled = weight * L[row + k];
        for (let l = 0; l <= k; l++) N[m * k + l] += scaled * L[row + l];
        if (i >= rank) change[k] += scaled * y[order[i]];
      }
    }
    for (let k = 0; k < rank; k++) {
      for (let l = 0; l <= k; l++) {
        let sum = N[m * k + l];
        for (let j = 0; j < l; j++) sum -= N[m * k + j] * N[m * l + j];
        N[m * k + l] = l === k ? Math.sqrt(sum) : sum / N[m * l + l];
      }
      for (let l = 0; l < k; l++) change[k] -= N[m * k + l] * change[l];
      change[k] /= N[m * k + k];
    }
    for (let k = rank - 1; k >= 0; k--) {
      for (let l = k + 1; l < rank; l++) change[k] -= N[m * l + k] * change[l];
      change[k] /= N[m * k + k];
      y[order[k]] += change[k];
    }
  }

  /** The rank, or -1 where it is in doubt. `order`: the pivots, then the other rows. */
  #factorise(A: Float64Array): number {
    const m = this.m;
    const L = this.#L;
    const diagonal = this.#diagonal;
    const scale = this.#scale;
    const order = this.#order;
    for (let i = 0; i < m; i++) {
      order[i] = i;
      diagonal[i] = A[m * i + i];
    }
    for (let k = 0; k < m; k++) {
      let best = Number.NEGATIVE_INFINITY;
      let at = k;
      for (let i = k; i < m; i++) {
        const ratio = diagonal[order[i]] * scale[order[i]];
        if (ratio > best) {
          best = ratio;
          at = i;
        }
      }
      if (!(best > INDEPENDENT)) return best < REDUNDANT && best >= -REDUNDANT ? k : -1;
      const p = order[at];
      order[at] = order[k];
      order[k] = p;
      const root = Math.sqrt(diagonal[p]);
      L[m * p + k] = root;
      for (let j = k + 1; j < m; j++) {
        const i = order[j];
        let sum = i > p ? A[m * i + p] : A[m * p + i];
        for (let l = 0; l < k; l++) sum -= L[m * i + l] * L[m * p + l];
        const entry = sum / root;
        L[m * i + k] = entry;
        diagonal[i] -= entry * entry;
      }
    }
    return m;
  }
}
