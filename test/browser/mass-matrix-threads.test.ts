// The mass matrix on Web Workers, where a page may share memory, and on one thread where it may not.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { massMatrix, State } from '../../src/index.js';
import { builtinMechanism } from '../../src/models/index.js';
import { hasBrowser, launchBrowser, serve } from '../support/browser.js';
import { PATIENCE } from '../support/patience.js';
import { relativeError } from '../support/random-mechanism.js';

const MAIN = `
import { State } from '/dist/index.js';
import { builtinMechanism } from '/dist/models/index.js';
import { ParallelMassMatrix } from '/dist/papers/mass-matrix/index.js';
const finish = (result) => {
  const element = document.createElement('pre');
  element.id = 'result';
  element.textContent = JSON.stringify(result);
  document.body.append(element);
};
try {
  const mechanism = builtinMechanism('chain-160');
  const state = State.random(mechanism, 1);
  const parallel = new ParallelMassMatrix(mechanism, { threads: 2 });
  await parallel.ready();
  for (let k = 0; k < 20; k++) parallel.compute(state.q);
  const { H } = parallel.massMatrix(state);
  await parallel.dispose();
  finish({ note: parallel.note ?? null, threads: parallel.threads, H: [...H] });
} catch (error) {
  finish({ error: String(error) });
}`;

describe.skipIf(!hasBrowser())('the mass matrix on threads in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const isolation = {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  };
  it.each([
    ['isolated page', isolation, 2, null],
    ['any other page', {}, 1, expect.stringContaining('cannot be shared')],
  ])('%s', async (_name, headers, threads, note) => {
    const site = await serve(
      new Map([
        ['/', '<!doctype html><title>threads</title><body><script type="module" src="/main.js"></script>'],
        ['/main.js', MAIN],
      ]),
      { 'content-security-policy': "default-src 'none'; script-src 'self'; worker-src 'self'", ...headers },
    );
    try {
      const page = await browser.newPage();
      await page.goto(`${site.url}/`);
      const text = await page.locator('#result').textContent({ timeout: PATIENCE });
      const { H, ...rest } = JSON.parse(text ?? '') as { H: number[] };
      expect(rest).toEqual({ note, threads });
      const mechanism = builtinMechanism('chain-160');
      const expected = massMatrix(mechanism, State.random(mechanism, 1)).H;
      expect(relativeError(H, expected)).toBeLessThan(1e-11);
      await page.close();
    } finally {
      await site.close();
    }
  });
});
