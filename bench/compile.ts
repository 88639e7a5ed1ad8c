// Compiled dynamics of the shared benchmark mechanisms (the lines of `manikin bench fd`, and inverse dynamics and the mass
// matrix), and the operations that joints of each type take.

import { readFileSync } from 'node:fs';
import { benchForward, type Report } from '../src/cli/bench/forward.js';
import { countOperations, type Task } from '../src/compile/index.js';
import { createPlan } from '../src/compile/plan.js';
import { parseDescription } from '../src/formats/index.js';
import type { JointTypeName } from '../src/joints/index.js';
import { MechanismBuilder } from '../src/mechanism/builder.js';
import type { Mechanism } from '../src/mechanism/mechanism.js';
import { createTree } from '../src/mechanism/tree.js';
import type { Mat3 } from '../src/spatial/matrix3.js';

/** Operations that one more link adds to a chain of ten equal joints: the mean of two, since axes alternate. */
export interface CountLine {
  readonly type: JointTypeName;
  /** How the joints are placed: axes renamed and an offset along one axis, or any rotation and offset. */
  readonly placement: 'along axes' | 'any';
  readonly task: Task;
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

function countedChain(type: JointTypeName, n: number, placement: CountLine['placement']): Mechanism {
  const builder = new MechanismBuilder();
  const I: Mat3 = [0.05, 0.002, 0.003, 0.002, 0.06, -0.004, 0.003, -0.004, 0.04];
  for (let i = 0; i < n; i++)
    builder.link(`b${i}`, {
      parent: i === 0 ? null : `b${i - 1}`,
      joint: { type, axis: i % 2 === 0 ? [0, 1, 0] : [1, 0, 0], axis2: [0, 0, 1], pitch: 0.1 },
      at: placement === 'any' ? [0.1, 0.2, 0.3] : [0, 0, 0.3],
      rpy: placement === 'any' ? [0.3, 0.5, 0.7] : [0, 0, 0],
      mass: 1 + 0.1 * i,
      com: [0.01, 0.02, 0.15],
      inertia: I,
    });
  return builder.build();
}

export function operationCounts(): CountLine[] {
  const lines: CountLine[] = [];
  for (const type of COUNTED)
    for (const placement of ['along axes', 'any'] as const)
      for (const task of ['forward', 'inverse', 'massMatrix'] as const) {
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

const REFERENCE = new URL('../../../../shared/reference/bench/', import.meta.url);
const NAMES = ['chainR-32', 'chainS-32', 'human-34', 'human-161'];

/** The benchmark mechanisms of ../shared/reference/bench. */
export function benchMechanisms(folder: URL = REFERENCE): { name: string; mechanism: Mechanism }[] {
  return NAMES.map((name) => {
    const { mechanism } = parseDescription(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
    return { name, mechanism };
  });
}

export async function run(): Promise<Report & { readonly operations: readonly CountLine[] }> {
  const report = await benchForward(benchMechanisms(), { all: true, note: (text) => console.error(text) });
  return { ...report, operations: operationCounts() };
}
