// A joint read from the other side, in the author's frames: the former child becomes the parent ([001] section 6.2.2).
//
// With the tree rotation E_T (parent to tree coordinates) and the joint transform X_J the inverted joint is
//   X_J' = rot(E_T^T) X_J^-1 rot(E_T):
// its tree frame is fixed in the former child and has, at the neutral position, the orientation of the former parent, as
// the body frame of the former parent keeps it. So axes become E_T^T a and coordinates -q (errata 001-4); rotations and
// vectors are turned by E_T^T as well (errata 001-5, 001-6).

import type { JointType } from '../joints/index.js';
import { apply, axisFrame, type Mat3, multiply, transpose, type Vec3 } from '../spatial/matrix3.js';
import { MechanismError } from './errors.js';
import type { Joint, JointKind, JointLimits } from './mechanism.js';

/** The joint seen from the other side: it hangs from its former child, with its tree frame at t there. */
export function invertedJoint(joint: Joint, parent: number, t: Vec3, iq: number, iv: number): Joint {
  const { model, axis, axis2, rest, E } = joint;
  const back = transpose(E);
  const turned = model.axes === 0 ? axis : turnedAxis(back, axis);
  const turned2 = model.axes === 2 ? turnedAxis(back, axis2) : axis2;
  // All fields one by one: an object spread would cost more than everything else here.
  return {
    name: joint.name,
    parent,
    model,
    type: joint.type,
    // A universal joint turns about its second axis first.
    axis: model.axes === 2 ? turned2 : turned,
    axis2: model.axes === 2 ? turned : turned2,
    pitch: joint.pitch,
    E: back,
    t,
    iq,
    iv,
    damping: joint.damping,
    friction: joint.friction,
    armature: joint.armature,
    stiffness: joint.stiffness,
    rest: rest === 0 ? 0 : -rest,
    limits: invertedLimits(model, joint.limits),
  };
}

/** What a product of some ten rotations may leave of a zero: 1e-15 was too little for one of 25 000 random trees. */
const ROUNDING = 1e-14;

/**
 * R times an axis, with what is rounding set to zero: an axis along a coordinate axis stays exactly so on the way there and
 * back, and with it the x and y directions of a planar joint, which jump between such an axis and its neighbours.
 */
export function turnedAxis(R: Mat3, axis: Vec3): Vec3 {
  const turned = apply(R, axis);
  const x = Math.abs(turned[0]) < ROUNDING ? 0 : turned[0];
  const y = Math.abs(turned[1]) < ROUNDING ? 0 : turned[1];
  const z = Math.abs(turned[2]) < ROUNDING ? 0 : turned[2];
  if (y === 0 && z === 0) return [Math.sign(x), 0, 0];
  if (x === 0 && z === 0) return [0, Math.sign(y), 0];
  if (x === 0 && y === 0) return [0, 0, Math.sign(z)];
  return [x, y, z];
}

/** Coordinates change sign, so the limits change places; where they do more than that, no such limits remain. */
function invertedLimits(model: JointType, limits: JointLimits): JointLimits {
  if (limits.lower === undefined && limits.upper === undefined) return limits;
  const { lower, upper, ...others } = limits;
  if (changesCoordinates(model)) return others;
  return { ...others, ...(upper !== undefined && { lower: -upper }), ...(lower !== undefined && { upper: -lower }) };
}

function changesCoordinates(model: JointType): boolean {
  return model.reverse !== undefined && !model.reverse.swapsAxes;
}

/** Damping and the like of single coordinates that are no single coordinates of the inverted joint. */
export function refuseUnequal({ name, type, model, damping, friction, armature }: Joint): void {
  if (!changesCoordinates(model)) return;
  // The velocity of a spherical joint is only turned, and damping and armature are the same in all directions.
  const turnedOnly = type === 'spherical';
  const what =
    friction !== 0
      ? 'friction'
      : turnedOnly
        ? undefined
        : damping !== 0
          ? 'damping'
          : armature !== 0
            ? 'armature'
            : undefined;
  if (what === undefined) return;
  throw MechanismError.of(
    'reroot',
    `joint "${name}"`,
    `A ${type} joint with ${what} has no counterpart when read from its other side; set its ${what} to zero first.`,
  );
}

const scratch = new Float64Array(7);

/** q <- position of the inverted joint, at the same place; `a` (qdd), if given, and v likewise. */
export function invertCoordinates(
  kind: JointKind & { readonly model: JointType; readonly E: Mat3 },
  q: Float64Array,
  iq: number,
  v: Float64Array,
  iv: number,
  a: Float64Array | undefined,
): void {
  const { model, E } = kind;
  const { reverse, nq, nv } = model;
  if (reverse === undefined || reverse.swapsAxes) {
    negate(q, iq, nq, model);
    negate(v, iv, nv, model);
    if (a !== undefined) negate(a, iv, nv, model);
    return;
  }
  // In the joint's own frame first; accelerations and velocities are functions of the old position.
  if (a !== undefined) {
    reverse.acceleration(scratch, 0, q, iq, v, iv, a, iv);
    a.set(scratch.subarray(0, nv), iv);
  }
  reverse.velocity(scratch, 0, q, iq, v, iv);
  v.set(scratch.subarray(0, nv), iv);
  reverse.position(scratch, 0, q, iq);
  q.set(scratch.subarray(0, nq), iq);
  const back = model.name === 'planar' ? planeTurn(kind) : transpose(E);
  if (model.name === 'planar') {
    turn(back, q, iq);
    turn(back, v, iv);
    if (a !== undefined) turn(back, a, iv);
    return;
  }
  turn(back, q, iq + 1);
  if (nq === 7) turn(back, q, iq + 4);
  for (let k = 0; k < nv; k += 3) {
    turn(back, v, iv + k);
    if (a !== undefined) turn(back, a, iv + k);
  }
}

/** From the x and y directions of a planar joint to those of the inverted one: a turn about the axis. */
function planeTurn({ axis, E }: { readonly axis: JointKind['axis']; readonly E: Mat3 }): Mat3 {
  const back = transpose(E);
  const turned = axisFrame(turnedAxis(back, axis));
  return multiply(multiply(turned, back), transpose(axisFrame(axis)));
}

/** Changes the sign; of the two coordinates of a universal joint also the order. */
function negate(x: Float64Array, at: number, n: number, { reverse }: JointType): void {
  for (let k = at; k < at + n; k++) x[k] = x[k] === 0 ? 0 : -x[k];
  if (reverse?.swapsAxes === true) x.subarray(at, at + n).reverse();
}

function turn(R: Mat3, x: Float64Array, at: number): void {
  const [a, b, c] = [x[at], x[at + 1], x[at + 2]];
  x[at] = R[0] * a + R[1] * b + R[2] * c;
  x[at + 1] = R[3] * a + R[4] * b + R[5] * c;
  x[at + 2] = R[6] * a + R[7] * b + R[8] * c;
}
