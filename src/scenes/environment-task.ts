// The task of an agent as a module, which every thread can load.

import { MechanismError } from '../mechanism/errors.js';
import type { EnvironmentOptions } from './environment-copies.js';

/** What the module of a task exports as its default: the options of an environment without the number of copies. */
export type EnvironmentTask = Omit<EnvironmentOptions, 'copies'>;

/** The default export of the module at an address. */
export async function loadTask(address: string): Promise<EnvironmentTask> {
  const module = (await import(/* webpackIgnore: true */ /* @vite-ignore */ address)) as {
    readonly default?: EnvironmentTask;
  };
  if (typeof module.default?.observe !== 'function')
    throw MechanismError.of(
      'task',
      address,
      'The module must export a task as its default: observe, act, reward and so on.',
    );
  return module.default;
}
