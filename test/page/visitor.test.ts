// A visitor of the page in a real browser, who uses keys alone and takes a video along.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePage } from '../../src/cli/page-server.js';
import { hasBrowser, launchBrowser } from '../support/browser.js';

const root = new URL('../../', import.meta.url);
const pictures = fileURLToPath(new URL('out/page/', root));

describe.skipIf(!hasBrowser())('a visitor of the page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manikin-page-'));
  let browser: Browser;
  let server: Server;
  let address = '';
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    await build({
      configFile: fileURLToPath(new URL('page/vite.config.mjs', root)),
      logLevel: 'error',
      build: { outDir: join(folder, 'page') },
    });
    browser = await launchBrowser(['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']);
    ({ server, address } = await servePage(new Map(), join(folder, 'page')));
    page = await browser.newPage({ viewport: { width: 1000, height: 640 } });
    watch(page);
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function watch(one: Page): void {
    one.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    one.on('pageerror', (error) => problems.push(error.message));
  }
  async function open(hash = '', one = page): Promise<void> {
    await one.goto('about:blank');
    await one.goto(`${address}${hash}`);
    await until(async () => ((await one.textContent('#clock')) ?? '').endsWith('s'));
  }
  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await page.waitForTimeout(50);
  }
  const text = async (selector: string): Promise<string> => (await page.textContent(selector)) ?? '';
  const says = (message: RegExp): Promise<void> => page.locator('#message', { hasText: message }).waitFor();

  /** Runs a function of the folder in-browser there. */
  async function inBrowser<T>(name: string, argument: unknown = null, one = page): Promise<T> {
    const code = await readFile(new URL(`in-browser/${name}.js`, import.meta.url), 'utf8');
    return one.evaluate<T>(`(${code.slice(code.indexOf('export') + 'export'.length)})(${JSON.stringify(argument)})`);
  }

  it('does everything by keys: chooses, connects two bodies, pulls, pushes, locks, releases, turns the view, opens menus', async () => {
    await open();
    await page.keyboard.press('Space');
    const choose = async (body: string): Promise<void> => {
      while ((await text('#picked')) !== body) await page.keyboard.press('n');
    };
    await choose('left_foot');
    await page.keyboard.press('c');
    await says(/Now choose the body/);
    await choose('right_foot');
    await page.keyboard.press('Enter');
    await says(/left_foot and right_foot are joined \(spherical\): impulse .* N s, .* J lost/);
    await page.keyboard.press('Space');
    await page.keyboard.press('h');
    await says(/Held/);
    for (const key of ['d', 'd', 'e', 'w']) await page.keyboard.press(key);
    await page.keyboard.press('h');
    await says(/Let go/);
    const before = Number.parseFloat(await text('#clock'));
    await page.keyboard.press('p');
    // What is refused stops nothing.
    await choose('pelvis');
    await page.keyboard.press('l');
    await says(/free base has no motor/);
    await until(async () => Number.parseFloat(await text('#clock')) > before + 0.05);
    expect(await text('#play')).toBe('Pause');
    await choose('head');
    await page.keyboard.press('l');
    await says(/is locked/);
    await page.keyboard.press('t');
    await says(/is the root now/);
    expect(await page.locator('.tree .inverted').count()).toBeGreaterThan(2);
    const seen = (): Promise<string> => page.evaluate('document.querySelector("#canvas").toDataURL()');
    await page.keyboard.press('Space');
    await page.waitForTimeout(300);
    const first = await seen();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('-');
    await until(async () => (await seen()) !== first);
    await page.focus('#save summary');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('save-link');
    await page.keyboard.press('Escape');
    await page.screenshot({ path: `${pictures}keys.png` });
  });

  it('takes a video along that plays', async () => {
    await open();
    await page.click('#save summary');
    await page.click('#save-video');
    const before = Number.parseFloat(await text('#clock'));
    await until(async () => Number.parseFloat(await text('#clock')) > before + 0.5);
    await page.click('#save summary');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#save-video')]);
    const bytes = await readFile(await saved.path());
    const kind = saved.suggestedFilename().endsWith('mp4') ? 'mp4' : 'webm';
    console.log(`video: ${kind}, ${bytes.length} bytes`);
    const other = await browser.newPage();
    const size = await inBrowser<number>('video-width', `data:video/${kind};base64,${bytes.toString('base64')}`, other);
    await other.close();
    expect(size).toBeGreaterThan(300);
  });

  it('no script complained', () => {
    expect(problems).toEqual([]);
  });
});
