// The order in which one large tree is assembled on a GPU: rounds of operations that do not depend on each other. A chain
// is halved in every round by joining neighbours in pairs ("compress"); a body with several children takes in those whose
// part is complete ("rake") and becomes a link of a chain when at most one child is left. A chain of N joints takes
// log2 N rounds, any tree O(log N) (Miller and Reif, parallel tree contraction). Integers only.
//
// A part has the number of its body if it is a single one, and numbers from n on if it was joined of two. It has one
// handle at its top and, unless it is complete, another where the part below hangs. Bodies that are no good as parts are
// `kept`: they take in all that hangs from them, however little, and are then raked like complete parts.

/** Two neighbouring parts become one. */
export interface PartJoin {
  readonly upper: number;
  readonly lower: number;
  /** The joint between them: its body, the top of the lower part. */
  readonly joint: number;
  readonly result: number;
}

/** A complete part is taken in by the body that it hangs from. */
export interface Rake {
  readonly part: number;
  readonly joint: number;
  readonly parent: number;
}

export interface Round {
  readonly rakes: readonly Rake[];
  /** Bodies with several children that become links of a chain. */
  readonly bodies: readonly number[];
  readonly joins: readonly PartJoin[];
}

export interface Contraction {
  readonly rounds: readonly Round[];
  /** The complete parts at the end, one for each body on the ground. */
  readonly roots: readonly { readonly part: number; readonly joint: number }[];
  /** Bodies and joined parts. */
  readonly parts: number;
  /** For each body the child at its lower handle, -1 where it has none when it becomes a link of a chain. */
  readonly below: Int32Array;
  /** For each body with several children, or kept: those that were taken in. */
  readonly taken: ReadonlyMap<number, readonly number[]>;
}

/** `parent[i] < i`, -1 for the ground; `kept`: 1 for bodies that never become links of a chain. */
export function contract(parent: Int32Array, kept: Uint8Array = new Uint8Array(parent.length)): Contraction {
  const n = parent.length;
  const waiting = new Int32Array(n);
  const waitingKept = new Int32Array(n);
  const only = new Int32Array(n).fill(-1);
  const children: number[][] = [];
  for (let i = n - 1; i >= 0; i--) {
    const p = parent[i];
    if (p < 0) continue;
    waiting[p]++;
    waitingKept[p] += kept[i];
    only[p] = i;
  }
  for (let i = 0; i < n; i++) {
    const p = parent[i];
    if (p < 0 || waiting[p] < 2) continue;
    children[p] ??= [];
    children[p].push(i);
  }
  const below = new Int32Array(n).fill(-1);
  /** Whether a body is a link of a chain already; for the top of each part its number and the top of the part below. */
  const inChain = new Uint8Array(n);
  const part = new Int32Array(n);
  const down = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    part[i] = i;
    if (waiting[i] > 1 || waitingKept[i] > 0 || kept[i] === 1) continue;
    inChain[i] = 1;
    below[i] = down[i] = only[i];
  }
  const taken = new Map<number, number[]>();
  const rounds: Round[] = [];
  const roots: { part: number; joint: number }[] = [];
  let parts = n;
  /** Tops of chains: bodies on the ground, and children of bodies that are no links of one; kept bodies at the ends. */
  let tops: number[] = [];
  const isTop = (i: number): boolean => parent[i] < 0 || inChain[parent[i]] === 0;
  for (let i = 0; i < n; i++) if (kept[i] === 1 ? waiting[i] === 0 : inChain[i] === 1 && isTop(i)) tops.push(i);
  while (tops.length > 0) {
    const rakes: Rake[] = [];
    const bodies: number[] = [];
    const remaining: number[] = [];
    const touched = new Set<number>();
    for (const top of tops) {
      if (down[top] >= 0) {
        remaining.push(top);
        continue;
      }
      const p = parent[top];
      if (p < 0) {
        roots.push({ part: part[top], joint: top });
        continue;
      }
      rakes.push({ part: part[top], joint: top, parent: p });
      const list = taken.get(p);
      if (list === undefined) taken.set(p, [top]);
      else list.push(top);
      waiting[p]--;
      waitingKept[p] -= kept[top];
      touched.add(p);
    }
    const absorbed = new Set<number>();
    for (const p of touched) {
      if (kept[p] === 1) {
        if (waiting[p] === 0) remaining.push(p);
        continue;
      }
      // Kept ones are always taken in: nothing can be joined to them.
      if (waiting[p] > 1 || waitingKept[p] > 0) continue;
      inChain[p] = 1;
      bodies.push(p);
      if (waiting[p] === 1) {
        const gone = new Set(taken.get(p));
        const left = children[p].find((child) => !gone.has(child))!;
        below[p] = down[p] = left;
        // That child is no top any more, if it was a link of a chain: it hangs below p now.
        absorbed.add(left);
      }
    }
    // The parts of chains that p is a link of begin further up now.
    for (const p of bodies) if (isTop(p)) remaining.push(p);
    const joins: PartJoin[] = [];
    const next: number[] = [];
    for (const top of remaining) {
      if (absorbed.has(top)) continue;
      next.push(top);
      // From the top down in pairs, as far as links of the chain are there.
      let x = top;
      while (x >= 0 && inChain[x] === 1) {
        const y = down[x];
        if (y < 0 || inChain[y] === 0) break;
        const result = parts++;
        joins.push({ upper: part[x], lower: part[y], joint: y, result });
        part[x] = result;
        down[x] = down[y];
        x = down[x];
      }
    }
    rounds.push({ rakes, bodies, joins });
    tops = next;
  }
  return {
    rounds: rounds.filter(({ rakes, bodies, joins }) => rakes.length + bodies.length + joins.length > 0),
    roots,
    parts,
    below,
    taken,
  };
}
