// The arms with which inverse kinematics is measured: robots of ../shared/data/urdf, where it is there, and an arm of our own
// with the lengths and limits of a Kinova Gen3.

import { existsSync, readFileSync } from 'node:fs';
import { parseUrdf } from '#src/formats/index.js';
import { MechanismBuilder } from '#src/mechanism/builder.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';

export interface Arm {
  readonly name: string;
  readonly mechanism: Mechanism;
  /** The frame that shall get somewhere. */
  readonly frame: string;
}

const ROBOTS = [
  ['panda.urdf', 'panda_hand_tcp'],
  ['ur5_robot.urdf', 'ee_link'],
  ['talos_full_v2.urdf', 'gripper_left_base_link'],
  ['simple_humanoid.urdf', 'l_wrist'],
] as const;

/** `data`: the folder of the robots' files. */
export function arms(data: string): Arm[] {
  const robots = ROBOTS.filter(([file]) => existsSync(`${data}/${file}`)).map(([file, frame]) => {
    const text = readFileSync(`${data}/${file}`, 'utf8');
    return { name: file, mechanism: parseUrdf(text, { mimic: 'ignore', fixedJoints: 'merge' }), frame };
  });
  return [...robots, { name: 'kinova-like', mechanism: kinovaLike(), frame: 'hand' }];
}

/** Seven axes, upright and across in turn; those that are upright turn without end. */
function kinovaLike(): Mechanism {
  const heights = [0.157, 0.128, 0.21, 0.21, 0.208, 0.106, 0.106];
  const limits = [undefined, 2.41, undefined, 2.66, undefined, 2.23, undefined];
  const builder = new MechanismBuilder('kinova-like');
  heights.forEach((z, k) => {
    const limit = limits[k];
    builder.link(k === 6 ? 'hand' : `link${k}`, {
      parent: k === 0 ? null : `link${k - 1}`,
      joint: {
        type: limit === undefined ? 'continuous' : 'revolute',
        axis: k % 2 === 0 ? [0, 0, 1] : [0, 1, 0],
        ...(limit !== undefined && { limits: { lower: -limit, upper: limit } }),
      },
      at: [0, k % 2 === 0 ? -0.006 : 0.006, z],
      mass: 1,
      com: [0, 0, 0.05],
      inertia: [0.002, 0, 0, 0, 0.002, 0, 0, 0, 0.001],
    });
  });
  return builder.build();
}
