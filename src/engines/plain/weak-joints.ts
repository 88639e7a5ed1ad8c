// Which mechanisms can come into states where the inertia felt by a joint is singular. Generated code divides by what is there:
// a point mass on a ball joint, off the axes, leaves a pivot that is not zero but rounding, and the result is finite and wrong.
// The plain engine compares every pivot with what it was before elimination (SINGULAR), which takes time; so generated code runs
// mechanisms in which that cannot happen, and this says which they are.
//
// The articulated inertia is at least the inertia of the link itself, together with what is welded to it. So where that alone
// resists every motion of the joint, so does the mechanism, in every state.

import { JOINT_TYPES, PARAMETERS } from '../../joints/index.js';
import { GROUND } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import type { Tree } from '../../mechanism/tree.js';
import { aba, createAba } from '../../reference/aba.js';
import { addInertiaToA, dot6, INERTIA, inertiaTimes, TRANSFORM } from '../../spatial/spatial.js';

/** A link that resists by less than this part of its inertia about other axes does not count as resisting. */
const WEAK = 1e-10;

/**
 * Why generated code should not run this mechanism; undefined where it may. Joints of several axes must be safe in every state;
 * for those of one axis, as of massless links between two hinges, two random states are tried.
 */
export function weakJoint(tree: Tree): string | undefined {
  const weak = weakLinks(tree);
  const severalAxes = weak.find((i) => JOINT_TYPES[tree.type[i]].nv > 1);
  if (severalAxes !== undefined)
    return `the link of joint "${tree.mechanism.joints[tree.joint[severalAxes]].name}" has no inertia about some of its axes, so that the mass matrix may become singular.`;
  if (weak.length === 0) return undefined;
  const singular = [1, 2].map((seed) => singularAt(tree, seed)).find((joint) => joint !== undefined);
  return singular === undefined ? undefined : `the inertia felt by joint "${singular}" is not positive.`;
}

/** Links whose joints can move without moving any mass of the link itself. */
function weakLinks(tree: Tree): number[] {
  const { n, type, parent, X, parameters, armature, iv, mechanism } = tree;
  const inertia = tree.inertia.slice();
  const columns = new Float64Array(36);
  const momentum = new Float64Array(6);
  const neutral = new State(mechanism);
  const weak: number[] = [];
  for (let i = n - 1; i >= 0; i--) {
    const model = JOINT_TYPES[type[i]];
    if (model.nv === 0) {
      if (parent[i] !== GROUND) addInertiaToA(inertia, INERTIA * parent[i], X, TRANSFORM * i, inertia, INERTIA * i);
      continue;
    }
    // The second axis of a universal joint turns with the first: any axis has to do.
    let nv: number = model.nv;
    if (model.name === 'universal') {
      nv = 3;
      columns.fill(0);
      for (let k = 0; k < 3; k++) columns[7 * k] = 1;
    } else model.motionSpace(columns, 0, neutral.q, tree.iq[i], parameters, PARAMETERS * i);
    const D = new Float64Array(nv * nv);
    for (let k = 0; k < nv; k++) {
      inertiaTimes(momentum, 0, inertia, INERTIA * i, columns, 6 * k);
      for (let l = 0; l < nv; l++) D[nv * k + l] = dot6(columns, 6 * l, momentum, 0);
      if (model.name !== 'universal') D[nv * k + k] += armature[iv[i] + k];
    }
    // What is turned about one axis is weak beside what resists about the others.
    const [, , , , xx, , , yy, , zz] = inertia.subarray(INERTIA * i, INERTIA * (i + 1));
    if (!resists(D, nv, nv === 1 && model.name !== 'prismatic' ? WEAK * (xx + yy + zz) : 0)) weak.push(i);
  }
  return weak;
}

/** Whether no pivot of A (destroyed) is small, by elimination. */
function resists(A: Float64Array, n: number, least: number): boolean {
  for (let k = 0; k < n; k++) {
    const before = A[n * k + k];
    for (let j = 0; j < k; j++) A[n * k + k] -= A[n * k + j] ** 2;
    const pivot = A[n * k + k];
    if (!(pivot > WEAK * before && pivot > least)) return false;
    A[n * k + k] = Math.sqrt(pivot);
    for (let i = k + 1; i < n; i++) {
      for (let j = 0; j < k; j++) A[n * i + k] -= A[n * i + j] * A[n * k + j];
      A[n * i + k] /= A[n * k + k];
    }
  }
  return true;
}

function singularAt(tree: Tree, seed: number): string | undefined {
  const { mechanism } = tree;
  const { q, v } = State.random(mechanism, seed);
  const zero = new Float64Array(mechanism.nv);
  const link = aba(tree, createAba(tree), zero.slice(), q, v, zero, null);
  return link < 0 ? undefined : mechanism.joints[tree.joint[link]].name;
}
