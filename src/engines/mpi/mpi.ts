// The door of MPI: `mpi()` begins it and gives the ranks that `dynamics` and `Simulation` take.

import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { allProcessors } from '../../threads/surroundings.js';
import type { Ranks } from '../engine.js';
import { PlainDynamics } from '../plain/plain-dynamics.js';
import { localRanks, type ProcessEnvironment } from './environment.js';
import { loadMpi, type MpiLibrary } from './library.js';
import { MpiTransport } from './mpi-transport.js';
import { SpreadDynamics, type SpreadOptions } from './spread-dynamics.js';
import { SpreadSteps } from './spread-steps.js';
import type { Transport } from './transport.js';

interface NodeProcess {
  readonly env: ProcessEnvironment;
  readonly version: string;
  once(event: 'exit', listener: (code: number) => void): void;
}

let begun: Promise<{ readonly library: MpiLibrary; readonly transport: Transport }> | undefined;

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
  begun ??= begin();
  const { library, transport } = await begun;
  return new MpiRanks(library, transport, options);
}

async function begin(): Promise<{ readonly library: MpiLibrary; readonly transport: Transport }> {
  const node = (globalThis as unknown as { process?: NodeProcess }).process;
  const env = node?.env ?? {};
  const library = await loadMpi(env);
  const transport = new MpiTransport(library, localRanks(env) > (await allProcessors()));
  node!.once('exit', (code) => {
    if (code === 0) library.finalize();
    else {
      console.error(`Rank ${library.rank} of ${library.ranks} has failed (exit code ${code}): the job ends.`);
      library.abort(code);
    }
  });
  new MpiRanks(library, transport, {}).agree(`Node ${node!.version}`);
  return { library, transport };
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
  readonly #library: MpiLibrary;
  readonly #options: SpreadOptions;

  /** Use `mpi()`. */
  constructor(library: MpiLibrary, transport: Transport, options: SpreadOptions) {
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
  ): SpreadDynamics {
    const { name, nq, nv, bodies } = mechanism;
    const options = deterministic === undefined ? this.#options : { ...this.#options, deterministic };
    this.agree(`${name} ${nq} ${nv} ${bodies.length} ${options.scheduleFor} ${options.deterministic}`);
    return new SpreadDynamics(mechanism, this.transport, options, plain, this.implementation);
  }

  /**
   * Steps of a mechanism that stays spread, in Runge-Kutta's classical method: every rank moves its own joints. Where spreading
   * it does not pay rank 0 moves them all, and `reason` says why.
   */
  simulate(state: State): { readonly steps: SpreadSteps; readonly reason: string | undefined } {
    const { mechanism } = state;
    const spread = this.engine(mechanism);
    const { reason } = spread.runs('forward');
    const { part = new MpiRanks(this.#library, this.transport, { scheduleFor: 1 }).engine(mechanism).part } = spread;
    if (part === undefined) throw MechanismError.of('ranks', '', `It cannot be spread: ${reason ?? ''}`);
    return { steps: new SpreadSteps(state, part), reason };
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

  /** Numbers of rank 0 on all ranks; those that wait for them sleep. */
  tell(numbers: Float64Array): Float64Array {
    const data = new Float64Array(new ArrayBuffer(8 * numbers.length));
    data.set(numbers);
    const others = Array.from({ length: this.ranks - 1 }, (_, k) => k + 1);
    const channels = this.transport.open(others.map((to) => ({ from: 0, to, data })));
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
        throw MechanismError.of('mpi', '', `Rank ${rank} was not asked for the same as rank 0 (${text}).`);
  }
}

/** Two halves of a hash (FNV-1a). */
function fold([a, b]: readonly number[], byte: number): number[] {
  return [Math.imul(a ^ byte, 0x01000193), Math.imul(b ^ (byte + 1), 0x01000193)];
}
