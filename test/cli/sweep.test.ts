// manikin sweep on this machine: every run once, resumed where it stopped, failures told and survived, one table of it all.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { gaitBvh } from '../motion/gait.js';
import { bash, built, program, start, until } from './process-support.js';
import { expectRefusal, json, manikin, output, read, runWith, temporaryFolder } from './support.js';

const files = temporaryFolder();
const BOX = { model: { kind: 'box', size: [0.2, 0.2, 0.2] }, name: 'box', at: [0, 0, 0.1], velocity: [1, 0, 0] };
const SCENE = { mechanisms: [BOX], ground: { friction: 0.5 }, step: 0.005 };
const SLIDE = {
  run: { simulate: SCENE, duration: 0.1 },
  parameters: { 'scene.ground.friction': [0.2, 0.4, 0.6], 'scene.mechanisms[0].velocity[0]': { random: [0.5, 2] } },
  seeds: 3,
};

const resultFiles = (folder: string): string[] =>
  readdirSync(join(folder, 'results'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
/** All results by name. */
const resultsIn = (folder: string): Map<string, string> =>
  new Map(
    resultFiles(folder)
      .map((name) => [name, read(join(folder, 'results', name))] as const)
      .sort(),
  );

describe.skipIf(!built)('a sweep', () => {
  const slide = files.write('slide.json', SLIDE);

  it('makes every run once; again it makes none; what is lost is made anew, with the same bits', async () => {
    const out = files.path('slide');
    expect(await json('sweep', slide, '--out', out)).toMatchObject({ runs: 9, done: 9, failed: 0, skipped: 0 });
    const first = resultsIn(out);
    expect(first.size).toBe(9);
    expect(await json('sweep', slide, '--out', out)).toMatchObject({ runs: 9, done: 0, failed: 0, skipped: 9 });
    const [lost] = resultFiles(out);
    rmSync(join(out, 'results', lost));
    expect(await json('sweep', slide, '--out', out, '--threads', '1')).toMatchObject({ done: 1, skipped: 8 });
    expect(resultsIn(out)).toEqual(first);
    // More values: the old results stand.
    const wider = files.write('wider.json', { ...SLIDE, seeds: 4 });
    expect(await json('sweep', wider, '--out', out)).toMatchObject({ runs: 12, done: 3, skipped: 9 });
  });

  it('gives what simulate gives', async () => {
    const out = files.path('slide');
    const manifest = JSON.parse(read(join(out, 'manifest.json')));
    const { key, values } = manifest.runs[5];
    const scene = structuredClone(SCENE);
    scene.ground.friction = values['scene.ground.friction'];
    scene.mechanisms[0].velocity[0] = values['scene.mechanisms[0].velocity[0]'];
    const alone = await json('simulate', files.write('one.json', scene), '--duration', '0.1');
    const { result } = JSON.parse(read(join(out, 'results', key.slice(0, 2), `${key}.json`)));
    expect(result.hash).toBe(alone.hash);
    expect(result.energy.end).toBe(alone.energy.end);
    expect(result.steps).toBe(alone.steps);
  });

  it('in shards: together the same results, none twice', async () => {
    const out = files.path('shards');
    const parts = [];
    for (const k of [1, 2, 3, 4]) parts.push(await json('sweep', slide, '--out', out, '--shard', `${k}/4`));
    expect(parts.map(({ done }) => done)).toEqual([3, 2, 2, 2]);
    expect(parts.every(({ skipped }) => skipped === 0)).toBe(true);
    const whole = resultsIn(files.path('slide'));
    for (const [name, text] of resultsIn(out)) expect(text).toBe(whole.get(name));
    expectRefusal(await manikin('sweep', slide, '--shard', '5/4'), 2);
    expectRefusal(await manikin('sweep', slide, '--shard', '0/4'), 2);
  });

  it('is collected as CSV and as Parquet, number for number', async () => {
    const out = files.path('shards');
    const [csv, parquet] = [files.path('table.csv'), files.path('table.parquet')];
    expect(await json('sweep', slide, '--out', out, '--collect', csv)).toMatchObject({ runs: 9, done: 9, missing: 0 });
    await output('sweep', slide, '--out', out, '--collect', parquet);
    const [head, ...lines] = read(csv).trimEnd().split('\n');
    const names = head.split(',');
    expect(names.slice(0, 4)).toEqual(['key', 'scene.ground.friction', 'scene.mechanisms[0].velocity[0]', 'seed']);
    expect(names).toContain('final.box.box.q[4]');
    const bytes = readFileSync(parquet);
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    });
    expect(rows.length).toBe(9);
    rows.forEach((row, k) => {
      const cells = lines[k].split(',');
      names.forEach((name, c) => {
        if (typeof row[name] === 'number') expect(Number(cells[c])).toBe(row[name]);
        else expect(cells[c]).toBe(row[name] ?? '');
      });
    });
  });

  it('says how many results are missing in a table, and which cannot be read', async () => {
    const out = files.path('partly');
    await manikin('sweep', slide, '--out', out, '--shard', '1/3');
    const [broken] = resultFiles(out);
    writeFileSync(join(out, 'results', broken), '{');
    const { code, err } = await manikin('sweep', slide, '--out', out, '--collect', files.path('partly.csv'));
    expect(code).toBe(1);
    expect(err).toContain('cannot be read; remove it');
    expect(err).toContain('Error: 7 of 9 runs have no result; run the sweep again.\n');
    expectRefusal(await manikin('sweep', slide, '--out', out, '--collect', files.path('table.xlsx')), 2);
    expectRefusal(await manikin('sweep', slide, '--out', files.path('none'), '--collect', files.path('t.csv')), 2);
  });

  it('of a model starts in the states of its seeds, as simulate does; a series has its lines', async () => {
    const sweep = { run: { simulate: 'chain-3', duration: 0.2, every: 0.1 }, seeds: [4] };
    const out = files.path('chain');
    await output('sweep', files.write('chain.json', sweep), '--out', out);
    const { result } = JSON.parse([...resultsIn(out).values()][0]);
    const alone = await json('simulate', 'chain-3', '--seed', '4', '--duration', '0.2', '--every', '0.1');
    expect(result.final[0].joints.map(({ q }: { q: number[] }) => q)).toEqual(
      alone.joints.map(({ q }: { q: number[] }) => q),
    );
    expect(result.series.rows.map(([time]: number[]) => Number(time.toFixed(6)))).toEqual([0, 0.1, 0.2]);
    expect(result.series.columns.length).toBe(result.series.rows[0].length);
  });

  it('over files, within the root only', async () => {
    const folder = files.path('inputs');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.json'), JSON.stringify(SCENE));
    writeFileSync(join(folder, 'b.json'), JSON.stringify({ ...SCENE, ground: true }));
    const sweep = join(folder, 'sweep.json');
    const write = (simulate: string[], parameters = {}): void =>
      writeFileSync(
        sweep,
        JSON.stringify({ run: { simulate: 'a.json', duration: 0.02 }, parameters: { simulate, ...parameters } }),
      );
    const out = files.path('by-file');
    write(['a.json', 'b.json']);
    expect(await json('sweep', sweep, '--out', out)).toMatchObject({ runs: 2, done: 2 });
    // The same content under another name is the same run.
    writeFileSync(join(folder, 'c.json'), JSON.stringify(SCENE));
    write(['a.json', 'b.json', 'c.json']);
    expect(await json('sweep', sweep, '--out', out)).toMatchObject({ done: 0, skipped: 2 });
    // A parameter that one of the files does not have: a line, and the other runs.
    write(['a.json', 'b.json'], { 'scene.ground.friction': [0.9] });
    const { code, err } = await manikin('sweep', sweep, '--out', out);
    expect(code).toBe(1);
    expect(err).toBe(
      `Failed: simulate "b.json", scene.ground.friction 0.9: parameter "scene.ground.friction": There is nothing to put it into: "ground" is true.\n` +
        `Error: 1 of 2 runs failed: ${join(out, 'failures.json')}.\n`,
    );
    write(['../slide.json']);
    expectRefusal(await manikin('sweep', sweep, '--out', out), 2);
    write(['d.json']);
    expectRefusal(await manikin('sweep', sweep, '--out', out), 2);
  });

  it('of captured motions: what inverse gives', async () => {
    const folder = files.path('motions');
    mkdirSync(folder);
    for (const [name, seconds] of [
      ['a', 0.5],
      ['b', 0.7],
    ] as const)
      writeFileSync(join(folder, `${name}.bvh`), gaitBvh({ seconds }));
    const sweep = {
      run: { inverse: 'a.bvh', every: 0 },
      parameters: { inverse: ['a.bvh', 'b.bvh', 'c.bvh'], mass: [60, 80] },
    };
    writeFileSync(join(folder, 'sweep.json'), JSON.stringify(sweep));
    const out = files.path('by-motion');
    const { code, err } = await manikin('sweep', join(folder, 'sweep.json'), '--out', out);
    expect(code).toBe(1);
    expect(err).toContain('Failed: inverse "c.bvh", mass 60: There is no file "c.bvh" in the root.\n');
    const { runs } = JSON.parse(read(join(out, 'manifest.json')));
    expect(runs.map(({ values }: { values: object }) => Object.values(values))).toEqual([
      ['a.bvh', 60],
      ['a.bvh', 80],
      ['b.bvh', 60],
      ['b.bvh', 80],
    ]);
    const { result } = JSON.parse(read(join(out, 'results', runs[3].key.slice(0, 2), `${runs[3].key}.json`)));
    const csv = files.path('b.csv');
    await output('inverse', join(folder, 'b.bvh'), '--mass', '80', '--out', csv, '--quiet');
    const [head, ...lines] = read(csv).trimEnd().split('\n');
    expect(result.series.columns).toEqual(head.split(',').slice(0, result.series.columns.length));
    expect(result.series.rows).toEqual(
      lines.map((line) => line.split(',').slice(0, result.series.columns.length).map(Number)),
    );
    expect(result.frames).toBe(lines.length);
  });

  it('the example runs', async () => {
    const example = fileURLToPath(new URL('../../examples/sweep.json', import.meta.url));
    const out = files.path('example');
    expect(await json('sweep', example, '--out', out)).toMatchObject({ sweep: 'sliding box', runs: 12, done: 12 });
    const table = files.path('example.csv');
    expect(await output('sweep', example, '--out', out, '--collect', table)).toMatch(
      /^sliding box: 12 of 12 runs, \d+ columns\n/,
    );
    // Coulomb: it slides v^2 / (2 mu g), within what the step leaves.
    const [head, ...lines] = read(table).trimEnd().split('\n');
    const column = (name: string): number => head.split(',').indexOf(name);
    for (const line of lines) {
      const cells = line.split(',').map(Number);
      const [mu, speed] = [cells[column('scene.ground.friction')], cells[column('scene.mechanisms[0].velocity[0]')]];
      const stops = speed / (9.81 * mu);
      const way = stops < 1 ? speed ** 2 / (2 * mu * 9.81) : speed - (mu * 9.81) / 2;
      expect(Math.abs(cells[column('final.box.box.q[4]')] - way)).toBeLessThan(0.005 * speed);
    }
  });

  it('a model file that changed makes new runs', async () => {
    const folder = files.path('changed');
    mkdirSync(folder);
    const arm = (mass: number): string =>
      `<mujoco><worldbody><body><joint type="hinge" axis="0 1 0"/><geom type="sphere" size="0.1" mass="${mass}" pos="0.3 0 0"/></body></worldbody></mujoco>`;
    writeFileSync(join(folder, 'arm.xml'), arm(1));
    writeFileSync(
      join(folder, 's.json'),
      JSON.stringify({ run: { simulate: 'arm.xml', duration: 0.02 }, parameters: { step: [0.01] } }),
    );
    const sweep = (): Promise<Record<string, number>> =>
      json('sweep', join(folder, 's.json'), '--out', join(folder, 'out'));
    expect(await sweep()).toMatchObject({ done: 1 });
    expect(await sweep()).toMatchObject({ done: 0, skipped: 1 });
    writeFileSync(join(folder, 'arm.xml'), arm(2));
    expect(await sweep()).toMatchObject({ done: 1, skipped: 0 });
    const { files: listed } = JSON.parse(read(join(folder, 'out', 'manifest.json')));
    expect(Object.keys(listed)).toEqual(['arm.xml']);
  });
});

