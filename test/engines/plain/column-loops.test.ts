// Loops and couplings together, against a dense saddle-point system and against the laws.

import { describe, expect, it } from 'vitest';
import { dynamics as door } from '../../../src/dynamics/dynamics.js';
import { LoopClosing } from '../../../src/engines/plain/assembly/closing.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { MechanismBuilder } from '../../../src/mechanism/builder.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { createTree } from '../../../src/mechanism/tree.js';
import { constraintCount } from '../../../src/plan/loops.js';
import { Simulation } from '../../../src/simulation/simulation.js';
import { forceToA, forceToB } from '../../../src/spatial/spatial.js';
import { closedSpec } from '../../support/closed-mechanisms.js';
import { withCouplings } from '../../support/random-couplings.js';
import { randomVector, relativeError } from '../../support/random-mechanism.js';
import { solveConstrained, withoutLoops } from './assembly/constrained.js';

interface Case {
  readonly seed: number;
  readonly mechanism: Mechanism;
  readonly dynamics: PlainDynamics;
  /** Velocities obey the loops and the couplings. */
  readonly state: State;
  readonly tau: Float64Array;
  readonly expected: Float64Array;
}

/** Random loop joints of all types, random groups of coupled joints, and at least three freedoms left. */
function randomCases(check: (one: Case) => void): void {
  let checked = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const mechanism = createMechanism(withCouplings(seed, closedSpec(seed, 12, 1 + (seed % 2))));
    const { couplings, loops, nv } = mechanism;
    const constraints = loops.reduce((sum, loop) => sum + constraintCount(loop), couplings.length);
    if (couplings.length === 0 || constraints + 3 > nv) continue;
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed + 1, nv, 2);
    const { v, qdd: expected } = solveConstrained(mechanism, state, tau);
    state.v.set(v);
    check({ seed, mechanism, dynamics: new PlainDynamics(mechanism), state, tau, expected });
    checked++;
  }
  expect(checked).toBeGreaterThan(15);
}

describe('loops and couplings together', () => {
  it('forward dynamics agrees with the dense saddle-point system, on every engine', () => {
    randomCases(({ seed, mechanism, dynamics, state, tau, expected }) => {
      expect(relativeError(dynamics.forward(state, tau), expected), `seed ${seed}`).toBeLessThan(1e-8);
      const auto = door(mechanism);
      expect(relativeError(auto.forward(state, tau), dynamics.forward(state, tau)), `seed ${seed}`).toBeLessThan(1e-9);
      auto.dispose();
    });
  });

  it('the forces in loops and joints together produce the motion of the open tree', () => {
    randomCases(({ seed, mechanism, dynamics, state, tau }) => {
      const { bodies, loops, nv } = mechanism;
      const external = randomVector(seed + 2, 6 * bodies.length);
      const [forces, held] = [new Float64Array(6 * bodies.length), new Float64Array(6 * loops.length)];
      const qdd = dynamics.forward(state, tau, { external, jointForces: forces, loopForces: held });
      // The force of a loop joint on body b, at its origin and in its coordinates, by the ground to body a.
      const poses = dynamics.poses(state);
      const all = external.slice();
      const inGround = new Float64Array(6);
      const onA = new Float64Array(6);
      loops.forEach(({ a, b }, l) => {
        for (let j = 0; j < 6; j++) all[6 * b.body + j] += held[6 * l + j];
        if (a.body < 0) return;
        forceToA(inGround, 0, poses, 12 * b.body, held, 6 * l);
        forceToB(onA, 0, poses, 12 * a.body, inGround, 0);
        for (let j = 0; j < 6; j++) all[6 * a.body + j] -= onA[j];
      });
      const open = new PlainDynamics(withoutLoops(mechanism));
      const at = new State(open.mechanism);
      at.q.set(state.q);
      at.v.set(state.v);
      const again = new Float64Array(6 * bodies.length);
      const left = open.inverse(at, qdd, { external: all, jointForces: again });
      expect(relativeError(forces, again), `seed ${seed}`).toBeLessThan(1e-8);
      // What a joint does beyond tau is the couplings' own, and does no work.
      const own = left.map((x, k) => x - tau[k]);
      const { joints, couplings } = mechanism;
      for (const { joint, source, multiplier } of couplings)
        own[joints[source].iv] += multiplier * own[joints[joint].iv];
      const followers = new Set(couplings.map(({ joint }) => joints[joint].iv));
      for (let k = 0; k < nv; k++) if (!followers.has(k)) expect(Math.abs(own[k]), `seed ${seed}`).toBeLessThan(1e-7);
    });
  });

  it('inverse dynamics: least norm, and by chosen motors', () => {
    randomCases(({ seed, mechanism, dynamics, state, tau }) => {
      const { couplings, joints } = mechanism;
      const followers = new Set(couplings.map(({ joint }) => joint));
      const qdd = dynamics.forward(state, tau);
      const least = dynamics.inverse(state, qdd);
      expect(relativeError(dynamics.forward(state, least), qdd), `seed ${seed}`).toBeLessThan(1e-8);
      for (const joint of followers) expect(least[joints[joint].iv]).toBe(0);
      // Motors of some joints that follow none.
      const motors = joints.filter((_, k) => !followers.has(k) && k % 3 > 0);
      const given = new Float64Array(mechanism.nv);
      for (const { iv, model } of motors) for (let k = 0; k < model.nv; k++) given[iv + k] = tau[iv + k];
      const motion = dynamics.forward(state, given);
      const found = dynamics.inverse(state, motion, { actuated: motors.map(({ name }) => name) });
      for (const { iv, model, name } of joints)
        if (!motors.some((motor) => motor.name === name))
          for (let k = 0; k < model.nv; k++) expect(found[iv + k]).toBe(0);
      expect(relativeError(dynamics.forward(state, found), motion), `seed ${seed}`).toBeLessThan(1e-7);
    });
  });

  it('velocities are made to hold without breaking the couplings', () => {
    randomCases(({ seed, mechanism, state }) => {
      const closing = new LoopClosing(createTree(mechanism));
      const moving = State.random(mechanism, seed + 9);
      moving.q.set(state.q);
      closing.hold(moving);
      expect(closing.slip(moving), `seed ${seed}`).toBeLessThan(1e-9);
      for (const { joint, source, multiplier } of mechanism.couplings) {
        const [follower, leader] = [joint, source].map((k) => moving.v[mechanism.joints[k].iv]);
        expect(Math.abs(follower - multiplier * leader), `seed ${seed}`).toBeLessThan(1e-9 * (1 + Math.abs(leader)));
      }
    });
  });

  it('two geared cranks on one slider: two loops of which one is redundant', () => {
    const mechanism = gearedSlider();
    const simulation = new Simulation(mechanism, { state: closedGears(mechanism), integrator: 'rk4' });
    const before = simulation.energy();
    for (let k = 0; k < 200; k++) simulation.step();
    const { q } = simulation.state;
    expect(q[mechanism.joint('right').iq]).toBe(-q[mechanism.joint('left').iq]);
    expect(simulation.loopDrift).toBeLessThan(1e-8);
    const after = simulation.energy();
    expect(after.kinetic).toBeGreaterThan(0.1);
    expect(after.kinetic + after.potential).toBeCloseTo(before.kinetic + before.potential, 8);
    const { constraints, rank } = simulation.dynamics.loopReport();
    expect([constraints, rank]).toEqual([10, 3]);
  });

  it('says that velocities contradict the loops', () => {
    // One rod turns and the other does not, while the slider moves: the mirrored pins would need different accelerations.
    const mechanism = gearedSlider();
    const state = closedGears(mechanism);
    state.v[mechanism.joint('left_wrist').iv] = 3;
    state.v[mechanism.joint('slide').iv] = 1;
    expect(() => new PlainDynamics(mechanism).forward(state)).toThrow(/contradict each other/);
  });
});

