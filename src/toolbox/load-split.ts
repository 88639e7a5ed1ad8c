// Who carries a figure in a captured motion, by a criterion: the forces of its supports that need the least effort of its joints, or
// are least themselves (constrained-inverse.ts), with supports that fade in and out where they touch and leave.

import { type Dynamics, dynamics } from '../dynamics/dynamics.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Joint, Mechanism } from '../mechanism/mechanism.js';
import type { CarriedFrame, LoadSplit } from '../motion/inverse.js';
import { pointAt, upOf } from '../motion/support.js';
import { movedTo, sumOf, type Wrench } from '../motion/wrench.js';
import { add, apply, cross, dot, type Mat3, norm, scale, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { constrainedInverse, type SupportPoint, TRACE } from './constrained-inverse.js';

/** 'least-effort': of all joints but those that hold the figure to the ground. 'least-norm': of forces and moments. */
export type SplitCriterion = 'least-norm' | 'least-effort';

/** What decides how a load is shared. */
export interface SplitOptions {
  /** 'least-norm' where left out. */
  readonly criterion?: SplitCriterion;
  /**
   * Coefficient of friction: feet only push, at the corners of their soles, within their cones. Where left out they take any
   * force and moment, as hands and seats always do.
   */
  readonly friction?: number;
}

/** Width of a sole as a part of the way from its heel to its toes. */
const SOLE = 0.5;

/** How the supports of a figure share its load, for `inverseOfMotion`. */
export function criterionSplit(mechanism: Mechanism, options: SplitOptions = {}): LoadSplit {
  const { criterion = 'least-norm', friction } = options;
  if (criterion !== 'least-norm' && criterion !== 'least-effort')
    throw MechanismError.of(
      'option',
      'criterion',
      `There are least-norm and least-effort, not "${String(criterion)}".`,
    );
  const door: Dynamics = dynamics(mechanism, { engine: 'plain' });
  const actuated = motors(mechanism);
  const least = criterion === 'least-effort' ? 'effort' : 'forces';
  return (frame) => {
    const { state, qdd, places, weights } = frame;
    const most = Math.max(...weights);
    const points = places.map(({ foot, point }) =>
      friction === undefined || foot.part !== undefined ? [point] : corners(frame, foot.points.length, foot, point),
    );
    const supports = places.flatMap(({ foot }, s) =>
      points[s].map(
        (point): SupportPoint => ({
          frame: { frame: mechanism.bodies[foot.body].name, at: inBody(frame.pose, foot.body, point) },
          share: shareOf(weights[s] / most, least),
          ...(friction === undefined || foot.part !== undefined ? { kind: 'grip' } : { friction }),
        }),
      ),
    );
    const found = constrainedInverse(door, state, qdd, { supports, actuated, least, nearest: true }).supports;
    let next = 0;
    return points.map((at) =>
      at.reduce((sum: Wrench, point) => sumOf(sum, movedTo(found[next++], point, ZERO3)), {
        force: ZERO3,
        moment: ZERO3,
      }),
    );
  };
}

/**
 * The share of a support for a weight between zero and one, so that its load goes with the weight: a force then costs what it does
 * divided by the weight, beside equal costs of the others.
 */
function shareOf(weight: number, least: 'effort' | 'forces'): number {
  return least === 'forces' ? Math.sqrt(weight) : (1 + (1 / weight - 1) / TRACE) ** (-1 / 6);
}

/** All joints but those that let the figure move freely: the six degrees of freedom from the ground to its first body with mass. */
function motors({ joints, bodies }: Mechanism): string[] {
  const way = new Set<Joint>();
  for (let b = bodies.findIndex(({ mass }) => mass > 0); b >= 0; b = joints[b].parent) way.add(joints[b]);
  const free = [...way].reduce((sum, { model }) => sum + model.nv, 0) === 6;
  return joints.filter((joint) => joint.model.nv > 0 && !(free && way.has(joint))).map(({ name }) => name);
}

/** Of the sole of a foot on the ground, about where it touches: below its heel and its toes, half its width to either side. */
function corners(
  { pose, gravity }: CarriedFrame,
  count: number,
  foot: CarriedFrame['places'][number]['foot'],
  on: Vec3,
): Vec3[] {
  const up = upOf(gravity);
  const below = foot.points.map((point) => {
    const at = pointAt(pose, point);
    return add(at, scale(dot(subtract(on, at), up), up));
  });
  const along = subtract(below[count - 1], below[0]);
  if (!(norm(along) > 0)) return [on];
  const side = scale(SOLE / 2, cross(up, along));
  return below.flatMap((point) => [add(point, side), subtract(point, side)]);
}

function inBody(pose: Float64Array, body: number, point: Vec3): Vec3 {
  const X = TRANSFORM * body;
  const E = Array.from(pose.subarray(X, X + 9)) as unknown as Mat3;
  return apply(E, subtract(point, [pose[X + 9], pose[X + 10], pose[X + 11]]));
}
