// The parent of the benchmarks: manikin bench fd, bench parallel, bench gpu.

import type { Command } from 'commander';

/** The command `bench`, made by whoever needs it first. */
export function benchCommand(program: Command): Command {
  const known = program.commands.find((command) => command.name() === 'bench');
  return known ?? program.command('bench').description('how fast this machine is');
}
