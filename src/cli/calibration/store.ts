import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { EngineConstants } from '../../schedule/index.js';
import { InputError } from '../errors.js';

/** Where the constants of this machine are kept. */
export function calibrationFile(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'manikin', 'calibration.json');
}

export function saveConstants(constants: EngineConstants): string {
  const file = calibrationFile();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(constants, null, 2)}\n`);
  return file;
}

/** The constants that calibrate kept; an error that says what to do where there are none. */
export function loadConstants(): EngineConstants {
  const file = calibrationFile();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new InputError('This machine has not been measured yet: run "manikin calibrate" first.');
  }
  try {
    const constants = JSON.parse(text) as EngineConstants;
    if (!Array.isArray(constants.joints) || typeof constants.latency !== 'number') throw new Error('keys are missing');
    return constants;
  } catch {
    throw new InputError(`The file "${file}" is damaged: run "manikin calibrate" again.`);
  }
}
