// The constants of the engine's cost model (schedule/cost.ts), measured on this machine: what a joint of each type takes
// where its part has one handle, two, or more.

import { ada, createAda } from '../../engines/plain/assembly/ada.js';
import { endToRootSchedule, scheduleBy } from '../../engines/plain/assembly/orders.js';
import type { ScheduleTree } from '../../engines/plain/assembly/plan.js';
import type { JointTypeName } from '../../joints/index.js';
import { MechanismBuilder } from '../../mechanism/builder.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { Random } from '../../mechanism/random.js';
import { State } from '../../mechanism/state.js';
import { createTree } from '../../mechanism/tree.js';
import type { EngineConstants } from '../../schedule/index.js';

const TYPES: readonly { kind: JointTypeName; dof: number }[] = [
  { kind: 'fixed', dof: 0 },
  { kind: 'revolute', dof: 1 },
  { kind: 'prismatic', dof: 1 },
  { kind: 'helical', dof: 1 },
  { kind: 'cylindrical', dof: 2 },
  { kind: 'universal', dof: 2 },
  { kind: 'planar', dof: 3 },
  { kind: 'spherical', dof: 3 },
  { kind: 'floating', dof: 6 },
];

/** Links of the chains that are timed: long enough that their ends do not count. */
const LENGTH = 48;

function row(kind: JointTypeName, length: number, parentOf: (i: number) => number): Mechanism {
  const builder = new MechanismBuilder(kind);
  for (let i = 0; i < length; i++)
    builder.link(`l${i}`, {
      parent: parentOf(i) < 0 ? null : `l${parentOf(i)}`,
      joint: { type: kind, axis: i % 2 === 0 ? [1, 0, 0] : [0, 1, 0], axis2: [0, 0, 1], pitch: 0.1 },
      at: [0, 0, 0.2],
      mass: 1,
      com: [0.01, 0.02, 0.1],
      inertia: [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.005],
    });
  return builder.build();
}

/** Microseconds of one forward dynamics in the order of a schedule: the least of many batches. */
function timeOf(mechanism: Mechanism, schedule: ScheduleTree | undefined): number {
  const tree = createTree(mechanism);
  const scratch = createAda(tree, schedule ?? endToRootSchedule(tree));
  const { q, v } = State.random(mechanism, 1);
  const tau = new Float64Array(mechanism.nv);
  const qdd = new Float64Array(mechanism.nv);
  const batch = (calls: number): number => {
    const start = performance.now();
    for (let k = 0; k < calls; k++) ada(tree, scratch, qdd, q, v, tau, null);
    return ((performance.now() - start) * 1000) / calls;
  };
  batch(200);
  let best = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 20; k++) best = Math.min(best, batch(20));
  return best;
}

/** A chain cut at its first joint: all others are assembled from the end, and the rest hangs on two handles. */
function twoHandles(length: number): ScheduleTree {
  // The last joint comes last, so that every part before it has a root and a tip.
  let whole: ScheduleTree | null = null;
  for (let joint = length - 2; joint >= 0; joint--) whole = [joint, null, whole];
  return [length - 1, whole, null];
}

/** Adds to `counts` how many nodes of a schedule have a part of each number of handles; the ground counts as one. */
function handles(mechanism: Mechanism, schedule: ScheduleTree, counts: number[]): number[] {
  const [joint, rootSide, endSide] = schedule;
  const below = [rootSide, endSide].flatMap((side) => (side === null ? [] : handles(mechanism, side, counts)));
  const joints = new Set([joint, ...below]);
  const links = new Set<number>();
  for (const j of joints) links.add(j).add(mechanism.joints[j].parent);
  const seen = [...links].filter(
    (link) => link < 0 || mechanism.joints.some(({ parent }, j) => !joints.has(j) && (parent === link || j === link)),
  );
  counts[seen.length] = (counts[seen.length] ?? 0) + 1;
  return [...joints];
}

/** What more than two handles add, fitted to random orders of random trees: quadratic, linear and constant term. */
function measureMore(one: number, two: number): EngineConstants['more'] {
  const random = new Random(7);
  const rows: { x: [number, number, number]; y: number }[] = [];
  for (let k = 0; k < 12; k++) {
    const parents = Array.from({ length: 30 }, (_, i) => (i === 0 ? -1 : random.below(i)));
    const mechanism = row('revolute', 30, (i) => parents[i]);
    const schedule = scheduleBy(createTree(mechanism), (part) => random.pick(part));
    const counts: number[] = [];
    handles(mechanism, schedule, counts);
    let y = timeOf(mechanism, schedule);
    const x: [number, number, number] = [0, 0, 0];
    counts.forEach((count, n) => {
      y -= count * (n < 2 ? one : two);
      if (n < 3) return;
      x[0] += count * n * n;
      x[1] += count * n;
      x[2] += count;
    });
    rows.push({ x, y });
  }
  const [quadratic, linear, constant] = leastSquares(rows);
  if (linear >= 0 && quadratic >= 0) return { quadratic, linear, constant };
  // Noise can make the two look opposed; a cost that falls with more handles there is not, so one of them must do.
  const [square, , rest] = leastSquares(rows.map(({ x, y }) => ({ x: [x[0], 0, x[2]], y })));
  return { quadratic: Math.max(0, square), linear: 0, constant: rest };
}

/** Three unknowns by the normal equations, Gauss elimination; an unknown that nothing depends on is zero. */
function leastSquares(rows: readonly { x: readonly number[]; y: number }[]): number[] {
  const A = [0, 1, 2].map((i) => [
    ...[0, 1, 2].map((j) => rows.reduce((sum, { x }) => sum + x[i] * x[j], 0)),
    rows.reduce((sum, { x, y }) => sum + x[i] * y, 0),
  ]);
  for (let c = 0; c < 3; c++) {
    const pivot = [0, 1, 2].slice(c).reduce((best, i) => (Math.abs(A[i][c]) > Math.abs(A[best][c]) ? i : best), c);
    [A[c], A[pivot]] = [A[pivot], A[c]];
    for (let i = 0; i < 3; i++) {
      if (i === c || A[c][c] === 0) continue;
      const factor = A[i][c] / A[c][c];
      for (let j = c; j < 4; j++) A[i][j] -= factor * A[c][j];
    }
  }
  return A.map((entries, i) => (entries[i] === 0 ? 0 : entries[3] / entries[i]));
}

/** All constants; `handOver` comes from elsewhere, since it needs threads. */
export function measureConstants(handOver: number, progress: (fraction: number) => void): EngineConstants {
  const joints = TYPES.map(({ kind, dof }, k) => {
    progress(k / (TYPES.length + 1));
    const chain = row(kind, LENGTH, (i) => i - 1);
    const one = timeOf(chain, undefined) / LENGTH;
    const two = Math.max(one, timeOf(chain, twoHandles(LENGTH)) / LENGTH);
    return { kind, dof, one, two };
  });
  progress(TYPES.length / (TYPES.length + 1));
  const hinge = joints.find(({ kind }) => kind === 'revolute')!;
  // Types of four and five freedoms do not exist, but the model asks for an entry for every number.
  const ball = joints.find(({ kind }) => kind === 'spherical')!;
  const between = [4, 5].map((dof) => ({ dof, one: ball.one, two: ball.two }));
  return { joints: [...joints, ...between], more: measureMore(hinge.one, hinge.two), handOver };
}
