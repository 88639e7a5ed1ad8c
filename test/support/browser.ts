// Debian's Chromium, driven by playwright-core, against a server of our own on loopback.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { PATIENCE } from './patience.js';

const EXECUTABLE = '/usr/bin/chromium';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Whether a browser is there; prints a line where it is not. In CI it must be. */
export function hasBrowser(): boolean {
  if (existsSync(EXECUTABLE)) return true;
  if (process.env.MANIKIN_NEEDS_BROWSER === '1') throw new Error(`${EXECUTABLE} is missing`);
  console.warn(`skipped: no browser at ${EXECUTABLE}`);
  return false;
}

/** WebGL by the processor. */
export const SOFTWARE_GL = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

/** Without a GPU, unless arguments say otherwise. */
export async function launchBrowser(args: readonly string[] = ['--disable-gpu']): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', ...args],
    timeout: PATIENCE,
  });
  const newPage = browser.newPage.bind(browser);
  browser.newPage = async (options) => {
    const page = await newPage(options);
    page.setDefaultTimeout(PATIENCE);
    return page;
  };
  return browser;
}

const TYPES = new Map([
  ['.html', 'text/html'],
  ['.js', 'text/javascript'],
  ['.mjs', 'text/javascript'],
  ['.wasm', 'application/wasm'],
]);

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves dist/ and the given pages (path to content) with the given headers. */
export async function serve(
  pages: ReadonlyMap<string, string>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const type = TYPES.get(extname(path)) ?? 'text/html';
    const send = (status: number, body: string | Buffer): void => {
      // A page, its workers and their threads read hundreds of modules each: one of them does.
      response.writeHead(status, { 'content-type': type, 'cache-control': 'max-age=600', ...headers });
      response.end(body);
    };
    const page = pages.get(path);
    if (page !== undefined) send(200, page);
    else if (path.startsWith('/dist/'))
      readFile(join(ROOT, path)).then(
        (body) => send(200, body),
        () => send(404, 'not found'),
      );
    else send(404, 'not found');
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
      }),
  };
}
