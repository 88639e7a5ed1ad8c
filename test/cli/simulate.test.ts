import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseXml } from '@rgrove/parse-xml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasShared, sharedPath } from '../support/shared.js';
import { ARM, expectRefusal, json, manikin, output, read, runWith } from './support.js';

let folder = '';
const at = (name: string): string => join(folder, name);
/** Everything in the folder, with the folders in it. */
const left = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manikin-simulate-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SHORT = ['--duration', '0.1'];
/** Longer than any test waits. */
const LONG = ['simulate', 'chain-8', '--seed', '1', '--duration', '100000'];

describe('simulate', () => {
  it('prints a summary, and nothing to standard error in a pipe', async () => {
    const { code, out, err } = await manikin('simulate', 'human-34', ...SHORT);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^human-34: 29 bodies, 34 degrees of freedom\n/);
    for (const text of ['simulated 0.1 s', 'times real time', 'energy at the start', 'energy at the end', 'dopri5'])
      expect(out).toContain(text);
  });

  it('prints a summary as JSON, with the last state', async () => {
    const summary = await json('simulate', 'chain-3', '--seed', '1', ...SHORT);
    expect(summary).toMatchObject({ model: 'chain-3', integrator: 'dopri5', step: 1e-2, duration: 0.1, time: 0.1 });
    const { energy, seconds, realTimeFactor, files, joints } = summary;
    expect(Object.keys(energy)).toEqual(['start', 'end', 'largestChange']);
    expect([energy.start.time, energy.end.time]).toEqual([0, 0.1]);
    expect(energy.largestChange).toBeLessThan(1e-6);
    expect(realTimeFactor).toBeCloseTo(0.1 / seconds, 6);
    expect(files).toEqual([]);
    expect(joints.map((joint: { name: string }) => joint.name)).toEqual(['joint_1', 'joint_2', 'joint_3']);
  });

  it('goes on from its own last state: two halves are a whole', async () => {
    const fixed = ['--step', '0.0078125', '--integrator', 'rk4'];
    const whole = await json('simulate', 'chain-3', '--seed', '1', '--duration', '0.0625', ...fixed);
    const half = ['--duration', '0.03125', ...fixed];
    const first = await json('simulate', 'chain-3', '--seed', '1', ...half);
    writeFileSync(at('half.json'), JSON.stringify(first));
    const second = await json('simulate', 'chain-3', '--state', at('half.json'), ...half);
    expect(second.joints).toEqual(whole.joints);
  });

  it('all integrators, other steps', async () => {
    for (const integrator of ['rk4', 'euler', 'dopri5']) {
      const words = ['simulate', 'compass', '--seed', '1', ...SHORT, '--integrator', integrator, '--step', '0.003'];
      expect(await json(...words)).toMatchObject({ integrator, step: 0.003, time: 0.1 });
    }
  });

  it('dopri5 keeps the tolerances that are asked for', async () => {
    const words = ['simulate', 'chain-3', '--seed', '1', '--duration', '1', '--step', '0.1', '--integrator', 'dopri5'];
    const drift = async (...more: string[]): Promise<number> => (await json(...words, ...more)).energy.largestChange;
    const [rough, fine] = [await drift('--relative', '1e-4', '--absolute', '1e-4'), await drift('--relative', '1e-10')];
    expect(fine).toBeLessThan(1e-6);
    expect(rough).toBeGreaterThan(10 * fine);
    const refused = await manikin('simulate', 'chain-3', '--integrator', 'rk4', '--relative', '1e-4');
    expectRefusal(refused, 2);
    expect(refused.err).toContain('--relative and --absolute go with --integrator dopri5.');
  });

  it('lets damping act', async () => {
    writeFileSync(at('arm.urdf'), ARM);
    const { energy } = await json('simulate', at('arm.urdf'), '--seed', '1', '--duration', '0.5', '--quiet');
    const total = ({ kinetic, potential }: { kinetic: number; potential: number }): number => kinetic + potential;
    expect(total(energy.end)).toBeLessThan(total(energy.start) - 1e-3);
  });

  it('starts at the time of a description', async () => {
    const described = JSON.parse(await output('describe', 'chain-2', '--seed', '1'));
    writeFileSync(at('late.json'), JSON.stringify({ ...described, time: 2 }));
    expect((await json('simulate', at('late.json'), ...SHORT, '--csv', at('late.csv'))).time).toBe(2.1);
    const times = read(at('late.csv'))
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split(',')[0]));
    expect(times[0]).toBe(2);
    expect(times).toHaveLength(11);
  });
});

