// Frames in which a figure is somewhere else all of a sudden: markers that were mixed up, or gaps that were filled with nothing.

import type { Problem } from '../mechanism/errors.js';
import type { Positions } from './trajectory.js';

/** Beyond what people can do: radians a second in a joint or of the whole body, metres a second. */
const FASTEST_TURN = 60;
const FASTEST_MOVE = 20;
/** So many are named. */
const NAMED = 5;

/** One numbered column of a motion: how fast it changes into a frame from the one before, against what is possible. */
export interface JumpTrack {
  readonly name: string;
  readonly rotational: boolean;
  /** Change from frame k - 1 to frame k, radians or metres. */
  readonly step: (frame: number) => number;
}

/** A warning for each frame that the motion jumps into, with what jumps most. */
export function jumpWarnings(tracks: readonly JumpTrack[], count: number, start: number, interval: number): Problem[] {
  const jumps: { frame: number; track: JumpTrack; size: number; excess: number }[] = [];
  for (let frame = 1; frame < count; frame++) {
    let worst: (typeof jumps)[0] | undefined;
    for (const track of tracks) {
      const size = Math.abs(track.step(frame));
      const excess = size / interval / (track.rotational ? FASTEST_TURN : FASTEST_MOVE);
      if (excess > 1 && excess > (worst?.excess ?? 0)) worst = { frame, track, size, excess };
    }
    if (worst !== undefined) jumps.push(worst);
  }
  const warnings = jumps.slice(0, NAMED).map(({ frame, track, size }): Problem => {
    const by = `${size.toPrecision(3)} ${track.rotational ? 'rad' : 'm'}`;
    const time = Number((start + frame * interval).toFixed(4));
    return {
      code: 'jump',
      where: `frame ${frame + 1}`,
      message: `At ${time} s "${track.name}" jumps by ${by} within one frame; the forces around it mean nothing.`,
    };
  });
  if (jumps.length > NAMED)
    warnings.push({ code: 'jump', where: '', message: `${jumps.length - NAMED} more frames jump so.` });
  return warnings;
}

/** The joints of a mechanism as tracks: turns, and the way of a root. */
export function positionTracks({ mechanism, q }: Positions): JumpTrack[] {
  const { nq } = mechanism;
  const u = new Float64Array(6);
  return mechanism.joints.flatMap(({ name, model, iq, type }) => {
    if (model.nv === 0) return [];
    const change = (frame: number): Float64Array => {
      model.difference(u, 0, q, (frame - 1) * nq + iq, q, frame * nq + iq);
      return u;
    };
    const size = (values: Float64Array): number => Math.hypot(...values);
    if (type === 'floating')
      return [
        { name, rotational: true, step: (frame: number) => size(change(frame).subarray(0, 3)) },
        { name, rotational: false, step: (frame: number) => size(change(frame).subarray(3, 6)) },
      ];
    if (type === 'planar' || type === 'cylindrical') return [];
    return [
      { name, rotational: type !== 'prismatic', step: (frame: number) => size(change(frame).subarray(0, model.nv)) },
    ];
  });
}
