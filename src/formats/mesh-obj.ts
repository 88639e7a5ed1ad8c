// Wavefront OBJ: points and polygons. Polygons become triangles; normals, texture coordinates and materials are left out.

import { ImportError } from '../mechanism/errors.js';
import type { MeshData } from '../mechanism/mechanism.js';
import { checkedMesh, MAX_MESH_ITEMS } from './mesh-data.js';
import { triangulate } from './mesh-polygon.js';
import { parseNumber } from './xml.js';

/** How an OBJ file is read: all of it, or as MuJoCo does, its first object or group with faces alone. */
export type ObjReading = 'whole' | 'as-mujoco';

const V = 118;
const F = 102;
const O = 111;
const G = 103;

export function parseObj(text: string, file: string, reading: ObjReading = 'whole'): MeshData {
  const points: number[] = [];
  const triangles: number[] = [];
  let start = 0;
  let line = 0;
  let first = true;
  while (start < text.length) {
    let end = text.indexOf('\n', start);
    if (end === -1) end = text.length;
    line++;
    while (isBlank(text.charCodeAt(start))) start++;
    const letter = text.charCodeAt(start);
    if (isBlank(text.charCodeAt(start + 1)) || start + 1 === end) {
      if ((letter === O || letter === G) && reading === 'as-mujoco') first &&= triangles.length === 0;
      else if (letter === V || (letter === F && first)) {
        const words = text
          .slice(start + 2, end)
          .trim()
          .split(/\s+/);
        if (letter === V) readVertex(words, points, file, line);
        else triangulate(cornersOf(words, points.length / 3, file, line), points, triangles, reading === 'whole');
      }
    }
    start = end + 1;
  }
  if (points.length > 3 * MAX_MESH_ITEMS || triangles.length > 3 * MAX_MESH_ITEMS)
    throw ImportError.of('mesh', file, `More than ${MAX_MESH_ITEMS} points or triangles are not read.`);
  if (points.length === 0) throw ImportError.of('mesh', file, 'The mesh has no points.');
  return checkedMesh({ points: Float64Array.from(points), triangles: Uint32Array.from(triangles) }, file);
}

const isBlank = (code: number): boolean => code === 32 || code === 9;

/** In 32-bit floating point, as others read it. */
function readVertex(words: readonly string[], points: number[], file: string, line: number): void {
  for (let k = 0; k < 3; k++) {
    const value = parseNumber(words[k] ?? '');
    if (value === undefined) throw ImportError.of('mesh', `${file}:${line}`, 'A vertex needs three finite numbers.');
    points.push(Math.fround(value));
  }
}

/** Corners are v, v/vt, v//vn or v/vt/vn; negative numbers count from the end. */
function cornersOf(words: readonly string[], count: number, file: string, line: number): number[] {
  const corners = words.map((word) => {
    const number = Number.parseInt(word, 10);
    return number < 0 ? count + number : number - 1;
  });
  if (corners.length < 3 || corners.some((corner) => !(corner >= 0)))
    throw ImportError.of('mesh', `${file}:${line}`, 'A face needs three or more points that are there.');
  return corners;
}
