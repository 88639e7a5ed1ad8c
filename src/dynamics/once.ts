// One call for one state, by the plain engine. For many calls on one mechanism, take dynamics(mechanism).

import type { InverseMassMatrix } from '../engines/plain/mass-matrix-solver.js';
import type { ForwardOptions, InverseOptions, MassMatrix } from '../engines/plain/plain-dynamics.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import type { Energy } from '../reference/energy.js';
import { dynamics } from './dynamics.js';

/** Accelerations of the joints. For many calls on one mechanism, take dynamics(mechanism). */
export function forwardDynamics(
  mechanism: Mechanism,
  state: State,
  tau?: Float64Array,
  { root, ...options }: ForwardOptions & { readonly root?: string } = {},
): Float64Array {
  return dynamics(mechanism, { engine: 'plain', ...(root !== undefined && { root }) }).forward(state, tau, options);
}

/** Joint forces that produce given accelerations. */
export function inverseDynamics(
  mechanism: Mechanism,
  state: State,
  qdd?: Float64Array,
  options?: InverseOptions,
): Float64Array {
  return dynamics(mechanism, { engine: 'plain' }).inverse(state, qdd, options);
}

/** The mass matrix. */
export function massMatrix(mechanism: Mechanism, state: State): MassMatrix {
  return dynamics(mechanism, { engine: 'plain' }).massMatrix(state);
}

/** The inverse of the mass matrix, once. For many states of one mechanism, take dynamics(mechanism). */
export function inverseMassMatrix(mechanism: Mechanism, state: State): InverseMassMatrix {
  return dynamics(mechanism, { engine: 'plain' }).inverseMassMatrix(state);
}

/** Energy, momentum and centre of mass. */
export function mechanicalEnergy(mechanism: Mechanism, state: State): Energy {
  return dynamics(mechanism, { engine: 'plain' }).energy(state);
}
