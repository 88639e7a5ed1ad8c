// The page in a real browser: one browser and one built page for all that visit it. Pictures are left in out/page.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.js';
import { drops } from './visits/drops.js';
import { keysAndVideo } from './visits/keys-and-video.js';
import { memory } from './visits/memory.js';
import { mouse } from './visits/mouse.js';
import { pictures } from './visits/pictures.js';
import { plain } from './visits/plain.js';
import { reading } from './visits/reading.js';
import { replays } from './visits/replays.js';
import { scene } from './visits/scene.js';
import { view } from './visits/view.js';
import { Visit } from './visits/visit.js';

describe.skipIf(!hasBrowser())('the page', () => {
  const visit = new Visit();
  beforeAll(() => visit.begin());
  afterAll(() => visit.end());

  scene(visit);
  pictures(visit);
  drops(visit);
  view(visit);
  reading(visit);
  keysAndVideo(visit);
  replays(visit);
  mouse(visit);
  plain(visit);
  memory(visit);

  it('no script complained', () => {
    expect(visit.problems).toEqual([]);
  });
});
