// What the constraints of loop joints could feel (rank.ts), for code that has no articulated inertias to ask in every state: the
// largest of a few random states. It changes with the state by factors far below what separates a constraint from rounding.

import { State } from '../../../mechanism/state.js';
import type { Tree } from '../../../mechanism/tree.js';
import { constraintCount } from '../../../plan/loops.js';
import { adaImpulse, createAda } from './ada.js';
import { endToRootSchedule } from './orders.js';

/** For each loop joint, for each of its constraints: the size of J H^-1 J^T if its two ends had nothing to do with each other. */
export function loopScales(tree: Tree): number[][] {
  const { mechanism } = tree;
  const scratch = createAda(tree, endToRootSchedule(tree));
  const zero = new Float64Array(mechanism.nv);
  const scales = mechanism.loops.map((loop) => new Array<number>(constraintCount(loop)).fill(0));
  for (const seed of [1, 2, 3]) {
    const { q } = State.random(mechanism, seed);
    // At rest; whether the loops are closed does not matter for what they could feel.
    adaImpulse(tree, scratch, 'velocity', zero.slice(), q, zero, zero);
    for (const [at, operation] of scratch.plan.operations.entries()) {
      if (operation.kind !== 'close') continue;
      const { scale } = scratch.closes[at]!;
      let first = 0;
      for (const l of operation.loops) {
        const { k } = scratch.loops.loops[l];
        for (let row = 0; row < k && l < scales.length; row++)
          scales[l][row] = Math.max(scales[l][row], scale[first + row]);
        first += k;
      }
    }
  }
  return scales;
}
