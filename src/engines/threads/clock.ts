// One clock for all threads: performance.now() counts from the start of its own thread.

interface Surroundings {
  readonly process?: { readonly hrtime?: { bigint(): bigint } };
}

/** Milliseconds to add to performance.now() of this thread, so that those of all threads of this program agree. */
export function clockOffset(): number {
  const hrtime = (globalThis as Surroundings).process?.hrtime;
  if (hrtime === undefined) return performance.timeOrigin;
  let offset = Number.NEGATIVE_INFINITY;
  // The clocks are read one after the other: with the shortest moment in between the difference is the largest.
  for (let k = 0; k < 50; k++) offset = Math.max(offset, Number(hrtime.bigint()) / 1e6 - performance.now());
  return offset;
}
