// Forward dynamics of one mechanism as formulas: the three passes of aba.ts over all units.

import { inShortestUnits } from '../plan/length-units.js';
import type { Plan, PlanLink } from '../plan/plan.js';
import { type Articulated, accelerate, assemble, type EliminatedColumn, type Lag, move, rigidInertia } from './aba.js';
import { columnsOf, SharedColumns } from './columns.js';
import type { Node } from './graph.js';
import { type Pose, poseNumbers, poseOf } from './joints.js';
import type { Unit } from './lanes.js';
import { QDD, RESULT, readExternal, readUnit, TAU, type UnitOptions, unitFormulas, writeUnit } from './links.js';
import { type LoopLinks, loopRows } from './loops.js';
import { groundMotion, type LinkMotion } from './motion.js';
import type { Passive } from './rollout-step.js';
import type { Vec6, VectorGraph } from './vectors.js';

export interface ForwardFormulaOptions extends UnitOptions {
  /** Forces of the joints by themselves; `length`: metres in the unit of length of the formulas. Single links only. */
  readonly passive?: ((length: number) => Passive | undefined) | undefined;
  /** What becomes of a link's accelerations; they are written as qdd where left out. */
  readonly finish?: (link: PlanLink, qdd: readonly Node[]) => void;
}

export function forwardFormulas(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: ForwardFormulaOptions,
): void {
  const scaled = inShortestUnits(given);
  // H^-1 b is that of the open tree.
  const plan = options.atRest === true ? { ...scaled, loops: [] } : scaled;
  const passive = options.passive?.(plan.length);
  const linkOf = ({ links: [i] }: Unit): PlanLink => plan.links[i];
  const links = unitFormulas(g, plan, units, options).map((link) =>
    passive === undefined ? link : { ...link, armature: passive.armature(g, link, linkOf(link.unit)) },
  );
  const ground = groundMotion(
    g,
    g.vec((k) => (options.atRest === true ? g.zero : g.constant(plan.gravity[k]))),
  );
  const poses: Pose[] = [];
  const motions: LinkMotion[] = [];
  const lags: Lag[] = [];
  const bodies: Sum[] = [];
  links.forEach((link, i) => {
    const { parent } = link.unit;
    poses[i] = poseOf(g, link, poseNumbers(g, link));
    const { motion, lag, force } = move(g, link, poses[i], parent < 0 ? ground : motions[parent]);
    motions[i] = motion;
    lags[i] = lag;
    const external = options.loaded === true ? readExternal(g, plan, link.unit) : undefined;
    const p = external === undefined ? force : force.map((component, k) => g.sub(component, external[k]));
    bodies[i] = new Sum(g, [...rigidInertia(g, link), ...p], link.unit.links.length);
    g.mark();
  });
  const shared = new SharedColumns(g, columnsOf(plan), units);
  const constraints = startLoops(g, plan, shared, {
    units,
    parent: (link) => plan.links[link].parent,
    link: (i) => links[i],
    pose: (i) => poses[i],
    motion: (i) => (i < 0 ? ground : motions[i]),
  });
  const multipliers = new Map(
    plan.groups.flatMap(({ members }) => members.map(({ link, multiplier }) => [link, multiplier] as const)),
  );
  // What a coupled joint moves along its axis, in units of the plan, for each unit of its source's coordinate.
  const follows = links.map(({ unit, rates }) => {
    const [first, second = first] = unit.links.map((link) => multipliers.get(link) ?? 0);
    return rates.length === 1 ? g.mul(rates[0], g.constant(first, second)) : g.zero;
  });
  const columns: EliminatedColumn[][] = [];
  for (let i = links.length - 1; i >= 0; i--) {
    const link = links[i];
    const { unit } = link;
    const given = readUnit(g, plan, unit, TAU, (l) => l.iv, link.v.length);
    const whole = passive === undefined ? given : passive.forces(g, link, given, linkOf(unit));
    const tau = whole.map((x, k) => g.mul(link.forces[k], x));
    const body = shared.solveAtBody(i, articulated(bodies[i].total()));
    let up: Articulated;
    if (shared.isCoupled(i)) {
      const left = shared.passCoupled(i, body, poses[i].S[0], follows[i], link.armature[0], tau[0]);
      up = assemble(g, link, { ...poses[i], S: [] }, lags[i], left, []).up;
    } else {
      const { columns: own, up: eliminated } = assemble(g, link, poses[i], lags[i], body, tau);
      columns[i] = own;
      up = eliminated;
      shared.passOrdinary(i, poses[i].S, own);
    }
    shared.toParent(i, poses[i], lags[i]);
    if (unit.parent >= 0) bodies[unit.parent].add([...up.I, ...up.p], unit.links.length);
    g.mark();
  }
  const deltas: Vec6[] = [];
  const still = new Array<Node>(6).fill(g.zero);
  shared.solveAtBody(-1, { I: new Array<Node>(INERTIA_NODES).fill(g.zero), p: still });
  if (constraints > 0) {
    // Between the phases somebody else solves A lambda = -w.
    const { A, w } = shared.atGround();
    for (const [row, entries] of A.entries())
      for (const [column, entry] of entries.entries()) g.output(RESULT, row * constraints + column, entry);
    for (const [row, entry] of w.entries()) g.output(RESULT, constraints * constraints + row, entry);
    g.endPhase();
    shared.setMultipliers(w.map((_, row) => g.input(RESULT, constraints * (constraints + 1) + row)));
  }
  shared.findAtBody(-1, still);
  links.forEach((link, i) => {
    const { unit } = link;
    const from = unit.parent < 0 ? still : deltas[unit.parent];
    if (shared.isCoupled(i)) {
      const { delta } = accelerate(g, link, { ...poses[i], S: [] }, lags[i], [], from);
      const own = g.mul(follows[i], shared.findAtJoint(i, delta));
      deltas[i] = delta.map((e, k) => g.add(e, g.mul(poses[i].S[0][k], own)));
      writeUnit(g, plan, unit, QDD, 0, g.mul(link.forces[0], own));
      shared.findAtBody(i, deltas[i]);
      g.mark();
      return;
    }
    const { qdd, delta } = accelerate(g, link, poses[i], lags[i], shared.known(i, columns[i]), from);
    deltas[i] = delta;
    shared.findAtBody(i, delta);
    // The inverse of a rate's factor is a force's, since the sense is 1 or -1.
    const inMetres = qdd.map((value, k) => g.mul(link.forces[k], value));
    if (options.finish !== undefined) options.finish(linkOf(unit), inMetres);
    else
      inMetres.forEach((value, k) => {
        writeUnit(g, plan, unit, QDD, k, value);
      });
    g.mark();
  });
  if (constraints > 0) g.endPhase();
}

