// --mpi: what mpirun has started many times computes one mechanism together, and one of them speaks.

import { availableParallelism, cpus, hostname } from 'node:os';
import type { Command } from 'commander';
import type { MpiRanks, SpreadOptions } from '../engines/mpi/index.js';
import type { EngineConstants } from '../schedule/index.js';
import { loadRankConstants } from './calibration-file.js';
import { InputError } from './errors.js';
import { integer } from './model-argument.js';
import type { Terminal } from './terminal.js';

export interface RanksOptions {
  readonly mpi?: true;
  /** Inside each rank. */
  readonly threads?: number;
  readonly scheduleFor?: number;
}

/** Adds the options; `threads` where the command has no such option of its own. */
export function withRanks(command: Command, { threads }: { readonly threads: boolean } = { threads: true }): Command {
  if (threads) command.option('--threads <n>', 'with --mpi: threads inside each rank', integer);
  return command
    .option('--mpi', 'spread one mechanism over the ranks that mpirun has started')
    .option(
      '--schedule-for <n>',
      'with --mpi: cut for so many ranks, however many there are; the same bits then',
      integer,
    );
}

/** Whether ranks are asked for; what is for them alone is not passed over in silence. */
export function asksForRanks({ mpi, threads, scheduleFor }: RanksOptions): boolean {
  if (mpi === true) return true;
  if (threads !== undefined) throw new InputError('--threads is for ranks: give --mpi with it.');
  if (scheduleFor !== undefined) throw new InputError('--schedule-for is for ranks: give --mpi with it.');
  return false;
}

export interface Spread {
  readonly ranks: MpiRanks;
  /** Of rank 0; what the others say is not heard. */
  readonly terminal: Terminal;
  /** For JSON; `measured`: cuts are chosen by what calibrate --mpi has measured. */
  readonly about: {
    readonly ranks: number;
    readonly hosts: number;
    readonly implementation: string;
    readonly measured: boolean;
  };
  /** Costs that cuts are chosen by; undefined where nothing has been measured. */
  readonly constants: EngineConstants | undefined;
}

/** Begins MPI where it is asked for; everything that can be wrong with the input has been found before. */
export async function startRanks(
  { scheduleFor, threads }: RanksOptions,
  terminal: Terminal,
  more: SpreadOptions = {},
): Promise<Spread> {
  const { mpi } = await import('../engines/mpi/index.js');
  const begun = await mpi({
    ...more,
    ...(scheduleFor !== undefined && { scheduleFor }),
    ...(threads !== undefined && { threads }),
  });
  const { implementation, rank } = begun;
  const hosts = new Set(begun.gather(Float64Array.of(digest(hostname())))).size;
  // Of rank 0: all must cut in the same way.
  const kept = begun.tellText(rank === 0 ? JSON.stringify(loadRankConstants(hosts) ?? null) : '');
  const constants = (JSON.parse(kept) as EngineConstants | null) ?? undefined;
  const speaker = rank === 0 ? terminal : silent(terminal);
  if (isBoundBelow(threads ?? 1))
    speaker.err(`Warning: ${boundTo()}, which its ${threads} threads share. mpirun --bind-to none sets them free.\n`);
  return {
    ranks: constants === undefined ? begun : begun.with({ constants }),
    terminal: speaker,
    about: { ranks: begun.ranks, hosts, implementation, measured: constants !== undefined },
    constants,
  };
}

/** Whether mpirun leaves this rank fewer cores than threads: Open MPI binds each rank to one where there are enough. */
export function isBoundBelow(threads: number): boolean {
  const cores = availableParallelism();
  return cores < threads && cores < cpus().length;
}

/** The beginning of a sentence about it. */
export function boundTo(): string {
  const cores = availableParallelism();
  return `mpirun has bound this rank to ${cores} ${cores === 1 ? 'core' : 'cores'}`;
}

/** A number for a name (FNV-1a). */
function digest(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum;
}

function silent(terminal: Terminal): Terminal {
  return {
    out: () => {},
    err: () => {},
    interactive: false,
    get signal() {
      return terminal.signal;
    },
  };
}
