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

/** Rotation about z: q is the angle. */
export const revolute: JointType = {
  name: 'revolute',
  nq: 1,
  nv: 1,
  axes: 1,
  neutral: neutralZero(1),
  transform: (X, o, q, iq, p, ip) => {
    screw[0] = p[ip + SENSE] * q[iq];
    screw[1] = 0;
    setScrew(X, o);
  },
  motionSpace: (S, o, _q, _iq, p, ip) => {
    setZero(S, o, 6);
    S[o + 2] = p[ip + SENSE];
  },
  bias: noBias,
  integrate: integratePlain(1),
  difference: differencePlain(1),
  localRate: localRatePlain(1),
};

/** A revolute joint that turns without end: it has no limits, and is otherwise the same. */
export const continuous: JointType = { ...revolute, name: 'continuous' };
