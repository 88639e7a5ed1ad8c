// The door of MPI: `mpi()` begins it and gives the ranks that `dynamics` and `Simulation` take.

import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import type { EngineConstants } from '../../schedule/cost.js';
import { allProcessors } from '../../threads/surroundings.js';
import type { Ranks } from '../engine.js';
import { PlainDynamics } from '../plain/plain-dynamics.js';
import type { ThreadProgram } from '../threads/program.js';
import { localRanks, type ProcessEnvironment } from './environment.js';
import { hostMemory } from './host-memory.js';
import { hostTransport } from './host-transport.js';
import { loadMpi, type MpiLibrary } from './library.js';
import { MpiTransport } from './mpi-transport.js';
import { partByHydra } from './part-by-hydra.js';
import { HOST_CONSTANTS, RANK_CONSTANTS, rankPart, SpreadDynamics, type SpreadOptions } from './spread-dynamics.js';
import { SpreadSteps } from './spread-steps.js';
import type { Transport } from './transport.js';

interface NodeProcess {
  readonly env: ProcessEnvironment;
  readonly version: string;
  once(event: 'exit', listener: (code: number) => void): void;
  once(event: 'uncaughtExceptionMonitor', listener: (error: unknown) => void): void;
}

/** Threads inside a rank, at most. */
const MOST_THREADS = 64;

/** `direct`: by messages of MPI, whatever the transport of records is. */
interface Begun {
  readonly library: MpiLibrary;
  readonly direct: MpiTransport;
  readonly transport: Transport;
}

let begun: Promise<Begun> | undefined;

/**
 * The ranks that mpirun has started, this process being one of them. All of them run the same program:
 *
 *     const ranks = await mpi();
 *     const qdd = dynamics(mechanism, { ranks }).forward(state, tau);
 *     if (ranks.rank === 0) console.log(qdd);
 *
 * MPI ends with the process; a rank that fails says so and ends all others.
 */
export async function mpi(options: SpreadOptions = {}): Promise<MpiRanks> {
  const { threads = 1 } = options;
  if (!(Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS))
    throw MechanismError.of('ranks', 'threads', `Expected a whole number from 1 to ${MOST_THREADS}, got ${threads}.`);
  begun ??= begin(threads);
  const all = await begun;
  const { library } = all;
  if (threads > 1 && !library.threads)
    throw MechanismError.of('ranks', 'threads', 'MPI has begun for one thread: ask for threads in the first call.');
  return new MpiRanks(all, options);
}

async function begin(threads: number): Promise<Begun> {
  const node = (globalThis as unknown as { process?: NodeProcess }).process;
  const env = node?.env ?? {};
  const library = await loadMpi(env, threads > 1);
  const here = localRanks(env);
  const inTurns = threads * here > (await allProcessors());
  const direct = new MpiTransport(library, inTurns ? 'in turns' : here < library.ranks ? 'far' : 'near');
  // Nothing is printed any more once the job has been ended.
  node!.once('uncaughtExceptionMonitor', (error) => console.error(error));
  node!.once('exit', (code) => {
    if (code === 0) {
      if (!(here < library.ranks && partByHydra(library, env))) library.finalize();
    } else {
      console.error(`Rank ${library.rank} of ${library.ranks} has failed (exit code ${code}): the job ends.`);
      library.abort(code);
    }
  });
  const ranks = new MpiRanks({ library, direct, transport: direct }, {});
  // Threads call MPI each for itself.
  const sharing = threads === 1 && here === library.ranks && here > 1 && env.MANIKIN_MPI_MESSAGES === undefined;
  ranks.agree(`Node ${node!.version} ${sharing}`);
  const memory = sharing ? hostMemory(ranks, library) : undefined;
  return { library, direct, transport: memory === undefined ? direct : hostTransport(memory, direct) };
}

/** Made by `mpi()`. */
export class MpiRanks implements Ranks {
  readonly rank: number;
  readonly ranks: number;
  /** Whose MPI it is, with its version. */
  readonly implementation: string;
  /**
   * How records travel.
   * @internal
   */
  readonly transport: Transport;
  readonly #begun: Begun;
  readonly #library: MpiLibrary;
  readonly #options: SpreadOptions;

  /** Use `mpi()`. */
  constructor(begun: Begun, options: SpreadOptions) {
    const { library, transport } = begun;
    this.#begun = begun;
    this.#library = library;
    this.rank = library.rank;
    this.ranks = library.ranks;
    this.implementation = library.version;
    this.transport = transport;
    this.#options = options;
  }

