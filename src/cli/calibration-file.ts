import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { EngineConstants } from '../schedule/index.js';
import { InputError } from './errors.js';
import { readInputText } from './input-file.js';
import { writeOutput } from './output-file.js';

/** What was measured: this machine, its ranks, or ranks on several machines. */
export type Calibrated = 'calibration' | 'calibration-mpi' | 'calibration-mpi-hosts';

/** Where constants are kept. An XDG_CACHE_HOME or a HOME that is empty or relative does not count. */
function calibrationFile(what: Calibrated): string {
  const { XDG_CACHE_HOME: cache = '' } = process.env;
  const home = isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  return join(isAbsolute(cache) ? cache : join(home, '.cache'), 'manikin', `${what}.json`);
}

export function saveConstants(constants: EngineConstants, what: Calibrated = 'calibration'): string {
  const file = calibrationFile(what);
  writeOutput(file, `${JSON.stringify(constants, null, 2)}\n`);
  return file;
}

/** The constants that calibrate kept; an error that says what to do where there are none. */
export function loadConstants(): EngineConstants {
  const constants = constantsIn('calibration', 'manikin calibrate');
  if (constants === undefined)
    throw new InputError('This machine has not been measured yet: run "manikin calibrate" first.');
  return constants;
}

/** Those that calibrate --mpi kept, of ranks on one machine or on several; undefined where there are none. */
export function loadRankConstants(hosts: number): EngineConstants | undefined {
  return constantsIn(rankCalibration(hosts), 'mpirun ... manikin calibrate --mpi');
}

export const rankCalibration = (hosts: number): Calibrated => (hosts > 1 ? 'calibration-mpi-hosts' : 'calibration-mpi');

function constantsIn(what: Calibrated, again: string): EngineConstants | undefined {
  const file = calibrationFile(what);
  let text: string;
  try {
    text = readInputText(file);
  } catch {
    return undefined;
  }
  const fault = faultIn(text, what !== 'calibration');
  if (fault !== undefined) throw new InputError(`The file "${file}" is damaged (${fault}): run "${again}" again.`);
  return JSON.parse(text) as EngineConstants;
}

/** Nanoseconds of an instruction or a word, instructions of a joint: more is no measurement. */
const MOST = 1e6;
/** Nanoseconds of a message, bytes of it, links of a rank. */
const MOST_OF_RANKS = 1e12;

/** What is wrong with a file of constants. */
function faultIn(text: string, ofRanks: boolean): string | undefined {
  let data: Partial<EngineConstants> | null;
  try {
    data = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (typeof data !== 'object' || data === null) return 'it is not an object';
  const { joints, more, instruction, latency, line, call } = data;
  if (!Array.isArray(joints) || typeof more !== 'object' || more === null) return 'keys are missing';
  for (const [name, value] of Object.entries({ instruction, latency, line, call }))
    if (!isAmount(value) || (name === 'instruction' && value === 0)) return `${name} is ${value}`;
  for (const [k, joint] of joints.entries()) {
    if (typeof joint !== 'object' || joint === null) return `joints[${k}] is ${joint}`;
    const { dof, one, two, oneTurned = one } = joint;
    if (!Number.isInteger(dof) || dof < 0 || dof > 6) return `joints[${k}].dof is ${dof}`;
    for (const [name, value] of Object.entries({ one, oneTurned, two }))
      if (!isAmount(value)) return `joints[${k}].${name} is ${value}`;
  }
  for (let dof = 0; dof <= 6; dof++) if (!joints.some((joint) => joint.dof === dof)) return `dof ${dof} is missing`;
  const { quadratic, linear, constant } = more;
  for (const [name, value] of Object.entries({ quadratic, linear, constant }))
    if (!isAmount(name === 'constant' ? Math.abs(value) : value)) return `more.${name} is ${value}`;
  if (!ofRanks) return undefined;
  const { ranks } = data;
  if (typeof ranks !== 'object' || ranks === null) return 'ranks is missing';
  return faultInTable(ranks.messages, 'messages', 'bytes') ?? faultInTable(ranks.instructions, 'instructions', 'links');
}

/** Sizes that ascend, and times. */
function faultInTable(table: unknown, name: string, by: string): string | undefined {
  if (!Array.isArray(table) || table.length === 0) return `ranks.${name} is missing`;
  let last = 0;
  for (const [k, entry] of table.entries()) {
    const { [by]: size, ns } = (entry ?? {}) as { readonly [key: string]: unknown };
    if (!isAmount(size, MOST_OF_RANKS) || size <= last) return `ranks.${name}[${k}].${by} is ${size}`;
    if (!isAmount(ns, MOST_OF_RANKS) || ns === 0) return `ranks.${name}[${k}].ns is ${ns}`;
    last = size;
  }
  return undefined;
}

function isAmount(value: unknown, most = MOST): value is number {
  return typeof value === 'number' && value >= 0 && value <= most;
}
