// Files appear whole or not at all, and what stands where they go is treated as cp would.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { OutputFile, writeOutput } from '../../src/cli/output-file.js';
import { RecordingFile } from '../../src/cli/recording-file.js';
import { asleep, bash, built, MAIN, program, start, temporaries, until } from './process-support.js';
import { manikin, read, temporaryFolder } from './support.js';

const files = temporaryFolder();
const folder = dirname(files.path('x'));
const simulate = (...words: string[]): string[] => ['simulate', 'chain-2', '--duration', '0.1', ...words];

afterEach(() => expect(temporaries(folder)).toEqual([]));

describe('a file', () => {
  it('is replaced at the end, and its mode stays', () => {
    const path = files.write('mode.csv', 'old');
    chmodSync(path, 0o600);
    const file = new OutputFile(path);
    file.write('x'.repeat(1 << 19));
    expect(read(path)).toBe('old');
    expect(temporaries(folder)).toHaveLength(1);
    expect(statSync(join(folder, temporaries(folder)[0])).mode & 0o777).toBe(0o600);
    file.finish();
    expect(read(path)).toHaveLength(1 << 19);
    expect(statSync(path).mode & 0o7777).toBe(0o600);
  });

  it('that is new gets the mode that the user wants for new files', () => {
    const before = process.umask(0o027);
    try {
      writeOutput(files.path('new.csv'), 'text');
    } finally {
      process.umask(before);
    }
    expect(statSync(files.path('new.csv')).mode & 0o777).toBe(0o640);
  });

  it.each(['', files.path('nothing/')])('called "%s" is refused before anything is computed', async (path) => {
    const { code, err } = await manikin(...simulate('--csv', path));
    expect([code, err]).toEqual([2, `Error: The file "${path}" cannot be written: that is no name of a file.\n`]);
  });

  // A program that tries for ever takes no signal but SIGKILL.
  it.skipIf(!built || !existsSync('/proc/self'))('in a folder that takes none is refused, and no more is tried', () => {
    const sweep = join(dirname(MAIN), '../../examples/sweep.json');
    for (const words of [simulate('--csv', '/proc/nowhere/x.csv'), ['sweep', sweep, '--out', '/proc/nowhere']]) {
      const { status, stderr } = bash(`timeout -s KILL 60 ${program(...words)}`);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/^Error: .*"\/proc\/nowhere.*ENOENT/)]);
    }
  });

  it('is as it was when writing is given up', () => {
    const path = files.write('given-up.csv', 'old');
    const file = new OutputFile(path);
    file.write('x'.repeat(1 << 19));
    file.abandon();
    expect(read(path)).toBe('old');
  });

  it("called like the parts of other programs stays the user's own", async () => {
    files.write('x.csv.part', 'mine');
    files.write('victim', 'secret');
    symlinkSync(files.path('victim'), files.path('y.csv.part'));
    for (const name of ['x', 'y'])
      expect((await manikin(...simulate('--csv', files.path(`${name}.csv`)))).code).toBe(0);
    expect([read(files.path('x.csv.part')), read(files.path('victim'))]).toEqual(['mine', 'secret']);
  });

  it('of many bytes a character is written whole', () => {
    writeOutput(files.path('wide.txt'), 'ä→😀'.repeat(100_000));
    expect(read(files.path('wide.txt'))).toBe('ä→😀'.repeat(100_000));
  });

  it('of two that write it, the last one wins, whole', () => {
    const path = files.path('both.csv');
    const [a, b] = [new OutputFile(path), new OutputFile(path)];
    for (let k = 0; k < 5; k++) {
      a.write('a'.repeat(1 << 18));
      b.write('b'.repeat(1 << 17));
    }
    a.finish();
    expect(read(path)).toBe('a'.repeat(5 << 18));
    b.finish();
    expect(read(path)).toBe('b'.repeat(5 << 17));
  });

  it.skipIf(process.getuid?.() === 0)('that may not be written is left alone', async () => {
    const path = files.write('fixed.csv', 'old');
    chmodSync(path, 0o444);
    expect((await manikin(...simulate('--csv', path))).code).toBe(2);
    expect(read(path)).toBe('old');
  });
});

describe('a recording', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  it('takes the place of the old one with its first bytes, by way of links, with its mode', async () => {
    const path = files.write('old.mcap', 'old');
    chmodSync(path, 0o600);
    symlinkSync(path, files.path('link.mcap'));
    const recording = new RecordingFile(files.path('link.mcap'));
    expect(read(path)).toBe('old');
    await recording.write(bytes('one '));
    expect(read(path)).toBe('one ');
    await recording.write(bytes('two'));
    recording.finish();
    expect(read(path)).toBe('one two');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(lstatSync(files.path('link.mcap')).isSymbolicLink()).toBe(true);
  });

  it('of two that write it, one stands, whole', async () => {
    const path = files.path('both.mcap');
    const [a, b] = [new RecordingFile(path), new RecordingFile(path)];
    for (const part of ['1', '2', '3']) {
      await a.write(bytes(`a${part}`));
      await b.write(bytes(`b${part}`));
    }
    a.finish();
    b.close();
    expect(read(path)).toBe('b1b2b3');
  });
});

