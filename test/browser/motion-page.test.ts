import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBvh } from '../../src/formats/bvh.js';
import { figureFromBvh } from '../../src/motion/bvh-figure.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import { differentiated, smoothed } from '../../src/motion/trajectory.js';
import { motionPage } from '../../src/plot/motion-page.js';
import { gaitBvh } from '../motion/gait.js';
import { hasBrowser, launchBrowser, type Site, serve } from '../support/browser.js';
import { PATIENCE } from '../support/patience.js';

function page(): string {
  const figure = figureFromBvh(parseBvh(gaitBvh({ seconds: 1 })), { scale: 0.01 });
  const trajectory = differentiated(smoothed(figure.positions, 6));
  const { mechanism, frames, poses, supports, weight } = inverseOfMotion(trajectory, { feet: figure.feet });
  return motionPage({
    title: 'A walk </script><b>',
    mechanism,
    times: frames.map(({ time }) => time),
    poses,
    captions: supports.map(({ kind }) => `on </script> ${kind}`),
    forces: frames.map(({ total, point }) => [{ point, force: total.force }]),
    forceScale: weight,
    series: [
      { name: 'first', unit: 'N', values: frames.map(({ total }) => total.force[1]) },
      { name: 'second', unit: 'N m', values: frames.map(({ tau }) => tau[10]) },
    ],
  });
}

describe.skipIf(!hasBrowser())('the page that plays a motion', () => {
  let browser: Browser;
  let site: Site;

  beforeAll(async () => {
    site = await serve(new Map([['/', page()]]));
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  it('plays, stops, is turned and moved along, and asks for nothing else', async () => {
    const tab = await browser.newPage({ viewport: { width: 900, height: 900 } });
    const faults: string[] = [];
    const requests: string[] = [];
    tab.on('pageerror', (error) => faults.push(String(error)));
    tab.on('console', (message) => faults.push(message.text()));
    tab.on('request', (request) => requests.push(request.url()));
    await tab.goto(site.url);
    expect(await tab.title()).toBe('A walk </script><b>');
    const shown = (): Promise<string> => tab.evaluate("document.getElementById('now').textContent");
    const picture = (id: string): Promise<string> => tab.evaluate(`document.getElementById('${id}').toDataURL()`);
    // Not waitForFunction, which the page's policy forbids: it evaluates a string in the page.
    await expect.poll(async () => Number.parseFloat(await shown()), { timeout: PATIENCE }).toBeGreaterThan(0.05);
    await tab.click('#play');
    const stopped = await shown();
    expect(stopped).toMatch(/^\d\.\d{3} s, on <\/script> (left|right|double)$/);
    const before = await picture('figure');
    await tab.waitForTimeout(150);
    expect(await shown()).toBe(stopped);
    const box = (await (await tab.$('#figure'))!.boundingBox())!;
    await tab.mouse.move(box.x + 300, box.y + 200);
    await tab.mouse.down();
    await tab.mouse.move(box.x + 400, box.y + 220);
    await tab.mouse.up();
    expect(await picture('figure')).not.toBe(before);
    const plotted = await picture('plot');
    await tab.selectOption('#series', { index: 1 });
    expect(await picture('plot')).not.toBe(plotted);
    await tab.focus('#frame');
    await tab.keyboard.press('End');
    expect(await shown()).toMatch(/^1\.000 s/);
    expect(faults).toEqual([]);
    expect(requests.filter((url) => !/favicon/.test(url))).toHaveLength(1);
    await tab.close();
  });
});
