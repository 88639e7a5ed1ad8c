import { describe, expect, it } from 'vitest';
import { parseStorage } from '../../src/formats/storage.js';
import { parseReplay } from '../../src/plot/replay.js';
import { gaitBvh } from '../motion/gait.js';
import { hasShared, sharedPath } from '../support/shared.js';
import { expectRefusal, json, manikin, output, read, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const walk = folder.write('walk.bvh', gaitBvh());
const ARM_MODEL = `<robot name="arm"><link name="base"/>
<link name="upper"><inertial><mass value="2"/><origin xyz="0 0 -0.2"/><inertia ixx="0.1" iyy="0.1" izz="0.01"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint></robot>`;
const arm = folder.write('arm.urdf', ARM_MODEL);

/** A table of one coordinate, at 100 rows a second. */
function table(name: string, rows: number, value: (t: number) => number, start = 0): string {
  const lines = Array.from({ length: rows }, (_, k) => `${start + k / 100}\t${value(start + k / 100)}`);
  return `motion\nnRows=${rows}\nnColumns=2\ninDegrees=no\nendheader\ntime\t${name}\n${lines.join('\n')}\n`;
}
const swing = folder.write(
  'swing.mot',
  table('shoulder', 200, (t) => 0.5 * Math.sin(3 * t)),
);

const csvRows = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(','));

