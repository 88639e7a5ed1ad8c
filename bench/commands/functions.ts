import { type Command, Option } from 'commander';
import { InputError } from '#src/cli/errors.js';
import { type ModelOptions, namedModels, withModel } from '#src/cli/model-argument.js';
import { Progress, type Terminal, table } from '#src/cli/terminal.js';
import { ENGINE_CHOICES, type EngineChoice } from '#src/dynamics/dynamics.js';
import { formatJson } from '#src/formats/json-writer.js';
import { benchFunctions, type FunctionsReport } from '../functions.js';

interface Options extends ModelOptions {
  readonly engine: EngineChoice;
  readonly json?: boolean;
}

export function configure(command: Command, terminal: Terminal): void {
  withModel(command, '<model...>')
    .addOption(new Option('--engine <name>', 'what computes').choices([...ENGINE_CHOICES]).default('auto'))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin bench functions human-34 --engine compiled')
    .action((names: readonly string[], options: Options) => run(names, options, terminal));
}

async function run(names: readonly string[], options: Options, terminal: Terminal): Promise<void> {
  const models = await namedModels(names, options, terminal);
  const still = models.find(({ mechanism }) => mechanism.nv === 0);
  if (still !== undefined) throw new InputError(`"${still.name}" has no degree of freedom: there is nothing to time.`);
  const progress = new Progress(terminal, 'Timing');
  try {
    const report = await benchFunctions(models, {
      engine: options.engine,
      note: (text) => terminal.err(`${text}\n`),
      progress: (fraction) => progress.update(fraction),
    });
    progress.finish();
    terminal.out(`${options.json === true ? formatJson(report) : print(report)}\n`);
  } finally {
    progress.finish();
  }
}

function print({ machine, results }: FunctionsReport): string {
  const { processor, cores, node } = machine;
  const rows = results.map((line) => [line.model, line.function, line.engine, line.ns / 1000, line.nsMedian / 1000]);
  return [
    `Microseconds of one call, copies included, least and middle of many batches; ${processor}, ${cores} cores, Node ${node}`,
    '',
    table(['model', 'function', 'engine', 'us', 'us, median'], rows),
  ].join('\n');
}
