import { forceToB, motionToA, setZero, TRANSFORM } from '../spatial/spatial.js';
import { cosine, sine } from '../spatial/trigonometry.js';
import { type JointType, noBias } from './joint-type.js';
import { quaternionDifference, rotateQuaternion, setRotation } from './quaternion.js';

const X = new Float64Array(TRANSFORM);

/**
 * No constraint: q = [w, x, y, z, px, py, pz], the child's orientation and the position of its origin in the tree
 * frame; v = [angular, linear], the relative spatial velocity at the child's origin in child coordinates.
 */
export const floating: JointType = {
  name: 'floating',
  nq: 7,
  nv: 6,
  axes: 0,
  neutral: (q, iq) => {
    q.fill(0, iq, iq + 7);
    q[iq] = 1;
  },
  transform: setPose,
  motionSpace: (S, o) => {
    setZero(S, o, 36);
    for (let k = 0; k < 6; k++) S[o + 7 * k] = 1;
  },
  bias: noBias,
  // The exponential map of rigid motions: with u = h w, the origin moves by E^T V(u) (h v),
  // V(u) x = x + A u x + B u x (u x), A = (1 - cos|u|) / |u|^2, B = (|u| - sin|u|) / |u|^3.
  integrate: (q, iq, v, iv, h) => {
    const ux = h * v[iv];
    const uy = h * v[iv + 1];
    const uz = h * v[iv + 2];
    const x = h * v[iv + 3];
    const y = h * v[iv + 4];
    const z = h * v[iv + 5];
    const t2 = ux * ux + uy * uy + uz * uz;
    const t = Math.sqrt(t2);
    const half = sine(t / 2);
    const A = t > 1e-4 ? (2 * half * half) / t2 : 0.5 - t2 / 24;
    const B = t > 1e-2 ? (t - sine(t)) / (t2 * t) : 1 / 6 - t2 / 120 + (t2 * t2) / 5040;
    const ax = uy * z - uz * y;
    const ay = uz * x - ux * z;
    const az = ux * y - uy * x;
    const dx = x + A * ax + B * (uy * az - uz * ay);
    const dy = y + A * ay + B * (uz * ax - ux * az);
    const dz = z + A * az + B * (ux * ay - uy * ax);
    setRotation(X, 0, q, iq);
    q[iq + 4] += X[0] * dx + X[3] * dy + X[6] * dz;
    q[iq + 5] += X[1] * dx + X[4] * dy + X[7] * dz;
    q[iq + 6] += X[2] * dx + X[5] * dy + X[8] * dz;
    rotateQuaternion(q, iq, v, iv, h);
  },
  // The logarithm: u from the quaternions, and V(u)^-1 x = x - u x x / 2 + C u x (u x x),
  // C = (1 - |u| / (2 tan(|u| / 2))) / |u|^2.
  difference: (v, iv, qa, ia, qb, ib) => {
    quaternionDifference(v, iv, qa, ia, qb, ib);
    const ux = v[iv];
    const uy = v[iv + 1];
    const uz = v[iv + 2];
    setRotation(X, 0, qa, ia);
    const px = qb[ib + 4] - qa[ia + 4];
    const py = qb[ib + 5] - qa[ia + 5];
    const pz = qb[ib + 6] - qa[ia + 6];
    const x = X[0] * px + X[1] * py + X[2] * pz;
    const y = X[3] * px + X[4] * py + X[5] * pz;
    const z = X[6] * px + X[7] * py + X[8] * pz;
    const t2 = ux * ux + uy * uy + uz * uz;
    const t = Math.sqrt(t2);
    const C = t > 1e-2 ? (1 - (t * cosine(t / 2)) / (2 * sine(t / 2))) / t2 : 1 / 12 + t2 / 720 + (t2 * t2) / 30240;
    const ax = uy * z - uz * y;
    const ay = uz * x - ux * z;
    const az = ux * y - uy * x;
    v[iv + 3] = x - ax / 2 + C * (uy * az - uz * ay);
    v[iv + 4] = y - ay / 2 + C * (uz * ax - ux * az);
    v[iv + 5] = z - az / 2 + C * (ux * ay - uy * ax);
  },
  // du/dt = v + u x v / 2 + u x (u x v) / 12, with the spatial cross product.
  localRate: (rate, o, u, ou, v, iv) => {
    const [a, b, c, d, e, f] = [u[ou], u[ou + 1], u[ou + 2], u[ou + 3], u[ou + 4], u[ou + 5]];
    let [wx, wy, wz, x, y, z] = [v[iv], v[iv + 1], v[iv + 2], v[iv + 3], v[iv + 4], v[iv + 5]];
    for (let k = 0; k < 6; k++) rate[o + k] = v[iv + k];
    for (const weight of [1 / 2, 1 / 12]) {
      const nx = b * wz - c * wy;
      const ny = c * wx - a * wz;
      const nz = a * wy - b * wx;
      const lx = b * z - c * y + e * wz - f * wy;
      const ly = c * x - a * z + f * wx - d * wz;
      const lz = a * y - b * x + d * wy - e * wx;
      rate[o] += weight * nx;
      rate[o + 1] += weight * ny;
      rate[o + 2] += weight * nz;
      rate[o + 3] += weight * lx;
      rate[o + 4] += weight * ly;
      rate[o + 5] += weight * lz;
      [wx, wy, wz, x, y, z] = [nx, ny, nz, lx, ly, lz];
    }
  },
  // Read backwards: the inverse pose; motion vectors change sign and go to tree coordinates.
  reverse: {
    swapsAxes: false,
    position: (qr, ir, q, iq) => {
      setPose(X, 0, q, iq);
      const x = X[9];
      const y = X[10];
      const z = X[11];
      qr[ir] = q[iq];
      for (let k = 1; k < 4; k++) qr[ir + k] = -q[iq + k];
      for (let k = 0; k < 3; k++) qr[ir + 4 + k] = -(X[3 * k] * x + X[3 * k + 1] * y + X[3 * k + 2] * z);
    },
    velocity: (vr, ir, q, iq, v, iv) => toTreeNegated(vr, ir, q, iq, v, iv),
    // R = -X^-1 and dR/dt v = -X^-1 (v x v) = 0.
    acceleration: (ar, ir, q, iq, _v, _iv, a, ia) => toTreeNegated(ar, ir, q, iq, a, ia),
    // f = R^T fr = -X^-T fr
    force: (f, of, q, iq, fr, ir) => {
      setPose(X, 0, q, iq);
      forceToB(f, of, X, 0, fr, ir);
      for (let k = 0; k < 6; k++) f[of + k] = -f[of + k];
    },
  },
};

function setPose(out: Float64Array, o: number, q: Float64Array, iq: number): void {
  setRotation(out, o, q, iq);
  out[o + 9] = q[iq + 4];
  out[o + 10] = q[iq + 5];
  out[o + 11] = q[iq + 6];
}

function toTreeNegated(out: Float64Array, o: number, q: Float64Array, iq: number, m: Float64Array, im: number): void {
  setPose(X, 0, q, iq);
  motionToA(out, o, X, 0, m, im);
  for (let k = 0; k < 6; k++) out[o + k] = -out[o + k];
}
