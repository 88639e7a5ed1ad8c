// Numbers that are none: they stop a World with an error that names where.

import { SimulationError } from '../../mechanism/errors.js';
import type { Member } from './member.js';

/** Whether positions and velocities are numbers. */
export function hasNumbers({ state: { q }, v }: Member): boolean {
  let sum = 0;
  for (let k = 0; k < q.length; k++) sum += q[k] * 0;
  for (let k = 0; k < v.length; k++) sum += v[k] * 0;
  return sum === 0;
}

/** The first joint that left the range of numbers. */
export function nonFiniteError({ state: { q }, v, articulation, name: member }: Member, time: number): SimulationError {
  const { tree, mechanism } = articulation;
  let i = 0;
  while (i + 1 < tree.n) {
    const { iq, model } = mechanism.joints[tree.joint[i]];
    const fine =
      q.subarray(iq, iq + model.nq).every(Number.isFinite) &&
      v.subarray(tree.dof[i], tree.dof[i + 1]).every(Number.isFinite);
    if (!fine) break;
    i++;
  }
  const { name: joint } = mechanism.joints[tree.joint[i]];
  const body = mechanism.bodies[tree.body[i]].name;
  return new SimulationError(
    'not-finite',
    `Joint "${joint}" (body "${body}") of "${member}" left the range of numbers at time ${time}. Look at its control, or take a smaller step.`,
    { body, joint, time },
  );
}
