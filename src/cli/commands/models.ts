// manikin models: the built-in mechanisms, and the scenes that come with the package.

import type { Command } from 'commander';
import { formatJson } from '../../formats/json-writer.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../models/index.js';
import { BUNDLED_SCENES } from '../../scenes/bundled.js';
import { type Terminal, table } from '../terminal.js';

export function configureModels(command: Command, terminal: Terminal): void {
  command.option('--json', 'print JSON').action((options: { json?: boolean }) => {
    const models = BUILTIN_MODELS.map(({ name, description, example }) => {
      const { joints, nv } = builtinMechanism(example);
      return { name, example, joints: joints.length, dof: nv, description };
    });
    const scenes = BUNDLED_SCENES.map(({ name, description }) => ({ name, description }));
    if (options.json === true) {
      terminal.out(`${formatJson({ models, scenes })}\n`);
      return;
    }
    const rows = models.map(({ name, example, joints, dof, description }) => [
      name,
      name === example ? '' : example,
      joints,
      dof,
      description,
    ]);
    terminal.out(`${table(['name', 'for example', 'joints', 'dof', 'description'], rows)}\n`);
    const scenesText = table(
      ['scene', 'description'],
      scenes.map(({ name, description }) => [name, description]),
    );
    terminal.out(`\nScenes for simulate:\n\n${scenesText}\n`);
  });
}
