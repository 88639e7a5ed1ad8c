// Somebody visits the page: one browser and one built page for all tests, and whatever a script complains about.

import { mkdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { expect } from 'vitest';
import { servePage } from '../../../src/cli/page-server.js';
import { launchBrowser, SOFTWARE_GL } from '../../support/browser.js';
import { DRAW_SELDOM } from '../../support/draw-seldom.js';
import { PATIENCE } from '../../support/patience.js';

const root = new URL('../../../', import.meta.url);
/** Where pictures go. */
export const PICTURES = fileURLToPath(new URL('out/page/', root));
/** The built page. */
export const FOLDER = fileURLToPath(new URL('dist/page/', root));
/** Small, so that drawing without a GPU does not take all the time. */
export const SIZE = { width: 900, height: 560 };

export class Visit {
  browser!: Browser;
  page!: Page;
  address = '';
  readonly problems: string[] = [];
  #server: Server | undefined;
  #opened = 0;

  async begin(): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    await build({ configFile: fileURLToPath(new URL('page/vite.config.mjs', root)), logLevel: 'error' });
    this.browser = await launchBrowser([
      ...SOFTWARE_GL,
      '--disable-gpu-compositing',
      // Memory is measured when somebody asks, and not at leisure.
      '--enable-blink-features=ForceEagerMeasureMemory',
    ]);
    ({ server: this.#server, address: this.address } = await servePage(new Map(), FOLDER));
    this.page = await this.newPage({ viewport: SIZE });
  }

  async end(): Promise<void> {
    await this.browser?.close();
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** Another page, whose complaints count, too. The one that was there draws nothing any more. */
  async newPage(options: Parameters<Browser['newPage']>[0]): Promise<Page> {
    await this.page?.goto('about:blank');
    const page = await this.browser.newPage(options);
    await page.addInitScript(DRAW_SELDOM);
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(error.message));
    return page;
  }

  async open(hash = ''): Promise<void> {
    await this.page.emulateMedia({ reducedMotion: null });
    await this.openIn(this.page, hash);
  }

  /** As it is for those who want things to stand still: what is seen does not hang on the clock. */
  async openStill(hash = ''): Promise<void> {
    await this.page.emulateMedia({ reducedMotion: 'reduce' });
    await this.openIn(this.page, hash);
  }

  async openIn(page: Page, hash = '', address = this.address): Promise<void> {
    // Loaded again also where nothing but what is behind the # has changed.
    const url = new URL(address);
    url.search = `?${++this.#opened}`;
    if (hash !== '') url.hash = hash;
    await page.goto(url.href);
    await this.until(async () => ((await page.textContent('#clock')) ?? '').endsWith('s'));
  }

  async until(holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + PATIENCE;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`It never came true: ${String(holds)}`);
      await this.page.waitForTimeout(50);
    }
  }

  async text(selector: string, page = this.page): Promise<string> {
    return (await page.textContent(selector)) ?? '';
  }

  async time(page = this.page): Promise<number> {
    return Number.parseFloat(await this.text('#clock', page));
  }

  async says(message: RegExp): Promise<void> {
    await this.page.locator('#message', { hasText: message }).waitFor();
  }

  async play(): Promise<void> {
    if ((await this.text('#play')) === 'Play') await this.page.click('#play');
  }

  async pause(): Promise<void> {
    if ((await this.text('#play')) === 'Pause') await this.page.click('#play');
    await this.page.locator('#play', { hasText: 'Play' }).waitFor();
  }

  /** Time goes on by so many seconds. */
  async pass(seconds: number): Promise<void> {
    const before = await this.time();
    await this.until(async () => (await this.time()) > before + seconds);
  }

  async tab(name: string): Promise<void> {
    await this.page.click(`#tab-${name}`);
  }

  /** Chooses a body in the tree. */
  async choose(body: string): Promise<void> {
    await this.page.locator('.tree button', { hasText: new RegExp(`^${body}$`) }).click();
    await expect.poll(() => this.text('#picked'), { timeout: PATIENCE }).toBe(body);
  }

  /** A link to this moment: what stands behind the #. */
  async link(): Promise<string> {
    await this.page.evaluate('history.replaceState(null, "", "#")');
    await this.page.click('#save summary');
    await this.page.click('#save-link');
    let hash = '';
    await this.until(async () => {
      hash = String(await this.page.evaluate('location.hash'));
      return hash.startsWith('#moment=');
    });
    return hash;
  }

  /** The path of the file that something saves. */
  async download(save: () => Promise<void>): Promise<string> {
    const [file] = await Promise.all([this.page.waitForEvent('download'), save()]);
    return file.path();
  }

  /** A place of the page where a body is clicked, looked for around a place of the canvas in steps of so many pixels. */
  async find(body: RegExp, [x, y]: readonly [number, number], step: number): Promise<readonly [number, number]> {
    const canvas = (await this.page.locator('#canvas').boundingBox())!;
    for (let ring = 0; ring <= 5; ring++)
      for (const [i, j] of ring === 0
        ? [[0, 0]]
        : [
            [0, 1],
            [0, -1],
            [1, 0],
            [-1, 0],
          ]) {
        const at = [canvas.x + x + i * ring * step, canvas.y + y + j * ring * step] as const;
        await this.page.mouse.click(...at);
        if (body.test(await this.text('#picked'))) return at;
      }
    throw new Error(`${body} is not around ${x}, ${y}`);
  }

  /** Looks at the scene: drawn as large as it is, or of so many pixels. */
  async drawn<T>(look: () => Promise<T>, page = this.page, size?: number): Promise<T> {
    await page.evaluate(`drawAnew(${size ?? ''})`);
    try {
      return await look();
    } finally {
      await page.evaluate('drawNoMore()');
    }
  }

  /** What the scene looks like, in few pixels: other where another picture was drawn. */
  seen(page = this.page): Promise<string> {
    return this.drawn(() => this.inBrowser<string>('seen', null, page), page, 64);
  }

  /** A picture is left in out/page. */
  async picture(name: string, page = this.page): Promise<void> {
    await this.drawn(() => page.screenshot({ path: `${PICTURES}${name}.png` }), page);
  }

  /** Runs a function of the folder in-browser there. */
  inBrowser<T>(name: string, argument: unknown = null, page = this.page): Promise<T> {
    const code = readFileSync(new URL(`../in-browser/${name}.js`, import.meta.url), 'utf8');
    return page.evaluate<T>(`(${code.slice(code.indexOf('export') + 'export'.length)})(${JSON.stringify(argument)})`);
  }
}
