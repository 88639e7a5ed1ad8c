import { setZero } from '../spatial/spatial.js';
import { sineAndCosine } from '../spatial/trigonometry.js';
import { differencePlain, integratePlain, type JointType, localRatePlain, neutralZero } from './joint-type.js';

/** Sine and cosine of the angle at hand. */
const turn = new Float64Array(2);

/**
 * Two rotations in turn: by q[0] about z, an axis fixed in the tree frame, then by q[1] about u = p[0..2], an axis fixed
 * in the child. Child vectors seen from the tree frame are Rz(q0) Ru(q1) x, so E = Ru(q1)^T Rz(q0)^T.
 */
export const universal: JointType = {
  name: 'universal',
  nq: 2,
  nv: 2,
  axes: 2,
  neutral: neutralZero(2),
  transform: (X, o, q, iq, p, ip) => {
    sineAndCosine(turn, q, iq);
    const s0 = turn[0];
    const c0 = turn[1];
    sineAndCosine(turn, q, iq + 1);
    const s = turn[0];
    const c = turn[1];
    const k = 1 - c;
    const x = p[ip];
    const y = p[ip + 1];
    const z = p[ip + 2];
    // Rows of Ru(q1)^T.
    const a0 = c + k * x * x;
    const a1 = k * x * y + s * z;
    const a2 = k * x * z - s * y;
    const b0 = k * x * y - s * z;
    const b1 = c + k * y * y;
    const b2 = k * y * z + s * x;
    const d0 = k * x * z + s * y;
    const d1 = k * y * z - s * x;
    const d2 = c + k * z * z;
    X[o] = a0 * c0 - a1 * s0;
    X[o + 1] = a0 * s0 + a1 * c0;
    X[o + 2] = a2;
    X[o + 3] = b0 * c0 - b1 * s0;
    X[o + 4] = b0 * s0 + b1 * c0;
    X[o + 5] = b2;
    X[o + 6] = d0 * c0 - d1 * s0;
    X[o + 7] = d0 * s0 + d1 * c0;
    X[o + 8] = d2;
    X[o + 9] = X[o + 10] = X[o + 11] = 0;
  },
  // S = [Ru^T z, u]: the first axis seen from the child turns with q[1].
  motionSpace: (S, o, q, iq, p, ip) => {
    sineAndCosine(turn, q, iq + 1);
    const s = turn[0];
    const c = turn[1];
    const x = p[ip];
    const y = p[ip + 1];
    const z = p[ip + 2];
    setZero(S, o, 12);
    S[o] = (1 - c) * x * z - s * y;
    S[o + 1] = (1 - c) * y * z + s * x;
    S[o + 2] = c + (1 - c) * z * z;
    S[o + 6] = x;
    S[o + 7] = y;
    S[o + 8] = z;
  },
  // d/dt (Ru^T z) v0 = -v1 u x (Ru^T z) v0
  bias: (out, o, q, iq, v, iv, p, ip) => {
    sineAndCosine(turn, q, iq + 1);
    const s = turn[0];
    const c = turn[1];
    const x = p[ip];
    const y = p[ip + 1];
    const z = p[ip + 2];
    const ax = (1 - c) * x * z - s * y;
    const ay = (1 - c) * y * z + s * x;
    const az = c + (1 - c) * z * z;
    const k = -v[iv] * v[iv + 1];
    out[o] = k * (y * az - z * ay);
    out[o + 1] = k * (z * ax - x * az);
    out[o + 2] = k * (x * ay - y * ax);
    out[o + 3] = out[o + 4] = out[o + 5] = 0;
  },
  integrate: integratePlain(2),
  difference: differencePlain(2),
  localRate: localRatePlain(2),
  // Read backwards: first about -u, then about -z, with the coordinates in the other order.
  reverse: {
    swapsAxes: true,
    position: swap,
    velocity: (vr, ir, _q, _iq, v, iv) => swap(vr, ir, v, iv),
    acceleration: (ar, ir, _q, _iq, _v, _iv, a, ia) => swap(ar, ir, a, ia),
    force: (f, of, _q, _iq, fr, ir) => swap(f, of, fr, ir),
  },
};

function swap(out: Float64Array, o: number, x: Float64Array, ix: number): void {
  const first = x[ix];
  out[o] = x[ix + 1];
  out[o + 1] = first;
}
