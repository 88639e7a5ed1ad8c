// Worlds in contact beside MuJoCo's WebAssembly: npm run bench -- contacts. The scenes are those of `manikin bench contact`.

import { benchContact, type ContactLine } from '../contact.js';

export async function run(): Promise<{ readonly lines: readonly ContactLine[] }> {
  return { lines: await benchContact(['humanoid', 'stack', 'pile-100']) };
}
