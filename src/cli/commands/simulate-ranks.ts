// simulate --mpi: one mechanism that touches nothing, spread over ranks, which stays spread between its checkpoints.

import { dynamics } from '../../dynamics/dynamics.js';
import type { Model } from '../../files/adapted.js';
import { formatJson } from '../../formats/json-writer.js';
import { formatState, parseState } from '../../formats/state-file.js';
import type { State } from '../../mechanism/state.js';
import { MAX_STEPS } from '../../scenes/parse-scene.js';
import { InputError } from '../errors.js';
import { readInputText } from '../input-file.js';
import { writeOutput } from '../output-file.js';
import { type RanksOptions, startRanks } from '../ranks-option.js';
import { formatNumber, Progress, type Terminal } from '../terminal.js';

export interface RanksRunOptions extends RanksOptions {
  readonly duration?: number;
  readonly step?: number;
  readonly every?: number;
  readonly checkpoint?: string;
  readonly resume?: string;
  readonly json?: boolean;
}

/** Seconds, where nothing else is said: how long, of a step, between checkpoints. */
const [DURATION, STEP, EVERY] = [2, 1e-3, 1];

export async function simulateByRanks(
  name: string,
  { mechanism }: Model,
  given: State,
  options: RanksRunOptions,
  everyone: Terminal,
): Promise<void> {
  const { duration = DURATION, step = STEP, every = EVERY, checkpoint, resume } = options;
  const start = resume === undefined ? given : parseState(readInputText(resume), mechanism, { file: resume }).state;
  const first = start.time;
  const total = Math.round((duration - first) / step);
  const done = Math.round(first / step);
  const whole = Math.abs(first - done * step) < 1e-6 * step;
  if (total > MAX_STEPS) throw new InputError(`${total} steps are too many; take a shorter time or a longer step.`);
  if (total < 1) throw new InputError(`It is at ${formatNumber(first)} s already; give a --duration above that.`);
  const { ranks, terminal, about } = await startRanks(options, everyone);
  const { steps, reason, notes } = ranks.simulate(start);
  if (reason !== undefined && ranks.ranks > 1) terminal.err(`Rank 0 computes all of it: ${reason}\n`);
  for (const note of notes) if (note.startsWith('Cut for')) terminal.err(`${note}\n`);
  // Open MPI names the rank of a process that dies, MPICH its number.
  const processes = ranks.gather(Float64Array.of(process.pid));
  if (ranks.ranks > 1 && about.implementation.startsWith('MPICH'))
    terminal.err(`Processes of the ranks, from 0 on: ${processes.join(', ')}.\n`);
  const speaks = ranks.rank === 0;
  const save = (): void => {
    steps.gather();
    if (speaks && checkpoint !== undefined) writeOutput(checkpoint, `${formatJson(formatState(steps.state))}\n`);
  };
  const between = Math.max(1, Math.round(every / step));
  const progress = new Progress(terminal, `Simulating ${name}`);
  const began = performance.now();
  for (let k = 1; k <= total; k++) {
    steps.step(step);
    // Not the sum of rounded steps: a run that was resumed has the times of one in one piece.
    steps.state.time = whole ? (done + k) * step : first + k * step;
    if (k % between === 0 && k < total) save();
    progress.update(k / total, `${steps.state.time.toFixed(2)} s`);
  }
  save();
  const seconds = (performance.now() - began) / 1000;
  progress.finish();
  const hash = steps.hash();
  if (!speaks) return;
  // Twice, which is not worth making code for.
  const plain = dynamics(mechanism, { engine: 'plain' });
  const [before, after] = [start, steps.state].map((state) => {
    const { kinetic, potential } = plain.energy(state);
    return { time: state.time, kinetic, potential };
  });
  const stepNs = Math.round((1e9 * seconds) / total);
  const realTimeFactor = (total * step) / seconds;
  const files = checkpoint === undefined ? [] : [checkpoint];
  if (options.json === true) {
    const energy = { start: before, end: after };
    const { time } = steps.state;
    const summary = {
      model: name,
      integrator: 'rk4',
      step,
      ...about,
      time,
      steps: total,
      stepNs,
      realTimeFactor,
      energy,
    };
    terminal.out(`${formatJson({ ...summary, hash, files, ...formatState(steps.state) })}\n`);
    return;
  }
  const joules = ({ kinetic, potential }: { kinetic: number; potential: number }): string =>
    `kinetic ${formatNumber(kinetic)} J, potential ${formatNumber(potential)} J, total ${formatNumber(kinetic + potential)} J`;
  terminal.out(
    `${[
      `${name}: ${mechanism.bodies.length} bodies on ${about.ranks} ranks of ${about.implementation}`,
      `simulated ${formatNumber(total * step)} s in ${formatNumber(Number(seconds.toPrecision(3)))} s (rk4, step ${formatNumber(step)} s): ${formatNumber(stepNs / 1000)} us a step`,
      `energy at the start: ${joules(before)}`,
      `energy at the end:   ${joules(after)}`,
      `hash of all states: ${hash}`,
      ...files.map((file) => `written: ${file}`),
    ].join('\n')}\n`,
  );
}
