// What every algorithm refuses in the same words.

import { SimulationError } from '../../mechanism/errors.js';
import type { Tree } from '../../mechanism/tree.js';

export { refuseForeign } from '../../mechanism/state.js';

/** `link`: where an algorithm stopped, or a negative number where it did not. */
export function refuseSingular(link: number, { mechanism, body: bodies, joint: joints }: Tree): void {
  if (link < 0) return;
  const body = mechanism.bodies[bodies[link]].name;
  const joint = mechanism.joints[joints[link]].name;
  throw new SimulationError(
    'singular',
    `The inertia felt by joint "${joint}" (body "${body}") is not positive: the mass matrix is singular. Check masses and inertias beyond it; with a schedule, assemble what a massless body carries before its own joint.`,
    { body, joint },
  );
}

/** `time`: of the state in which an algorithm found the loop joints at odds. */
export function refuseContradiction(time: number): never {
  throw new SimulationError(
    'contradiction',
    `The loop joints demand accelerations at time ${time} that no force can bring about: the state breaks the loops, or they contradict each other.`,
    { time },
  );
}
