// The state of a mechanism joint by joint, with forces and accelerations: what `fd` and `id` print and `--state` reads.

import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import { type DescribedType, describedType } from './description.js';
import { ImportLog, quoted } from './import-log.js';
import { type JsonObject, readJson } from './json-reader.js';
import { readCoordinates, StateFiller } from './state-filler.js';

/** Vectors over all degrees of freedom, in the order of State.v. */
export interface JointVectors {
  readonly tau?: ArrayLike<number>;
  readonly qdd?: ArrayLike<number>;
}

/** A joint in a state file. */
export interface JointRecord {
  name: string;
  body: string;
  type: DescribedType;
  q: number[];
  v: number[];
  tau?: number[];
  qdd?: number[];
}

/** The time, and one record for each joint, fixed ones (with empty lists) included. */
export function formatState(state: State, { tau, qdd }: JointVectors = {}): { time: number; joints: JointRecord[] } {
  const { joints, bodies } = state.mechanism;
  return {
    time: state.time,
    joints: joints.map(({ name, type, model, iq, iv }, i) => {
      const part = (values: ArrayLike<number>): number[] => Array.from({ length: model.nv }, (_, k) => values[iv + k]);
      return {
        name,
        body: bodies[i].name,
        type: describedType(type),
        q: [...state.q.subarray(iq, iq + model.nq)],
        v: part(state.v),
        ...(tau !== undefined && { tau: part(tau) }),
        ...(qdd !== undefined && { qdd: part(qdd) }),
      };
    }),
  };
}

/** What a state file says: a state, and joint forces or accelerations where it has them. */
export interface ParsedState {
  readonly state: State;
  /** Given if any joint has it; zero for those that have none. */
  readonly tau: Float64Array | undefined;
  readonly qdd: Float64Array | undefined;
}

/**
 * Reads that form back, for a mechanism. Joints are found by name; body and type must agree where they are given.
 * Joints that are left out are neutral and at rest. Keys of other results are passed over.
 */
export function parseState(
  source: string | object,
  mechanism: Mechanism,
  options: { readonly file?: string } = {},
): ParsedState {
  const log = new ImportLog(options.file);
  const whole = readJson(source, log);
  const records = whole.objects('joints');
  const filler = new StateFiller(mechanism, log);
  const tau = new Float64Array(mechanism.nv);
  const qdd = new Float64Array(mechanism.nv);
  let anyTau = false;
  let anyQdd = false;
  for (const record of records) {
    const index = findJoint(record, mechanism);
    if (index === undefined) continue;
    filler.set(index, record, 'v');
    anyTau = readPart(record, 'tau', mechanism, index, tau) || anyTau;
    anyQdd = readPart(record, 'qdd', mechanism, index, qdd) || anyQdd;
  }
  const state = filler.finish();
  if (whole.has('time')) state.time = whole.number('time');
  log.throwIfBroken();
  return { state, tau: anyTau ? tau : undefined, qdd: anyQdd ? qdd : undefined };
}

function findJoint(record: JsonObject, mechanism: Mechanism): number | undefined {
  const name = record.name('name');
  if (name === '') return undefined;
  if (!mechanism.hasJoint(name)) {
    record.error('name', `the name of a joint of "${mechanism.name}"`, quoted(name));
    return undefined;
  }
  const index = mechanism.jointIndex(name);
  const agree = (key: string, expected: string, others: string[]): void => {
    if (!record.has(key)) return;
    const given = record.text(key);
    if (given !== expected && !others.includes(given)) record.error(key, quoted(expected), quoted(given));
  };
  const { type } = mechanism.joints[index];
  agree('body', mechanism.bodies[index].name, []);
  agree('type', describedType(type), [type]);
  return index;
}

/** Whether the record has that vector; its numbers go to their place in `out`. */
function readPart(record: JsonObject, key: string, mechanism: Mechanism, index: number, out: Float64Array): boolean {
  if (!record.has(key)) return false;
  const { model, iv } = mechanism.joints[index];
  const values = readCoordinates(record, key, model.nv);
  if (values !== undefined) out.set(values, iv);
  return true;
}
