import {
  differencePlain,
  integratePlain,
  type JointType,
  localRatePlain,
  neutralZero,
  noBias,
  setScrew,
} from './joint-type.js';

/** Rotation about z and translation along it, independent: q = [angle, distance]. */
export const cylindrical: JointType = {
  name: 'cylindrical',
  nq: 2,
  nv: 2,
  axes: 1,
  neutral: neutralZero(2),
  transform: (X, o, q, iq) => setScrew(X, o, q[iq], q[iq + 1]),
  motionSpace: (S, o) => {
    S.fill(0, o, o + 12);
    S[o + 2] = 1;
    S[o + 11] = 1;
  },
  bias: noBias,
  integrate: integratePlain(2),
  difference: differencePlain(2),
  localRate: localRatePlain(2),
};
