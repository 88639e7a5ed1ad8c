// The order of assembly where no schedule is given; src/schedule finds the best one.

import type { Tree } from '../../../mechanism/tree.js';
import type { ScheduleTree } from '../../../schedule/tree.js';

/** The schedule that is the articulated-body algorithm: joints from the ends to the root, then the loop joints. */
export function endToRootSchedule(tree: Tree): ScheduleTree {
  const { joints, loops } = tree.mechanism;
  // What hangs on each link (the ground first), assembled so far.
  const below = new Array<ScheduleTree | null>(tree.n + 1).fill(null);
  for (let i = tree.n - 1; i >= 0; i--) {
    const p = tree.parent[i] + 1;
    below[p] = [tree.joint[i], below[p], below[i + 1]];
  }
  let whole = below[0];
  for (let k = 0; k < loops.length; k++) whole = [joints.length + k, whole, null];
  return whole!;
}