/** The columns of all loop joints; returns the number of constraints. */
function startLoops(
  g: VectorGraph,
  plan: Plan,
  shared: SharedColumns,
  { units, parent, ...of }: LoopLinks & { readonly units: readonly Unit[] },
): number {
  const unitOf = new Map(units.flatMap(({ links }, i) => links.map((link) => [link, i] as const)));
  const at = (link: number): number => unitOf.get(link) ?? -1;
  let constraints = 0;
  for (const loop of plan.loops) {
    const rows = loopRows(g, loop, {
      parent,
      link: (link) => of.link(at(link)),
      pose: (link) => of.pose(at(link)),
      motion: (link) => of.motion(at(link)),
    });
    for (const { Fa, Fb, beta } of rows) {
      shared.start(at(loop.a), constraints, Fa, g.zero);
      shared.start(at(loop.b), constraints++, Fb, g.neg(beta));
    }
    g.mark();
  }
  return constraints;
}

const INERTIA_NODES = 21;

function articulated(nodes: readonly Node[]): Articulated {
  return { I: nodes.slice(0, INERTIA_NODES), p: nodes.slice(INERTIA_NODES) };
}

/** What a link has and what its children add; a single link adds the lanes of its paired children up at the end. */
export class Sum {
  readonly #g: VectorGraph;
  readonly #lanes: number;
  #own: readonly Node[];
  #pairs: readonly Node[] | undefined;

  constructor(g: VectorGraph, own: readonly Node[], lanes: number) {
    this.#g = g;
    this.#own = own;
    this.#lanes = lanes;
  }

  add(nodes: readonly Node[], lanes: number): void {
    if (lanes === this.#lanes) this.#own = this.#g.addAll(this.#own, nodes);
    else this.#pairs = this.#pairs === undefined ? nodes : this.#g.addAll(this.#pairs, nodes);
  }

  total(): readonly Node[] {
    const g = this.#g;
    if (this.#pairs === undefined) return this.#own;
    return g.addAll(
      this.#own,
      this.#pairs.map((node) => g.laneSum(node)),
    );
  }
}
