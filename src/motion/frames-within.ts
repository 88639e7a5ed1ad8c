// A part of a motion: frames by number, and those for which there are measured forces.

import { MechanismError, type Problem } from '../mechanism/errors.js';
import type { AppliedLoads } from './loads.js';
import type { Trajectory } from './trajectory.js';

/** Frames from the first to the last of these numbers. */
export function framesOf(
  { mechanism, start, interval, q, v, qdd }: Trajectory,
  first: number,
  last: number,
): Trajectory {
  const cut = (x: Float64Array, n: number): Float64Array => x.slice(first * n, (last + 1) * n);
  return {
    mechanism,
    start: start + first * interval,
    interval,
    count: last - first + 1,
    q: cut(q, mechanism.nq),
    v: cut(v, mechanism.nv),
    qdd: cut(qdd, mechanism.nv),
  };
}

/** Frames at either end that a filter has touched by mirroring: half a period of the cut-off. */
export function edgeFrames(cutoff: number | null, interval: number): number {
  return cutoff === null ? 2 : Math.ceil(0.5 / (cutoff * interval));
}

/** The frames for which there are forces. */
export function withinLoads(
  trajectory: Trajectory,
  loads: AppliedLoads,
): { trajectory: Trajectory; warnings: Problem[] } {
  const { start, interval, count } = trajectory;
  const [from, to] = loads.range;
  const slack = 1e-6 * interval;
  const first = Math.max(0, Math.ceil((from - slack - start) / interval));
  const last = Math.min(count - 1, Math.floor((to + slack - start) / interval));
  const end = start + (count - 1) * interval;
  const span = (a: number, b: number): string => `from ${Number(a.toPrecision(6))} to ${Number(b.toPrecision(6))} s`;
  if (last < first)
    throw MechanismError.of(
      'overlap',
      '',
      `The forces and the motion do not overlap in time: forces ${span(from, to)}, motion ${span(start, end)}.`,
    );
  if (first === 0 && last === count - 1) return { trajectory, warnings: [] };
  const message = `Forces reach ${span(from, to)} only; the other frames are left out.`;
  return { trajectory: framesOf(trajectory, first, last), warnings: [{ code: 'overlap', where: '', message }] };
}
