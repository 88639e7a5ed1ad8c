// Figures of 34 degrees of freedom side by side, hand in hand: one open tree with a free root, as large as one likes.

import { MechanismBuilder } from '../mechanism/builder.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { add, scale, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { human } from './human.js';

export const MAX_CROWD = 10_000;

const FIGURE = 'human-34';

/**
 * n figures, each to the left of the one before it, whose left hand holds its right hand in a ball joint. The first
 * figure's pelvis is free; every other figure is reached by its right hand, so that its arm and trunk are read from the
 * hand inwards. Coordinates mean what they mean in a single figure.
 */
export function crowd(n: number): Mechanism {
  if (!Number.isInteger(n) || n < 1 || n > MAX_CROWD)
    throw MechanismError.of('crowd-size', 'crowd', `It can have 1 to ${MAX_CROWD} figures, got ${n}.`);
  const builder = new MechanismBuilder(`crowd-${n}`);
  const figure = human(FIGURE);
  addFigure(builder, figure, 'figure_1_', figure.bodyIndex('pelvis'), null);
  for (let k = 2; k <= n; k++) addFigure(builder, figure, `figure_${k}_`, figure.bodyIndex('right_hand'), k - 1);
  return builder.build();
}

/** Adds a figure that hangs by the body `top`: from the left hand of figure `holder`, or free in space. */
function addFigure(
  builder: MechanismBuilder,
  { bodies, joints }: Mechanism,
  prefix: string,
  top: number,
  holder: number | null,
): void {
  // Joints from the old root to the new one are read backwards: the body beyond becomes the parent.
  const parent = joints.map((joint) => joint.parent);
  const via = joints.map((_, body) => body);
  for (let below = top, body = joints[top].parent; body >= 0; ) {
    const above = joints[body].parent;
    parent[body] = below;
    via[body] = below;
    below = body;
    body = above;
  }
  parent[top] = -1;
  // No body of the figure is turned against another, so frames only move: to the joint by which the body now hangs.
  const position: Vec3[] = [];
  joints.forEach((joint, body) => {
    position[body] = joint.parent < 0 ? joint.t : add(position[joint.parent], joint.t);
  });
  const left = bodies.findIndex(({ name }) => name === 'left_hand');
  const grip = (body: number): Vec3 => add(position[body], bodies[body].com);
  const frame = position.map((own, body) => {
    if (body === top) return holder === null ? own : grip(body);
    return via[body] === body ? own : position[via[body]];
  });
  const order: number[] = [top];
  for (const body of order) for (const [child, p] of parent.entries()) if (p === body) order.push(child);
  for (const body of order) {
    const { name, mass, com, inertia, visuals, collisions } = bodies[body];
    const moved = subtract(frame[body], position[body]);
    const joint = joints[via[body]];
    const reversed = via[body] !== body;
    const held = body === top && holder !== null;
    builder.link(prefix + name, {
      parent:
        body === top ? (holder === null ? null : `figure_${holder}_left_hand`) : prefix + bodies[parent[body]].name,
      joint: held
        ? { type: 'spherical', name: `${prefix}grip` }
        : {
            type: joint.type,
            name: prefix + joint.name,
            axis: reversed ? scale(-1, joint.axis) : joint.axis,
            limits: joint.limits,
          },
      at: held
        ? subtract(grip(left), position[left])
        : subtract(frame[body], body === top ? ZERO3 : frame[parent[body]]),
      mass,
      com: subtract(com, moved),
      inertia,
      visuals: visuals.map((shape) => ({ ...shape, t: subtract(shape.t, moved) })),
      collisions: collisions.map((shape) => ({ ...shape, t: subtract(shape.t, moved) })),
    });
  }
}
