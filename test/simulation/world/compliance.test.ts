// Contacts that give way: a spring and a damper along the normal, implicit in the step.

import { describe, expect, it } from 'vitest';
import { ball, box } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';

const g = 9.81;

describe('compliance', () => {
  it.each([
    [1e-7, 0.02],
    [1e-5, 0.02],
    [1e-3, 0.2],
  ])('of %d m/N: bodies sink by their weight', (compliance, relaxation) => {
    const world = new World({ step: 0.005, ground: { friction: 0.5, compliance, relaxation } });
    const sphere = world.add(ball(0.5, { mass: 2 }), { at: [0, 0, 0.5] });
    const crate = world.add(box([0.4, 0.4, 0.4], { mass: 2 }), { at: [2, 0, 0.2] });
    world.runUntil(5);
    expect(world.report.residual).toBeLessThan(1e-8);
    // One point carries the ball, four the box.
    expect((0.5 - sphere.state.q[6]) / (2 * g * compliance)).toBeCloseTo(1, 5);
    expect((0.2 - crate.state.q[6]) / (0.5 * g * compliance)).toBeCloseTo(1, 5);
    expect(Math.abs(sphere.v[5])).toBeLessThan(1e-9);
  });

  it('of two shapes adds up', () => {
    const world = new World({ step: 0.005, ground: { compliance: 1e-4, relaxation: 0.05 } });
    const below = world.add(box([0.4, 0.4, 0.2], { mass: 2, compliance: 2e-4 }), { at: [0, 0, 0.1] });
    const above = world.add(ball(0.1, { mass: 1, compliance: 3e-4 }), { at: [0, 0, 0.3] });
    world.runUntil(6);
    const sunk = 0.1 - below.state.q[6];
    expect(sunk / ((3 * g * 3e-4) / 4)).toBeCloseTo(1, 5);
    expect((0.3 - above.state.q[6] - sunk) / (g * 5e-4)).toBeCloseTo(1, 5);
  });

  it('keeps what is pressed in as energy', () => {
    const [mass, compliance] = [2, 1e-4];
    const world = new World({ step: 2e-5, ground: { compliance } });
    const body = world.add(ball(0.5, { mass }), { at: [0, 0, 0.51] });
    const start = world.energy().total;
    let [deepest, least, most] = [0, start, start];
    world.runUntil(0.2, () => {
      const depth = Math.max(0, 0.5 - body.state.q[6]);
      const { kinetic, potential, total } = world.energy();
      expect(potential - mass * g * body.state.q[6]).toBeCloseTo((0.5 * depth ** 2) / compliance, 12);
      expect(kinetic).toBeGreaterThanOrEqual(0);
      deepest = Math.max(deepest, depth);
      [least, most] = [Math.min(least, total), Math.max(most, total)];
      return body.v[5] <= 0 || depth > 0;
    });
    // m g (fall + depth) = depth^2 / (2 compliance); the implicit step takes a little.
    const weight = mass * g * compliance;
    expect(deepest / (weight + Math.sqrt(weight ** 2 + 2 * weight * 0.01))).toBeCloseTo(1, 2);
    // The ball has left the ground again. Gravity of what lies lower counts from the ground's plane.
    expect(body.state.q[6]).toBeGreaterThan(0.5);
    expect(most).toBeLessThan(start * (1 + 1e-9));
    expect(start - least).toBeLessThan(0.03 * mass * g * 0.01);
  });

  it('swings and dies away as a damped spring does', () => {
    const [mass, compliance, relaxation] = [2, 1e-4, 0.002];
    const world = new World({ step: 1e-4, ground: { compliance, relaxation } });
    // Pressed in by a fifth of what the weight does, so that it does not leave the ground.
    const rest = 0.5 - mass * g * compliance;
    const body = world.add(ball(0.5, { mass }), { at: [0, 0, rest - 0.2 * mass * g * compliance] });
    const omega = Math.sqrt(1 / (compliance * mass));
    const decay = relaxation / compliance / (2 * mass);
    const crossings: number[] = [];
    let before = body.state.q[6] - rest;
    const peaks: number[] = [];
    let speed = 0;
    world.runUntil(0.5, () => {
      const now = body.state.q[6] - rest;
      if (before < 0 && now >= 0) crossings.push(world.time);
      if (speed > 0 && body.v[5] <= 0) peaks.push(now);
      [before, speed] = [now, body.v[5]];
      return true;
    });
    const period = (crossings[3] - crossings[0]) / 3;
    expect((period * Math.sqrt(omega * omega - decay * decay)) / (2 * Math.PI)).toBeCloseTo(1, 2);
    // The step itself damps, too: that of an implicit one of half its length.
    expect(Math.log(peaks[0] / peaks[3]) / (3 * period)).toBeGreaterThan(decay);
    expect(Math.log(peaks[0] / peaks[3]) / (3 * period)).toBeLessThan(1.1 * decay + 0.5 * 1e-4 * omega * omega);
  });

  it('a ball bounces off what gives way, never higher than it fell, and friction keeps its law', () => {
    const world = new World({ step: 5e-4, ground: { friction: 0.3, compliance: 1e-4 } });
    const body = world.add(ball(0.1, { mass: 2, friction: 0.3 }), { at: [0, 0, 0.15], velocity: [1, 0, 0] });
    let energy = world.energy().total;
    let top = 0;
    world.runUntil(0.5, () => {
      for (const { force } of world.contacts())
        expect(Math.hypot(force[0], force[1])).toBeLessThanOrEqual(0.3 * Math.abs(force[2]) * (1 + 1e-9) + 1e-9);
      if (world.time > 0.12) top = Math.max(top, body.state.q[6]);
      if (world.contacts().length === 0) {
        const now = world.energy().total;
        expect(now).toBeLessThan(energy + 1e-9);
        energy = now;
      }
      return true;
    });
    expect(top).toBeGreaterThan(0.135);
    expect(top).toBeLessThan(0.15);
  });
});
