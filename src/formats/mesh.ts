// Triangle meshes from files: STL (binary and text), OBJ, and MuJoCo's MSH.

import { ImportError } from '../mechanism/errors.js';
import type { MeshData } from '../mechanism/mechanism.js';
import { decodeText } from './decode-text.js';
import { parseMsh } from './mesh-msh.js';
import { type ObjReading, parseObj } from './mesh-obj.js';
import { parseStl } from './mesh-stl.js';
import { checkInputSize } from './size-limit.js';

/** Extensions of the files that `parseMesh` reads. */
export const MESH_FILES = ['.stl', '.obj', '.msh'] as const;

/** A mesh from the bytes of a file; the end of its name says which kind it is. */
export function parseMesh(bytes: Uint8Array, file: string, obj: ObjReading = 'whole'): MeshData {
  checkInputSize(bytes.length, file);
  const end = file.slice(file.lastIndexOf('.')).toLowerCase();
  switch (end) {
    case '.stl':
      return parseStl(bytes, file);
    case '.obj':
      return parseObj(decodeText(bytes), file, obj);
    case '.msh':
      return parseMsh(bytes, file);
    default:
      throw ImportError.of('mesh', file, `It is not a mesh of a known kind (${MESH_FILES.join(', ')}).`);
  }
}
