// A project of somebody else's with the packed package installed, as npm would do it, but without the network.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Packed {
  readonly archive: Buffer;
  readonly files: readonly string[];
}
let packed: Packed | undefined;

/** Packs once for all tests of a process. */
function pack(): Packed {
  if (!existsSync(join(ROOT, 'dist/index.js'))) throw new Error('dist is missing: run "npm run build" first');
  const folder = mkdtempSync(join(tmpdir(), 'manikin-pack-'));
  const words = ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename, files }] = JSON.parse(execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8' })) as [
    { filename: string; files: { path: string }[] },
  ];
  const archive = readFileSync(join(folder, filename));
  rmSync(folder, { recursive: true });
  return { archive, files: files.map(({ path }) => path) };
}

/** A new folder with the package, its dependencies and `others`, which come from those of this project; and what is packed. */
export function packedProject(others: readonly string[] = []): { project: string; files: readonly string[] } {
  packed ??= pack();
  const project = mkdtempSync(join(tmpdir(), 'manikin-packed-'));
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, 'manikin'), { recursive: true });
  execFileSync('tar', ['-xz', '-C', join(modules, 'manikin'), '--strip-components=1'], { input: packed.archive });
  // What it depends on is there as an installation would have it; nothing else is.
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  for (const name of [...Object.keys(dependencies), ...others]) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  writeFileSync(join(project, 'package.json'), '{ "name": "somebody", "private": true, "type": "module" }');
  return { project, files: packed.files };
}
