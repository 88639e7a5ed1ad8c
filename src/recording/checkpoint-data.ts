// What is in a checkpoint, checked like any file: a checksum tells damage, not who wrote it.

import { ImportLog } from '../formats/import-log.js';
import { type JsonObject, readJson } from '../formats/json-reader.js';
import { findJointType } from '../joints/index.js';
import { GROUND, type LoopFrame, type LoopJoint } from '../mechanism/mechanism.js';
import { rotationDefect } from '../spatial/matrix3.js';

export interface WrittenMember {
  readonly name: string;
  /** Checksum of the mechanism that was added to the world. */
  readonly mechanism: string;
  /** Where the structure has changed. */
  readonly structure?: WrittenStructure;
  readonly q: readonly number[];
  readonly v: readonly number[];
  readonly own: readonly number[];
  readonly time: number;
  readonly sleep?: { readonly still: number; readonly asleep: boolean };
  readonly impulses: readonly (readonly [number, number])[];
  readonly applied: readonly WrittenForce[];
  readonly last: {
    readonly q0: readonly number[];
    readonly v0: readonly number[];
    readonly a: readonly number[];
    readonly middle: readonly number[];
    readonly halfWay: boolean;
    readonly h: number;
    readonly scale: number;
    readonly driven: number;
    readonly forces: readonly WrittenForce[];
  };
}

/** Joints of the tree that were cut, and all loop joints; or the whole mechanism. */
export type WrittenStructure =
  | { readonly freed: readonly string[]; readonly loops: readonly LoopJoint[] }
  | { readonly description: object; readonly order: readonly number[] };

export interface WrittenForce {
  readonly link: number;
  readonly wrench: readonly number[];
}

export interface WrittenPair {
  readonly key: number;
  readonly features: readonly number[];
  readonly positions: readonly number[];
  readonly normals: readonly number[];
  readonly gaps: readonly number[];
  readonly impulses: readonly number[];
  readonly moments?: readonly number[];
  readonly modes: readonly number[];
  readonly h: number;
}

export interface WrittenCheckpoint {
  /** Checksum of step, gravity and obstacles. */
  readonly world: string;
  readonly time: number;
  readonly members: readonly WrittenMember[];
  readonly pairs: readonly WrittenPair[];
  readonly more: unknown;
}

/** Reads the data; an ImportError lists every mistake with its place. Whether it fits a world is not looked at. */
export function readCheckpointData(text: string, file: string): WrittenCheckpoint {
  const log = new ImportLog(file);
  const data = readJson(text, log);
  const written = {
    world: data.text('world'),
    time: data.number('time'),
    members: data.objects('members').map(readMember),
    pairs: data.objects('pairs').map(readPair),
    more: data.value('more') ?? null,
  };
  log.throwIfBroken();
  return written;
}

function readMember(data: JsonObject): WrittenMember {
  const changed = data.has('structure') ? data.object('structure') : undefined;
  const sleep = data.has('sleep') ? data.object('sleep') : undefined;
  return {
    name: data.text('name'),
    mechanism: data.text('mechanism'),
    ...(changed !== undefined && { structure: readStructure(changed) }),
    q: data.numberList('q'),
    v: data.numberList('v'),
    own: data.numberList('own'),
    time: data.number('time'),
    ...(sleep !== undefined && { sleep: { still: sleep.amount('still'), asleep: sleep.boolean('asleep') } }),
    impulses: pairsOf(data, 'impulses'),
    applied: readForces(data, 'applied'),
    last: readLast(data.object('last')),
  };
}

function readStructure(data: JsonObject): WrittenStructure {
  const description = data.value('description');
  if (typeof description === 'object' && description !== null) return { description, order: data.numberList('order') };
  return { freed: texts(data, 'freed'), loops: data.objects('loops').map(readLoop) };
}

function readLast(data: JsonObject | undefined): WrittenMember['last'] {
  if (data === undefined)
    return { q0: [], v0: [], a: [], middle: [], halfWay: false, h: 1, scale: 1, driven: 0, forces: [] };
  return {
    q0: data.numberList('q0'),
    v0: data.numberList('v0'),
    a: data.numberList('a'),
    middle: data.numberList('middle'),
    halfWay: data.boolean('halfWay'),
    h: positive(data, 'h'),
    scale: data.number('scale'),
    driven: data.number('driven'),
    forces: readForces(data, 'forces'),
  };
}

function readForces(data: JsonObject, key: string): WrittenForce[] {
  return data.objects(key).map((force) => ({ link: whole(force, 'link', 0), wrench: force.numbers('wrench', 6) }));
}

function readPair(data: JsonObject): WrittenPair {
  const features = data.numberList('features');
  return {
    key: whole(data, 'key', 0),
    features,
    positions: data.numbers('positions', 3 * features.length),
    normals: data.numbers('normals', 3 * features.length),
    gaps: data.numbers('gaps', features.length),
    impulses: data.numbers('impulses', 3 * features.length),
    ...(data.has('moments') && { moments: data.numbers('moments', 3 * features.length) }),
    modes: data.numbers('modes', features.length),
    h: positive(data, 'h'),
  };
}

function readLoop(data: JsonObject): LoopJoint {
  const type = findJointType(data.text('type'));
  if (type === undefined) data.error('type', 'a type of joint', 'another text');
  return {
    name: data.name('name'),
    type: type?.name ?? 'fixed',
    axis: data.unitVector('axis'),
    axis2: data.unitVector('axis2'),
    pitch: data.number('pitch'),
    a: readFrame(data, 'a'),
    b: readFrame(data, 'b'),
  };
}

function readFrame(data: JsonObject, key: string): LoopFrame {
  const frame = data.object(key);
  if (frame === undefined) return { body: GROUND, E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] };
  const E = frame.matrix('E');
  if (!(rotationDefect(E) < 1e-6)) frame.error('E', 'a rotation', 'another matrix');
  return { body: whole(frame, 'body', GROUND), E, t: frame.vector('t') };
}

function whole(data: JsonObject, key: string, least: number): number {
  const value = data.number(key);
  if (!Number.isSafeInteger(value) || value < least) data.error(key, `a whole number from ${least} on`, String(value));
  return value;
}

function positive(data: JsonObject, key: string): number {
  const value = data.number(key);
  if (!(value > 0)) data.error(key, 'a number above zero', String(value));
  return value;
}

function texts(data: JsonObject, key: string): string[] {
  const value = data.value(key);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  data.error(key, 'a list of texts', 'something else');
  return [];
}

function pairsOf(data: JsonObject, key: string): [number, number][] {
  const value = data.value(key);
  const isPair = (item: unknown): item is [number, number] =>
    Array.isArray(item) && item.length === 2 && Number.isSafeInteger(item[0]) && Number.isFinite(item[1]);
  if (Array.isArray(value) && value.every(isPair)) return value;
  data.error(key, 'a list of pairs, a whole number and a finite one', 'something else');
  return [];
}
