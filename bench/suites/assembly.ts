// Assembly and disassembly against the articulated-body algorithm, one core: npm run bench -- assembly.

import { ada, createAda } from '#src/engines/plain/assembly/ada.js';
import { endToRootSchedule } from '#src/engines/plain/assembly/orders.js';
import { createAssemblyPlan } from '#src/engines/plain/assembly/plan.js';
import { createMechanism } from '#src/mechanism/create.js';
import { Random } from '#src/mechanism/random.js';
import type { MechanismSpec } from '#src/mechanism/spec.js';
import { State } from '#src/mechanism/state.js';
import { createTree, type Tree } from '#src/mechanism/tree.js';
import { mechanismSpec } from '#src/mechanism/variants.js';
import { builtinMechanism, chain } from '#src/models/index.js';
import { createPrinted, printedAda } from '#src/papers/printed/ada.js';
import { aba, abaForces, createAba } from '#src/reference/aba.js';
import type { ScheduleTree } from '#src/schedule/tree.js';
import type { Mat3 } from '#src/spatial/matrix3.js';
import { measure, type NamedCall } from '../measure.js';
import { balancedSchedule, rootToEndSchedule, scheduleBy } from '../simple-orders.js';

const VARIANTS = ['aba', 'aba + forces', 'ada end-to-root', 'ada balanced', 'printed end-to-root', 'printed balanced'];

function tasksOf(name: string, tree: Tree): NamedCall[] {
  const { mechanism } = tree;
  const { q, v } = State.random(mechanism, 1);
  const tau = new Float64Array(mechanism.nv).fill(0.1);
  const qdd = new Float64Array(mechanism.nv);
  const forces = new Float64Array(6 * tree.n);
  const scratch = createAba(tree);
  const withAda = (schedule: ScheduleTree): (() => void) => {
    const own = createAda(tree, schedule);
    return () => ada(tree, own, qdd, q, v, tau, null);
  };
  const withPrinted = (schedule: ScheduleTree): (() => void) => {
    const own = createPrinted(tree, schedule);
    return () => printedAda(tree, own, qdd, q, v, tau, null);
  };
  const calls = [
    () => aba(tree, scratch, qdd, q, v, tau, null),
    () => {
      aba(tree, scratch, qdd, q, v, tau, null);
      abaForces(tree, scratch, forces);
    },
    withAda(endToRootSchedule(tree)),
    withAda(balancedSchedule(tree)),
    withPrinted(endToRootSchedule(tree)),
    withPrinted(balancedSchedule(tree)),
  ];
  return VARIANTS.map((variant, k) => ({ name: `${name} ${variant}`, call: calls[k] }));
}

/** Times of all variants, each divided by that of aba + forces, and the levels of the balanced schedule. */
function compare(name: string, rounds: number): { name: string; levels: number; [key: string]: unknown } {
  const tree = createTree(builtinMechanism(name));
  const ns = measure(tasksOf(name, tree), rounds).map((timing) => timing.ns);
  const byVariant = <T>(value: (k: number) => T): Record<string, T> =>
    Object.fromEntries(VARIANTS.map((variant, k) => [variant, value(k)]));
  return {
    name,
    joints: tree.n,
    levels: createAssemblyPlan(tree, balancedSchedule(tree)).levels,
    ns: byVariant((k) => ns[k]),
    toAbaWithForces: byVariant((k) => Number((ns[k] / ns[1]).toFixed(3))),
    nsPerJoint: byVariant((k) => Math.round(ns[k] / tree.n)),
  };
}

/** What becomes of every second link of a chain: factors of its mass and of its inertia about its centre of mass. */
export const MASS_RATIOS: readonly { readonly links: string; readonly mass: number; readonly inertia: number }[] = [
  { links: 'as they are', mass: 1, inertia: 1 },
  { links: 'heavy, same shape', mass: 1e6, inertia: 1e6 },
  { links: 'heavy, same inertia', mass: 1e6, inertia: 1 },
  { links: 'light, same shape', mass: 1e-6, inertia: 1e-6 },
  { links: 'light, same density', mass: 1e-6, inertia: 1e-10 },
];

export function alternating(spec: MechanismSpec, ratio: (typeof MASS_RATIOS)[number]): MechanismSpec {
  const bodies = spec.bodies.map((body, i) => {
    if (i % 2 === 0) return body;
    const inertia = (body.inertia as Mat3).map((x) => x * ratio.inertia) as unknown as Mat3;
    return { ...body, mass: body.mass! * ratio.mass, inertia };
  });
  return { ...spec, bodies };
}

/** The schedules of docs/ada.md. */
export function namedSchedules(tree: Tree, seed: number): Record<string, ScheduleTree> {
  const random = new Random(seed);
  return {
    'ends to root': endToRootSchedule(tree),
    balanced: balancedSchedule(tree),
    'root to ends': rootToEndSchedule(tree),
    random: scheduleBy(tree, (part) => random.pick(part)),
  };
}

export interface FormErrors {
  readonly default: number;
  /** Not a number where the printed form gives up. */
  readonly printed: number;
}

/** Largest difference of qdd from the articulated-body algorithm, as a part of its largest entry, for each schedule. */
export function formErrors(spec: MechanismSpec, seed: number): Record<string, FormErrors> {
  const mechanism = createMechanism(spec);
  const tree = createTree(mechanism);
  const { q, v } = State.random(mechanism, seed);
  // No drive: a torque on a link of a gram would be all that counts.
  const tau = new Float64Array(mechanism.nv);
  const reference = new Float64Array(mechanism.nv);
  const qdd = new Float64Array(mechanism.nv);
  aba(tree, createAba(tree), reference, q, v, tau, null);
  const size = reference.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  const error = (code: number): number =>
    code >= 0 ? Number.NaN : qdd.reduce((worst, x, k) => Math.max(worst, Math.abs(x - reference[k]) / size), 0);
  const entries = Object.entries(namedSchedules(tree, seed)).map(([name, schedule]) => [
    name,
    {
      default: error(ada(tree, createAda(tree, schedule), qdd, q, v, tau, null)),
      printed: error(printedAda(tree, createPrinted(tree, schedule), qdd, q, v, tau, null)),
    },
  ]);
  return Object.fromEntries(entries) as Record<string, FormErrors>;
}

/** The worst of five states of a chain of 32 links, for each mass ratio and schedule. */
function massRatioErrors(): object[] {
  const spec = mechanismSpec(chain(32));
  return MASS_RATIOS.map((ratio) => {
    const states = [1, 2, 3, 4, 5].map((seed) => formErrors(alternating(spec, ratio), seed));
    const worst = (schedule: string, form: keyof FormErrors): string =>
      Math.max(...states.map((errors) => errors[schedule][form])).toExponential(0);
    const errors = Object.keys(states[0]).map((schedule) => [
      schedule,
      { default: worst(schedule, 'default'), printed: worst(schedule, 'printed') },
    ]);
    return { ...ratio, ...Object.fromEntries(errors) };
  });
}

export function run(): object {
  return {
    mechanisms: ['chain-32', 'chain-32-spherical', 'human-34', 'human-161'].map((name) => compare(name, 100)),
    growth: [64, 128, 256, 512, 1024].map((n) => compare(`chain-${n}`, 20)),
    massRatioErrors: massRatioErrors(),
  };
}
