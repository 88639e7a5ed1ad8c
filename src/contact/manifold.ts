// Where two shapes touch: points with gap and normal, in arrays that the caller keeps from call to call.

/** Points of a pair of convex shapes. */
export const CONVEX_POINTS = 4;
/** Most points of any pair: a shape on a mesh or a height field may touch several faces. */
export const MANIFOLD_POINTS = 32;

/**
 * The contact points of a pair (a, b). All points of one normal lie on one surface, the reference surface, which is that of
 * one of the two shapes: points at different heights make sticking contradictory. Where the reference is curved or the
 * contact is a single point, it is the point of the reference shape nearest to the other.
 */
export class Manifold {
  count = 0;
  /** x, y, z of each point, ground coordinates. */
  readonly position = new Float64Array(3 * MANIFOLD_POINTS);
  /** Unit vectors from b to a, ground coordinates: the direction in which a is pushed. */
  readonly normal = new Float64Array(3 * MANIFOLD_POINTS);
  /** Distance of the two surfaces along the normal; negative where they penetrate. */
  readonly gap = new Float64Array(MANIFOLD_POINTS);
  /** Which features touch: an integer that stays the same from step to step while the same features touch. */
  readonly feature = new Int32Array(MANIFOLD_POINTS);

  /** From the frame at X[o...] (ground to frame) to the ground; `side` -1 turns the normals: the pair was computed as (b, a). */
  toGround(X: Float64Array, o: number, side: number): void {
    const { position, normal, count } = this;
    for (let k = 0; k < 3 * count; k += 3) {
      const px = position[k];
      const py = position[k + 1];
      const pz = position[k + 2];
      const nx = side * normal[k];
      const ny = side * normal[k + 1];
      const nz = side * normal[k + 2];
      for (let i = 0; i < 3; i++) {
        position[k + i] = X[o + 9 + i] + X[o + i] * px + X[o + 3 + i] * py + X[o + 6 + i] * pz;
        normal[k + i] = X[o + i] * nx + X[o + 3 + i] * ny + X[o + 6 + i] * nz;
      }
    }
  }
}
