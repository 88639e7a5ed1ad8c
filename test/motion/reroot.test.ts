// [001] section 7.1: a frame computed from the foot that carries the figure. The joint forces and the force of the ground
// that inverseOfMotion gives are put into trees that are really rooted at that foot.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inverseDynamics } from '../../src/dynamics/once.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { RerootMap } from '../../src/engines/plain/reroot-map.js';
import { GROUND, type Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { reroot } from '../../src/mechanism/reroot.js';
import { State } from '../../src/mechanism/state.js';
import { createTree } from '../../src/mechanism/tree.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import type { Foot, Support } from '../../src/motion/support.js';
import { differentiated, type Trajectory } from '../../src/motion/trajectory.js';
import { addToBody, movedTo } from '../../src/motion/wrench.js';
import { aba, createAba } from '../../src/reference/aba.js';
import type { Vec3 } from '../../src/spatial/matrix3.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** Frames that have nothing to do with each other: random states and accelerations. */
function randomFrames(mechanism: Mechanism, seed: number, count: number): Trajectory {
  const states = Array.from({ length: count }, (_, k) => State.random(mechanism, seed + k));
  return {
    mechanism,
    start: 0,
    interval: 0.01,
    count,
    q: Float64Array.from(states.flatMap(({ q }) => [...q])),
    v: Float64Array.from(states.flatMap(({ v }) => [...v])),
    qdd: randomVector(seed, count * mechanism.nv, 3),
  };
}

const foot = (body: number, at: Vec3): Foot => ({ side: 'left', body, points: [{ body, at }] });

describe('a frame of a motion, carried by a body', () => {
  it('re-rooted there, moves as captured under the forces found', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { bodies: 9, base: 'floating', shuffled: true });
        const { nq, nv } = mechanism;
        const random = new Random(seed);
        const trajectory = randomFrames(mechanism, seed, 3);
        const body = random.below(mechanism.bodies.length);
        const feet = [foot(body, [0.1, -0.2, 0.05])];
        const supports: Support[] = [0, 1, 2].map(() => ({ kind: 'left', feet: [0] }));
        const { frames, poses } = inverseOfMotion(trajectory, { feet, supports });
        const root = mechanism.joints.findIndex(({ parent }) => parent === GROUND);
        frames.forEach((frame, k) => {
          const q = trajectory.q.slice(k * nq, (k + 1) * nq);
          const v = trajectory.v.slice(k * nv, (k + 1) * nv);
          const qdd = trajectory.qdd.slice(k * nv, (k + 1) * nv);
          // Nothing is left at the old root.
          const { iv } = mechanism.joints[root];
          const size = Math.max(1, ...frame.total.force.map(Math.abs), ...frame.total.moment.map(Math.abs));
          for (let d = 0; d < 6; d++) expect(Math.abs(frame.tau[iv + d]) / size).toBeLessThan(1e-10);
          const ground = new Float64Array(6);
          addToBody(ground, 0, poses[k], body, movedTo(frame.total, frame.point, [0, 0, 0]));
          const got = new Float64Array(nv);
          if (body === root) {
            const tau = frame.tau.slice();
            tau.set(ground, iv);
            new PlainDynamics(mechanism).forward(new State(mechanism).copy({ q, v } as unknown as State), tau, {
              out: got,
            });
          } else {
            const map = new RerootMap(createTree(mechanism), body);
            map.toTree(q, v, frame.tau, null);
            // The joint that now carries the foot carries what the ground gives.
            map.tau.set(ground, iv);
            map.external.fill(0);
            const treeQdd = new Float64Array(nv);
            aba(map.tree, createAba(map.tree), treeQdd, map.q, map.v, map.tau, null, map.tree.armature);
            map.fromTree(got, treeQdd);
          }
          expect(relativeError(got, qdd)).toBeLessThan(1e-8);
        });
      }),
      { numRuns: 150 },
    );
  });

  it('has the joint forces, and the force of the ground, of the mechanism that reroot makes', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { bodies: 9, base: 'floating' });
        const { nq, nv, bodies, joints } = mechanism;
        const trajectory = randomFrames(mechanism, seed, 2);
        const body = new Random(seed).below(bodies.length);
        const feet = [foot(body, [0.1, -0.2, 0.05])];
        const supports: Support[] = [0, 1].map(() => ({ kind: 'left', feet: [0] }));
        const { frames, poses } = inverseOfMotion(trajectory, { feet, supports });
        frames.forEach((frame, k) => {
          const state = new State(mechanism);
          state.q.set(trajectory.q.subarray(k * nq, (k + 1) * nq));
          state.v.set(trajectory.v.subarray(k * nv, (k + 1) * nv));
          const { name: top } = bodies[body];
          const accelerations = trajectory.qdd.slice(k * nv, (k + 1) * nv);
          const next = reroot(mechanism, state, { top, at: frame.point, joint: 'floating', accelerations });
          const tau = inverseDynamics(next.mechanism, next.state, next.accelerations!);
          // The joint of the top body sits at the point of support and gives what the ground gives.
          const carrier = next.mechanism.joints[next.mechanism.bodyIndex(top)];
          const E = poses[k].subarray(12 * body, 12 * body + 9);
          const inBody = (x: Vec3): number[] => [0, 3, 6].map((r) => E[r] * x[0] + E[r + 1] * x[1] + E[r + 2] * x[2]);
          const expected = [...inBody(frame.total.moment), ...inBody(frame.total.force)];
          expect(relativeError(tau.subarray(carrier.iv, carrier.iv + 6), expected)).toBeLessThan(1e-9);
          // Joints with one degree of freedom have the same force read from either side, all others that size at least.
          const bigger = Math.max(...frame.tau.map(Math.abs), 1);
          for (const { name, model, iv, parent } of joints) {
            if (parent === GROUND) continue;
            const other = next.mechanism.joints[next.mechanism.jointIndex(name)].iv;
            const [mine, theirs] = [frame.tau.subarray(iv, iv + model.nv), tau.subarray(other, other + model.nv)];
            if (model.nv === 1) expect(Math.abs(Math.abs(mine[0]) - Math.abs(theirs[0])) / bigger).toBeLessThan(1e-10);
            if (model.name === 'spherical')
              expect(Math.abs(Math.hypot(...mine) - Math.hypot(...theirs)) / bigger).toBeLessThan(1e-10);
          }
        });
      }),
      { numRuns: 100 },
    );
  });

  it('two feet: the split moves it as captured too', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { bodies: 8, base: 'floating' });
        const { nv } = mechanism;
        const trajectory = randomFrames(mechanism, seed, 2);
        const feet = [foot(7, [0, 0, 0.1]), foot(4, [0.2, 0, 0])];
        const supports: Support[] = [0, 1].map(() => ({ kind: 'double', feet: [0, 1] }));
        const { frames, poses } = inverseOfMotion(trajectory, { feet, supports, doubleSupport: 'split' });
        frames.forEach((frame, k) => {
          expect(frame.feet).toHaveLength(2);
          const external = new Float64Array(6 * mechanism.bodies.length);
          for (const { body, point, ...wrench } of frame.feet) {
            const b = mechanism.bodyIndex(body);
            addToBody(external, 6 * b, poses[k], b, movedTo(wrench, point, [0, 0, 0]));
          }
          const state = new State(mechanism);
          state.q.set(trajectory.q.subarray(k * mechanism.nq, (k + 1) * mechanism.nq));
          state.v.set(trajectory.v.subarray(k * nv, (k + 1) * nv));
          const got = new PlainDynamics(mechanism).forward(state, frame.tau, { external });
          expect(relativeError(got, trajectory.qdd.subarray(k * nv, (k + 1) * nv))).toBeLessThan(1e-8);
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('velocities', () => {
  /** A smooth motion of every joint: from its neutral position along a vector that changes with time. */
  function smooth(mechanism: Mechanism, seed: number, h: number, count: number): Float64Array {
    const { nq, nv } = mechanism;
    const [size, phase] = [randomVector(seed, nv, 0.7), randomVector(seed + 1, nv, 3)];
    const q = new Float64Array(count * nq);
    const u = new Float64Array(nv);
    for (let k = 0; k < count; k++) {
      for (let d = 0; d < nv; d++) u[d] = size[d] * Math.sin(3 * k * h + phase[d]);
      for (const { model, iq, iv } of mechanism.joints) {
        model.neutral(q, k * nq + iq);
        model.integrate(q, k * nq + iq, u, iv, 1);
      }
    }
    return q;
  }

  /** Largest difference of velocities differentiated first and re-rooted, and re-rooted first and differentiated. */
  function difference(mechanism: Mechanism, seed: number, root: number, h: number): number {
    const { nq, nv } = mechanism;
    const count = 9;
    const q = smooth(mechanism, seed, h, count);
    const before = differentiated({ mechanism, start: 0, interval: h, count, q });
    const map = new RerootMap(createTree(mechanism), root);
    const nothing = new Float64Array(nv);
    const positions = new Float64Array(count * nq);
    const velocities = new Float64Array(count * nv);
    for (let k = 0; k < count; k++) {
      map.toTree(q.slice(k * nq, (k + 1) * nq), before.v.slice(k * nv, (k + 1) * nv), nothing, null);
      positions.set(map.q, k * nq);
      velocities.set(map.v, k * nv);
    }
    // The coordinates of the re-rooted tree have the same places and kinds: only their meaning is another.
    const after = differentiated({ mechanism, start: 0, interval: h, count, q: positions });
    let worst = 0;
    for (let k = 4 * nv; k < 5 * nv; k++) worst = Math.max(worst, Math.abs(after.v[k] - velocities[k]));
    return worst;
  }

  it('re-rooted are those differentiated afterwards, to the fourth order of the differentiation', () => {
    const totals = [0, 0];
    for (let seed = 1; seed <= 60; seed++) {
      const mechanism = randomMechanism(seed, { bodies: 7, base: 'floating' });
      [0.02, 0.01].forEach((h, k) => {
        const worst = difference(mechanism, seed, 6, h);
        expect(worst, `seed ${seed}`).toBeLessThan(1e-4);
        totals[k] += worst;
      });
    }
    // Half the step leaves a sixteenth, over all of them.
    expect(totals[0]).toBeGreaterThan(1e-6);
    expect(totals[0] / totals[1]).toBeGreaterThan(15);
    expect(totals[0] / totals[1]).toBeLessThan(17);
  });
});
