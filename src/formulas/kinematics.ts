// Where every body is and how it moves, as formulas: one pass outwards.
//
//   E = R E_p,   p = p_p + E_p^T r        pose of a link: ground to link coordinates, origin in ground coordinates
//   w = R w_p + wJ,   v = R (v_p + w_p x r) + vJ        spatial velocity at the link's origin, link coordinates
//
// R, r: rotation and origin of a link in its parent; wJ, vJ: velocity along the joint. A body's frame stands still in its link.

import { inMetres } from '../plan/length-units.js';
import type { BodyPlace, Plan } from '../plan/plan.js';
import { BODY_POSE, BODY_VELOCITY } from '../plan/results.js';
import type { Node } from './graph.js';
import { alongJoint, type Pose, poseNumbers, poseOf } from './joints.js';
import type { Unit } from './lanes.js';
import { RESULT, type UnitFormulas, type UnitOptions, unitFormulas } from './links.js';
import { matrixRotation } from './rotation.js';
import type { Mat3, Vec3, VectorGraph } from './vectors.js';

/** Ground to link: rotation of coordinates, origin in ground coordinates. */
export interface Place {
  readonly E: Mat3;
  readonly p: Vec3;
}

export function groundPlace(g: VectorGraph): Place {
  const { zero, one, zero3 } = g;
  return { E: [one, zero, zero, zero, one, zero, zero, zero, one], p: zero3 };
}

export function placeOf(g: VectorGraph, { rotation, r }: Pick<Pose, 'rotation' | 'r'>, parent: Place): Place {
  const { E } = parent;
  const columns = [0, 1, 2].map((c) => rotation.toLink([E[c], E[3 + c], E[6 + c]]));
  return {
    E: [0, 1, 2].flatMap((row) => columns.map((column) => column[row])),
    p: g.plus(parent.p, g.applyT(E, r)),
  };
}

/** Spatial velocity at the origin of a link. */
export interface Velocity {
  readonly w: Vec3;
  readonly v: Vec3;
}

export function velocityOf(g: VectorGraph, link: UnitFormulas, { rotation, r, S }: Pose, parent: Velocity): Velocity {
  const [wJ, vJ] = alongJoint(g, S, link.v);
  return {
    w: g.plus(rotation.toLink(parent.w), wJ),
    v: g.plus(rotation.toLink(g.plus(parent.v, g.cross(parent.w, r))), vJ),
  };
}

/** Poses and velocities of all bodies, one after the other in the result. */
export function kinematicsFormulas(
  g: VectorGraph,
  given: Plan,
  units: readonly Unit[],
  options: UnitOptions & { readonly poses: boolean; readonly velocities: boolean },
): void {
  const plan = inMetres(given);
  const links = unitFormulas(g, plan, units, options);
  const velocitiesAt = options.poses ? BODY_POSE * plan.bodies.length : 0;
  const places: Place[] = [];
  const velocities: Velocity[] = [];
  const write = (unit: Unit | undefined, place: Place, velocity: Velocity): void =>
    forBodies(g, plan, unit, (bodies, E, r, lane) => {
      const put = (start: number, stride: number, numbers: readonly Node[]): void => {
        numbers.forEach((node, k) => {
          writeNumbers(g, start, bodies, stride, k, node);
        });
      };
      const here = { rotation: matrixRotation(g, E), r };
      if (options.poses) {
        const body = placeOf(g, here, { E: place.E.map(lane), p: vec(place.p.map(lane)) });
        put(0, BODY_POSE, [...body.E, ...body.p]);
      }
      if (!options.velocities) return;
      const w = vec(velocity.w.map(lane));
      const v = vec(velocity.v.map(lane));
      put(velocitiesAt, BODY_VELOCITY, [...here.rotation.toLink(w), ...here.rotation.toLink(g.plus(v, g.cross(w, r)))]);
    });
  const ground = groundPlace(g);
  const still = { w: g.zero3, v: g.zero3 };
  write(undefined, ground, still);
  links.forEach((link, i) => {
    const { parent } = link.unit;
    const pose = poseOf(g, link, poseNumbers(g, link));
    places[i] = options.poses ? placeOf(g, pose, parent < 0 ? ground : places[parent]) : ground;
    velocities[i] = options.velocities ? velocityOf(g, link, pose, parent < 0 ? still : velocities[parent]) : still;
    write(link.unit, places[i], velocities[i]);
    g.mark();
  });
}

export const vec = (x: readonly Node[]): Vec3 => [x[0], x[1], x[2]];

/**
 * The bodies that are part of a unit (of the ground where there is none): in pairs where two links share the lanes, each
 * with its frame in the link; `lane` gives the lanes of a value of the unit that are theirs.
 */
export function forBodies(
  g: VectorGraph,
  { bodies }: Pick<Plan, 'bodies'>,
  unit: Unit | undefined,
  visit: (bodies: readonly number[], E: Mat3, r: Vec3, lane: (x: Node) => Node) => void,
): void {
  const on = (link: number): number[] => [...bodies.keys()].filter((body) => bodies[body].link === link);
  const [first, second = []] = unit === undefined ? [on(-1)] : unit.links.map(on);
  const numbers = (from: number, to: number, a: BodyPlace, b: BodyPlace): Node[] =>
    a.X.slice(from, to).map((x, k) => g.constant(x, b.X[from + k]));
  const visitBoth = (a: number, b: number, lane: (x: Node) => Node): void => {
    const [A, B] = [bodies[a], bodies[b]];
    visit(a === b ? [a] : [a, b], numbers(0, 9, A, B), vec(numbers(9, 12, A, B)), lane);
  };
  const pairs = Math.min(first.length, second.length);
  for (let k = 0; k < pairs; k++) visitBoth(first[k], second[k], (x) => x);
  const single = unit === undefined || unit.links.length === 1;
  for (const body of first.slice(pairs)) visitBoth(body, body, (x) => (single ? x : g.lane(x, 0)));
  for (const body of second.slice(pairs)) visitBoth(body, body, (x) => g.lane(x, 1));
}

/** Number k of each of the bodies, in a part of the result that begins at `start`. Memory begins as zeros. */
export function writeNumbers(
  g: VectorGraph,
  start: number,
  [a, b]: readonly number[],
  stride: number,
  k: number,
  node: Node,
): void {
  if (g.is(node, 0)) return;
  const at = (body: number): number => start + stride * body + k;
  if (b === undefined) g.output(RESULT, at(a), node);
  else if (g.lanes[node] === 2) g.output(RESULT, at(a), node, at(b));
  else for (const body of [a, b]) g.output(RESULT, at(body), node);
}
