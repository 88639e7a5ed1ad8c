// The ways to compute a task for many states, best guesses first. Which one is fastest depends on the mechanism and on the
// device: choose.ts measures.

import { type Passive, stepLink } from '../../formulas/rollout-step.js';
import type { Plan } from '../../plan/plan.js';
import type { OpenGpu } from './device.js';
import { type Finish, halvedForward, wholeForward, writeAccelerations } from './formulas.js';
import { inverseForGpu } from './inverse-formulas.js';
import { type GpuTask, halvedKernel, passKernels, registerKernel, type WgslKernel } from './kernel.js';
import { limbForward, splitForward } from './split.js';

export interface Candidate {
  readonly name: string;
  /** Takes a while for large mechanisms. */
  readonly make: () => readonly WgslKernel[];
  /** States between two passes. */
  readonly chunk?: number;
}

/** Above so many operations code for the mechanism is not even tried: compilers would take minutes. */
const MOST_OPERATIONS = 120_000;
/** Up to so many operations everything may well stay in registers and the instruction cache. */
const REGISTER_OPERATIONS = 9_000;

/** A rough count of operations, without making the formulas. */
export const roughOperations = ({ links }: Plan): number => links.reduce((sum, { nv }) => sum + 90 + 80 * nv, 0);

export function candidates(
  plan: Plan,
  task: GpuTask,
  gpu: Pick<OpenGpu, 'maxWorkgroupBytes'>,
  passive?: Passive,
): Candidate[] {
  const { nq, nv } = plan;
  const rough = roughOperations(plan);
  if (rough > MOST_OPERATIONS) return [];
  const options = { task, nq, nv };
  if (task === 'inverse') {
    const make = (twice: boolean) => (): readonly WgslKernel[] => [
      registerKernel(inverseForGpu(plan, { twice }), { ...options, workgroupSize: 64 }),
    ];
    return [
      { name: 'registers', make: make(false) },
      { name: 'registers, poses computed twice', make: make(true) },
    ];
  }
  const finish: Finish =
    task === 'step'
      ? (g, { unit }, qdd) => stepLink(g, plan.links[unit.links[0]], qdd, 'single')
      : writeAccelerations(plan);
  const list: Candidate[] = [];
  const whole = (): Candidate => ({
    name: 'registers',
    make: () => [registerKernel(wholeForward(plan, finish, passive), { ...options, workgroupSize: 64 })],
  });
  const halved = (keepPoses: boolean): Candidate => ({
    name: keepPoses ? 'registers, coordinates read twice' : 'registers, poses computed twice',
    make: () => [
      halvedKernel(halvedForward(plan, finish, { keepPoses }, passive), 'registers', { ...options, workgroupSize: 64 }),
    ],
  });
  const split = (operations: number): Candidate => ({
    name: `passes of ${operations} operations`,
    make: () => {
      const { passes, kept } = splitForward(plan, finish, { operations }, passive);
      return passKernels(passes, kept, { ...options, workgroupSize: 64 });
    },
  });
  const limbs = (chunk: number, motionFirst = false): Candidate => ({
    name: `one limb per thread, ${motionFirst ? 'motion of the trunk first' : `${chunk} states at a time`}`,
    chunk,
    make: () => {
      const split = limbForward(plan, finish, { motionFirst }, passive);
      return split === undefined ? [] : passKernels(split.passes, split.kept, { ...options, workgroupSize: 64 });
    },
  });
  const workgroup = (): Candidate => ({
    name: 'workgroup memory',
    make: () => {
      const halves = halvedForward(plan, finish, { keepPoses: false }, passive);
      // The smallest workgroup that fills a SIMD group; devices with little memory cannot have it.
      if (4 * TILE_THREADS * halves.kept > gpu.maxWorkgroupBytes) return [];
      return [halvedKernel(halves, 'workgroup', { ...options, workgroupSize: TILE_THREADS })];
    },
  });
  if (rough <= REGISTER_OPERATIONS) {
    // A step reads its coordinates twice in any case: they are needed at the end once more.
    if (task === 'forward') list.push(whole());
    list.push(halved(false), halved(true));
    if (rough > REGISTER_OPERATIONS / 3) list.push(workgroup());
  }
  if (rough > REGISTER_OPERATIONS / 2)
    list.push(limbs(1048576), limbs(1048576, true), split(6000), limbs(131072), split(4000));
  return list;
}

const TILE_THREADS = 32;
