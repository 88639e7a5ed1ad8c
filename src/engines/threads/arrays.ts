// Arrays in the memory of compiled code: what goes in.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { copyPositions } from '../plain/large-angles.js';
import { addPassiveForces } from '../plain/passive.js';
import type { ForwardOptions } from '../plain/plain-dynamics.js';

/** Arrays of a state. */
export interface Arrays {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly tau: Float64Array;
  readonly qdd: Float64Array;
}

export function loadArrays(
  mechanism: Mechanism,
  { q, v, tau }: Omit<Arrays, 'qdd'>,
  state: State,
  forces?: Float64Array,
  options?: ForwardOptions,
): void {
  copyPositions(mechanism, q, state.q);
  loadMotion(mechanism, v, tau, state, forces, options);
}

/** The same without the positions. */
export function loadMotion(
  mechanism: Mechanism,
  v: Float64Array,
  tau: Float64Array,
  state: State,
  forces?: Float64Array,
  options?: ForwardOptions,
): void {
  v.set(state.v);
  if (forces === undefined) tau.fill(0);
  else tau.set(forces);
  if (options?.passive === true) addPassiveForces(mechanism, tau, state.q, state.v);
}
