// What is made, tried and chosen before threads take part: code for one thread and for several, timed in turn.

import { State } from '../../mechanism/state.js';
import { decide, type Verdict } from '../../schedule/measured-choice.js';
import { processors, reasonForOneThread } from '../../threads/surroundings.js';
import { type CompiledDynamics, reasonForPlain } from '../wasm/compiled.js';
import { copyFinite } from '../wasm/copy-finite.js';
import { loadArrays } from './arrays.js';
import { pause, type TimedCall, timings, warmUp } from './measure.js';
import type { ParallelOptions } from './options.js';
import type { Planner } from './planner.js';
import { ThreadProgram } from './program.js';
import { Team } from './team.js';

/** A number of threads is not tried where so many times the time of one thread is predicted. */
const HOPELESS = 1.15;
/** Milliseconds for the times of what runs on one thread. */
const FIRST = 40;
/** Milliseconds of patience while times are taken: whoever is late shall be waited for. */
const PATIENCE = 1000;

export interface Request {
  readonly serial: CompiledDynamics;
  readonly options: ParallelOptions;
  readonly planner: Planner;
  /** The program of the one cutting for all numbers of threads. */
  readonly fixed: () => ThreadProgram | undefined;
  /** Takes a sentence for `explain()`. */
  readonly note: (note: string) => void;
  /** Whether nobody waits for it any more. */
  readonly stopped: () => boolean;
}

/** Nanoseconds of a step, predicted and measured, on one thread and on several. */
export interface Times {
  readonly predictedSerialNs?: number;
  readonly predictedNs?: number;
  readonly serialNs?: number;
  readonly parallelNs?: number;
}

export interface Prepared {
  readonly team?: Team;
  readonly times: Times;
}

export async function prepare(request: Request): Promise<Prepared> {
  const started: Team[] = [];
  let prepared: Prepared | undefined;
  try {
    prepared = await choose(request, async (program, workers) => {
      const team = await Team.start(program, workers, request.options, request.note);
      started.push(team);
      return team;
    });
    return prepared;
  } finally {
    for (const team of started) if (team !== prepared?.team) team.leave();
  }
}

async function choose(
  request: Request,
  start: (program: ThreadProgram, workers: number) => Promise<Team>,
): Promise<Prepared> {
  const { serial, options, planner, note } = request;
  const reason = reasonForPlain(serial.mechanism) ?? reasonForOneThread();
  if (reason !== undefined) {
    note(`One thread: ${reason}`);
    await serial.ready();
    return { times: {} };
  }
  if (serial.runs('forward').engine === 'plain') {
    note('One thread: WebAssembly cannot be used here.');
    return { times: {} };
  }
  const { deterministic = false, prefer = 'faster', threads: given = 'auto', scheduleFor } = options;
  const most = given === 'auto' ? await processors() : given;
  if (deterministic || (prefer === 'parallel' && given !== 'auto')) {
    await serial.ready();
    if (most < 2 && !deterministic && scheduleFor === undefined) {
      note('One thread: one was asked for.');
      return { times: {} };
    }
    const program = deterministic ? request.fixed() : new ThreadProgram(planner.plan(scheduleFor ?? most));
    if (program === undefined) return { times: {} };
    const team = await start(program, most);
    return { team, times: { predictedNs: program.plan.schedule.ns } };
  }
  // Code for one thread is being made on another one meanwhile.
  const predictedSerialNs = planner.find(1).ns;
  const hopeful = (workers: number): boolean =>
    given !== 'auto' ||
    prefer === 'parallel' ||
    (planner.find(workers).segments > 1 && planner.find(workers).ns < HOPELESS * predictedSerialNs);
  const counts = (given === 'auto' ? powersOfTwo(most) : [most]).filter(
    (count) => count > 1 || scheduleFor !== undefined,
  );
  const first = counts.find(hopeful);
  const trial = first === undefined ? undefined : await start(programFor(request, first), first);
  await serial.ready();
  const trials = new Trials(serial);
  const together = trial && trials.together(trial);
  const one = await trials.alone(together);
  const found = { predictedSerialNs, serialNs: one.ns };
  if (trial === undefined || together === undefined) {
    const predicted = most > 1 ? { predictedNs: planner.find(Math.min(2, most)).ns } : {};
    note(most > 1 ? 'One thread: nothing to gain is predicted for several.' : 'One thread: there is no other.');
    return { times: { ...found, ...predicted } };
  }
  let best = { team: trial, ...(await trials.compare(one, together, trial, predictedSerialNs)) };
  let serialNs = best.one;
  for (const count of counts.slice(counts.indexOf(first!) + 1)) {
    if (request.stopped() || !hopeful(count)) break;
    const team = await start(programFor(request, count), count);
    const task = trials.together(team);
    await warmUp([task.call]);
    const verdict = await trials.compare({ ...one, ns: serialNs }, task, team, predictedSerialNs);
    serialNs = verdict.one;
    if (verdict.several >= best.several) break;
    best = { team, ...verdict };
  }
  const times = {
    predictedSerialNs,
    predictedNs: best.team.program.plan.schedule.ns,
    serialNs,
    parallelNs: best.several,
  };
  best.team.encourage();
  if (best.parallel || prefer === 'parallel') return { team: best.team, times };
  note(`One thread: measured to be faster.${best.busy ? ' Threads came late: the machine may be busy.' : ''}`);
  return { times };
}

