// The command `manikin`: its sub-commands put together, and what happens to their errors.

import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addBenchForward } from './commands/bench-fd.js';
import { addBenchGpu } from './commands/bench-gpu.js';
import { addBenchParallel } from './commands/bench-parallel.js';
import { addForward, addInverse } from './commands/dynamics.js';
import { addDescribe, addEnergy, addInfo, addModels } from './commands/inspect.js';
import { addInverseMotion } from './commands/inverse.js';
import { addMassMatrix } from './commands/mass-matrix.js';
import { addReproduce } from './commands/reproduce.js';
import { addReroot } from './commands/reroot.js';
import { addCalibrate, addSchedule } from './commands/schedule.js';
import { addSimulate } from './commands/simulate.js';
import { addWalk } from './commands/walk.js';
import { EXIT_GOOD, explain } from './errors.js';
import type { Terminal } from './terminal.js';

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export function createProgram(terminal: Terminal): Command {
  const program = new Command('manikin')
    .description('Articulated-body dynamics: robots, human figures, linkages.')
    .version(version())
    .showHelpAfterError('(add --help for what is possible)')
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .exitOverride()
    .addHelpText(
      'after',
      `
MODEL is a built-in name ("manikin models" lists them) or a file: .urdf, .json, .bvh, .osim.
Exit code: 0 good, 2 bad input or usage, 1 anything else.

Examples:
  manikin models
  manikin fd human-34 --seed 1
  manikin simulate human-34 --duration 2 --svg out/fall.svg`,
    );
  addInfo(program, terminal);
  addDescribe(program, terminal);
  addForward(program, terminal);
  addInverse(program, terminal);
  addMassMatrix(program, terminal);
  addEnergy(program, terminal);
  addSimulate(program, terminal);
  addInverseMotion(program, terminal);
  addReroot(program, terminal);
  addWalk(program, terminal);
  addSchedule(program, terminal);
  addCalibrate(program, terminal);
  addReproduce(program, terminal);
  addBenchForward(program, terminal);
  addBenchParallel(program, terminal);
  addModels(program, terminal);
  addBenchGpu(program, terminal);
  // Sub-commands inherit output and exit handling from the moment they are made, so set them again for all.
  for (const command of program.commands.flatMap((own) => [own, ...own.commands]))
    command.copyInheritedSettings(program).showHelpAfterError('(add --help for what is possible)');
  return program;
}

/** Runs the command with the given words (without "node manikin"). Returns the exit code. */
export async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(words, { from: 'user' });
    return EXIT_GOOD;
  } catch (error) {
    const { code, message } = explain(error);
    if (message !== '') terminal.err(`${message}\n`);
    return code;
  }
}
