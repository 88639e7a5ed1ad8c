// What rests is not computed again, and wakes at anything that is asked of it: with the bits of a world that computes every step.

import { describe, expect, it } from 'vitest';
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
});