function programFor({ planner, options }: Request, workers: number): ThreadProgram {
  return new ThreadProgram(planner.plan(options.scheduleFor ?? workers));
}

/** Ways to compute one state, timed as they will be used. */
class Trials {
  readonly #serial: CompiledDynamics;
  readonly #state: State;
  readonly #out: { readonly out: Float64Array };

  constructor(serial: CompiledDynamics) {
    const { mechanism } = serial;
    this.#serial = serial;
    this.#state = State.random(mechanism, 1);
    this.#out = { out: new Float64Array(mechanism.nv) };
  }

  /** One thread; another task gets warm on the way. */
  async alone(other: TimedCall | undefined): Promise<{ task: TimedCall; ns: number }> {
    const task = { call: () => void this.#serial.forward(this.#state, undefined, this.#out) };
    await warmUp([task, ...(other === undefined ? [] : [other])].map(({ call }) => call));
    const [{ ns }] = timings([task], { milliseconds: FIRST });
    return { task, ns };
  }

  /** One thread against a team whose code is warm. */
  async compare(
    { task, ns }: { task: TimedCall; ns: number },
    together: TimedCall,
    team: Team,
    predictedSerialNs: number,
  ): Promise<Verdict> {
    return decide({
      measure: (milliseconds) => {
        const [single, several] = timings([task, together], { milliseconds });
        return { one: single.ns, several: several.ns };
      },
      rest: async (milliseconds) => {
        await pause(milliseconds);
        await warmUp([task.call, together.call], milliseconds);
      },
      predicted: { one: predictedSerialNs, several: team.program.plan.schedule.ns },
      one: ns,
    });
  }

  /** A team's steps. Threads that have fallen asleep meanwhile are woken before. */
  together(team: Team): TimedCall {
    const call = this.#together(team);
    const before = (): void => {
      for (let k = 0; k < 100; k++) {
        call();
        if (team.place === undefined || team.place.runner.stolen === 0) break;
      }
    };
    return { call, before };
  }

  /** What cannot be done takes long: it shall not be chosen for its speed. */
  #together(team: Team): () => void {
    const { mechanism } = this.#serial;
    const state = this.#state;
    const { out } = this.#out;
    return () => {
      const { place } = team;
      if (place !== undefined) {
        const { arrays, pool, job, runner } = place;
        loadArrays(mechanism, arrays, state);
        const good = pool.step(job, runner, PATIENCE);
        copyFinite(out, arrays.qdd);
        if (good) return;
      }
      for (const until = performance.now() + 1; performance.now() < until; );
    };
  }
}

/** 2, 4, 8, ... and the number itself. */
export function powersOfTwo(most: number): number[] {
  const counts: number[] = [];
  for (let n = 2; n < most; n *= 2) counts.push(n);
  counts.push(most);
  return counts;
}
