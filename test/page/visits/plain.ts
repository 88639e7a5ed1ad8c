// The page on any server of plain files, in a folder of it: under script-src 'self' alone, where WebAssembly is not allowed, and with
// 'wasm-unsafe-eval', without the headers that let threads share memory.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { expect, it } from 'vitest';
import { FOLDER, SIZE, type Visit } from './visit.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const PATH = '/some/where/';

export function plain(visit: Visit): void {
  it("works on a server of plain files, under script-src 'self' with the plain engine, and says so", async () => {
    let policy = "script-src 'self'";
    let isolation: Readonly<Record<string, string>> = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    };
    const missing: string[] = [];
    const server = createServer(({ url = '/' }, response) => {
      const file = url.startsWith(PATH)
        ? `${FOLDER}${url.slice(PATH.length).replace(/[?#].*/, '') || 'index.html'}`
        : '';
      if (!existsSync(file)) {
        missing.push(url);
        response.writeHead(404).end();
        return;
      }
      const type = TYPES[extname(file)] ?? 'application/octet-stream';
      const headers = { 'content-type': type, 'content-security-policy': policy };
      response.writeHead(200, { ...headers, ...isolation }).end(readFileSync(file));
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    const page = await visit.newPage({ viewport: SIZE });
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
      await visit.openIn(page, '', address);
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
      await page.locator('#schedule p', { hasText: /Threads did not run: WebAssembly is not allowed here/ }).waitFor();
      await visit.picture('plain', page);
      // With WebAssembly, and without the headers that let threads share memory: on one thread, and that is said, too.
      policy += " 'wasm-unsafe-eval'";
      isolation = {};
      await visit.openIn(page, '#human-34', address);
      expect(await page.evaluate('crossOriginIsolated')).toBe(false);
      await visit.until(async () => (await visit.time(page)) > 0.01);
      await page.click('#tab-processors');
      await page.click('text=Run on threads');
      await page
        .locator('#schedule p', { hasText: /Threads did not run: .* needs the headers Cross-Origin-Opener-Policy/ })
        .waitFor();
      expect(missing).toEqual([]);
    } finally {
      await page.close();
      server.closeAllConnections();
      server.close();
    }
  });
}
