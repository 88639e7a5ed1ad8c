// What every algorithm refuses in the same words.

import { MechanismError, SimulationError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import type { Tree } from '../../mechanism/tree.js';

export function refuseForeign({ nq, nv, name }: Mechanism, state: State): void {
  if (state.q.length !== nq || state.v.length !== nv)
    throw MechanismError.of('state', '', `The state belongs to "${state.mechanism.name}", not to "${name}".`);
}

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
