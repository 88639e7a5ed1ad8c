// Commands are loaded when they are called; what the help of all of them says stays true of each.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.js';
import { createProgram } from '../../src/cli/program.js';
import { built, MAIN } from './process-support.js';
import { manikin, output } from './support.js';

const terminal = { out: () => {}, err: () => {}, interactive: false, signal: new AbortController().signal };
const all = COMMANDS.flatMap((entry) =>
  'commands' in entry ? entry.commands.map((inner) => [entry.name, inner.name]) : [[entry.name]],
);

const find = (program: Command, words: readonly string[]): Command =>
  words.reduce((command, word) => command.commands.find((inner) => inner.name() === word)!, program);

const shown = (command: Command): string[] => {
  const { subcommandTerm, subcommandDescription } = command.createHelp();
  return [subcommandTerm(command), subcommandDescription(command)];
};

describe('the program', () => {
  it.each(all.map((words) => [words.join(' '), words] as const))('%s: as the help of all says', async (_, words) => {
    const [stub, whole] = [await createProgram([], terminal), await createProgram(words, terminal)];
    expect(shown(find(stub, words))).toEqual(shown(find(whole, words)));
    expect(find(whole, words).options.length).toBeGreaterThan(0);
    expect(await output(...words, '--help')).toContain(`Usage: manikin ${words.join(' ')}`);
  });

  it('finds the command behind words of its own, too', async () => {
    expect(await output('help', 'simulate')).toContain('--duration');
    expect(await output('help', 'bench')).toContain('parallel');
  });

  it.skipIf(!built)(
    'loads no engine, no format and no other command for help, and no format for a built-in model',
    () => {
      const loaded = (...words: string[]): string[] => {
        // The modules before they are put together (scripts/bundle-command.mjs).
        const { stderr } = spawnSync(process.execPath, [MAIN.replace('main.js', 'start.js'), ...words], {
          encoding: 'utf8',
          env: { ...process.env, NODE_DEBUG: 'esm' },
        });
        return [...new Set([...stderr.matchAll(/dist\/([\w/-]+\.js)/g)].map((match) => match[1]))];
      };
      const help = loaded('--help');
      const fd = loaded('fd', 'human-34');
      expect(help.length).toBeGreaterThan(3);
      expect(help.filter((file) => /^(engines|formats|cli\/commands|bench|models|simulation)\//.test(file))).toEqual(
        [],
      );
      expect(fd).toContain('cli/commands/dynamics.js');
      expect(fd.filter((file) => /^(emit|engines\/(wasm|threads|gpu)|simulation|motion|plot)\//.test(file))).toEqual(
        [],
      );
      expect(fd.filter((file) => /urdf|osim|bvh|xml/.test(file))).toEqual([]);
    },
  );
});

describe('names that a terminal would obey', () => {
  const RED = '\u001b[31mred';

  it('in errors and warnings are shown', async () => {
    const { code, err } = await manikin('info', `${RED}.urdf`);
    expect([code, err]).toEqual([2, 'Error: There is no file "\\u001b[31mred.urdf".\n']);
    expect((await manikin('fd', 'chain-2', `--${RED}`)).err).toMatch(/^error: unknown option '--\\u001b\[31mred'/);
  });

  it('in results, too', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'names-')), `a${RED}\u009b2J.json`);
    writeFileSync(path, await output('describe', 'chain-2'));
    const out = await output('fd', path);
    expect(out).toContain('a\\u001b[31mred\\u009b2J.json');
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
