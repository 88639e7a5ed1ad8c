// The past as an MCAP file, which Foxglove opens, too.

import { Recorder } from 'manikin/recording';
import type { History } from './history.js';
import type { Run } from './scenes.js';

/** All moments from the first to the last. The world is then where it was. */
export async function record(run: Run, history: History): Promise<Uint8Array> {
  const { world } = run;
  const now = run.save();
  const parts: Uint8Array[] = [];
  const sink = {
    write: async (bytes: Uint8Array): Promise<void> => {
      parts.push(bytes.slice());
    },
  };
  const [first, ...rest] = history.moments;
  try {
    run.restore(first.checkpoint);
    const recorder = await Recorder.begin(world, sink);
    for (const { checkpoint } of rest) {
      run.restore(checkpoint);
      await recorder.record();
    }
    await recorder.end();
  } finally {
    run.restore(now);
  }
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
