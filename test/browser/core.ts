import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Simulation, State } from '../../src/index.js';
import { builtinMechanism } from '../../src/models/index.js';
import { type Site, serve } from '../support/browser.js';
import { PATIENCE } from '../support/patience.js';

/** What runs in the page, in a worker and here: 50 steps of a figure. */
const PROGRAM = `
import { Simulation, State } from '/dist/index.js';
import { builtinMechanism } from '/dist/models/index.js';
export function walk() {
  const mechanism = builtinMechanism('human-40');
  const simulation = new Simulation(mechanism, { state: State.random(mechanism, 1) });
  simulation.runUntil(0.05);
  return [...simulation.state.q];
}`;
const MAIN = `
import { walk } from '/program.js';
const finish = (result) => {
  const element = document.createElement('pre');
  element.id = 'result';
  element.textContent = JSON.stringify(result);
  document.body.append(element);
};
const worker = new Worker('/worker.js', { type: 'module' });
worker.onmessage = ({ data }) => finish({ page: walk(), worker: data });
worker.onerror = ({ message }) => finish({ error: message });`;

export function core(browserOf: () => Browser): void {
  describe('the core in a browser', () => {
    let site: Site;

    beforeAll(async () => {
      const pages = new Map([
        ['/', '<!doctype html><title>core</title><body><script type="module" src="/main.js"></script>'],
        ['/main.js', MAIN],
        ['/program.js', PROGRAM],
        ['/worker.js', "import { walk } from '/program.js'; postMessage(walk());"],
      ]);
      // The strictest policy a page can have: nothing from strings, nothing inline.
      site = await serve(pages, {
        'content-security-policy': "default-src 'none'; script-src 'self'; worker-src 'self'",
      });
    });

    afterAll(async () => {
      await site?.close();
    });

    it('simulates in a page and in a Web Worker, as it does in Node', async () => {
      const page = await browserOf().newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(`${site.url}/`);
      const text = await page.locator('#result').textContent({ timeout: PATIENCE });
      const result = JSON.parse(text ?? '') as { page: number[]; worker: number[]; error?: string };
      expect(errors).toEqual([]);
      expect(result.error).toBeUndefined();
      const mechanism = builtinMechanism('human-40');
      const simulation = new Simulation(mechanism, { state: State.random(mechanism, 1) });
      simulation.runUntil(0.05);
      // Sine and cosine may differ in the last bit between engines.
      expect(result.page).toHaveLength(mechanism.nq);
      result.page.forEach((q, k) => {
        expect(Math.abs(q - simulation.state.q[k])).toBeLessThan(1e-10);
      });
      expect(result.worker).toEqual(result.page);
      await page.close();
    });
  });
}
