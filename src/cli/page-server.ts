// Serves the page on this machine: the files that the build made, those that the person named, and nothing else.

import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError } from './errors.js';

const PAGE = fileURLToPath(new URL('../page/', import.meta.url));
const HOST = '127.0.0.1';
/** Tried one after the other, then any that is free. */
const PORTS = [4321, 4322, 4323, 4324, 0];

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json'],
  ['.wasm', 'application/wasm'],
  ['.svg', 'image/svg+xml'],
]);

/** Scripts of the page alone, WebAssembly allowed; with the two cross-origin headers threads can share memory. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Files that the page opens when it starts, under their names; the first is the model or the recording. */
export type OpenedFiles = ReadonlyMap<string, Uint8Array>;

/** Serves until the server is closed; resolves to its address. */
export async function servePage(opened: OpenedFiles, folder = PAGE): Promise<{ server: Server; address: string }> {
  try {
    statSync(join(folder, 'index.html'));
  } catch {
    throw new InputError('The page is not built: run "npm run page" in the checkout first.');
  }
  const server = createServer((request, response) => {
    const { status, type, body } = answerTo(request, folder, opened);
    response.writeHead(status, { ...HEADERS, 'content-type': type, 'content-length': Buffer.byteLength(body) });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  const port = await listen(server);
  return { server, address: `http://${HOST}:${port}/` };
}

async function listen(server: Server): Promise<number> {
  for (const port of PORTS) {
    const free = await new Promise<boolean>((done, fail) => {
      const onError = (error: NodeJS.ErrnoException): void => {
        if (error.code === 'EADDRINUSE') done(false);
        else fail(error);
      };
      server.once('error', onError);
      server.listen(port, HOST, () => {
        server.off('error', onError);
        done(true);
      });
    });
    const address = server.address();
    if (free && address !== null && typeof address !== 'string') return address.port;
  }
  throw new InputError('No port is free.');
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Uint8Array | string;
}

const refusal = (status: number, text: string): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${text}\n`,
});
const MISSING = refusal(404, 'There is no such file.');

/** What a request gets. */
function answerTo({ method, url, headers }: IncomingMessage, folder: string, opened: OpenedFiles): Answer {
  if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'Only reading is possible.');
  // A page of a stranger whose name leads to this machine does not get to read anything.
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? ''))
    return refusal(403, 'This server answers to 127.0.0.1 alone.');
  const path = pathOf(url);
  if (path === undefined) return refusal(400, 'This is no path.');
  if (path === '/opened.json')
    return { status: 200, type: 'application/json', body: JSON.stringify([...opened.keys()]) };
  const number = /^\/opened\/(\d{1,6})$/.exec(path)?.[1];
  if (number !== undefined) {
    const body = [...opened.values()][Number(number)];
    return body === undefined ? MISSING : { status: 200, type: 'application/octet-stream', body };
  }
  const file = normalize(join(folder, path === '/' ? 'index.html' : path));
  const root = normalize(folder).replace(/[/\\]$/, '') + sep;
  const type = TYPES.get(extname(file));
  if (!file.startsWith(root) || type === undefined) return MISSING;
  try {
    return { status: 200, type, body: readFileSync(file) };
  } catch {
    return MISSING;
  }
}

function pathOf(url: string | undefined): string | undefined {
  try {
    const path = decodeURIComponent(new URL(url ?? '/', 'http://localhost').pathname);
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined;
  }
}
