// The past as an MCAP file, which Foxglove opens, too.

import { Recorder } from 'manikin/recording';
import type { World } from 'manikin/world';
import type { History } from './history.js';

/** All moments from the first to the last. The world is then where it was. */
export async function record(world: World, history: History): Promise<Uint8Array> {
  const now = world.save();
  const parts: Uint8Array[] = [];
  const sink = {
    write: async (bytes: Uint8Array): Promise<void> => {
      parts.push(bytes.slice());
    },
  };
  const [first, ...rest] = history.moments;
  world.restore(first.checkpoint);
  const recorder = await Recorder.begin(world, sink);
  for (const { checkpoint } of rest) {
    world.restore(checkpoint);
    await recorder.record();
  }
  await recorder.end();
  world.restore(now);
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
