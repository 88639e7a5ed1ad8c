// Sweep files: every mistake is told with its place, and with near names; values are set where the path says.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { Assignments } from '../../src/sweep/assignments.js';
import { parseSweep } from '../../src/sweep/parse-sweep.js';
import { parsePath, setAt } from '../../src/sweep/path.js';
import { SWEEP_SCHEMA } from '../../src/sweep/schema.js';

const run = { simulate: 'human-34', duration: 1 };
const refused = (sweep: unknown): string => {
  try {
    parseSweep(typeof sweep === 'string' ? sweep : JSON.stringify(sweep), { file: 's.json' });
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

describe('mistakes in a sweep', () => {
  it.each([
    ['no JSON', '{', 's.json:1:2: This is not JSON: the text ends too soon.'],
    ['nothing to run', {}, 's.json: The key "run" is missing.'],
    ['neither of two', { run: { duration: 1 } }, 's.json: run: Expected one of simulate, inverse.'],
    [
      'a key that is not there',
      { run, parametres: {} },
      's.json: parametres: There is no such key here. Did you mean "parameters"?',
    ],
    [
      'an option that is not there',
      { run: { ...run, durations: 1 } },
      's.json: run.durations: There is no such key here. Did you mean "duration"?',
    ],
    [
      'a parameter that is not there',
      { run, parameters: { duraton: [1] } },
      's.json: parameters.duraton: There is no "duraton" to change. Did you mean "duration"?',
    ],
    [
      'a simulation of a motion',
      { run: { inverse: 'a.bvh' }, parameters: { duration: [1] } },
      's.json: parameters.duration: There is no "duration" to change. There are: inverse, model, loads, cutoff, mass, height, scale, up, ....',
    ],
    [
      'no path',
      { run, parameters: { 'scene..ground': [1] } },
      's.json: parameters["scene..ground"]: Expected an option ("duration") or a place ("scene.mechanisms[0].velocity[2]").',
    ],
    [
      'the whole scene',
      { run, parameters: { scene: [1] } },
      's.json: parameters.scene: Say which part of the scene ("scene.ground.friction"), or change "simulate".',
    ],
    [
      'no values',
      { run, parameters: { duration: [] } },
      's.json: parameters.duration: Expected a list with at least 1, got 0.',
    ],
    [
      'half a grid',
      { run, parameters: { duration: { from: 1, to: 2 } } },
      's.json: parameters.duration: The key "count" is missing.',
    ],
    [
      'a logarithm of nothing',
      { run, parameters: { duration: { from: 0, to: 2, count: 3, scale: 'log' } } },
      's.json: parameters.duration: A logarithmic scale needs numbers above zero.',
    ],
    [
      'draws without seeds',
      { run, parameters: { duration: { random: [1, 2] } } },
      's.json: seeds: Random parameters are drawn for each seed: say how many seeds ("seeds": 100).',
    ],
    [
      'seeds twice',
      { run: { ...run, seed: 1 }, seeds: 2 },
      's.json: run.seed: Seeds are given by "seeds" already; leave it out.',
    ],
    ['a seed twice', { run, seeds: [1, 2, 1] }, 's.json: seeds: The seed "1" stands here twice.'],
    [
      'idle seeds',
      { run: { inverse: 'a.bvh' }, seeds: 2 },
      's.json: seeds: Seeds change nothing here: no parameter is random.',
    ],
    [
      'a value twice',
      { run, parameters: { duration: [1] }, cases: [{ duration: 2 }] },
      's.json: cases[0].duration: It is among the parameters already; leave one of them out.',
    ],
    [
      'too many runs',
      { run, parameters: { duration: { from: 1, to: 2, count: 100_000 } }, seeds: 100 },
      's.json: These are 10000000 runs; at most 1000000 are made of one sweep.',
    ],
  ])('%s', (_, sweep, message) => {
    expect(refused(sweep)).toBe(message);
  });

  it('a good one is accepted, also by other readers of the schema', () => {
    const sweep = {
      run: { simulate: { mechanisms: [{ model: 'human-34' }], ground: true }, every: 0.1 },
      parameters: { 'scene.mechanisms[0].at[2]': { from: 1, to: 2, count: 3 }, step: [0.001, 0.002] },
      cases: [{ duration: 1 }, { duration: 2 }],
      seeds: { from: 5, count: 2 },
    };
    const validate = new Ajv2020({ strict: false }).compile(SWEEP_SCHEMA);
    expect(validate(sweep), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...sweep, seed: 1 })).toBe(false);
    expect(refused({ ...sweep, seeds: undefined })).toBe('accepted');
  });
});

