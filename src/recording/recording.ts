// Reads recordings again, also those that were never finished.

import { McapStreamReader } from '@mcap/core';
import type { Description } from '../formats/description.js';
import { parseDescription } from '../formats/description-reader.js';
import { ImportError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import type { Topic } from './schemas.js';

/** One recorded moment. */
export interface RecordedMoment {
  /** Seconds. */
  readonly time: number;
  /** The state of every member, by its name. */
  readonly states: ReadonlyMap<string, State>;
  readonly kinetic: number;
  readonly potential: number;
  /** Of the solver of contacts, relative. */
  readonly residual: number;
  /** Contact points, deepest penetration in metres. */
  readonly contacts: number;
  readonly depth: number;
}

/** A motion as it was recorded. */
export interface WorldRecording {
  readonly moments: readonly RecordedMoment[];
  /** The mechanism of every member at the end. */
  readonly mechanisms: ReadonlyMap<string, Mechanism>;
  /** False where the file ends early: what came before is there. */
  readonly complete: boolean;
}

interface JointsMessage {
  readonly member: string;
  readonly joints: readonly { readonly name: string; readonly q: readonly number[]; readonly v: readonly number[] }[];
}

type StepMessage = Omit<RecordedMoment, 'time' | 'states'>;

/** What an error says, as the end of one sentence. */
function reason(error: unknown): string {
  const words = (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 300);
  return words.endsWith('.') ? words : `${words}.`;
}

/** Writes the numbers of a joint, as many as it has. */
function fill(into: Float64Array, numbers: readonly number[], joint: string): void {
  if (numbers.length !== into.length || !numbers.every((each) => Number.isFinite(each)))
    throw new Error(`joint "${joint}" expects ${into.length} numbers.`);
  into.set(numbers);
}

/** A recording from the bytes of its file. */
export function readRecording(bytes: Uint8Array, file = 'recording'): WorldRecording {
  const reader = new McapStreamReader({ validateCrcs: true });
  reader.append(bytes);
  const topics = new Map<number, Topic>();
  const text = new TextDecoder();
  const mechanisms = new Map<string, Mechanism>();
  const moments: RecordedMoment[] = [];
  let states = new Map<string, State>();
  const refuse = (error: unknown): ImportError =>
    ImportError.of('recording', file, `This is no recording that can be read: ${reason(error)}`);
  const next = (): ReturnType<McapStreamReader['nextRecord']> => {
    try {
      return reader.nextRecord();
    } catch (error) {
      // A file that was cut off is read as far as it goes; one that never began is not.
      if (topics.size === 0) throw refuse(error);
      return undefined;
    }
  };
  const take = (topic: Topic, message: unknown, time: number): void => {
    if (topic === '/model') {
      const { member, description } = message as { readonly member: string; readonly description: Description };
      mechanisms.set(member, parseDescription(JSON.stringify(description), { file }).mechanism);
    } else if (topic === '/joints') {
      const { member, joints } = message as JointsMessage;
      const mechanism = mechanisms.get(member);
      if (mechanism === undefined) throw new Error(`it has no model of "${member}".`);
      const state = new State(mechanism);
      for (const { name, q, v } of joints) {
        const joint = state.get(name);
        fill(joint.q, q, name);
        fill(joint.v, v, name);
      }
      state.time = time;
      states.set(member, state);
    } else {
      // The last message of a moment.
      moments.push({ time, states, ...(message as StepMessage) });
      states = new Map();
    }
  };
  for (let record = next(); record !== undefined; record = next()) {
    if (record.type === 'Channel') topics.set(record.id, record.topic as Topic);
    if (record.type !== 'Message') continue;
    const topic = topics.get(record.channelId);
    if (topic !== '/model' && topic !== '/joints' && topic !== '/step') continue;
    try {
      take(topic, JSON.parse(text.decode(record.data)), Number(record.logTime) / 1e9);
    } catch (error) {
      throw error instanceof ImportError ? error : refuse(error);
    }
  }
  if (topics.size === 0) throw refuse(new Error('it is empty, or not an MCAP file.'));
  return { moments, mechanisms, complete: reader.done() };
}
