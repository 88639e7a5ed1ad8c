import { type Command, Option } from 'commander';
import { type ForwardAlgorithm, PlainDynamics } from '../../engines/plain/plain-dynamics.js';
import { formatJson } from '../../formats/json-writer.js';
import { formatState } from '../../formats/state-file.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import type { ScheduleTree } from '../../schedule/tree.js';
import { InputError } from '../errors.js';
import { readInputText } from '../input-file.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  randomVector,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { asksForRanks, type RanksOptions, startRanks, withRanks } from '../ranks-option.js';
import { type Terminal, table } from '../terminal.js';

interface Options extends ModelOptions, StateOptions {
  readonly json?: boolean;
  readonly forces?: boolean;
}

interface ForwardCommandOptions extends Options, RanksOptions {
  readonly algorithm?: ForwardAlgorithm;
  readonly order?: string;
  readonly form?: 'default' | 'printed';
  readonly passive?: boolean;
}

export function configureForward(command: Command, terminal: Terminal): void {
  withRanks(withState(withModel(command)))
    .addOption(new Option('--algorithm <name>', 'how to compute them').choices(['aba', 'ada', 'dense']))
    .option('--order <file>', 'for ada: the schedule tree, [joint, root side, end side] with null for a bare link')
    .addOption(new Option('--form <name>', 'for ada: how partial chains are kept').choices(['default', 'printed']))
    .option('--passive', 'let damping, friction and springs of the joints act')
    .option('--forces', 'print the whole force through every joint')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  manikin fd human-34 --seed 1 --json\n  mpirun -n 4 manikin fd chain-2048 --seed 1 --mpi',
    )
    .action(async (name: string, options: ForwardCommandOptions) => {
      const model = await loadModel(name, options, terminal);
      const { mechanism } = model;
      const chosen = await chooseState(model, options);
      const { seed, order, passive = false } = options;
      if ((order !== undefined || options.form === 'printed') && (options.algorithm ?? 'ada') !== 'ada')
        throw new InputError('--order and --form go with --algorithm ada.');
      const algorithm = chosenAlgorithm(mechanism, options);
      const schedule = order === undefined ? undefined : await readSchedule(order, mechanism);
      const tau = chosen.tau ?? (seed === undefined ? new Float64Array(mechanism.nv) : randomVector(mechanism, seed));
      if (asksForRanks(options)) {
        await forwardByRanks(name, { ...chosen, tau }, options, terminal);
        return;
      }
      const forces = new Float64Array(6 * mechanism.bodies.length);
      const loopForces = new Float64Array(6 * mechanism.loops.length);
      const dynamics = new PlainDynamics(mechanism);
      const common = { passive, jointForces: forces, ...(schedule !== undefined && { schedule }) };
      const qdd =
        options.form === 'printed' && algorithm === 'ada'
          ? (await import('../../papers/printed/index.js')).printedForwardDynamics(mechanism, chosen.state, tau, common)
          : dynamics.forward(chosen.state, tau, { algorithm, loopForces, ...common });
      const loops = mechanism.loops.map(({ name: joint, type }, l) => ({
        name: joint,
        type,
        force: Array.from(loopForces.subarray(6 * l, 6 * l + 6)),
      }));
      const { indeterminate } = dynamics.loopReport();
      print(terminal, options, { model: name, algorithm, state: chosen.state, tau, qdd, forces, loops, indeterminate });
    });
}