describe('inverse: a BVH file', () => {
  it('prints what was found, and writes CSV, STO, SVG and HTML', async () => {
    const [csv, svg, html] = ['f.csv', 'f.svg', 'f.html'].map(folder.path);
    const text = await output(
      'inverse',
      walk,
      '--mass',
      '70',
      '--scale',
      '0.01',
      '--out',
      csv,
      '--svg',
      svg,
      '--html',
      html,
    );
    expect(text).toMatch(/^walk\.bvh: 301 frames at 100 Hz, 46 coordinates, low-pass 6 Hz/);
    expect(text).toMatch(/figure: 70 kg, 1\.696 m tall/);
    expect(text).toMatch(/strides: of 1\.1 s; mean vertical force over a stride (99\.\d+|100(\.\d+)?) % of the weight/);
    expect(text).toMatch(/both feet down: the split cannot be known/);
    const [head, ...rows] = csvRows(read(csv));
    expect(head[0]).toBe('time');
    expect(head.slice(1, 7)).toEqual(['Hips_rx', 'Hips_ry', 'Hips_rz', 'Hips_tx', 'Hips_ty', 'Hips_tz']);
    expect(head).toContain('LeftLeg');
    expect(head.slice(-28, -18)).toEqual([
      'support',
      'support_px',
      'support_py',
      'support_pz',
      'support_fx',
      'support_fy',
      'support_fz',
      'support_mx',
      'support_my',
      'support_mz',
    ]);
    expect(rows).toHaveLength(301);
    for (const row of rows) expect(row.map(Number).every(Number.isFinite)).toBe(true);
    expect(read(svg)).toMatch(/^<svg /);
    const page = read(html);
    expect(page).toContain("default-src 'none'; script-src 'sha256-");
    const data = /<script type="application\/json" id="replay">(.*?)<\/script>/s.exec(page)![1];
    expect(parseReplay(data).times).toHaveLength(301);
    const sto = folder.path('f.sto');
    await output('inverse', walk, '--scale', '0.01', '--mass', '70', '--out', sto, '--quiet');
    const storage = parseStorage(read(sto));
    expect(storage.labels).toEqual(head);
    storage.values.forEach((value, k) => {
      expect(value).toBeCloseTo(Number(rows[Math.floor(k / head.length)][k % head.length]), 9);
    });
  });

  it('--json: time, support and torques of every frame', async () => {
    const result = await json('inverse', walk, '--scale', '0.01', '--cutoff', '10');
    expect(result.coordinates).toHaveLength(46);
    expect(result.cutoff).toBe(10);
    expect(result.frames).toHaveLength(301);
    expect(new Set(result.frames.map((frame: { support: string }) => frame.support))).toEqual(
      new Set(['left', 'right', 'double']),
    );
    for (const { torques, force, moment, point } of result.frames) {
      expect(torques).toHaveLength(46);
      expect([...force, ...moment, ...point].every(Number.isFinite)).toBe(true);
    }
    expect(result.strides.mean).toBeCloseTo(1, 2);
  });

  it('--double split shares the load while both feet are down, and changes nothing else', async () => {
    const one = await json('inverse', walk, '--scale', '0.01');
    const split = await json('inverse', walk, '--scale', '0.01', '--double', 'split');
    one.frames.forEach((frame: { support: string; force: number[]; torques: number[] }, k: number) => {
      const other = split.frames[k];
      expect(other.support).toBe(frame.support);
      expect(other.force).toEqual(frame.force);
      expect(other.feet).toHaveLength(frame.support === 'double' ? 2 : 1);
      if (frame.support !== 'double') expect(other.torques).toEqual(frame.torques);
      else {
        const sum = other.feet[0].force.map((value: number, c: number) => value + other.feet[1].force[c]);
        sum.forEach((value: number, c: number) => {
          expect(value).toBeCloseTo(frame.force[c], 6);
        });
      }
    });
    const csv = folder.path('split.csv');
    await output('inverse', walk, '--scale', '0.01', '--double', 'split', '--out', csv);
    expect(csvRows(read(csv))[0]).toEqual(expect.arrayContaining(['LeftFoot_fx', 'RightFoot_mz']));
  });

  it('--support takes over', async () => {
    const { frames, supports } = await json('inverse', walk, '--scale', '0.01', '--support', '0:left,1:RightFoot');
    expect(supports).toEqual({ left: 100, right: 201, double: 0, none: 0, other: 0 });
    expect(frames[0].feet[0].body).toBe('LeftFoot');
    expect(frames[150].feet[0].body).toBe('RightFoot');
  });

  it('--criterion shares the load of all supports and prints their forces; --supports says which they are', async () => {
    const words = ['inverse', walk, '--scale', '0.01'];
    const found = await json(...words, '--criterion', 'least-norm');
    expect(found.criterion).toBe('least-norm');
    expect(found.supports.double).toBeGreaterThan(0);
    const named = await json(...words, '--supports', '0:left,0.5:left+RightHand', '--criterion', 'least-effort');
    expect(named.frames[10].supports.map(({ name }: { name: string }) => name)).toEqual(['LeftFoot']);
    expect(named.frames[100].supports.map(({ name }: { name: string }) => name)).toEqual(['LeftFoot', 'RightHand']);
    for (const { frames } of [found, named])
      for (const { force, supports } of frames)
        force.forEach((value: number, c: number) => {
          const sum = supports.reduce((all: number, given: { force: number[] }) => all + given.force[c], 0);
          expect(Math.abs(sum - value)).toBeLessThan(1e-5);
        });
    expect(await output(...words, '--supports', 'both', '--friction', '0.8')).toMatch(
      /shared by all that carries: forces of least norm, feet within friction 0\.8/,
    );
  });

  it('is also a model for other commands', async () => {
    const info = await json('info', walk);
    expect(info.dof).toBe(46);
    expect((await manikin('fd', walk, '--seed', '1')).code).toBe(0);
  });
});

describe('inverse: a table of coordinates', () => {
  it('of any model with joints of one degree of freedom: the torque of a pendulum', async () => {
    const { coordinates, frames } = await json(
      'inverse',
      swing,
      '--model',
      arm,
      '--cutoff',
      'none',
      '--support',
      'none',
    );
    expect(coordinates).toEqual(['shoulder']);
    for (const { time, torques } of frames) {
      const q = 0.5 * Math.sin(3 * time);
      const expected = (0.1 + 2 * 0.04) * (-4.5 * Math.sin(3 * time)) + 2 * 9.81 * 0.2 * Math.sin(q);
      expect(torques[0]).toBeCloseTo(expected, 4);
    }
  });
});

