// Sweep files: read and checked as far as they can be without the scenes and models that they name.

import { ImportLog, quoted } from '../formats/import-log.js';
import { parseJson } from '../formats/json-reader.js';
import { nearNames } from '../mechanism/near-names.js';
import { pathOf, SchemaCheck } from '../scenes/check-schema.js';
import { parsePath } from './path.js';
import { INVERSE_OPTIONS, MAX_RUNS, MODEL_OPTIONS, SWEEP_SCHEMA, TIMES } from './schema.js';
import type { Sweep, SweepValues } from './sweep.js';

/** Options that parameters may change. */
const SIMULATE_NAMES = ['simulate', 'scene', 'every', ...Object.keys(TIMES), ...Object.keys(MODEL_OPTIONS)];
const INVERSE_NAMES = ['inverse', ...Object.keys(INVERSE_OPTIONS)];

/** Reads a sweep file, or data that came from one. An ImportError lists every mistake with its place. */
export function parseSweep(source: string | object, options: { readonly file?: string } = {}): Sweep {
  const log = new ImportLog(options.file);
  const data = typeof source === 'string' ? parseJson(source, log) : structuredClone(source);
  const check = new SchemaCheck(SWEEP_SCHEMA, log);
  check.check(data);
  log.throwIfBroken();
  const sweep = data as Sweep;
  checkParameters(sweep, check);
  log.throwIfBroken();
  return sweep;
}

export const isDraw = (values: SweepValues): values is Extract<SweepValues, { random: unknown }> => 'random' in values;

/** How many values a parameter takes for one seed. */
export const countOf = (values: SweepValues): number =>
  isDraw(values) ? 1 : 'count' in values ? values.count : values.length;

export const seedCount = ({ seeds }: Sweep): number =>
  seeds === undefined ? 1 : typeof seeds === 'number' ? seeds : 'count' in seeds ? seeds.count : seeds.length;

/** What a schema cannot say. */
function checkParameters(sweep: Sweep, check: SchemaCheck): void {
  const { run, parameters = {}, cases = [], seeds } = sweep;
  const names = 'inverse' in run ? INVERSE_NAMES : SIMULATE_NAMES;
  const checkName = (name: string, path: string): void => {
    const steps = parsePath(name);
    if (steps === undefined)
      check.error(path, 'Expected an option ("duration") or a place ("scene.mechanisms[0].velocity[2]").');
    else if (steps[0] === 'seed' && seeds !== undefined)
      check.error(path, 'Seeds are given by "seeds" already; leave one of them out.');
    else if (!names.includes(String(steps[0])))
      check.error(path, `There is no ${quoted(String(steps[0]))} to change. ${nearNames(String(steps[0]), names)}`);
    else if (steps[0] === 'scene' && steps.length === 1)
      check.error(path, 'Say which part of the scene ("scene.ground.friction"), or change "simulate".');
  };
  let draws = 0;
  for (const [name, values] of Object.entries(parameters)) {
    const path = pathOf('parameters', name);
    checkName(name, path);
    if (isDraw(values)) draws++;
    checkScale(values, path, check);
  }
  cases.forEach((values, k) => {
    for (const name of Object.keys(values)) {
      const path = pathOf(`cases[${k}]`, name);
      if (Object.hasOwn(parameters, name))
        check.error(path, 'It is among the parameters already; leave one of them out.');
      else checkName(name, path);
    }
  });
  if (draws > 0 && seeds === undefined)
    check.error('seeds', 'Random parameters are drawn for each seed: say how many seeds ("seeds": 100).');
  if (seeds !== undefined && 'seed' in run)
    check.error('run.seed', 'Seeds are given by "seeds" already; leave it out.');
  if (seeds !== undefined && 'inverse' in run && draws === 0)
    check.error('seeds', 'Seeds change nothing here: no parameter is random.');
  if (Array.isArray(seeds) && new Set(seeds).size < seeds.length)
    check.error(
      'seeds',
      `The seed ${quoted(String(seeds.find((one, k) => seeds.indexOf(one) < k)))} stands here twice.`,
    );
  const runs = Object.values(parameters).reduce(
    (product, values) => product * countOf(values),
    Math.max(1, cases.length) * seedCount(sweep),
  );
  if (runs > MAX_RUNS) check.error('', `These are ${runs} runs; at most ${MAX_RUNS} are made of one sweep.`);
}

function checkScale(values: SweepValues, path: string, check: SchemaCheck): void {
  if (!('scale' in values) || values.scale !== 'log') return;
  const [low, high] = isDraw(values) ? values.random : [values.from, values.to];
  if (!(low > 0 && high > 0)) check.error(path, 'A logarithmic scale needs numbers above zero.');
}
