import type { Mechanism } from '../../../../src/mechanism/mechanism.js';
import type { Random } from '../../../../src/mechanism/random.js';
import type { ScheduleTree } from '../../../../src/schedule/tree.js';

/** Ends of a joint, loop joints after those of the tree; the ground is -1. */
function endsOf(mechanism: Mechanism, joint: number): [number, number] {
  const { joints, loops } = mechanism;
  if (joint < joints.length) return [joints[joint].parent, joint];
  const { a, b } = loops[joint - joints.length];
  return [a.body, b.body];
}

/**
 * A random schedule of all joints, loop joints among them: one is taken away, and what is left is one part or two. Any joint
 * may be the one that closes a loop.
 */
export function randomClosedSchedule(
  mechanism: Mechanism,
  part: readonly number[],
  random: Random,
): ScheduleTree | null {
  if (part.length === 0) return null;
  const joint = random.pick(part);
  const rest = part.filter((other) => other !== joint);
  const [a, b] = endsOf(mechanism, joint);
  const reach = (start: number): Set<number> => {
    const seen = new Set([start]);
    for (let grown = true; grown; ) {
      grown = false;
      for (const other of rest) {
        const [x, y] = endsOf(mechanism, other);
        if (seen.has(x) === seen.has(y)) continue;
        seen.add(x).add(y);
        grown = true;
      }
    }
    return seen;
  };
  const near = reach(a);
  if (near.has(b)) return [joint, randomClosedSchedule(mechanism, rest, random), null];
  const side = (links: Set<number>): number[] => rest.filter((other) => links.has(endsOf(mechanism, other)[0]));
  return [
    joint,
    randomClosedSchedule(mechanism, side(near), random),
    randomClosedSchedule(mechanism, side(reach(b)), random),
  ];
}
