// A set-up file of OpenSim in place of the options of "inverse" and "ik".

import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type OpensimSetup, parseOpensimSetup } from '../../formats/opensim-setup.js';
import { InputError } from '../errors.js';
import { readInputText } from '../input-file.js';

const COMMANDS = {
  'inverse-dynamics': { command: 'inverse', words: 'inverse dynamics' },
  'inverse-kinematics': { command: 'ik', words: 'inverse kinematics' },
} as const;

export interface FoundSetup {
  readonly setup: OpensimSetup;
  /** A file that it names, `what` by its element; it must name one. */
  named(written: string, what: string): string;
}

export function readSetup(file: string, tool: OpensimSetup['tool'], root: string | undefined): FoundSetup {
  const setup = parseOpensimSetup(readInputText(file), { file: basename(file) });
  const { command, words } = COMMANDS[setup.tool];
  if (setup.tool !== tool)
    throw new InputError(`"${file}" is a set-up of OpenSim's ${words}; "manikin ${command}" takes it.`);
  return {
    setup,
    named: (written, what) => {
      if (written === '') throw new InputError(`The set-up "${file}" names no ${what}.`);
      return besideSetup(file, written, root);
    },
  };
}

/**
 * A file that a set-up names: at the place it says, if that is below the root, or else of the same name beside the set-up.
 * Nothing else is opened.
 */
function besideSetup(setup: string, written: string, root = dirname(setup)): string {
  const name = written.replace(/^.*[\\/]/, '');
  const top = resolve(root);
  const there = resolve(dirname(setup), written.replaceAll('\\', '/'));
  const beside = join(dirname(setup), name);
  if (there.startsWith(top.endsWith(sep) ? top : top + sep) && existsSync(there)) return there;
  if (existsSync(beside)) return beside;
  throw new InputError(
    `The set-up "${setup}" names "${written}", which is neither below "${root}" nor beside it; see --root.`,
  );
}
