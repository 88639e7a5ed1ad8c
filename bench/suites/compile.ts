// Compiled dynamics of the shared benchmark mechanisms (the lines of `manikin bench fd`, and inverse dynamics and the mass
// matrix), and the operations that joints of each type take.

import { readFileSync } from 'node:fs';
import type { CompiledTask } from '#src/engines/wasm/specialise.js';
import { parseDescription } from '#src/formats/index.js';
import type { JointTypeName } from '#src/joints/index.js';
import { MechanismBuilder } from '#src/mechanism/builder.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { createTree } from '#src/mechanism/tree.js';
import { createPlan } from '#src/plan/plan.js';
import type { Mat3 } from '#src/spatial/matrix3.js';
import { countOperations } from '../count.js';
import { benchForward } from '../forward.js';

/** Operations that one more link adds to a chain of ten equal joints: the mean of two, since axes alternate. */
export interface CountLine {
  readonly type: JointTypeName;
  /** How the joints are placed: axes renamed and an offset along one axis, any rotation and offset, or as in robotics. */
  readonly placement: 'along axes' | 'any' | 'Denavit-Hartenberg';
  readonly task: CompiledTask;
  readonly multiplications: number;
  readonly additions: number;
  readonly divisions: number;
}

const COUNTED: readonly JointTypeName[] = [
  'revolute',
  'prismatic',
  'helical',
  'cylindrical',
  'universal',
  'planar',
  'spherical',
  'floating',
];

/** The parameters of Denavit and Hartenberg (as changed by Craig): length a, offset d, twist alpha, then the joint about z. */
const [A, D, ALPHA] = [0.3, 0.2, 0.7];
const PLACEMENTS = {
  'along axes': { at: [0, 0, 0.3], rpy: [0, 0, 0] },
  any: { at: [0.1, 0.2, 0.3], rpy: [0.3, 0.5, 0.7] },
  'Denavit-Hartenberg': { at: [A, -D * Math.sin(ALPHA), D * Math.cos(ALPHA)], rpy: [ALPHA, 0, 0] },
} as const;

function countedChain(type: JointTypeName, n: number, placement: CountLine['placement']): Mechanism {
  const builder = new MechanismBuilder();
  const I: Mat3 = [0.05, 0.002, 0.003, 0.002, 0.06, -0.004, 0.003, -0.004, 0.04];
  for (let i = 0; i < n; i++)
    builder.link(`b${i}`, {
      parent: i === 0 ? null : `b${i - 1}`,
      joint: {
        type,
        axis: placement === 'Denavit-Hartenberg' ? [0, 0, 1] : i % 2 === 0 ? [0, 1, 0] : [1, 0, 0],
        axis2: placement === 'Denavit-Hartenberg' ? [1, 0, 0] : [0, 0, 1],
        pitch: 0.1,
      },
      ...PLACEMENTS[placement],
      mass: 1 + 0.1 * i,
      com: [0.01, 0.02, 0.15],
      inertia: I,
    });
  return builder.build();
}

const TASKS = ['forward', 'inverse', 'massMatrix'] as const;

/** All operations of six revolute joints in Denavit-Hartenberg placement, the arm of the literature. */
export function sixJointCounts(): Omit<CountLine, 'type' | 'placement'>[] {
  const plan = createPlan(createTree(countedChain('revolute', 6, 'Denavit-Hartenberg')));
  return TASKS.map((task) => {
    const { multiplications, additions, divisions } = countOperations(plan, task);
    return { task, multiplications, additions, divisions };
  });
}

export function operationCounts(): CountLine[] {
  const lines: CountLine[] = [];
  for (const type of COUNTED)
    for (const placement of ['along axes', 'any', 'Denavit-Hartenberg'] as const)
      for (const task of TASKS) {
        const [less, more] = [10, 12].map((n) =>
          countOperations(createPlan(createTree(countedChain(type, n, placement))), task),
        );
        lines.push({
          type,
          placement,
          task,
          multiplications: (more.multiplications - less.multiplications) / 2,
          additions: (more.additions - less.additions) / 2,
          divisions: (more.divisions - less.divisions) / 2,
        });
      }
  return lines;
}

const REFERENCE = new URL('../../../../../shared/reference/bench/', import.meta.url);
const NAMES = ['chainR-32', 'chainS-32', 'human-34', 'human-161'];

/** The benchmark mechanisms of ../shared/reference/bench. */
export function benchMechanisms(folder: URL = REFERENCE): { name: string; mechanism: Mechanism }[] {
  return NAMES.map((name) => {
    const { mechanism } = parseDescription(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
    return { name, mechanism };
  });
}

export async function run(): Promise<object> {
  const report = await benchForward(benchMechanisms(), { all: true, note: (text) => console.error(text) });
  return { ...report, operations: operationCounts(), sixJoints: sixJointCounts() };
}
