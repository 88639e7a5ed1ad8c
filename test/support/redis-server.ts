// A real Redis of a test's own, on a free port of this machine; none of its data outlives the test.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.warn('skipped: there is no redis-server on this machine (apt-get install redis-server)');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #words: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, words: readonly string[]) {
    this.port = port;
    this.#words = words;
    this.#folder = mkdtempSync(join(tmpdir(), 'manikin-redis-'));
  }

  /** With words for its command line; `port` says where its port goes. */
  static async start(words: readonly string[] = [], port = '--port'): Promise<RedisServer> {
    const free = await freePort();
    const server = new RedisServer(free, [port, String(free), '--bind', '127.0.0.1', '--save', '', ...words]);
    await server.begin();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async begin(): Promise<void> {
    const child = spawn('redis-server', [...this.#words, '--dir', this.#folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    let text = '';
    child.stdout!.on('data', (part) => {
      text += part;
    });
    while (!/Ready to accept connections/.test(text)) {
      if (child.exitCode !== null) throw new Error(`redis-server ended: ${text}`);
      await wait(10);
    }
  }

  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  /** Ends it for good. */
  async remove(): Promise<void> {
    await this.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
