// Every public name has a sentence: TypeDoc, which makes the API reference, finds none without.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Application, LogLevel, type TypeDocOptions } from 'typedoc';
import { expect, it } from 'vitest';
import { Dynamics } from '../../src/dynamics/checked-dynamics.js';
import * as toolbox from '../../src/toolbox/index.js';

const json = (path: string): unknown => JSON.parse(readFileSync(at(path), 'utf8'));
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

it('every public name has a doc comment', { timeout: 240_000 }, async () => {
  const { $schema, ...settings } = json('typedoc.json') as Partial<TypeDocOptions> & { $schema: string };
  const app = await Application.bootstrap({
    ...settings,
    entryPoints: (settings.entryPoints as string[]).map(at),
    tsconfig: at('tsconfig.build.json'),
    skipErrorChecking: true,
    disableSources: true, // links to sources need a remote repository, which a checkout may not have
    readme: at('README.md'),
  });
  const found: string[] = [];
  app.logger.log = (message: string, level: LogLevel): void => {
    if (level >= LogLevel.Warn) found.push(message);
  };
  const project = await app.convert();
  app.validate(project!);
  expect(found).toEqual([]);
});

it('every entry of the package is in the reference', () => {
  const { entryPoints } = json('typedoc.json') as { entryPoints: string[] };
  const { exports: entries } = json('package.json') as { exports: Record<string, string | { default: string }> };
  const sources = Object.values(entries).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
  );
  expect(entryPoints.toSorted()).toEqual(sources.toSorted());
});

it('every document is on the map, and nothing else', () => {
  const named = [...readFileSync(at('docs/README.md'), 'utf8').matchAll(/\]\((\w[\w-]*\.md)\)/g)].map(
    ([, file]) => file,
  );
  const there = readdirSync(at('docs')).filter((file) => file.endsWith('.md') && file !== 'README.md');
  expect(named.toSorted()).toEqual(there.toSorted());
});

it('the toolbox and the front door are in the table of names from other libraries', () => {
  const table = readFileSync(at('docs/toolbox.md'), 'utf8').split('## Names')[1];
  const ours = table.split('\n').map((line) => line.split('|')[3] ?? '');
  const named = new Set(ours.flatMap((cell) => [...cell.matchAll(/`(\w+)[`(]/g)].map(([, name]) => name)));
  const own = ['report', 'loopReport', 'dispose', 'ready', 'explain', 'still', 'stages'];
  const methods = Object.getOwnPropertyNames(Dynamics.prototype).filter(
    (name) => typeof Object.getOwnPropertyDescriptor(Dynamics.prototype, name)?.value === 'function',
  );
  const names = [...Object.keys(toolbox), ...methods].filter((name) => name !== 'constructor' && !own.includes(name));
  expect(names.filter((name) => !named.has(name))).toEqual([]);
});
