// The library in a real browser: one browser for all that runs there without a GPU.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { hasBrowser, launchBrowser } from '../support/browser.js';
import { compile } from './compile.js';
import { core } from './core.js';
import { parallel } from './parallel.js';
import { world } from './world.js';

describe.skipIf(!hasBrowser())('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  for (const part of [core, compile, parallel, world]) part(() => browser);
});
