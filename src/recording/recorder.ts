// Writes what happens in a World as an MCAP file, which Foxglove opens and `readRecording` reads again. Chunks are written as
// they fill: of a file whose program was killed, all but the last chunk can be read.

import { McapWriter } from '@mcap/core';
import { type Dynamics, dynamics } from '../dynamics/dynamics.js';
import { formatDescription } from '../formats/description.js';
import type { Mechanism, Shape } from '../mechanism/mechanism.js';
import type { Member } from '../simulation/world/member.js';
import type { World } from '../simulation/world/world.js';
import type { Mat3 } from '../spatial/matrix3.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { forceEntity, orientation, sceneEntity, type TimeStamp, xyz } from './scene-entities.js';
import { TOPICS, type Topic } from './schemas.js';

/** Where bytes go: a file, a list, a stream. */
export interface RecordingSink {
  /** Takes the next bytes of the recording. */
  write(bytes: Uint8Array): Promise<unknown>;
}

/** What can be chosen about a recording. */
export interface RecorderOptions {
  /** Bytes of a chunk, which is what a crash may lose; 256 kB where left out. */
  readonly chunkSize?: number;
}

const FRAME = 'world';

/**
 * Records a World: the models and their shapes once, then at every call of `record` the poses of all bodies, joint positions and
 * velocities, contacts and their forces as arrows, energies and how the step went.
 *
 *     const recorder = await Recorder.begin(world, sink);
 *     while (world.time < 5) {
 *       world.step();
 *       await recorder.record();
 *     }
 *     await recorder.end();
 */
export class Recorder {
  readonly #world: World;
  readonly #writer: McapWriter;
  readonly #channels = new Map<Topic, number>();
  readonly #text = new TextEncoder();
  /** What was said of each member: its structure may change. */
  readonly #told = new Map<Member, { readonly mechanism: Mechanism; readonly dynamics: Dynamics }>();
  /** Calls follow each other. */
  #last: Promise<void> = Promise.resolve();
  #sequence = 0;

  private constructor(world: World, writer: McapWriter) {
    this.#world = world;
    this.#writer = writer;
  }

  /** Writes the head of the file, the models, and the world as it is. */
  static async begin(world: World, sink: RecordingSink, options: RecorderOptions = {}): Promise<Recorder> {
    const { chunkSize = 256 * 1024 } = options;
    let written = 0n;
    const writable = {
      write: async (bytes: Uint8Array): Promise<void> => {
        await sink.write(bytes);
        written += BigInt(bytes.length);
      },
      position: () => written,
    };
    const writer = new McapWriter({ writable, chunkSize });
    const recorder = new Recorder(world, writer);
    await writer.start({ profile: '', library: 'manikin' });
    const text = new TextEncoder();
    for (const [topic, schema] of Object.entries(TOPICS) as [Topic, { title?: string }][]) {
      const data = text.encode(JSON.stringify(schema));
      const schemaId = await writer.registerSchema({ name: schema.title ?? topic, encoding: 'jsonschema', data });
      const channel = { topic, schemaId, messageEncoding: 'json', metadata: new Map<string, string>() };
      recorder.#channels.set(topic, await writer.registerChannel(channel));
    }
    await recorder.record();
    return recorder;
  }

