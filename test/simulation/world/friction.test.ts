import { describe, expect, it } from 'vitest';
import { ball, box } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';

const LONG = process.env.MANIKIN_LONG === '1';
const g = 9.81;

/** A box on level ground under gravity that leans by the slope, in a direction. */
function slope(tangent: number, friction: number, direction: number) {
  const [s, c] = [tangent / Math.sqrt(1 + tangent * tangent), 1 / Math.sqrt(1 + tangent * tangent)];
  const world = new World({
    step: 0.005,
    gravity: [g * s * Math.cos(direction), g * s * Math.sin(direction), -g * c],
  });
  world.ground();
  return { world, crate: world.add(box([0.4, 0.4, 0.2], { mass: 1, friction }), { at: [0, 0, 0.1] }) };
}

describe('Coulomb friction', () => {
  // Pyramids of friction would fail one of the directions.
  it.each([0, 13, 45, 100])(
    'holds just above the critical slope and slides just below it, pushed at %i degrees',
    (degrees) => {
      const direction = (degrees * Math.PI) / 180;
      const held = slope(0.49, 0.49005, direction);
      held.world.runUntil(0.5);
      const from = held.crate.state.q.slice();
      const seconds = LONG ? 20 : 2;
      held.world.runUntil(0.5 + seconds, ({ report }) => {
        expect(report.residual).toBeLessThan(1e-8);
        return true;
      });
      const creep = Math.hypot(held.crate.state.q[4] - from[4], held.crate.state.q[5] - from[5]) / seconds;
      // Metres a second: 1e-3 micrometres a second.
      expect(creep).toBeLessThan(1e-9);
      expect(held.world.contacts().every(({ mode }) => mode === 'stick')).toBe(true);
      const slides = slope(0.49, 0.48995, direction);
      slides.world.runUntil(2);
      const expected = (2 * g * (0.49 - 0.48995)) / Math.sqrt(1 + 0.49 * 0.49);
      const speed = Math.hypot(slides.crate.v[3], slides.crate.v[4]);
      expect(speed / expected).toBeCloseTo(1, 4);
      expect(slides.world.contacts().some(({ mode }) => mode === 'slide')).toBe(true);
    },
  );

  it('a sliding box stops where it should', () => {
    const world = new World({ step: 0.005 });
    world.ground();
    const crate = world.add(box([0.4, 0.4, 0.2], { friction: 0.5 }), { at: [0, 0, 0.1], velocity: [2, 0, 0] });
    world.runUntil(1);
    // v^2 / (2 mu g); the step in which it stops may be off by its length.
    expect(crate.state.q[4]).toBeCloseTo(4 / (2 * 0.5 * g), 3);
    expect(Math.abs(crate.v[3])).toBeLessThan(1e-9);
  });

  it('a box on the ground, pushed with balls on it: everything rolls and slides as analysis says', () => {
    const world = new World({ step: 0.001 });
    world.ground({ friction: 0.4 });
    const crate = world.add(box([20, 20, 1], { mass: 10, friction: 0.8 }), { at: [0, 0, 0.5] });
    const balls = Array.from({ length: 25 }, (_, k) =>
      world.add(ball(0.5, { mass: 1, friction: 0.8 }), { at: [2 * (k % 5) - 4, 2 * Math.floor(k / 5) - 4, 1.5] }),
    );
    // The box drags each ball by s with s = a_ball and, for a solid ball that rolls, a_ball = 2/7 a_box.
    const a = (150 - 0.4 * 35 * g) / (10 + (25 * 2) / 7);
    let error = 0;
    let steps = 0;
    const end = LONG ? 4 : 0.2;
    while (world.time < end - 1e-9) {
      crate.push('box', [150 * Math.SQRT1_2, 150 * Math.SQRT1_2, 0]);
      world.step();
      steps++;
      for (const [{ v }, rate] of [
        [crate, a],
        [balls[3], (2 / 7) * a],
      ] as const) {
        const expected = rate * world.time * Math.SQRT1_2;
        error += (v[3] - expected) ** 2 + (v[4] - expected) ** 2 + v[5] ** 2;
      }
    }
    expect(error / steps).toBeLessThan(1e-10);
  });
});
