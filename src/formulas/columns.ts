// Unknowns that several links share, in the inward and outward passes of the articulated-body algorithm as formulas: the
// equations of engines/plain/coupled-aba.ts. A column goes with each open unknown: f = I a + p + F x, 0 = F^T a + M x + n.
//
// The links of a unit are computed in lanes, and so are their columns: lane by lane, a column of a pair of links may belong
// to two groups (left and right hand) or to one (both jaws of a gripper). Where the limbs meet the lanes part.

import { type ColumnPlan, planColumns } from '../plan/columns.js';
import type { Plan } from '../plan/plan.js';
import { type Articulated, type EliminatedColumn, type Lag, SYM6 } from './aba.js';
import type { Node } from './graph.js';
import { forceToParent } from './inverse.js';
import type { Pose } from './joints.js';
import { pairedUnits, type Unit } from './lanes.js';
import type { Vec6, VectorGraph } from './vectors.js';

/** The column of one unknown for each lane. */
interface SharedColumn {
  /** Numbers of the unknowns in the plan of columns, one for each lane. */
  readonly ids: readonly number[];
  F: Vec6;
  n: Node;
}

/** An unknown when it was solved for: x = -(G^T a + sum_j factor_j x_j + y). */
interface SolvedColumn {
  readonly ids: readonly number[];
  /** F / M, n / M and M_sj / M. */
  readonly G: Vec6;
  readonly y: Node;
  readonly others: readonly { readonly ids: readonly number[]; readonly factor: Node }[];
}

/** What an ordinary joint has eliminated: for each of its columns the share of each unknown, phi / D. */
type Shares = readonly { readonly ids: readonly number[]; readonly share: Node }[];

/** The columns open at a unit, and the matrix M between them. */
class OpenColumns {
  readonly columns: SharedColumn[] = [];
  readonly #g: VectorGraph;
  readonly #M = new Map<string, Node>();

  constructor(g: VectorGraph) {
    this.#g = g;
  }

  column(ids: readonly number[]): SharedColumn {
    let column = this.columns.find((other) => sameIds(other.ids, ids));
    if (column === undefined) {
      const { zero } = this.#g;
      column = { ids, F: [zero, zero, zero, zero, zero, zero], n: zero };
      this.columns.push(column);
    }
    return column;
  }

  M(i: readonly number[], j: readonly number[]): Node {
    return this.#M.get(keyOf(i, j)) ?? this.#g.zero;
  }

  addM(i: readonly number[], j: readonly number[], value: Node): void {
    this.#M.set(keyOf(i, j), this.#g.add(this.M(i, j), value));
  }

  remove(column: SharedColumn): void {
    this.columns.splice(this.columns.indexOf(column), 1);
  }
}

const sameIds = (a: readonly number[], b: readonly number[]): boolean => a.every((id, k) => id === b[k]);
const keyOf = (i: readonly number[], j: readonly number[]): string =>
  i[0] < j[0] || (i[0] === j[0] && i[i.length - 1] <= j[j.length - 1]) ? `${i} ${j}` : `${j} ${i}`;

/** Columns of the units of a plan. */
export class SharedColumns {
  readonly #g: VectorGraph;
  readonly #plan: ColumnPlan;
  readonly #units: readonly Unit[];
  /** The ground first. */
  readonly #open: OpenColumns[];
  /** What was solved for at the body of each unit (the ground first), and at its joint, in that order. */
  readonly #atBody: SolvedColumn[][];
  readonly #atJoint: SolvedColumn[][];
  readonly #shares: Shares[][] = [];
  readonly #x = new Map<string, Node>();

  constructor(g: VectorGraph, plan: ColumnPlan, units: readonly Unit[]) {
    this.#g = g;
    this.#plan = plan;
    this.#units = units;
    this.#open = Array.from({ length: units.length + 1 }, () => new OpenColumns(g));
    this.#atBody = Array.from({ length: units.length + 1 }, () => []);
    this.#atJoint = units.map(() => []);
  }

