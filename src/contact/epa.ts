// Depth of two overlapping cores: an expanding polytope within K = A - B, by branch and bound.
//
// depth = min over unit m of h(m), h(m) = max over K of m x. A polytope of points of K has offsets d_f <= h(m_f) at its faces,
// and the least of them is a lower bound of the depth once the polytope holds the origin; every h that was evaluated is an
// upper bound. The face with the least offset is pushed out to the boundary of K until both bounds meet. The polytope
// starts from a large tetrahedron, not from the last simplex of GJK: it is well shaped, and need not hold the origin. So
// shapes that touch, or are apart by rounding, need no case of their own: offsets are then about zero, or below.
// A face whose normal is rounding only costs an evaluation: what is returned is a direction with its true h.

import type { Collider } from './collider.js';
import { isPolytope, pairSize, supportDifference } from './difference.js';
import { CORES, N, PAIR } from './work.js';

const VERTICES = 160;
const FACES = 640;
/** Relative to the size of the pair: how close the bounds must come. */
const EXACT = 1e-12;
const CURVED = 2e-9;
/** Relative to the size: a point this far above a face is above it. */
const ABOVE = 1e-13;
/** Relative to the size: K thinner than this is flat. */
const FLAT = 1e-11;

const V = new Float64Array(3 * VERTICES);
let vertices = 0;
// Faces: corners, the face across the edge from corner k to the next, unit normal, offset. `gone` faces are free for reuse.
const corner = new Int32Array(3 * FACES);
const across = new Int32Array(3 * FACES);
const normal = new Float64Array(3 * FACES);
const offset = new Float64Array(FACES);
const gone = new Uint8Array(FACES);
let faces = 0;
const free = new Int32Array(FACES);
let freed = 0;
// The edges around what a new point sees.
const horizonFrom = new Int32Array(FACES);
const horizonTo = new Int32Array(FACES);
const horizonFace = new Int32Array(FACES);
let horizon = 0;
const stackFace = new Int32Array(FACES);
const stackEdge = new Int32Array(FACES);
const stackLeft = new Int32Array(FACES);
const fresh = new Int32Array(FACES);

const d = new Float64Array(3);
const w = new Float64Array(3);
const best = new Float64Array(3);
let upper = 0;

/** Sets N and PAIR[CORES], minus the depth. */
export function epa(a: Collider, b: Collider): void {
  const size = pairSize(a, b);
  const tolerance = (isPolytope(a) && isPolytope(b) ? EXACT : CURVED) * size;
  upper = Number.POSITIVE_INFINITY;
  if (start(a, b, size)) {
    for (let iteration = 0; iteration < VERTICES; iteration++) {
      let least = -1;
      let low = upper - tolerance;
      for (let f = 0; f < faces; f++)
        if (gone[f] === 0 && offset[f] < low) {
          low = offset[f];
          least = f;
        }
      if (least < 0) break;
      d[0] = normal[3 * least];
      d[1] = normal[3 * least + 1];
      d[2] = normal[3 * least + 2];
      const h = evaluate(a, b);
      if (h - low <= ABOVE * size || vertices === VERTICES) {
        // K ends here: this bound cannot rise.
        offset[least] = Number.POSITIVE_INFINITY;
        continue;
      }
      if (!expand(least, ABOVE * size)) break;
    }
  }
  PAIR[CORES] = -upper;
  N[0] = -best[0];
  N[1] = -best[1];
  N[2] = -best[2];
}

/** w = support along d, gives h(d) and keeps the least. */
function evaluate(a: Collider, b: Collider): number {
  supportDifference(w, 0, a, b, d);
  const h = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
  if (h < upper) {
    upper = h;
    best[0] = d[0];
    best[1] = d[1];
    best[2] = d[2];
  }
  return h;
}

function keep(): number {
  V[3 * vertices] = w[0];
  V[3 * vertices + 1] = w[1];
  V[3 * vertices + 2] = w[2];
  return vertices++;
}

/** A tetrahedron of points of K. False where K is flat; then `best` is across it. */
function start(a: Collider, b: Collider, size: number): boolean {
  vertices = faces = freed = 0;
  // Farthest apart along the axes.
  let widest = 0;
  let axis = 0;
  for (let k = 0; k < 3; k++) {
    d[0] = d[1] = d[2] = 0;
    d[k] = 1;
    const h = evaluate(a, b);
    d[k] = -1;
    const width = h + evaluate(a, b);
    if (width > widest) {
      widest = width;
      axis = k;
    }
  }
  d[0] = d[1] = d[2] = 0;
  d[axis] = 1;
  evaluate(a, b);
  keep();
  d[axis] = -1;
  evaluate(a, b);
  keep();
  // Across their line, to both sides, until one is off it.
  const ux = V[3] - V[0];
  const uy = V[4] - V[1];
  const uz = V[5] - V[2];
  let off = 0;
  for (let k = 0; k < 4 && off <= FLAT * size; k++) {
    // The next axis made perpendicular to u, then across both.
    const e = (axis + 1 + (k >> 1)) % 3;
    const ue = e === 0 ? ux : e === 1 ? uy : uz;
    const s = ue / (ux * ux + uy * uy + uz * uz);
    d[0] = (e === 0 ? 1 : 0) - s * ux;
    d[1] = (e === 1 ? 1 : 0) - s * uy;
    d[2] = (e === 2 ? 1 : 0) - s * uz;
    unit((k & 1) === 1 ? -1 : 1);
    evaluate(a, b);
    off = Math.abs(d[0] * (w[0] - V[0]) + d[1] * (w[1] - V[1]) + d[2] * (w[2] - V[2]));
  }
  if (off <= FLAT * size) return false;
  keep();
  // Off their plane, to both sides.
  planeOf(0, 1, 2);
  evaluate(a, b);
  let height = d[0] * (w[0] - V[0]) + d[1] * (w[1] - V[1]) + d[2] * (w[2] - V[2]);
  const wx = w[0];
  const wy = w[1];
  const wz = w[2];
  d[0] = -d[0];
  d[1] = -d[1];
  d[2] = -d[2];
  evaluate(a, b);
  const below = d[0] * (w[0] - V[0]) + d[1] * (w[1] - V[1]) + d[2] * (w[2] - V[2]);
  if (height > below) {
    w[0] = wx;
    w[1] = wy;
    w[2] = wz;
  } else height = -below;
  if (Math.abs(height) <= FLAT * size) return false;
  keep();
  // Corners 0, 1, 2 counter-clockwise seen from outside: corner 3 lies below their plane.
  const i = height > 0 ? 1 : 2;
  const j = 3 - i;
  // height > 0: corner 3 is above (0, 1, 2), so the outside of it is (0, 2, 1).
  add(0, j, i);
  add(0, i, 3);
  add(i, j, 3);
  add(j, 0, 3);
  link(0, 0, 3);
  link(0, 1, 2);
  link(0, 2, 1);
  link(1, 0, 0);
  link(1, 1, 2);
  link(1, 2, 3);
  link(2, 0, 0);
  link(2, 1, 3);
  link(2, 2, 1);
  link(3, 0, 0);
  link(3, 1, 1);
  link(3, 2, 2);
  return true;
}

