// What comes in is bounded: files, devices and pipes by size, mechanisms by what can be printed, searches by time.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readInput } from '../../src/cli/input-file.js';
import { schedule } from '../../src/engines/plain/assembly/schedule.js';
import { MAX_INPUT_BYTES } from '../../src/formats/size-limit.js';
import { chain } from '../../src/models/index.js';
import { ENGINE_CONSTANTS } from '../../src/schedule/index.js';
import { bash, built, program } from './process-support.js';
import { expectRefusal, json, manikin, output, temporaryFolder } from './support.js';

const files = temporaryFolder();
const folder = dirname(files.path('x'));

describe('size', () => {
  it('a device without end is read up to the limit', async () => {
    symlinkSync('/dev/zero', files.path('zero.urdf'));
    const outcome = await manikin('info', files.path('zero.urdf'));
    expectRefusal(outcome, 2);
    expect(outcome.err).toMatch(/The input has more than 64 MiB; at most 64 MiB are read\./);
  });

  it.skipIf(!built)('so is a pipe, for every input of every command', () => {
    for (const words of [
      ['info', 'pipe.urdf'],
      ['fd', 'chain-2', '--state', 'pipe.json'],
      ['inverse', 'pipe.mot', '--model', 'chain-2'],
    ]) {
      const pipe = words.find((word) => word.startsWith('pipe'))!;
      const line = `rm -f ${pipe}; mkfifo ${pipe}; (yes 2>/dev/null > ${pipe} &) ; ${program(...words)}`;
      const { status, stderr } = bash(line, folder);
      expect([status, stderr]).toEqual([
        2,
        `Error: ${pipe}: The input has more than 64 MiB; at most 64 MiB are read.\n`,
      ]);
    }
  });

  it('a file of exactly the limit is read, whatever its parts are', () => {
    writeFileSync(files.path('whole.bin'), new Uint8Array(MAX_INPUT_BYTES).fill(7));
    const bytes = readInput(files.path('whole.bin'));
    expect([bytes.length, bytes[0], bytes[MAX_INPUT_BYTES - 1]]).toEqual([MAX_INPUT_BYTES, 7, 7]);
    expect(Buffer.from(readInput('/proc/self/status')).toString()).toMatch(/^Name:/);
  });

  it('derivatives and contacts that do not fit into memory are refused, with the numbers', async () => {
    const matrices = await manikin('derivatives', 'chain-1341');
    expectRefusal(matrices, 2);
    expect(matrices.err).toContain('five matrices of 1341 rows, 8991405 numbers; up to 1340 rows are computed');
    const contacts = await manikin('simulate', 'chain-2000', '--ground', '--quiet');
    expectRefusal(contacts, 2);
    expect(contacts.err).toContain('has 2000 moving joints, up to 2000 in a row, too many for contacts');
  });

  it('a matrix that cannot be printed is refused, with its size', async () => {
    for (const words of [['chain-8000'], ['chain-6000', '--json']]) {
      const outcome = await manikin('mass-matrix', ...words);
      expectRefusal(outcome, 2);
      expect(outcome.err).toMatch(/has (8000 rows, 64000000|6000 rows, 36000000) numbers; up to 3000 rows are printed/);
    }
  });
});

