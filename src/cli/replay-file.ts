// A replay that is written while something is simulated.

import { type Dynamics, dynamics } from '../dynamics/dynamics.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { formatReplay } from '../plot/replay.js';
import { type ReplayMoment, ReplayRecorder, type ReplayRecorderOptions } from '../plot/replay-recorder.js';
import type { World } from '../simulation/world/world.js';
import { norm, scale, type Vec3 } from '../spatial/matrix3.js';
import { OutputFile } from './output-file.js';
import { replayPlayer } from './replay-player.js';

/** Seconds between moments: what screens show. */
const BETWEEN = 1 / 60;

/** Against gravity; z where there is none. */
export function upwards(gravity: Vec3): Vec3 {
  return norm(gravity) > 0 ? scale(-1 / norm(gravity), gravity) : [0, 0, 1];
}

export class ReplayFile {
  readonly path: string;
  readonly #file: OutputFile;
  readonly #player: string;
  readonly #recorder: ReplayRecorder;
  #next = Number.NEGATIVE_INFINITY;
  readonly #known = new WeakMap<Mechanism, Dynamics>();

  constructor(path: string, options: Omit<ReplayRecorderOptions, 'curves'>) {
    this.path = path;
    this.#player = replayPlayer();
    this.#file = new OutputFile(path);
    this.#recorder = new ReplayRecorder({
      ...options,
      curves: [{ title: 'Energy', unit: 'J', names: ['kinetic', 'potential', 'total'] }],
    });
  }

  /** Whether the next moment has come. */
  due(time: number): boolean {
    return time >= this.#next;
  }

  add({
    energy: { kinetic, potential },
    ...moment
  }: ReplayMoment & { readonly energy: { readonly kinetic: number; readonly potential: number } }): void {
    this.#next = moment.time + BETWEEN - 1e-9;
    this.#recorder.add({ ...moment, values: [kinetic, potential, kinetic + potential] });
  }

  /** All of a world, where the next moment has come. */
  lookAt(world: World): void {
    if (!this.due(world.time)) return;
    const touching = world.contacts().filter(({ mode }) => mode !== 'open');
    this.add({
      time: world.time,
      members: world.members.map(({ name, state: { mechanism } }) => ({ name, mechanism })),
      poses: world.members.map(({ state }) => this.#dynamics(state.mechanism).poses(state)),
      // On what moves: where the first of the two is the ground, on the other.
      forces: touching.flatMap(({ a, position, force }) => [
        ...position,
        ...(a.member === undefined ? force.map((x) => -x) : force),
      ]),
      energy: world.energy(),
    });
  }

  #dynamics(mechanism: Mechanism): Dynamics {
    const known = this.#known.get(mechanism) ?? dynamics(mechanism, { engine: 'plain' });
    this.#known.set(mechanism, known);
    return known;
  }

  finish(): void {
    this.#file.write(formatReplay(this.#recorder.finish(), this.#player));
    this.#file.finish();
  }
}
