// Loops that constrain nothing which the joints leave free, in any state: a second hinge of a door. All that generated code has
// of their constraints is rounding, and it measures a constraint by the largest of its loop; so they are left to the plain
// engine, which measures by what a constraint could feel (rank.ts).

import { State } from '../../../mechanism/state.js';
import type { Tree } from '../../../mechanism/tree.js';
import { ada, createAda } from './ada.js';
import { endToRootSchedule } from './orders.js';

/** A constraint that feels less than this part of what it could feel, feels nothing. */
const NOTHING = 1e-8;

/** The name of a loop that constrains nothing, as two random states show it; undefined where there is none. */
export function idleLoop(tree: Tree): string | undefined {
  const { mechanism } = tree;
  if (mechanism.loops.length === 0) return undefined;
  const scratch = createAda(tree, endToRootSchedule(tree));
  const zero = new Float64Array(mechanism.nv);
  for (const seed of [1, 2]) {
    const { q } = State.random(mechanism, seed);
    // At rest; whether the loops are closed does not matter for what they feel.
    ada(tree, scratch, zero.slice(), q, zero, zero, null);
    for (const [at, operation] of scratch.plan.operations.entries()) {
      if (operation.kind !== 'close') continue;
      const { k, gamma, scale } = scratch.closes[at]!;
      let first = 0;
      for (const l of operation.loops) {
        const { k: own, joint } = scratch.loops.loops[l];
        let idle = own > 0;
        for (let row = first; row < first + own; row++) if (gamma[row * k + row] > NOTHING * scale[row]) idle = false;
        if (idle) return joint.name;
        first += own;
      }
    }
  }
  return undefined;
}
