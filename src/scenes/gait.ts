// A walk of our own for the human figures: hinge angles over a stride as smooth bumps of the size that gait laboratories report, and the
// root carried so that the lower foot stays on the ground.

import { dynamics } from '../dynamics/dynamics.js';
import { MechanismError } from '../mechanism/errors.js';
import { GROUND, type Joint, type Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { cosine } from '../spatial/trigonometry.js';
import type { Guide } from './motions.js';

/** Seconds of a stride (two steps). */
const STRIDE = 1.1;
/** Samples of the root over a stride. */
const SAMPLES = 88;
const DEGREE = Math.PI / 180;

/** A bump at a part of the stride, repeated with it. */
function bump(phase: number, at: number, width: number): number {
  const x = phase - at - Math.round(phase - at);
  // exp(-y) as the 1024th power of exp(-y / 1024), good to y^3 / 6e6: Math.exp has not the same bits everywhere.
  const y = (0.5 * x * x) / (width * width) / 1024;
  let power = 1 / (1 + y + 0.5 * y * y);
  for (let k = 0; k < 10; k++) power *= power;
  return power;
}

/** Degrees at a phase that begins with the heel strike of the same side, in the signs of the figures. */
const ANGLES: readonly (readonly [joint: string, (phase: number) => number])[] = [
  ['hip_y', (p) => -(8 + 19 * cosine(2 * Math.PI * p + 0.15))],
  ['knee', (p) => 6 + 11 * bump(p, 0.14, 0.07) + 54 * bump(p, 0.73, 0.09)],
  ['ankle_y', (p) => 4 * bump(p, 0.07, 0.04) - 9 * bump(p, 0.43, 0.11) + 15 * bump(p, 0.63, 0.05)],
  ['shoulder_y', (p) => 14 * cosine(2 * Math.PI * p) + 4],
  ['elbow', (p) => -22 + 8 * cosine(2 * Math.PI * p)],
];

/** The walk for a figure with these joints, from where its root is in `start`, along x. */
export function gait(start: State): Guide {
  const { mechanism } = start;
  const hinges = (['left_', 'right_'] as const).flatMap((side, k) =>
    ANGLES.map(([name, angle]) => {
      if (!mechanism.hasJoint(side + name))
        throw MechanismError.of(
          'motion',
          `"${mechanism.name}"`,
          `The gait is for figures with a joint "${side + name}", such as human-34.`,
        );
      return { joint: mechanism.joint(side + name), angle, delay: k / 2 };
    }),
  );
  const root = mechanism.joints.find(({ type, parent }) => type === 'floating' && parent === GROUND);
  if (root === undefined) throw MechanismError.of('motion', `"${mechanism.name}"`, 'The gait needs a free root.');
  const pose = (time: number, q: Float64Array): void => {
    for (const { joint, angle, delay } of hinges) q[joint.iq] = DEGREE * angle(time / STRIDE + delay);
  };
  const way = rootWay(mechanism, root, pose);
  const at = start.q.slice(root.iq, root.iq + 7);
  const positions = (time: number, q: Float64Array): void => {
    const t = Math.max(0, time);
    q.set(start.q);
    pose(t, q);
    const sample = ((t / STRIDE) % 1) * SAMPLES;
    const k = Math.floor(sample);
    const height = way.height[k] + (sample - k) * (way.height[(k + 1) % SAMPLES] - way.height[k]);
    q.set(at, root.iq);
    q[root.iq + 4] = at[4] + way.speed * t;
    q[root.iq + 6] = height;
  };
  const ahead = new Float64Array(mechanism.nq);
  const dt = 1e-3;
  return {
    mechanism,
    duration: Number.POSITIVE_INFINITY,
    at(time, q, v) {
      positions(time, q);
      positions(time + dt, ahead);
      for (const { model, iq, iv } of mechanism.joints) {
        model.difference(v, iv, q, iq, ahead, iq);
        for (let j = 0; j < model.nv; j++) v[iv + j] /= dt;
      }
    },
  };
}

/** Height of the root over a stride at which the lowest foot touches the ground, and the mean speed at which that foot stays. */
function rootWay(
  mechanism: Mechanism,
  root: Joint,
  pose: (time: number, q: Float64Array) => void,
): { height: Float64Array; speed: number } {
  const engine = dynamics(mechanism, { engine: 'plain' });
  const soles = ['left_foot', 'right_foot'].map((name) => {
    const body = mechanism.bodyIndex(name);
    const corners = mechanism.bodies[body].collisions.flatMap(({ t, geometry }) => {
      if (geometry.kind !== 'box') return [];
      const [x, y, z] = geometry.size;
      return [-0.5, 0.5].flatMap((i) => [-0.5, 0.5].map((j) => [t[0] + i * x, t[1] + j * y, t[2] - z / 2]));
    });
    return { body, corners };
  });
  const state = new State(mechanism);
  state.q.fill(0, root.iq + 4, root.iq + 7);
  const height = new Float64Array(SAMPLES);
  let [way, before] = [0, [0, 0]];
  for (let k = 0; k <= SAMPLES; k++) {
    pose((k / SAMPLES) * STRIDE, state.q);
    const poses = engine.poses(state);
    const places = soles.map(({ body, corners }) => {
      const X = poses.subarray(TRANSFORM * body, TRANSFORM * (body + 1));
      const along = (axis: number, c: readonly number[]): number =>
        X[9 + axis] + X[axis] * c[0] + X[3 + axis] * c[1] + X[6 + axis] * c[2];
      return { low: Math.min(...corners.map((c) => along(2, c))), x: X[9] };
    });
    const lower = places[0].low < places[1].low ? 0 : 1;
    height[k % SAMPLES] = -places[lower].low;
    if (k > 0) way -= places[lower].x - before[lower];
    before = places.map(({ x }) => x);
  }
  return { height, speed: way / STRIDE };
}
