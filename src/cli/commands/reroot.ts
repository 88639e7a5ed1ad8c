// manikin reroot: the same mechanism in the same state, hanging from the ground by another body.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatDescription } from '../../formats/description.js';
import { formatJson } from '../../formats/json-writer.js';
import { formatUrdf } from '../../formats/urdf-writer.js';
import { JOINT_TYPES, type JointTypeName } from '../../joints/index.js';
import { formatProblem } from '../../mechanism/errors.js';
import { reroot } from '../../mechanism/reroot.js';
import type { Vec3 } from '../../spatial/matrix3.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { writeOutput } from '../output-file.js';
import { formatNumber, type Terminal, table } from '../terminal.js';

interface Options extends ModelOptions, StateOptions {
  readonly top: string;
  readonly at: Vec3;
  readonly joint: JointTypeName;
  readonly axis?: Vec3;
  readonly axis2?: Vec3;
  readonly pitch?: number;
  readonly pose: 'refuse' | 'tree';
  readonly velocity: 'refuse' | 'drop';
  readonly urdf?: string;
  readonly json?: boolean;
}

/** Three numbers with commas between them. */
export function point(text: string): Vec3 {
  const values = text.split(',').map((word) => (word.trim() === '' ? Number.NaN : Number(word)));
  if (values.length !== 3 || !values.every(Number.isFinite))
    throw new InvalidArgumentError('Expected three finite numbers x,y,z.');
  return values as unknown as Vec3;
}

function finite(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a finite number.');
  return value;
}

export function configureReroot(command: Command, terminal: Terminal): void {
  withState(withModel(command))
    .requiredOption('--top <body>', 'the body that hangs from the ground')
    .requiredOption('--at <x,y,z>', 'where its joint is, ground coordinates', point)
    .addOption(
      new Option('--joint <type>', 'type of that joint')
        .choices(JOINT_TYPES.map(({ name }) => name))
        .makeOptionMandatory(),
    )
    .option('--axis <x,y,z>', 'its axis, ground coordinates (default: 0,0,1)', point)
    .option('--axis2 <x,y,z>', 'second axis of a universal joint (default: 0,1,0)', point)
    .option('--pitch <m/rad>', 'pitch of a helical joint', finite)
    .addOption(
      new Option('--pose <how>', 'what the joint cannot hold of the pose: refuse, or put it into the tree transform')
        .choices(['refuse', 'tree'])
        .default('refuse'),
    )
    .addOption(
      new Option('--velocity <how>', 'what it cannot hold of the velocity')
        .choices(['refuse', 'drop'])
        .default('refuse'),
    )
    .option('--urdf <file>', 'write the new mechanism as URDF')
    .option('--json', 'print the new description with its state')
    .addHelpText(
      'after',
      '\nExamples:\n  manikin reroot human-34 --seed 1 --top left_foot --at 0,0.1,0 --joint floating --json > left.json\n  manikin reroot compass --top swing_leg --at 0,0,0 --joint revolute --axis 0,-1,0 --json',
    )
    .action((name: string, options: Options) => rerootModel(name, options, terminal));
}

async function rerootModel(name: string, options: Options, terminal: Terminal): Promise<void> {
  const model = await loadModel(name, options, terminal);
  const { state } = await chooseState(model, options);
  const { top, at, joint: type, axis, axis2, pitch, pose, velocity, urdf } = options;
  const joint = { type, ...(axis && { axis }), ...(axis2 && { axis2 }), ...(pitch !== undefined && { pitch }) };
  const { mechanism, state: next } = reroot(model.mechanism, state, { top, at, joint, pose, velocity });
  if (urdf !== undefined) {
    const { text, notes } = formatUrdf(mechanism);
    writeOutput(urdf, text);
    for (const problem of notes) terminal.err(`Note: ${formatProblem(problem)}\n`);
    terminal.err(`written: ${urdf}\n`);
  }
  if (options.json === true) {
    terminal.out(`${formatJson(formatDescription(mechanism, next))}\n`);
    return;
  }
  const changed = mechanism.joints.flatMap((now, i) => {
    const before = model.mechanism.joints[i];
    if (now.name === before.name && now.parent === before.parent && now !== mechanism.joints[mechanism.bodyIndex(top)])
      return [];
    const parent = now.parent < 0 ? 'ground' : mechanism.bodies[now.parent].name;
    const q = [...next.q.subarray(now.iq, now.iq + now.model.nq)].map(formatNumber).join(' ');
    return [[mechanism.bodies[i].name, parent, now.name, now.type, q]];
  });
  terminal.out(`${table(['body', 'hangs from', 'by joint', 'type', 'q'], changed)}\n`);
  terminal.out(`\nall other joints are as they were; --json prints the whole description\n`);
}
