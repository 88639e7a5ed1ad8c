import {
  differencePlain,
  integratePlain,
  type JointType,
  localRatePlain,
  neutralZero,
  noBias,
  setScrew,
} from './joint-type.js';

/** Translation along z: q is the distance. */
export const prismatic: JointType = {
  name: 'prismatic',
  nq: 1,
  nv: 1,
  axes: 1,
  neutral: neutralZero(1),
  transform: (X, o, q, iq) => setScrew(X, o, 0, q[iq]),
  motionSpace: (S, o) => {
    S.fill(0, o, o + 6);
    S[o + 5] = 1;
  },
  bias: noBias,
  integrate: integratePlain(1),
  difference: differencePlain(1),
  localRate: localRatePlain(1),
};
