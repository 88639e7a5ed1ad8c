// Spatial (six-dimensional) algebra on Float64Array with offsets. Angular components first, then linear.
//
// A transform X = rot(E) trn(r) ([001] eq. 2) takes 12 numbers: E (row major) maps A to B coordinates, r is the origin of B in A
// coordinates. A rigid-body inertia takes 10: mass, first moment h = m c, and the rotational inertia about the frame's
// origin as xx, xy, xz, yy, yz, zz. Output comes first; an output may not overlap an input unless said otherwise.

/** Numbers in a transform. */
export const TRANSFORM = 12;
/** Offset of r in a transform. */
export const ORIGIN = 9;
/** Numbers in a rigid-body inertia. */
export const INERTIA = 10;

/** Writes n zeros, few: `fill` is a call out of the code at hand, and takes as long as some thirty of them. */
export function setZero(out: Float64Array, o: number, n: number): void {
  for (let k = o; k < o + n; k++) out[k] = 0;
}

export function setIdentity(X: Float64Array, o: number): void {
  X.fill(0, o, o + TRANSFORM);
  X[o] = X[o + 4] = X[o + 8] = 1;
}

/** out = X2 X1, where X1: A to B and X2: B to C. E = E2 E1, r = r1 + E1^T r2. */
export function compose(
  out: Float64Array,
  o: number,
  X2: Float64Array,
  o2: number,
  X1: Float64Array,
  o1: number,
): void {
  for (let i = 0; i < 3; i++) {
    const a = X2[o2 + 3 * i];
    const b = X2[o2 + 3 * i + 1];
    const c = X2[o2 + 3 * i + 2];
    for (let j = 0; j < 3; j++) out[o + 3 * i + j] = a * X1[o1 + j] + b * X1[o1 + 3 + j] + c * X1[o1 + 6 + j];
  }
  const x = X2[o2 + 9];
  const y = X2[o2 + 10];
  const z = X2[o2 + 11];
  for (let j = 0; j < 3; j++)
    out[o + 9 + j] = X1[o1 + 9 + j] + X1[o1 + j] * x + X1[o1 + 3 + j] * y + X1[o1 + 6 + j] * z;
}

/** out = X^-1: E^T, -E r. */
export function invert(out: Float64Array, o: number, X: Float64Array, ox: number): void {
  const x = X[ox + 9];
  const y = X[ox + 10];
  const z = X[ox + 11];
  for (let i = 0; i < 3; i++) {
    const a = X[ox + 3 * i];
    const b = X[ox + 3 * i + 1];
    const c = X[ox + 3 * i + 2];
    out[o + i] = a;
    out[o + 3 + i] = b;
    out[o + 6 + i] = c;
    out[o + 9 + i] = -(a * x + b * y + c * z);
  }
}

/** Rotates a 3-vector: out = E x. */
export function rotate(out: Float64Array, o: number, E: Float64Array, oe: number, x: Float64Array, ox: number): void {
  const a = x[ox];
  const b = x[ox + 1];
  const c = x[ox + 2];
  out[o] = E[oe] * a + E[oe + 1] * b + E[oe + 2] * c;
  out[o + 1] = E[oe + 3] * a + E[oe + 4] * b + E[oe + 5] * c;
  out[o + 2] = E[oe + 6] * a + E[oe + 7] * b + E[oe + 8] * c;
}

/** Rotates a 3-vector back: out = E^T x. */
export function rotateBack(
  out: Float64Array,
  o: number,
  E: Float64Array,
  oe: number,
  x: Float64Array,
  ox: number,
): void {
  const a = x[ox];
  const b = x[ox + 1];
  const c = x[ox + 2];
  out[o] = E[oe] * a + E[oe + 3] * b + E[oe + 6] * c;
  out[o + 1] = E[oe + 1] * a + E[oe + 4] * b + E[oe + 7] * c;
  out[o + 2] = E[oe + 2] * a + E[oe + 5] * b + E[oe + 8] * c;
}

