// simulate with contacts: scenes, models on the ground, recordings, checkpoints.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatCheckpoint } from '../../src/recording/checkpoint-file.js';
import { readRecording } from '../../src/recording/recording.js';
import { sceneWorld } from '../../src/scenes/make-scene.js';
import { parseScene } from '../../src/scenes/parse-scene.js';
import { expectRefusal, json, manikin, output, runWith, temporaryFolder } from './support.js';

const files = temporaryFolder();
const SHORT = ['--duration', '0.1'];
const SCENE = {
  mechanisms: [
    { model: { kind: 'box', size: [0.2, 0.2, 0.2] }, name: 'box', at: [0, 0, 0.1], velocity: [1, 0, 0] },
    { model: 'chain-2-free', at: [0.5, 0, 0.8] },
  ],
  ground: { friction: 0.6 },
  events: [{ at: 0.05, disconnect: 'joint_2' }],
  step: 0.005,
  duration: 0.2,
};
const scene = files.write('scene.json', SCENE);

describe('simulate with contacts', () => {
  it('prints a summary that people can read', async () => {
    const { code, out, err } = await manikin('simulate', scene);
    expect([code, err]).toEqual([0, '']);
    for (const text of [
      '2 mechanisms, 3 bodies, 18 degrees',
      'simulated 0.2 s in',
      '40 steps of 0.005 s',
      'largest rise',
      'contacts: 4 at most',
      '0.05 s: joint_2 released',
    ])
      expect(out).toContain(text);
  });

  it('prints JSON by the contract, and the same hash each time', async () => {
    const one = await json('simulate', scene);
    const two = await json('simulate', scene);
    expect(one).toMatchObject({ time: 0.2, steps: 40, warnings: [], contacts: { most: 4, unsolved: 0 } });
    for (const key of ['stepNs', 'realTimeFactor']) expect(one[key]).toBeGreaterThan(0);
    expect(Object.keys(one.energy)).toEqual(['start', 'end', 'largestGain']);
    expect(Object.keys(one.contacts)).toEqual(['most', 'deepest', 'residual', 'unsolved']);
    expect(one.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(two.hash).toBe(one.hash);
    expect((await json('simulate', scene, '--step', '0.004')).hash).not.toBe(one.hash);
  });

  it('on several threads gives the same hash', async () => {
    const one = await json('simulate', scene);
    expect((await json('simulate', scene, '--threads', '3')).hash).toBe(one.hash);
    for (const [given, said] of [
      [['chain-3', '--threads', '2'], '--threads is for scenes, for models on the ground (--ground), and for ranks'],
      [[scene, '--threads', '0'], 'Expected a whole number of threads from 1 to 64'],
    ] as const)
      expect((await manikin('simulate', ...given)).err).toContain(said);
  });

  it('puts a model on the ground', async () => {
    const { code, out, err } = await manikin('simulate', 'human-34', '--ground', ...SHORT);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/contacts: \d+ at most/);
    const bare = await manikin('simulate', 'chain-3-free', '--ground', ...SHORT);
    expect(bare.err).toContain('has no shapes for contact');
  });

  it('tells of what begins in something else', async () => {
    const cube = { kind: 'box', size: [0.2, 0.2, 0.2], mass: 1 } as const;
    const mechanisms = [
      { model: cube, name: 'one', at: [0, 0, 0.05] },
      { model: cube, name: 'two', at: [1, 0, 0.0995] },
    ];
    const sunk = files.write('sunk.json', { mechanisms, ground: true, duration: 0.02 });
    const { err } = await manikin('simulate', sunk);
    expect(err).toBe(
      'Warning: "ground" and "box" of "one": They begin 50 mm in each other; they are moved apart, which lifts them.\n',
    );
    expect((await json('simulate', sunk)).warnings).toMatchObject([{ code: 'inside' }]);
  });

  it('takes the ground and the actuators of an MJCF file', async () => {
    const model = files.write(
      'm.xml',
      `<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>`,
    );
    expect(await output('simulate', model, ...SHORT)).toContain('contacts: 1 at most');
  });

  it('records, and writes lines', async () => {
    const [record, csv] = [files.path('run.mcap'), files.path('run.csv')];
    const out = await output('simulate', scene, '--record', record, '--csv', csv, '--every', '0.05');
    expect(out).toContain(`written: ${record}`);
    const recording = readRecording(readFileSync(record));
    expect(recording.complete).toBe(true);
    expect(recording.moments.map(({ time }) => Math.round(100 * time) / 100)).toEqual([0, 0.05, 0.1, 0.15, 0.2]);
    const lines = readFileSync(csv, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^time,kinetic,potential,total,box q box\[0\]/);
  });

  it('draws one mechanism', async () => {
    const svg = files.path('fall.svg');
    await output('simulate', 'human-34', '--ground', ...SHORT, '--svg', svg);
    expect(readFileSync(svg, 'utf8')).toContain('</svg>');
    expectRefusal(await manikin('simulate', scene, '--svg', svg), 2);
  });

  it('goes on from a checkpoint with the same bits, also after a change of structure', async () => {
    const whole = await json('simulate', scene);
    for (const stop of ['0.03', '0.11', '0.16']) {
      const checkpoint = files.path(`${stop}.checkpoint`);
      await output('simulate', scene, '--duration', stop, '--checkpoint', checkpoint);
      const resumed = await json('simulate', scene, '--resume', checkpoint);
      expect(resumed).toMatchObject({ hash: whole.hash, steps: 40, contacts: whole.contacts, energy: whole.energy });
    }
  });

  it('Ctrl-C leaves a recording that can be read, and a checkpoint to go on from', async () => {
    const [record, checkpoint] = [files.path('stopped.mcap'), files.path('stopped.checkpoint')];
    // So long that it cannot be over before it is stopped, which is once the recording has begun: no clock decides.
    const long = files.write('long.json', { ...SCENE, duration: 10_000 });
    const controller = new AbortController();
    const watch = setInterval(() => {
      if (existsSync(record)) controller.abort();
    }, 1);
    const words = ['simulate', long, '--record', record, '--checkpoint', checkpoint];
    const { code, err } = await runWith({ signal: controller.signal }, ...words);
    clearInterval(watch);
    expect(code, err).toBe(130);
    const told =
      /^Stopped at ([\d.]+) s of 10000 s\. Go on with --resume .*stopped\.checkpoint\.\nInterrupted\.\n$/.exec(err);
    expect(told, err).not.toBeNull();
    expect(readRecording(readFileSync(record)).complete).toBe(true);
    const further = ['--duration', `${Number(told![1]) + 0.1}`];
    const resumed = await json('simulate', long, ...further, '--resume', checkpoint);
    expect(resumed.hash).toBe((await json('simulate', long, ...further)).hash);
  });

  it('refuses what makes no sense, with one sentence', async () => {
    const checkpoint = files.path('0.11.checkpoint');
    const text = readFileSync(checkpoint, 'utf8');
    const flipped = files.path('flipped.checkpoint');
    const refused = async (...words: string[]): Promise<string> => {
      const outcome = await manikin('simulate', ...words);
      expectRefusal(outcome, 2);
      return outcome.err;
    };
    for (const at of [3, 40, 70, 90, 400, text.length - 2]) {
      const bytes = Buffer.from(text);
      bytes[at] ^= 4;
      writeFileSync(flipped, bytes);
      expect(await refused(scene, '--resume', flipped)).toMatch(/damaged|no checkpoint|of version/);
    }
    const cut = files.write('cut.checkpoint', text.slice(0, 500));
    expect(await refused(scene, '--resume', cut)).toContain('damaged');
    const later = files.write('later.checkpoint', text.replace('"version":2', '"version":3'));
    expect(await refused(scene, '--resume', later)).toContain('It is of version 3, this program reads version 2');
    expect(await refused('slope', '--resume', checkpoint)).toContain('It is of another scene');
    const slippery = files.write('slippery.json', { ...SCENE, ground: { friction: 0.5 } });
    expect(await refused(slippery, '--resume', checkpoint)).toContain('ground or obstacles differ');
    const driven = files.write('driven.json', { ...SCENE, events: [{ at: 0.06, disconnect: 'joint_2' }] });
    expect(await refused(driven, '--resume', checkpoint)).toContain('of another scene: controls, connections, events');
    const { world } = sceneWorld(parseScene(SCENE));
    for (const more of [undefined, 3, { events: 0 }]) {
      const own = files.write('own.checkpoint', formatCheckpoint(world, more));
      expect(await refused(scene, '--resume', own)).toContain('was not written by "manikin simulate"');
    }
    expect(await refused('fal')).toMatch(/no built-in mechanism or scene "fal"\. Did you mean "fall"\?/);
    expect(await refused('nothing')).toMatch(/Known are: chain-N, .* kneed .*; scenes: human-34-bar, fall, push/);
    expect(await refused(scene, '--resume', checkpoint, '--duration', '0.1')).toContain('is at 0.11');
    expect(await refused(scene, '--seed', '1')).toContain('brings its own state');
    expect(await refused(scene, '--integrator', 'rk4')).toContain('"midpoint"');
    expect(await refused(scene, '--engine', 'wasm')).toContain('without contacts');
    expect(await refused(scene, '--csv', 'a', '--record', 'a')).toContain('name the same file');
    const without = files.write('without.json', { mechanism: [{ model: 'chain-2' }] });
    expect(await refused(without)).toContain(
      'without.json: mechanism: There is no such key here. Did you mean "mechanisms"?',
    );
    const bad = files.write('bad.json', { mechanisms: [{ modl: 'x' }] });
    expect(await refused(bad)).toContain(
      'bad.json: mechanisms[0].modl: There is no such key here. Did you mean "model"?',
    );
  });
});
