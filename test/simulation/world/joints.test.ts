import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/dynamics/connect.js';
import { dynamics } from '../../../src/dynamics/dynamics.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { MechanismBuilder } from '../../../src/mechanism/builder.js';
import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { Simulation } from '../../../src/simulation/simulation.js';
import { box } from '../../../src/simulation/world/bodies.js';
import { World } from '../../../src/simulation/world/world.js';
import { randomSpec } from '../../support/random-mechanism.js';

/** One arm of 1 kg and 1 m on a hinge about y, hanging down. */
function pendulum(joint: object): Mechanism {
  return new MechanismBuilder('pendulum')
    .link('arm', {
      parent: null,
      joint: { type: 'revolute', axis: [0, 1, 0], ...joint },
      mass: 1,
      com: [0, 0, -1],
      inertia: [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01],
    })
    .build();
}

describe('joints of a World', () => {
  it('stop at their limits and rest there', () => {
    const world = new World({ step: 0.002 });
    const mechanism = pendulum({ limits: { lower: -0.3, upper: 0.5 } });
    const arm = world.add(mechanism, { state: new State(mechanism).set('arm', 0, 3) });
    let most = 0;
    world.runUntil(0.3, () => {
      most = Math.max(most, arm.state.q[0]);
      return true;
    });
    expect(most).toBeLessThan(0.5 + 1e-4);
    expect(most).toBeGreaterThan(0.49);
    world.runUntil(10);
    expect(arm.state.q[0]).toBeGreaterThan(-0.3 - 1e-4);
  });

  it('hold by dry friction, to the newton metre', () => {
    const torque = 9.81 * Math.sin(0.4);
    for (const [friction, holds] of [
      [torque * 1.0001, true],
      [torque * 0.999, false],
    ] as const) {
      const world = new World({ step: 0.002 });
      const mechanism = pendulum({ friction });
      const arm = world.add(mechanism, { state: new State(mechanism).set('arm', 0.4) });
      world.runUntil(1);
      expect(Math.abs(arm.state.q[0] - 0.4) < 1e-9).toBe(holds);
    }
  });

  it('are driven by motors', () => {
    const world = new World({ step: 0.005 });
    const mechanism = pendulum({});
    const arm = world.add(mechanism);
    // Gains that no explicit step would survive.
    arm.drive('arm', { kind: 'position', position: 1, stiffness: 1e7, damping: 1e5 });
    world.runUntil(3);
    expect(arm.state.q[0]).toBeCloseTo(1, 4);
    arm.drive('arm', { kind: 'velocity', velocity: 0.7 });
    world.step();
    expect(arm.state.v[0]).toBeCloseTo(0.7, 8);
    arm.drive('arm', { kind: 'velocity', velocity: 0.7, limit: 1 });
    world.step();
    // A motor that weak cannot hold the arm's weight.
    expect(arm.state.v[0]).toBeLessThan(0.69);
    arm.drive('arm', { kind: 'torque', torque: (time) => (time > 0 ? 9.81 * Math.sin(arm.state.q[0]) : 0) });
    const before = arm.state.v[0];
    world.step();
    expect(arm.state.v[0]).toBeCloseTo(before, 2);
    arm.drive('arm', { kind: 'position', position: 3, stiffness: 1e4, damping: 10, limit: 2 });
    world.step();
    const { qdd } = world.solved(arm);
    expect(qdd[0]).toBeLessThan(3);
    expect(() => arm.drive('arn', undefined)).not.toThrow();
    expect(() => arm.drive('arn', { kind: 'torque', torque: 1 })).toThrow(/arm/);
  });

  it('carry forces that inverse dynamics with the contact forces gives', () => {
    for (let seed = 1; seed <= 15; seed++) {
      const spec = randomSpec(seed, { base: 'floating', bodies: 6 });
      const shape = {
        E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
        t: [0, 0, 0],
        geometry: { kind: 'sphere', radius: 0.1 },
      } as const;
      const mechanism = createMechanism({
        ...spec,
        bodies: spec.bodies.map((body) => ({ ...body, collisions: [shape] })),
      });
      const state = State.random(mechanism, seed);
      const plain = new PlainDynamics(mechanism);
      const poses = plain.poses(state);
      const lowest = Math.min(...mechanism.bodies.map((_, i) => poses[12 * i + 11]));
      const { iq, E } = mechanism.joints[0];
      for (let k = 0; k < 3; k++) state.q[iq + 4 + k] += E[3 * k + 2] * (0.11 - lowest);
      const world = new World({ step: 0.002, gravity: mechanism.gravity });
      world.ground();
      const figure = world.add(mechanism, { state, selfCollision: false });
      world.runUntil(0.1);
      const solved = world.solved(figure);
      const expected = new Float64Array(6 * mechanism.bodies.length);
      const tau = plain.inverse(solved.state, solved.qdd, { external: solved.external, jointForces: expected });
      const size = Math.max(1, ...expected.map(Math.abs));
      for (let k = 0; k < expected.length; k++)
        expect(Math.abs(solved.jointForces[k] - expected[k]) / size, `seed ${seed}, ${k}`).toBeLessThan(1e-10);
      // Nothing drives the joints: all of it is done by contacts and inertia.
      const largest = Math.max(...solved.external.map(Math.abs), size);
      expect(Math.max(...tau.map(Math.abs)) / largest, `seed ${seed}`).toBeLessThan(1e-8);
    }
  });

  it('keep loops closed and couplings followed', () => {
    const rod = { mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0, 0, 0, 0.08, 0, 0, 0, 0.08] } as const;
    const fourBar = new MechanismBuilder('four-bar')
      .link('a', { parent: null, joint: { type: 'revolute', axis: [0, 1, 0] }, ...rod })
      .link('b', { parent: 'a', joint: { type: 'revolute', axis: [0, 1, 0] }, at: [1, 0, 0], ...rod })
      .link('c', { parent: null, joint: { type: 'revolute', axis: [0, 1, 0] }, at: [1, 0, 0.3], ...rod })
      .loop({
        name: 'close',
        type: 'revolute',
        axis: [0, 1, 0],
        a: { body: 'b', t: [1, 0, 0] },
        b: { body: 'c', t: [1, 0, 0] },
      })
      .build();
    const state = new State(fourBar);
    // Rods of one length: a and c at angles that leave b its length.
    const tip = (angle: number, x: number, z: number): [number, number] => [x + Math.cos(angle), z - Math.sin(angle)];
    const [ax, az] = tip(0.9, 0, 0);
    let c = 0.9;
    for (let k = 0; k < 100; k++) {
      const gap = (angle: number): number => {
        const [x, z] = tip(angle, 1, 0.3);
        return Math.hypot(x - ax, z - az) - 1;
      };
      c -= gap(c) / ((gap(c + 1e-7) - gap(c - 1e-7)) / 2e-7);
    }
    const [cx, cz] = tip(c, 1, 0.3);
    state
      .set('a', 0.9)
      .set('b', Math.atan2(-(cz - az), cx - ax) - 0.9)
      .set('c', c);
    const world = new World({ step: 0.002 });
    const figure = world.add(fourBar, { state, selfCollision: false });
    const before = world.energy().total;
    const plain = new PlainDynamics(fourBar);
    expect(plain.forward(figure.state).every(Number.isFinite)).toBe(true);
    world.runUntil(1, ({ report }) => {
      expect(report.residual).toBeLessThan(1e-8);
      return true;
    });
    expect(figure.closing!.gap(figure.state)).toBeLessThan(1e-9);
    expect(figure.closing!.slip(figure.state)).toBeLessThan(1e-5);
    expect(Math.abs(world.energy().total - before)).toBeLessThan(1e-3);
    expect(world.energy().kinetic).toBeGreaterThan(0.1);
  });

  it('an IMU reads gravity at rest and nothing in free fall', () => {
    const world = new World({ step: 0.001 });
    world.ground();
    const crate = world.add(box([1, 1, 1]), { at: [0, 0, 2] });
    world.runUntil(0.1);
    for (const x of world.imu(crate, 'box').acceleration) expect(x).toBeCloseTo(0, 9);
    world.runUntil(2);
    const { acceleration } = world.imu(crate, 'box');
    expect(acceleration[2]).toBeCloseTo(9.81, 6);
    expect(world.pose(crate, 'box').t[2]).toBeCloseTo(0.5, 4);
    expect(world.contactForce(crate, 'box').force[2]).toBeCloseTo(9.81 * 1000, 3);
  });
});

