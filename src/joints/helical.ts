import {
  differencePlain,
  integratePlain,
  type JointType,
  localRatePlain,
  neutralZero,
  noBias,
  setScrew,
} from './joint-type.js';

/** Screw about z: q is the angle, and the child advances by the pitch p[0] (metres per radian) times q. */
export const helical: JointType = {
  name: 'helical',
  nq: 1,
  nv: 1,
  axes: 1,
  neutral: neutralZero(1),
  transform: (X, o, q, iq, p, ip) => setScrew(X, o, q[iq], p[ip] * q[iq]),
  motionSpace: (S, o, _q, _iq, p, ip) => {
    S.fill(0, o, o + 6);
    S[o + 2] = 1;
    S[o + 5] = p[ip];
  },
  bias: noBias,
  integrate: integratePlain(1),
  difference: differencePlain(1),
  localRate: localRatePlain(1),
};
