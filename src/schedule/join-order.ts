// In which order the parts of a row are joined, each hanging from the port of the one before: by the time at which each of
// them is ready, and the time that the way back takes. A part is known by its first segment, whose processor joins it to what
// comes next.

export interface Row {
  /** Nanoseconds at which each part is ready. */
  readonly ready: readonly number[];
  /** Nanoseconds to join the part from i to k with that from k + 1 to j. */
  readonly cost: (i: number, k: number, j: number) => number;
  /** Nanoseconds in which each of the two finds its answer on the way back: everyone for itself. */
  readonly back: (i: number, k: number, j: number) => number;
  /** Nanoseconds until what part k + 1 has made is seen by the processor of part i. */
  readonly latency: (i: number, k: number) => number;
}

/** Rows up to this length are tried in all ways; longer ones are halved. */
const ALL_WAYS = 24;

/** For each part of the row those that it joins to itself, in order. */
export function joinRow(row: Row): number[][] {
  const count = row.ready.length;
  const joins: number[][] = row.ready.map(() => []);
  const split = count <= ALL_WAYS ? bestSplits(row) : (i: number, j: number): number => (i + j - 1) >> 1;
  const collect = (i: number, j: number): void => {
    if (i === j) return;
    const k = split(i, j);
    collect(i, k);
    collect(k + 1, j);
    joins[i].push(k + 1);
  };
  collect(0, count - 1);
  return joins;
}

/**
 * Where the part from i to j is best divided: at the k for which T + B is least, with the time T at which it is whole and
 * the time B until all of it has found its answer,
 *
 *   T(i, j) = max(T(i, k), T(k + 1, j) + latency) + cost,   B(i, j) = back + max(B(i, k), B(k + 1, j)).
 */
function bestSplits({ ready, cost, back, latency }: Row): (i: number, j: number) => number {
  const n = ready.length;
  const time = new Float64Array(n * n);
  const told = new Float64Array(n * n);
  const at = new Int32Array(n * n);
  for (let i = 0; i < n; i++) time[i * n + i] = ready[i];
  for (let size = 1; size < n; size++)
    for (let i = 0; i + size < n; i++) {
      const j = i + size;
      let best = Number.POSITIVE_INFINITY;
      for (let k = i; k < j; k++) {
        const way = latency(i, k);
        const up = Math.max(time[i * n + k], time[(k + 1) * n + j] + way) + cost(i, k, j);
        const down = Math.max(told[i * n + k], told[(k + 1) * n + j]) + back(i, k, j);
        if (up + down >= best) continue;
        best = up + down;
        time[i * n + j] = up;
        told[i * n + j] = down;
        at[i * n + j] = k;
      }
    }
  return (i, j) => at[i * n + j];
}
