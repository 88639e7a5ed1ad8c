// Every function of the shared benchmark mechanisms, and of a robot arm and a humanoid, through the front door (the lines of
// `manikin bench functions`), by code for the mechanism and by the plain engine.

import { existsSync, readFileSync } from 'node:fs';
import { parseUrdf } from '#src/formats/index.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { benchFunctions } from '../functions.js';
import { benchMechanisms } from './compile.js';

export async function run(): Promise<object> {
  const models = [...benchMechanisms(), ...robots()];
  const note = (text: string): void => console.error(text);
  const compiled = await benchFunctions(models, { engine: 'auto', note });
  const plain = await benchFunctions(models, { engine: 'plain', note, rounds: 30 });
  return { ...compiled, results: [...compiled.results, ...plain.results] };
}

/** As other libraries read them: joints that mimic others move by themselves. */
function robots(): { readonly name: string; readonly mechanism: Mechanism }[] {
  const data = new URL('../../../../../shared/data/urdf/', import.meta.url);
  const files = [
    ['panda', 'panda.urdf', 'fixed'],
    ['talos', 'talos_full_v2.urdf', 'floating'],
  ] as const;
  return files.flatMap(([name, file, base]) => {
    const path = new URL(file, data);
    if (!existsSync(path)) return [];
    const mechanism = parseUrdf(readFileSync(path, 'utf8'), { base, mimic: 'ignore', fixedJoints: 'merge' });
    return [{ name, mechanism }];
  });
}
