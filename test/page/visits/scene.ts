// The page as a person uses it: load, play, pick, drag, release, connect, re-root, processors, controls, files, links, gallery.

import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Link, readLink } from '../../../page/src/views/link.js';
import { compared } from './layout.js';
import { FOLDER, PICTURES, type Visit } from './visit.js';

export function scene(visit: Visit): void {
  describe('a person', () => {
    let page: Page;
    beforeAll(() => {
      page = visit.page;
    });

    it('shows its first picture with at most 400 kB', async () => {
      const loaded = new Set<string>();
      const note = (request: { url(): string }): void => {
        loaded.add(new URL(request.url()).pathname);
      };
      page.on('request', note);
      await visit.open();
      page.off('request', note);
      // Plots are asked for when the first picture is there.
      const asked = [...loaded];
      const later = asked.findIndex((path) => /plots-panel|uPlot/.test(path));
      const first = later < 0 ? asked : asked.slice(0, later);
      const sizes = await Promise.all(
        first
          .filter((path) => /\.(js|css)$/.test(path))
          .map(async (path) => gzipSync(await readFile(`${FOLDER}${path}`)).length),
      );
      expect(sizes.length).toBeGreaterThan(2);
      const sum = sizes.reduce((before, size) => before + size, 0);
      console.log(`first load: ${sum} bytes, compressed (gzip)`);
      expect(sum).toBeLessThan(400_000);
    });

    it('an address that names nothing: says so, and shows the first scene', async () => {
      await visit.open('#nonsense');
      await visit.says(/There is no built-in mechanism or scene "nonsense"/);
      await page.locator('#about', { hasText: 'hangs from a bar' }).waitFor();
    });

    it('plays, stands still, steps, goes back in time and on from there', async () => {
      await visit.open();
      await visit.until(async () => (await visit.time()) > 0.05);
      await visit.pause();
      await compared(visit, 'playing', { moving: true });
      const before = await visit.time();
      await page.click('#step');
      await visit.until(async () => (await visit.time()) > before);
      await page.fill('#scrub', '0.02');
      await visit.until(async () => (await visit.time()) < 0.03);
      await compared(visit, 'scrubbed', { moving: true });
      await page.click('#play');
      await visit.until(async () => (await visit.time()) > 0.04);
    });

    it('picks, drags, releases, connects, locks and re-roots', async () => {
      await visit.open();
      await visit.pause();
      const [x, y] = await visit.find(/./, [255, 190], 12);
      await page.click('#play');
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 80, y + 10, { steps: 4 });
      const before = await visit.time();
      await visit.until(async () => (await visit.time()) > before + 0.02);
      await compared(visit, 'drag', { moving: true });
      await page.mouse.up();
      await visit.pause();
      await page.click('button[aria-label="Release right_grip"]');
      await visit.says(/^right_grip is released\.$/);
      expect(await page.locator('.loops li').count()).toBe(1);
      await page.locator('.tree button', { hasText: /^left_foot$/ }).click();
      await page.click('text=to the ground');
      await visit.says(/left_foot and the ground are joined/);
      await page.click('text=Lock joint');
      await visit.says(/is locked/);
      await page.click('text=Make it the root');
      await visit.says(/is the root now/);
      expect(await page.locator('.tree .inverted').count()).toBeGreaterThan(3);
      await compared(visit, 'structure', { moving: true });
    });

    it('shows how processors share the work, and measures it on threads', async () => {
      // Nothing stands on the ground yet: arrows of contacts would be as bright as colours of processors.
      await visit.openStill('#human-161');
      await page.click('#tab-processors');
      await page.click('text=Run on threads');
      const panel = page.locator('#panel-processors');
      await panel
        .locator('h3, p', { hasText: /Measured: |Threads did not run/ })
        .first()
        .waitFor();
      expect(await panel.textContent()).toMatch(/2 processors take/);
      expect(await page.evaluate('crossOriginIsolated')).toBe(true);
      // Bodies have the colours of their threads, and their own without the box.
      const vivid = (): Promise<number> => visit.drawn(() => visit.inBrowser<number>('vivid'), page, 200);
      const paint = panel.locator('label', { hasText: 'colour bodies by processor' });
      await visit.until(async () => (await vivid()) > 50);
      await paint.click();
      await visit.until(async () => (await vivid()) < 10);
      await paint.click();
      await visit.until(async () => (await vivid()) > 50);
      await page.fill('#processors', '4');
      await page.dispatchEvent('#processors', 'change');
      await panel.locator('p', { hasText: '4 processors take' }).waitFor();
      // All the time: one timeline after the other, until nobody asks for more.
      await page.check('#live');
      for (let k = 0; k < 2; k++) {
        await page.evaluate('document.querySelector("#schedule p").dataset.old = "1"');
        const anew = `!document.querySelector('#schedule p').dataset.old &&
          /Measured: |Threads did not run/.test(document.querySelector('#schedule').textContent)`;
        await visit.until(() => page.evaluate<boolean>(anew));
      }
      await page.uncheck('#live');
    });

    it('draws plots, and controls joints', async () => {
      await visit.open('#chain-32');
      await page.click('#tab-control');
      await page.click('#controller-hold');
      await visit.says(/holds its place/);
      // A slider stays in the hand while it is drawn.
      const slider = await page.locator('.sliders input').nth(3).elementHandle();
      await slider!.scrollIntoViewIfNeeded();
      const place = (await slider!.boundingBox())!;
      const middle = place.y + place.height / 2;
      await page.mouse.move(place.x + place.width / 2, middle);
      await page.mouse.down();
      await page.mouse.move(place.x + place.width * 0.6, middle, { steps: 3 });
      await visit.until(async () => (await page.locator('.slider.driven').count()) === 1);
      await page.mouse.move(place.x + place.width * 0.9, middle, { steps: 3 });
      expect(Number(await slider!.inputValue())).toBeGreaterThan(1.5);
      await page.mouse.up();
      await page.click('#tab-plots');
      await page.locator('.uplot canvas').waitFor();
      const before = await visit.time();
      await visit.until(async () => (await visit.time()) > before + 0.05);
      await compared(visit, 'controlled', { moving: true });
    });

    it('opens files that are chosen, and shows what is wrong with a broken one', async () => {
      await visit.open();
      const urdf = `<robot name="two-links"><link name="base"/><link name="arm"><visual><geometry><box size="0.1 0.1 0.5"/></geometry></visual>
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>`;
      const file = (name: string, content: string) => ({ name, mimeType: 'text/xml', buffer: Buffer.from(content) });
      await page.setInputFiles('#files', file('two.urdf', urdf));
      await visit.says(/^two-links is open\.$/);
      await page.setInputFiles('#files', file('bad.urdf', '<robot><link></robot>'));
      await page.locator('#problems li', { hasText: /bad\.urdf:1:\d+/ }).waitFor();
      expect(await visit.text('#problems mark')).toContain('<robot><link></robot>');
    });

    it('saves a picture, a recording and a link that restores the moment', async () => {
      await visit.open();
      await visit.until(async () => (await visit.time()) > 0.05);
      await visit.pause();
      const download = async (id: string): Promise<Buffer> => {
        await page.click('#save summary');
        return readFile(await visit.download(() => page.click(id)));
      };
      const picture = (await visit.drawn(() => download('#save-png'))).toString('base64');
      const { width, height } = (await page.locator('#canvas').boundingBox())!;
      expect(await visit.inBrowser('picture-size', picture)).toEqual([Math.floor(width), Math.floor(height), true]);
      // A replay plays without the page: from a file, with nothing else.
      const replay = `${PICTURES}replay.html`;
      writeFileSync(replay, await download('#save-html'));
      const alone = await visit.browser.newPage({ viewport: { width: 500, height: 400 } });
      const asked: string[] = [];
      alone.on('request', (request) => asked.push(request.url().slice(0, 5)));
      alone.on('console', (message) => visit.problems.push(message.text()));
      alone.on('pageerror', (error) => visit.problems.push(error.message));
      await alone.goto(pathToFileURL(replay).href);
      await visit.until(async () => Number.parseFloat((await alone.textContent('#clock')) ?? '') > 0.02);
      expect(await alone.title()).toBe('Figure on a bar');
      expect(asked.filter((scheme) => scheme !== 'data:')).toEqual(['file:']);
      await alone.close();
      const recording = await download('#save-mcap');
      expect(recording.subarray(1, 5).toString()).toBe('MCAP');
      const checkpoint = await download('#save-checkpoint');
      // The view is another one than at the beginning, and comes back, too.
      await page.focus('#canvas');
      for (const key of ['Shift+ArrowLeft', 'W', '-']) await page.keyboard.press(key);
      const [link, at] = [await visit.link(), await visit.text('#clock')];
      await visit.open(link);
      await visit.says(/The scene is back/);
      expect(await visit.text('#clock')).toBe(at);
      await compared(visit, 'restored', { moving: true });
      const [kept, again] = [await readLink(link), await readLink(await visit.link())];
      expect(again!.kept).toEqual(kept!.kept);
      const numbers = ({ view }: Link): number[] => [...view!.position, ...view!.target];
      for (const [k, value] of numbers(again!).entries()) expect(value).toBeCloseTo(numbers(kept!)[k], 3);
      const open = async (name: string, buffer: Buffer): Promise<void> => {
        await page.setInputFiles('#files', { name, mimeType: 'application/octet-stream', buffer });
        await page.locator('#message', { hasText: / is open\.$/ }).waitFor();
      };
      await open('again.mcap', recording);
      await visit.says(/^again\.mcap is open\.$/);
      await visit.pause();
      await compared(visit, 'recording', { moving: true });
      await page.selectOption('#scenes', 'boxes');
      await page.locator('#about', { hasText: 'Eight boxes' }).waitFor();
      await open('again.checkpoint', checkpoint);
      await visit.until(async () => (await visit.time()) >= Number.parseFloat(at));
    });

    it('has a gallery: a walker that falls on a slope too steep, a chain to cut', async () => {
      await visit.open('#gallery:compass');
      const panel = page.locator('#panel-gallery');
      const result = panel.locator('.result');
      await result.filter({ hasText: 'It walks' }).waitFor();
      await panel.locator('figcaption', { hasText: /^[1-9]\d* slopes so far/ }).waitFor();
      await visit.until(async () => (await visit.time()) > 0.1);
      await panel.locator('input[aria-label="Slope, rad"]').fill('0.118');
      await result.filter({ hasText: 'it falls' }).waitFor();
      await visit.pause();
      await compared(visit, 'walker-falls', { moving: true });
      // It is a replay: nothing can be done to it, and it goes on.
      await page.focus('#canvas');
      await page.keyboard.press('n');
      await page.keyboard.press('p');
      await visit.says(/can be looked at and not be touched/);
      await page.selectOption('#scenes', 'gallery:assembly');
      await result.filter({ hasText: 'Your tree of depth 12' }).waitFor();
      await panel.locator('button[aria-label="Cut at joint 6"]').click();
      await result.filter({ hasText: /Your tree of depth [67] / }).waitFor();
      await page.locator('#about', { hasText: '12 bodies' }).waitFor();
      await page.selectOption('#scenes', 'bar');
      await page.locator('#about', { hasText: 'hangs from a bar' }).waitFor();
      await visit.until(async () => (await visit.time()) > 0.02);
      expect(await panel.locator('.uplot').count()).toBe(0);
    });
  });
}
