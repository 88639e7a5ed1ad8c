import { describe, expect, it } from 'vitest';
import { LoopClosing } from '../../../../src/engines/plain/assembly/closing.js';
import { PlainDynamics } from '../../../../src/engines/plain/plain-dynamics.js';
import type { JointTypeName } from '../../../../src/joints/index.js';
import { SimulationError } from '../../../../src/mechanism/errors.js';
import type { Mechanism } from '../../../../src/mechanism/mechanism.js';
import { Random } from '../../../../src/mechanism/random.js';
import { State } from '../../../../src/mechanism/state.js';
import { withLoop } from '../../../../src/mechanism/structure.js';
import {
  add,
  apply,
  axisFrame,
  cross,
  dot,
  type Mat3,
  multiply,
  norm,
  rotationFromQuaternion,
  subtract,
  transpose,
  type Vec3,
} from '../../../../src/spatial/matrix3.js';
import { randomMechanism, randomVector } from '../../../support/random-mechanism.js';
import { violations, withoutLoops } from './constrained.js';

interface Pose {
  readonly E: Mat3;
  readonly t: Vec3;
}

function poseOf(mechanism: Mechanism, state: State, body: string): Pose {
  const open = withoutLoops(mechanism);
  const same = new State(open);
  same.q.set(state.q);
  const P = new PlainDynamics(open).poses(same).subarray(12 * mechanism.bodyIndex(body));
  return { E: Array.from(P.subarray(0, 9)) as unknown as Mat3, t: [P[9], P[10], P[11]] };
}

/** A loop joint between the last two bodies whose frames coincide at the state: closed there whatever its type. */
function closedAt(type: JointTypeName, seed: number): { mechanism: Mechanism; state: State } {
  const random = new Random(seed);
  const tree = randomMechanism(seed, {
    bodies: 9,
    types: ['revolute', 'spherical', 'universal', 'prismatic'],
    base: 'floating',
  });
  const state = State.random(tree, seed);
  const world: Pose = { E: rotationFromQuaternion(random.quaternion()), t: [0.2, -0.1, 0.3] };
  const frame = (body: string) => {
    const pose = poseOf(tree, state, body);
    return { body, E: multiply(world.E, transpose(pose.E)), t: apply(pose.E, subtract(world.t, pose.t)) };
  };
  const kind = { type, axis: random.direction(), axis2: random.direction(), pitch: 0.3 };
  const mechanism = withLoop(tree, { name: 'l', ...kind, a: frame('b1'), b: frame('b8') });
  const carried = new State(mechanism);
  carried.q.set(state.q);
  return { mechanism, state: carried };
}

/** How far the frames are from a pose that the joint allows, seen from the two poses alone. */
function misfit(mechanism: Mechanism, state: State): number {
  const [loop] = mechanism.loops;
  const place = ({ body, E, t }: typeof loop.a): Pose => {
    const pose = poseOf(mechanism, state, mechanism.bodies[body].name);
    return { E: multiply(E, pose.E), t: add(pose.t, apply(transpose(pose.E), t)) };
  };
  const [a, b] = [place(loop.a), place(loop.b)];
  const inGround = (pose: Pose, axis: Vec3): Vec3 => apply(transpose(pose.E), axis);
  const [za, zb] = [inGround(a, loop.axis), inGround(b, loop.axis)];
  const d = subtract(b.t, a.t);
  const along = dot(d, za);
  const aside = norm(cross(d, za));
  const tilt = norm(cross(za, zb));
  const turned = multiply(b.E, transpose(a.E));
  const rotated = Math.hypot(...turned.map((x, k) => x - (k % 4 === 0 ? 1 : 0)));
  const [e0, e1, e2] = axisFrame(loop.axis);
  const x: Vec3 = [e0, e1, e2];
  const angle = Math.atan2(dot(cross(inGround(a, x), inGround(b, x)), za), dot(inGround(a, x), inGround(b, x)));
  switch (loop.type) {
    case 'fixed':
      return norm(d) + rotated;
    case 'revolute':
      return norm(d) + tilt;
    case 'prismatic':
      return aside + rotated;
    case 'cylindrical':
      return aside + tilt;
    case 'helical':
      return aside + tilt + Math.abs(along - loop.pitch * angle);
    case 'planar':
      return Math.abs(along) + tilt;
    case 'spherical':
      return norm(d);
    case 'universal':
      return norm(d) + Math.abs(dot(za, inGround(b, loop.axis2)) - dot(loop.axis, loop.axis2));
    default:
      throw new Error(loop.type);
  }
}

describe('closing loops', () => {
  it.each<JointTypeName>([
    'fixed',
    'revolute',
    'prismatic',
    'cylindrical',
    'helical',
    'planar',
    'spherical',
    'universal',
  ])('%s: gaps are closed, and then the velocities obey', (type) => {
    for (let seed = 1; seed <= 8; seed++) {
      const { mechanism, state } = closedAt(type, seed);
      const closing = new LoopClosing(new PlainDynamics(mechanism).tree);
      expect(closing.gap(state)).toBeLessThan(1e-12);
      expect(misfit(mechanism, state)).toBeLessThan(1e-11);
      const push = randomVector(seed + 50, mechanism.nv, 0.05);
      for (const { model, iq, iv } of mechanism.joints) model.integrate(state.q, iq, push, iv, 1);
      const open = misfit(mechanism, state);
      expect(open).toBeGreaterThan(1e-4);
      expect(closing.close(state)).toBeGreaterThan(1e-4);
      expect(misfit(mechanism, state), `${type}, seed ${seed}`).toBeLessThan(1e-10);
      state.v.set(randomVector(seed + 60, mechanism.nv, 1));
      expect(closing.slip(state)).toBeGreaterThan(1e-3);
      closing.hold(state);
      const forbidden = violations(mechanism, new PlainDynamics(withoutLoops(mechanism)), state);
      expect(Math.max(...forbidden.map(Math.abs)), `${type}, seed ${seed}`).toBeLessThan(1e-10);
    }
  });

  it('a gap that no motion can close is an error', () => {
    const { mechanism, state } = closedAt('fixed', 3);
    const stiff = withLoop(mechanism, {
      name: 'far',
      type: 'spherical',
      a: { body: null, t: [50, 0, 0] },
      b: { body: 'b1' },
    });
    const both = withLoop(stiff, {
      name: 'near',
      type: 'spherical',
      a: { body: null, t: [-50, 0, 0] },
      b: { body: 'b1', t: [0.1, 0, 0] },
    });
    const far = new State(both);
    far.q.set(state.q);
    expect(() => new LoopClosing(new PlainDynamics(both).tree).close(far)).toThrow(SimulationError);
  });
});
