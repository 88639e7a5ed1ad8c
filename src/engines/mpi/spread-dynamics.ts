// Forward dynamics of one mechanism spread over ranks: every rank has the same state, computes its own segments and is told
// the accelerations of all others. What else there is to compute each rank computes by itself.

import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { ENGINE_CONSTANTS, type EngineConstants } from '../../schedule/cost.js';
import { messageNs } from '../../schedule/rank-constants.js';
import type { Engine, FunctionName, Runs } from '../engine.js';
import { turnsTooFar } from '../plain/large-angles.js';
import type { ForwardOptions, PlainDynamics } from '../plain/plain-dynamics.js';
import { type Arrays, loadArrays } from '../threads/arrays.js';
import { Planner } from '../threads/planner.js';
import { ThreadProgram } from '../threads/program.js';
import { CompiledDynamics, reasonForPlain } from '../wasm/compiled.js';
import { copyFinite } from '../wasm/copy-finite.js';
import { hasWebAssembly } from '../wasm/webassembly.js';
import type { BegunMpi } from './library.js';
import { gatherProgram, type OwnedRanges, ownedRanges, processRanges, rankProgram } from './messages.js';
import type { MpiTransport } from './mpi-transport.js';
import { RankRunner } from './rank-runner.js';
import { RankThreads } from './rank-threads.js';
import type { Transport } from './transport.js';

/** Where nothing has been measured: messages between processes of one machine take a little over half a microsecond. */
export const RANK_CONSTANTS: EngineConstants = {
  ...ENGINE_CONSTANTS,
  ranks: {
    messages: [
      { bytes: 64, ns: 700 },
      { bytes: 4096, ns: 1600 },
      { bytes: 1_048_576, ns: 250_000 },
    ],
    instructions: [{ links: 1, ns: ENGINE_CONSTANTS.instruction }],
  },
};

/** The same where ranks of one machine share memory: a record takes what it takes between threads. */
export const HOST_CONSTANTS: EngineConstants = {
  ...ENGINE_CONSTANTS,
  ranks: {
    messages: [
      { bytes: 8, ns: 75 },
      { bytes: 64, ns: 100 },
      { bytes: 512, ns: 215 },
      { bytes: 4096, ns: 940 },
      { bytes: 1_048_576, ns: 250_000 },
    ],
    instructions: [{ links: 1, ns: ENGINE_CONSTANTS.instruction }],
  },
};

/** Segments of the cutting that all numbers of ranks share, as threads have it. */
const COMMON = 8;
/** Ranks that one schedule is made for, at most. */
const MOST_RANKS = 64;

/** How a mechanism is spread over ranks. */
export interface SpreadOptions {
  /** One way of cutting for all numbers of ranks, and that one always: the same bits, those of threads included. */
  readonly deterministic?: boolean;
  /** Cut for so many ranks, however many there are. The same bits for all of them. */
  readonly scheduleFor?: number;
  /** 'faster' (the default) cuts less, or does not spread at all, where that is predicted to take less time; 'parallel' always does. */
  readonly prefer?: 'faster' | 'parallel';
  /** Threads inside each rank, its own included; 1 where left out. The first call of `mpi` must ask for them. */
  readonly threads?: number;
  /** Costs that cuts are chosen by, as `manikin calibrate --mpi` measures them. */
  readonly constants?: EngineConstants;
}

/** The part of a step that is this rank's, on arrays in place. */
export interface RankPart {
  readonly arrays: Arrays;
  /** Coordinates of this rank's joints. */
  readonly owned: OwnedRanges;
  /** Accelerations of its own joints. */
  step(): void;
  /** Those of all others too. */
  gather(): void;
  /** Positions and velocities of all joints, from whoever they belong to. */
  gatherState(): void;
}

export class SpreadDynamics implements Engine {
  readonly mechanism: Mechanism;
  readonly #plain: PlainDynamics;
  #serial: CompiledDynamics | undefined;
  /** Nanoseconds of a step, predicted: spread over so many ranks, and on one. */
  readonly predicted: { readonly ranks: number; readonly spreadNs: number; readonly aloneNs: number } | undefined;
  readonly #reason: string | undefined;
  readonly #fewer: string | undefined;
  readonly #ranks: number;
  readonly #name: string;
  #part: (RankPart & { close(): void }) | undefined;

