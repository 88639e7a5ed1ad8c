// Where every body is and how it moves, as formulas: one pass outwards.
//
//   E = R E_p,   p = p_p + E_p^T r        pose of a link: ground to link coordinates, origin in ground coordinates
//   w = R w_p + wJ,   v = R (v_p + w_p x r) + vJ        spatial velocity at the link's origin, link coordinates
//
// R, r: rotation and origin of a link in its parent; wJ, vJ: velocity along the joint. A body's frame stands still in its link.

import { inMetres } from '../plan/length-units.js';
import type { Plan } from '../plan/plan.js';
import { BODY_POSE, BODY_VELOCITY } from '../plan/results.js';
import { forBodies, vec, writeNumbers } from './body-frames.js';
import type { Node } from './graph.js';
import { alongJoint, type Pose, poseNumbers, poseOf } from './joints.js';
import type { Unit } from './lanes.js';
import { type UnitFormulas, type UnitOptions, unitFormulas } from './links.js';
import { matrixRotation } from './rotation.js';
import type { NodeMat3, NodeVec3, VectorGraph } from './vectors.js';

/** Ground to link: rotation of coordinates, origin in ground coordinates. */
export interface LinkPlace {
  readonly E: NodeMat3;
  readonly p: NodeVec3;
}

export function groundPlace(g: VectorGraph): LinkPlace {
  const { zero, one, zero3 } = g;
  return { E: [one, zero, zero, zero, one, zero, zero, zero, one], p: zero3 };
}

export function placeOf(g: VectorGraph, { rotation, r }: Pick<Pose, 'rotation' | 'r'>, parent: LinkPlace): LinkPlace {
  const { E } = parent;
  const columns = [0, 1, 2].map((c) => rotation.toLink([E[c], E[3 + c], E[6 + c]]));
  return {
    E: [0, 1, 2].flatMap((row) => columns.map((column) => column[row])),
    p: g.plus(parent.p, g.applyT(E, r)),
  };
}

/** Spatial velocity at the origin of a link. */
export interface Velocity {
  readonly w: NodeVec3;
  readonly v: NodeVec3;
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
  const places: LinkPlace[] = [];
  const velocities: Velocity[] = [];
  const write = (unit: Unit | undefined, place: LinkPlace, velocity: Velocity): void =>
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