/** Motion vector from A to B: out = X m = [E w, E (v - r x w)]. May work in place. */
export function motionToB(
  out: Float64Array,
  o: number,
  X: Float64Array,
  ox: number,
  m: Float64Array,
  om: number,
): void {
  const wx = m[om];
  const wy = m[om + 1];
  const wz = m[om + 2];
  const rx = X[ox + 9];
  const ry = X[ox + 10];
  const rz = X[ox + 11];
  const vx = m[om + 3] - (ry * wz - rz * wy);
  const vy = m[om + 4] - (rz * wx - rx * wz);
  const vz = m[om + 5] - (rx * wy - ry * wx);
  for (let i = 0; i < 3; i++) {
    const a = X[ox + 3 * i];
    const b = X[ox + 3 * i + 1];
    const c = X[ox + 3 * i + 2];
    out[o + i] = a * wx + b * wy + c * wz;
    out[o + 3 + i] = a * vx + b * vy + c * vz;
  }
}

/** Motion vector from B to A: out = X^-1 m = [E^T w, E^T v + r x E^T w]. May work in place. */
export function motionToA(
  out: Float64Array,
  o: number,
  X: Float64Array,
  ox: number,
  m: Float64Array,
  om: number,
): void {
  const ux = m[om];
  const uy = m[om + 1];
  const uz = m[om + 2];
  const lx = m[om + 3];
  const ly = m[om + 4];
  const lz = m[om + 5];
  const wx = X[ox] * ux + X[ox + 3] * uy + X[ox + 6] * uz;
  const wy = X[ox + 1] * ux + X[ox + 4] * uy + X[ox + 7] * uz;
  const wz = X[ox + 2] * ux + X[ox + 5] * uy + X[ox + 8] * uz;
  const rx = X[ox + 9];
  const ry = X[ox + 10];
  const rz = X[ox + 11];
  out[o] = wx;
  out[o + 1] = wy;
  out[o + 2] = wz;
  out[o + 3] = X[ox] * lx + X[ox + 3] * ly + X[ox + 6] * lz + (ry * wz - rz * wy);
  out[o + 4] = X[ox + 1] * lx + X[ox + 4] * ly + X[ox + 7] * lz + (rz * wx - rx * wz);
  out[o + 5] = X[ox + 2] * lx + X[ox + 5] * ly + X[ox + 8] * lz + (rx * wy - ry * wx);
}

/** Force vector from B to A: out = X^T f = [E^T n + r x E^T f, E^T f]. May work in place. */
export function forceToA(out: Float64Array, o: number, X: Float64Array, ox: number, f: Float64Array, of: number): void {
  const nx = f[of];
  const ny = f[of + 1];
  const nz = f[of + 2];
  const lx = f[of + 3];
  const ly = f[of + 4];
  const lz = f[of + 5];
  const fx = X[ox] * lx + X[ox + 3] * ly + X[ox + 6] * lz;
  const fy = X[ox + 1] * lx + X[ox + 4] * ly + X[ox + 7] * lz;
  const fz = X[ox + 2] * lx + X[ox + 5] * ly + X[ox + 8] * lz;
  const rx = X[ox + 9];
  const ry = X[ox + 10];
  const rz = X[ox + 11];
  out[o] = X[ox] * nx + X[ox + 3] * ny + X[ox + 6] * nz + (ry * fz - rz * fy);
  out[o + 1] = X[ox + 1] * nx + X[ox + 4] * ny + X[ox + 7] * nz + (rz * fx - rx * fz);
  out[o + 2] = X[ox + 2] * nx + X[ox + 5] * ny + X[ox + 8] * nz + (rx * fy - ry * fx);
  out[o + 3] = fx;
  out[o + 4] = fy;
  out[o + 5] = fz;
}

