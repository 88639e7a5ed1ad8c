// How a mechanism is computed: links in an order with parents first, each in a frame that suits its joint.
//
// Three freedoms are used here, so that the algorithms need not know of them:
// - a link frame is turned so that the joint's axis is z (joint types are written for z only);
// - any body of a free-flying mechanism can be the root: joints on the way to the old root are then read backwards
//   ("reversed"), and the link frame of such a body sits at that joint;
// - links are numbered in an order of their own.
// Coordinates stay those of the author, at the author's offsets iq and iv. Where a reversed joint needs other values
// (all but those whose axis can be turned round), mechanism/reroot-map.ts converts them.

import { JOINT_TYPES, type JointType, PARAMETERS } from '../joints/index.js';
import { apply, axisFrame, IDENTITY3, type Mat3, scale, type Vec3 } from '../spatial/matrix3.js';
import { addInertiaToA, compose, INERTIA, invert, setIdentity, TRANSFORM } from '../spatial/spatial.js';
import { MechanismError } from './errors.js';
import { type Body, GROUND, type Joint, type JointKind, type Mechanism } from './mechanism.js';

export interface Tree {
  readonly mechanism: Mechanism;
  /** Body that is the root of the computation; GROUND: the tree is the author's. */
  readonly root: number;
  /** Number of links; link i is a body and the joint through which it is reached. */
  readonly n: number;
  /** Body of each link. */
  readonly body: Int32Array;
  /** Link of each body. */
  readonly link: Int32Array;
  /** Joint of each link (its index in the mechanism). */
  readonly joint: Int32Array;
  /** Parent link, -1 for the ground; parent[i] < i. */
  readonly parent: Int32Array;
  /** Code of the joint's type: its index in JOINT_TYPES. */
  readonly type: Uint8Array;
  /** 1 where the joint is read from child to parent. */
  readonly reversed: Uint8Array;
  /** Offsets of the joint's coordinates in q and v. */
  readonly iq: Int32Array;
  readonly iv: Int32Array;
  /** Degrees of freedom of all links before link i, in link order; n + 1 entries. */
  readonly dof: Int32Array;
  /** Joint placement, n x 12: parent link frame (or ground) to the joint's tree frame. */
  readonly X: Float64Array;
  /** n x 12: body frame to link frame. */
  readonly offset: Float64Array;
  /** Rigid inertia in the link frame, n x 10. */
  readonly inertia: Float64Array;
  /** Joint parameters in the link frame, n x 3. */
  readonly parameters: Float64Array;
  /** Rotor inertia of each degree of freedom, in the order of v. */
  readonly armature: Float64Array;
  /** Gravity in ground coordinates. */
  readonly gravity: Vec3;
}

/** The tree of a mechanism with the given body at its root; GROUND keeps the author's. */
export function createTree(mechanism: Mechanism, root: number = GROUND): Tree {
  const { bodies, joints } = mechanism;
  const n = bodies.length;
  const top = root === GROUND ? GROUND : topOf(mechanism, root);
  const { order, parentBody, via } = traverse(mechanism, root, top);
  const tree = {
    mechanism,
    root: root === top ? GROUND : root,
    n,
    body: new Int32Array(order),
    link: new Int32Array(n),
    joint: new Int32Array(n),
    parent: new Int32Array(n),
    type: new Uint8Array(n),
    reversed: new Uint8Array(n),
    iq: new Int32Array(n),
    iv: new Int32Array(n),
    dof: new Int32Array(n + 1),
    X: new Float64Array(n * TRANSFORM),
    offset: new Float64Array(n * TRANSFORM),
    inertia: new Float64Array(n * INERTIA),
    parameters: new Float64Array(n * PARAMETERS),
    armature: new Float64Array(mechanism.nv),
    gravity: mechanism.gravity,
  };
  const placement = new Float64Array(TRANSFORM);
  const frame = new Float64Array(TRANSFORM);
  const inverse = new Float64Array(TRANSFORM);
  for (let i = 0; i < n; i++) {
    const b = order[i];
    const joint = joints[via[b]];
    const movedBase = tree.root !== GROUND && b === tree.root;
    const reversed = !movedBase && via[b] !== b;
    const p = parentBody[b];
    tree.link[b] = i;
    tree.joint[i] = via[b];
    tree.parent[i] = p === GROUND ? -1 : tree.link[p];
    tree.type[i] = JOINT_TYPES.indexOf(joint.model);
    tree.reversed[i] = reversed ? 1 : 0;
    tree.iq[i] = joint.iq;
    tree.iv[i] = joint.iv;
    tree.dof[i + 1] = tree.dof[i] + joint.model.nv;
    tree.armature.fill(joint.armature, joint.iv, joint.iv + joint.model.nv);
    // The joint's own frame: author's tree frame turned so that its axis is z.
    const canonical = canonicalFrame(joint, reversed);
    setTransform(frame, canonical.E, [0, 0, 0]);
    tree.parameters.set(canonical.parameters, i * PARAMETERS);
    if (movedBase) setIdentity(placement, 0);
    else setTransform(placement, joint.E, joint.t);
    if (reversed) {
      // The parent link carries the author's child frame; the link frame is the author's tree frame.
      compose(tree.X, i * TRANSFORM, frame, 0, identity, 0);
      compose(tree.offset, i * TRANSFORM, frame, 0, placement, 0);
    } else {
      compose(tree.X, i * TRANSFORM, frame, 0, placement, 0);
      compose(tree.offset, i * TRANSFORM, frame, 0, identity, 0);
    }
    if (tree.parent[i] >= 0) {
      invert(inverse, 0, tree.offset, tree.parent[i] * TRANSFORM);
      placement.set(tree.X.subarray(i * TRANSFORM, (i + 1) * TRANSFORM));
      compose(tree.X, i * TRANSFORM, placement, 0, inverse, 0);
    }
    setInertia(tree.inertia, i * INERTIA, bodies[b], tree.offset, i * TRANSFORM);
  }
  return tree;
}

