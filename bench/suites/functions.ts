// Every function of the shared benchmark mechanisms through the front door (the lines of `manikin bench functions`), by code
// for the mechanism and by the plain engine.

import { benchFunctions } from '../functions.js';
import { benchMechanisms } from './compile.js';

export async function run(): Promise<object> {
  const models = benchMechanisms();
  const note = (text: string): void => console.error(text);
  const compiled = await benchFunctions(models, { engine: 'auto', note });
  const plain = await benchFunctions(models, { engine: 'plain', note, rounds: 30 });
  return { ...compiled, results: [...compiled.results, ...plain.results] };
}
