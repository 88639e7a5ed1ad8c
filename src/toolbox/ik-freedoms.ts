// Which degrees of freedom inverse kinematics may move, and how far.

import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { TaskRows } from './ik-tasks.js';

/** Degrees of freedom that some task depends on and that may move; followers of coupled joints are not free. */
export function freeDofs(
  mechanism: Mechanism,
  rows: readonly Pick<TaskRows, 'dofs'>[],
  names: readonly string[] | undefined,
): Int32Array {
  const { joints, couplings, nv } = mechanism;
  const needed = new Uint8Array(nv);
  for (const { dofs } of rows) for (const k of dofs) needed[k] = 1;
  for (const { joint, source } of couplings) {
    const follower = joints[joint].iv;
    if (needed[follower] === 1) needed[joints[source].iv] = 1;
    needed[follower] = 0;
  }
  if (names !== undefined) {
    const allowed = new Uint8Array(nv);
    for (const name of names) {
      const { v } = mechanism.joint(name);
      allowed.fill(1, ...v);
    }
    for (let k = 0; k < nv; k++) needed[k] &= allowed[k];
  }
  const free = Int32Array.from(needed.keys()).filter((k) => needed[k] === 1);
  if (free.length === 0) throw MechanismError.of('ik', '', 'No joint that may move changes any of the tasks.');
  return free;
}

/** Limits of joints of one degree of freedom, those of followers taken over to their sources. `place` is -1 where there are none. */
export function limitsOf({ joints, couplings }: Mechanism, free: Int32Array, kept: boolean) {
  const lower = new Float64Array(free.length).fill(Number.NEGATIVE_INFINITY);
  const upper = new Float64Array(free.length).fill(Number.POSITIVE_INFINITY);
  const place = new Int32Array(free.length).fill(-1);
  if (!kept) return { lower, upper, place };
  joints.forEach(({ iq, iv, model, limits }, i) => {
    const at = free.indexOf(iv);
    if (model.nv !== 1 || at < 0) return;
    place[at] = iq;
    lower[at] = limits.lower ?? Number.NEGATIVE_INFINITY;
    upper[at] = limits.upper ?? Number.POSITIVE_INFINITY;
    for (const { joint, source, multiplier, offset } of couplings) {
      if (source !== i || multiplier === 0) continue;
      const own = joints[joint].limits;
      const ends = [
        ((own.lower ?? Number.NEGATIVE_INFINITY) - offset) / multiplier,
        ((own.upper ?? Number.POSITIVE_INFINITY) - offset) / multiplier,
      ].sort((a, b) => a - b);
      lower[at] = Math.max(lower[at], ends[0]);
      upper[at] = Math.min(upper[at], ends[1]);
    }
  });
  return { lower, upper, place };
}
