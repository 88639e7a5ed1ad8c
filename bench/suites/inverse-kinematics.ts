// Inverse kinematics of arms: random poses that can be reached, each from a random start, and a path that is followed. How many
// are reached within 1e-8, and the microseconds it takes: of each pose and each step of the path the least of many rounds.

import { fileURLToPath } from 'node:url';
import { dynamics } from '#src/dynamics/dynamics.js';
import { State } from '#src/mechanism/state.js';
import { InverseKinematics } from '#src/toolbox/index.js';
import { type Arm, arms } from '../arms.js';

const DATA = fileURLToPath(new URL('../../../../../shared/data/urdf', import.meta.url));
const [POSES, STEPS, ROUNDS] = [100, 100, 40];
const TOLERANCE = 1e-8;

export function run(): object {
  return { results: arms(DATA).map(measured) };
}

function measured({ name, mechanism, frame }: Arm): object {
  const door = dynamics(mechanism);
  const at = (state: State) => door.pose(state, frame);
  const task = { kind: 'pose' as const, frame, pose: at(new State(mechanism)) };
  const solver = new InverseKinematics(mechanism, [task], { tolerance: TOLERANCE });
  const range = (count: number): number[] => Array.from({ length: count }, (_, k) => k);
  const poses = range(POSES).map((k) => at(State.random(mechanism, 100 + k)));
  const starts = range(POSES).map((k) => State.random(mechanism, 5000 + k).q);
  const cold = poses.map(() => Number.POSITIVE_INFINITY);
  let reached = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const [k, pose] of poses.entries()) {
      task.pose = pose;
      const start = performance.now();
      const { converged } = solver.solve(starts[k]);
      cold[k] = Math.min(cold[k], 1e3 * (performance.now() - start));
      if (round === 0 && converged) reached++;
    }
  const moving = new State(mechanism);
  const path = range(STEPS).map((k) => {
    for (let j = 0; j < mechanism.nq; j++) moving.q[j] = 0.4 + 0.3 * Math.sin(j + (2 * Math.PI * k) / STEPS);
    return at(moving);
  });
  const tracking = path.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++)
    for (const [k, pose] of path.entries()) {
      task.pose = pose;
      const start = performance.now();
      solver.solve();
      tracking[k] = Math.min(tracking[k], 1e3 * (performance.now() - start));
    }
  return {
    arm: name,
    axes: mechanism.nv,
    poses: POSES,
    reached,
    usCold: summary(cold),
    usTracking: summary(tracking),
  };
}

function summary(times: readonly number[]): object {
  const sorted = [...times].sort((a, b) => a - b);
  const round = (x: number): number => Math.round(100 * x) / 100;
  return {
    median: round(sorted[sorted.length >> 1]),
    mean: round(times.reduce((sum, x) => sum + x, 0) / times.length),
    most: round(sorted.at(-1)!),
  };
}