  /** The present moment of the world. */
  record(): Promise<void> {
    const messages = this.#messages();
    this.#last = this.#last.then(async () => {
      for (const [topic, time, message] of messages)
        await this.#writer.addMessage({
          channelId: this.#channels.get(topic)!,
          sequence: this.#sequence++,
          logTime: time,
          publishTime: time,
          data: this.#text.encode(JSON.stringify(message)),
        });
    });
    return this.#last;
  }

  /** Finishes the file: what is left of the last chunk, and an index. */
  end(): Promise<void> {
    this.#last = this.#last.then(() => this.#writer.end());
    return this.#last;
  }

  #messages(): (readonly [Topic, bigint, object])[] {
    const { time, members, obstacles } = this.#world;
    const nanoseconds = Math.round(time * 1e9);
    const timestamp: TimeStamp = { sec: Math.floor(nanoseconds / 1e9), nsec: nanoseconds % 1e9 };
    const at = BigInt(nanoseconds);
    const out: (readonly [Topic, bigint, object])[] = [];
    const say = (topic: Topic, message: object): void => void out.push([topic, at, message]);
    if (this.#sequence === 0 && this.#told.size === 0 && obstacles.length > 0)
      say('/scene', {
        deletions: [],
        entities: [
          sceneEntity(
            FRAME,
            obstacles.map(({ shape }) => shape),
            timestamp,
          ),
        ],
      });
    const transforms: object[] = [];
    const jointStates: object[] = [];
    for (const member of members) {
      const { name, state } = member;
      const { mechanism } = state;
      let told = this.#told.get(member);
      if (told?.mechanism !== mechanism) {
        told = { mechanism, dynamics: dynamics(mechanism, { engine: 'plain' }) };
        this.#told.set(member, told);
        say('/model', { timestamp, member: name, description: formatDescription(mechanism, state) });
        say('/scene', {
          deletions: [],
          entities: mechanism.bodies.map(({ name: body, visuals, collisions }) =>
            sceneEntity(frameOf(name, body), drawn(visuals, collisions), timestamp),
          ),
        });
      }
      const poses = told.dynamics.poses(state);
      mechanism.bodies.forEach(({ name: body }, k) => {
        const E = Array.from(poses.subarray(TRANSFORM * k, TRANSFORM * k + 9)) as unknown as Mat3;
        const [x, y, z] = poses.subarray(TRANSFORM * k + 9, TRANSFORM * (k + 1));
        transforms.push({
          timestamp,
          parent_frame_id: FRAME,
          child_frame_id: frameOf(name, body),
          translation: { x, y, z },
          rotation: orientation(E),
        });
      });
      // Foxglove's joints have one degree of freedom; those of /joints any.
      for (const { name: joint, iq, iv, model } of mechanism.joints)
        if (model.nq === 1)
          jointStates.push({ name: frameOf(name, joint), position: state.q[iq], velocity: state.v[iv] });
      say('/joints', {
        timestamp,
        member: name,
        joints: mechanism.joints
          .filter(({ model }) => model.nq > 0)
          .map(({ name: joint, iq, iv, model }) => ({
            name: joint,
            q: [...state.q.subarray(iq, iq + model.nq)],
            v: [...state.v.subarray(iv, iv + model.nv)],
          })),
      });
    }
    say('/tf', { transforms });
    say('/joint_states', { timestamp, joints: jointStates });
    const contacts = this.#world.contacts();
    say('/contact_forces', {
      deletions: [],
      entities: [forceEntity(FRAME, contacts, this.#arrowScale(), timestamp)],
    });
    say('/contacts', {
      timestamp,
      contacts: contacts.map(({ a, b, position, normal, depth, force, mode }) => ({
        a: a.member === undefined ? a.body : frameOf(a.member, a.body),
        b: b.member === undefined ? b.body : frameOf(b.member, b.body),
        position: xyz(position),
        normal: xyz(normal),
        depth,
        force: xyz(force),
        mode,
      })),
    });
    const { kinetic, potential } = this.#world.energy();
    say('/step', { timestamp, kinetic, potential, ...this.#world.report });
    return out;
  }

  /** Metres of an arrow for each newton: the weight of the heaviest member has an arrow of half a metre. */
  #arrowScale(): number {
    const mass = this.#world.members.reduce((most, { articulation }) => Math.max(most, articulation.mass), 0);
    return mass > 0 ? 0.5 / (9.81 * mass) : 0;
  }
}

const frameOf = (member: string, body: string): string => `${member}/${body}`;

/** What a body looks like: its own pictures, or the shapes that it touches with. */
const drawn = (visuals: readonly Shape[], collisions: readonly Shape[]): readonly Shape[] =>
  visuals.length > 0 ? visuals : collisions;
