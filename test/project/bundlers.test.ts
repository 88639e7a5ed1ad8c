// The packed package in projects of others: four bundlers with their default settings make a page of it, which computes
// in Chromium and has threads; a strict compiler reads its types with nothing else installed; the example with Vite works.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import type { Browser } from 'playwright-core';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import webpack from 'webpack';
import { hasBrowser, launchBrowser, SOFTWARE_GL, serve } from '../support/browser.js';
import { packedProject } from '../support/packed-project.js';
import { viteExample } from './vite-example.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

const WORK = `
import { dynamics, State } from 'manikin';
import { batch } from 'manikin/batch';
import { builtinMechanism } from 'manikin/models';
async function work() {
  const mechanism = builtinMechanism('human-34');
  const figure = dynamics(mechanism, { engine: 'compiled' });
  await figure.ready();
  const state = State.random(mechanism, 1);
  const many = await batch(mechanism, { states: 8, device: 'cpu', threads: 2 });
  for (let s = 0; s < 8; s++) many.setState(s, state);
  await many.forward();
  const rows = many.read('qdd');
  const error = Math.max(...figure.forward(state).map((x, k) => Math.abs(x - rows[k])));
  return { error, batch: many.report().text, notes: figure.report().notes.join(' ') };
}
work().then(postMessage, (error) => postMessage({ failed: String(error) }));
`;

const MAIN = `
const worker = new Worker(new URL('./work.js', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }) => {
  const element = document.createElement('pre');
  element.id = 'result';
  element.textContent = JSON.stringify(data);
  document.body.append(element);
};
`;

const PAGE = '<!doctype html><title>bundle</title><body><script type="module" src="./main.js"></script>';

/** Every bundler puts main.js and work.js, or a page that loads them, into `out`, with what it needs beside. */
const BUNDLERS: Record<string, (project: string, out: string) => Promise<unknown>> = {
  vite: (project, out) =>
    vite({ root: project, logLevel: 'error', build: { outDir: out, emptyOutDir: false }, configFile: false }),
  webpack: (project, out) =>
    new Promise<void>((done, fail) => {
      // Development only spares the time of making it small.
      const settings = { context: project, mode: 'development' as const, devtool: false as const };
      webpack({ ...settings, entry: './main.js', output: { path: out, filename: 'main.js' } }, (error, stats) => {
        const told = stats?.toString({ all: false, errors: true, warnings: true }) ?? '';
        if (error !== null || stats?.hasErrors() || stats?.hasWarnings()) fail(error ?? new Error(told));
        else done();
      });
    }),
  esbuild: async (project, out) => {
    await esbuild.build({
      absWorkingDir: project,
      entryPoints: ['main.js', 'work.js'],
      bundle: true,
      format: 'esm',
      outdir: out,
      logLevel: 'error',
    });
    copyWorkers(project, out);
  },
  'esbuild, plain script': async (project, out) => {
    // What is no module has no import.meta: the programs of threads are looked for beside the worker.
    await esbuild.build({
      absWorkingDir: project,
      entryPoints: ['work.js'],
      bundle: true,
      outdir: out,
      logLevel: 'error',
    });
    cpSync(join(project, 'main.js'), join(out, 'main.js'));
    copyWorkers(project, out);
  },
  rollup: async (project, out) => {
    const warnings: string[] = [];
    const bundle = await rollup({
      input: [join(project, 'main.js'), join(project, 'work.js')],
      plugins: [nodeResolve()],
      onLog: (level, { code, message }) => {
        if (level === 'warn' && code !== 'CIRCULAR_DEPENDENCY') warnings.push(message);
      },
    });
    await bundle.write({ dir: out, format: 'es' });
    await bundle.close();
    expect(warnings).toEqual([]);
    copyWorkers(project, out);
  },
};

/** What the README tells users of bundlers that make no bundles of workers. */
function copyWorkers(project: string, out: string): void {
  cpSync(join(project, 'node_modules/manikin/dist/workers'), out, { recursive: true });
}

