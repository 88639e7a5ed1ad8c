// The ways to compute a task for many states, best guesses first. Which one is fastest depends on the mechanism and on the
// device: fastest-variant.ts measures.

import type { Graph } from '../../formulas/graph.js';
import { type Passive, stepLink } from '../../formulas/rollout-step.js';
import type { Plan } from '../../plan/plan.js';
import { type Finish, halvedForward, wholeForward, writeAccelerations } from './formulas.js';
import { inverseForGpu } from './inverse-formulas.js';
import type { GpuTask, Split } from './kernel.js';
import { limbForward, splitForward } from './split.js';

export interface Candidate {
  readonly name: string;
  /** Takes a while for large mechanisms; undefined where a mechanism is not made for it. */
  readonly make: () => Split | undefined;
}

/** Above so many operations code for the mechanism is not even tried: compilers would take minutes. */
const MOST_OPERATIONS = 120_000;
/** Up to so many operations everything may well stay in registers and the instruction cache. */
const REGISTER_OPERATIONS = 9_000;
/** Operations of a kernel where there are several. */
const PASS_OPERATIONS = 6000;

/** A rough count of operations, without making the formulas. */
const roughOperations = ({ links }: Plan): number => links.reduce((sum, { nv }) => sum + 90 + 80 * nv, 0);

export function candidates(plan: Plan, task: GpuTask, passive?: Passive): Candidate[] {
  const rough = roughOperations(plan);
  if (rough > MOST_OPERATIONS) return [];
  const oneKernel = (graphs: readonly Graph[]): Split => ({ passes: [{ graphs }], kept: 0 });
  if (task === 'inverse') return [{ name: 'registers', make: () => oneKernel([inverseForGpu(plan)]) }];
  const finish: Finish =
    task === 'step'
      ? (g, { unit }, qdd) => stepLink(g, plan.links[unit.links[0]], qdd, 'single')
      : writeAccelerations(plan);
  const list: Candidate[] = [];
  if (rough <= REGISTER_OPERATIONS) {
    // A step reads its coordinates twice in any case: they are needed at the end once more.
    if (task === 'forward')
      list.push({ name: 'registers', make: () => oneKernel([wholeForward(plan, finish, passive)]) });
    list.push({
      name: 'registers, poses computed twice',
      make: () => oneKernel(halvedForward(plan, finish, passive)),
    });
  }
  if (rough > REGISTER_OPERATIONS / 2)
    list.push(
      { name: 'one limb per thread', make: () => limbForward(plan, finish, passive) },
      { name: 'several passes', make: () => splitForward(plan, finish, PASS_OPERATIONS, passive) },
    );
  return list;
}