describe('loop joints with the ground', () => {
  // A mechanism with a free base that a loop joint holds does not fly: its momentum is not that of free fall.
  it('hold a free chain as a simulation without contacts does, the better the shorter the step', () => {
    const mechanism = builtinMechanism('chain-4-free');
    const start = State.random(mechanism, 3);
    const [hand] = mechanism.bodies.slice(-1);
    const at = dynamics(mechanism).pose(start, hand.name).t;
    const options = { name: 'grip', a: hand.name, b: null, joint: { type: 'spherical' as const }, at };
    const { mechanism: held, state } = connect(mechanism, start, options);
    const simulation = new Simulation(held, { state });
    simulation.runUntil(0.2);
    const differences = [2e-3, 1e-3].map((step) => {
      const world = new World({ step });
      const member = world.add(mechanism, { state: start });
      world.connect(member, options);
      world.runUntil(0.2);
      expect(Math.hypot(...world.pose(member, hand.name).t.map((x, k) => x - at[k]))).toBeLessThan(1e-8);
      return Math.max(...member.state.q.map((x, k) => Math.abs(x - simulation.state.q[k])));
    });
    expect(differences[0]).toBeLessThan(1e-2);
    expect(differences[1]).toBeLessThan(0.6 * differences[0]);
  });
});
