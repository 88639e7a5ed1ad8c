// Polygons of a mesh as triangles, cut as the reader that MuJoCo uses cuts them (tinyobjloader), so that masses of meshes
// with bent or concave polygons come out the same.

/**
 * Appends the triangles of a polygon, given by the numbers of its corners; x, y, z of each point stand in `points`. Of some
 * concave polygons that reader leaves a part out, and so does this unless all of it is asked for.
 */
export function triangulate(
  corners: readonly number[],
  points: ArrayLike<number>,
  triangles: number[],
  whole: boolean,
): void {
  if (corners.length === 3) triangles.push(corners[0], corners[1], corners[2]);
  else if (corners.length === 4) splitQuad(corners, points, triangles);
  else clipEars([...corners], points, triangles, whole);
}

/** Along the shorter diagonal. */
function splitQuad([a, b, c, d]: readonly number[], points: ArrayLike<number>, triangles: number[]): void {
  if (distance(a, c, points) < distance(b, d, points)) triangles.push(a, b, c, a, c, d);
  else triangles.push(a, b, d, b, c, d);
}

/** Squared, in 32-bit floating point as there: which of two equal diagonals is taken hangs on it. */
function distance(a: number, b: number, points: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const along = Math.fround(points[3 * b + k] - points[3 * a + k]);
    sum = Math.fround(sum + Math.fround(along * along));
  }
  return sum;
}

/**
 * Ears are cut off in the plane of the two coordinates that see most of the polygon. Its sign of turning is that of the first
 * edge about the origin, which is wrong for some concave polygons: there the search gives up, and the rest becomes a fan.
 */
function clipEars(left: number[], points: ArrayLike<number>, triangles: number[], whole: boolean): void {
  const [u, v] = planeOf(left, points);
  let guess = 0;
  let patience = left.length;
  let before = left.length;
  while (left.length > 3 && patience > 0) {
    const n = left.length;
    if (guess >= n) guess -= n;
    if (before !== n) {
      before = n;
      patience = n;
    } else patience--;
    const [a, b, c] = [left[guess % n], left[(guess + 1) % n], left[(guess + 2) % n]];
    const [ax, ay] = [points[3 * a + u], points[3 * a + v]];
    const [bx, by] = [points[3 * b + u], points[3 * b + v]];
    const [cx, cy] = [points[3 * c + u], points[3 * c + v]];
    const turn = (bx - ax) * (cy - by) - (by - ay) * (cx - bx);
    const area = (ax * by - ay * bx) / 2;
    let isEar = turn * area >= 0;
    for (let k = 3; isEar && k < n; k++) {
      const other = left[(guess + k) % n];
      isEar = !contains([ax, ay, bx, by, cx, cy], points[3 * other + u], points[3 * other + v]);
    }
    if (!isEar) {
      guess++;
      continue;
    }
    triangles.push(a, b, c);
    left.splice((guess + 1) % n, 1);
  }
  if (left.length > 3 && !whole) return;
  for (let k = 2; k < left.length; k++) triangles.push(left[0], left[k - 1], left[k]);
}

function planeOf(corners: readonly number[], points: ArrayLike<number>): [number, number] {
  const n = corners.length;
  for (let k = 0; k < n; k++) {
    const [a, b, c] = [corners[k], corners[(k + 1) % n], corners[(k + 2) % n]];
    const e = [0, 1, 2].map((x) => points[3 * b + x] - points[3 * a + x]);
    const f = [0, 1, 2].map((x) => points[3 * c + x] - points[3 * b + x]);
    const x = Math.abs(e[1] * f[2] - e[2] * f[1]);
    const y = Math.abs(e[2] * f[0] - e[0] * f[2]);
    const z = Math.abs(e[0] * f[1] - e[1] * f[0]);
    if (Math.max(x, y, z) <= FLOAT_EPSILON) continue;
    if (x > y && x > z) return [1, 2];
    return z > x && z > y ? [0, 1] : [0, 2];
  }
  return [1, 2];
}

const FLOAT_EPSILON = 2 ** -23;

/** Whether a ray from (x, y) crosses the triangle's edges an odd number of times. */
function contains([ax, ay, bx, by, cx, cy]: readonly number[], x: number, y: number): boolean {
  const crosses = (px: number, py: number, qx: number, qy: number): boolean =>
    py > y !== qy > y && x < ((qx - px) * (y - py)) / (qy - py) + px;
  return (crosses(ax, ay, cx, cy) !== crosses(bx, by, ax, ay)) !== crosses(cx, cy, bx, by);
}
