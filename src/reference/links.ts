// The part that most algorithms begin with: transform, motion space and velocity of every joint.

import { JOINT_TYPES, PARAMETERS } from '../joints/index.js';
import type { Tree } from '../mechanism/tree.js';
import { compose, TRANSFORM } from '../spatial/spatial.js';

export interface LinkScratch {
  /** n x 12: parent link frame to link frame. */
  readonly X: Float64Array;
  /** 6 numbers for each degree of freedom in link order: motion spaces, link coordinates. */
  readonly S: Float64Array;
  /** n x 6: velocity across the joint, S v, link coordinates. */
  readonly vJ: Float64Array;
  /** n x 6: (dS/dt) v. */
  readonly cJ: Float64Array;
  /** One joint transform. */
  readonly XJ: Float64Array;
}

export function createLinkScratch(tree: Tree): LinkScratch {
  return {
    X: new Float64Array(tree.n * TRANSFORM),
    S: new Float64Array(tree.dof[tree.n] * 6),
    vJ: new Float64Array(tree.n * 6),
    cJ: new Float64Array(tree.n * 6),
    XJ: new Float64Array(TRANSFORM),
  };
}

/** Writes X and S of every link for the position q. */
export function updatePositions(tree: Tree, scratch: LinkScratch, q: Float64Array): void {
  const { n, type, iq, dof, X: placement, parameters } = tree;
  const { X, S, XJ } = scratch;
  for (let i = 0; i < n; i++) {
    const model = JOINT_TYPES[type[i]];
    model.transform(XJ, 0, q, iq[i], parameters, PARAMETERS * i);
    compose(X, TRANSFORM * i, XJ, 0, placement, TRANSFORM * i);
    model.motionSpace(S, 6 * dof[i], q, iq[i], parameters, PARAMETERS * i);
  }
}

/** Writes vJ and cJ of every link; positions must be up to date. */
export function updateVelocities(tree: Tree, scratch: LinkScratch, q: Float64Array, v: Float64Array): void {
  const { n, type, iq, iv, dof, parameters } = tree;
  const { S, vJ, cJ } = scratch;
  for (let i = 0; i < n; i++) {
    multiplyMotionSpace(vJ, 6 * i, S, dof[i], dof[i + 1], v, iv[i]);
    JOINT_TYPES[type[i]].bias(cJ, 6 * i, q, iq[i], v, iv[i], parameters, PARAMETERS * i);
  }
}

/** out = S x for the degrees of freedom from `first` to `end`. */
export function multiplyMotionSpace(
  out: Float64Array,
  o: number,
  S: Float64Array,
  first: number,
  end: number,
  x: Float64Array,
  ix: number,
): void {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let e = 0;
  let f = 0;
  for (let k = first; k < end; k++) {
    const s = x[ix + k - first];
    a += S[6 * k] * s;
    b += S[6 * k + 1] * s;
    c += S[6 * k + 2] * s;
    d += S[6 * k + 3] * s;
    e += S[6 * k + 4] * s;
    f += S[6 * k + 5] * s;
  }
  out[o] = a;
  out[o + 1] = b;
  out[o + 2] = c;
  out[o + 3] = d;
  out[o + 4] = e;
  out[o + 5] = f;
}
