import * as foxglove from '@foxglove/schemas/jsonschema.js';
import { McapStreamReader } from '@mcap/core';
import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { Random } from '../../src/mechanism/random.js';
import type { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { Recorder, readRecording } from '../../src/recording/index.js';
import { box, World } from '../../src/simulation/world/index.js';
import type { Vec3 } from '../../src/spatial/matrix3.js';

const handOf = (state: State): Vec3 => dynamics(state.mechanism, { engine: 'plain' }).pose(state, 'left_hand').t;

/** A figure and a box fall; half way a hand is joined to the ground. Returns the bytes, and what the states were. */
async function recorded(
  chunkSize?: number,
): Promise<{ bytes: Uint8Array; states: [number, Float64Array, Float64Array][] }> {
  const world = new World({ step: 2e-3 });
  world.ground({ friction: 0.7 });
  const figure = world.add(builtinMechanism('human-34'), { at: [0, 0, 1.2], name: 'figure' });
  world.add(box([0.3, 0.2, 0.1], { mass: 2 }), { at: [1, 0, 0.0501], spin: [0, 0, 1], name: 'box' });
  const chunks: Uint8Array[] = [];
  const sink = { write: async (chunk: Uint8Array) => void chunks.push(chunk.slice()) };
  const recorder = await Recorder.begin(world, sink, chunkSize === undefined ? {} : { chunkSize });
  const states: [number, Float64Array, Float64Array][] = [];
  const keep = (): void => void states.push([world.time, figure.state.q.slice(), figure.state.v.slice()]);
  keep();
  for (let k = 0; k < 20; k++) {
    if (k === 10)
      world.connect(figure, {
        name: 'grip',
        a: 'left_hand',
        b: null,
        joint: { type: 'spherical' },
        at: handOf(figure.state),
      });
    world.step();
    await recorder.record();
    keep();
  }
  await recorder.end();
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { bytes, states };
}

type Schema = {
  readonly type?: string;
  readonly properties?: { readonly [key: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
};

/** What Foxglove would object to. */
function objections(schema: Schema, value: unknown, path = ''): string[] {
  const { type, properties = {}, required = [], items } = schema;
  if (type === 'array')
    return Array.isArray(value)
      ? value.flatMap((one, k) => objections(items ?? {}, one, `${path}[${k}]`))
      : [`${path} is no array`];
  if (type === 'object') {
    const given = value as { readonly [key: string]: unknown };
    return [
      ...required.filter((key) => !(key in given)).map((key) => `${path}.${key} is missing`),
      ...Object.keys(given).flatMap((key) =>
        key in properties ? objections(properties[key], given[key], `${path}.${key}`) : [`${path}.${key} is unknown`],
      ),
    ];
  }
  if (type === 'integer') return Number.isInteger(value) ? [] : [`${path} is no integer`];
  if (type === undefined) return [];
  return typeof value === type ? [] : [`${path} is no ${type}`];
}

describe('recordings', () => {
  it('give back every state to the last bit, through a change of structure', async () => {
    const { bytes, states } = await recorded();
    const recording = readRecording(bytes);
    expect(recording.complete).toBe(true);
    expect(recording.moments).toHaveLength(states.length);
    recording.moments.forEach(({ time, states: found }, k) => {
      expect(time).toBeCloseTo(states[k][0], 9);
      expect([...found.keys()]).toEqual(['figure', 'box']);
      const { q, v } = found.get('figure')!;
      // JSON knows no -0.
      expect(q).toEqual(states[k][1].map((x) => x + 0));
      expect(v).toEqual(states[k][2].map((x) => x + 0));
    });
    expect(recording.mechanisms.get('figure')!.loops.length + recording.mechanisms.get('figure')!.joints.length).toBe(
      builtinMechanism('human-34').joints.length + 1,
    );
    expect(recording.moments.at(-1)!.contacts).toBeGreaterThan(3);
  });

  it('have messages as Foxglove defines them', async () => {
    const { bytes, states } = await recorded();
    const reader = new McapStreamReader();
    reader.append(bytes);
    // biome-ignore lint/suspicious/noExplicitAny: what was read may be anything.
    const last = new Map<string, any>();
    const names = new Map<number, string>();
    const topics = new Map<number, string>();
    const schemas = new Map<number, string>();
    const seen = new Map<string, number>();
    for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
      if (record.type === 'Schema') schemas.set(record.id, record.name);
      if (record.type === 'Channel') {
        names.set(record.id, schemas.get(record.schemaId)!);
        topics.set(record.id, record.topic);
      }
      if (record.type !== 'Message') continue;
      const name = names.get(record.channelId)!;
      const message = JSON.parse(new TextDecoder().decode(record.data));
      const topic = `${topics.get(record.channelId)} ${name}`;
      seen.set(topic, (seen.get(topic) ?? 0) + 1);
      last.set(topic, message);
      const official = (foxglove as unknown as { [name: string]: Schema })[name.replace('foxglove.', '')];
      if (name.startsWith('foxglove.')) expect(objections(official, message), name).toEqual([]);
    }
    expect(seen.get('/tf foxglove.FrameTransforms')).toBe(21);
    // The ground, the figure twice, the box.
    expect(seen.get('/scene foxglove.SceneUpdate')).toBe(4);
    expect(seen.get('/contacts manikin.Contacts')).toBe(21);
    expect(seen.get('/joint_states foxglove.JointStates')).toBe(21);
    const { joints } = last.get('/joint_states foxglove.JointStates');
    const knee = states.at(-1)![1][builtinMechanism('human-34').joint('left_knee').iq];
    expect(joints).toHaveLength(28);
    expect(joints.find(({ name }: { name: string }) => name === 'figure/left_knee').position).toBe(knee);
    // The box is carried: arrows point upwards, their lengths are its weight beside that of the figure.
    expect(seen.get('/contact_forces foxglove.SceneUpdate')).toBe(21);
    const [{ arrows }] = last.get('/contact_forces foxglove.SceneUpdate').entities;
    const mass = builtinMechanism('human-34').bodies.reduce((sum, body) => sum + body.mass, 0);
    let lifted = 0;
    for (const { pose, shaft_length, head_length } of arrows) {
      const { y, w } = pose.orientation;
      // The z of the x axis after that rotation; there is no x in it.
      lifted += -2 * w * y * (shaft_length + head_length);
      expect(pose.position.z).toBeCloseTo(0, 4);
    }
    expect(lifted).toBeCloseTo((0.5 * 2) / mass, 4);
  });

  it('that were cut off anywhere are read as far as they go', async () => {
    const { bytes, states } = await recorded(20_000);
    const random = new Random(5);
    let most = 0;
    let head = 0;
    for (let k = 0; k < 60; k++) {
      const length = Math.floor(random.between(0, bytes.length));
      let recording: ReturnType<typeof readRecording>;
      try {
        recording = readRecording(bytes.slice(0, length));
      } catch (error) {
        expect(String(error)).toContain('no recording');
        head = Math.max(head, length);
        continue;
      }
      expect(recording.complete).toBe(false);
      recording.moments.forEach(({ states: found }, i) => {
        expect(found.get('figure')!.q).toEqual(states[i][1].map((x) => x + 0));
      });
      most = Math.max(most, recording.moments.length);
    }
    expect(most).toBeGreaterThan(10);
    // Only the first chunk is needed to begin.
    expect(head).toBeLessThan(60_000);
  });

  it('of other kinds are refused with a sentence', () => {
    for (const bytes of [new Uint8Array(0), new TextEncoder().encode('this is a text, and not a recording at all')])
      expect(() => readRecording(bytes, 'walk.mcap')).toThrow(/no recording that can be read/);
  });
});
