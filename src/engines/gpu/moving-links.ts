// The links of a large mechanism as its kernels see them: what fixed joints hold together is one link, and what they hold
// to the ground is part of it.

import { JOINT_TYPES, type JointTypeName, PARAMETERS } from '../../joints/index.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { Tree } from '../../mechanism/tree.js';
import { addInertiaToA, compose, INERTIA, setIdentity, TRANSFORM } from '../../spatial/spatial.js';

/** Joint types between links. */
export type MovingType = Exclude<JointTypeName, 'fixed' | 'continuous'>;

export interface MovingLinks {
  readonly mechanism: Mechanism;
  readonly n: number;
  /** -1 for the ground; parent[i] < i. */
  readonly parent: Int32Array;
  readonly type: readonly MovingType[];
  /** Joint and first body of each link, by their numbers in the mechanism. */
  readonly joint: Int32Array;
  readonly body: Int32Array;
  readonly iq: Int32Array;
  readonly iv: Int32Array;
  /** Placement of the joint in the parent, n x 12. */
  readonly X: Float64Array;
  /** n x 10. */
  readonly inertia: Float64Array;
  /** Of the joint, n x 3. */
  readonly parameters: Float64Array;
  /** Rotor inertia of the joint's degrees of freedom. */
  readonly armature: Float64Array;
  readonly gravity: readonly number[];
}

export function movingLinks(tree: Tree): MovingLinks {
  const { mechanism } = tree;
  const moving: number[] = [];
  /** Link that each body is part of, and the place of its frame in that (12 numbers). */
  const part = new Int32Array(tree.n).fill(-1);
  const within = new Float64Array(TRANSFORM * tree.n);
  for (let i = 0; i < tree.n; i++) {
    const p = tree.parent[i];
    if (JOINT_TYPES[tree.type[i]].name !== 'fixed') {
      part[i] = moving.length;
      moving.push(i);
      setIdentity(within, TRANSFORM * i);
    } else if (p < 0) within.set(tree.X.subarray(TRANSFORM * i, TRANSFORM * (i + 1)), TRANSFORM * i);
    else {
      part[i] = part[p];
      compose(within, TRANSFORM * i, tree.X, TRANSFORM * i, within, TRANSFORM * p);
    }
  }
  const n = moving.length;
  const pick = (from: Int32Array): Int32Array => Int32Array.from(moving, (i) => from[i]);
  const links = {
    mechanism,
    n,
    parent: Int32Array.from(moving, (i) => (tree.parent[i] < 0 ? -1 : part[tree.parent[i]])),
    type: moving.map((i): MovingType => {
      const { name } = JOINT_TYPES[tree.type[i]];
      return name === 'continuous' ? 'revolute' : (name as MovingType);
    }),
    joint: pick(tree.joint),
    body: pick(tree.body),
    iq: pick(tree.iq),
    iv: pick(tree.iv),
    X: new Float64Array(TRANSFORM * n),
    inertia: new Float64Array(INERTIA * n),
    parameters: new Float64Array(PARAMETERS * n),
    armature: Float64Array.from(moving, (i) => tree.armature[tree.iv[i]]),
    gravity: tree.gravity,
  };
  moving.forEach((i, k) => {
    const p = tree.parent[i];
    if (p < 0) links.X.set(tree.X.subarray(TRANSFORM * i, TRANSFORM * (i + 1)), TRANSFORM * k);
    else compose(links.X, TRANSFORM * k, tree.X, TRANSFORM * i, within, TRANSFORM * p);
    links.parameters.set(tree.parameters.subarray(PARAMETERS * i, PARAMETERS * (i + 1)), PARAMETERS * k);
  });
  for (let i = 0; i < tree.n; i++)
    if (part[i] >= 0) addInertiaToA(links.inertia, INERTIA * part[i], within, TRANSFORM * i, tree.inertia, INERTIA * i);
  return links;
}
