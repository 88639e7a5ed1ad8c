// Models that come with the bundled scenes.

import type { Model } from '../files/adapted.js';
import { parseMjcf } from '../formats/mjcf.js';
import { MechanismBuilder } from '../mechanism/builder.js';
import { State } from '../mechanism/state.js';
import { box as boxShape, type Color, capsule as capsuleShape, sphere as sphereShape } from '../models/shapes.js';
import type { Mat3, Vec3 } from '../spatial/matrix3.js';
import { HUMANOID } from './humanoid-mjcf.js';

const STEEL: Color = [0.6, 0.62, 0.66, 1];
const AXIS: Vec3 = [0, 1, 0];

/** A leg of two thighs and two shanks that meet in one foot: a closed loop, on a vertical rail. */
function leg(): Model {
  const rod = (mass: number, to: Vec3): { mass: number; com: Vec3; inertia: Mat3 } => {
    const k = (mass * (to[0] ** 2 + to[2] ** 2)) / 12;
    return { mass, com: [to[0] / 2, 0, to[2] / 2], inertia: [k, 0, 0, 0, k, 0, 0, 0, 0.1 * k] };
  };
  const builder = new MechanismBuilder('leg').link('carriage', {
    parent: null,
    joint: { type: 'prismatic', axis: [0, 0, 1], name: 'rail', damping: 1 },
    at: [0, 0, 0.62],
    mass: 3,
    inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02],
    visuals: [boxShape([0, 0, 0], [0.24, 0.1, 0.08], STEEL)],
  });
  for (const [side, sign] of [
    ['front', 1],
    ['back', -1],
  ] as const) {
    const thigh: Vec3 = [sign * 0.14, 0, -0.2];
    const shank: Vec3 = [-sign * 0.2, 0, -0.3];
    const foot = side === 'front' ? [{ ...sphereShape(shank, 0.04, STEEL), friction: 0.9 }] : [];
    builder
      .link(`${side}_thigh`, {
        parent: 'carriage',
        joint: { type: 'revolute', axis: AXIS, name: `${side}_hip`, damping: 0.05 },
        at: [sign * 0.06, 0, 0],
        ...rod(0.5, thigh),
        visuals: [capsuleShape([0, 0, 0], thigh, 0.02, STEEL)],
      })
      .link(`${side}_shank`, {
        parent: `${side}_thigh`,
        joint: { type: 'revolute', axis: AXIS, name: `${side}_knee`, damping: 0.05 },
        at: thigh,
        ...rod(0.3, shank),
        visuals: [capsuleShape([0, 0, 0], shank, 0.015, STEEL), ...foot],
        collisions: foot,
      });
  }
  builder.loop({
    name: 'foot',
    type: 'revolute',
    axis: AXIS,
    a: { body: 'front_shank', t: [-0.2, 0, -0.3] },
    b: { body: 'back_shank', t: [0.2, 0, -0.3] },
  });
  const mechanism = builder.build();
  return { mechanism, state: new State(mechanism) };
}

/** By the name that scenes know them by; made when asked for. */
export const SCENE_MODELS: ReadonlyMap<string, () => Model> = new Map([
  ['leg', leg],
  ['humanoid', () => parseMjcf(HUMANOID, { file: 'humanoid' })],
]);
