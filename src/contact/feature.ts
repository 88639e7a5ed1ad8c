// What of a shape faces another one.

/** Corners of the longest polygon; hull faces with more are thinned out. */
export const FACE_POINTS = 32;

export class Feature {
  /** 1: a point, 2: a segment, else a polygon, counter-clockwise seen from outside. */
  count = 0;
  /** x, y, z of the corners. */
  readonly points = new Float64Array(3 * FACE_POINTS);
  /** Of a polygon: names the edge from corner k to the next. Of a segment or a point: names corner k. Below 2^14. */
  readonly labels = new Int32Array(FACE_POINTS);
  /** Of a polygon, outward. */
  readonly normal = new Float64Array(3);
  /** Where the polygon stands for a disc: its radius, else 0; and its centre. */
  disc = 0;
  readonly centre = new Float64Array(3);
}
