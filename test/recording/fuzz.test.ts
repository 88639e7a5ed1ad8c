// Damaged recordings: bytes that changed or went missing, and messages that say something else. Read as far as it goes, or properly
// refused. A long run: MANIKIN_FUZZ_RUNS=20000 npx vitest run test/recording/fuzz.test.ts.

import { McapStreamReader, McapWriter } from '@mcap/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Recorder, readRecording } from '../../src/recording/index.js';
import { box, World } from '../../src/simulation/world/index.js';
import { mutate, mutations } from '../formats/mutation.js';
import { expectProperRefusal } from '../formats/support.js';

const RUNS = Number(process.env.MANIKIN_FUZZ_RUNS ?? 60);
const LIMIT = { timeout: 300_000 + RUNS * 1000 };

/** What a writer wrote, as one array. */
class Bytes {
  readonly chunks: Uint8Array[] = [];
  #size = 0;
  async write(chunk: Uint8Array): Promise<void> {
    this.chunks.push(chunk.slice());
    this.#size += chunk.length;
  }
  position(): bigint {
    return BigInt(this.#size);
  }
  all(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.chunks));
  }
}

async function recorded(): Promise<Uint8Array> {
  const world = new World({ step: 2e-3 });
  world.ground({ friction: 0.7 });
  world.add(box([0.3, 0.2, 0.1], { mass: 2 }), { at: [1, 0, 0.06], name: 'box' });
  const bytes = new Bytes();
  const recorder = await Recorder.begin(world, bytes);
  for (let k = 0; k < 4; k++) {
    world.step();
    await recorder.record();
  }
  await recorder.end();
  return bytes.all();
}

interface Message {
  readonly topic: string;
  readonly text: string;
}

/** The messages of a recording that are read again. */
function messagesOf(bytes: Uint8Array): Message[] {
  const reader = new McapStreamReader();
  reader.append(bytes);
  const topics = new Map<number, string>();
  const messages: Message[] = [];
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === 'Channel') topics.set(record.id, record.topic);
    if (record.type !== 'Message') continue;
    const topic = topics.get(record.channelId) as string;
    if (['/model', '/joints', '/step'].includes(topic))
      messages.push({ topic, text: Buffer.from(record.data).toString() });
  }
  return messages;
}

/** A well-formed file of these messages, whatever they say. */
async function fileOf(messages: readonly Message[]): Promise<Uint8Array> {
  const bytes = new Bytes();
  const writer = new McapWriter({ writable: bytes, useChunks: false });
  await writer.start({ profile: '', library: 'test' });
  const channels = new Map<string, number>();
  for (const topic of new Set(messages.map((each) => each.topic)))
    channels.set(
      topic,
      await writer.registerChannel({ topic, schemaId: 0, messageEncoding: 'json', metadata: new Map() }),
    );
  for (const [sequence, { topic, text }] of messages.entries()) {
    const time = BigInt(sequence) * 1_000_000n;
    const data = new TextEncoder().encode(text);
    await writer.addMessage({ channelId: channels.get(topic)!, sequence, logTime: time, publishTime: time, data });
  }
  await writer.end();
  return bytes.all();
}

const tally = { accepted: 0, refused: 0 };
function read(bytes: Uint8Array): void {
  try {
    const { moments } = readRecording(bytes, 'r.mcap');
    for (const { time, states } of moments) {
      expect(Number.isFinite(time)).toBe(true);
      for (const { q } of states.values()) expect([...q].every(Number.isFinite)).toBe(true);
    }
    tally.accepted++;
  } catch (error) {
    expectProperRefusal(error);
    tally.refused++;
  }
}

describe('a recording, damaged', () => {
  let bytes: Uint8Array;
  beforeAll(async () => {
    bytes = await recorded();
    expect(readRecording(await fileOf(messagesOf(bytes))).moments).toHaveLength(readRecording(bytes).moments.length);
  });

  it('in its bytes', LIMIT, () => {
    const text = Buffer.from(bytes).toString('latin1');
    fc.assert(
      fc.property(mutations, (list) => read(new Uint8Array(Buffer.from(mutate(text, list), 'latin1')))),
      { numRuns: RUNS },
    );
  });

  it('in what its messages say', LIMIT, async () => {
    const messages = messagesOf(bytes);
    await fc.assert(
      fc.asyncProperty(fc.nat(messages.length - 1), mutations, async (which, list) => {
        const changed = messages.map((each, k) => (k === which ? { ...each, text: mutate(each.text, list) } : each));
        read(await fileOf(changed));
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(tally.accepted, tally.refused)).toBeGreaterThan(0);
  });
});
