// Takes the fixed joints out of a mechanism: what hangs on one becomes part of the body that carries it.

import type { Placement, Shape } from '../mechanism/mechanism.js';
import type { BodySpec, FrameSpec, JointSpec, LoopFrameSpec, MechanismSpec } from '../mechanism/spec.js';
import {
  add,
  apply,
  dot,
  IDENTITY3,
  type Mat3,
  multiply,
  scale,
  subtract,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';

/** The body that a body has become part of (itself, where it has not), and where it sits in that body's frame. */
interface Home {
  readonly host: string;
  readonly placement: Placement | undefined;
}

/**
 * Merges every body that a fixed joint carries into its parent: mass, inertia, shapes, frames, loops and children move
 * over, and a frame of the body's name stays where it was. Joints to the ground stay. Parents must come before their
 * children in spec.bodies and spec.joints.
 */
export function mergeFixedJoints(spec: MechanismSpec): MechanismSpec {
  const homes = new Map<string, Home>();
  const joints: JointSpec[] = [];
  for (const joint of spec.joints) {
    const parent = joint.parent === null ? undefined : homes.get(joint.parent);
    const placement = composed(parent?.placement, placementOf(joint));
    if (joint.type === 'fixed' && parent !== undefined) {
      homes.set(joint.child, { host: parent.host, placement });
    } else {
      homes.set(joint.child, { host: joint.child, placement: undefined });
      joints.push(parent === undefined ? joint : { ...joint, parent: parent.host, ...placement });
    }
  }
  const move = <T extends { readonly body: string; readonly E?: Mat3; readonly t?: Vec3 }>(frame: T): T => {
    const home = homes.get(frame.body);
    return home === undefined ? frame : { ...frame, body: home.host, ...composed(home.placement, placementOf(frame)) };
  };
  const moveEnd = (end: LoopFrameSpec): LoopFrameSpec => (end.body === null ? end : move({ ...end, body: end.body }));
  const merged = [...homes].filter(([name, { host }]) => name !== host);
  return {
    ...spec,
    bodies: mergedBodies(spec.bodies, homes),
    joints,
    loops: (spec.loops ?? []).map((loop) => ({ ...loop, a: moveEnd(loop.a), b: moveEnd(loop.b) })),
    frames: [
      ...(spec.frames ?? []).map(move),
      ...merged.map(([name, { host, placement }]): FrameSpec => ({ name, body: host, ...placement })),
    ],
  };
}

function mergedBodies(bodies: readonly BodySpec[], homes: ReadonlyMap<string, Home>): BodySpec[] {
  const parts = new Map<string, BodySpec[]>();
  for (const body of bodies) {
    const { host, placement } = homes.get(body.name) ?? { host: body.name, placement: undefined };
    const part = placement === undefined ? body : moved(body, placement);
    const others = parts.get(host);
    if (others === undefined) parts.set(host, [part]);
    else others.push(part);
  }
  return [...parts].map(([name, list]) => (list.length === 1 ? list[0] : { ...united(list), name }));
}

function placementOf({ E = IDENTITY3, t = ZERO3 }: { readonly E?: Mat3; readonly t?: Vec3 }): Placement {
  return { E, t };
}

/** Where `inner` is in the frame that `outer` is placed in. */
function composed(outer: Placement | undefined, inner: Placement): Placement {
  if (outer === undefined) return inner;
  return { E: multiply(inner.E, outer.E), t: add(outer.t, apply(transpose(outer.E), inner.t)) };
}

/** The body, its numbers given in the frame that it is placed in. */
function moved(body: BodySpec, at: Placement): BodySpec {
  const toHost = transpose(at.E);
  const moveShape = (shape: Shape): Shape => ({ ...shape, ...composed(at, shape) });
  return {
    name: body.name,
    mass: body.mass ?? 0,
    com: add(at.t, apply(toHost, body.com ?? ZERO3)),
    ...(body.inertia !== undefined && { inertia: multiply(multiply(toHost, body.inertia), at.E) }),
    visuals: (body.visuals ?? []).map(moveShape),
    collisions: (body.collisions ?? []).map(moveShape),
  };
}

/** One body made of several, all given in one frame. */
function united(parts: readonly BodySpec[]): Omit<BodySpec, 'name'> {
  const shapes = {
    visuals: parts.flatMap((part) => part.visuals ?? []),
    collisions: parts.flatMap((part) => part.collisions ?? []),
  };
  // Frames without mass must not change the numbers of the rest, not even by rounding.
  const heavy = parts.filter((part) => (part.mass ?? 0) !== 0 || part.inertia?.some((value) => value !== 0));
  if (heavy.length <= 1) return { ...(heavy[0] ?? parts[0]), ...shapes };
  const mass = heavy.reduce((sum, part) => sum + (part.mass ?? 0), 0);
  let com = ZERO3;
  if (mass > 0) for (const part of heavy) com = add(com, scale((part.mass ?? 0) / mass, part.com ?? ZERO3));
  const inertia = new Array<number>(9).fill(0);
  for (const part of heavy) {
    // Steiner: I + m (d.d 1 - d d^T) about the common centre of mass.
    const m = part.mass ?? 0;
    const d = subtract(part.com ?? ZERO3, com);
    const dd = dot(d, d);
    for (let k = 0; k < 9; k++)
      inertia[k] += (part.inertia?.[k] ?? 0) + m * (dd * IDENTITY3[k] - d[Math.floor(k / 3)] * d[k % 3]);
  }
  return { mass, com, inertia: inertia as unknown as Mat3, ...shapes };
}
