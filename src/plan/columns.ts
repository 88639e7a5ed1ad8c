// Which unknowns that several parts of a tree share are open where. Such an unknown is the coordinate of a group of coupled
// (mimic) joints, or the multiplier of one constraint of a loop joint. From the first link that feels it inwards it is
// carried along as a column beside the articulated inertia (see engines/plain/columns.ts); a group is solved for at the
// link where its last member has been passed, multipliers all together at the ground.

/** Joints that share one coordinate: each moves by its multiplier times it. */
export interface CoupledGroup {
  /** The joint whose coordinate it is. */
  readonly source: number;
  readonly members: readonly { readonly link: number; readonly multiplier: number }[];
}

/** Constraints of one loop joint between two links (-1: the ground). */
export interface LoopConstraint {
  readonly a: number;
  readonly b: number;
  /** How many. */
  readonly k: number;
}

export interface ColumnPlan {
  readonly groups: readonly CoupledGroup[];
  /** First column of each loop; columns of groups come before them and have the group's number. */
  readonly firstOf: readonly number[];
  /** All columns. */
  readonly count: number;
  /** For each link the columns that its body feels and those that its joint adds, ascending. */
  readonly at: readonly (readonly number[])[];
  /** For each link the columns that its parent feels. */
  readonly up: readonly (readonly number[])[];
  /** Groups solved for at the body of link i, i.e. all of whose members lie beyond it: entry i + 1, the ground first. */
  readonly atBody: readonly (readonly number[])[];
  /** For each link the groups whose last member is its joint: at most one. */
  readonly atJoint: readonly (readonly number[])[];
  /** For each link the group that its joint belongs to, or -1, and its multiplier. */
  readonly groupOf: Int32Array;
  readonly multiplier: Float64Array;
}

/** The groups of couplings between links. */
export function groupsOf(
  couplings: readonly { readonly link: number; readonly source: number; readonly multiplier: number }[],
): CoupledGroup[] {
  const groups = new Map<number, CoupledGroup['members'][number][]>();
  for (const { link, source, multiplier } of couplings) {
    let members = groups.get(source);
    if (members === undefined) {
      members = [{ link: source, multiplier: 1 }];
      groups.set(source, members);
    }
    members.push({ link, multiplier });
  }
  return Array.from(groups, ([source, members]) => ({ source, members }));
}

/** `parent`: of each link, -1 for the ground; parents come first. */
export function planColumns(
  parent: ArrayLike<number>,
  groups: readonly CoupledGroup[],
  loops: readonly LoopConstraint[] = [],
): ColumnPlan {
  const n = parent.length;
  const groupOf = new Int32Array(n).fill(-1);
  const multiplier = new Float64Array(n);
  groups.forEach(({ members }, group) => {
    for (const { link, multiplier: factor } of members) {
      groupOf[link] = group;
      multiplier[link] = factor;
    }
  });
  const lists = (length: number): number[][] => Array.from({ length }, () => []);
  /** Columns, and members of groups passed, that have come to each link (the ground first). */
  const arrived = Array.from({ length: n + 1 }, () => new Map<number, number>());
  const firstOf: number[] = [];
  let count = groups.length;
  for (const { a, b, k } of loops) {
    firstOf.push(count);
    for (let row = 0; row < k; row++) for (const link of [a, b]) arrived[link + 1].set(count + row, 0);
    count += k;
  }
  const [at, up, atBody, atJoint] = [lists(n), lists(n), lists(n + 1), lists(n)];
  const isWhole = (group: number, passed: number): boolean =>
    group < groups.length && passed === groups[group].members.length;
  for (let i = n - 1; i >= 0; i--) {
    const columns = arrived[i + 1];
    const own = groupOf[i];
    for (const [column, passed] of columns) if (isWhole(column, passed)) atBody[i + 1].push(column);
    if (own >= 0) columns.set(own, (columns.get(own) ?? 0) + 1);
    at[i] = [...columns.keys()].sort((x, y) => x - y);
    if (own >= 0 && isWhole(own, columns.get(own)!)) atJoint[i].push(own);
    const done = new Set([...atBody[i + 1], ...atJoint[i]]);
    up[i] = at[i].filter((column) => !done.has(column));
    const above = arrived[parent[i] + 1];
    for (const column of up[i]) above.set(column, (above.get(column) ?? 0) + columns.get(column)!);
  }
  for (const column of arrived[0].keys()) if (column < groups.length) atBody[0].push(column);
  for (const list of atBody) list.sort((x, y) => x - y);
  return { groups, firstOf, count, at, up, atBody, atJoint, groupOf, multiplier };
}