describe.skipIf(!built)('what goes wrong in a sweep', () => {
  it('a simulation that fails: a line, the rest goes on, exit code 1; next time it is tried again', async () => {
    // Euler's method gains energy.
    const sweep = files.write('stiff.json', {
      run: { simulate: 'chain-2', duration: 1 },
      parameters: { integrator: ['dopri5', 'euler'] },
      seeds: 5,
    });
    const out = files.path('stiff');
    const { code, err, out: text } = await manikin('sweep', sweep, '--out', out);
    expect(code).toBe(1);
    const lines = err.trimEnd().split('\n');
    expect(lines.slice(0, 3).join()).toMatch(/^(Failed: integrator "euler", seed \d: The energy grew by [^\n]+,?){3}$/);
    expect(lines.slice(3)).toEqual([
      'Failed in the same way: 2 more.',
      `Error: 5 of 10 runs failed: ${join(out, 'failures.json')}.`,
    ]);
    expect(text).toMatch(/^stiff: 10 runs, 5 done in [\d.]+ s \([\d.]+ a second\), 5 failed\n/);
    expect(JSON.parse(read(join(out, 'failures.json'))).failed).toHaveLength(5);
    const again = await manikin('sweep', sweep, '--out', out);
    expect(again.code).toBe(1);
    expect(again.out).toMatch(/^stiff: 10 runs, 5 there already, nothing to do, 5 failed\n/);
  });

  it('mistakes that all runs have are told at once, before anything runs', async () => {
    const refused = async (sweep: unknown): Promise<string> => {
      const outcome = await manikin('sweep', files.write('wrong.json', sweep), '--out', files.path('wrong'));
      expectRefusal(outcome, 2);
      expect(existsSync(files.path('wrong'))).toBe(false);
      return outcome.err;
    };
    const run = { simulate: SCENE, duration: 0.1 };
    expect(await refused({ run, parameters: { 'scene.ground.frction': [1, 2] } })).toBe(
      'Error: scene: ground.frction: There is no such key here. Did you mean "friction"?\n',
    );
    expect(await refused({ run, seeds: 3 })).toContain('the scene brings its own state, and no parameter is random');
    expect(await refused({ run: { ...run, base: 'fixed' } })).toContain('run.base: It is for models');
    expect(await refused({ run: { simulate: 'human-35' }, seeds: 2 })).toContain('Did you mean "human-34"?');
    expect(await refused({ run: { simulate: 'human-34' }, parameters: { 'scene.ground': [true] } })).toContain(
      'The run simulates "human-34", a model and not a scene',
    );
    expect(await refused({ run: { simulate: 'human-34' }, parameters: { step: ['fast'] } })).toContain(
      'step: Expected a finite number, got "fast".',
    );
    expectRefusal(await manikin('sweep', files.path('nowhere.json')), 2);
  });

  it('a folder that cannot be written', async () => {
    const sweep = files.write('locked.json', SLIDE);
    const inTheWay = files.write('in-the-way', '');
    expectRefusal(await manikin('sweep', sweep, '--out', join(inTheWay, 'out')), 2);
    mkdirSync(files.path('no-folder'));
    writeFileSync(files.path('no-folder/results'), '');
    expectRefusal(await manikin('sweep', sweep, '--out', files.path('no-folder')), 2);
    if (process.getuid?.() === 0) {
      console.warn('skipped: root may write everywhere, a read-only folder is tried as another user only');
      return;
    }
    const folder = files.path('read-only');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    expectRefusal(await manikin('sweep', sweep, '--out', join(folder, 'out')), 2);
  });

  it('a full disk, and one that is read-only: one reason, exit code 1, and the results before it stand', async () => {
    const disk = files.path('disk');
    mkdirSync(disk);
    if (bash(`mount -t tmpfs -o size=64k none '${disk}'`).status !== 0) {
      console.warn('skipped: no right to mount a small disk, a full one is not tried');
      return;
    }
    try {
      const sweep = files.write('full.json', {
        run: { simulate: 'chain-2', duration: 0.01, integrator: 'euler' },
        seeds: 40,
      });
      const { code, err } = await manikin('sweep', sweep, '--out', disk);
      expect(code).toBe(1);
      expect(err).toContain('Its result could not be written: the disk is full (ENOSPC).');
      expect(err.split('\n').length).toBeLessThan(8);
      const kept = resultFiles(disk).length;
      expect(kept).toBeGreaterThan(0);
      for (const text of resultsIn(disk).values()) expect(JSON.parse(text).result.hash).toMatch(/^[0-9a-f]{16}$/);
      // With room again the rest is made.
      bash(`mount -o remount,size=4m '${disk}'`);
      expect(await json('sweep', sweep, '--out', disk)).toMatchObject({ done: 40 - kept, skipped: kept });
      bash(`mount -o remount,ro '${disk}'`);
      expectRefusal(await manikin('sweep', sweep, '--out', disk), 2);
    } finally {
      bash(`umount '${disk}'`);
    }
  });

  it('Ctrl-C: code 130, nothing half-written, and the rest is done next time', async () => {
    const folder = files.path('stopped');
    mkdirSync(folder);
    const sweep = { run: { simulate: 'chain-2', duration: 1 }, seeds: 400 };
    writeFileSync(join(folder, 's.json'), JSON.stringify(sweep));
    const { child, ended } = start(['sweep', 's.json'], folder);
    const out = join(folder, 'out', 's');
    await until(() => existsSync(join(out, 'results')) && resultFiles(out).length > 2);
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(err).toMatch(/^Stopped: \d+ of 400 runs are done\. Run it again for the rest\.\nInterrupted\.\n$/);
    const kept = resultFiles(out).length;
    expect(kept).toBeLessThan(400);
    expect(bash(`find '${out}' -name '.manikin-*'`).stdout).toBe('');
    const shorter = JSON.parse(bash(`${program('sweep', 's.json', '--json', '--shard', '1/40')}`, folder).stdout);
    expect(shorter.done + shorter.skipped).toBe(10);
  });

  it('the bar says how many, how fast, and how long', async () => {
    const { err } = await runWith(
      { interactive: true },
      'sweep',
      files.write('bar.json', SLIDE),
      '--out',
      files.path('bar'),
    );
    expect(err).toMatch(/bar [█░]{30} +\d+% \d+\/9, [\d.]+ a second, [\d.]+ s left/);
    expect(err.endsWith('\r\x1b[K')).toBe(true);
  });
});