/** d is made a unit vector of that sign. */
function unit(sign: number): void {
  const s = sign / Math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  d[0] *= s;
  d[1] *= s;
  d[2] *= s;
}

/** d = unit normal of three vertices. */
function planeOf(i: number, j: number, k: number): void {
  const ux = V[3 * j] - V[3 * i];
  const uy = V[3 * j + 1] - V[3 * i + 1];
  const uz = V[3 * j + 2] - V[3 * i + 2];
  const x = V[3 * k] - V[3 * i];
  const y = V[3 * k + 1] - V[3 * i + 1];
  const z = V[3 * k + 2] - V[3 * i + 2];
  d[0] = uy * z - uz * y;
  d[1] = uz * x - ux * z;
  d[2] = ux * y - uy * x;
  unit(1);
}

function link(face: number, edge: number, to: number): void {
  across[3 * face + edge] = to;
}

function add(i: number, j: number, k: number): number {
  const f = freed > 0 ? free[--freed] : faces++;
  corner[3 * f] = i;
  corner[3 * f + 1] = j;
  corner[3 * f + 2] = k;
  planeOf(i, j, k);
  normal[3 * f] = d[0];
  normal[3 * f + 1] = d[1];
  normal[3 * f + 2] = d[2];
  const at = d[0] * V[3 * i] + d[1] * V[3 * i + 1] + d[2] * V[3 * i + 2];
  // A triangle without area bounds nothing.
  offset[f] = Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
  gone[f] = 0;
  return f;
}

function above(f: number): number {
  return normal[3 * f] * w[0] + normal[3 * f + 1] * w[1] + normal[3 * f + 2] * w[2];
}

/** The polytope grows to the point w, which the face sees. False where there is no room, or rounding tore the horizon. */
function expand(seen: number, epsilon: number): boolean {
  horizon = 0;
  let depth = 0;
  stackFace[0] = seen;
  stackEdge[0] = 0;
  stackLeft[0] = 3;
  gone[seen] = 1;
  free[freed++] = seen;
  while (depth >= 0) {
    if (stackLeft[depth] === 0) {
      depth--;
      continue;
    }
    const f = stackFace[depth];
    const e = stackEdge[depth];
    stackEdge[depth] = e === 2 ? 0 : e + 1;
    stackLeft[depth]--;
    const g = across[3 * f + e];
    if (gone[g] === 1) continue;
    const back = across[3 * g] === f ? 0 : across[3 * g + 1] === f ? 1 : 2;
    const at =
      normal[3 * g] * V[3 * corner[3 * g]] +
      normal[3 * g + 1] * V[3 * corner[3 * g] + 1] +
      normal[3 * g + 2] * V[3 * corner[3 * g] + 2];
    if (above(g) - at > epsilon) {
      gone[g] = 1;
      free[freed++] = g;
      depth++;
      stackFace[depth] = g;
      stackEdge[depth] = back === 2 ? 0 : back + 1;
      stackLeft[depth] = 2;
    } else {
      horizonFrom[horizon] = corner[3 * f + e];
      horizonTo[horizon] = corner[3 * f + (e === 2 ? 0 : e + 1)];
      horizonFace[horizon] = g;
      horizon++;
    }
  }
  if (horizon < 3 || faces + horizon > FACES) return false;
  for (let k = 0; k < horizon; k++) if (horizonTo[k] !== horizonFrom[k + 1 === horizon ? 0 : k + 1]) return false;
  const p = keep();
  for (let k = 0; k < horizon; k++) {
    const f = add(horizonFrom[k], horizonTo[k], p);
    fresh[k] = f;
    const g = horizonFace[k];
    across[3 * f] = g;
    const e = corner[3 * g] === horizonTo[k] ? 0 : corner[3 * g + 1] === horizonTo[k] ? 1 : 2;
    across[3 * g + e] = f;
  }
  for (let k = 0; k < horizon; k++) {
    across[3 * fresh[k] + 1] = fresh[k + 1 === horizon ? 0 : k + 1];
    across[3 * fresh[k] + 2] = fresh[k === 0 ? horizon - 1 : k - 1];
  }
  return true;
}
