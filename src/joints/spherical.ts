import { rotateBack, setZero } from '../spatial/spatial.js';
import { type JointType, noBias } from './joint-type.js';
import { quaternionDifference, rotateQuaternion, setRotation } from './quaternion.js';

const rotation = new Float64Array(9);

/** Any rotation: q = unit quaternion [w, x, y, z] of the child in the tree frame, v = angular velocity, child coordinates. */
export const spherical: JointType = {
  name: 'spherical',
  nq: 4,
  nv: 3,
  axes: 0,
  neutral: (q, iq) => {
    q[iq] = 1;
    q[iq + 1] = q[iq + 2] = q[iq + 3] = 0;
  },
  transform: (X, o, q, iq) => {
    setRotation(X, o, q, iq);
    X[o + 9] = X[o + 10] = X[o + 11] = 0;
  },
  motionSpace: (S, o) => {
    setZero(S, o, 18);
    S[o] = S[o + 7] = S[o + 14] = 1;
  },
  bias: noBias,
  integrate: rotateQuaternion,
  difference: quaternionDifference,
  // du/dt = w + u x w / 2 + u x (u x w) / 12: the inverse of the differential of the exponential map.
  localRate: (rate, o, u, ou, v, iv) => {
    const ux = u[ou];
    const uy = u[ou + 1];
    const uz = u[ou + 2];
    const wx = v[iv];
    const wy = v[iv + 1];
    const wz = v[iv + 2];
    const ax = uy * wz - uz * wy;
    const ay = uz * wx - ux * wz;
    const az = ux * wy - uy * wx;
    rate[o] = wx + ax / 2 + (uy * az - uz * ay) / 12;
    rate[o + 1] = wy + ay / 2 + (uz * ax - ux * az) / 12;
    rate[o + 2] = wz + az / 2 + (ux * ay - uy * ax) / 12;
  },
  // Read backwards: the conjugate quaternion; vectors change sign and go to tree coordinates ([001] errata 5 and 6).
  reverse: {
    swapsAxes: false,
    position: (qr, ir, q, iq) => {
      qr[ir] = q[iq];
      qr[ir + 1] = -q[iq + 1];
      qr[ir + 2] = -q[iq + 2];
      qr[ir + 3] = -q[iq + 3];
    },
    velocity: (vr, ir, q, iq, v, iv) => toTreeNegated(vr, ir, q, iq, v, iv),
    acceleration: (ar, ir, q, iq, _v, _iv, a, ia) => toTreeNegated(ar, ir, q, iq, a, ia),
    force: (f, of, q, iq, fr, ir) => {
      // f = R^T fr with R = -E^T, so f = -E fr: to the child coordinates of the joint at q.
      setRotation(rotation, 0, q, iq);
      const [x, y, z] = [fr[ir], fr[ir + 1], fr[ir + 2]];
      for (let k = 0; k < 3; k++)
        f[of + k] = -(rotation[3 * k] * x + rotation[3 * k + 1] * y + rotation[3 * k + 2] * z);
    },
  },
};

function toTreeNegated(out: Float64Array, o: number, q: Float64Array, iq: number, x: Float64Array, ix: number): void {
  setRotation(rotation, 0, q, iq);
  rotateBack(out, o, rotation, 0, x, ix);
  for (let k = 0; k < 3; k++) out[o + k] = -out[o + k];
}
