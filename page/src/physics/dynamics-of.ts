// The dynamics of a mechanism, made once for all that ask: the picture, the mouse, the motors.

import { type Dynamics, type Mechanism, plainDynamics } from 'manikin';

const known = new WeakMap<Mechanism, Dynamics>();

/** By the plain engine: it is there at once, whatever the structure has become. */
export function dynamicsOf(mechanism: Mechanism): Dynamics {
  let found = known.get(mechanism);
  if (found === undefined) {
    found = plainDynamics(mechanism);
    known.set(mechanism, found);
  }
  return found;
}