describe('text', () => {
  it('a byte-order mark is no part of it: UTF-8 and UTF-16, models and states', async () => {
    const text = await output('describe', 'chain-2', '--seed', '1');
    const state = JSON.stringify(await json('fd', 'chain-2', '--seed', '1'));
    writeFileSync(files.path('bom.json'), `\ufeff${text}`);
    writeFileSync(files.path('wide.json'), Buffer.from(`\ufeff${text}`, 'utf16le'));
    writeFileSync(files.path('swapped.json'), Buffer.from(`\ufeff${text}`, 'utf16le').swap16());
    writeFileSync(files.path('state.json'), `\ufeff${state}`);
    for (const name of ['bom', 'wide', 'swapped'])
      expect(await output('describe', files.path(`${name}.json`))).toBe(text);
    expect((await json('fd', 'chain-2', '--state', files.path('state.json'))).joints[0].q).toEqual(
      JSON.parse(state).joints[0].q,
    );
  });

  it('a byte-order mark in scenes, sweeps, checkpoints and schedules', async () => {
    const scene = { mechanisms: [{ model: { kind: 'box', size: [0.2, 0.2, 0.2] }, at: [0, 0, 1] }], duration: 0.02 };
    const marked = (name: string, text: string): string => {
      writeFileSync(files.path(name), `\ufeff${text}`);
      return files.path(name);
    };
    const [file, checkpoint] = [marked('scene.json', JSON.stringify(scene)), files.path('run.checkpoint')];
    await output('simulate', file, '--checkpoint', checkpoint);
    const wanted = await json('simulate', file, '--duration', '0.04');
    marked('run.checkpoint', readFileSync(checkpoint, 'utf8'));
    expect((await json('simulate', file, '--duration', '0.04', '--resume', checkpoint)).hash).toBe(wanted.hash);
    const sweep = marked(
      'sweep.json',
      JSON.stringify({ run: { simulate: 'scene.json' }, parameters: { step: [0.01] } }),
    );
    expect((await json('sweep', sweep, '--out', files.path('sweep'))).done).toBe(1);
    const order = marked('order.json', JSON.stringify({ tree: [0, null, [1, null, null]] }));
    expect((await json('fd', 'chain-2', '--order', order)).joints).toHaveLength(2);
  });

  it('a BVH file of ten thousand joints, flat and deep', async () => {
    const joint = (k: number): string => `JOINT j${k}\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n`;
    const end = 'End Site\n{\nOFFSET 0 1 0\n}\n';
    const count = 9999;
    const flat = Array.from({ length: count }, (_, k) => `${joint(k)}${end}}\n`).join('');
    const limbs = Array.from({ length: 99 }, (_, limb) => {
      const links = Array.from({ length: 101 }, (_, k) => joint(101 * limb + k)).join('');
      return `${links}${end}${'}\n'.repeat(101)}`;
    }).join('');
    const zeros = `${'0 '.repeat(6 + 3 * count)}\n`;
    for (const [name, body] of [
      ['flat', flat],
      ['deep', limbs],
    ]) {
      const head =
        'HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n';
      files.write(`${name}.bvh`, `${head}${body}}\nMOTION\nFrames: 2\nFrame Time: 0.01\n${zeros}${zeros}`);
      expect((await json('info', files.path(`${name}.bvh`))).joints).toBe(10_000);
    }
  });
});

describe('calibration', () => {
  afterEach(() => vi.unstubAllEnvs());

  const calibrated = (cache: string): { status: number | null; stderr: string } => {
    const call = program('schedule', 'chain-8', '--procs', '2', '--cost', 'calibrated', '--json');
    return bash(`cd '${folder}'; HOME='${join(folder, 'home')}' XDG_CACHE_HOME=${cache} ${call}`);
  };

  it.skipIf(!built)('an XDG_CACHE_HOME that is empty or relative does not count', () => {
    mkdirSync(files.path('home'));
    expect(
      bash(`cd '${folder}'; HOME='${files.path('home')}' XDG_CACHE_HOME='' ${program('calibrate', '--json')}`).stdout,
    ).toContain(`"file": "${files.path('home/.cache/manikin/calibration.json')}"`);
    for (const cache of ["''", 'here']) expect(calibrated(cache).status, cache).toBe(0);
    mkdirSync(files.path('.cache/manikin'), { recursive: true });
    writeFileSync(files.path('.cache/manikin/calibration.json'), 'of somebody else');
    const call = program('schedule', 'chain-8', '--procs', '2', '--cost', 'calibrated');
    expect(bash(`cd '${folder}'; HOME='' XDG_CACHE_HOME='' ${call}`).stderr).not.toContain('damaged');
  });

  it('values out of range are refused by name', async () => {
    vi.stubEnv('XDG_CACHE_HOME', files.path('cache'));
    mkdirSync(files.path('cache/manikin'), { recursive: true });
    const good = ENGINE_CONSTANTS;
    for (const [name, bad, said] of [
      ['negative', { ...good, latency: -1 }, 'latency is -1'],
      ['zero', { ...good, instruction: 0 }, 'instruction is 0'],
      ['huge', { ...good, latency: 1e300 }, 'latency is 1e+300'],
      ['text', { ...good, instruction: 'fast' }, 'instruction is fast'],
      ['joints', { ...good, joints: [] }, 'dof 0 is missing'],
      ['null', null, 'it is not an object'],
    ] as const) {
      writeFileSync(files.path('cache/manikin/calibration.json'), JSON.stringify(bad));
      const { code, err } = await manikin('schedule', 'chain-8', '--procs', '2', '--cost', 'calibrated');
      expect([name, code]).toEqual([name, 2]);
      expect(err).toContain(`is damaged (${said}): run "manikin calibrate" again.`);
    }
  });
});

describe('a search', () => {
  it('of a hundred thousand joints ends: a bound is proved, the tree is whole', () => {
    const found = schedule(chain(100_000), { processors: 4, timeBudgetMs: 500 });
    expect(found.assignment).toHaveLength(100_000);
    expect(found.makespan).toBeGreaterThanOrEqual(found.bound);
    expect(found.gap).toBeLessThan(0.2);
  });
});