describe('symbolic links', () => {
  it('are followed and stay', async () => {
    mkdirSync(files.path('elsewhere'));
    files.write('elsewhere/target', 'old');
    symlinkSync(files.path('elsewhere/target'), files.path('second'));
    symlinkSync('second', files.path('link'));
    expect((await manikin(...simulate('--csv', files.path('link')))).code).toBe(0);
    expect(readlinkSync(files.path('link'))).toBe('second');
    expect(lstatSync(files.path('second')).isSymbolicLink()).toBe(true);
    expect(read(files.path('elsewhere/target'))).toMatch(/^time,/);
    expect(readdirSync(files.path('elsewhere'))).toEqual(['target']);
  });

  it('that lead nowhere, or to a folder, are refused', async () => {
    symlinkSync(files.path('nobody'), files.path('dangling'));
    symlinkSync(folder, files.path('to-folder'));
    for (const name of ['dangling', 'to-folder']) {
      const { code, err } = await manikin(...simulate('--csv', files.path(name)));
      expect(code).toBe(2);
      expect(err).toMatch(/cannot be written: it is a (symbolic link to a file that does not exist|folder)/);
    }
    expect(readdirSync(folder)).not.toContain('nobody');
  });

  it('of the hard kind: the other name keeps the old text', () => {
    const path = files.write('hard.csv', 'old');
    linkSync(path, files.path('hard-too.csv'));
    writeOutput(path, 'new');
    expect([read(path), read(files.path('hard-too.csv'))]).toEqual(['new', 'old']);
  });
});

describe.skipIf(!built)('what is not a file', () => {
  it('a device is written to as it is', () => {
    const { status, stderr } = bash(program(...simulate('--csv', '/dev/null')));
    expect([status, stderr]).toEqual([0, '']);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('/dev/full, as file and as standard output, is said to be full', () => {
    const file = bash(program(...simulate('--csv', '/dev/full')));
    expect(file.status).toBe(1);
    expect(file.stderr).toMatch(/^Error: The file "\/dev\/full" could not be written: ENOSPC/);
    for (const words of [['info', 'human-34'], ['describe', 'human-161'], ['--help']]) {
      const { status, stderr } = bash(`${program(...words)} > /dev/full`);
      expect([status, stderr]).toEqual([
        1,
        'Error: Standard output cannot be written: ENOSPC: no space left on device, write.\n',
      ]);
    }
  });

  it('a FIFO is written to, and stays one', async () => {
    bash('mkfifo pipe', folder);
    const reader = spawn('cat', ['pipe'], { cwd: folder });
    let text = '';
    reader.stdout.on('data', (part) => {
      text += part;
    });
    const closed = once(reader, 'close');
    const { code } = await start(simulate('--csv', 'pipe'), folder).ended;
    await closed;
    expect(code).toBe(0);
    expect(text).toMatch(/^time,/);
    expect(lstatSync(files.path('pipe')).isFIFO()).toBe(true);
  });

  it('a FIFO that nobody reads can be interrupted', async () => {
    bash('mkfifo silent', folder);
    const { child, ended } = start(['simulate', 'chain-2', '--duration', '0.1', '--csv', 'silent'], folder);
    await asleep(child);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT', err: '' });
  });

  it('standard output by its name gets both texts', () => {
    const { status } = bash(`${program(...simulate('--csv', '/dev/stdout'))} > both.txt`, folder);
    expect(status).toBe(0);
    expect(read(files.path('both.txt'))).toMatch(/^time,[\s\S]*\nchain-2: 2 bodies/);
  });
});

describe.skipIf(!built)('a disk that is full', () => {
  // The limit of the shell for the size of files, 64 blocks of 1024 bytes: the system takes a part of what it is given.
  it('leaves the old file as it was, and the exit code says so', () => {
    writeFileSync(files.path('full.csv'), 'old');
    const line = `ulimit -f 64; ${program('simulate', 'chain-8', '--seed', '1', '--duration', '4', '--csv', 'full.csv')}`;
    const { status, stderr } = bash(line, folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Error: The file "full.csv" could not be written: EFBIG.* The old file is as it was\.\n$/);
    expect(read(files.path('full.csv'))).toBe('old');
  });

  it('as standard output is said, too', () => {
    const { status, stderr } = bash(`ulimit -f 8; ${program('describe', 'human-161')} > short.json`, folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Error: Standard output cannot be written: EFBIG/);
  });
});

describe.skipIf(!built)('two runs to one file', () => {
  it('give one whole file', async () => {
    const words = (duration: string): string[] => [
      'simulate',
      'chain-2',
      '--seed',
      '1',
      '--every',
      '0.001',
      '--step',
      '0.001',
      '--duration',
      duration,
      '--csv',
      'z.csv',
    ];
    const long = start(words('6'), folder);
    await until(() => temporaries(folder).length > 0);
    const short = start(words('1'), folder);
    expect((await short.ended).code).toBe(0);
    expect((await long.ended).code).toBe(0);
    const lines = read(files.path('z.csv')).trimEnd().split('\n');
    expect([1002, 6002]).toContain(lines.length);
    expect(new Set(lines.map((line) => line.split(',').length)).size).toBe(1);
  });
});
