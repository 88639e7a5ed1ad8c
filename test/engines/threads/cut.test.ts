// What is chosen for two to sixteen threads computes what the readable algorithm computes, and is a plan for that many.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { Planner } from '../../../src/engines/threads/planner.js';
import { ThreadProgram } from '../../../src/engines/threads/program.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { randomMechanism, randomVector, relativeError } from '../../support/random-mechanism.js';
import { LONG } from '../../support/runs.js';

function check(mechanism: Mechanism, workers: number): ThreadProgram {
  const program = new ThreadProgram(new Planner(mechanism).plan(workers));
  const { segments, processorOf: threadOf } = program.plan.schedule;
  expect(threadOf.length).toBe(segments);
  expect(Math.max(...threadOf)).toBeLessThan(workers);
  expect(new Set(threadOf).size).toBe(1 + Math.max(...threadOf));
  expect(threadOf[0]).toBe(0);
  const state = State.random(mechanism, workers);
  const tau = randomVector(workers, mechanism.nv, 3);
  const { arrays, runner } = program.alone;
  arrays.q.set(state.q);
  arrays.v.set(state.v);
  arrays.tau.set(tau);
  runner.alone();
  const error = relativeError(arrays.qdd, new PlainDynamics(mechanism).forward(state, tau));
  expect(error, `${mechanism.name}, ${workers} threads`).toBeLessThan(1e-10);
  return program;
}

describe('cuttings', () => {
  it.each(['chain-100', 'chain-64-spherical-free', 'human-161', 'crowd-8'])('%s', (name) => {
    const mechanism = builtinMechanism(name);
    for (const workers of LONG ? [2, 3, 4, 8, 16] : [3, 8]) check(mechanism, workers);
  });

  it('random mechanisms', () => {
    for (let seed = 1; seed <= (LONG ? 12 : 6); seed++)
      check(
        randomMechanism(seed, { bodies: 30, ...(seed % 2 === 0 && { base: 'floating' as const }) }),
        2 + (seed % 7),
      );
  });

  it('a crowd is cut at the hands, and threads that are left over take legs', () => {
    const { plan } = check(builtinMechanism('crowd-10'), 16);
    const { segments } = plan.assembly;
    const atPorts = segments.filter(({ joins }) => joins.length > 0).flatMap(({ joins }) => joins);
    expect(atPorts.length).toBeGreaterThan(5);
    for (const { sizes } of atPorts) expect(sizes.at).toBe(3);
    expect(segments.filter(({ waitsFor }) => waitsFor.length > 0).length).toBeGreaterThan(3);
    expect(new Set(plan.schedule.processorOf).size).toBe(16);
  });

  it('segments of a long chain are joined in rounds', () => {
    const { segments } = check(builtinMechanism('chain-512'), 16).plan.assembly;
    const depth = (s: number): number =>
      segments[s].joins.reduce((most, { part }) => Math.max(most, 1 + depth(part)), 0);
    expect(segments.length).toBeGreaterThan(12);
    expect(depth(0)).toBeLessThan(6);
    expect(Math.max(...segments.map(({ joins }) => joins.length))).toBeLessThan(9);
  });
});
