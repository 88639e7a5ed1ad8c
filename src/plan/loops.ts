// Loop joints as plain data: which links they connect, where, and which forces they can transmit.

import type { JointTypeName } from '../joints/index.js';
import { GROUND, type LoopFrame, type LoopJoint } from '../mechanism/mechanism.js';
import { apply, axisFrame, IDENTITY3, type Mat3 } from '../spatial/matrix3.js';
import { compose, TRANSFORM } from '../spatial/spatial.js';
import type { BodyPlace } from './plan.js';

export interface PlanLoop {
  readonly type: JointTypeName;
  /** Links, -1 for the ground. */
  readonly a: number;
  readonly b: number;
  /** Link frame to loop frame, 12 numbers each; the axis of the joint is z. */
  readonly Xa: readonly number[];
  readonly Xb: readonly number[];
  /** Second axis of a universal joint, frame b. */
  readonly axis2: readonly [number, number, number];
  readonly pitch: number;
  /** Constraints: six less the freedoms of the joint. */
  readonly k: number;
}

/** Components of the forces (moments 0 to 2, forces 3 to 5, frame b) that a joint can transmit, each by itself. */
const TRANSMITTED = new Map<JointTypeName, readonly number[]>([
  ['fixed', [0, 1, 2, 3, 4, 5]],
  ['revolute', [0, 1, 3, 4, 5]],
  ['continuous', [0, 1, 3, 4, 5]],
  ['prismatic', [0, 1, 2, 3, 4]],
  ['helical', [0, 1, 3, 4]],
  ['cylindrical', [0, 1, 3, 4]],
  ['universal', [3, 4, 5]],
  ['planar', [0, 1, 5]],
  ['spherical', [3, 4, 5]],
  ['floating', []],
]);

export const transmitted = (type: JointTypeName): readonly number[] => TRANSMITTED.get(type)!;

/** Constraints that a loop joint imposes: six less its freedoms. */
export function constraintCount({ type }: Pick<LoopJoint, 'type'>): number {
  return transmitted(type).length + (type === 'helical' || type === 'universal' ? 1 : 0);
}

/** The turn that makes z the axis of a loop joint. */
export function canonicalTurn({ type, axis }: LoopJoint): Mat3 {
  return type !== 'fixed' && type !== 'spherical' && type !== 'floating' ? axisFrame(axis) : IDENTITY3;
}

/** The loop joints between the links of a plan. */
export function planLoops(loops: readonly LoopJoint[], bodies: readonly BodyPlace[]): PlanLoop[] {
  return loops.map((joint): PlanLoop => {
    const turn = canonicalTurn(joint);
    const frame = ({ body, E, t }: LoopFrame): { link: number; X: number[] } => {
      const X = new Float64Array(TRANSFORM);
      compose(X, 0, new Float64Array([...turn, 0, 0, 0]), 0, new Float64Array([...E, ...t]), 0);
      if (body === GROUND) return { link: -1, X: Array.from(X) };
      const whole = new Float64Array(TRANSFORM);
      compose(whole, 0, X, 0, Float64Array.from(bodies[body].X), 0);
      return { link: bodies[body].link, X: Array.from(whole) };
    };
    const [a, b] = [frame(joint.a), frame(joint.b)];
    const [x, y, z] = apply(turn, joint.axis2);
    return {
      type: joint.type,
      a: a.link,
      b: b.link,
      Xa: a.X,
      Xb: b.X,
      axis2: [x, y, z],
      pitch: joint.pitch,
      k: constraintCount(joint),
    };
  });
}

/** For each constraint of each loop of a plan in other units: by what it is multiplied to make it metres or radians. */
export function rowUnits({
  loops,
  length,
}: {
  readonly loops: readonly PlanLoop[];
  readonly length: number;
}): number[][] {
  return loops.map(({ type, pitch }) => {
    const units = transmitted(type).map((component) => (component < 3 ? 1 : length));
    // Rows of helical joints are of length 1 in either unit.
    if (type === 'helical') units.push((length * Math.hypot(1, pitch)) / Math.hypot(1, pitch * length));
    if (type === 'universal') units.push(1);
    return units;
  });
}
