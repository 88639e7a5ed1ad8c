import { setZero } from '../spatial/spatial.js';
import { sineAndCosine } from '../spatial/trigonometry.js';
import {
  differencePlain,
  integratePlain,
  type JointType,
  localRatePlain,
  neutralZero,
  screw,
  setScrew,
} from './joint-type.js';

/** Sine and cosine of the angle at hand. */
const turn = new Float64Array(2);

/**
 * Motion in the x-y plane: q = [x, y, angle], the position of the child's origin in the tree frame and its rotation
 * about z; v = dq/dt. In child coordinates the first two columns of S turn with the angle.
 */
export const planar: JointType = {
  name: 'planar',
  nq: 3,
  nv: 3,
  axes: 1,
  neutral: neutralZero(3),
  transform: (X, o, q, iq) => {
    screw[0] = q[iq + 2];
    screw[1] = 0;
    setScrew(X, o);
    X[o + 9] = q[iq];
    X[o + 10] = q[iq + 1];
  },
  motionSpace: (S, o, q, iq) => {
    sineAndCosine(turn, q, iq + 2);
    const s = turn[0];
    const c = turn[1];
    setZero(S, o, 18);
    S[o + 3] = c;
    S[o + 4] = -s;
    S[o + 9] = s;
    S[o + 10] = c;
    S[o + 14] = 1;
  },
  bias: (out, o, q, iq, v, iv) => {
    sineAndCosine(turn, q, iq + 2);
    const s = turn[0];
    const c = turn[1];
    const w = v[iv + 2];
    out[o] = out[o + 1] = out[o + 2] = out[o + 5] = 0;
    out[o + 3] = w * (c * v[iv + 1] - s * v[iv]);
    out[o + 4] = -w * (c * v[iv] + s * v[iv + 1]);
  },
  integrate: integratePlain(3),
  difference: differencePlain(3),
  localRate: localRatePlain(3),
  // With primes for the reversed joint: angle' = -angle, [x', y'] = -Rz(angle)^T [x, y], then its time derivatives.
  reverse: {
    swapsAxes: false,
    position: reversedPosition,
    velocity: (vr, ir, q, iq, v, iv) => {
      sineAndCosine(turn, q, iq + 2);
      const s = turn[0];
      const c = turn[1];
      const x = -(c * q[iq] + s * q[iq + 1]);
      const y = s * q[iq] - c * q[iq + 1];
      const vx = v[iv];
      const vy = v[iv + 1];
      const w = v[iv + 2];
      vr[ir] = -(c * vx + s * vy) + w * y;
      vr[ir + 1] = s * vx - c * vy - w * x;
      vr[ir + 2] = -w;
    },
    acceleration: (ar, ir, q, iq, v, iv, a, ia) => {
      sineAndCosine(turn, q, iq + 2);
      const s = turn[0];
      const c = turn[1];
      const x = -(c * q[iq] + s * q[iq + 1]);
      const y = s * q[iq] - c * q[iq + 1];
      const w = v[iv + 2];
      const vx = -(c * v[iv] + s * v[iv + 1]) + w * y;
      const vy = s * v[iv] - c * v[iv + 1] - w * x;
      const ax = a[ia];
      const ay = a[ia + 1];
      const aw = a[ia + 2];
      ar[ir] = -(c * ax + s * ay) + aw * y + 2 * w * vy + w * w * x;
      ar[ir + 1] = s * ax - c * ay - aw * x - 2 * w * vx + w * w * y;
      ar[ir + 2] = -aw;
    },
    force: (f, of, q, iq, fr, ir) => {
      sineAndCosine(turn, q, iq + 2);
      const s = turn[0];
      const c = turn[1];
      const x = -(c * q[iq] + s * q[iq + 1]);
      const y = s * q[iq] - c * q[iq + 1];
      const fx = fr[ir];
      const fy = fr[ir + 1];
      const n = fr[ir + 2];
      f[of] = -c * fx + s * fy;
      f[of + 1] = -s * fx - c * fy;
      f[of + 2] = y * fx - x * fy - n;
    },
  },
};

function reversedPosition(qr: Float64Array, ir: number, q: Float64Array, iq: number): void {
  sineAndCosine(turn, q, iq + 2);
  const s = turn[0];
  const c = turn[1];
  const x = q[iq];
  const y = q[iq + 1];
  qr[ir + 2] = -q[iq + 2];
  qr[ir] = -(c * x + s * y);
  qr[ir + 1] = s * x - c * y;
}
