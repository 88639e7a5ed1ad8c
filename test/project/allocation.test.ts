import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const DIST = new URL('../../dist/', import.meta.url);

/**
 * A program of its own, so that nothing else allocates: after a warm-up, 2e4 calls without a garbage collection in
 * between. An object of 16 bytes in each call would show as 0.32 MB, in every round; what the engine of JavaScript
 * allocates when it compiles a function again shows in one of them, so the least of several rounds counts.
 */
const PROGRAM = `
import { dynamics as door, State } from '${new URL('index.js', DIST).href}';
import { aba, createAba } from '${new URL('reference/aba.js', DIST).href}';
import { builtinMechanism } from '${new URL('models/index.js', DIST).href}';
import { MechanismBuilder } from '${new URL('index.js', DIST).href}';
const all = new MechanismBuilder('all');
const types = ['floating', 'revolute', 'prismatic', 'helical', 'cylindrical', 'universal', 'planar', 'spherical', 'fixed', 'floating', 'revolute'];
types.forEach((type, i) => all.link('b' + i, {
  parent: i === 0 ? null : 'b' + (i - 1), joint: { type, pitch: 0.1, axis: [0.6, 0, 0.8] }, at: [0.1, 0.2, 0.3], rpy: [0.1, 0.2, 0.3],
  mass: 1, com: [0.1, 0, 0], inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1],
}));
const report = {};
for (const mechanism of [builtinMechanism('human-34'), builtinMechanism('chain-8-spherical'), all.build()]) {
  const plain = door(mechanism, { engine: 'plain' });
  const state = State.random(mechanism, 1);
  const tau = new Float64Array(mechanism.nv);
  const options = { out: new Float64Array(mechanism.nv) };
  const scratch = createAba(plain.tree);
  const calls = {
    aba: () => aba(plain.tree, scratch, options.out, state.q, state.v, tau, null),
  };
  for (const engine of ['plain', 'auto']) {
    const dynamics = door(mechanism, { engine });
    calls['forward ' + engine] = () => dynamics.forward(state, tau, options);
    calls['inverse ' + engine] = () => dynamics.inverse(state, tau, options);
  }
  for (const [name, call] of Object.entries(calls)) {
    for (let k = 0; k < 1e4; k++) call();
    let least = Infinity;
    for (let round = 0; round < 8 && least > 80_000; round++) {
      gc();
      const before = process.memoryUsage().heapUsed;
      for (let k = 0; k < 2e4; k++) call();
      least = Math.min(least, process.memoryUsage().heapUsed - before);
    }
    report[mechanism.name + ' ' + name] = least;
  }
}
console.log(JSON.stringify(report));
`;

