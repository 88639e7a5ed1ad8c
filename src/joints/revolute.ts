import {
  differencePlain,
  integratePlain,
  type JointType,
  localRatePlain,
  neutralZero,
  noBias,
  SENSE,
  setScrew,
} from './joint-type.js';

/** Rotation about z: q is the angle. */
export const revolute: JointType = {
  name: 'revolute',
  nq: 1,
  nv: 1,
  axes: 1,
  neutral: neutralZero(1),
  transform: (X, o, q, iq, p, ip) => setScrew(X, o, p[ip + SENSE] * q[iq], 0),
  motionSpace: (S, o, _q, _iq, p, ip) => {
    S.fill(0, o, o + 6);
    S[o + 2] = p[ip + SENSE];
  },
  bias: noBias,
  integrate: integratePlain(1),
  difference: differencePlain(1),
  localRate: localRatePlain(1),
};

/** A revolute joint that turns without end: it has no limits, and is otherwise the same. */
export const continuous: JointType = { ...revolute, name: 'continuous' };
