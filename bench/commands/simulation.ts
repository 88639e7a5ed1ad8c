import { type Command, Option } from 'commander';
import { type ModelOptions, namedModels, withModel } from '#src/cli/model-argument.js';
import { formatNumber, Progress, type Terminal, table } from '#src/cli/terminal.js';
import { ENGINE_CHOICES, type EngineChoice } from '#src/dynamics/dynamics.js';
import { formatJson } from '#src/formats/json-writer.js';
import type { IntegratorName } from '#src/simulation/integrators.js';
import { machine } from '../machine.js';
import { benchSimulation } from '../simulation.js';

interface Options extends ModelOptions {
  readonly engine?: EngineChoice;
  readonly integrator?: IntegratorName;
  readonly json?: boolean;
}

const INTEGRATORS = ['rk4', 'dopri5', 'midpoint', 'euler'] as const;

export function configure(command: Command, terminal: Terminal): void {
  withModel(command, '<model...>')
    .addOption(new Option('--engine <name>', 'this engine only').choices(ENGINE_CHOICES))
    .addOption(new Option('--integrator <name>', 'this integrator only').choices(INTEGRATORS))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin bench simulation human-34 human-161 --integrator rk4')
    .action(async (names: readonly string[], options: Options) => {
      const models = await namedModels(names, options, terminal);
      const progress = new Progress(terminal, 'Timing');
      const results = await benchSimulation(models, {
        engines: options.engine === undefined ? ['plain', 'wasm', 'compiled'] : [options.engine],
        integrators: options.integrator === undefined ? INTEGRATORS : [options.integrator],
        progress: (fraction) => progress.update(fraction),
      });
      progress.finish();
      if (options.json === true) {
        terminal.out(`${formatJson({ machine: machine(), results })}\n`);
        return;
      }
      const rows = results.map(({ model, engine, integrator, stepNs, forwardNs }) => [
        model,
        engine,
        integrator,
        formatNumber(stepNs / 1000),
        formatNumber(forwardNs / 1000),
        (stepNs / forwardNs).toFixed(2),
      ]);
      const head = ['model', 'engine', 'integrator', 'step (us)', 'forward dynamics (us)', 'step/forward'];
      terminal.out(`${table(head, rows)}\n`);
    });
}
