// examples/vite-three on the packed package: a strict compiler takes it, Vite builds it with its default settings, and in
// Chromium the figure is dragged, held and let go.

import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasBrowser, type Site, serve } from '../support/browser.js';
import { DRAW_SELDOM } from '../support/draw-seldom.js';
import { packedProject } from '../support/packed-project.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export function viteExample(browserOf: () => Browser): void {
  let project: string;
  let site: Site | undefined;

  beforeAll(() => {
    ({ project } = packedProject(['three', '@types/three']));
    cpSync(join(project, 'node_modules/manikin/examples/vite-three'), project, { recursive: true });
  });
  afterAll(async () => {
    await site?.close();
    rmSync(project, { recursive: true, force: true });
  });

  it('is strict TypeScript', { timeout: 120_000 }, () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    // The types of three are not ours to check.
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', project, '--skipLibCheck'], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it.skipIf(!hasBrowser())('hangs, is dragged, held and let go in Chromium', { timeout: 300_000 }, async () => {
    const out = join(project, 'built');
    await build({ root: project, logLevel: 'error', configFile: false, build: { outDir: out } });
    const pages = new Map([['/', readFileSync(join(out, 'index.html'), 'utf8')]]);
    for (const name of readdirSync(join(out, 'assets')))
      pages.set(`/assets/${name}`, readFileSync(join(out, 'assets', name), 'utf8'));
    site = await serve(pages);
    const page = await browserOf().newPage({ viewport: { width: 640, height: 480 } });
    await page.addInitScript(DRAW_SELDOM);
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(site.url);

    const status = async (): Promise<{ time: number; head: number }> => {
      const text = (await page.locator('#status', { hasText: 'contact' }).textContent()) ?? '';
      return { time: Number.parseFloat(text), head: Number(/head ([-.0-9]+) m/.exec(text)?.[1]) };
    };
    const pass = async (seconds: number): Promise<void> => {
      const end = (await status()).time + seconds;
      while ((await status()).time < end) await page.waitForTimeout(50);
    };
    const grips = (): Promise<string[]> => page.locator('#grips button').allTextContents();
    const hands = ['release left hand', 'release right hand'];

    const picture = async (name: string): Promise<void> => {
      await page.evaluate('draws = true, pictures()');
      await page.screenshot({ path: `out/page/vite-three-${name}.png` });
      await page.evaluate('draws = false');
    };

    const start = await status();
    expect(await grips()).toEqual(hands);
    // A part of the figure, below its hands and near the middle of the picture, follows the mouse. The figure swings: what was
    // under the mouse may be gone when the button goes down.
    const grab = async (): Promise<boolean> => {
      for (let round = 0; round < 10; round++)
        for (let y = 180; y < 300; y += 12)
          for (const x of [320, 310, 330, 300, 340]) {
            await page.mouse.move(x, y);
            await page.mouse.down();
            if ((await page.locator('canvas').evaluate((view) => view.style.cursor)) === 'grabbing') return true;
            await page.mouse.up();
          }
      return false;
    };
    expect(await grab()).toBe(true);
    await page.mouse.move(450, 150, { steps: 4 });
    await pass(0.6);
    const dragged = await status();
    expect(Math.abs(dragged.head - start.head)).toBeGreaterThan(0.02);
    await picture('dragged');
    await page.keyboard.press('h');
    await page.mouse.up();
    const [third] = (await grips()).slice(2);
    expect(third).toMatch(/^release /);
    for (const name of hands) await page.getByRole('button', { name }).click();
    await pass(0.8);
    await picture('held');
    const held = await status();
    await page.getByRole('button', { name: third }).click();
    expect(await grips()).toEqual([]);
    await pass(0.9);
    await picture('fallen');
    expect((await status()).head).toBeLessThan(held.head - 0.1);
    expect(errors).toEqual([]);
    await page.close();
  });
}
