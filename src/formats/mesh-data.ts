import { ImportError } from '../mechanism/errors.js';
import type { MeshData } from '../mechanism/mechanism.js';

/** More triangles or points are refused: ten times what MuJoCo takes from an STL file. */
export const MAX_MESH_ITEMS = 2_000_000;

/** Refuses coordinates that are no numbers, and triangles with points that are not there. */
export function checkedMesh(mesh: MeshData, file: string): MeshData {
  const { points, triangles } = mesh;
  for (let k = 0; k < points.length; k++)
    if (!(Math.abs(points[k]) < 1e30))
      throw ImportError.of('mesh', file, `Vertex ${Math.floor(k / 3) + 1} has a coordinate that is not a number.`);
  const count = points.length / 3;
  for (let k = 0; k < triangles.length; k++)
    if (triangles[k] >= count)
      throw ImportError.of('mesh', file, `Triangle ${Math.floor(k / 3) + 1} has a vertex that is not there.`);
  return mesh;
}
