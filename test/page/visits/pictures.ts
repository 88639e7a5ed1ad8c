// The page in all its states, each left as a picture and compared with the last one by structure.

import { describe, expect, it } from 'vitest';
import { compared, differences } from './layout.js';
import type { Visit } from './visit.js';

export function pictures(visit: Visit): void {
  describe('pictures', () => {
    it('load, held, released, held elsewhere, re-rooted: as they were', async () => {
      const { page } = visit;
      await visit.openStill();
      await compared(visit, 'load');
      await visit.choose('left_foot');
      await page.keyboard.press('h');
      await visit.says(/Held/);
      await compared(visit, 'held');
      await page.keyboard.press('h');
      await page.click('button[aria-label="Release right_grip"]');
      await visit.says(/^right_grip is released\.$/);
      await compared(visit, 'released');
      await page.keyboard.press('g');
      await visit.says(/left_foot and the ground are joined/);
      await page.keyboard.press('t');
      await visit.says(/is the root now/);
      expect(await page.locator('.tree .inverted').count()).toBeGreaterThan(3);
      // The chain of inversion is to be seen below what stays in sight.
      await page.evaluate('document.querySelector("#panel").scrollTop = 210');
      await compared(visit, 're-rooted');
    });

    it('processors and plots: as they were', async () => {
      await visit.tab('processors');
      await visit.page.locator('#schedule p', { hasText: '2 processors take' }).waitFor();
      await compared(visit, 'processors');
      await visit.page.keyboard.press('.');
      await visit.tab('plots');
      await visit.page.locator('#panel-plots label', { hasText: /^ Contact forces$/ }).click();
      await visit.page.locator('.uplot canvas').nth(1).waitFor();
      await compared(visit, 'plots');
    });

    it('a figure that follows a motion: as it was', async () => {
      await visit.open('#follow');
      await visit.until(async () => (await visit.time()) > 0.6);
      await visit.pause();
      await visit.page.fill('#scrub', '0.6');
      await visit.tab('plots');
      await visit.page.locator('.uplot canvas').first().waitFor();
      await compared(visit, 'follow');
    });

    it('all views of the gallery: as they were', async () => {
      const done = {
        compass: async () => {
          await panel.locator('.result', { hasText: 'It walks' }).waitFor();
          await panel.locator('.uplot').nth(1).waitFor();
        },
        kneed: async () => {
          await panel.locator('.result', { hasText: 'It walks' }).waitFor();
          await panel.locator('.uplot').nth(1).waitFor();
        },
        motion: async () => {
          await panel.locator('.result', { hasText: 'Nobody walked like this' }).waitFor();
          await panel.locator('.uplot').nth(3).waitFor();
          expect(await visit.text('#load')).toMatch(/foot|feet/);
        },
        counts: async () => {
          await panel.locator('caption', { hasText: 'A chain of 8 joints' }).waitFor();
          await panel.locator('td', { hasText: 'composite-variant' }).waitFor();
        },
        assembly: () => panel.locator('svg').nth(1).waitFor(),
      };
      const panel = visit.page.locator('#panel-gallery');
      await visit.openStill('#gallery:compass');
      for (const [name, wait] of Object.entries(done)) {
        await visit.page.selectOption('#scenes', `gallery:${name}`);
        await wait();
        await compared(visit, `gallery-${name}`);
      }
    });

    it('forces on the ground and in a joint with its six components, and their plots: as they were', async () => {
      const { page } = visit;
      await visit.openStill('#push');
      await page.evaluate('for (let k = 0; k < 40; k++) document.querySelector("#step").click()');
      await visit.until(async () => (await visit.time()) > 0.079);
      await visit.choose('left_shank');
      for (const name of ['components', 'com', 'momentum'])
        await page.evaluate(`document.querySelector('#overlay-${name}').click()`);
      await visit.tab('plots');
      for (const name of ['Energy', 'Contact forces', 'Its force', 'Phase portrait'])
        await page.locator('#panel-plots label', { hasText: new RegExp(`^ ${name}$`) }).click();
      await page.evaluate('for (let k = 0; k < 20; k++) document.querySelector("#step").click()');
      await visit.until(async () => (await visit.time()) > 0.119);
      await compared(visit, 'forces');
      await page.evaluate('document.querySelector("#panel").scrollTop = 10000');
      await compared(visit, 'portrait');
    });

    it('the schedule tree, larger, and a measured timeline: as they were', async () => {
      const { page } = visit;
      await visit.openStill('#chain-32');
      await visit.tab('processors');
      await page.click('text=Run on threads');
      await page.locator('#schedule h3', { hasText: /Measured/ }).waitFor();
      await visit.picture('measured');
      await page.click('button[aria-label="The tree, larger"]');
      await compared(visit, 'tree');
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
      // Bodies have colours of processors as long as somebody looks at these.
      expect(await visit.drawn(() => visit.inBrowser<number>('vivid'), page, 200)).toBeGreaterThan(20);
      await visit.tab('structure');
      expect(await visit.drawn(() => visit.inBrowser<number>('vivid'), page, 200)).toBeLessThan(10);
    });

    it('dark, and of the size of a phone: as they were', async () => {
      await visit.page.emulateMedia({ colorScheme: 'dark' });
      await visit.openStill();
      await compared(visit, 'dark');
      await visit.tab('processors');
      await visit.page.locator('#schedule p', { hasText: '2 processors take' }).waitFor();
      await compared(visit, 'dark-processors');
      await visit.page.selectOption('#scenes', 'gallery:motion');
      await visit.page.locator('#panel-gallery .uplot').nth(3).waitFor();
      await compared(visit, 'dark-motion');
      await visit.page.emulateMedia({ colorScheme: null });
      const phone = await visit.newPage({
        viewport: { width: 390, height: 780 },
        hasTouch: true,
        isMobile: true,
        reducedMotion: 'reduce',
      });
      await visit.openIn(phone);
      await compared(visit, 'phone', { page: phone });
      // What can be done to a body that was chosen in the tree comes into sight.
      await phone.locator('.tree button', { hasText: /^left_hand$/ }).tap();
      await phone.locator('#chosen', { hasText: 'left_hand' }).waitFor();
      await compared(visit, 'phone-chosen', { page: phone });
      // Each panel is where it was read last, and a new one at its beginning.
      await phone.evaluate('document.querySelector("#panel").scrollTop = 300');
      await phone.tap('#tab-gallery');
      await compared(visit, 'phone-gallery', { page: phone });
      await phone.tap('#tab-structure');
      expect(await phone.evaluate('document.querySelector("#panel").scrollTop')).toBe(300);
      await phone.close();
    });

    it('the comparison finds what has come, gone, moved or changed its order', () => {
      const kept = {
        parts: [
          ['a', 0, 0, 4, 1],
          ['b', 4, 0, 4, 1],
        ] as const,
        limbs: [3, 8, 1, 10],
      };
      expect(differences(kept, kept, false)).toEqual([]);
      expect(differences(kept, { ...kept, parts: [kept.parts[0]] }, false)).toEqual(['gone: b']);
      expect(differences(kept, { ...kept, parts: [...kept.parts, ['c', 0, 0, 1, 1]] }, false)).toEqual(['new: c']);
      expect(differences(kept, { ...kept, parts: [kept.parts[1], kept.parts[0]] }, false)).toHaveLength(1);
      expect(differences(kept, { ...kept, parts: [kept.parts[0], ['b', 6, 0, 4, 1]] }, false)).toHaveLength(1);
      expect(differences(kept, { ...kept, limbs: [3, 10, 1, 10] }, false)).toHaveLength(1);
      expect(differences(kept, { ...kept, limbs: [4, 9, 0, 10] }, false)).toEqual([]);
    });
  });
}
