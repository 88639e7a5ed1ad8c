import { type Command, InvalidArgumentError } from 'commander';
import { InputError } from '#src/cli/errors.js';
import { formatNumber, Progress, type Terminal, table } from '#src/cli/terminal.js';
import { formatJson } from '#src/formats/json-writer.js';
import { benchContact } from '../contact.js';
import { CONTACT_SCENES } from '../contact-scenes.js';
import { machine } from '../machine.js';

interface Options {
  readonly duration?: number;
  readonly repeat?: number;
  readonly json?: boolean;
}

export function configure(command: Command, terminal: Terminal): void {
  const names = [...CONTACT_SCENES.keys()];
  command
    .argument('[scene...]', 'all where none is named')
    .option('--duration <s>', 'seconds of simulated time, for every scene', positive)
    .option('--repeat <n>', 'runs of each scene; of every step the least time counts (for busy machines)', whole)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nScenes: ${names.join(', ')}.\n\nExample:\n  manikin bench contact humanoid stack`)
    .action(async (given: readonly string[], options: Options) => {
      const unknown = given.find((name) => !CONTACT_SCENES.has(name));
      if (unknown !== undefined)
        throw new InputError(`There is no scene "${unknown}". Known are: ${names.join(', ')}.`);
      const progress = new Progress(terminal, 'Stepping');
      const results = await benchContact(given.length > 0 ? given : names, {
        ...(options.duration !== undefined && { seconds: options.duration }),
        ...(options.repeat !== undefined && { repeat: options.repeat }),
        progress: (fraction) => progress.update(fraction),
        missing: (scene) => terminal.err(`Scene "${scene}" is left out: its model is not part of the package.\n`),
      });
      progress.finish();
      if (options.json === true) {
        terminal.out(`${formatJson({ machine: machine(), results })}\n`);
        return;
      }
      const rows = results.map(({ scene, engine, stepNs, stepNsMedian, contacts, residual, depth, solved }) => [
        scene,
        engine,
        formatNumber(stepNs / 1000),
        formatNumber(stepNsMedian / 1000),
        `${contacts}`,
        residual === null ? '' : residual.toExponential(1),
        solved === undefined ? '' : `${(100 * solved).toFixed(2)} %`,
        formatNumber(1000 * depth),
      ]);
      const head = ['scene', 'engine', 'least (us)', 'median (us)', 'contacts', 'residual', 'to 1e-8', 'depth (mm)'];
      terminal.out(`${table(head, rows)}\n`);
    });
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a positive number of seconds.');
  return value;
}

function whole(text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0)) throw new InvalidArgumentError('It must be a whole number of runs.');
  return value;
}