const SHARED = hasShared('data/opensim');
describe.skipIf(!SHARED)('inverse: the OpenSim trial', () => {
  const at = (name: string): string => sharedPath(`data/opensim/${name}`);
  const words = ['inverse', at('subject01_walk_IK.mot'), '--model', at('subject01.osim')];

  it('ten generalised forces at the sampling of the motion', async () => {
    const sto = folder.path('id.sto');
    const text = await output(...words, '--loads', at('subject01_walk_grf.xml'), '--out', sto);
    expect(text).toMatch(/support: measured; left \d+, right \d+, both \d+, none 0 frames/);
    const { labels, rowCount, values } = parseStorage(read(sto));
    expect(labels).toEqual([
      'time',
      'pelvis_tilt',
      'pelvis_tx',
      'pelvis_ty',
      'hip_flexion_r',
      'knee_angle_r',
      'ankle_angle_r',
      'hip_flexion_l',
      'knee_angle_l',
      'ankle_angle_l',
      'lumbar_extension',
    ]);
    expect(rowCount).toBe(151);
    expect(values.every(Number.isFinite)).toBe(true);
    expect(values[11]).toBeCloseTo(1 / 60, 6);
  });

  it('refuses force plates at another time, a motion of another model, and a table that is not there', async () => {
    const late = folder.write(
      'late.mot',
      read(at('subject01_walk_IK.mot')).replace(/^ +(\d+\.\d+)/gm, (_, t) => `${Number(t) + 100}`),
    );
    const outcome = await manikin(
      'inverse',
      late,
      '--model',
      at('subject01.osim'),
      '--loads',
      at('subject01_walk_grf.xml'),
    );
    expectRefusal(outcome, 2);
    expect(outcome.err).toMatch(/do not overlap in time: forces from 0 to 2\.5 s, motion from 100 to 102\.5 s/);
    const other = await manikin('inverse', swing, '--model', at('subject01.osim'));
    expectRefusal(other, 2);
    expect(other.err).toMatch(/The model has no coordinate "shoulder", which the motion moves\. It has: pelvis_tilt/);
    const xml = folder.write('loads.xml', read(at('subject01_walk_grf.xml')));
    const nowhere = await manikin(...words, '--loads', xml);
    expectRefusal(nowhere, 2);
    expect(nowhere.err).toMatch(/There is no file ".*subject01_walk_grf\.mot"/);
    expect((await manikin(...words, '--loads', xml, '--loads-data', at('subject01_walk_grf.mot'))).code).toBe(0);
  });

  it('forces for part of the motion: that part', async () => {
    const rows = read(at('subject01_walk_grf.mot')).split('\n');
    const head = rows.slice(0, 7).map((line) => line.replace('nRows=1501', 'nRows=601'));
    folder.write('part.mot', [...head, ...rows.slice(7 + 300, 7 + 901)].join('\n'));
    const xml = folder.write(
      'part.xml',
      read(at('subject01_walk_grf.xml')).replace('subject01_walk_grf.mot', 'part.mot'),
    );
    const { frames } = await json(...words, '--loads', xml);
    expect(frames[0].time).toBeCloseTo(0.5, 9);
    expect(frames[frames.length - 1].time).toBeCloseTo(1.5, 9);
    const whole = await json(...words, '--loads', at('subject01_walk_grf.xml'));
    frames[20].torques.forEach((value: number, c: number) => {
      expect(value).toBeCloseTo(whole.frames[50].torques[c], 9);
    });
  });
});

