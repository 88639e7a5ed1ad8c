// Identification: from forces with noise to forces of another motion, by parameters that real bodies can have.

import { expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { type IdentificationSample, identify, inertialParameters, regressor } from '../../src/toolbox/index.js';
import { type Barrier, barrierOf, isPossible } from '../../src/toolbox/pseudo-inertia.js';
import { randomMechanism } from '../support/random-mechanism.js';

/** Sines of several frequencies in every joint that moves. */
function motion(
  mechanism: Mechanism,
  seed: number,
  noise: number,
  moving = (_joint: number): boolean => true,
): IdentificationSample[] {
  const door = dynamics(mechanism, { engine: 'plain' });
  const random = new Random(seed);
  const waves = Array.from({ length: mechanism.nv }, () =>
    Array.from({ length: 3 }, (_, k) => [random.between(0.1, 0.5) / (k + 1), 1.3 * (k + 1), random.between(0, 6)]),
  );
  return Array.from({ length: 300 }, (_, k) => {
    const state = new State(mechanism);
    const qdd = new Float64Array(mechanism.nv);
    waves.forEach((wave, j) => {
      if (!moving(j)) return;
      for (const [a, w, p] of wave) {
        const at = 0.11 * k * w + p;
        state.q[j] += a * Math.sin(at);
        state.v[j] += a * w * Math.cos(at);
        qdd[j] -= a * w * w * Math.sin(at);
      }
    });
    const tau = door.inverse(state, qdd).map((x) => x * (1 + noise * random.between(-1.7, 1.7)));
    return { state, qdd, tau };
  });
}

function arm(seed: number): { real: Mechanism; model: Mechanism } {
  const real = randomMechanism(seed, { bodies: 4, types: ['revolute'], base: 'revolute' });
  const spec = mechanismSpec(real);
  const random = new Random(seed);
  const bodies = spec.bodies.map((body) => {
    const factor = random.between(0.3, 2);
    return { ...body, mass: factor * body.mass!, inertia: body.inertia!.map((x) => 1.2 * factor * x) as never };
  });
  return { real, model: createMechanism({ ...spec, bodies }) };
}

it.each([1, 2, 3])('arm %i: forces of another motion within 2 % from forces with noise', (seed) => {
  const { real, model } = arm(900 + seed);
  const found = identify(model, motion(real, seed, 0.01));
  expect(found.warnings).toEqual([]);
  expect(found.identified).toBe(found.baseParameters);
  expect(found.residual).toBeLessThan(0.02);
  expect(found.condition).toBeGreaterThan(1);
  expect(real.bodies.every((_, b) => isPossible(found.parameters, 10 * b))).toBe(true);
  const door = dynamics(model);
  let [off, size, before] = [0, 0, 0];
  for (const { state, qdd, tau } of motion(real, seed + 50, 0)) {
    const { torque } = regressor(door, new State(model, state), qdd);
    tau.forEach((force, k) => {
      const predicted = found.parameters.reduce((sum, x, p) => sum + torque[k * found.parameters.length + p] * x, 0);
      off += (force - predicted) ** 2;
      size += force ** 2;
      before += (force - door.inverse(new State(model, state), qdd)[k]) ** 2;
    });
  }
  expect(Math.sqrt(off / size)).toBeLessThan(0.02);
  expect(Math.sqrt(before / size)).toBeGreaterThan(0.05);
});

it('a motion that is too poor is named as such', () => {
  const { real, model } = arm(905);
  const found = identify(
    model,
    motion(real, 1, 0, (joint) => joint === 0),
  );
  expect(found.identified).toBeLessThan(found.baseParameters);
  expect(found.warnings[0]).toMatch(/tells \d+ of \d+ combinations.*Move "j/);
  expect(() => identify(model, [])).toThrow(/no samples/);
  const none = new Float64Array(model.nv);
  const unknown = new Float64Array(model.nv).fill(Number.NaN);
  const sample = { state: new State(model), qdd: none, tau: none };
  expect(() => identify(model, [sample, { ...sample, tau: unknown }])).toThrow(/tau of sample 1: Expected finite/);
  expect(() => identify(model, [{ ...sample, qdd: unknown }])).toThrow(/qdd of sample 0: Expected finite/);
  expect(() => identify(model, [{ ...sample, qdd: new Float64Array(1) }])).toThrow(/qdd of sample 0: Expected 4/);
  expect(() => identify(model, [{ state: new State(model), qdd: none, tau: none }])).toThrow(/no forces/);
});

it('the barrier and its derivatives against differences; bodies that cannot be', () => {
  const { real } = arm(906);
  const parameters = inertialParameters({ mechanism: real }).slice(10, 20);
  const { gradient, second } = barrierOf(parameters)!;
  const h = 1e-6;
  for (let k = 0; k < 10; k++) {
    const moved = (d: number): Barrier => barrierOf(parameters.map((x, j) => x + (j === k ? d : 0)))!;
    const [plus, minus] = [moved(h), moved(-h)];
    expect(Math.abs(gradient[k] - (plus.value - minus.value) / (2 * h)) / (1 + Math.abs(gradient[k]))).toBeLessThan(
      1e-4,
    );
    for (let l = 0; l < 10; l++)
      expect(
        Math.abs(second[k][l] - (plus.gradient[l] - minus.gradient[l]) / (2 * h)) / (1 + Math.abs(second[k][l])),
      ).toBeLessThan(1e-3);
  }
  expect(isPossible([1, 0, 0, 0, 1, 0, 1, 0, 0, 3])).toBe(false);
});
