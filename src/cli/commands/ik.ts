// manikin ik: positions of the joints that bring a frame to a pose; of markers: ik-markers.ts.

import type { Command } from 'commander';
import { formatJson } from '../../formats/json-writer.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { rotationFromQuaternion, transpose } from '../../spatial/matrix3.js';
import { type IkResult, type IkTask, inverseKinematics } from '../../toolbox/index.js';
import { InputError } from '../errors.js';
import { chooseState, integer, loadModel, type ModelOptions, withModel } from '../model-argument.js';
import { formatNumber, type Terminal, table } from '../terminal.js';
import { ikOfMarkers, isMarkers, type MarkerCommand } from './ik-markers.js';

interface Options extends ModelOptions {
  readonly frame?: string;
  readonly pose?: string;
  readonly position?: string;
  readonly start?: string;
  readonly starts?: number;
  readonly seed?: number;
  readonly json?: boolean;
}

export function configureIk(command: Command, terminal: Terminal): void {
  withModel(command)
    .option('--frame <name>', 'the body or named frame that shall be there')
    .option('--pose <x,y,z,qw,qx,qy,qz>', 'its origin and orientation (quaternion) in the ground')
    .option('--position <x,y,z>', 'or its origin alone')
    .option('--start <file>', 'positions to begin with, a file as fd and id print it with --json')
    .option('--starts <n>', 'starts that are tried, at random places after the first (default: 100)', integer)
    .option('--seed <n>', 'of the random starts', integer)
    .option('--model <model>', 'for markers: the model that follows them')
    .option('--out <file>', 'for markers: write the coordinates (.mot)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      "\nExample:\n  manikin ik panda.urdf --frame panda_hand_tcp --pose 0.4,0.1,0.5,0,1,0,0\n\nMarkers (.trc, .c3d) of motion capture, or a set-up of OpenSim's inverse kinematics, in place of the model:\n  manikin ik walk.trc --model subject.osim --out walk.mot\n  manikin ik walk_Setup_IK.xml\n\nMetres and radians. Joints keep within their limits; where the pose cannot be reached the nearest positions are printed.",
    )
    .action(async (name: string, options: Options & MarkerCommand) => {
      if (isMarkers(name)) {
        ikOfMarkers(name, options, terminal);
        return;
      }
      for (const option of ['model', 'out'] as const)
        if (options[option] !== undefined)
          throw new InputError(
            `--${option} is for markers (.trc, .c3d, or a set-up that names them), not for a model.`,
          );
      const model = await loadModel(name, options, terminal);
      const { mechanism } = model;
      const task = taskOf(options);
      const { state } = await chooseState(model, options.start === undefined ? {} : { state: options.start });
      const { starts, seed } = options;
      const result = inverseKinematics(mechanism, [task], {
        start: state.q,
        ...(starts !== undefined && { starts }),
        ...(seed !== undefined && { seed }),
      });
      terminal.out(
        options.json === true ? `${formatJson(report(mechanism, name, result))}\n` : print(mechanism, result),
      );
    });
}

function taskOf({ frame, pose, position }: Options): IkTask {
  if (frame === undefined) throw new InputError('Say which frame: --frame NAME ("manikin frames MODEL" lists them).');
  if ((pose === undefined) === (position === undefined))
    throw new InputError('Give one of --pose x,y,z,qw,qx,qy,qz and --position x,y,z.');
  if (position !== undefined) {
    const [x, y, z] = numbers('--position', position, 3);
    return { kind: 'position', frame, position: [x, y, z] };
  }
  const [x, y, z, ...q] = numbers('--pose', pose!, 7);
  const size = Math.hypot(...q);
  if (!(size > 1e-6)) throw new InputError('The quaternion of --pose must not be zero.');
  const [w, a, b, c] = q.map((value) => value / size);
  return { kind: 'pose', frame, pose: { E: transpose(rotationFromQuaternion([w, a, b, c])), t: [x, y, z] } };
}

function numbers(option: string, text: string, count: number): number[] {
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.length !== count || !values.every(Number.isFinite))
    throw new InputError(`${option} takes ${count} numbers with commas between them, got "${text}".`);
  return values;
}

function jointsOf({ joints }: Mechanism, q: State['q']): { readonly name: string; readonly q: readonly number[] }[] {
  return joints
    .filter(({ model }) => model.nq > 0)
    .map(({ name, iq, model }) => ({ name, q: Array.from(q.subarray(iq, iq + model.nq)) }));
}

function report(mechanism: Mechanism, model: string, { q, ...rest }: IkResult) {
  const { converged, iterations, error, starts, tasks } = rest;
  return { model, converged, iterations, error, starts, joints: jointsOf(mechanism, q), tasks };
}

function print(mechanism: Mechanism, { q, converged, error, iterations, starts, tasks }: IkResult): string {
  const rows = jointsOf(mechanism, q).map((joint) => [joint.name, joint.q.map(formatNumber).join(', ')]);
  const verdict = converged
    ? `Reached within ${error.toExponential(1)} in ${iterations} steps.`
    : `Not reached from ${starts} starts: ${tasks
        .filter(({ met }) => !met)
        .map((task) => `${task.name} is off by ${formatNumber(task.error)}`)
        .join(', ')} (metres, radians).`;
  return `${verdict}\n\n${table(['joint', 'q'], rows)}\n`;
}
