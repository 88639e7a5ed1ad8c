// Replays opened from the files that commands wrote: they play, and ask for nothing else.

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { output, temporaryFolder } from '../../cli/support.js';
import { gaitBvh } from '../../motion/gait.js';
import { PATIENCE } from '../../support/patience.js';
import { compared } from './layout.js';
import { SIZE, type Visit } from './visit.js';

const folder = temporaryFolder();

export function replays(visit: Visit): void {
  describe('a replay', () => {
    let page: Page;
    const complaints: string[] = [];
    const requests: string[] = [];
    beforeAll(async () => {
      page = await visit.newPage({ viewport: SIZE });
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (!request.url().startsWith('data:')) requests.push(request.url());
      });
    });

    const time = async (): Promise<number> => Number.parseFloat((await page.textContent('#clock')) ?? '');
    async function open(file: string): Promise<void> {
      const address = pathToFileURL(file).href;
      requests.length = 0;
      await page.goto(address);
      await expect.poll(time, { timeout: PATIENCE }).toBeGreaterThan(0.03);
      expect(complaints).toEqual([]);
      expect(requests).toEqual([address]);
    }

    it('plays a scene that was simulated, stands still, goes back and forth in time', async () => {
      const file = folder.path('fall.html');
      await output('simulate', 'fall', '--duration', '0.5', '--html', file);
      await open(file);
      expect(await page.title()).toBe('fall');
      await page.click('#play');
      await page.fill('#scrub', '0.1');
      await expect.poll(time).toBeCloseTo(0.1, 1);
      const [at, early] = [await time(), await visit.seen(page)];
      await page.waitForTimeout(100);
      expect(await time()).toBe(at);
      await page.fill('#scrub', '0.5');
      await expect.poll(() => visit.seen(page)).not.toBe(early);
      await page.focus('#canvas');
      await page.keyboard.press('ArrowLeft');
      await expect.poll(time).toBeCloseTo(0.4, 1);
      await page.keyboard.press('r');
      await expect.poll(time).toBe(0);
      await page.keyboard.press('Space');
      await expect.poll(time, { timeout: PATIENCE }).toBeGreaterThan(0.03);
    });

    it('plays a mechanism alone, and a walker with its pictures', async () => {
      const [chain, walk] = ['chain.html', 'walk.html'].map(folder.path);
      await output('simulate', 'chain-8', '--duration', '0.3', '--html', chain);
      await open(chain);
      await output('walk', '--steps', '2', '--html', walk);
      await open(walk);
      expect(await page.locator('img.schedule').count()).toBe(2);
      const loaded = "[...document.querySelectorAll('img.schedule')].every((img) => img.naturalWidth > 0)";
      await expect.poll(() => page.evaluate(loaded)).toBe(true);
      expect(await page.textContent('.facts')).toContain('period of a step');
      expect(await page.textContent('#message')).toMatch(/^step \d/);
      await page.click('#play');
      await compared(visit, 'replay-walker', { page, moving: true });
    });

    it('plays a captured motion; curves are chosen, a click on a plot goes there in time', async () => {
      const [bvh, html] = ['gait <b>&.bvh', 'gait.html'].map(folder.path);
      writeFileSync(bvh, gaitBvh({ seconds: 2.5 }));
      await output('inverse', bvh, '--scale', '0.01', '--html', html, '--quiet');
      await open(html);
      expect(await page.title()).toContain('gait <b>&.bvh');
      expect(await page.textContent('#message')).toMatch(/foot|feet/);
      const plots = page.locator('.uplot');
      expect(await plots.count()).toBe(4);
      const first = page.locator('figure.plot').first();
      const shown = await first.locator('.u-legend tr:visible').count();
      await first.locator('summary').click();
      await first.locator('input[type=checkbox]').last().check();
      expect(await first.locator('.u-legend tr:visible').count()).toBe(shown + 1);
      await page.click('#play');
      const over = first.locator('.u-over');
      const { width, height } = (await over.boundingBox())!;
      await over.click({ position: { x: width * 0.8, y: height / 2 } });
      await expect.poll(time).toBeGreaterThan(1.6);
      // Away from the plot its legend has the values of the moment that is shown.
      await page.mouse.move(5, 5);
      await expect.poll(() => first.locator('.u-legend .u-value').first().textContent()).toMatch(/^1\.[6-9]|^2/);
      expect(await first.locator('.u-legend tr:visible .u-value').allTextContents()).not.toContain('--');
      // Whether the last box had to be scrolled to hangs on a pixel.
      await page.evaluate('for (const part of document.querySelectorAll("*")) part.scrollTop = 0');
      await compared(visit, 'replay-motion', { page, moving: true });
      await page.setViewportSize({ width: 390, height: 780 });
      expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
        true,
      );
      expect(complaints).toEqual([]);
    });
  });
}
