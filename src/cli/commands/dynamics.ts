import { type Command, Option } from 'commander';
import { Dynamics, type ForwardAlgorithm } from '../../dynamics/dynamics.js';
import { formatJson, formatState } from '../../formats/index.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { State } from '../../mechanism/state.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  randomVector,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { type Terminal, table } from '../terminal.js';

interface Options extends ModelOptions, StateOptions {
  readonly json?: boolean;
  readonly forces?: boolean;
}

interface ForwardCommandOptions extends Options {
  readonly algorithm: ForwardAlgorithm;
  readonly passive?: boolean;
}

export function addForward(program: Command, terminal: Terminal): void {
  withState(withModel(program.command('fd')))
    .description('forward dynamics: joint accelerations under joint forces')
    .addOption(new Option('--algorithm <name>', 'how to compute them').choices(['aba', 'dense']).default('aba'))
    .option('--passive', 'let damping, friction and springs of the joints act')
    .option('--forces', 'print the whole force through every joint')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin fd human-34 --seed 1 --json')
    .action((name: string, options: ForwardCommandOptions) => {
      const model = loadModel(name, options, terminal);
      const { mechanism } = model;
      const chosen = chooseState(model, options);
      const { seed, algorithm, passive = false } = options;
      const tau = chosen.tau ?? (seed === undefined ? new Float64Array(mechanism.nv) : randomVector(mechanism, seed));
      const forces = new Float64Array(6 * mechanism.bodies.length);
      const qdd = new Dynamics(mechanism).forward(chosen.state, tau, { algorithm, passive, forces });
      const used = mechanism.couplings.length > 0 ? 'dense' : algorithm;
      print(terminal, options, { model: name, algorithm: used, state: chosen.state, tau, qdd, forces });
    });
}

export function addInverse(program: Command, terminal: Terminal): void {
  withState(withModel(program.command('id')))
    .description('inverse dynamics: joint forces for joint accelerations')
    .option('--forces', 'print the whole force through every joint')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin id panda.urdf --seed 1')
    .action((name: string, options: Options) => {
      const model = loadModel(name, options, terminal);
      const { mechanism } = model;
      const chosen = chooseState(model, options);
      const { seed } = options;
      const qdd = chosen.qdd ?? (seed === undefined ? new Float64Array(mechanism.nv) : randomVector(mechanism, seed));
      for (const { joint, source, multiplier } of mechanism.couplings)
        qdd[mechanism.joints[joint].iv] = multiplier * qdd[mechanism.joints[source].iv];
      const forces = new Float64Array(6 * mechanism.bodies.length);
      const tau = new Dynamics(mechanism).inverse(chosen.state, qdd, { forces });
      print(terminal, options, { model: name, algorithm: 'rnea', state: chosen.state, tau, qdd, forces });
    });
}

interface Result {
  readonly model: string;
  readonly algorithm: string;
  readonly state: State;
  readonly tau: Float64Array;
  readonly qdd: Float64Array;
  readonly forces: Float64Array;
}

function print(terminal: Terminal, options: Options, result: Result): void {
  const { model, algorithm, state, tau, qdd, forces } = result;
  const joints = formatState(state, { tau, qdd }).joints.map((joint, i) => ({
    ...joint,
    ...(options.forces === true && { force: Array.from(forces.subarray(6 * i, 6 * i + 6)) }),
  }));
  if (options.json === true) {
    terminal.out(`${formatJson({ model, algorithm, joints })}\n`);
    return;
  }
  const rows = joints.flatMap(({ name, type, q, v, tau: t = [], qdd: a = [] }) =>
    Array.from({ length: Math.max(q.length, v.length) }, (_, k) => [
      k === 0 ? name : '',
      k === 0 ? type : '',
      q[k] ?? '',
      v[k] ?? '',
      t[k] ?? '',
      a[k] ?? '',
    ]),
  );
  if (rows.length === 0)
    throw MechanismError.of('no-freedom', '', 'The mechanism has no degree of freedom: nothing can move.');
  terminal.out(`${model}, ${algorithm}\n\n${table(['joint', 'type', 'q', 'v', 'tau', 'qdd'], rows)}\n`);
  if (options.forces !== true) return;
  const forceRows = joints.map((joint) => [joint.name, joint.body, ...(joint.force ?? [])]);
  const head = ['joint', 'on body', 'nx', 'ny', 'nz', 'fx', 'fy', 'fz'];
  terminal.out(`\nForce through each joint on its body, body frame (N m, N)\n\n${table(head, forceRows)}\n`);
}