describe('the runs of a sweep', () => {
  it('are all combinations: cases slowest, seeds fastest', () => {
    const sweep = parseSweep({
      run,
      cases: [{ base: 'fixed' }, { base: 'floating' }],
      parameters: { duration: [1, 2], step: { from: 0.001, to: 0.003, count: 3 } },
      seeds: [7, 9],
    });
    const all = new Assignments(sweep);
    expect(all.count).toBe(24);
    const lines = Array.from({ length: 24 }, (_, k) => all.at(k));
    expect(lines.map(({ seed }) => seed).slice(0, 4)).toEqual([7, 9, 7, 9]);
    expect(Object.fromEntries(lines[0].values)).toEqual({ base: 'fixed', duration: 1, step: 0.001 });
    expect(Object.fromEntries(lines[2].values)).toEqual({ base: 'fixed', duration: 1, step: 0.002 });
    expect(Object.fromEntries(lines[23].values)).toEqual({ base: 'floating', duration: 2, step: 0.003 });
    expect(new Set(lines.map((line) => JSON.stringify([[...line.values], line.seed]))).size).toBe(24);
  });

  it('what is drawn depends on the seed and on the name of the parameter alone', () => {
    const draw = { random: [10, 20] };
    const one = new Assignments(parseSweep({ run, parameters: { duration: draw }, seeds: 1000 }));
    const more = new Assignments(
      parseSweep({
        run,
        parameters: { step: [0.1, 0.2], every: draw, duration: draw },
        seeds: { from: 501, count: 3 },
      }),
    );
    const values = Array.from({ length: 1000 }, (_, k) => one.at(k).values.get('duration') as number);
    expect(more.at(4).values.get('duration')).toBe(values[501]);
    expect(more.at(4).values.get('every')).not.toBe(values[501]);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...values)).toBeLessThan(20);
    expect(new Set(values).size).toBe(1000);
    const mean = values.reduce((sum, value) => sum + value, 0) / 1000;
    expect(Math.abs(mean - 15)).toBeLessThan(0.3);
  });

  it('grids end where they are told to, also in logarithms', () => {
    const grid = (values: object): unknown[] => {
      const all = new Assignments(parseSweep({ run, parameters: { duration: values } }));
      return Array.from({ length: all.count }, (_, k) => all.at(k).values.get('duration'));
    };
    expect(grid({ from: 0.1, to: 0.7, count: 4 })[3]).toBe(0.7);
    expect(grid({ from: 3, to: 5, count: 1 })).toEqual([3]);
    const log = grid({ from: 1, to: 1000, count: 4, scale: 'log' }) as number[];
    expect(log.map((value) => Number(value.toPrecision(12)))).toEqual([1, 10, 100, 1000]);
  });
});

describe('places in data', () => {
  it.each([
    ['a', ['a']],
    ['a.b[2].c', ['a', 'b', 2, 'c']],
    ['a["b.c"][0]', ['a', 'b.c', 0]],
    ['human-34', ['human-34']],
    ['', undefined],
    ['.a', undefined],
    ['a..b', undefined],
    ['a.', undefined],
    ['a[b]', undefined],
    ['a[-1]', undefined],
    ['a["\\x"]', undefined],
    ['a b', undefined],
  ])('%s', (path, steps) => {
    expect(parsePath(path)).toEqual(steps);
  });

  it('must be there, but for the last step', () => {
    const data = { ground: true, list: [1, 2], inner: { friction: 1 } };
    const put = (path: string): string => {
      try {
        setAt(data, parsePath(path)!, 5, path);
      } catch (error) {
        return (error as Error).message;
      }
      return 'done';
    };
    expect(put('list[1]')).toBe('done');
    expect(put('inner.other')).toBe('done');
    expect(data).toEqual({ ground: true, list: [1, 5], inner: { friction: 1, other: 5 } });
    expect(put('ground.friction')).toBe(
      'parameter "ground.friction": There is nothing to put it into: "ground" is true.',
    );
    expect(put('list[2]')).toBe('parameter "list[2]": The list has 2 items, counted from 0; it has no 2.');
    expect(put('iner.friction')).toBe('parameter "iner.friction": There is no "iner" here. Did you mean "inner"?');
    expect(put('__proto__.polluted')).toContain('There is no "__proto__" here.');
    expect(put('inner.__proto__')).toBe('done');
    expect(Object.getPrototypeOf(data.inner)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