const CRANK = 0.3;
const ROD = 0.8;

/** Two cranks, the right one turning against the left one, with rods whose ends are pinned to one slider. */
function gearedSlider(): Mechanism {
  const bar = (length: number) => ({
    mass: length,
    com: [length / 2, 0, 0] as const,
    inertia: [0.001, 0, 0, 0, length ** 3 / 12, 0, 0, 0, length ** 3 / 12] as const,
  });
  const hinge = (name: string) => ({ type: 'revolute' as const, axis: [0, 0, 1] as const, name });
  const builder = new MechanismBuilder('geared-slider').gravity([9.81, 0, 0]);
  for (const side of ['left', 'right'])
    builder
      .link(side, { parent: null, joint: hinge(side), at: [0, 0, 0], ...bar(CRANK) })
      .link(`${side}_rod`, { parent: side, joint: hinge(`${side}_wrist`), at: [CRANK, 0, 0], ...bar(ROD) });
  builder.link('slider', {
    parent: null,
    joint: { type: 'prismatic', axis: [1, 0, 0], name: 'slide' },
    mass: 0.5,
    inertia: [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01],
  });
  for (const side of ['left', 'right'])
    builder.loop({
      name: `${side}_pin`,
      type: 'revolute',
      axis: [0, 0, 1],
      a: { body: 'slider' },
      b: { body: `${side}_rod`, t: [ROD, 0, 0] },
    });
  return builder.couple({ joint: 'right', source: 'left', multiplier: -1 }).build();
}

/** Closed with the left crank at 0.9 rad and the right one at -0.9, mirrored; at rest. */
function closedGears(mechanism: Mechanism): State {
  const state = new State(mechanism);
  const angle = 0.9;
  const rod = -Math.asin((CRANK * Math.sin(angle)) / ROD);
  for (const [side, sign] of [
    ['left', 1],
    ['right', -1],
  ] as const) {
    state.q[mechanism.joint(side).iq] = sign * angle;
    state.q[mechanism.joint(`${side}_wrist`).iq] = sign * (rod - angle);
  }
  state.q[mechanism.joint('slide').iq] = CRANK * Math.cos(angle) + ROD * Math.cos(rod);
  return state;
}