  /** Whether the joint of unit i shares its coordinate with others. */
  isCoupled(i: number): boolean {
    return this.#plan.groupOf[this.#units[i].links[0]] >= 0;
  }

  /** The column of one constraint of a loop begins at a unit (-1: the ground). */
  start(i: number, constraint: number, F: Vec6, n: Node): void {
    const column = this.#open[i + 1].column([this.#plan.groups.length + constraint]);
    column.F = this.#g.addAll(column.F, F);
    column.n = this.#g.add(column.n, n);
  }

  /** The body of unit i with all groups solved for that end there. */
  solveAtBody(i: number, body: Articulated): Articulated {
    const [first] = i < 0 ? [-1] : this.#units[i].links;
    return this.#solve(i + 1, this.#plan.atBody[first + 1], body, this.#atBody[i + 1]);
  }

  /** Solves for the columns whose first lane is one of `groups`. */
  #solve(at: number, groups: readonly number[], body: Articulated, kept: SolvedColumn[]): Articulated {
    const g = this.#g;
    const open = this.#open[at];
    let left = body;
    for (const group of groups) {
      const own = open.columns.find(({ ids }) => ids[0] === group)!;
      open.remove(own);
      const inverse = g.div(g.one, open.M(own.ids, own.ids));
      const G = own.F.map((e) => g.mul(e, inverse));
      const y = g.mul(own.n, inverse);
      const I: Node[] = [];
      for (let i = 0; i < 6; i++) for (let j = i; j < 6; j++) I.push(g.sub(left.I[SYM6[i][j]], g.mul(G[i], own.F[j])));
      left = { I, p: left.p.map((e, k) => g.sub(e, g.mul(own.F[k], y))) };
      const others = open.columns.map((column) => ({ column, M: open.M(own.ids, column.ids) }));
      const factors = others.map(({ M }) => g.mul(M, inverse));
      others.forEach(({ column, M }, c) => {
        column.F = column.F.map((e, k) => g.sub(e, g.mul(own.F[k], factors[c])));
        column.n = g.sub(column.n, g.mul(M, y));
        for (let d = 0; d <= c; d++) open.addM(column.ids, others[d].column.ids, g.neg(g.mul(M, factors[d])));
      });
      kept.push({
        ids: own.ids,
        G,
        y,
        others: others.map(({ column }, c) => ({ ids: column.ids, factor: factors[c] })),
      });
    }
    return left;
  }

  /** The joint of unit i is coupled: nothing is eliminated. `k`: what moves along S for each unit of the unknown. */
  passCoupled(i: number, body: Articulated, S: Vec6, k: Node, armature: Node, tau: Node): Articulated {
    const g = this.#g;
    const { links } = this.#units[i];
    const open = this.#open[i + 1];
    const ids = links.map((link) => this.#plan.groupOf[link]);
    const own = open.column(ids);
    const U = SYM6.map((row) =>
      g.dot(
        S,
        row.map((at) => body.I[at]),
      ),
    );
    for (const column of open.columns) {
      const share = g.mul(k, g.dot(S, column.F));
      open.addM(ids, column.ids, column === own ? g.add(share, share) : share);
    }
    open.addM(ids, ids, g.mul(g.mul(k, k), g.add(g.dot(S, U), armature)));
    own.n = g.add(own.n, g.mul(k, g.sub(g.dot(S, body.p), tau)));
    own.F = own.F.map((e, j) => g.add(e, g.mul(k, U[j])));
    return this.#solve(i + 1, this.#plan.atJoint[links[0]], body, this.#atJoint[i]);
  }

  /** The joint of unit i has been eliminated, column by column from the last to the first. */
  passOrdinary(i: number, S: readonly Vec6[], columns: readonly EliminatedColumn[]): void {
    const g = this.#g;
    const open = this.#open[i + 1];
    const shares: Shares[] = [];
    for (let k = S.length - 1; k >= 0; k--) {
      const { G, y, inverse } = columns[k];
      const phi = open.columns.map(({ F }) => g.dot(S[k], F));
      const scaled = phi.map((e) => g.mul(e, inverse!));
      open.columns.forEach((column, c) => {
        if (phi[c] === g.zero) return;
        column.F = column.F.map((e, j) => g.sub(e, g.mul(G[j], phi[c])));
        column.n = g.add(column.n, g.mul(phi[c], y));
        for (let d = 0; d <= c; d++) open.addM(column.ids, open.columns[d].ids, g.neg(g.mul(phi[c], scaled[d])));
      });
      shares[k] = open.columns.map(({ ids }, c) => ({ ids, share: scaled[c] }));
    }
    this.#shares[i] = shares;
  }

  /** What is still open goes on to the parent of unit i. */
  toParent(i: number, pose: Pose, lag: Lag): void {
    const g = this.#g;
    const { parent, links } = this.#units[i];
    const from = this.#open[i + 1];
    const to = this.#open[parent + 1];
    const above = parent < 0 ? 1 : this.#units[parent].links.length;
    const parts = links.length === above ? undefined : ([0, 1] as const);
    const moved = from.columns.map(({ ids, F, n }) => {
      const up = forceToParent(g, pose, F);
      // The reference motion of the link lags behind that of the joint's end.
      const late = [
        ...g.vec((k) => g.mul(F[k], lag.angular[k])),
        ...g.vec((k) => g.mul(F[3 + k], lag.linear[k])),
        ...g.vec((k) => g.mul(up[3 + k], lag.origin[k])),
      ];
      return { ids, F: up, n: g.sum(n, ...late) };
    });
    const add = (ids: readonly number[], F: Vec6, n: Node): void => {
      const column = to.column(ids);
      column.F = g.addAll(column.F, F);
      column.n = g.add(column.n, n);
    };
    moved.forEach(({ ids, F, n }, c) => {
      if (parts === undefined) add(ids, F, n);
      else
        for (const lane of parts)
          add(
            [ids[lane]],
            F.map((e) => g.lane(e, lane)),
            g.lane(n, lane),
          );
      for (let d = 0; d <= c; d++) {
        const other = moved[d].ids;
        const M = from.M(ids, other);
        if (parts === undefined) to.addM(ids, other, M);
        else for (const lane of parts) this.#addLane(to, ids[lane], other[lane], g.lane(M, lane), c === d);
      }
    });
  }

  /** Off the diagonal of a pair, two columns may come to be one: then the entry counts twice. */
  #addLane(to: OpenColumns, i: number, j: number, M: Node, diagonal: boolean): void {
    to.addM([i], [j], M);
    if (i === j && !diagonal) to.addM([i], [j], M);
  }

  /** The columns of an ordinary joint with the unknowns put in. */
  known(i: number, columns: readonly EliminatedColumn[]): readonly EliminatedColumn[] {
    const g = this.#g;
    return columns.map((column, k) => ({
      ...column,
      y: this.#shares[i][k].reduce((y, { ids, share }) => g.sub(y, g.mul(share, this.x(ids))), column.y),
    }));
  }

  /** Solves for what ended at the body of unit i, which moves with delta. */
  findAtBody(i: number, delta: Vec6): void {
    this.#find(this.#atBody[i + 1], delta);
  }

  /** The unknown of the coupled joint of unit i, whose parent's side moves with delta. */
  findAtJoint(i: number, delta: Vec6): Node {
    this.#find(this.#atJoint[i], delta);
    return this.x(this.#units[i].links.map((link) => this.#plan.groupOf[link]));
  }

  #find(solved: readonly SolvedColumn[], delta: Vec6): void {
    const g = this.#g;
    for (const { ids, G, y, others } of [...solved].reverse()) {
      const sum = others.reduce((left, { ids: other, factor }) => g.add(left, g.mul(factor, this.x(other))), y);
      this.#setX(ids, g.neg(g.add(sum, g.dot(G, delta))));
    }
  }

  #setX(ids: readonly number[], x: Node): void {
    this.#x.set(ids.join(), x);
    if (ids.length === 2) for (const lane of [0, 1] as const) this.#x.set(`${ids[lane]}`, this.#g.lane(x, lane));
  }

  x(ids: readonly number[]): Node {
    const known = this.#x.get(ids.join());
    if (known !== undefined) return known;
    const [first, second] = ids.map((id) => this.#x.get(`${id}`)!);
    return first === second ? first : this.#g.pair(first, second);
  }

  /** What is left at the ground: A = -M and w = -n of the constraints of all loops, A by rows of its lower triangle. */
  atGround(): { readonly A: readonly (readonly Node[])[]; readonly w: readonly Node[] } {
    const g = this.#g;
    const open = this.#open[0];
    const { groups, count } = this.#plan;
    const ids = Array.from({ length: count - groups.length }, (_, row) => [groups.length + row]);
    return {
      A: ids.map((i, row) => ids.slice(0, row + 1).map((j) => g.neg(open.M(i, j)))),
      w: ids.map((id) => g.neg(open.column(id).n)),
    };
  }

  /** The multipliers of all constraints. */
  setMultipliers(values: readonly Node[]): void {
    for (const [row, value] of values.entries()) this.#setX([this.#plan.groups.length + row], value);
  }
}

