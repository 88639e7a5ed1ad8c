// The page in a real browser: load, play, pick, drag, release, connect, re-root, processors, files, time, link, keys, phone.
// Pictures of each are left in out/page.

import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePage } from '../../src/cli/page-server.js';
import { hasBrowser, launchBrowser } from '../support/browser.js';

const root = new URL('../../', import.meta.url);
const pictures = fileURLToPath(new URL('out/page/', root));
const folder = fileURLToPath(new URL('dist/page/', root));

describe.skipIf(!hasBrowser())('the page', () => {
  let browser: Browser;
  let server: Server;
  let address = '';
  const problems: string[] = [];

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    await build({ configFile: fileURLToPath(new URL('page/vite.config.mjs', root)), logLevel: 'error' });
    browser = await launchBrowser(['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']);
    ({ server, address } = await servePage(new Map(), folder));
    page = await browser.newPage({ viewport: { width: 900, height: 560 } });
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
  });

  let page: Page;
  /** One page for all tests, small, so that software rendering does not take all the time. */
  async function open(hash = ''): Promise<void> {
    await page.goto('about:blank');
    await page.goto(`${address}${hash}`);
    await until(async () => (await text('#clock')).endsWith('s'));
  }
  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await page.waitForTimeout(50);
  }
  const text = async (selector: string): Promise<string> => (await page.textContent(selector)) ?? '';
  const time = async (): Promise<number> => Number.parseFloat(await text('#clock'));
  const says = (message: RegExp): Promise<void> => page.locator('#message', { hasText: message }).waitFor();
  async function pause(): Promise<void> {
    if ((await text('#play')) === 'Pause') await page.click('#play');
    await page.locator('#play', { hasText: 'Play' }).waitFor();
  }
  const picture = (name: string): Promise<unknown> => page.screenshot({ path: `${pictures}${name}.png` });

  it('shows its first picture with at most 400 kB', async () => {
    const loaded = new Set<string>();
    const note = (request: { url(): string }): void => {
      loaded.add(new URL(request.url()).pathname);
    };
    page.on('request', note);
    await open();
    page.off('request', note);
    // Plots are asked for when the first picture is there.
    const asked = [...loaded];
    const later = asked.findIndex((path) => /plots-panel|uPlot/.test(path));
    const first = later < 0 ? asked : asked.slice(0, later);
    const sizes = await Promise.all(
      first
        .filter((path) => /\.(js|css)$/.test(path))
        .map(async (path) => gzipSync(await readFile(`${folder}${path}`)).length),
    );
    expect(sizes.length).toBeGreaterThan(2);
    const sum = sizes.reduce((before, size) => before + size, 0);
    console.log(`first load: ${sum} bytes, compressed (gzip)`);
    expect(sum).toBeLessThan(400_000);
  });

  it('plays, stands still, steps, goes back in time and on from there', async () => {
    await open();
    await until(async () => (await time()) > 0.05);
    await pause();
    await picture('bar');
    const before = await time();
    await page.click('#step');
    await until(async () => (await time()) > before);
    await page.fill('#scrub', '0.02');
    await until(async () => (await time()) < 0.03);
    await page.click('#play');
    await until(async () => (await time()) > 0.04);
  });

  it('picks, drags, releases, connects, locks and re-roots', async () => {
    await open();
    await pause();
    // A body somewhere on the vertical through the middle.
    const canvas = (await page.locator('#canvas').boundingBox())!;
    const [x, top] = [canvas.x + canvas.width / 2, canvas.y];
    let y = top;
    do {
      y += 12;
      expect(y).toBeLessThan(top + canvas.height);
      await page.mouse.click(x, y);
    } while ((await text('#picked')) === '');
    await page.click('#play');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 10, { steps: 4 });
    const before = await time();
    await until(async () => (await time()) > before + 0.02);
    await picture('drag');
    await page.mouse.up();
    await pause();
    await page.click('button[aria-label="Release right_grip"]');
    await says(/^right_grip is released\.$/);
    expect(await page.locator('.loops li').count()).toBe(1);
    await page.locator('.tree button', { hasText: /^left_foot$/ }).click();
    await page.click('text=to the ground');
    await says(/left_foot and the ground are joined/);
    await page.click('text=Lock joint');
    await says(/is locked/);
    await page.click('text=Make it the root');
    await says(/is the root now/);
    expect(await page.locator('.tree .inverted').count()).toBeGreaterThan(3);
    await picture('structure');
  });

  it('shows how processors share the work, and measures it on threads', async () => {
    await open('#human-161');
    await pause();
    await page.click('#tab-processors');
    await page.click('text=Run on threads');
    const panel = page.locator('#panel-processors');
    await panel.locator('p', { hasText: '2 processors take' }).waitFor();
    expect(await panel.textContent()).toMatch(/Measured: |Threads did not run/);
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    await picture('processors');
    await page.fill('#processors', '4');
    await page.dispatchEvent('#processors', 'change');
    await panel.locator('p', { hasText: '4 processors take' }).waitFor();
  });

  it('draws plots, and controls joints', async () => {
    await open('#chain-32');
    await page.click('#tab-control');
    await page.click('#controller-hold');
    await says(/holds its place/);
    // A slider stays in the hand while it is drawn.
    const slider = await page.locator('.sliders input').nth(3).elementHandle();
    await slider!.scrollIntoViewIfNeeded();
    const place = (await slider!.boundingBox())!;
    const middle = place.y + place.height / 2;
    await page.mouse.move(place.x + place.width / 2, middle);
    await page.mouse.down();
    await page.mouse.move(place.x + place.width * 0.6, middle, { steps: 3 });
    await until(async () => (await page.locator('.slider.driven').count()) === 1);
    await page.mouse.move(place.x + place.width * 0.9, middle, { steps: 3 });
    expect(Number(await slider!.inputValue())).toBeGreaterThan(1.5);
    await page.mouse.up();
    await page.click('#tab-plots');
    await page.locator('.uplot canvas').waitFor();
    const before = await time();
    await until(async () => (await time()) > before + 0.05);
    await picture('plots');
  });

  it('opens files that are chosen, and shows what is wrong with a broken one', async () => {
    await open();
    const urdf = `<robot name="two-links"><link name="base"/><link name="arm"><visual><geometry><box size="0.1 0.1 0.5"/></geometry></visual>
      <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>`;
    const file = (name: string, content: string) => ({ name, mimeType: 'text/xml', buffer: Buffer.from(content) });
    await page.setInputFiles('#files', file('two.urdf', urdf));
    await says(/^two-links is open\.$/);
    await page.setInputFiles('#files', file('bad.urdf', '<robot><link></robot>'));
    await page.locator('#problems li', { hasText: /bad\.urdf:1:\d+/ }).waitFor();
    expect(await text('#problems mark')).toContain('<robot><link></robot>');
    await picture('broken-file');
  });

  it('saves a picture, a recording and a link that restores the moment', async () => {
    await open();
    await until(async () => (await time()) > 0.05);
    await pause();
    const download = async (id: string): Promise<Buffer> => {
      await page.click('#save summary');
      const [file] = await Promise.all([page.waitForEvent('download'), page.click(id)]);
      return readFile(await file.path());
    };
    expect((await download('#save-png')).subarray(1, 4).toString()).toBe('PNG');
    // A replay plays without the page: from a file, with nothing else.
    const replay = `${pictures}replay.html`;
    writeFileSync(replay, await download('#save-html'));
    const alone = await browser.newPage({ viewport: { width: 500, height: 400 } });
    const asked: string[] = [];
    alone.on('request', (request) => asked.push(request.url().slice(0, 5)));
    alone.on('console', (message) => problems.push(message.text()));
    alone.on('pageerror', (error) => problems.push(error.message));
    await alone.goto(pathToFileURL(replay).href);
    await until(async () => Number.parseFloat((await alone.textContent('#clock')) ?? '') > 0.02);
    expect(await alone.title()).toBe('Figure on a bar');
    expect(asked.filter((scheme) => scheme !== 'data:')).toEqual(['file:']);
    await alone.close();
    const recording = await download('#save-mcap');
    expect(recording.subarray(1, 5).toString()).toBe('MCAP');
    await page.click('#save summary');
    await page.click('#save-link');
    await says(/leads to this moment/);
    const [link, at] = [await page.evaluate('location.hash'), await text('#clock')];
    await open(String(link));
    await says(/The scene is back/);
    expect(await text('#clock')).toBe(at);
    const buffer = recording;
    await page.setInputFiles('#files', { name: 'again.mcap', mimeType: 'application/octet-stream', buffer });
    await says(/^again\.mcap is open\.$/);
  });

  it('has a gallery: a walker that falls on a slope too steep, a chain to cut, a captured motion', async () => {
    await open('#gallery:compass');
    const panel = page.locator('#panel-gallery');
    const result = panel.locator('.result');
    await result.filter({ hasText: 'It walks' }).waitFor();
    await panel.locator('figcaption', { hasText: /^[1-9]\d* slopes so far/ }).waitFor();
    await until(async () => (await time()) > 0.1);
    await picture('walker');
    await panel.locator('input[aria-label="Slope, rad"]').fill('0.118');
    await result.filter({ hasText: 'it falls' }).waitFor();
    // It is a replay: nothing can be done to it, and it goes on.
    await page.focus('#canvas');
    await page.keyboard.press('n');
    await page.keyboard.press('p');
    await says(/can be looked at and not be touched/);
    await page.selectOption('#scenes', 'gallery:assembly');
    await result.filter({ hasText: 'Your tree of depth 12' }).waitFor();
    await panel.locator('button[aria-label="Cut at joint 6"]').click();
    await result.filter({ hasText: /Your tree of depth [67] / }).waitFor();
    await page.locator('#about', { hasText: '12 bodies' }).waitFor();
    await page.selectOption('#scenes', 'gallery:counts');
    await panel.locator('td', { hasText: 'composite-variant' }).waitFor();
    await page.selectOption('#scenes', 'gallery:motion');
    await result.filter({ hasText: 'Nobody walked like this' }).waitFor();
    await panel.locator('.uplot').nth(3).waitFor();
    await until(async () => /foot|feet/.test(await text('#load')));
    await picture('motion');
    await page.selectOption('#scenes', 'bar');
    await page.locator('#about', { hasText: 'hangs from a bar' }).waitFor();
    await until(async () => (await time()) > 0.02);
    expect(await panel.locator('.uplot').count()).toBe(0);
  });

  it('is used by keys alone', async () => {
    await open('#human-34');
    await page.keyboard.press('Space');
    await page.locator('#play', { hasText: 'Play' }).waitFor();
    for (const key of ['n', 'n', 'n', 'g']) await page.keyboard.press(key);
    await says(/are joined/);
    await page.keyboard.press('t');
    await says(/root/);
    await page.keyboard.press('3');
    expect(await page.getAttribute('#tab-plots', 'aria-selected')).toBe('true');
    await page.keyboard.press('?');
    expect(await page.locator('dialog[open]').count()).toBe(1);
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 780 });
    await open();
    await picture('phone');
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    );
  });

  it('no script complained', () => {
    expect(problems).toEqual([]);
  });
});

describe('the server of the page', () => {
  it('serves the page and what was named, and nothing else', async () => {
    const { server, address } = await servePage(
      new Map([['a.urdf', new TextEncoder().encode('<robot/>')]]),
      fileURLToPath(new URL('page/', root)),
    );
    try {
      const get = (path: string, init?: RequestInit): Promise<Response> => fetch(`${address}${path}`, init);
      const page = await get('');
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self' 'wasm-unsafe-eval'");
      expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
      expect(await (await get('opened.json')).json()).toEqual(['a.urdf']);
      expect(await (await get('opened/0')).text()).toBe('<robot/>');
      expect((await get('opened/1')).status).toBe(404);
      for (const path of ['..%2fpackage.json', '%2e%2e/package.json', '/../package.json', 'src', 'no.js', '%00'])
        expect([400, 404]).toContain((await get(path)).status);
      expect((await get('', { method: 'POST' })).status).toBe(405);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
