import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { EngineConstants } from '../schedule/index.js';
import { InputError } from './errors.js';
import { readInputText } from './input-file.js';
import { writeOutput } from './output-file.js';

/** Where the constants of this machine are kept. An XDG_CACHE_HOME that is empty or relative does not count. */
export function calibrationFile(): string {
  const { XDG_CACHE_HOME: cache = '' } = process.env;
  return join(isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'manikin', 'calibration.json');
}

export function saveConstants(constants: EngineConstants): string {
  const file = calibrationFile();
  writeOutput(file, `${JSON.stringify(constants, null, 2)}\n`);
  return file;
}

/** The constants that calibrate kept; an error that says what to do where there are none. */
export function loadConstants(): EngineConstants {
  const file = calibrationFile();
  let text: string;
  try {
    text = readInputText(file);
  } catch {
    throw new InputError('This machine has not been measured yet: run "manikin calibrate" first.');
  }
  const fault = faultIn(text);
  if (fault !== undefined)
    throw new InputError(`The file "${file}" is damaged (${fault}): run "manikin calibrate" again.`);
  return JSON.parse(text) as EngineConstants;
}

/** Nanoseconds of an instruction or a word, instructions of a joint: more is no measurement. */
const MOST = 1e6;

/** What is wrong with a file of constants. */
function faultIn(text: string): string | undefined {
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
  return undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST;
}
