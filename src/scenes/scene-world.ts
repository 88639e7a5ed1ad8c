// A scene at work: the world that it describes, and its events.

import type { Problem } from '../mechanism/errors.js';
import { ImportError, MechanismError } from '../mechanism/errors.js';
import { nearNames } from '../mechanism/near-names.js';
import type { Checkpoint } from '../simulation/world/checkpoint.js';
import type { Member } from '../simulation/world/member.js';
import type { World } from '../simulation/world/world.js';
import { scale, ZERO3 } from '../spatial/matrix3.js';
import { type BeforeStep, type ControlContext, driveMember } from './controls.js';
import { DEFAULT_DURATION } from './parse-scene.js';
import type { Scene, SceneConnection, SceneEvent, ScenePush } from './scene.js';

/** A scene at a time: its world, and how many of its events have happened. */
export interface SceneCheckpoint {
  readonly world: Checkpoint;
  readonly events: number;
}

/** What a mechanism of a scene became. */
export interface SceneMember {
  readonly member: Member;
  readonly context: ControlContext;
}

/**
 * A scene that runs. `sceneWorld` makes it.
 *
 *     const run = sceneWorld(parseScene(text));
 *     run.runUntil(run.duration);
 */
export class SceneWorld {
  readonly scene: Scene;
  readonly world: World;
  /** Seconds. */
  readonly duration: number;
  /** What was noticed and let pass while it was made. */
  readonly warnings: readonly Problem[];
  /** What has happened, one sentence each. */
  readonly story: string[] = [];
  readonly #members: readonly SceneMember[];
  readonly #events: readonly { readonly event: SceneEvent; readonly path: string }[];
  readonly #before = new Map<Member, readonly BeforeStep[]>();
  #done = 0;

  constructor(scene: Scene, world: World, members: readonly SceneMember[], warnings: readonly Problem[]) {
    this.scene = scene;
    this.world = world;
    this.warnings = warnings;
    this.duration = scene.duration ?? DEFAULT_DURATION;
    this.#members = members;
    this.#events = (scene.events ?? [])
      .map((event, k) => ({ event, path: `events[${k}]` }))
      // Of one time in the order of the file.
      .sort((a, b) => a.event.at - b.event.at);
    for (const [k, connection] of (scene.connect ?? []).entries()) this.#connect(connection, `connect[${k}]`);
    this.#checkEvents();
    this.#driveFromStart();
  }

  get time(): number {
    return this.world.time;
  }

  /** Whether anything but gravity may do work: controls, pushes, changes of structure. */
  get driven(): boolean {
    return this.#events.length > 0 || this.scene.mechanisms.some(({ control }) => control !== undefined);
  }

