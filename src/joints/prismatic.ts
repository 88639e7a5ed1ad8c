import { setZero } from '../spatial/spatial.js';
import {
  differencePlain,
  integratePlain,
  type JointType,
  localRatePlain,
  neutralZero,
  noBias,
  SENSE,
  screw,
  setScrew,
} from './joint-type.js';

/** Translation along z: q is the distance. */
export const prismatic: JointType = {
  name: 'prismatic',
  nq: 1,
  nv: 1,
  axes: 1,
  neutral: neutralZero(1),
  transform: (X, o, q, iq, p, ip) => {
    screw[0] = 0;
    screw[1] = p[ip + SENSE] * q[iq];
    setScrew(X, o);
  },
  motionSpace: (S, o, _q, _iq, p, ip) => {
    setZero(S, o, 6);
    S[o + 5] = p[ip + SENSE];
  },
  bias: noBias,
  integrate: integratePlain(1),
  difference: differencePlain(1),
  localRate: localRatePlain(1),
};