const identity = new Float64Array(TRANSFORM);
setIdentity(identity, 0);

function topOf(mechanism: Mechanism, root: number): number {
  const { joints, bodies } = mechanism;
  let top = root;
  while (joints[top].parent !== GROUND) top = joints[top].parent;
  const joint = joints[top];
  if (top !== root && joint.type !== 'floating')
    throw MechanismError.of(
      'root',
      `body "${bodies[root].name}"`,
      `It cannot be the root: "${bodies[top].name}" is tied to the ground by a ${joint.type} joint, not a floating one.`,
    );
  const bound = boundByArmature(mechanism, root);
  if (bound !== undefined)
    throw MechanismError.of(
      'root',
      `joint "${bound.name}"`,
      `A ${bound.type} joint with armature cannot be read from its other side.`,
    );
  return top;
}

/**
 * The joint whose armature keeps a body from being the root; undefined where there is none. Armature belongs to the author's
 * velocities: those of a planar or floating joint read backwards are others, each made of several.
 */
export function boundByArmature({ joints }: Mechanism, root: number): Joint | undefined {
  if (joints[root].parent === GROUND) return undefined;
  for (let b = root; b !== GROUND; b = joints[b].parent)
    if (joints[b].armature !== 0 && (joints[b].type === 'planar' || joints[b].type === 'floating')) return joints[b];
  return undefined;
}

/** Bodies with parents first, the parent of each, and the joint through which it is reached. */
function traverse(mechanism: Mechanism, root: number, top: number) {
  const { joints } = mechanism;
  const n = joints.length;
  const parentBody = Int32Array.from(joints, (joint) => joint.parent);
  const via = Int32Array.from(joints, (_, i) => i);
  // Turn the path from the root up to the old top round; the freed floating joint of the top now carries the root.
  if (root !== top) {
    for (let below = root, b: number = joints[root].parent; b !== GROUND; ) {
      const above = joints[b].parent;
      parentBody[b] = below;
      via[b] = below;
      below = b;
      b = above;
    }
    parentBody[root] = GROUND;
    via[root] = top;
  }
  if (root === top && parentBody.every((p, i) => p < i)) return { order: Array.from(via), parentBody, via };
  // Depth first, children in the author's order.
  const firstChild = new Int32Array(n + 1).fill(-1);
  const sibling = new Int32Array(n).fill(-1);
  for (let b = n - 1; b >= 0; b--) {
    const p = parentBody[b] === GROUND ? n : parentBody[b];
    sibling[b] = firstChild[p];
    firstChild[p] = b;
  }
  const order: number[] = [];
  const stack: number[] = [];
  for (let b = firstChild[n]; b !== -1 || stack.length > 0; ) {
    if (b === -1) {
      b = sibling[stack.pop()!];
      continue;
    }
    order.push(b);
    stack.push(b);
    b = firstChild[b];
  }
  return { order, parentBody, via };
}

/** The turn E that makes the joint's axis z, and the joint's parameters after it. */
export function canonicalFrame(
  joint: JointKind & { readonly model: JointType },
  reversed: boolean,
): { E: Mat3; parameters: Vec3 } {
  const { model, axis, axis2, pitch } = joint;
  if (model.axes === 0) return { E: IDENTITY3, parameters: [0, 1, 0] };
  if (model.axes === 2) {
    // Read backwards: about the second axis first, both turned round.
    const [first, second] = reversed ? [scale(-1, axis2), scale(-1, axis)] : [axis, axis2];
    const E = axisFrame(first);
    return { E, parameters: apply(E, second) };
  }
  if (model.reverse !== undefined) return { E: axisFrame(axis), parameters: [0, 1, 0] };
  // Against a coordinate axis is along it in the other sense: the frame then needs no general rotation.
  const against = axis[0] + axis[1] + axis[2] === -1 && axis.filter((component) => component === 0).length === 2;
  const E = axisFrame(against ? scale(-1, axis) : axis);
  return { E, parameters: [pitch, against === reversed ? 1 : -1, 0] };
}

function setTransform(X: Float64Array, E: Mat3, t: Vec3): void {
  X.set(E, 0);
  X.set(t, 9);
}

const atCom = new Float64Array(INERTIA);
const toBody = new Float64Array(TRANSFORM);
const toCom = new Float64Array(TRANSFORM);
const linkToCom = new Float64Array(TRANSFORM);

/** Rigid inertia of a body seen from its link frame. */
function setInertia(out: Float64Array, o: number, body: Body, offset: Float64Array, ox: number): void {
  const { mass, com, inertia: I } = body;
  atCom[0] = mass;
  atCom[4] = I[0];
  atCom[5] = I[1];
  atCom[6] = I[2];
  atCom[7] = I[4];
  atCom[8] = I[5];
  atCom[9] = I[8];
  invert(toBody, 0, offset, ox);
  setTransform(toCom, IDENTITY3, com);
  compose(linkToCom, 0, toCom, 0, toBody, 0);
  addInertiaToA(out, o, linkToCom, 0, atCom, 0);
}
