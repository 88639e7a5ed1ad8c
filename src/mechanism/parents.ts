// Walks over lists of parents (-1: none) that may not be a tree yet. No recursion: chains are long.

/** Circles among the parents, each as the list of its members, child before parent. */
export function findRings(parents: readonly number[]): number[][] {
  // 0 not seen, 1 on the way up from the current start, 2 done.
  const mark = new Uint8Array(parents.length);
  const rings: number[][] = [];
  for (let start = 0; start < parents.length; start++) {
    const path: number[] = [];
    let i = start;
    while (i >= 0 && mark[i] === 0) {
      mark[i] = 1;
      path.push(i);
      i = parents[i];
    }
    if (i >= 0 && mark[i] === 1) rings.push(path.slice(path.indexOf(i)));
    for (const k of path) mark[k] = 2;
  }
  return rings;
}

/** For each entry its own value and those of all below it; NaN for entries in a circle. */
export function sumsOverSubtrees(parents: readonly number[], own: readonly number[]): number[] {
  const children = new Int32Array(parents.length);
  for (const parent of parents) if (parent >= 0) children[parent]++;
  const sums = [...own];
  const ready = parents.flatMap((_, i) => (children[i] === 0 ? [i] : []));
  let done = 0;
  for (let i = ready.pop(); i !== undefined; i = ready.pop(), done++) {
    const parent = parents[i];
    if (parent < 0) continue;
    sums[parent] += sums[i];
    if (--children[parent] === 0) ready.push(parent);
  }
  if (done < parents.length)
    children.forEach((left, i) => {
      if (left > 0) sums[i] = Number.NaN;
    });
  return sums;
}