/** The same for what a control loop calls in every cycle. */
const TOOLBOX = `
import { createMechanism, dynamics as door, State } from '${new URL('index.js', DIST).href}';
import { mechanismSpec } from '${new URL('mechanism/variants.js', DIST).href}';
import { biasForces, centroidalMotion, coriolisMatrix, difference, gravityForces, integrate, interpolate } from '${new URL('toolbox/index.js', DIST).href}';
const report = {};
// An arm, and the same arm with its hand held: results go into 'out'.
const arm = createMechanism({
  name: 'arm',
  bodies: Array.from({ length: 5 }, (_, i) => ({ name: 'l' + i, mass: 1, com: [0, 0, 0.15], inertia: [0.05, 0, 0, 0, 0.06, 0, 0, 0, 0.04] })),
  joints: Array.from({ length: 5 }, (_, i) => ({
    name: 'j' + i, type: 'revolute', axis: i % 2 === 0 ? [0, 0, 1] : [0, 1, 0],
    parent: i === 0 ? null : 'l' + (i - 1), child: 'l' + i, t: [0, 0, 0.3],
  })),
});
const held = createMechanism({
  ...mechanismSpec(arm),
  loops: [{ name: 'grip', type: 'spherical', a: { body: null, t: [0.3, 0, 0.9] }, b: { body: 'l4', t: [0, 0, 0.3] } }],
});
const { nv, nq } = arm;
const state = State.random(arm, 1);
const [tau, next] = [new Float64Array(nv).fill(0.1), new Float64Array(nq)];
const between = new Float64Array(nq);
const matrix = (rows) => new Float64Array(rows * nv);
const jacobian = { out: matrix(6), in: 'aligned' };
const inverse = { out: { dq: matrix(nv), dv: matrix(nv) } };
const forward = { out: { qdd: new Float64Array(nv), dq: matrix(nv), dv: matrix(nv), dtau: matrix(nv) } };
const poses = { out: new Float64Array(12 * 5) };
const velocities = { out: new Float64Array(6 * 5), poses: poses.out };
const vector = { out: new Float64Array(nv) };
const point = { frame: 'l4', at: [0, 0, 0.1] };
const [open, closed] = [door(arm), door(held)];
const pose = { out: open.pose(state, point), relativeTo: 'l1' };
const velocity = { out: open.velocity(state, point), in: 'aligned' };
const acceleration = { out: open.acceleration(state, point), in: 'aligned', qdd: tau, relativeTo: 'l1' };
const centre = { qdd: tau, out: centroidalMotion(open, state) };
const coriolis = matrix(nv);
const toolbox = {
  gravityForces: () => gravityForces(open, state, vector.out),
  biasForces: () => biasForces(open, state, vector.out),
  coriolisMatrix: () => coriolisMatrix(open, state, coriolis),
  centroidalMotion: () => centroidalMotion(open, state, centre),
  pose: () => open.pose(state, point, pose),
  velocity: () => open.velocity(state, point, velocity),
  acceleration: () => open.acceleration(state, point, acceleration),
  interpolate: () => interpolate(arm, state.q, next, 0.5, between),
  poses: () => open.poses(state, poses),
  velocities: () => open.velocities(state, velocities),
  'jacobian of a body': () => open.jacobian(state, 'l4', jacobian),
  'jacobian of a point': () => open.jacobian(state, point, jacobian),
  jacobianRate: () => open.jacobianRate(state, point, jacobian),
  centroidal: () => open.centroidal(state, jacobian),
  solve: () => open.solve(state, tau, vector),
  inverseDerivatives: () => open.inverseDerivatives(state, tau, inverse),
  forwardDerivatives: () => open.forwardDerivatives(state, tau, forward),
  'forward with a loop': () => closed.forward(state, tau, vector),
  'forwardDerivatives with a loop': () => closed.forwardDerivatives(state, tau, forward),
  integrate: () => integrate(arm, state.q, tau, 0.01, next),
  difference: () => difference(arm, state.q, next, vector.out),
};
for (const [name, call] of Object.entries(toolbox)) {
  for (let k = 0; k < 1e4; k++) call();
  let least = Infinity;
  for (let round = 0; round < 8 && least > 80_000; round++) {
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let k = 0; k < 2e4; k++) call();
    least = Math.min(least, process.memoryUsage().heapUsed - before);
  }
  report[name] = least;
}
console.log(JSON.stringify(report));
`;

describe('no allocation in steady state', () => {
  it.each([
    ['dynamics', PROGRAM, 15],
    ['toolbox', TOOLBOX, 21],
  ])(
    'tens of thousands of calls leave the heap as it was: %s',
    (_, program, functions) => {
      if (!existsSync(fileURLToPath(DIST))) throw new Error('dist is missing: run "npm run build" first');
      // A young generation large enough that no collection hides growth.
      const args = [
        '--expose-gc',
        '--max-semi-space-size=64',
        '--min-semi-space-size=64',
        '--input-type=module',
        '-e',
        program,
      ];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(stderr).toBe('');
      const report = JSON.parse(stdout) as Record<string, number>;
      expect(Object.keys(report)).toHaveLength(functions);
      for (const [name, growth] of Object.entries(report)) expect(growth, name).toBeLessThan(80_000);
    },
    300_000,
  );
});
