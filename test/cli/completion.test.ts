// Shell completion: scripts that the shells accept, with every command and the words of options.

import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.js';
import { manikin, output, temporaryFolder } from './support.js';

const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

describe('completion', () => {
  const files = temporaryFolder();

  it.each(['bash', 'zsh', 'fish'])(
    '%s has every command, and is accepted where that shell is installed',
    async (shell) => {
      const script = await output('completion', shell);
      for (const { name } of COMMANDS) expect(script).toMatch(new RegExp(`\\b${name}\\b`));
      expect(script).toContain('keyframe');
      if (hasShell(shell)) execFileSync(shell, ['-n', files.write(`script.${shell}`, script)]);
    },
  );

  it.skipIf(!hasShell('bash'))('bash completes commands, options, words of options, and files', async () => {
    const script = files.write('complete.bash', await output('completion', 'bash'));
    files.write('robot.urdf', 'x');
    files.write('notes.txt', 'x');
    const completed = (...words: readonly string[]): string[] => {
      const list = words.map((word) => `'${word}'`).join(' ');
      const program = `source '${script}'; COMP_WORDS=(manikin ${list}); COMP_CWORD=${words.length}; _manikin; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', program], { encoding: 'utf8', cwd: files.path('.') })
        .split('\n')
        .filter((line) => line !== '');
    };
    expect(completed('inf')).toEqual(['info']);
    expect(completed('info', '--key')).toEqual([]);
    expect(completed('fd', '--key')).toEqual(['--keyframe']);
    expect(completed('fd', 'x', '--massless', '')).toEqual(['lock', 'error']);
    expect(completed('bench', 'fun')).toEqual(['functions']);
    expect(completed('bench', 'fd', '--js')).toEqual(['--json']);
    expect(completed('reproduce', '00')).toEqual(['000', '001', '002', '003', '004']);
    expect(completed('info', 'ro')).toEqual(['robot.urdf']);
    expect(completed('info', 'no')).toEqual([]);
    expect(completed('fd', 'human-3')).toEqual(['human-34']);
    expect(completed('simulate', 'fa')).toEqual(['fall']);
    expect(completed('fd', 'fa')).toEqual([]);
  });

  it('refuses another shell', async () => {
    expect((await manikin('completion', 'tcsh')).code).toBe(2);
  });
});

describe('papers', () => {
  it('are named by authors, title and year; 001 points to its commands', async () => {
    const text = await output('reproduce', '001');
    expect(text).toContain('Stepien');
    expect(text).toContain('manikin walk');
    const help = await manikin('reproduce', '--help');
    for (const word of ['Yamane', 'Fijany', '2007']) expect(help.out).toContain(word);
  });
});