describe('files', () => {
  it('CSV: a header, a line for every hundredth of a second', async () => {
    const csv = at('new/folder/motion.csv');
    const { files } = await json('simulate', 'chain-3', '--seed', '1', ...SHORT, '--csv', csv);
    expect(files).toEqual([csv]);
    const lines = read(csv).trimEnd().split('\n');
    expect(lines[0]).toBe('time,kinetic,potential,total,q joint_1,q joint_2,q joint_3,v joint_1,v joint_2,v joint_3');
    const rows = lines.slice(1).map((line) => line.split(',').map(Number));
    expect(rows).toHaveLength(11);
    rows.forEach(([time, kinetic, potential, total, ...rest], k) => {
      expect(time).toBeCloseTo(k / 100, 12);
      expect(total).toBe(kinetic + potential);
      expect(rest).toHaveLength(6);
    });
    expect(left()).toEqual(['new', 'new/folder', 'new/folder/motion.csv']);
  });

  it('--every: more lines, or fewer', async () => {
    for (const [every, count] of [
      ['0.001', 101],
      ['0.05', 3],
      ['7', 1],
      ['1e-9', 101],
    ] as const) {
      await output('simulate', 'chain-2', ...SHORT, '--every', every, '--csv', at('a.csv'));
      expect(read(at('a.csv')).trimEnd().split('\n')).toHaveLength(count + 1);
    }
  });

  it('SVG: a picture with the name of the model', async () => {
    const { out } = await manikin('simulate', 'human-34', ...SHORT, '--svg', at('a.svg'));
    expect(out).toContain(`written: ${at('a.svg')}`);
    const text = read(at('a.svg'));
    expect(text).not.toMatch(/NaN|Infinity/);
    const { root } = parseXml(text);
    expect(root!.name).toBe('svg');
    expect(root!.text).toContain('human-34, 0.1 s');
    expect(left()).toEqual(['a.svg']);
  });

  it('SVG of a mechanism with an odd name', async () => {
    const name = 'a<b>&"c\u0007.json';
    writeFileSync(at(name), await output('describe', 'compass'));
    await output('simulate', at(name), ...SHORT, '--svg', at('odd.svg'));
    expect(parseXml(read(at('odd.svg'))).root!.text).toContain('a<b>&"c');
  });

  it('a file that is there already is replaced', async () => {
    writeFileSync(at('a.csv'), 'old');
    await output('simulate', 'chain-2', ...SHORT, '--csv', at('a.csv'));
    expect(read(at('a.csv'))).toMatch(/^time,/);
    expect(left()).toEqual(['a.csv']);
  });

  it('a large one is written whole', async () => {
    await output('simulate', 'chain-32', '--seed', '1', '--duration', '0.6', '--every', '0.001', '--csv', at('a.csv'));
    const lines = read(at('a.csv')).split('\n');
    expect(lines).toHaveLength(603);
    expect(new Set(lines.slice(0, -1).map((line) => line.split(',').length))).toEqual(new Set([68]));
  });

  it.skipIf(!hasShared('data/urdf'))('a picture of a robot of meshes shows something', async () => {
    const panda = sharedPath('data/urdf/panda.urdf');
    await output('simulate', panda, '--quiet', ...SHORT, '--integrator', 'euler', '--svg', at('panda.svg'));
    expect(read(at('panda.svg')).match(/stroke-linecap="round"/g)!.length).toBeGreaterThan(50);
  });
});

describe('when it does not end well, nothing is left behind', () => {
  it('a motion that cannot be computed', async () => {
    const chain = JSON.parse(await output('describe', 'chain-1', '--seed', '1'));
    chain.bodies[0].joint.damping = 1e9;
    writeFileSync(at('stiff.json'), JSON.stringify(chain));
    expectRefusal(await manikin('simulate', at('stiff.json'), '--csv', at('a.csv'), '--svg', at('a.svg')), 1);
    expect(left()).toEqual(['stiff.json']);
  });

  it('bad input', async () => {
    expectRefusal(await manikin('simulate', 'nobody', '--csv', at('a.csv')), 2);
    expect(left()).toEqual([]);
  });

  it('a place where no file can be', async () => {
    writeFileSync(at('plain'), '');
    const outcome = await manikin('simulate', 'chain-2', ...SHORT, '--csv', at('a.csv'), '--svg', at('plain/a.svg'));
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain('plain/a.svg');
    expect(left()).toEqual(['plain']);
  });

  it.each(['--csv', '--svg'])('a folder in place of the file (%s)', async (option) => {
    mkdirSync(at('taken'));
    const outcome = await manikin('simulate', 'chain-2', ...SHORT, option, at('taken'));
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain(at('taken'));
    expect(left()).toEqual(['taken']);
  });

  it('one file for two things', async () => {
    for (const other of [at('same'), join(folder, '.', 'x', '..', 'same')])
      expectRefusal(await manikin('simulate', 'chain-2', ...SHORT, '--csv', at('same'), '--svg', other), 2);
    expect(left().filter((name) => name !== 'x')).toEqual([]);
  });

  it('Ctrl-C', async () => {
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 120);
    writeFileSync(at('a.csv'), 'old');
    const words = [...LONG, '--csv', at('a.csv'), '--svg', at('a.svg')];
    const { code, out, err } = await runWith({ signal: interrupt.signal }, ...words);
    expect([code, out, err]).toEqual([130, '', 'Interrupted.\n']);
    expect(left()).toEqual(['a.csv']);
    expect(read(at('a.csv'))).toBe('old');
  });

  it('Ctrl-C before it begins', async () => {
    const { code } = await runWith({ signal: AbortSignal.abort() }, ...LONG, '--csv', at('a.csv'));
    expect(code).toBe(130);
    expect(left()).toEqual([]);
  });
});

/** Back to the start of the line, which is erased. */
const CLEAR = '\r\x1b[K';

describe('progress', () => {
  it('is a bar on a terminal that goes away at the end, and not in the result', async () => {
    const { code, out, err } = await runWith(
      { interactive: true },
      ...['simulate', 'chain-64', '--seed', '1', '--duration', '2', '--json'],
    );
    expect(code).toBe(0);
    JSON.parse(out);
    const bars = err.split(CLEAR).slice(1);
    expect(bars.length).toBeGreaterThanOrEqual(2);
    for (const bar of bars.slice(0, -1)) expect(bar).toMatch(/^Simulating chain-64 [█░]{30} +\d+% \d\.\d\d s$/);
    expect(bars.at(-1)).toBe('');
  });

  it('goes away before the word that it was interrupted', async () => {
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 300);
    const { err } = await runWith({ interactive: true, signal: interrupt.signal }, ...LONG);
    expect(err.endsWith(`${CLEAR}Interrupted.\n`)).toBe(true);
  });

  it('is not there in a pipe', async () => {
    const { err } = await manikin('simulate', 'chain-32', '--seed', '1', '--duration', '1');
    expect(err).toBe('');
  });
});
