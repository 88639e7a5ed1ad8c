import { describe, expect, it } from 'vitest';
import { ada, createAda } from '../../../src/dynamics/assembly/ada.js';
import { endToRootSchedule, type ScheduleTree } from '../../../src/dynamics/assembly/plan.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { Random } from '../../../src/mechanism/random.js';
import type { LoopSpec, MechanismSpec } from '../../../src/mechanism/spec.js';
import { State } from '../../../src/mechanism/state.js';
import { createTree } from '../../../src/mechanism/tree.js';
import { rotationFromQuaternion } from '../../../src/spatial/matrix3.js';
import { ALL_JOINT_TYPES, randomSpec, randomVector, relativeError } from '../../support/random-mechanism.js';
import { constraintJacobian, solveConstrained } from './constrained.js';

/** Random loop joints of all types between random bodies of a random tree. */
function closedSpec(seed: number, bodies: number, loops: number): MechanismSpec {
  const random = new Random(seed);
  const spec = randomSpec(seed, { bodies, armature: true });
  const types = ALL_JOINT_TYPES.filter((type) => type !== 'floating');
  const frame = (body: string | null) => ({
    body,
    E: rotationFromQuaternion(random.quaternion()),
    t: [random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(-0.3, 0.3)] as const,
  });
  const closing: LoopSpec[] = Array.from({ length: loops }, (_, k) => {
    const b = random.below(bodies);
    let a = random.below(bodies + 1) - 1;
    while (a === b) a = random.below(bodies + 1) - 1;
    return {
      name: `l${k}`,
      type: random.pick(types),
      axis: random.direction(),
      axis2: random.direction(),
      pitch: 0.1,
      a: frame(a < 0 ? null : `b${a}`),
      b: frame(`b${b}`),
    };
  });
  return { ...spec, loops: closing };
}

function compareWithDense(mechanism: Mechanism, seed: number, schedule?: ScheduleTree): void {
  const tree = createTree(mechanism);
  const scratch = createAda(tree, schedule ?? endToRootSchedule(tree));
  const state = State.random(mechanism, seed);
  const tau = randomVector(seed + 1, mechanism.nv, 2);
  const { v, qdd: expected, power } = solveConstrained(mechanism, state, tau);
  state.v.set(v);
  const qdd = new Float64Array(mechanism.nv);
  expect(ada(tree, scratch, qdd, state.q, state.v, tau, null)).toBe(-1);
  expect(relativeError(qdd, expected), `${mechanism.name}, seed ${seed}`).toBeLessThan(1e-8);
  // Constraint forces do no work: with them the joints of the open tree move in the same way.
  expect(power).toBeLessThan(1e-8);
}

describe('closed chains', () => {
  it('random trees with random loop joints agree with a dense solve of the constrained system', () => {
    let compared = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const mechanism = createMechanism(closedSpec(seed, 6 + (seed % 5), 1));
      // With fewer freedoms than constraints nothing moves.
      const J = constraintJacobian(mechanism, State.random(mechanism, seed));
      if (J.rows.length + 3 > mechanism.nv) continue;
      compareWithDense(mechanism, seed);
      compared++;
    }
    expect(compared).toBeGreaterThan(30);
  });
});
