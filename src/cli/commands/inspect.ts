// Commands that look at a model: info, describe, energy, models.

import type { Command } from 'commander';
import { PlainDynamics } from '../../engines/plain/plain-dynamics.js';
import { describe, formatJson } from '../../formats/index.js';
import { GROUND, type Mechanism } from '../../mechanism/mechanism.js';
import { createTree } from '../../mechanism/tree.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../models/index.js';
import { SCENES } from '../../simulation/scene.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { formatNumber, type Terminal, table } from '../terminal.js';

interface Options extends ModelOptions, StateOptions {
  readonly json?: boolean;
}

/** Bodies on the longest path from the ground. */
function depthOf(mechanism: Mechanism): number {
  const { n, parent } = createTree(mechanism);
  const depth = new Int32Array(n);
  for (let i = 0; i < n; i++) depth[i] = 1 + (parent[i] < 0 ? 0 : depth[parent[i]]);
  return depth.reduce((deepest, d) => Math.max(deepest, d), 0);
}

export function addInfo(program: Command, terminal: Terminal): void {
  withModel(program.command('info'))
    .description('what a model consists of')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin info talos.urdf --base floating')
    .action((name: string, options: Options) => {
      const { mechanism } = loadModel(name, options.json === true ? { ...options, quiet: true } : options, terminal);
      const { bodies, joints, loops, couplings, gravity, nq, nv, warnings } = mechanism;
      const types = new Map<string, number>();
      for (const { type } of joints) types.set(type, (types.get(type) ?? 0) + 1);
      const info = {
        model: name,
        name: mechanism.name,
        bodies: bodies.length,
        joints: joints.length,
        dof: nv - couplings.length,
        nq,
        nv,
        mass: bodies.reduce((sum, body) => sum + body.mass, 0),
        depth: depthOf(mechanism),
        loops: loops.length,
        couplings: couplings.length,
        gravity: [...gravity],
        roots: joints.flatMap(({ parent, type }, i) => (parent === GROUND ? [{ body: bodies[i].name, type }] : [])),
        jointTypes: Object.fromEntries(types),
        warnings,
      };
      if (options.json === true) {
        terminal.out(`${formatJson(info)}\n`);
        return;
      }
      const rows: [string, string | number][] = [
        ['bodies', info.bodies],
        ['joints', `${info.joints} (${[...types].map(([type, count]) => `${count} ${type}`).join(', ')})`],
        ['degrees of freedom', info.dof],
        ['mass', `${formatNumber(info.mass)} kg`],
        ['depth', info.depth],
        ['loops', info.loops],
        ['coupled joints', info.couplings],
        ['gravity', gravity.map(formatNumber).join(', ')],
        ['root', info.roots.map(({ body, type }) => `${body} (${type})`).join(', ')],
        ['warnings', warnings.length],
      ];
      const width = Math.max(...rows.map(([label]) => label.length));
      terminal.out(
        `${mechanism.name}\n\n${rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join('\n')}\n`,
      );
    });
}

export function addDescribe(program: Command, terminal: Terminal): void {
  withState(withModel(program.command('describe')))
    .description('write a model and its state in the JSON description format')
    .option('--json', 'print JSON (it always does)')
    .addHelpText('after', '\nExample:\n  manikin describe panda.urdf --seed 1 > panda.json')
    .action((name: string, options: Options) => {
      const model = loadModel(name, options, terminal);
      terminal.out(`${formatJson(describe(model.mechanism, chooseState(model, options).state))}\n`);
    });
}

export function addEnergy(program: Command, terminal: Terminal): void {
  withState(withModel(program.command('energy')))
    .description('energy, mass, centre of mass and momentum at a state')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin energy human-34 --seed 1')
    .action((name: string, options: Options) => {
      const model = loadModel(name, options, terminal);
      const energy = new PlainDynamics(model.mechanism).energy(chooseState(model, options).state);
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

export function addModels(program: Command, terminal: Terminal): void {
  program
    .command('models')
    .description('the built-in mechanisms')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => {
      const models = BUILTIN_MODELS.map(({ name, description, example }) => {
        const { joints, nv } = builtinMechanism(example);
        return { name, example, joints: joints.length, dof: nv, description };
      });
      const scenes = SCENES.map(({ name, model, description }) => ({ name, model, description }));
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
