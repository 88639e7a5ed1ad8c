// What is used of Node's own modules, reached without an import, so that this folder loads in a browser. All of it is
// undefined there, and in versions of Node before 20.16.

import { builtinModule } from '../../threads/builtin.js';

export interface FileSystem {
  readFileSync(path: URL): Uint8Array<ArrayBuffer>;
}

export const fileSystem = (): FileSystem | undefined => builtinModule('node:fs') as FileSystem | undefined;