  /** One step: first what is due, then the world. */
  step(h = this.world.stepSize): void {
    const { world } = this;
    const now = world.time + 1e-9 * world.stepSize;
    while (this.#done < this.#events.length && this.#events[this.#done].event.at <= now) {
      const { event, path } = this.#events[this.#done++];
      this.#happen(event, path);
    }
    // Pushes follow from the time alone: nothing of them is to be kept.
    for (const { event, path } of this.#events) {
      if (!(event.at < world.time + h)) break;
      if ('push' in event) this.#push(event.push, partOf(event.at, event.push.duration, world.time, h), path);
    }
    for (const [member, actions] of this.#before) for (const act of actions) act(member);
    world.step(h);
  }

  /** Whole steps until the time is reached, the last one shortened where it is not whole; `onStep` may stop it by returning false. */
  runUntil(end: number, onStep?: (run: SceneWorld) => boolean | undefined): void {
    while (this.stepTowards(end)) if (onStep?.(this) === false) return;
  }

  /** A step that does not go beyond a time; false: the time is reached. */
  stepTowards(end: number): boolean {
    const h = this.world.lengthTowards(end);
    if (h > 0) this.step(h);
    return h > 0;
  }

  /** Everything that the next steps depend on. */
  save(): SceneCheckpoint {
    return { world: this.world.save(), events: this.#done };
  }

  /** Back to a checkpoint of this scene. */
  restore({ world, events }: SceneCheckpoint): void {
    // Structure first: it says which joints can be driven.
    this.world.restore(world);
    this.#driveFromStart();
    for (const { event } of this.#events.slice(0, events))
      if ('control' in event) this.#drive(this.#member(event.mechanism, ''), event.control ?? undefined);
    // Each event that is taken back takes its sentence with it.
    this.story.splice(Math.max(0, this.story.length - Math.max(0, this.#done - events)));
    this.#done = events;
  }

  #driveFromStart(): void {
    this.scene.mechanisms.forEach(({ control }, k) => {
      located(`mechanisms[${k}].control`, () => this.#drive(this.#members[k], control));
    });
  }

  #drive(member: SceneMember, control: Parameters<typeof driveMember>[0]): void {
    this.#before.set(member.member, driveMember(control, member.context));
  }

  #happen(event: SceneEvent, path: string): void {
    const time = `${Number(this.world.time.toFixed(6))} s`;
    if ('connect' in event) {
      const lost = this.#connect(event.connect, `${path}.connect`);
      this.story.push(`${time}: ${event.connect.name} joined, ${Number(lost.toPrecision(4))} J lost`);
    } else if ('disconnect' in event) {
      this.world.disconnect(this.#holder(event.disconnect, `${path}.disconnect`), event.disconnect);
      this.story.push(`${time}: ${event.disconnect} released`);
    } else if ('push' in event) {
      const { body, force, duration } = event.push;
      this.story.push(`${time}: ${body} pushed with ${Math.hypot(...force).toPrecision(3)} N for ${duration} s`);
    } else {
      const member = this.#member(event.mechanism, path);
      located(`${path}.control`, () => this.#drive(member, event.control ?? undefined));
      this.story.push(
        `${time}: ${member.member.name} ${event.control === null ? 'no longer driven' : 'driven otherwise'}`,
      );
    }
  }

  #connect(connection: SceneConnection, path: string): number {
    const { member } = this.#member(connection.mechanism, path);
    const { name, a, b = null, joint } = connection;
    return located(path, () => {
      const at = connection.at ?? this.world.pose(member, a).t;
      return this.world.connect(member, { name, a, b, joint, at }).energyLost;
    });
  }

  /** Pushes with a part of the force. */
  #push({ mechanism, body, force, moment = ZERO3 }: ScenePush, part: number, path: string): void {
    if (part === 0) return;
    const { member } = this.#member(mechanism, `${path}.push`);
    member.push(body, scale(part, force), undefined, scale(part, moment));
  }

  #member(name: string | undefined, path: string): SceneMember {
    const names = this.#members.map(({ member }) => member.name);
    if (name === undefined) {
      if (this.#members.length === 1) return this.#members[0];
      throw ImportError.of('scene', path, `Which mechanism? Give "mechanism": one of ${names.slice(0, 8).join(', ')}.`);
    }
    const found = this.#members[names.indexOf(name)];
    if (found === undefined)
      throw ImportError.of('scene', `${path}.mechanism`, `There is no mechanism "${name}". ${nearNames(name, names)}`);
    return found;
  }

  /** The mechanism that has a joint or connection of that name now. */
  #holder(joint: string, path: string): Member {
    const held = this.#members
      .map(({ member }) => member)
      .filter(
        ({ state: { mechanism } }) => mechanism.hasJoint(joint) || mechanism.loops.some(({ name }) => name === joint),
      );
    if (held.length === 1) return held[0];
    const names = this.#members.flatMap(
      ({
        member: {
          state: { mechanism },
        },
      }) => [...mechanism.loops, ...mechanism.joints].map(({ name }) => name),
    );
    const message =
      held.length === 0
        ? `There is no joint or connection "${joint}". ${nearNames(joint, names)}`
        : `Several mechanisms have a joint "${joint}": ${held
            .map(({ name }) => name)
            .slice(0, 8)
            .join(', ')}. Give it names of its own.`;
    throw ImportError.of('scene', path, message);
  }

  /** Names in events are looked up at the start, not when it is too late. */
  #checkEvents(): void {
    const joined = new Set<string>();
    for (const { event, path } of this.#events) {
      if ('connect' in event) {
        const { mechanism } = this.#member(event.connect.mechanism, `${path}.connect`).member.state;
        for (const key of ['a', 'b'] as const) {
          const body = event.connect[key];
          if (typeof body === 'string') located(`${path}.connect.${key}`, () => mechanism.bodyIndex(body));
        }
        joined.add(event.connect.name);
      } else if ('disconnect' in event) {
        if (!joined.has(event.disconnect)) this.#holder(event.disconnect, `${path}.disconnect`);
      } else if ('push' in event) {
        const { mechanism } = this.#member(event.push.mechanism, `${path}.push`).member.state;
        located(`${path}.push.body`, () => mechanism.bodyIndex(event.push.body));
      } else {
        const member = this.#member(event.mechanism, path);
        // Only to see whether it can be; what drives it at the start comes after.
        located(`${path}.control`, () => this.#drive(member, event.control ?? undefined));
      }
    }
  }
}

/** The part of a step in which something lasts, so that force times duration is the impulse whatever the step; without rounding of sums of steps. */
function partOf(at: number, duration: number, time: number, h: number): number {
  const part = (Math.min(at + duration, time + h) - Math.max(at, time)) / h;
  return part < 1e-9 ? 0 : part > 1 - 1e-9 ? 1 : part;
}

/** What goes wrong is told with its place in the scene. */
export function located<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof MechanismError) && !(error instanceof ImportError)) throw error;
    throw new ImportError(
      error.problems.map(({ code, where, message }) => ({
        code,
        where: where === '' ? path : `${path}: ${where}`,
        message,
      })),
      path,
    );
  }
}
