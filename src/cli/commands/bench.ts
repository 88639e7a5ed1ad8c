// The parent of all benchmarks: bench fd, bench parallel, bench gpu.

import type { Command } from 'commander';

/** The command `bench`, made by whoever asks first. */
export function benchCommand(program: Command): Command {
  const known = program.commands.find((command) => command.name() === 'bench');
  if (known !== undefined) return known;
  const made = program.command('bench').description('measure this engine on this machine');
  return made.copyInheritedSettings(program);
}
