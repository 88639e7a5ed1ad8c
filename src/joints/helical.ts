import { setZero } from '../spatial/spatial.js';
import {
  differencePlain,
  integratePlain,
  type JointType,
  localRatePlain,
  neutralZero,
  noBias,
  PITCH,
  SENSE,
  screw,
  setScrew,
} from './joint-type.js';

/** Screw about z: q is the angle, and the child advances by the pitch (metres per radian) times q. */
export const helical: JointType = {
  name: 'helical',
  nq: 1,
  nv: 1,
  axes: 1,
  neutral: neutralZero(1),
  transform: (X, o, q, iq, p, ip) => {
    const angle = p[ip + SENSE] * q[iq];
    screw[0] = angle;
    screw[1] = p[ip + PITCH] * angle;
    setScrew(X, o);
  },
  motionSpace: (S, o, _q, _iq, p, ip) => {
    setZero(S, o, 6);
    S[o + 2] = p[ip + SENSE];
    S[o + 5] = p[ip + SENSE] * p[ip + PITCH];
  },
  bias: noBias,
  integrate: integratePlain(1),
  difference: differencePlain(1),
  localRate: localRatePlain(1),
};
