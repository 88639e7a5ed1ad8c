// The past of a scene as a replay, which plays without the physics.

import { type Replay, ReplayRecorder } from 'manikin/plot';
import type { History } from './history.js';
import { bodyPoses, worldPicture } from './picture.js';
import type { Opened } from './scenes.js';

/** All moments from the first to the last. The world is then where it was. */
export function replayOf({ title, about, run }: Opened, history: History): Replay {
  const { world } = run;
  const now = run.save();
  const recorder = new ReplayRecorder({
    title,
    about,
    obstacles: world.obstacles.map(({ shape }) => shape),
    curves: [
      { title: 'Energy', unit: 'J', names: ['kinetic', 'potential', 'total'] },
      { title: 'Contacts', unit: 'points', names: ['points'] },
    ],
  });
  try {
    for (const { checkpoint } of history.moments) {
      run.restore(checkpoint);
      const { time, contactForces, kinetic, potential, contacts } = worldPicture(world);
      recorder.add({
        time,
        members: world.members.map(({ name, state: { mechanism } }) => ({ name, mechanism })),
        poses: world.members.map(({ state }) => bodyPoses(state)),
        forces: contactForces,
        values: [kinetic, potential, kinetic + potential, contacts],
      });
    }
  } finally {
    run.restore(now);
  }
  return recorder.finish();
}
