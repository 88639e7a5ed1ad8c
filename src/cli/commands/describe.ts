// manikin describe: a model and its state in the JSON description format.

import type { Command } from 'commander';
import { formatDescription } from '../../formats/description.js';
import { formatJson } from '../../formats/json-writer.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import type { Terminal } from '../terminal.js';

interface Options extends ModelOptions, StateOptions {
  readonly json?: boolean;
}

export function configureDescribe(command: Command, terminal: Terminal): void {
  withState(withModel(command))
    .option('--json', 'print JSON (it always does)')
    .addHelpText('after', '\nExample:\n  manikin describe panda.urdf --seed 1 > panda.json')
    .action(async (name: string, options: Options) => {
      const model = await loadModel(name, options, terminal);
      terminal.out(`${formatJson(formatDescription(model.mechanism, (await chooseState(model, options)).state))}\n`);
    });
}