/** The same by all ranks; rank 0 prints. */
async function forwardByRanks(
  model: string,
  { state, tau }: { readonly state: State; readonly tau: Float64Array },
  options: ForwardCommandOptions,
  terminal: Terminal,
): Promise<void> {
  if (options.forces === true || options.algorithm !== undefined || options.order !== undefined)
    throw new InputError(
      '--mpi gives accelerations by the schedule of ranks: leave --forces, --algorithm and --order out.',
    );
  const { ranks, terminal: speaker, about } = await startRanks(options, terminal);
  const { dynamics } = await import('../../dynamics/dynamics.js');
  const spread = dynamics(state.mechanism, { ranks });
  const qdd = spread.forward(state, tau, { passive: options.passive === true });
  const { functions, notes } = spread.report();
  const [{ engine, reason }] = functions;
  if (reason !== undefined) speaker.err(`${reason}\n`);
  for (const note of notes) if (note.startsWith('Cut for')) speaker.err(`${note}\n`);
  const none = { forces: new Float64Array(0), loops: [], indeterminate: [] };
  print(speaker, options, { model, algorithm: engine, state, tau, qdd, ...none, about });
}

async function readSchedule(file: string, mechanism: Mechanism): Promise<ScheduleTree> {
  const { parseSchedule } = await import('../../formats/schedule-file.js');
  return parseSchedule(readInputText(file), mechanism, file);
}

/** What PlainDynamics will use: loops need ada; coupled joints have no other order than that of aba. */
function chosenAlgorithm(mechanism: Mechanism, { algorithm, order, form }: ForwardCommandOptions): ForwardAlgorithm {
  if (mechanism.couplings.length > 0) return algorithm === 'dense' ? 'dense' : 'aba';
  if (order !== undefined || form === 'printed' || (mechanism.loops.length > 0 && algorithm !== 'dense')) return 'ada';
  return algorithm ?? 'aba';
}

export function configureInverse(command: Command, terminal: Terminal): void {
  withState(withModel(command))
    .option('--forces', 'print the whole force through every joint')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin id panda.urdf --seed 1')
    .action(async (name: string, options: Options) => {
      const model = await loadModel(name, options, terminal);
      const { mechanism } = model;
      const chosen = await chooseState(model, options);
      const { seed } = options;
      const qdd = chosen.qdd ?? (seed === undefined ? new Float64Array(mechanism.nv) : randomVector(mechanism, seed));
      for (const { joint, source, multiplier } of mechanism.couplings)
        qdd[mechanism.joints[joint].iv] = multiplier * qdd[mechanism.joints[source].iv];
      const forces = new Float64Array(6 * mechanism.bodies.length);
      const tau = new PlainDynamics(mechanism).inverse(chosen.state, qdd, { jointForces: forces });
      const result = {
        model: name,
        algorithm: 'rnea',
        state: chosen.state,
        tau,
        qdd,
        forces,
        loops: [],
        indeterminate: [],
      };
      print(terminal, options, result);
    });
}

interface Result {
  readonly model: string;
  readonly algorithm: string;
  readonly state: State;
  readonly tau: Float64Array;
  readonly qdd: Float64Array;
  readonly forces: Float64Array;
  readonly loops: readonly { readonly name: string; readonly type: string; readonly force: readonly number[] }[];
  readonly indeterminate: readonly string[];
  /** Of the ranks that have computed it. */
  readonly about?: object;
}

function print(terminal: Terminal, options: Options, result: Result): void {
  const { model, algorithm, state, tau, qdd, forces, loops, indeterminate, about } = result;
  const joints = formatState(state, { tau, qdd }).joints.map((joint, i) => ({
    ...joint,
    ...(options.forces === true && { force: Array.from(forces.subarray(6 * i, 6 * i + 6)) }),
  }));
  if (options.json === true) {
    const aboutLoops = options.forces === true && loops.length > 0 ? { loops, indeterminate } : {};
    terminal.out(`${formatJson({ model, algorithm, ...about, joints, ...aboutLoops })}\n`);
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
  if (loops.length === 0) return;
  const loopRows = loops.map(({ name, force }) => [name, ...force]);
  const loopHead = ['loop joint', ...head.slice(2)];
  terminal.out(`\nForce of each loop joint on its body b, body frame (N m, N)\n\n${table(loopHead, loopRows)}\n`);
  if (indeterminate.length > 0)
    terminal.out(
      `\nIndeterminate (redundant constraints; the share of least norm is shown): ${indeterminate.join(', ')}\n`,
    );
}
