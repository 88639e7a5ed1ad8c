// A captured motion that motors follow: a BVH file with its own figure, or a table of coordinates (MOT, STO) with its model.

import { type Scene, sceneWorld } from 'manikin/scenes';
import type { Run } from './scenes.js';

const MOTION = /\.(bvh|mot|sto)$/i;
const GRAVITY = 9.81;
const MODEL = /\.(osim|urdf|xml|sdf|json)$/i;

export function followed(files: ReadonlyMap<string, Uint8Array>): Run {
  const names = [...files.keys()];
  const motion = names.find((name) => MOTION.test(name));
  if (motion === undefined) throw new Error('A motion to follow is a .bvh, .mot or .sto file.');
  const model = /\.bvh$/i.test(motion) ? motion : names.find((name) => MODEL.test(name));
  if (model === undefined) throw new Error(`"${motion}" needs the model it belongs to: open it together with it.`);
  // Captured motions have y upwards: BVH files and those of OpenSim.
  const scene: Scene = {
    gravity: [0, -GRAVITY, 0],
    mechanisms: [
      {
        model,
        damping: 1,
        control: {
          kind: 'motion',
          motion,
          stiffness: 300,
          damping: 15,
          assist: { stiffness: 3000, damping: 100 },
        },
      },
    ],
    ground: { plane: [0, 1, 0, 0], friction: 0.8 },
    step: 5e-4,
  };
  const run = sceneWorld(scene, { files: { folder: '', read: (path) => files.get(path) } });
  // Figures of captures have no soles to stand on: their weight is carried where they are held.
  const [member] = run.world.members;
  const root = member.state.mechanism.joints.findIndex(({ type, parent }) => type === 'floating' && parent < 0);
  if (root < 0 || member.state.mechanism.bodies.some(({ collisions }) => collisions.length > 0)) return run;
  const weight = GRAVITY * member.state.mechanism.bodies.reduce((sum, { mass }) => sum + mass, 0);
  return {
    world: run.world,
    warnings: run.warnings,
    step: () => {
      member.push(member.state.mechanism.bodies[root].name, [0, weight, 0]);
      run.step();
    },
    save: () => run.save(),
    restore: (checkpoint) => run.restore(checkpoint),
  };
}
