// Marker positions over time, as motion capture gives them: the same from .trc and .c3d files.

/** Positions of markers at equal intervals. */
export interface MarkerMotion {
  readonly labels: readonly string[];
  /** Frames a second. */
  readonly rate: number;
  /** Seconds, of each frame. */
  readonly times: Float64Array;
  /** Metres: for each frame, for each marker, x, y, z; NaN where the marker was not seen. */
  readonly positions: Float64Array;
}

const METRES = new Map([
  ['mm', 1e-3],
  ['millimeters', 1e-3],
  ['cm', 1e-2],
  ['dm', 1e-1],
  ['m', 1],
  ['meters', 1],
  ['in', 0.0254],
  ['inches', 0.0254],
]);

/** Metres in a unit, or undefined for a unit that is not known. */
export function metresIn(unit: string): number | undefined {
  return METRES.get(unit.trim().toLowerCase());
}

/** Numbers in all that are read. */
export const MAX_MARKER_NUMBERS = 50_000_000;
