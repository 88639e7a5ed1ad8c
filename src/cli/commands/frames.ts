// manikin frames: where the frames of a model are and how they move.

import type { Command } from 'commander';
import { type Dynamics, dynamics } from '../../dynamics/dynamics.js';
import type { InOption } from '../../dynamics/frames.js';
import { formatJson } from '../../formats/json-writer.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { transpose } from '../../spatial/matrix3.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { type Terminal, table } from '../terminal.js';

interface Options extends ModelOptions, StateOptions {
  readonly frame?: string;
  readonly json?: boolean;
}

const AXES = ['frame', 'aligned', 'world'] as const;

export function configureFrames(command: Command, terminal: Terminal): void {
  withState(withModel(command))
    .option('--frame <name>', 'this one only, with its Jacobian and the rate of that')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  manikin frames panda.urdf --seed 1 --frame panda_hand_tcp --json\n\n"frame": at its origin, along its own axes; "aligned": along the axes of the ground; "world": at the origin of the ground.',
    )
    .action(async (name: string, options: Options) => {
      const model = await loadModel(name, options, terminal);
      const { mechanism } = model;
      const { state, qdd } = await chooseState(model, options);
      const door = dynamics(mechanism, { engine: 'plain' });
      const wanted = options.frame === undefined ? framesOf(mechanism) : [mechanism.frame(options.frame)];
      const frames = door.still(() =>
        wanted.map(({ name: frame, body }) => ({
          name: frame,
          body: mechanism.bodies[body].name,
          ...motionOf(door, state, frame, qdd),
        })),
      );
      const jacobians = options.frame === undefined ? {} : jacobiansOf(door, state, options.frame);
      if (options.json === true) {
        const whole = frames.map((frame) => ({ ...frame, ...jacobians }));
        terminal.out(`${formatJson({ model: name, columns: columnsOf(mechanism), frames: whole })}\n`);
        return;
      }
      const rows = frames.map(({ name: frame, body, pose, velocity }) => [
        frame,
        body,
        ...pose.p,
        ...velocity.aligned.angular,
        ...velocity.aligned.linear,
      ]);
      const head = ['frame', 'body', 'x', 'y', 'z', 'wx', 'wy', 'wz', 'vx', 'vy', 'vz'];
      terminal.out(`${table(head, rows)}\n`);
    });
}

/** All of them: the frames of the bodies, then the named ones. */
function framesOf(mechanism: Mechanism): readonly { readonly name: string; readonly body: number }[] {
  const named = mechanism.frames.filter(({ name }) => !mechanism.hasBody(name));
  return [...mechanism.bodies.map(({ name }, body) => ({ name, body })), ...named];
}

/** What stands at each place of v: the name of the joint, with a number where it has several. */
export function columnsOf({ joints, nv }: Mechanism): string[] {
  const columns = new Array<string>(nv);
  for (const { name, iv, model } of joints)
    for (let k = 0; k < model.nv; k++) columns[iv + k] = model.nv === 1 ? name : `${name}[${k}]`;
  return columns;
}

function motionOf(door: Dynamics, state: State, frame: string, qdd: Float64Array | undefined) {
  const { E, t } = door.pose(state, frame);
  const by = <T>(of: (options: InOption) => T) => ({
    frame: of({ in: 'frame' }),
    aligned: of({ in: 'aligned' }),
    world: of({ in: 'world' }),
  });
  return {
    pose: { R: transpose(E), p: t },
    velocity: by((options) => door.velocity(state, frame, options)),
    acceleration: by((options) => door.acceleration(state, frame, { ...options, ...(qdd !== undefined && { qdd }) })),
  };
}

function jacobiansOf(door: Dynamics, state: State, frame: string) {
  const rows = (J: Float64Array): number[][] =>
    Array.from({ length: 6 }, (_, row) => Array.from(J.subarray((row * J.length) / 6, ((row + 1) * J.length) / 6)));
  const by = (of: (options: InOption) => Float64Array) =>
    Object.fromEntries(AXES.map((axes) => [axes, rows(of({ in: axes }))]));
  return {
    jacobian: by((options) => door.jacobian(state, frame, options)),
    jacobianRate: by((options) => door.jacobianRate(state, frame, options)),
  };
}
