import { setIdentity } from '../spatial/spatial.js';
import { differencePlain, integratePlain, type JointType, localRatePlain, neutralZero, noBias } from './joint-type.js';

/** No motion: the child is part of its parent. */
export const fixed: JointType = {
  name: 'fixed',
  nq: 0,
  nv: 0,
  axes: 0,
  neutral: neutralZero(0),
  transform: (X, o) => setIdentity(X, o),
  motionSpace: () => {},
  bias: noBias,
  integrate: integratePlain(0),
  difference: differencePlain(0),
  localRate: localRatePlain(0),
};
