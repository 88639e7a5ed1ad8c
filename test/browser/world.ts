import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledScene } from '../../src/scenes/bundled.js';
import { sceneWorld } from '../../src/scenes/make-scene.js';
import { RunSummary } from '../../src/scenes/run-summary.js';
import { type Site, serve } from '../support/browser.js';
import { PATIENCE } from '../support/patience.js';

const LONG = process.env.MANIKIN_LONG === '1';
/** Seconds of each scene: figures in contact, loops, motors, changes of structure, MJCF. */
const SCENES: readonly (readonly [string, number])[] = [
  ['push', LONG ? 5 : 0.06],
  ['fall', LONG ? 4 : 0.06],
  ['leg', LONG ? 5 : 0.2],
  ['human-34-bar', LONG ? 2 : 0.04],
  ['humanoid', LONG ? 4 : 0.1],
  ['dominoes', LONG ? 2 : 0.1],
  ['walk', LONG ? 6 : 0.04],
];

const PROGRAM = `
import { bundledScene } from './dist/scenes/bundled.js';
import { sceneWorld } from './dist/scenes/make-scene.js';
import { RunSummary } from './dist/scenes/run-summary.js';
const hashes = ${JSON.stringify(SCENES)}.map(([name, end]) => {
  const run = sceneWorld(bundledScene(name));
  const summary = new RunSummary(run.world);
  while (run.stepTowards(end)) summary.look(run.world);
  return summary.hash;
});
const element = document.createElement('pre');
element.id = 'result';
element.textContent = JSON.stringify(hashes);
document.body.append(element);`;

export function world(browserOf: () => Browser): void {
  describe('a world in a browser', () => {
    let site: Site;

    beforeAll(async () => {
      const resolveDir = fileURLToPath(new URL('../../', import.meta.url));
      const { outputFiles } = await build({
        stdin: { contents: PROGRAM, resolveDir },
        bundle: true,
        format: 'esm',
        write: false,
        logLevel: 'error',
        external: ['node:*'],
      });
      const pages = new Map([
        ['/', '<!doctype html><title>world</title><body><script type="module" src="/program.js"></script>'],
        ['/program.js', outputFiles[0].text],
      ]);
      site = await serve(pages, {
        'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'",
      });
    });

    afterAll(async () => {
      await site?.close();
    });

    it('has the bits of Node: the hash of every scene', { timeout: 10 * PATIENCE }, async () => {
      const page = await browserOf().newPage();
      const failed = new Promise<string>((done) => page.on('pageerror', ({ message }) => done(message)));
      await page.goto(`${site.url}/`);
      const told = page.locator('#result').textContent({ timeout: (LONG ? 5 : 1) * PATIENCE });
      const text = (await Promise.race([told, failed])) ?? '';
      expect(text).toMatch(/^\["[0-9a-f]{16}"/);
      const hashes = SCENES.map(([name, end]) => {
        const run = sceneWorld(bundledScene(name)!);
        const summary = new RunSummary(run.world);
        while (run.stepTowards(end)) summary.look(run.world);
        return summary.hash;
      });
      expect(JSON.parse(text)).toEqual(hashes);
      expect(new Set(hashes).size).toBe(SCENES.length);
      await page.close();
    });
  });
}
