// Friction that holds: a box on a slope just below and just above its critical angle.
// prints: friction 0.3641: held
// prints: friction 0.3638: slides
import { sceneWorld } from 'manikin/scenes';

const angle = (20 * Math.PI) / 180; // tan = 0.36397
for (const friction of [0.3641, 0.3638]) {
  const run = sceneWorld({
    mechanisms: [
      {
        model: { kind: 'box', size: [0.2, 0.2, 0.2], friction },
        at: [0.1 * Math.sin(angle), 0, 0.1 * Math.cos(angle)],
        turned: [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0],
      },
    ],
    ground: { plane: [Math.sin(angle), 0, Math.cos(angle), 0] },
    duration: 1,
  });
  run.runUntil(run.duration);
  const [x] = run.world.pose(run.world.members[0], 'box').t;
  const moved = Math.abs(x - 0.1 * Math.sin(angle));
  console.log(`friction ${friction}: ${moved < 1e-9 ? 'held' : 'slides'}`);
}
