// The page that plays a replay, as the build made it: one file, to which the replay is added.

import { readFileSync } from 'node:fs';
import { InputError } from './errors.js';

/** The text that `formatReplay` puts a replay into. */
export function replayPlayer(): string {
  try {
    return readFileSync(new URL('../../dist/player.html', import.meta.url), 'utf8');
  } catch {
    throw new InputError('The player of replays is not built: run "npm run build" in the checkout first.');
  }
}