describe('inverse: what is refused', () => {
  const short = folder.write('short.bvh', gaitBvh({ seconds: 0.1 }));
  const tiny = folder.write('tiny.bvh', gaitBvh({ seconds: 0.02 }));
  const torn = folder.write('torn.bvh', gaitBvh().slice(0, 20_000));
  const uneven = folder.write('uneven.mot', table('shoulder', 100, () => 0).replace('\n0.5\t', '\n0.505\t'));
  const undefinedRow = folder.write(
    'undefined.mot',
    table('shoulder', 100, (t) => (t === 0.5 ? Number.NaN : 0)),
  );
  const onlyOther = folder.write(
    'other.mot',
    table('elbow', 100, () => 0),
  );
  const away = folder.write(
    'away.xml',
    '<OpenSimDocument><ExternalLoads><objects><ExternalForce name="f"><applied_to_body>upper</applied_to_body><force_identifier>f</force_identifier></ExternalForce></objects><datafile>../../../../etc/passwd</datafile></ExternalLoads></OpenSimDocument>',
  );
  const withEntity = folder.write(
    'entity.osim',
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><OpenSimDocument Version="40000">&b;</OpenSimDocument>',
  );

  it.each([
    [
      'a motion shorter than the filter',
      [short],
      /has 11 frames \(0\.11 s\); a cut-off of 6 Hz at 100 frames a second needs at least 18/,
    ],
    [
      'one too short to be differentiated',
      [tiny, '--cutoff', 'none'],
      /has 3 frames; its accelerations need at least 5/,
    ],
    ['a torn file', [torn], /torn\.bvh:\d+/],
    ['a file that is not there', ['nowhere.bvh'], /There is no file "nowhere\.bvh"/],
    ['another kind of file', [arm], /is not a motion of a known kind \(\.bvh, \.mot, \.sto\)/],
    ['a table without a model', [swing], /needs a model: --model FILE\.osim/],
    ['a skeleton and a model', [walk, '--model', arm], /brings its own skeleton/],
    ['a size for a model', [swing, '--model', arm, '--height', '2'], /--height goes with \.bvh files/],
    [
      'a coordinate that the model lacks',
      [onlyOther, '--model', arm],
      /The model has no coordinate "elbow", which the motion moves\. It has: shoulder/,
    ],
    ['a model of wider joints', [swing, '--model', 'human-161'], /and a table of named coordinates cannot say which/],
    ['rows at odd times', [uneven, '--model', arm], /not at equal intervals: row 51 is at 0\.505 s, expected 0\.5 s/],
    ['a value that is not defined', [undefinedRow, '--model', arm], /Coordinate "shoulder" is not defined in row 51/],
    ['a cut-off of nothing', [walk, '--cutoff', '0'], /Expected a positive number, or none/],
    ['a cut-off above half the rate', [walk, '--cutoff', '70'], /must lie between 0 and 50 Hz/],
    ['an unknown foot', [walk, '--support', 'tail'], /There is no body "tail"/],
    ['a figure without feet', [swing, '--model', arm], /No body is called a foot; say which body carries the figure/],
    ['another kind of output', [walk, '--out', 'x.txt'], /--out writes \.csv or \.sto/],
    ['one file for two things', [walk, '--svg', 'x', '--html', './x'], /name the same file/],
    ['--loads-data alone', [walk, '--loads-data', 'x.mot'], /--loads-data goes with --loads/],
    [
      'support and loads',
      [swing, '--model', arm, '--support', 'none', '--loads', away],
      /which is elsewhere; give it with --loads-data/,
    ],
    ['a criterion for what was measured', [walk, '--criterion', 'least-norm', '--loads', away], /exclude each other/],
    [
      'two ways to share',
      [walk, '--criterion', 'least-norm', '--double', 'one'],
      /cannot be used with option '--double/,
    ],
    [
      'two lists of supports',
      [walk, '--supports', 'left', '--support', 'left'],
      /cannot be used with option '--support/,
    ],
    ['an unknown criterion', [walk, '--criterion', 'least'], /Allowed choices are least-norm, least-effort/],
    ['friction alone', [walk, '--friction', '1'], /--friction goes with --criterion/],
    ['an entity', [swing, '--model', withEntity], /Document type and entity declarations are not read/],
  ])('%s', async (_what, words, message) => {
    const outcome = await manikin('inverse', ...words);
    expectRefusal(outcome, 2);
    expect(outcome.err).toMatch(message);
  });

  it('and nothing is left behind', async () => {
    const out = folder.path('half.csv');
    expectRefusal(await manikin('inverse', walk, '--out', out, '--svg', folder.path('')), 2);
    expect(() => read(out)).toThrow();
    expect(() => read(`${out}.part`)).toThrow();
  });
});