/** Force vector from A to B: out = X* f = X^-T f ([001] eq. 1) = [E (n - r x f), E f]. May work in place. */
export function forceToB(out: Float64Array, o: number, X: Float64Array, ox: number, f: Float64Array, of: number): void {
  const fx = f[of + 3];
  const fy = f[of + 4];
  const fz = f[of + 5];
  const rx = X[ox + 9];
  const ry = X[ox + 10];
  const rz = X[ox + 11];
  const nx = f[of] - (ry * fz - rz * fy);
  const ny = f[of + 1] - (rz * fx - rx * fz);
  const nz = f[of + 2] - (rx * fy - ry * fx);
  for (let i = 0; i < 3; i++) {
    const a = X[ox + 3 * i];
    const b = X[ox + 3 * i + 1];
    const c = X[ox + 3 * i + 2];
    out[o + i] = a * nx + b * ny + c * nz;
    out[o + 3 + i] = a * fx + b * fy + c * fz;
  }
}

/** Adds the motion cross product: out += v x m. */
export function addCrossMotion(
  out: Float64Array,
  o: number,
  v: Float64Array,
  ov: number,
  m: Float64Array,
  om: number,
): void {
  const wx = v[ov];
  const wy = v[ov + 1];
  const wz = v[ov + 2];
  const vx = v[ov + 3];
  const vy = v[ov + 4];
  const vz = v[ov + 5];
  const ax = m[om];
  const ay = m[om + 1];
  const az = m[om + 2];
  const lx = m[om + 3];
  const ly = m[om + 4];
  const lz = m[om + 5];
  out[o] += wy * az - wz * ay;
  out[o + 1] += wz * ax - wx * az;
  out[o + 2] += wx * ay - wy * ax;
  out[o + 3] += wy * lz - wz * ly + vy * az - vz * ay;
  out[o + 4] += wz * lx - wx * lz + vz * ax - vx * az;
  out[o + 5] += wx * ly - wy * lx + vx * ay - vy * ax;
}

/** Adds the force cross product: out += v x* f. */
export function addCrossForce(
  out: Float64Array,
  o: number,
  v: Float64Array,
  ov: number,
  f: Float64Array,
  of: number,
): void {
  const wx = v[ov];
  const wy = v[ov + 1];
  const wz = v[ov + 2];
  const vx = v[ov + 3];
  const vy = v[ov + 4];
  const vz = v[ov + 5];
  const nx = f[of];
  const ny = f[of + 1];
  const nz = f[of + 2];
  const fx = f[of + 3];
  const fy = f[of + 4];
  const fz = f[of + 5];
  out[o] += wy * nz - wz * ny + vy * fz - vz * fy;
  out[o + 1] += wz * nx - wx * nz + vz * fx - vx * fz;
  out[o + 2] += wx * ny - wy * nx + vx * fy - vy * fx;
  out[o + 3] += wy * fz - wz * fy;
  out[o + 4] += wz * fx - wx * fz;
  out[o + 5] += wx * fy - wy * fx;
}

/** Momentum or force of a rigid inertia: out = I m = [Io w + h x v, mass v - h x w]. */
export function inertiaTimes(
  out: Float64Array,
  o: number,
  I: Float64Array,
  oi: number,
  m: Float64Array,
  om: number,
): void {
  const mass = I[oi];
  const hx = I[oi + 1];
  const hy = I[oi + 2];
  const hz = I[oi + 3];
  const wx = m[om];
  const wy = m[om + 1];
  const wz = m[om + 2];
  const vx = m[om + 3];
  const vy = m[om + 4];
  const vz = m[om + 5];
  const xx = I[oi + 4];
  const xy = I[oi + 5];
  const xz = I[oi + 6];
  const yy = I[oi + 7];
  const yz = I[oi + 8];
  const zz = I[oi + 9];
  out[o] = xx * wx + xy * wy + xz * wz + (hy * vz - hz * vy);
  out[o + 1] = xy * wx + yy * wy + yz * wz + (hz * vx - hx * vz);
  out[o + 2] = xz * wx + yz * wy + zz * wz + (hx * vy - hy * vx);
  out[o + 3] = mass * vx - (hy * wz - hz * wy);
  out[o + 4] = mass * vy - (hz * wx - hx * wz);
  out[o + 5] = mass * vz - (hx * wy - hy * wx);
}

