// Somebody uses keys alone and takes a video along.

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { compared } from './layout.js';
import type { Visit } from './visit.js';

export function keysAndVideo(visit: Visit): void {
  describe('keys alone, and a video', () => {
    let page: Page;
    beforeAll(() => {
      page = visit.page;
    });

    it('does everything by keys: chooses, connects two bodies, pulls, pushes, locks, releases, turns the view, opens menus', async () => {
      await visit.open();
      await page.keyboard.press('Space');
      const choose = async (body: string): Promise<void> => {
        while ((await visit.text('#picked')) !== body) await page.keyboard.press('n');
      };
      await choose('left_foot');
      await page.keyboard.press('c');
      await visit.says(/Now choose the body/);
      await choose('right_foot');
      await page.keyboard.press('Enter');
      await visit.says(/left_foot and right_foot are joined \(spherical\): impulse .* N s, .* J lost/);
      await page.keyboard.press('Space');
      await page.keyboard.press('h');
      await visit.says(/Held/);
      for (const key of ['d', 'd', 'e', 'w']) await page.keyboard.press(key);
      await page.keyboard.press('h');
      await visit.says(/Let go/);
      const before = Number.parseFloat(await visit.text('#clock'));
      await page.keyboard.press('p');
      // What is refused stops nothing.
      await choose('pelvis');
      await page.keyboard.press('l');
      await visit.says(/pelvis is free and has no motor: connect it to the ground/);
      await visit.until(async () => Number.parseFloat(await visit.text('#clock')) > before + 0.05);
      expect(await visit.text('#play')).toBe('Pause');
      await choose('head');
      await page.keyboard.press('l');
      await visit.says(/is locked/);
      await page.keyboard.press('t');
      await visit.says(/is the root now/);
      expect(await page.locator('.tree .inverted').count()).toBeGreaterThan(2);
      await visit.pause();
      const first = await visit.seen();
      await page.keyboard.press('Shift+ArrowLeft');
      await page.keyboard.press('-');
      await visit.until(async () => (await visit.seen()) !== first);
      await page.focus('#save summary');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.id')).toBe('save-link');
      await page.keyboard.press('Escape');
      await compared(visit, 'keys', { moving: true });
    });

    it('takes a video along that plays', async () => {
      await visit.open();
      // Without a GPU a few small pictures a second are all there is.
      await page.evaluate('globalThis.between = 150; drawAnew(320)');
      await page.click('#save summary');
      await page.click('#save-video');
      const before = Number.parseFloat(await visit.text('#clock'));
      await visit.until(async () => Number.parseFloat(await visit.text('#clock')) > before + 0.2);
      await page.click('#save summary');
      const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#save-video')]);
      const bytes = await readFile(await saved.path());
      const kind = saved.suggestedFilename().endsWith('mp4') ? 'mp4' : 'webm';
      console.log(`video: ${kind}, ${bytes.length} bytes`);
      const other = await visit.browser.newPage();
      const size = await visit.inBrowser<number>(
        'video-width',
        `data:video/${kind};base64,${bytes.toString('base64')}`,
        other,
      );
      await other.close();
      expect(size).toBeGreaterThan(300);
    });
  });
}
