// SIGINT, SIGTERM and SIGHUP: the program ends soon, with the shell's code, and leaves nothing behind.

import { closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRecording } from '../../src/recording/recording.js';
import { asleep, atWork, bash, built, program, start, temporaries, until } from './process-support.js';
import { temporaryFolder } from './support.js';

const files = temporaryFolder();
const SIGNALS = [
  ['SIGINT', 130, 'Interrupted.\n'],
  ['SIGTERM', 143, 'Ended by SIGTERM.\n'],
  ['SIGHUP', 129, 'Ended by SIGHUP.\n'],
] as const;

/** Either by its own exit or by the system: a shell sees the same code. */
const codeOf = ({ code, signal }: { code: number | null; signal: string | null }): number | null =>
  signal === null ? code : (SIGNALS.find(([name]) => name === signal)?.[1] ?? null);

describe.skipIf(!built)('a signal', () => {
  it.each(SIGNALS)('%s in a long simulation: code %i, and no file is left', async (signal, code, said) => {
    const folder = files.path(signal);
    mkdirSync(folder);
    // So many lines that they are written while it runs.
    const many = ['--every', '0.001', '--csv', 'a.csv', '--svg', 'a.svg', '--duration', '100000'];
    const { child, ended } = start(['simulate', 'chain-32', '--seed', '1', ...many], folder);
    await until(() => temporaries(folder).length > 0);
    child.kill(signal);
    expect(await ended).toEqual({ code, signal: null, err: said });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('twice in a row ends it all the same', async () => {
    const folder = files.path('twice');
    mkdirSync(folder);
    const words = ['--every', '0.001', '--csv', 'a.csv', '--duration', '100000'];
    const { child, ended } = start(['simulate', 'chain-32', '--seed', '1', ...words], folder);
    await until(() => temporaries(folder).length > 0);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect([130, 143]).toContain(codeOf(await ended));
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(SIGNALS)('%s in a long sweep of a walker', async (signal, code) => {
    const { child, ended } = start(
      ['walk', '--sweep', '0.07:0.09:10000', '--bifurcation', 'chaos.svg'],
      files.path('.'),
    );
    await atWork(child);
    child.kill(signal);
    const end = await ended;
    expect(codeOf(end)).toBe(code);
    expect(end.err).not.toMatch(/\n\s+at /);
    expect(readdirSync(files.path('.'))).not.toContain('chaos.svg');
  });

  it('in a long calculation, in a benchmark, and in a search ends them at once, without a stack', async () => {
    const calls = [
      ['fd', 'chain-6000', '--algorithm', 'dense'],
      ['schedule', 'chain-4000', '--procs', '7', '--budget', '60000'],
      ['bench', 'parallel', 'chain-200', '--seconds', '20'],
      ['bench', 'fd', 'chain-200'],
    ];
    const runs = calls.map((words) => start(words, files.path('.')));
    for (const { child } of runs) await atWork(child);
    for (const { child } of runs) child.kill('SIGTERM');
    for (const [k, { ended }] of runs.entries()) {
      const end = await ended;
      expect(codeOf(end), calls[k].join(' ')).toBe(143);
      expect(end.err).not.toMatch(/\n\s+at /);
    }
  });

  it.each(SIGNALS)(
    '%s in a long scene: what can be gone on from is kept, and nothing else is left',
    async (signal, code) => {
      const folder = files.path(`scene-${signal}`);
      mkdirSync(folder);
      const kept = ['--record', 'a.mcap', '--checkpoint', 'a.checkpoint', '--csv', 'a.csv', '--html', 'a.html'];
      const { child, ended } = start(['simulate', 'slope', '--duration', '10000', '--every', '0.01', ...kept], folder);
      await until(() => readdirSync(folder).some((name) => name === 'a.checkpoint'));
      child.kill(signal);
      const end = await ended;
      expect(codeOf(end)).toBe(code);
      expect(end.err).toMatch(/^Stopped at .* s of 10000 s\. Go on with --resume a\.checkpoint\.\n/);
      expect(readdirSync(folder).sort()).toEqual(['a.checkpoint', 'a.csv', 'a.html', 'a.mcap']);
      expect(readRecording(readFileSync(`${folder}/a.mcap`)).complete).toBe(true);
    },
  );

  it('in a sweep, in derivatives, in inverse kinematics ends them soon, and leaves nothing half', async () => {
    const folder = files.path('others');
    mkdirSync(folder);
    const sweep = { run: { simulate: 'fall', duration: 100 }, parameters: { 'scene.step': [0.001, 0.002] } };
    writeFileSync(`${folder}/many.json`, JSON.stringify(sweep));
    const ik = ['ik', 'chain-2000', '--frame', 'link_2000', '--position', '900,900,9', '--starts', '1000'];
    const working = [['sweep', 'many.json'], ['derivatives', 'chain-1000', '--check'], ik];
    const runs = working.map((words) => start(words, folder));
    for (const { child } of runs) await atWork(child);
    for (const { child } of runs) child.kill('SIGTERM');
    for (const [k, { ended }] of runs.entries()) {
      const end = await ended;
      expect(codeOf(end), working[k].join(' ')).toBe(143);
      expect(end.err).not.toMatch(/\n\s+at /);
    }
    expect(temporaries(folder)).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['many.json', 'out']);
  });

  it.each(SIGNALS)('%s while an input stays silent: before it is opened, and after', async (signal, code) => {
    const folder = files.path(`silent-${signal}`);
    mkdirSync(folder);
    bash('mkfifo walk.bvh state.json state-too.json sweep.json', folder);
    const writer = openSync(`${folder}/state-too.json`, constants.O_RDWR);
    const simulate = ['simulate', 'chain-2', '--csv', 'run.csv', '--state'];
    const inverse = ['inverse', 'walk.bvh', '--out', 'forces.csv'];
    const states = [
      [...simulate, 'state.json'],
      [...simulate, 'state-too.json'],
    ];
    // A sweep listens to signals from its start.
    const runs = [inverse, ...states, ['sweep', 'sweep.json']].map((words) => start(words, folder));
    await Promise.all(runs.map(({ child }) => asleep(child)));
    for (const { child } of runs) child.kill(signal);
    for (const { ended } of runs) expect(codeOf(await ended)).toBe(code);
    closeSync(writer);
    expect(readdirSync(folder).sort()).toEqual(['state-too.json', 'state.json', 'sweep.json', 'walk.bvh']);
  });

  it('a closed reader ends a simulation without files left behind', () => {
    const folder = files.path('closed');
    mkdirSync(folder);
    const line = `${program('simulate', 'chain-2', '--duration', '0.2', '--csv', 'a.csv')} | true; echo "\${PIPESTATUS[0]}"`;
    expect(bash(line, folder).stdout).toBe('0\n');
    expect(temporaries(folder)).toEqual([]);
  });
});
