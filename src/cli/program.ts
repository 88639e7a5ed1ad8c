// The command `manikin`: its sub-commands put together, and what happens to their errors.

import { Command } from 'commander';
import { COMMANDS, type CommandEntry } from './command-table.js';
import { EXIT_BAD_INPUT, EXIT_GOOD, explain } from './errors.js';
import { shielded, type Terminal } from './terminal.js';
import { packageVersion } from './version.js';

const AFTER_ERROR = '(add --help for what is possible)';

/** The program for some words: the command that they name whole, all others by name and description. */
export async function createProgram(words: readonly string[], terminal: Terminal): Promise<Command> {
  const program = new Command('manikin')
    .description('Articulated-body dynamics: robots, human figures, linkages.')
    .version(packageVersion())
    .showHelpAfterError(AFTER_ERROR)
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .exitOverride()
    .addHelpText(
      'after',
      `
MODEL is a built-in name ("manikin models" lists them) or a file: .urdf, .xml (MJCF), .sdf, .json, .bvh, .osim.
MOTION is a file: .bvh, .mot, .sto, or a set-up of OpenSim (.xml).
Exit code: 0 good, 2 bad input or usage, 1 anything else.

Examples:
  manikin models
  manikin fd human-34 --seed 1
  manikin simulate human-34 --duration 2 --svg out/fall.svg`,
    );
  const [name, nested] = words.filter((word) => word !== 'help' && !word.startsWith('-'));
  for (const entry of COMMANDS) {
    if (!('commands' in entry)) {
      await addCommand(program, entry, entry.name === name, terminal);
      continue;
    }
    const group = program.command(entry.name).description(entry.description);
    inherit(group, program);
    for (const inner of entry.commands)
      await addCommand(group, inner, entry.name === name && inner.name === nested, terminal);
  }
  return program;
}

async function addCommand(parent: Command, entry: CommandEntry, asked: boolean, terminal: Terminal): Promise<void> {
  const { name, description } = entry;
  if (asked) {
    const command = parent.command(name).description(description);
    (await entry.load())(command, terminal);
    inherit(command, parent);
  } else {
    // As the help of all commands shows it.
    parent.command(`${name} ${entry.arguments}`.trim()).description(description).option('--json');
  }
}

/** Output and handling of exits. */
function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent).showHelpAfterError(AFTER_ERROR);
}

/** Runs the command with the given words (without "node manikin"). Returns the exit code. */
export async function run(words: readonly string[], screen: Terminal): Promise<number> {
  const terminal = shielded(screen);
  try {
    const program = await createProgram(words, terminal);
    await program.parseAsync(words, { from: 'user' });
    return EXIT_GOOD;
  } catch (error) {
    const { code, message } = explain(error);
    // What is wrong with the words is wrong for all ranks: the first says it.
    const repeated = code === EXIT_BAD_INPUT && words.includes('--mpi') && !(await isFirstRank());
    if (message !== '' && !repeated) terminal.err(`${message}\n`);
    return code;
  }
}

async function isFirstRank(): Promise<boolean> {
  const { rankFromEnvironment } = await import('../engines/mpi/environment.js');
  return rankFromEnvironment(process.env) === 0;
}
