// MSH, MuJoCo's own binary meshes: four counts, then points, normals, texture coordinates and triangles.

import { ImportError } from '../mechanism/errors.js';
import type { MeshData } from '../mechanism/mechanism.js';
import { checkedMesh, MAX_MESH_ITEMS } from './mesh-data.js';

export function parseMsh(bytes: Uint8Array, file: string): MeshData {
  const refuse = (): never => {
    throw ImportError.of('mesh', file, 'It is not an MSH file: its length does not fit its counts.');
  };
  if (bytes.length < 16) refuse();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [nv, nn, nt, nf] = [0, 4, 8, 12].map((at) => view.getInt32(at, true));
  if (nv < 4 || nn < 0 || nt < 0 || nf < 0 || nv > MAX_MESH_ITEMS || nf > MAX_MESH_ITEMS) refuse();
  if (bytes.length !== 16 + 12 * nv + 12 * nn + 8 * nt + 12 * nf) refuse();
  const points = Float64Array.from({ length: 3 * nv }, (_, k) => view.getFloat32(16 + 4 * k, true));
  const from = 16 + 12 * nv + 12 * nn + 8 * nt;
  const triangles = Uint32Array.from({ length: 3 * nf }, (_, k) => view.getUint32(from + 4 * k, true));
  return checkedMesh({ points, triangles }, file);
}
