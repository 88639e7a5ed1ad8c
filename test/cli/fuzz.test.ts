// Words of the command line that make no sense, or little: a result or a refusal, never a stack. Options are those that the commands
// themselves declare. A long run: MANIKIN_FUZZ_RUNS=3000 npx vitest run test/cli/fuzz.test.ts.

import type { Option } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { gaitBvh } from '../motion/gait.js';
import { PATIENCE } from '../support/patience.js';
import { ARM, manikin, temporaryFolder } from './support.js';

const RUNS = Number(process.env.MANIKIN_FUZZ_RUNS ?? 20);
const files = temporaryFolder();

/** Those that neither measure for long nor serve. */
const COMMANDS = [
  'info',
  'describe',
  'fd',
  'id',
  'mass-matrix',
  'energy',
  'frames',
  'derivatives',
  'ik',
  'simulate',
  'sweep',
  'inverse',
  'reroot',
  'schedule',
  'completion',
  'models',
];

const SCENE = { mechanisms: [{ model: { kind: 'box', size: [0.2, 0.2, 0.2] }, at: [0, 0, 1] }], ground: true };
const INPUTS = [
  'chain-2',
  'compass',
  'chain-2-spherical',
  'human-3',
  'slope',
  'nothing',
  '',
  '-',
  '--',
  '\u0000',
  '../..',
  '/dev/null',
  files.path('.'),
  files.write('arm.urdf', ARM),
  files.write('scene.json', SCENE),
  files.write('sweep.json', { run: { simulate: SCENE, duration: 0.01 }, parameters: { 'scene.step': [0.001, 0.002] } }),
  files.write('state.json', { joints: [{ name: 'joint_1', q: [0.3] }] }),
  files.write('cut.json', '{"mechanisms": ['),
  files.write('bom.json', `\uFEFF${JSON.stringify(SCENE)}`),
  files.write('empty.bvh', ''),
  files.write('binary.c3d', '\u0002P\u0000\u0000'),
  files.write('model.xml', '<mujoco/>'),
  files.write('walk.bvh', gaitBvh({ seconds: 0.3 })),
  'bash',
  files.path('missing.urdf'),
];
const GOOD = INPUTS.filter((word) =>
  /^(?:chain|compass|slope)|(?:arm\.urdf|scene\.json|sweep\.json|walk\.bvh|bash)$/.test(word),
);
const WORDS = [
  '0',
  '1',
  '2',
  '-1',
  '0.01',
  '1e-300',
  '1e999',
  'NaN',
  '0x10',
  '',
  ' ',
  '1,2,3',
  '3/2',
  'link_1',
  'joint_1',
  'aba',
];
/** Without these nothing is good. */
const FIRST = new Map([
  ['ik', ['--frame', 'link_2', '--position', '0.1,0.1,-1']],
  ['reroot', ['--top', 'link_2', '--at', '0,0,0', '--joint', 'fixed']],
]);
/** So that it ends soon, and writes nothing elsewhere. */
const ALWAYS = new Map([
  ['simulate', ['--duration', '0.02']],
  ['schedule', ['--budget', '50', '--procs', '2']],
  ['sweep', ['--out', files.path('sweep')]],
]);
/** Nothing is written but here. */
const OUTPUTS = ['a.csv', 'a.parquet', 'b/c.svg', 'state.json/x', '.'].map((name) => files.path(name));

function wordsOf({ flags, argChoices }: Option): fc.Arbitrary<string[]> {
  const [short, long] = flags.split(/[ ,|]+/);
  const name = long?.startsWith('--') ? long : short;
  if (!/[<[]/.test(flags)) return fc.constant([name]);
  const writes = /^--(?:csv|svg|html|record|checkpoint|out|urdf|mjcf|collect|bifurcation)/.test(name);
  const choice = argChoices === undefined ? [] : [fc.constantFrom(...argChoices)];
  const value = writes
    ? fc.constantFrom(...OUTPUTS, '/dev/null', '/dev/full')
    : fc.oneof(...choice, fc.constantFrom(...WORDS), fc.constantFrom(...INPUTS));
  return value.map((word) => [name, word]);
}

describe('words that make no sense', () => {
  it.each(COMMANDS)('%s', { timeout: PATIENCE + RUNS * 2000 }, async (name) => {
    const program = await createProgram([name], {
      out: () => {},
      err: () => {},
      interactive: false,
      signal: new AbortController().signal,
    });
    const command = program.commands.find((one) => one.name() === name)!;
    // Those open other programs, or take as long as they are told to.
    const options = command.options.filter(
      ({ long }) => !['--mpi', '--queue', '--run', '--processors'].includes(long!),
    );
    const given = fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...GOOD).map((word) => [word]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...INPUTS), { maxLength: 2 }) },
    );
    const chosen =
      options.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...options.map(wordsOf)), { maxLength: 3 });
    const words = fc
      .tuple(given, chosen)
      .map(([inputs, list]) => [name, ...(FIRST.get(name) ?? []), ...inputs, ...list.flat()]);
    const codes = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(words, async (list) => {
        const { code, out, err } = await manikin(...list, ...(ALWAYS.get(name) ?? []));
        codes.set(code, (codes.get(code) ?? 0) + 1);
        expect([0, 1, 2]).toContain(code);
        expect(err).not.toMatch(/\n\s+at |Unexpected error|undefined|\[object/);
        if (code !== 0 && !list.includes('--json')) expect(err).not.toBe('');
        if (code === 0 && list.includes('--json') && out.startsWith('{')) JSON.parse(out);
      }),
      { numRuns: RUNS },
    );
    if (RUNS > 500) console.log(name, JSON.stringify(Object.fromEntries(codes)));
  });
});
