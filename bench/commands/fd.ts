import type { Command } from 'commander';
import { InputError } from '#src/cli/errors.js';
import { integer, type ModelOptions, namedModels, withModel } from '#src/cli/model-argument.js';
import { Progress, type Terminal, table } from '#src/cli/terminal.js';
import { formatJson } from '#src/formats/json-writer.js';
import { benchForward, type Report } from '../forward.js';

interface Options extends ModelOptions {
  readonly batch: number;
  readonly json?: boolean;
}

/** More states than this do not fit into the memory of a batch for any mechanism of some size. */
const MAX_BATCH = 4096;

export function configure(command: Command, terminal: Terminal): void {
  withModel(command, '<model...>')
    .option('--batch <n>', 'states computed at once by the batch variant', integer, 66)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin bench fd human-34 human-161 --batch 64')
    .action((names: readonly string[], options: Options) => benchFd(names, options, terminal));
}

async function benchFd(names: readonly string[], options: Options, terminal: Terminal): Promise<void> {
  const { batch } = options;
  if (batch < 1 || batch > MAX_BATCH)
    throw new InputError(`--batch expects a number of states from 1 to ${MAX_BATCH}, got ${batch}.`);
  const models = await namedModels(names, options, terminal);
  const still = models.find(({ mechanism }) => mechanism.nv === 0);
  if (still !== undefined) throw new InputError(`"${still.name}" has no degree of freedom: there is nothing to time.`);
  const progress = new Progress(terminal, 'Timing');
  try {
    const report = await benchForward(models, {
      batch,
      note: (text) => terminal.err(`${text}\n`),
      progress: (fraction) => progress.update(fraction),
    });
    progress.finish();
    terminal.out(`${options.json === true ? formatJson(report) : print(report)}\n`);
  } finally {
    progress.finish();
  }
}

function print({ machine, results, ratios }: Report): string {
  const ratioOf = new Map(ratios.map((line) => [line.model, line]));
  const rows = results.map(({ model, engine, variant, algorithm, ns, nsMedian, error }) => {
    const ratio = engine === 'manikin' ? ratioOf.get(model)?.[variant] : 1;
    return [model, engine, variant, algorithm, ns / 1000, nsMedian / 1000, error.toExponential(0), ratio ?? ''];
  });
  const head = ['model', 'engine', 'variant', 'algorithm', 'us', 'us, median', 'error', 'to MuJoCo'];
  const { processor, cores, node } = machine;
  const columns = ratios.length > 0 ? head.length : head.length - 1;
  const cut = rows.map((row) => row.slice(0, columns));
  return [
    `Microseconds for one state, least and middle of many batches; ${processor}, ${cores} cores, Node ${node}`,
    '',
    table(head.slice(0, columns), cut),
  ].join('\n');
}
