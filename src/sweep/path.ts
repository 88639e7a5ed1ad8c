// Places in plain data: "scene.mechanisms[0].velocity[2]", with a name in quotes where it has other characters: state["a.b"].

import { quoted } from '../formats/import-log.js';
import { shown } from '../formats/json-reader.js';
import { ImportError } from '../mechanism/errors.js';
import { nearNames } from '../mechanism/near-names.js';

export type PathStep = string | number;

const STEP = /\.?([\w$-]+)|\[(\d{1,7})\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** The steps of a path; undefined where it is none. */
export function parsePath(path: string): PathStep[] | undefined {
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(path);
    // A dot between names, and only there.
    if (match === null || (match[1] !== undefined && (path[at] === '.') !== at > 0)) return undefined;
    steps.push(match[1] ?? (match[2] === undefined ? unquoted(match[3]) : Number(match[2])));
  }
  return steps.length === 0 || steps.includes('') ? undefined : steps;
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return '';
  }
}

/** Puts a value at a place in data. All but the last step must be there; a key that makes no sense is left to the reader of the data. */
export function setAt(data: object, steps: readonly PathStep[], value: unknown, path: string): void {
  let here: unknown = data;
  for (const [k, step] of steps.entries()) {
    const last = k === steps.length - 1;
    if (typeof here !== 'object' || here === null)
      throw refused(path, `There is nothing to put it into: ${quoted(steps.slice(0, k).join('.'))} is ${shown(here)}.`);
    if (Array.isArray(here)) {
      if (typeof step !== 'number' || step >= here.length)
        throw refused(path, `The list has ${here.length} items, counted from 0; it has no ${shown(step)}.`);
    } else if (!last && !Object.hasOwn(here, step))
      throw refused(path, `There is no ${shown(step)} here. ${nearNames(String(step), Object.keys(here))}`);
    // Not by assignment: "__proto__" is a name like others.
    if (last) Object.defineProperty(here, step, { value, writable: true, enumerable: true, configurable: true });
    else here = (here as Record<PathStep, unknown>)[step];
  }
}

function refused(path: string, message: string): ImportError {
  return ImportError.of('parameter', `parameter ${quoted(path)}`, message);
}