  /**
   * For `dynamics`.
   * @internal
   */
  engine(
    mechanism: Mechanism,
    plain: PlainDynamics = new PlainDynamics(mechanism),
    deterministic?: boolean,
    stays = false,
  ): SpreadDynamics {
    const { name, nq, nv, bodies } = mechanism;
    const { constants } = this;
    const options = { ...this.#options, constants, ...(deterministic !== undefined && { deterministic }) };
    const { scheduleFor, deterministic: fixed } = options;
    this.agree(
      `${name} ${nq} ${nv} ${bodies.length} ${scheduleFor} ${fixed} ${options.threads} ${this.transport.relays} ${JSON.stringify(constants)}`,
    );
    return new SpreadDynamics(mechanism, this.transport, options, plain, this.implementation, stays, this.#library);
  }

  /**
   * Steps of a mechanism that stays spread, in Runge-Kutta's classical method: every rank moves its own joints. Where spreading
   * it does not pay rank 0 moves them all, and `reason` says why.
   */
  simulate(state: State): {
    readonly steps: SpreadSteps;
    readonly reason: string | undefined;
    readonly notes: readonly string[];
  } {
    const { mechanism } = state;
    const spread = this.engine(mechanism, undefined, undefined, true);
    const { reason } = spread.runs('forward');
    const { part = this.with({ scheduleFor: 1, threads: 1 }).engine(mechanism).part } = spread;
    if (part === undefined) throw MechanismError.of('ranks', '', `It cannot be spread: ${reason ?? ''}`);
    return { steps: new SpreadSteps(state, part), reason, notes: spread.notes };
  }

  /**
   * What this rank does of a program, by its threads.
   * @internal
   */
  part(program: ThreadProgram): ReturnType<typeof rankPart> {
    const { threads = 1 } = this.#options;
    return rankPart(program, this.transport, threads > 1 ? { mpi: this.#library, threads } : undefined);
  }

  /** All ranks are on one machine and hand records over in memory that they share. */
  get sharesMemory(): boolean {
    return this.transport !== this.#begun.direct;
  }

  /** Costs that cuts are chosen by. */
  get constants(): EngineConstants {
    return this.#options.constants ?? (this.sharesMemory ? HOST_CONSTANTS : RANK_CONSTANTS);
  }

  /** The same ranks with other options. */
  with(options: SpreadOptions): MpiRanks {
    return new MpiRanks(this.#begun, { ...this.#options, ...options });
  }

  /** Done when all ranks have come here. */
  barrier(): void {
    this.#library.barrier();
  }

  /** The same numbers of every rank, in the order of ranks. */
  gather(numbers: Float64Array): Float64Array {
    const all = new Float64Array(new ArrayBuffer(8 * numbers.length * this.ranks));
    const own = new Float64Array(new ArrayBuffer(8 * numbers.length));
    own.set(numbers);
    this.#library.gather(own, all);
    return all;
  }

  /** A text of rank 0 on all ranks. */
  tellText(text: string): string {
    const codes = Float64Array.from(text, (letter) => letter.codePointAt(0)!);
    const [length] = this.tell(Float64Array.of(codes.length));
    const all = this.tell(this.rank === 0 ? codes : new Float64Array(length));
    return Array.from(all, (code) => String.fromCodePoint(code)).join('');
  }

  /** Numbers of rank 0 on all ranks; those that wait for them sleep. */
  tell(numbers: Float64Array): Float64Array {
    const data = new Float64Array(new ArrayBuffer(8 * numbers.length));
    data.set(numbers);
    const others = Array.from({ length: this.ranks - 1 }, (_, k) => k + 1);
    const channels = this.#begun.direct.open(others.map((to) => ({ from: 0, to, count: data.length, data })));
    channels.begin();
    if (this.rank === 0) for (const k of others.keys()) channels.send(k);
    else while (!channels.arrived(this.rank - 1)) this.#library.sleep();
    while (!channels.sent()) this.#library.yield();
    channels.close();
    return data;
  }

  /** All ranks must say the same here: an error on those that do not, which ends the job before anything is wrong. */
  agree(text: string): void {
    const all = this.gather(Float64Array.from([...new TextEncoder().encode(text)].reduce(fold, [7, 11])));
    for (let rank = 1; rank < this.ranks; rank++)
      if (all[2 * rank] !== all[0] || all[2 * rank + 1] !== all[1])
        throw MechanismError.of('mpi', '', `Rank ${rank} was not asked for the same as rank 0 (${text.slice(0, 80)}).`);
  }
}

/** Two halves of a hash (FNV-1a). */
function fold([a, b]: readonly number[], byte: number): number[] {
  return [Math.imul(a ^ byte, 0x01000193), Math.imul(b ^ (byte + 1), 0x01000193)];
}
