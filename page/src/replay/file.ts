// A replay as one HTML file. Loaded when somebody saves one.

import player from 'manikin/player.html?url';
import { formatReplay, type Replay } from 'manikin/plot';

export async function replayFile(replay: Replay): Promise<string> {
  return formatReplay(replay, await (await fetch(player)).text());
}
