// Forward dynamics in several kernels, for mechanisms whose code as a whole would overflow the registers and the
// instruction cache. Links are assembled in an order that finishes limb after limb; after so many links a kernel ends and
// the next one begins. What crosses from one to the next goes through an array: columns of assembled joints, the sum of
// what hangs on a link that a later kernel will finish, motions and accelerations of links whose children come later.
// Everything else (poses, bias forces) is computed again where it is needed: loads are dearer than arithmetic.

import { pointAcceleration } from '../../formulas/motion.js';
import type { Passive } from '../../formulas/rollout-step.js';
import type { NodeVec3 } from '../../formulas/vectors.js';
import type { Plan, PlanLink } from '../../plan/plan.js';
import { articulated, type Finish, GpuGraph, KeptRow, Links, LOCAL, orderedChildren } from './formulas.js';
import type { Split } from './kernel.js';

/** Rough numbers of operations of a link. */
const inwardWeight = ({ nv }: PlanLink): number => 150 + 60 * nv;
const outwardWeight = ({ nv }: PlanLink): number => 60 + 20 * nv;

/** `operations` of a kernel, more or less. */
export function splitForward(plan: Plan, finish: Finish, operations: number, passive?: Passive): Split {
  const { links } = plan;
  let kept = 0;
  const take = (): number => kept++;
  const motions = new Map<number, KeptRow>();
  const sums = new Map<number, KeptRow>();
  const columns = new Map<number, KeptRow>();
  const deltas = new Map<number, KeptRow>();
  const { order, parentsFirst } = orders(plan);
  const motionRow = ({ g, motions: made }: Links, p: number): KeptRow => {
    const { w, alpha, a } = made[p];
    return new KeptRow(g, [...w, ...alpha, ...a], take);
  };
  /** The links that have a child among these. */
  const parentsOf = (list: readonly number[]): ReadonlySet<number> => new Set(list.map((i) => links[i].parent));
  const cut = (list: readonly number[], weight: (link: PlanLink) => number): number[][] => {
    const whole = list.reduce((sum, i) => sum + weight(links[i]), 0);
    const each = whole / Math.max(1, Math.ceil(whole / operations));
    const parts: number[][] = [];
    let sum = 0;
    for (const i of list) {
      const part = Math.min(Math.floor(sum / each), Math.ceil(whole / each) - 1);
      parts[part] ??= [];
      parts[part].push(i);
      sum += weight(links[i]);
    }
    return parts.filter((part) => part !== undefined);
  };
  /** The motion of link p: known here, kept by an earlier kernel, or made from its parent's (and kept for later ones). */
  const ensureMotion = (all: Links, p: number, neededLater: (p: number) => boolean): void => {
    if (p < 0 || all.motions[p] !== undefined) return;
    const row = motions.get(p);
    const { g } = all;
    if (row !== undefined) {
      const numbers = row.read(g);
      const vec = (at: number): NodeVec3 => [numbers[at], numbers[at + 1], numbers[at + 2]];
      const [w, alpha, a] = [vec(0), vec(3), vec(6)];
      all.motions[p] = { w, alpha, a, W: pointAcceleration(g, w, alpha) };
      return;
    }
    ensureMotion(all, links[p].parent, neededLater);
    all.move(p);
    if (neededLater(p)) motions.set(p, motionRow(all, p));
  };
  const inward = cut(order, inwardWeight).map((part, k, parts) => {
    const g = new GpuGraph('shortened');
    const all = new Links(g, plan, passive, true);
    const here = new Set(part);
    const later = parentsOf(parts.slice(k + 1).flat());
    const ensureSum = (i: number): void => {
      const row = sums.get(i);
      if (row === undefined || all.sums[i] !== undefined) return;
      all.sums[i] = row.read(g);
    };
    for (const i of part) {
      const { parent } = links[i];
      ensureMotion(all, parent, (p) => later.has(p));
      ensureSum(i);
      if (parent >= 0) ensureSum(parent);
      all.assemble(i);
      all.solve(i);
      columns.set(i, new KeptRow(g, all.numbersOf(i), take));
    }
    all.sums.forEach((sum, p) => {
      if (!here.has(p)) sums.set(p, new KeptRow(g, sum, take));
    });
    return g;
  });
  const outward = cut(parentsFirst, outwardWeight).map((part, k, parts) => {
    const g = new GpuGraph('grouped');
    const all = new Links(g, plan, passive);
    const later = parentsOf(parts.slice(k + 1).flat());
    for (const i of part) {
      const { parent } = links[i];
      ensureMotion(all, parent, (p) => later.has(p));
      if (parent >= 0 && all.deltas[parent] === undefined) all.deltas[parent] = deltas.get(parent)!.read(g);
      all.move(i);
      if (later.has(i) && !motions.has(i)) motions.set(i, motionRow(all, i));
      all.columns[i] = columns.get(i)!.columns(g);
      all.accelerate(i, finish);
      if (later.has(i)) deltas.set(i, new KeptRow(g, all.deltas[i], take));
    }
    return g;
  });
  return { passes: [...inward, ...outward].map((graph) => ({ graphs: [graph] })), kept };
}

