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

/** Rotation about z and translation along it, independent: q = [angle, distance]. */
export const cylindrical: JointType = {
  name: 'cylindrical',
  nq: 2,
  nv: 2,
  axes: 1,
  neutral: neutralZero(2),
  transform: (X, o, q, iq, p, ip) => {
    screw[0] = p[ip + SENSE] * q[iq];
    screw[1] = p[ip + SENSE] * q[iq + 1];
    setScrew(X, o);
  },
  motionSpace: (S, o, _q, _iq, p, ip) => {
    setZero(S, o, 12);
    S[o + 2] = p[ip + SENSE];
    S[o + 11] = p[ip + SENSE];
  },
  bias: noBias,
  integrate: integratePlain(2),
  difference: differencePlain(2),
  localRate: localRatePlain(2),
};
