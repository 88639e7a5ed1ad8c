import type { Command } from 'commander';

/** The command that benchmarks are sub-commands of; made by the first of them. */
export function benchCommand(program: Command): Command {
  return (
    program.commands.find((command) => command.name() === 'bench') ??
    program.command('bench').description('how long things take on this machine')
  );
}