/**
 * One thread for each limb: the motion of the trunk, limbs inwards side by side, the trunk inwards and outwards, limbs outwards
 * side by side. Undefined where a mechanism has no limbs to speak of.
 */
export function limbForward(plan: Plan, finish: Finish, passive?: Passive): Split | undefined {
  const { links } = plan;
  const { order, parentsFirst } = orders(plan);
  const weight = links.map(inwardWeight);
  for (let i = links.length - 1; i >= 0; i--) if (links[i].parent >= 0) weight[links[i].parent] += weight[i];
  const whole = links.reduce((sum, { parent }, i) => sum + (parent < 0 ? weight[i] : 0), 0);
  /** The limb of each link, by its first link; -1 for the trunk. */
  const limbOf = new Int32Array(links.length).fill(-1);
  for (const i of parentsFirst) {
    const { parent } = links[i];
    if (parent >= 0 && limbOf[parent] >= 0) limbOf[i] = limbOf[parent];
    else if (parent >= 0 && weight[i] <= LIMB_SHARE * whole) limbOf[i] = i;
  }
  const roots = [...new Set(limbOf)].filter((i) => i >= 0);
  if (roots.length < 2) return undefined;
  let kept = 0;
  let local = 0;
  const take = (): number => kept++;
  const of = (limb: number, list: readonly number[]): number[] => list.filter((i) => limbOf[i] === limb);
  const ensureMotion = (all: Links, p: number): void => {
    if (p < 0 || all.motions[p] !== undefined) return;
    ensureMotion(all, links[p].parent);
    all.move(p);
  };
  const columns = new Map<number, KeptRow>();
  /** What limbs hand over to the trunk. */
  const handed = roots.map((): KeptRow | undefined => undefined);
  /** Motions of the links that limbs hang from. */
  const places = [...new Set(roots.map((root) => links[root].parent))];
  const motions = new Map<number, KeptRow>();
  const keepMotion = (all: Links, p: number): void => {
    const { w, alpha, a } = all.motions[p];
    motions.set(p, new KeptRow(all.g, [...w, ...alpha, ...a], take));
  };
  const readMotion = (all: Links, p: number): void => {
    const numbers = motions.get(p)!.read(all.g);
    const vec = (at: number): NodeVec3 => [numbers[at], numbers[at + 1], numbers[at + 2]];
    const [w, alpha, a] = [vec(0), vec(3), vec(6)];
    all.motions[p] = { w, alpha, a, W: pointAcceleration(all.g, w, alpha) };
  };
  const lead = new Links(new GpuGraph('shortened'), plan, passive);
  for (const p of places) {
    ensureMotion(lead, p);
    keepMotion(lead, p);
  }
  const inward = roots.map((root, k) => {
    const all = new Links(new GpuGraph('shortened'), plan, passive, true);
    readMotion(all, links[root].parent);
    for (const i of of(root, order)) {
      ensureMotion(all, links[i].parent);
      const up = all.handOver(i);
      all.solve(i);
      columns.set(i, new KeptRow(all.g, all.numbersOf(i), take));
      if (i !== root) all.receive(i, up);
      else handed[k] = new KeptRow(all.g, [...up.I, ...up.p], take);
    }
    return all.g;
  });
  const trunk = new Links(new GpuGraph('shortened'), plan, passive, true);
  roots.forEach((root, k) => {
    trunk.place(root);
    trunk.receive(root, articulated(handed[k]!.read(trunk.g)));
  });
  for (const i of of(-1, order)) {
    ensureMotion(trunk, links[i].parent);
    trunk.assemble(i);
    trunk.solve(i);
    columns.set(i, new KeptRow(trunk.g, trunk.numbersOf(i), () => local++, LOCAL));
  }
  const back = new Links(new GpuGraph('grouped'), plan, passive);
  const accelerate = (all: Links, list: readonly number[]): void => {
    for (const i of list) {
      all.move(i);
      all.columns[i] = columns.get(i)!.columns(all.g);
      all.accelerate(i, finish);
    }
  };
  accelerate(back, of(-1, parentsFirst));
  const deltas = new Map(places.map((p) => [p, new KeptRow(back.g, back.deltas[p], take)] as const));
  const outward = roots.map((root) => {
    const all = new Links(new GpuGraph('grouped'), plan, passive);
    const p = links[root].parent;
    readMotion(all, p);
    all.deltas[p] = deltas.get(p)!.read(all.g);
    accelerate(all, of(root, parentsFirst));
    return all.g;
  });
  return {
    passes: [{ graphs: [lead.g] }, { limbs: inward }, { graphs: [trunk.g, back.g] }, { limbs: outward }],
    kept,
  };
}

/** A limb has at most this share of the whole work. */
const LIMB_SHARE = 0.3;

/** Links with limbs finished one after the other, and with parents before children, limb after limb too. */
function orders(plan: Plan): { order: number[]; parentsFirst: number[] } {
  const { children, roots } = orderedChildren(plan);
  const order: number[] = [];
  const parentsFirst: number[] = [];
  const visit = (i: number): void => {
    parentsFirst.push(i);
    for (const child of children[i]) visit(child);
    order.push(i);
  };
  for (const root of roots) visit(root);
  return { order, parentsFirst };
}
