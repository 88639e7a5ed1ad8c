// --mpi: what mpirun has started many times computes one mechanism together, and one of them speaks.

import type { Command } from 'commander';
import type { MpiRanks, SpreadOptions } from '../engines/mpi/index.js';
import { integer } from './model-argument.js';
import type { Terminal } from './terminal.js';

export interface RanksOptions {
  readonly mpi?: true;
  readonly scheduleFor?: number;
}

/** Adds the options. */
export function withRanks(command: Command): Command {
  return command
    .option('--mpi', 'spread one mechanism over the ranks that mpirun has started')
    .option(
      '--schedule-for <n>',
      'with --mpi: cut for so many ranks, however many there are; the same bits then',
      integer,
    );
}

export interface Spread {
  readonly ranks: MpiRanks;
  /** Of rank 0; what the others say is not heard. */
  readonly terminal: Terminal;
  /** For JSON. */
  readonly about: { readonly ranks: number; readonly implementation: string };
}

/** Begins MPI where it is asked for; everything that can be wrong with the input has been found before. */
export async function startRanks(
  { scheduleFor }: RanksOptions,
  terminal: Terminal,
  more: SpreadOptions = {},
): Promise<Spread> {
  const { mpi } = await import('../engines/mpi/index.js');
  const ranks = await mpi({ ...more, ...(scheduleFor !== undefined && { scheduleFor }) });
  const { implementation, rank } = ranks;
  return {
    ranks,
    terminal: rank === 0 ? terminal : silent(terminal),
    about: { ranks: ranks.ranks, implementation },
  };
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
