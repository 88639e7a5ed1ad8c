// What rests is not computed again, and wakes at anything that is asked of it: with the bits of a world that computes every step.

import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { ball, box } from '../../../src/simulation/world/bodies.js';
import type { Member } from '../../../src/simulation/world/member.js';
import { World } from '../../../src/simulation/world/world.js';

interface Scene {
  readonly world: World;
  readonly stack: readonly Member[];
  readonly ball: Member;
}

/** Boxes on each other, and a ball that waits on a shelf beside them. */
function scene(): Scene {
  const world = new World({ step: 0.005, ground: { friction: 0.6 } });
  const stack = Array.from({ length: 4 }, (_, k) =>
    world.add(box([0.4, 0.4, 0.4], { mass: 1, friction: 0.5 }), { at: [0.01 * k, 0, 0.2 + 0.4 * k] }),
  );
  return { world, stack, ball: world.add(ball(0.1, { mass: 1, friction: 0.5 }), { at: [2, 0, 0.1] }) };
}

/** Positions and velocities of everything. */
const bits = ({ world }: Scene): number[] => world.members.flatMap(({ state }) => [...state.q, ...state.v]);

/** What may be asked of something at rest, and whether it is only asked for one step. */
const EVENTS: ReadonlyMap<string, (scene: Scene) => void> = new Map([
  ['a push', ({ stack }) => stack[1].push('box', [60, 0, 0])],
  ['other gravity', ({ world }) => Object.assign(world, { gravity: [-9.81, 0, 0] })],
  ['a control', ({ stack }) => Object.assign(stack[3], { control: (tau: Float64Array) => tau.fill(4) })],
  [
    'another place of the ball',
    ({ ball: { state }, ball: member }) => {
      state.q.set([0.1, 0.05, 1.9], 4);
      member.changed();
    },
  ],
  [
    'a wall that stands a little in it',
    // All that lies there is halted and left alone: only its new contact says that there is something to do.
    ({ world }) => world.obstacle({ name: 'wall', geometry: { kind: 'box', size: [0.2, 1, 0.2] }, t: [-0.27, 0, 1] }),
  ],
  [
    'a velocity',
    ({ stack: [, , , member] }) => {
      member.state.v[4] = 0.5;
      member.changed();
    },
  ],
]);

describe('what rests', () => {
  it('stays to the bit, and is what it was computed to be', () => {
    const one = scene();
    one.world.runUntil(1);
    const before = bits(one);
    const contacts = one.world.contacts();
    const islands = one.world.islands;
    one.world.runUntil(1.5);
    expect(bits(one)).toEqual(before);
    expect(one.world.contacts()).toEqual(contacts);
    expect(one.world.islands).toEqual(islands);
    expect(one.stack.every(({ halted }) => halted)).toBe(true);
    // Its weight is carried all the time.
    expect(one.world.contactForce(one.stack[0], 'box').force[2]).toBeCloseTo(9.81, 6);
  });

  for (const [name, happens] of EVENTS)
    it(`moves at ${name} as if every step had been computed`, () => {
      const [one, other] = [scene(), scene()];
      one.world.runUntil(1);
      const before = bits(one);
      other.world.restore(one.world.save());
      for (const world of [one, other]) {
        happens(world);
        world.world.runUntil(1.2);
      }
      expect(bits(one)).toEqual(bits(other));
      expect(Math.max(...bits(one).map((x, k) => Math.abs(x - before[k])))).toBeGreaterThan(1e-3);
    });

  it.each<[string, () => World]>([
    ['boxes', () => scene().world],
    ['a figure, some of its joints at their limits', () => lying(builtinMechanism('human-34'))],
    ['a lever that its limit carries', () => lying(lever())],
  ])('has the bits of a world that computes every step: %s', (_, make) => {
    const [one, other] = [make(), make()];
    let halted = 0;
    for (let k = 0; k < 400; k++) {
      for (const member of other.members) member.halted = false;
      for (const world of [one, other]) world.step();
      if (one.members.every((member) => member.halted)) halted++;
      if (k % 25 === 0) expect(one.save()).toEqual(other.save());
    }
    expect(halted).toBeGreaterThan(100);
  });
});

/** A block with an arm that hangs on its limit, and a lid that dry friction holds open. */
function lever(): Mechanism {
  const [block] = box([0.4, 0.4, 0.2], { mass: 5, friction: 0.5 }).bodies;
  const arm = { mass: 0.3, com: [0.3, 0, 0], inertia: [1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3] } as const;
  return createMechanism({
    name: 'lever',
    bodies: [
      { ...block, name: 'block' },
      { ...arm, name: 'arm' },
      { ...arm, name: 'lid' },
    ],
    joints: [
      { name: 'base', type: 'floating', parent: null, child: 'block' },
      {
        name: 'arm',
        type: 'revolute',
        axis: [0, 1, 0],
        parent: 'block',
        child: 'arm',
        limits: { lower: -0.1, upper: 0.1 },
      },
      { name: 'lid', type: 'revolute', axis: [0, 1, 0], parent: 'block', child: 'lid', friction: 2 },
    ],
  });
}

function lying(mechanism: Mechanism): World {
  const world = new World({ step: 0.005, ground: { friction: 0.8 } });
  world.add(mechanism, { at: [0, 0, 0.2], turned: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] });
  return world;
}