describe('the packed package', () => {
  let project: string;
  let files: readonly string[];
  let browser: Browser | undefined;

  beforeAll(async () => {
    ({ project, files } = packedProject());
    writeFileSync(join(project, 'main.js'), MAIN);
    writeFileSync(join(project, 'work.js'), WORK);
    writeFileSync(join(project, 'index.html'), PAGE);
    browser = hasBrowser() ? await launchBrowser(SOFTWARE_GL) : undefined;
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(project, { recursive: true, force: true });
  });

  it('has documents, examples and living source maps', () => {
    for (const path of ['README.md', 'CHANGELOG.md', 'docs/README.md', 'examples/01-five-lines.ts', 'dist/index.d.ts'])
      expect(files).toContain(path);
    expect(files.filter((path) => path.includes('tsbuildinfo'))).toEqual([]);
    const map = JSON.parse(readFileSync(join(project, 'node_modules/manikin/dist/index.js.map'), 'utf8'));
    expect(map.sourcesContent?.[0]).toContain('The core of Manikin');
  });

  it('has types that need nothing else', { timeout: 120_000 }, () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object };
    // manikin/three is for those who have three.js and its types.
    const entries = Object.keys(exports).filter((path) => !/workers|three|\.(json|html)$/.test(path));
    expect(entries.length).toBeGreaterThan(8);
    const lines = entries.map((path, k) => `export * as entry${k} from 'manikin${path.slice(1)}';`);
    writeFileSync(join(project, 'all.ts'), lines.join('\n'));
    // Neither the types of a page nor those of Node; the declarations themselves are checked, too.
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023'];
    expect(spawnSync(process.execPath, [TSC, ...flags, 'all.ts'], { cwd: project, encoding: 'utf8' }).stdout).toBe('');
  });

  it('has examples that a strict compiler takes', { timeout: 120_000 }, () => {
    const examples = join(project, 'examples');
    cpSync(join(project, 'node_modules/manikin/examples'), examples, { recursive: true });
    // console is a matter of Node; its types depend on one other package.
    for (const name of ['@types/node', 'undici-types']) {
      mkdirSync(join(examples, 'node_modules', name, '..'), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(examples, 'node_modules', name));
    }
    expect(spawnSync(process.execPath, [TSC], { cwd: examples, encoding: 'utf8' }).stdout).toBe('');
    expect(readFileSync(join(examples, 'tsconfig.json'), 'utf8')).not.toContain('skipLibCheck');
  });

  it.each(Object.keys(BUNDLERS))('%s', { timeout: 180_000 }, async (name) => {
    const out = join(project, `out-${name.replace(/\W/g, '')}`);
    mkdirSync(out);
    await BUNDLERS[name](project, out);
    if (!existsSync(join(out, 'index.html'))) writeFileSync(join(out, 'index.html'), PAGE);
    if (browser === undefined) return;
    const pages = new Map<string, string>();
    for (const path of readdirSync(out, { recursive: true, encoding: 'utf8' }))
      if (/\.(js|html)$/.test(path)) pages.set(`/${path}`, readFileSync(join(out, path), 'utf8'));
    const site = await serve(pages, {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
    });
    const page = await browser.newPage();
    try {
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(`${site.url}/index.html`);
      const result = JSON.parse((await page.locator('#result').textContent({ timeout: 60_000 })) ?? '');
      expect(errors).toEqual([]);
      expect(result.failed).toBeUndefined();
      // Of accelerations up to 17 rad/s^2: two states in the lanes of vectors, and one.
      expect(result.error).toBeLessThan(1e-13);
      expect(result.batch).toContain('2 threads');
      expect(result.notes).not.toContain('no worker');
    } finally {
      await page.close();
      await site.close();
    }
  });

  describe('the example with Vite and three.js', () => viteExample(() => browser!));
});
