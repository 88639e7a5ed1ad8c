// Scenes that a World must stand: built for tests, at any size.

import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { ball, box, capsule, cylinder } from '../../src/simulation/world/bodies.js';
import type { Member } from '../../src/simulation/world/member.js';
import { World } from '../../src/simulation/world/world.js';
import type { Quat } from '../../src/spatial/matrix3.js';

/** side^3 balls of 10 kg almost on a grid, without friction: 6 of the public benchmark of 2018. */
export function heapOfBalls(side: number): World {
  const world = new World({ step: 0.001, ground: { friction: 0 } });
  const random = new Random(666);
  for (let k = 0; k < side ** 3; k++) {
    const at = [k % side, Math.floor(k / side) % side, Math.floor(k / side ** 2)];
    const shaken = at.map((x) => 0.21 * x + random.between(-1e-3, 1e-3));
    world.add(ball(0.1, { mass: 10, friction: 0, restitution: 0 }), { at: [shaken[0], shaken[1], 0.11 + shaken[2]] });
  }
  return world;
}

/** Boxes of 1 kg on each other. */
export function stack(count: number): World {
  const world = new World({ step: 0.005, ground: true });
  for (let k = 0; k < count; k++)
    world.add(box([0.4, 0.4, 0.4], { mass: 1, friction: 0.5 }), { at: [0, 0, 0.2 + 0.4 * k] });
  return world;
}

/** Four cards that lean on each other, one across, two more on it. */
export function cardHouse(): World {
  const world = new World({ step: 0.002, ground: { friction: 0.6 } });
  const [width, thick, length, lean] = [0.06, 0.001, 0.09, 0.35];
  const [s, c] = [Math.sin(lean), Math.cos(lean)];
  const card = box([thick, width, length], { mass: 0.002, friction: 0.6 });
  const height = thick * s + length * c;
  const pair = (x: number, z: number): void => {
    for (const side of [-1, 1]) {
      const turned: Quat = [Math.cos(lean / 2), 0, -side * Math.sin(lean / 2), 0];
      world.add(card, { at: [x + (side * (thick * c + length * s)) / 2, 0, z + height / 2], turned });
    }
  };
  const apart = 2 * (length * s + thick * c) + 0.002;
  pair(-apart / 2, 0);
  pair(apart / 2, 0);
  const across = box([apart + 0.03, width, thick], { mass: 0.002, friction: 0.6 });
  world.add(across, { at: [0, 0, height + thick / 2] });
  pair(0, height + thick);
  return world;
}

/** A half circle of stones between radii of 0.8 and 1 m. */
export function arch(stones: number): World {
  const world = new World({ step: 0.002, ground: { friction: 0.7 } });
  const [inner, outer, depth, mass] = [0.8, 1, 0.3, 20];
  const half = Math.PI / stones / 2;
  const middle = (inner + outer) / 2;
  // The stone at the top, its middle at the origin.
  const corners = [-1, 1].flatMap((side) =>
    [inner, outer].flatMap((r) =>
      [-1, 1].flatMap((y) => [side * r * Math.sin(half), (y * depth) / 2, r * Math.cos(half) - middle]),
    ),
  );
  const [a, b, e] = [2 * middle * Math.sin(half), depth, outer - inner];
  const k = mass / 12;
  const stone: Mechanism = createMechanism({
    name: 'stone',
    bodies: [
      {
        name: 'stone',
        mass,
        com: [0, 0, 0],
        inertia: [k * (b * b + e * e), 0, 0, 0, k * (a * a + e * e), 0, 0, 0, k * (a * a + b * b)],
        collisions: [
          {
            E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
            t: [0, 0, 0],
            friction: 0.7,
            geometry: { kind: 'hull', points: Float64Array.from(corners) },
          },
        ],
      },
    ],
    joints: [{ name: 'stone', type: 'floating', parent: null, child: 'stone' }],
  });
  for (let i = 0; i < stones; i++) {
    const angle = -Math.PI / 2 + (2 * i + 1) * half;
    world.add(stone, {
      at: [middle * Math.sin(angle), 0, middle * Math.cos(angle)],
      turned: [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0],
    });
  }
  return world;
}

/**
 * Boxes, balls, capsules and cylinders that fall into a pen; with a coefficient (metres) against rolling and spinning, without which balls
 * turn on the spot for ever. `apart`: how far their places are from each other (m); from 0.4 on none begins in another.
 */
export function pile(count: number, moments = 0, apart = 0.32): World {
  const world = new World({ step: 0.005, ground: { friction: 0.5 } });
  const random = new Random(1);
  const side = count <= 100 ? 5 : 8;
  const options = { mass: 1, friction: 0.5, rollingFriction: moments, torsionalFriction: moments };
  const shapes = [
    box([0.2, 0.2, 0.2], options),
    ball(0.1, options),
    capsule(0.08, 0.1, options),
    cylinder(0.1, 0.2, options),
  ];
  const middle = (apart / 2) * (side - 1);
  for (const [x, y] of [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
  ]) {
    const reach = (apart / 2) * side + 0.05;
    world.obstacle({
      name: `wall ${x} ${y}`,
      geometry: { kind: 'box', size: [x === 0 ? 2 * reach : 0.2, y === 0 ? 2 * reach : 0.2, 8] },
      t: [middle + x * (reach + 0.1), middle + y * (reach + 0.1), 4],
      friction: 0.5,
    });
  }
  for (let k = 0; k < count; k++) {
    const shift = (): number => random.between(-0.02, 0.02);
    const [i, j] = [k % side, Math.floor(k / side) % side];
    world.add(shapes[k % shapes.length], {
      at: [apart * i + shift(), apart * j + shift(), 0.2 + 0.36 * Math.floor(k / (side * side))],
      turned: random.quaternion(),
    });
  }
  return world;
}

/** The largest way that a member has come from where it was, metres. */
export function largestShift(members: readonly Member[], from: readonly Float64Array[]): number {
  return Math.max(
    ...members.map(({ state: { q } }, k) => Math.hypot(q[4] - from[k][4], q[5] - from[k][5], q[6] - from[k][6])),
  );
}
