// manikin energy: energy, mass, centre of mass and momentum.

import type { Command } from 'commander';
import { PlainDynamics } from '../../engines/plain/plain-dynamics.js';
import { formatJson } from '../../formats/json-writer.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { formatNumber, type Terminal } from '../terminal.js';

interface Options extends ModelOptions, StateOptions {
  readonly json?: boolean;
}

export function configureEnergy(command: Command, terminal: Terminal): void {
  withState(withModel(command))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin energy human-34 --seed 1')
    .action(async (name: string, options: Options) => {
      const model = await loadModel(name, options, terminal);
      const energy = new PlainDynamics(model.mechanism).energy((await chooseState(model, options)).state);
      if (options.json === true) {
        terminal.out(`${formatJson({ model: name, ...energy })}\n`);
        return;
      }
      const { kinetic, potential, mass, com, momentum } = energy;
      const list = (values: readonly number[]): string => values.map(formatNumber).join(', ');
      terminal.out(
        [
          `kinetic energy    ${formatNumber(kinetic)} J`,
          `potential energy  ${formatNumber(potential)} J`,
          `mass              ${formatNumber(mass)} kg`,
          `centre of mass    ${list(com)} m`,
          `linear momentum   ${list(momentum.linear)} kg m/s`,
          `angular momentum  ${list(momentum.angular)} kg m^2/s (about the origin)`,
          '',
        ].join('\n'),
      );
    });
}
