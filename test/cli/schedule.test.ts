import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { relativeError } from '../support/random-mechanism.js';
import { ARM, expectRefusal, type JointJson, json, manikin, output, read, temporaryFolder } from './support.js';

const files = temporaryFolder();
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

describe('schedule', () => {
  it('prints what the contract asks for, and fd takes it as an order', async () => {
    const result = await json('schedule', 'human-34', '--procs', '4');
    const keys = [
      'model',
      'procs',
      'cost',
      'makespan',
      'serial',
      'optimal',
      'gap',
      'expansions',
      'milliseconds',
      'tree',
      'assignment',
    ];
    for (const key of keys) expect(result).toHaveProperty(key);
    expect(result).toMatchObject({ model: 'human-34', procs: 4, cost: 'paper', optimal: true, gap: 0 });
    expect(result.makespan).toBeLessThan(result.serial);
    expect(result.assignment).toHaveLength(29);
    const order = files.write('order.json', result);
    const accelerations = (joints: JointJson[]): number[] => joints.flatMap(({ qdd }) => qdd);
    const scheduled = await json('fd', 'human-34', '--seed', '1', '--order', order);
    const plain = await json('fd', 'human-34', '--seed', '1');
    expect(relativeError(accelerations(scheduled.joints), accelerations(plain.joints))).toBeLessThan(1e-9);
  });

  it('writes and reads schedules as deep as a chain is long', async () => {
    const result = await output('schedule', 'chain-10000', '--procs', '2', '--json');
    expect(JSON.parse(result).tree[0]).toBe(4999);
    const order = files.write('deep.json', result);
    expect((await json('fd', 'chain-10000', '--order', order)).joints).toHaveLength(10_000);
  });

  it('draws a tree and an SVG', async () => {
    const svg = files.path('schedule.svg');
    const text = await output('schedule', 'human-40', '--procs', '2', '--svg', svg);
    expect(text).toContain('proved optimal');
    expect(text).toContain('└e─');
    expect(read(svg)).toContain('</svg>');
    expect(await output('schedule', 'human-40', '--procs', '2', '--full')).toContain('left_ankle');
  });

  it('runs on threads, and shows what was predicted and what was measured', async () => {
    const svg = files.path('threads.svg');
    const text = await output('schedule', 'chain-64-free', '--procs', '2', '--run', '--svg', svg);
    // First the schedule tree, then the same program twice.
    expect(text).toMatch(
      /proved optimal[\s\S]*segment 0: [\s\S]*predicted [\d.]+ us\n {2}thread 0 [\s\S]*measured [\d.]+ us\n {2}thread 0 /,
    );
    expect(text).toContain('without reading clocks a step takes');
    expect(read(svg)).toMatch(/chain-64-free on 2 threads[\s\S]*predicted: [\s\S]*measured: /);
    const found = await json('schedule', 'chain-64-free', '--procs', '2', '--run');
    expect(found.tree).toHaveLength(3);
    expect(found.measured).toHaveLength(found.predicted.length);
    for (const span of [...found.measured, ...found.predicted])
      expect(span).toEqual({
        processor: expect.any(Number),
        segment: expect.any(Number),
        phase: expect.stringMatching(/^(velocities|assembly|disassembly)$/),
        start: expect.any(Number),
        end: expect.any(Number),
      });
    for (const key of ['predictedNs', 'measuredNs', 'unrecordedNs']) expect(found[key], key).toBeGreaterThan(0);
    expect(found.segments.flat()).toHaveLength(64);
  });

  it('says where threads are too many, or cannot run it', async () => {
    const many = String(2 + availableParallelism());
    const { code, err } = await manikin('schedule', 'chain-64-free', '--procs', many, '--run');
    expect(code).toBe(0);
    expect(err).toMatch(/^\d+ threads on \d+ cores?: they wait for each other, and times mean little\.\n/);
    const outcome = await manikin('schedule', 'chain-64-free', '--procs', '65', '--run');
    expectRefusal(outcome, 2);
    expect(outcome.err).toContain('--run takes 1 to 64 threads, got 65.');
    const coupled = files.write('coupled.urdf', ARM);
    const refused = await manikin('schedule', coupled, '--procs', '2', '--run');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('Threads cannot run this mechanism: coupled joints are not cut into segments.');
    expect(refused.out).toBe('');
  });

  it('takes costs of its own', async () => {
    const own = await json('schedule', 'chain-8', '--procs', '2', '--cost', '1.6,1,-1,14.4');
    const paper = await json('schedule', 'chain-8', '--procs', '2');
    expect(own.makespan).toBe(paper.makespan);
    expect((await json('schedule', 'chain-8', '--procs', '2', '--cost', 'engine')).makespan).toBeLessThan(10);
  });

  it.each([
    [['--procs', '0'], /0 processors/],
    [['--procs', 'two'], /whole number/],
    [[], /--procs/],
    [['--procs', '2', '--cost', '1,2,3'], /four numbers/],
    [['--procs', '2', '--cost', 'NaN,1,1,1'], /four numbers/],
    [['--procs', '2', '--cost', '-1,0,0,0'], /must not be negative/],
  ] as const)('refuses %j', async (words, message) => {
    const outcome = await manikin('schedule', 'chain-4', ...words);
    expectRefusal(outcome, 2);
    expect(outcome.err).toMatch(message);
  });
});

describe('calibrate', () => {
  it('keeps what it measured, and schedule uses it', () => {
    expect(existsSync(MAIN), 'run "npm run build" first').toBe(true);
    const environment = { ...process.env, XDG_CACHE_HOME: files.path('cache') };
    const call = (...words: string[]) =>
      spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8', env: environment });
    const before = call('schedule', 'chain-8', '--procs', '2', '--cost', 'calibrated');
    expect(before.status).toBe(2);
    expect(before.stderr).toContain('manikin calibrate');
    const { status, stdout, stderr } = call('calibrate', '--json');
    expect(status, stderr).toBe(0);
    const constants = JSON.parse(stdout);
    expect(constants.joints.length).toBeGreaterThanOrEqual(9);
    for (const { one, two } of constants.joints) {
      expect(one).toBeGreaterThan(0);
      expect(two).toBeGreaterThanOrEqual(one);
    }
    expect(constants.instruction).toBeGreaterThan(0);
    expect(constants.latency).toBeGreaterThan(0);
    const after = call('schedule', 'chain-8', '--procs', '2', '--cost', 'calibrated', '--json');
    expect(after.status, after.stderr).toBe(0);
    expect(JSON.parse(after.stdout).makespan).toBeGreaterThan(0);
  });
});

describe('reproduce 002', () => {
  it('finds the indices that the paper prints', async () => {
    const { rows } = await json('reproduce', '002', '--table', '1');
    expect(rows).toHaveLength(6);
    for (const { paper, ours, optimal } of rows) {
      expect(ours).toEqual(paper);
      expect(optimal).toBe(true);
    }
    expect(await output('reproduce', '002')).toContain('31, 17, 45');
    expectRefusal(await manikin('reproduce', '002', '--table', '9'), 2);
    expectRefusal(await manikin('reproduce', '999'), 2);
  });
});
