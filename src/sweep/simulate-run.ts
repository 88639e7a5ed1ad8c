// A simulation as a run of a sweep: from start to end, then what is kept of it. No times of this machine are: the result is the
// same wherever it runs.

import type { Model } from '../files/adapted.js';
import { formatState } from '../formats/state-file.js';
import { ImportError } from '../mechanism/errors.js';
import type { State } from '../mechanism/state.js';
import { MAX_STEPS } from '../scenes/parse-scene.js';
import { RunSummary } from '../scenes/run-summary.js';
import type { SceneWorld } from '../scenes/scene-world.js';
import { StateHash } from '../scenes/state-hash.js';
import { stateColumns } from '../simulation/csv.js';
import { Simulation } from '../simulation/simulation.js';
import type { ModelInput } from './run-input.js';
import type { Json } from './sweep.js';

/** Lines of a series at most. */
const MAX_LINES = 100_000;

/** Where a model alone leaves them out, as "manikin simulate" has it. */
const DEFAULTS = { duration: 2, every: 0.01 };

/** Lines of numbers over time. */
export class RunSeries {
  readonly columns: readonly string[];
  readonly rows: number[][] = [];
  readonly #every: number;

  constructor(every: number, duration: number, columns: readonly string[]) {
    if (duration / every > MAX_LINES)
      throw ImportError.of(
        'option',
        'every',
        `A series of ${Math.ceil(duration / every)} lines is too long; take at least ${duration / MAX_LINES} s.`,
      );
    this.#every = every;
    this.columns = columns;
  }

  /** Whether a line is due at a time; `slack` for times that are sums of steps. */
  due(time: number, slack: number): boolean {
    return time + slack >= this.rows.length * this.#every;
  }
}

const coordinates = ({ mechanism }: State, prefix = ''): string[] => [
  ...stateColumns(mechanism, `${prefix}q `, ({ iq, model }) => [iq, model.nq]),
  ...stateColumns(mechanism, `${prefix}v `, ({ iv, model }) => [iv, model.nv]),
];

const finalState = (name: string, state: State): Json => ({
  name,
  joints: formatState(state)
    .joints.filter(({ q }) => q.length > 0)
    .map(({ name: joint, q, v }) => ({ name: joint, q, v })),
});

/** With contacts. */
export function runWorld(run: SceneWorld, every: number | undefined): Json {
  const { world, duration } = run;
  checkSteps(duration, world.stepSize);
  const summary = new RunSummary(world, run);
  const several = world.members.length > 1;
  const names = world.members.flatMap(({ name, state }) => coordinates(state, several ? `${name} ` : ''));
  const series =
    every === undefined ? undefined : new RunSeries(every, duration, ['time', 'kinetic', 'potential', ...names]);
  const look = (): void => {
    if (series?.due(world.time, 1e-6 * world.stepSize) !== true) return;
    const { kinetic, potential } = world.energy();
    series.rows.push([world.time, kinetic, potential, ...world.members.flatMap(({ state: { q, v } }) => [...q, ...v])]);
  };
  look();
  run.runUntil(duration, () => {
    summary.look(world);
    look();
    return true;
  });
  const { energyStart: start, largestGain, mostContacts: most, deepest, residual, unsolved, steps } = summary.figures;
  const { kinetic, total } = world.energy();
  return {
    time: world.time,
    steps,
    energy: { start, end: total, kinetic, largestGain },
    contacts: { most, deepest, residual, unsolved },
    events: [...run.story],
    warnings: run.warnings.length,
    hash: summary.hash,
    final: world.members.map(({ name, state }) => finalState(name, state)),
    ...(series !== undefined && { series: { columns: series.columns, rows: series.rows } }),
  };
}

/** One mechanism that touches nothing. */
export function runAlone(model: Model, state: State, input: ModelInput): Json {
  const { duration = DEFAULTS.duration, integrator = 'dopri5', engine = 'auto', every } = input;
  const { relative, absolute } = input;
  if ((relative !== undefined || absolute !== undefined) && integrator !== 'dopri5')
    throw ImportError.of('option', '', '"relative" and "absolute" go with the integrator dopri5.');
  const step = input.step ?? (integrator === 'dopri5' ? Math.min(1e-2, Math.max(1e-3, every ?? DEFAULTS.every)) : 1e-3);
  checkSteps(duration, step);
  const tolerances = { ...(relative !== undefined && { relative }), ...(absolute !== undefined && { absolute }) };
  const simulation = new Simulation(model.mechanism, {
    integrator,
    step,
    state,
    tolerances,
    engine,
    onFallback: () => {},
  });
  const begin = simulation.time;
  const total = (): number => {
    const { kinetic, potential } = simulation.energy();
    return kinetic + potential;
  };
  const start = total();
  const series =
    every === undefined
      ? undefined
      : new RunSeries(every, duration, ['time', 'kinetic', 'potential', ...coordinates(simulation.state)]);
  const hash = new StateHash();
  let [steps, largestChange] = [0, 0];
  const look = (): void => {
    const { kinetic, potential } = simulation.energy();
    largestChange = Math.max(largestChange, Math.abs(kinetic + potential - start));
    if (series?.due(simulation.time - begin, 1e-6 * step) === true)
      series.rows.push([simulation.time, kinetic, potential, ...simulation.state.q, ...simulation.state.v]);
  };
  look();
  simulation.runUntil(begin + duration, () => {
    hash.add(simulation.state.q);
    hash.add(simulation.state.v);
    steps++;
    look();
    return true;
  });
  return {
    time: simulation.time,
    steps,
    energy: { start, end: total(), kinetic: simulation.energy().kinetic, largestChange },
    warnings: model.mechanism.warnings.length,
    hash: hash.text,
    final: [finalState(model.mechanism.name, simulation.state)],
    ...(series !== undefined && { series: { columns: series.columns, rows: series.rows } }),
  };
}

function checkSteps(duration: number, step: number): void {
  if (duration / step > MAX_STEPS)
    throw ImportError.of(
      'option',
      'duration',
      `${Math.ceil(duration / step)} steps are too many; take a shorter time or a longer step.`,
    );
}
