// What the toolbox asks of arrays that it is given.

import { MechanismError } from '../mechanism/errors.js';
import { allFinite } from '../mechanism/finite.js';

/** Refuses an array of another length, or with something in it that is not a finite number. */
export function checkNumbers(what: string, values: Float64Array, count: number): void {
  if (values.length !== count)
    throw MechanismError.of('length', what, `Expected ${count} numbers, got ${values.length}.`);
  if (!allFinite(values)) throw MechanismError.of('number', what, 'Expected finite numbers.');
}