  constructor(
    mechanism: Mechanism,
    transport: Transport,
    options: SpreadOptions,
    plain: PlainDynamics,
    implementation: string,
    /** The state stays spread: nobody is told the accelerations of others. */
    stays = false,
    mpi?: BegunMpi,
  ) {
    const { ranks } = transport;
    const { deterministic = false, prefer = 'faster', threads = 1 } = options;
    const { scheduleFor = deterministic ? COMMON : undefined } = options;
    if (scheduleFor !== undefined && !(Number.isInteger(scheduleFor) && scheduleFor >= 1 && scheduleFor <= MOST_RANKS))
      throw MechanismError.of(
        'ranks',
        'scheduleFor',
        `Expected a whole number from 1 to ${MOST_RANKS}, got ${scheduleFor}.`,
      );
    this.mechanism = mechanism;
    this.#ranks = ranks;
    this.#name = implementation;
    this.#plain = plain;
    const reason = reasonForPlain(mechanism);
    if (reason !== undefined || mechanism.nv === 0 || !hasWebAssembly()) {
      this.#reason = reason ?? 'WebAssembly cannot be used here.';
      return;
    }
    // A fixed cutting must not depend on what was measured here: threads take the same.
    const constants = scheduleFor !== undefined ? ENGINE_CONSTANTS : (options.constants ?? RANK_CONSTANTS);
    const { ranks: between } = constants;
    const planner = new Planner(
      mechanism,
      between === undefined ? constants : { ...constants, ranks: { ...between, threads } },
    );
    const most = Math.min(threads * ranks, MOST_RANKS);
    /** With what it takes to tell all accelerations to everybody: messages are under way together, their numbers are not. */
    const timeOf = (count: number): number => {
      const { ns } = planner.find(count);
      if (stays || ranks === 1 || between === undefined) return ns;
      const [first, whole] = [8, (8 * mechanism.nv) / Math.min(ranks, count)].map((bytes) => messageNs(between, bytes));
      return ns + first + (ranks - 1) * (whole - first);
    };
    let best = scheduleFor ?? most;
    const aloneNs = planner.find(1).ns;
    if (scheduleFor === undefined && prefer === 'faster')
      for (let count = most >> 1; count >= 2; count >>= 1) if (timeOf(count) < timeOf(best)) best = count;
    const spreadNs = timeOf(best);
    const schedule = planner.find(best);
    this.predicted = { ranks: best, spreadNs, aloneNs };
    const over = threads === 1 ? `${ranks} ranks` : `${ranks} ranks of ${threads} threads`;
    const us = (ns: number): string => `${(ns / 1000).toFixed(1)} us`;
    if (scheduleFor === undefined && prefer === 'faster' && !(spreadNs < aloneNs && schedule.segments > 1)) {
      this.#reason =
        most === 1
          ? 'there is one rank.'
          : `not spread over ${over}: ${schedule.segments > 1 ? `${us(spreadNs)} against ${us(aloneNs)} of one` : `messages would take longer than ${us(aloneNs)} of one saves`}, predicted.`;
      return;
    }
    if (best < most && scheduleFor === undefined)
      this.#fewer = `Cut for ${best} of ${over}: ${us(spreadNs)} predicted, ${us(timeOf(most))} with all.`;
    const inner = threads > 1 && mpi !== undefined ? { mpi, threads } : undefined;
    this.#part = rankPart(new ThreadProgram(planner.build(schedule)), transport, inner);
  }

  /** What every rank computes by itself; its code, which takes seconds for the longest chains, is made where somebody asks for it. */
  get serial(): CompiledDynamics {
    this.#serial ??= new CompiledDynamics(this.mechanism, {}, this.#plain);
    return this.#serial;
  }

  /** Where this rank's part stands; undefined where nothing is spread. */
  get part(): RankPart | undefined {
    return this.#part;
  }

  forward(state: State, tau?: Float64Array, options?: ForwardOptions): Float64Array {
    const part = this.#part;
    const special =
      options !== undefined &&
      (options.external !== undefined ||
        options.jointForces !== undefined ||
        options.armature !== undefined ||
        options.algorithm !== undefined ||
        options.schedule !== undefined);
    if (part === undefined || special || turnsTooFar(this.mechanism, state.q))
      return this.serial.forward(state, tau, options);
    const { arrays } = part;
    loadArrays(this.mechanism, arrays, state, tau, options);
    part.step();
    part.gather();
    const out = options?.out ?? new Float64Array(this.mechanism.nv);
    // Where something is wrong the readable algorithm finds out what and says it.
    return copyFinite(out, arrays.qdd) ? out : this.#plain.forward(state, tau, options);
  }

  runs(name: FunctionName): Runs {
    if (name === 'forward' && this.#part !== undefined) return { engine: 'mpi' };
    const serial = this.serial.runs(name);
    return name === 'forward' && this.#reason !== undefined ? { ...serial, reason: this.#reason } : serial;
  }

  get notes(): readonly string[] {
    return [
      `${this.#ranks} ranks, ${this.#name}.`,
      ...(this.#reason === undefined ? [] : [`Every rank computes all of it: ${this.#reason}`]),
      ...(this.#fewer === undefined ? [] : [this.#fewer]),
    ];
  }

  /** Code is made at once; where nothing is spread, the code for one thread. */
  async ready(name: FunctionName): Promise<void> {
    if (this.#part === undefined || name !== 'forward') await this.serial.ready(name);
  }

  dispose(): void {
    this.#part?.close();
    this.#part = undefined;
    this.#serial?.dispose();
  }
}

/** Threads inside each rank, and the MPI that they call. */
export interface InnerThreads {
  readonly mpi: BegunMpi;
  readonly threads: number;
}

/** A rank's memory and what it does there. */
export function rankPart(
  program: ThreadProgram,
  transport: Transport,
  inner?: InnerThreads,
): RankPart & { close(): void } {
  const { ranks, rank } = transport;
  const threads = inner?.threads ?? 1;
  const place = program.instance(threads > 1);
  const owned = processRanges(ownedRanges(program, threads * ranks), threads);
  const step =
    threads > 1
      ? new RankThreads(program, place, transport as MpiTransport, inner!.mpi, threads)
      : new RankRunner(rankProgram(program, ranks, transport.relays), place, transport);
  const { made } = program;
  const gathering = (arrays: Parameters<typeof gatherProgram>[1]): RankRunner =>
    new RankRunner(gatherProgram(owned, arrays), place, transport);
  const gather = gathering([{ at: made.qdd, of: 'v' }]);
  const gatherState = gathering([
    { at: made.q, of: 'q' },
    { at: made.v, of: 'v' },
  ]);
  return {
    arrays: place.arrays,
    owned: owned[rank],
    step: () => step.step(),
    gather: () => gather.step(),
    gatherState: () => gatherState.step(),
    close: () => {
      for (const runner of [step, gather, gatherState]) runner.close();
    },
  };
}
