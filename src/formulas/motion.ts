// The outward pass that forward and inverse dynamics share, and the force a link needs for its motion.
//
//   w     = E w_p + wJ
//   alpha = E alpha_p + (E w_p) x wJ + cJ + S qdd          (angular parts)
//   a     = E (a_p + W_p r) + (2 E w_p + wJ) x vJ + cJ + S qdd   (linear parts), the acceleration of the link's origin
//   W     = [alpha x] + [w x]^2: a point x of the link accelerates with a + W x
//   p     = [h x a + axial(W Sigma), m a + W h]

import type { Node } from './graph.js';
import { alongJoint, type LinkFormulas, motionBias, type Pose } from './joints.js';
import { type NodeMat3, type NodeVec3, SYM, type Vec6, type VectorGraph } from './vectors.js';

export interface LinkMotion {
  readonly w: NodeVec3;
  readonly alpha: NodeVec3;
  /** Acceleration of the origin, less gravity. */
  readonly a: NodeVec3;
  readonly W: NodeMat3;
}

/** At rest but for gravity. */
export function groundMotion(g: VectorGraph, gravity: NodeVec3): LinkMotion {
  const { zero3, zero } = g;
  return { w: zero3, alpha: zero3, a: g.vec((k) => g.neg(gravity[k])), W: new Array<Node>(9).fill(zero) };
}

/** Angular velocity, and the accelerations in two parts: of the parent carried over, and of the joint's own motion. */
export interface OutwardStep {
  readonly w: NodeVec3;
  /** E alpha_p + (E w_p) x wJ + cJ, link coordinates. */
  readonly angular: NodeVec3;
  /** (2 E w_p + wJ) x vJ + cJ, link coordinates. */
  readonly linear: NodeVec3;
  /** a_p + W_p r, parent coordinates. */
  readonly origin: NodeVec3;
}

export function step(g: VectorGraph, link: LinkFormulas, pose: Pose, parent: LinkMotion): OutwardStep {
  const { rotation, r, S } = pose;
  const [wJ, vJ] = alongJoint(g, S, link.v);
  const cJ = motionBias(g, link, pose);
  const carried = rotation.toLink(parent.w);
  const w = g.plus(carried, wJ);
  return {
    w,
    angular: g.plus(g.plus(rotation.toLink(parent.alpha), g.cross(carried, wJ)), [cJ[0], cJ[1], cJ[2]]),
    linear: g.plus(g.cross(g.plus(carried, w), vJ), [cJ[3], cJ[4], cJ[5]]),
    origin: g.plus(parent.a, g.apply(parent.W, r)),
  };
}

/** W = [alpha x] + [w x]^2. */
export function pointAcceleration(g: VectorGraph, w: NodeVec3, alpha: NodeVec3): NodeMat3 {
  const [x, y, z] = w;
  const [xx, yy, zz] = [g.mul(x, x), g.mul(y, y), g.mul(z, z)];
  const [xy, xz, yz] = [g.mul(x, y), g.mul(x, z), g.mul(y, z)];
  return [
    g.neg(g.add(yy, zz)),
    g.sub(xy, alpha[2]),
    g.add(xz, alpha[1]),
    g.add(xy, alpha[2]),
    g.neg(g.add(xx, zz)),
    g.sub(yz, alpha[0]),
    g.sub(xz, alpha[1]),
    g.add(yz, alpha[0]),
    g.neg(g.add(xx, yy)),
  ];
}

/** p = [h x a + axial(W Sigma), m a + W h]: the force that gives the link this motion. */
export function inertialForce(
  g: VectorGraph,
  { mass, h, sigma }: Pick<LinkFormulas, 'mass' | 'h' | 'sigma'>,
  { w, a, W }: LinkMotion,
): Vec6 {
  const square = w.map((x) => g.mul(x, x));
  const atRest = W[1] === W[3] && W[2] === W[6] && W[5] === W[7];
  const moment = g.vec((x) => {
    const y = (x + 1) % 3;
    const z = (x + 2) % 3;
    const s = (i: number, j: number): Node => sigma[SYM[i][j]];
    // axial(W Sigma)_x = (W Sigma)_zy - (W Sigma)_yz
    const crossed = g.sub(g.mul(s(x, y), W[3 * z + x]), g.mul(s(x, z), W[3 * y + x]));
    const direct = atRest
      ? g.mul(g.sub(s(y, y), s(z, z)), W[3 * y + z])
      : g.sub(g.mul(s(y, y), W[3 * z + y]), g.mul(s(z, z), W[3 * y + z]));
    return g.sum(crossed, direct, g.mul(s(y, z), g.sub(square[z], square[y])));
  });
  const n = g.plus(moment, g.cross(h, a));
  const f = g.plus(g.times(mass, a), g.apply(W, h));
  return [...n, ...f];
}
