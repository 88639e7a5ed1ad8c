// Forward dynamics in the form that papers 000 and 002 print (ada.ts): a reference, not for use.

import { CONTRADICTION } from '../../engines/plain/assembly/ada.js';
import { endToRootSchedule } from '../../engines/plain/assembly/orders.js';
import { addPassiveForces } from '../../engines/plain/passive.js';
import { refuseContradiction, refuseForeign, refuseSingular } from '../../engines/plain/refuse.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { createTree } from '../../mechanism/tree.js';
import type { ScheduleTree } from '../../schedule/tree.js';
import { forceToA, TRANSFORM } from '../../spatial/spatial.js';
import { createPrinted, printedAda } from './ada.js';

/** As for `forwardDynamics`. */
export interface PrintedOptions {
  /** The order of assembly; from the ends to the root, then the loops, where left out. */
  readonly schedule?: ScheduleTree;
  /** Adds damping, friction and springs of the joints to tau. */
  readonly passive?: boolean;
  /** Filled with 6 numbers for each joint: the whole force through it on the body it carries, body coordinates. */
  readonly jointForces?: Float64Array;
}

/** Accelerations of the joints, with every partial chain kept by its inverse inertia as papers 000 and 002 print it. */
export function printedForwardDynamics(
  mechanism: Mechanism,
  state: State,
  tau: Float64Array = new Float64Array(mechanism.nv),
  { schedule, passive = false, jointForces }: PrintedOptions = {},
): Float64Array {
  refuseForeign(mechanism, state);
  const tree = createTree(mechanism);
  const scratch = createPrinted(tree, schedule ?? endToRootSchedule(tree));
  const qdd = new Float64Array(mechanism.nv);
  const total = Float64Array.from(tau);
  if (passive) addPassiveForces(mechanism, total, state.q, state.v);
  const status = printedAda(tree, scratch, qdd, state.q, state.v, total, null, tree.armature);
  if (status === CONTRADICTION) refuseContradiction(state.time);
  refuseSingular(status, tree);
  if (jointForces !== undefined)
    for (let i = 0; i < tree.n; i++)
      forceToA(jointForces, 6 * tree.body[i], tree.offset, TRANSFORM * i, scratch.forces, 6 * i);
  return qdd;
}
