// A scene: a mechanism, where it starts, and what is joined and released while it moves.

import type { ConnectOptions } from '../dynamics/connect.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import type { Vec3 } from '../spatial/matrix3.js';
import type { Simulation } from './simulation.js';

export type SceneEvent =
  | { readonly time: number; readonly disconnect: string }
  /** Joined where the origin of body a is at that moment, unless the options say where. */
  | { readonly time: number; readonly connect: ConnectOptions };

export interface Scene {
  readonly name: string;
  readonly description: string;
  /** Name of the built-in mechanism. */
  readonly model: string;
  /** Joints that do not start at their neutral position and at rest. */
  readonly start: readonly {
    readonly joint: string;
    readonly q: number | readonly number[];
    readonly v?: number | readonly number[];
  }[];
  readonly duration: number;
  /** In the order of their times. */
  readonly events: readonly SceneEvent[];
}

/**
 * The figure of paper 000, figure 7: it hangs from a bar with both hands, swings, lets go with the right hand, then with the
 * left.
 */
const HUMAN_BAR: Scene = {
  name: 'human-34-bar',
  description: 'human-34 holds a bar with both hands, releases the right, then the left (paper 000, figure 7)',
  model: 'human-34',
  start: [
    { joint: 'left_shoulder_y', q: -2.9 },
    { joint: 'right_shoulder_y', q: -2.9 },
    { joint: 'left_hip_y', q: -0.7 },
    { joint: 'right_hip_y', q: -0.6 },
    { joint: 'left_knee', q: 0.6 },
    { joint: 'right_knee', q: 0.5 },
  ],
  duration: 2,
  events: [
    { time: 0, connect: { name: 'left_grip', a: 'left_hand', b: null, joint: { type: 'revolute', axis: [0, 1, 0] } } },
    {
      time: 0,
      connect: { name: 'right_grip', a: 'right_hand', b: null, joint: { type: 'revolute', axis: [0, 1, 0] } },
    },
    { time: 0.8, disconnect: 'right_grip' },
    { time: 1.4, disconnect: 'left_grip' },
  ],
};

export const SCENES: readonly Scene[] = [HUMAN_BAR];

export function sceneState(scene: Scene, mechanism: Mechanism): State {
  const state = new State(mechanism);
  for (const { joint, q, v } of scene.start) state.set(joint, q, v);
  return state;
}

/** Joins or releases, and says what happened. */
export function applyEvent(simulation: Simulation, event: SceneEvent): string {
  const time = `${Number(simulation.time.toFixed(6))} s`;
  if ('disconnect' in event) {
    simulation.disconnect(event.disconnect);
    return `${time}: ${event.disconnect} released`;
  }
  const { connect } = event;
  const at = connect.at ?? (connect.frames === undefined ? originOf(simulation, connect.a) : undefined);
  const { energyLost } = simulation.connect({ ...connect, ...(at !== undefined && { at }) });
  return `${time}: ${connect.name} joined, ${Number(energyLost.toPrecision(4))} J lost`;
}

function originOf({ dynamics, state }: Simulation, body: string): Vec3 {
  return dynamics.pose(state, body).t;
}