/** Columns of a plan over its links. */
export function columnsOf({ links, groups, loops }: Pick<Plan, 'links' | 'groups' | 'loops'>): ColumnPlan {
  return planColumns(
    links.map(({ parent }) => parent),
    groups,
    loops,
  );
}

/**
 * Pairs of links whose columns can be paired as well: both have as many, those of one lane are all different, and groups end
 * in both lanes at once. Groups for which that does not hold keep their links to themselves.
 */
export function pairedUnitsOf(plan: Plan): Unit[] {
  const columns = columnsOf(plan);
  // The ends of loops keep to themselves, and so do all links on the way from them to the ground.
  const alone = new Set(plan.loops.flatMap(({ a, b }) => [a, b]));
  for (;;) {
    const units = pairedUnits(plan, alone);
    const odd = unpaired(units, columns);
    if (odd.size === 0) return units;
    for (const group of odd) for (const { link } of columns.groups[group].members) alone.add(link);
  }
}

/** Groups that cannot be carried in these lanes. */
function unpaired(units: readonly Unit[], { at, atBody, atJoint, up, groupOf }: ColumnPlan): Set<number> {
  const odd = new Set<number>();
  /** For each unit the pairs of groups that have come up to it. */
  const arrived: Map<number, number>[] = units.map(() => new Map());
  const pair = (pairs: Map<number, number>, a: number, b: number): void => {
    if ((pairs.get(a) ?? b) === b) pairs.set(a, b);
    else odd.add(a).add(b);
  };
  for (let i = units.length - 1; i >= 0; i--) {
    const { links, parent } = units[i];
    if (links.length < 2) continue;
    const [first, second] = links;
    const pairs = arrived[i];
    const [own, other] = [groupOf[first], groupOf[second]];
    if (own >= 0 && other >= 0) pair(pairs, own, other);
    else if (own >= 0 || other >= 0) odd.add(Math.max(own, other));
    const partners = new Set(pairs.values());
    if (at[first].length !== at[second].length || pairs.size !== at[first].length || partners.size !== pairs.size)
      for (const group of [...at[first], ...at[second]]) odd.add(group);
    for (const [a, b] of pairs) {
      const ends = (lists: readonly (readonly number[])[], offset: number): boolean =>
        lists[first + offset].includes(a) === lists[second + offset].includes(b);
      if (!ends(atBody, 1) || !ends(atJoint, 0)) odd.add(a).add(b);
      if (up[first].includes(a) && parent >= 0 && units[parent].links.length === 2) pair(arrived[parent], a, b);
    }
  }
  return odd;
}
