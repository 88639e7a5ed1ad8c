// Imports point one way. The folders of src, each with the folders it may use besides itself.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

const ALLOWED = new Map<string, readonly string[]>([
  ['spatial', []],
  // Workers of Node and of pages.
  ['threads', []],
  ['joints', ['spatial']],
  ['mechanism', ['spatial', 'joints']],
  // Convex hulls of meshes come from contact.
  ['formats', ['spatial', 'joints', 'mechanism', 'contact']],
  ['models', ['spatial', 'joints', 'mechanism']],
  ['schedule', []],
  ['plan', ['spatial', 'joints', 'mechanism']],
  ['formulas', ['joints', 'plan']],
  ['emit', ['formulas']],
  // Readable algorithms, one file each.
  ['reference', ['spatial', 'joints', 'mechanism']],
  ['engines', ['spatial', 'joints', 'mechanism', 'reference', 'schedule', 'plan', 'formulas', 'emit', 'threads']],
  ['dynamics', ['spatial', 'joints', 'mechanism', 'reference', 'engines']],
  ['batch', ['mechanism', 'engines']],
  // Shapes, collision, contact solvers.
  ['contact', ['spatial', 'joints', 'mechanism', 'reference', 'engines', 'dynamics']],
  ['simulation', ['spatial', 'joints', 'mechanism', 'reference', 'dynamics', 'engines', 'contact', 'threads']],
  // MCAP files of worlds.
  ['recording', ['spatial', 'joints', 'mechanism', 'formats', 'dynamics', 'contact', 'simulation']],
  ['motion', ['spatial', 'joints', 'mechanism', 'formats', 'models', 'engines', 'dynamics']],
  // Files of any kind, from their bytes.
  ['files', ['spatial', 'joints', 'mechanism', 'formats', 'engines', 'motion']],
  // Frames, configurations, inverse kinematics, identification.
  ['toolbox', ['spatial', 'joints', 'mechanism', 'reference', 'engines', 'dynamics', 'formats', 'motion']],
  // Worlds from scene files.
  [
    'scenes',
    [
      'spatial',
      'joints',
      'mechanism',
      'formats',
      'models',
      'dynamics',
      'contact',
      'simulation',
      'motion',
      'files',
      'threads',
    ],
  ],
  // Many runs of scenes, models and motions.
  ['sweep', ['spatial', 'mechanism', 'formats', 'models', 'simulation', 'motion', 'files', 'scenes']],
  ['plot', ['spatial', 'joints', 'mechanism', 'engines', 'dynamics', 'motion', 'files']],
  // Objects of three.js that follow a state.
  ['three', ['spatial', 'mechanism', 'reference']],
  [
    'papers',
    [
      'spatial',
      'joints',
      'mechanism',
      'reference',
      'models',
      'schedule',
      'engines',
      'dynamics',
      'simulation',
      'plot',
      'threads',
    ],
  ],
]);
// Nobody imports the command line; it puts everything together.
ALLOWED.set('cli', [...ALLOWED.keys()]);

/** Packages that a folder may import; Node's own modules stand as node:*. */
const PACKAGES = new Map<string, readonly string[]>([
  ['formats', ['@rgrove/parse-xml']],
  ['engines', ['koffi', 'webgpu']],
  ['plot', ['d3-scale', 'd3-shape']],
  ['recording', ['@mcap/core']],
  ['three', ['three', 'three/addons/geometries/ConvexGeometry.js', 'three/addons/utils/BufferGeometryUtils.js']],
  ['cli', ['commander', 'node:*', '#bench/*', 'bullmq', 'ioredis', 'hyparquet-writer']],
  ['threads', ['node:*']],
]);

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
}

function importsOf(file: string, root = SRC): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

describe('imports', () => {
  it.each(sourceFiles().filter((file) => file.includes('/')))('%s', (file) => {
    const folder = file.split('/')[0];
    const allowed = ALLOWED.get(folder);
    expect(allowed, `folder src/${folder} is not in the list of folders`).toBeDefined();
    for (const target of importsOf(file)) {
      if (target.startsWith('.')) {
        const to = relative(SRC, resolve(join(SRC, dirname(file)), target)).split('/')[0];
        expect([folder, ...allowed!], `${file} imports ${target}`).toContain(to);
      } else {
        const name = target.replace(/^(node:|#bench\/).*/, '$1*');
        expect(PACKAGES.get(folder) ?? [], `${file} imports ${target}`).toContain(name);
      }
    }
  });

  it('the core needs no package and no Node', () => {
    const seen = new Set<string>();
    const queue = ['index.ts'];
    while (queue.length > 0) {
      const file = queue.pop()!;
      if (seen.has(file)) continue;
      seen.add(file);
      for (const target of importsOf(file)) {
        // Asked for in Node only: threads of Node, and the number of its processors.
        if (file === 'threads/surroundings.ts' && target.startsWith('node:')) continue;
        expect(target, `${file} is part of the core`).toMatch(/^\./);
        queue.push(relative(SRC, resolve(join(SRC, dirname(file)), target)).replace(/\.js$/, '.ts'));
      }
    }
    expect(seen.size).toBeGreaterThan(20);
  });

  it('benchmarks are built upon src, which knows them by one line of the command line', () => {
    const known = sourceFiles().filter((file) => readFileSync(join(SRC, file), 'utf8').includes('#bench'));
    expect(known.sort()).toEqual(['cli/bench-commands.d.ts', 'cli/command-table.ts']);
  });

  it('no code is made from strings', () => {
    for (const file of sourceFiles()) {
      const text = readFileSync(join(SRC, file), 'utf8');
      expect(text, file).not.toMatch(/\beval\s*\(|new Function\s*\(/);
    }
  });

  it('the page uses what everybody can import, and its parts import one way: physics and store, replays, views, gallery', () => {
    const PAGE = fileURLToPath(new URL('../../page/src', import.meta.url));
    const { exports } = JSON.parse(readFileSync(join(SRC, '../package.json'), 'utf8')) as { exports: object };
    const names = Object.keys(exports).map((name) => `manikin${name.slice(1)}`);
    const others = ['fflate', 'three', 'three/addons/controls/OrbitControls.js', 'uplot', 'uplot/dist/uPlot.min.css'];
    // The page's end of the physics stands with it, and writes into the store.
    const allowed = new Map<string, RegExp>([
      ['store', /^physics\/protocol/],
      ['physics', /^(physics|gallery\/gait-bvh|motion)|^(store|replay\/source)$/],
      ['views', /^(views|store$|physics\/(protocol|client|controller-names)|physics\/schedule-worker|replay\/file$)/],
      ['replay', /^(replay|views|store$|physics\/protocol)/],
      ['gallery', /^(gallery|views|store$|physics\/(protocol|in-text)$)/],
    ]);
    const files = readdirSync(PAGE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(40);
    for (const file of files.filter((name) => name !== 'main.ts')) {
      const from = file.replace(/\.ts$/, '');
      for (const target of importsOf(file, PAGE)) {
        if (!target.startsWith('.')) {
          expect([...names, ...others], `${file} imports ${target}`).toContain(target.replace(/\?.*/, ''));
          continue;
        }
        const to = relative(PAGE, resolve(join(PAGE, dirname(file)), target)).replace(/\.js$/, '');
        expect(to, `${file} imports ${to}`).toMatch(allowed.get(from.split('/')[0])!);
        if (to === 'store' && from.startsWith('physics/')) expect(from).toBe('physics/client');
      }
    }
  });
});
