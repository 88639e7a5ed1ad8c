// The page where WebAssembly is not allowed: under script-src 'self' alone.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { SIZE, type Visit } from './visit.js';

export function plain(visit: Visit): void {
  it("works plain under script-src 'self', with the plain engine, and says so", async () => {
    const asked: string[] = [];
    let isolated = true;
    // The same files under a policy that is stricter; workers have that of their own answers.
    const server = createServer(async ({ url = '/' }, response) => {
      const answer = await fetch(`${visit.address}${url.slice(1)}`);
      const headers = Object.fromEntries(answer.headers);
      if (isolated)
        headers['content-security-policy'] = headers['content-security-policy'].replace(" 'wasm-unsafe-eval'", '');
      asked.push(headers['content-security-policy']);
      if (!isolated)
        for (const name of ['cross-origin-opener-policy', 'cross-origin-embedder-policy']) delete headers[name];
      response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    const page = await visit.newPage({ viewport: SIZE });
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      await visit.openIn(page, '', address);
      expect(asked[0]).toMatch(/script-src 'self';/);
      const compiles = `WebAssembly.compile(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)).then(() => true, () => false)`;
      expect(await page.evaluate(compiles)).toBe(false);
      await page.locator('#about', { hasText: /WebAssembly is not allowed here/ }).waitFor();
      await visit.until(async () => (await visit.time(page)) > 0.03);
      await page.click('button[aria-label="Release right_grip"]');
      await page.locator('#message', { hasText: /is released/ }).waitFor();
      // With contacts, and asked for threads.
      await page.selectOption('#scenes', 'boxes');
      await page.locator('#about', { hasText: 'Eight boxes' }).waitFor();
      await visit.until(async () => (await visit.time(page)) > 0.02);
      await page.click('#tab-processors');
      await page.click('text=Run on threads');
      await page.locator('#schedule p', { hasText: /Threads did not run: / }).waitFor();
      await visit.picture('plain', page);
      // With WebAssembly, and without the headers that let threads share memory: on one thread, and that is said, too.
      isolated = false;
      await visit.openIn(page, '#human-34', address);
      expect(await page.evaluate('crossOriginIsolated')).toBe(false);
      await visit.until(async () => (await visit.time(page)) > 0.01);
      await page.click('#tab-processors');
      await page.click('text=Run on threads');
      await page
        .locator('#schedule p', { hasText: /Threads did not run: .* needs the headers Cross-Origin-Opener-Policy/ })
        .waitFor();
    } finally {
      await page.close();
      server.closeAllConnections();
      server.close();
    }
  });
}