/**
 * Adds a rigid inertia given in B to one kept in A: out += X^T I X.
 * h_A = E^T h + m r;  I_A = E^T I E - r x (E^T h) x - h_A x r x   (both "x" as skew matrices).
 */
export function addInertiaToA(
  out: Float64Array,
  o: number,
  X: Float64Array,
  ox: number,
  I: Float64Array,
  oi: number,
): void {
  const mass = I[oi];
  const bx = I[oi + 1];
  const by = I[oi + 2];
  const bz = I[oi + 3];
  const e0 = X[ox];
  const e1 = X[ox + 1];
  const e2 = X[ox + 2];
  const e3 = X[ox + 3];
  const e4 = X[ox + 4];
  const e5 = X[ox + 5];
  const e6 = X[ox + 6];
  const e7 = X[ox + 7];
  const e8 = X[ox + 8];
  const rx = X[ox + 9];
  const ry = X[ox + 10];
  const rz = X[ox + 11];
  const xx = I[oi + 4];
  const xy = I[oi + 5];
  const xz = I[oi + 6];
  const yy = I[oi + 7];
  const yz = I[oi + 8];
  const zz = I[oi + 9];
  // P = I E
  const p0 = xx * e0 + xy * e3 + xz * e6;
  const p1 = xx * e1 + xy * e4 + xz * e7;
  const p2 = xx * e2 + xy * e5 + xz * e8;
  const p3 = xy * e0 + yy * e3 + yz * e6;
  const p4 = xy * e1 + yy * e4 + yz * e7;
  const p5 = xy * e2 + yy * e5 + yz * e8;
  const p6 = xz * e0 + yz * e3 + zz * e6;
  const p7 = xz * e1 + yz * e4 + zz * e7;
  const p8 = xz * e2 + yz * e5 + zz * e8;
  // g = E^T h, h_A = g + m r
  const gx = e0 * bx + e3 * by + e6 * bz;
  const gy = e1 * bx + e4 * by + e7 * bz;
  const gz = e2 * bx + e5 * by + e8 * bz;
  const hx = gx + mass * rx;
  const hy = gy + mass * ry;
  const hz = gz + mass * rz;
  // For vectors a, b: (a x)(b x) = b a^T - (a.b) 1; the two terms are symmetric only in their sum.
  const trace = rx * gx + ry * gy + rz * gz + (hx * rx + hy * ry + hz * rz);
  out[o] += mass;
  out[o + 1] += hx;
  out[o + 2] += hy;
  out[o + 3] += hz;
  out[o + 4] += e0 * p0 + e3 * p3 + e6 * p6 + trace - gx * rx - rx * hx;
  out[o + 5] += e0 * p1 + e3 * p4 + e6 * p7 - gx * ry - rx * hy;
  out[o + 6] += e0 * p2 + e3 * p5 + e6 * p8 - gx * rz - rx * hz;
  out[o + 7] += e1 * p1 + e4 * p4 + e7 * p7 + trace - gy * ry - ry * hy;
  out[o + 8] += e1 * p2 + e4 * p5 + e7 * p8 - gy * rz - ry * hz;
  out[o + 9] += e2 * p2 + e5 * p5 + e8 * p8 + trace - gz * rz - rz * hz;
}

/** Scalar product of a motion and a force vector. */
export function dot6(a: Float64Array, oa: number, b: Float64Array, ob: number): number {
  return (
    a[oa] * b[ob] +
    a[oa + 1] * b[ob + 1] +
    a[oa + 2] * b[ob + 2] +
    a[oa + 3] * b[ob + 3] +
    a[oa + 4] * b[ob + 4] +
    a[oa + 5] * b[ob + 5]
  );
}
