// Threads in a browser: with and without the headers that shared memory needs, with and without leave to compile
// WebAssembly.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { serve } from '../support/browser.js';
import { PATIENCE } from '../support/patience.js';
import { relativeError } from '../support/random-mechanism.js';

const MODEL = 'crowd-3';

const PROGRAM = `
import { State } from '/dist/index.js';
import { builtinMechanism } from '/dist/models/index.js';
import { batch } from '/dist/batch/index.js';
import { ParallelDynamics } from '/dist/engines/threads/parallel-dynamics.js';
export async function compute() {
  const mechanism = builtinMechanism('${MODEL}');
  const dynamics = new ParallelDynamics(mechanism, { threads: 2, prefer: 'parallel' });
  await dynamics.ready();
  const state = State.random(mechanism, 1);
  for (let k = 0; k < 300; k++) dynamics.forward(state);
  const many = await batch(mechanism, { states: 400, threads: 2 });
  for (let s = 0; s < 400; s++) many.setState(s, state);
  await many.forward();
  const last = many.read('qdd', new Float64Array(mechanism.nv), 399);
  const result = {
    mode: dynamics.mode, threads: dynamics.threads, explain: dynamics.explain(), counts: dynamics.counts,
    qdd: [...dynamics.forward(state)], batch: [...last], batchThreads: many.report().threads,
  };
  dynamics.dispose();
  many.dispose();
  return result;
}`;
const MAIN = `
import { compute } from '/program.js';
const finish = (result) => {
  const element = document.createElement('pre');
  element.id = 'result';
  element.textContent = JSON.stringify(result);
  document.body.append(element);
};
const worker = new Worker('/worker.js', { type: 'module' });
worker.onmessage = ({ data }) => compute().then((page) => finish({ page, worker: data }), (error) => finish({ error: String(error) }));
worker.onerror = ({ message }) => finish({ error: message });`;

interface Result {
  readonly mode: string;
  readonly threads: number;
  readonly explain: string;
  readonly counts: { readonly parallel: number };
  readonly qdd: number[];
  readonly batch: number[];
  readonly batchThreads: number;
}

const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};
const policy = (scripts: string): Record<string, string> => ({
  'content-security-policy': `default-src 'none'; script-src ${scripts}; worker-src 'self'`,
});

/** The program in one file, with that of its threads beside it: hundreds of modules would be read by each of its threads. */
async function bundled(): Promise<ReadonlyMap<string, string>> {
  const resolveDir = fileURLToPath(new URL('../../', import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM.replaceAll("'/dist/", "'./dist/"), resolveDir },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
    external: ['node:*'],
  });
  const threads = new URL('../../dist/workers/threads-worker.js', import.meta.url);
  return new Map([
    ['/program.js', outputFiles[0].text],
    ['/threads-worker.js', readFileSync(threads, 'utf8')],
  ]);
}

export function parallel(browserOf: () => Browser): void {
  describe('threads in a browser', () => {
    let bundle: ReadonlyMap<string, string>;
    beforeAll(async () => {
      bundle = await bundled();
    });

    const mechanism = builtinMechanism(MODEL);
    const expected = new PlainDynamics(mechanism).forward(State.random(mechanism, 1));

    async function visit(headers: Record<string, string>, program = bundle): Promise<{ page: Result; worker: Result }> {
      const pages = new Map([
        ['/', '<!doctype html><title>threads</title><body><script type="module" src="/main.js"></script>'],
        ['/main.js', MAIN],
        ...program,
        [
          '/worker.js',
          "import { compute } from '/program.js'; compute().then((result) => postMessage(result), (error) => postMessage({ error: String(error) }));",
        ],
      ]);
      const site = await serve(pages, headers);
      try {
        const page = await browserOf().newPage();
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(error.message));
        await page.goto(`${site.url}/`);
        const text = await page.locator('#result').textContent({ timeout: PATIENCE });
        await page.close();
        const result = JSON.parse(text ?? '') as { page: Result; worker: Result; error?: string };
        expect(errors).toEqual([]);
        expect(result.error).toBeUndefined();
        expect((result.worker as { error?: string }).error).toBeUndefined();
        for (const { qdd, batch } of [result.page, result.worker]) {
          expect(relativeError(qdd, expected)).toBeLessThan(1e-10);
          expect(relativeError(batch, expected)).toBeLessThan(1e-10);
        }
        // A page's own thread never waits for others.
        expect(result.page.mode).toBe('serial');
        expect(result.page.counts.parallel).toBe(0);
        return result;
      } finally {
        await site.close();
      }
    }

    it('isolated, WebAssembly allowed: several threads in a worker', async () => {
      const modules = new Map([['/program.js', PROGRAM]]);
      const { page, worker } = await visit({ ...ISOLATED, ...policy("'self' 'wasm-unsafe-eval'") }, modules);
      expect(worker.mode, worker.explain).toBe('parallel');
      expect(worker.threads).toBe(2);
      expect(worker.batchThreads).toBe(2);
      expect(page.explain).toContain('must never wait');
    });

    it('not isolated: one thread, and it says why', async () => {
      const { page, worker } = await visit(policy("'self' 'wasm-unsafe-eval'"));
      for (const result of [page, worker]) {
        expect(result.mode).toBe('serial');
        expect(result.batchThreads).toBe(1);
        expect(result.explain).toContain('Cross-Origin-Opener-Policy');
      }
    });

    it.each([
      ['isolated', ISOLATED],
      ['not isolated', {}],
    ])('%s, WebAssembly forbidden: readable algorithms on one thread', async (_name, headers) => {
      const { worker } = await visit({ ...headers, ...policy("'self'") });
      expect(worker.mode).toBe('serial');
      expect(worker.explain).toMatch(/WebAssembly cannot be used|Cross-Origin-Opener-Policy/);
    });
  });
}
