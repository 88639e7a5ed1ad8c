import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { State } from '../../src/mechanism/state.js';
import { accelerations, createKinematics } from '../../src/reference/kinematics.js';
import { randomMechanism, randomVector } from '../support/random-mechanism.js';
import { runs } from '../support/runs.js';

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** The state a moment later or earlier: positions moved along v, velocities by qdd. Exact to second order in h. */
function moved(state: State, qdd: Float64Array, h: number): State {
  const next = state.clone();
  const mean = state.v.map((v, k) => v + (h / 2) * qdd[k]);
  for (const { model, iq, iv } of state.mechanism.joints) model.integrate(next.q, iq, mean, iv, h);
  for (let k = 0; k < next.v.length; k++) next.v[k] += h * qdd[k];
  return next;
}

describe('conservation laws', () => {
  it('power: the energy changes by the work of the joint forces', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { armature: true, forest: true });
        const dynamics = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const tau = randomVector(seed + 2, mechanism.nv, 2);
        const qdd = dynamics.forward(state, tau);
        const h = 1e-4 / (1 + Math.max(...qdd.map(Math.abs), 0) ** 0.5);
        const total = (t: number): number => {
          const { kinetic, potential } = dynamics.energy(moved(state, qdd, t));
          return kinetic + potential;
        };
        const rate = (total(h) - total(-h)) / (2 * h);
        let power = 0;
        for (let k = 0; k < mechanism.nv; k++) power += tau[k] * state.v[k];
        const { kinetic, potential } = dynamics.energy(state);
        const size = 1 + kinetic + Math.abs(potential) + Math.abs(power);
        expect(Math.abs(rate - power)).toBeLessThan(1e-5 * size * (1 + Math.max(...qdd.map(Math.abs), 0)));
      }),
      { numRuns: runs(100) },
    );
  });

  it('momentum: that of a free system changes by gravity alone', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed, { base: 'floating' });
        const dynamics = new PlainDynamics(mechanism);
        const state = State.random(mechanism, seed + 1);
        const tau = randomVector(seed + 2, mechanism.nv, 2);
        const top = mechanism.joints.findIndex((joint) => joint.parent < 0);
        tau.fill(0, mechanism.joints[top].iv, mechanism.joints[top].iv + 6);
        const qdd = dynamics.forward(state, tau);
        const h = 1e-4 / (1 + Math.max(...qdd.map(Math.abs)) ** 0.5);
        const [after, before] = [dynamics.energy(moved(state, qdd, h)), dynamics.energy(moved(state, qdd, -h))];
        const { mass, com } = dynamics.energy(state);
        const [gx, gy, gz] = mechanism.gravity;
        const torque = [com[1] * gz - com[2] * gy, com[2] * gx - com[0] * gz, com[0] * gy - com[1] * gx];
        for (let k = 0; k < 3; k++) {
          const linear = (after.momentum.linear[k] - before.momentum.linear[k]) / (2 * h);
          const angular = (after.momentum.angular[k] - before.momentum.angular[k]) / (2 * h);
          const size = 1e-5 * mass * (1 + Math.max(...qdd.map(Math.abs)));
          expect(Math.abs(linear - mass * mechanism.gravity[k])).toBeLessThan(size);
          expect(Math.abs(angular - mass * torque[k])).toBeLessThan(size);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('kinematics: velocities are rates of poses, accelerations rates of velocities, the Jacobian gives both', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const mechanism = randomMechanism(seed);
        const dynamics = new PlainDynamics(mechanism);
        const { tree } = dynamics;
        const state = State.random(mechanism, seed + 1);
        const qdd = randomVector(seed + 2, mechanism.nv);
        const scratch = createKinematics(tree);
        accelerations(tree, scratch, state.q, state.v, qdd);
        const h = 1e-5;
        const [after, before] = [moved(state, qdd, h), moved(state, qdd, -h)];
        const [va, vb] = [dynamics.velocities(after), dynamics.velocities(before)];
        const [pa, pb] = [dynamics.poses(after), dynamics.poses(before)];
        const now = dynamics.velocities(state);
        const pose = dynamics.poses(state);
        mechanism.bodies.forEach((_, b) => {
          const J = dynamics.jacobian(state, b);
          for (let row = 0; row < 6; row++) {
            let sum = 0;
            for (let k = 0; k < mechanism.nv; k++) sum += J[row * mechanism.nv + k] * state.v[k];
            expect(Math.abs(sum - now[6 * b + row])).toBeLessThan(1e-10 * (1 + Math.abs(sum)));
          }
          // Linear velocity in ground coordinates: E^T v = d(origin)/dt.
          for (let k = 0; k < 3; k++) {
            const E = 12 * b;
            const v =
              pose[E + k] * now[6 * b + 3] + pose[E + 3 + k] * now[6 * b + 4] + pose[E + 6 + k] * now[6 * b + 5];
            const rate = (pa[E + 9 + k] - pb[E + 9 + k]) / (2 * h);
            expect(Math.abs(v - rate)).toBeLessThan(1e-5 * (1 + Math.abs(v)));
          }
          // A link frame is fixed in its body, and the rate of body components is the spatial acceleration.
          if (tree.offset[12 * tree.link[b]] === 1 && tree.offset[12 * tree.link[b] + 4] === 1) {
            for (let k = 0; k < 6; k++) {
              const rate = (va[6 * b + k] - vb[6 * b + k]) / (2 * h);
              expect(Math.abs(scratch.a[6 * tree.link[b] + k] - rate)).toBeLessThan(1e-4 * (1 + Math.abs(rate)));
            }
          }
        });
      }),
      { numRuns: runs(60) },
    );
  });
});
