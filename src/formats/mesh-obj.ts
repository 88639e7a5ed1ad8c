// Wavefront OBJ: points and polygons. Polygons become fans of triangles; normals, texture coordinates, groups and
// materials are left out.

import { ImportError } from '../mechanism/errors.js';
import type { MeshData } from '../mechanism/mechanism.js';
import { checkedMesh, MAX_MESH_ITEMS } from './mesh-data.js';
import { parseNumber } from './xml.js';

export function parseObj(text: string, file: string): MeshData {
  const points: number[] = [];
  const triangles: number[] = [];
  let start = 0;
  let line = 0;
  while (start < text.length) {
    let end = text.indexOf('\n', start);
    if (end === -1) end = text.length;
    line++;
    const letter = text.charCodeAt(start);
    const next = text.charCodeAt(start + 1);
    const blank = next === 32 || next === 9;
    if (blank && (letter === 118 || letter === 102)) {
      const words = text
        .slice(start + 2, end)
        .trim()
        .split(/\s+/);
      if (letter === 118) readVertex(words, points, file, line);
      else readFace(words, points.length / 3, triangles, file, line);
    }
    start = end + 1;
  }
  if (points.length > 3 * MAX_MESH_ITEMS || triangles.length > 3 * MAX_MESH_ITEMS)
    throw ImportError.of('mesh', file, `More than ${MAX_MESH_ITEMS} points or triangles are not read.`);
  if (points.length === 0) throw ImportError.of('mesh', file, 'The mesh has no points.');
  return checkedMesh({ points: Float64Array.from(points), triangles: Uint32Array.from(triangles) }, file);
}

/** In 32-bit floating point, as others read it. */
function readVertex(words: readonly string[], points: number[], file: string, line: number): void {
  for (let k = 0; k < 3; k++) {
    const value = parseNumber(words[k] ?? '');
    if (value === undefined) throw ImportError.of('mesh', `${file}:${line}`, 'A vertex needs three finite numbers.');
    points.push(Math.fround(value));
  }
}

/** Corners are v, v/vt, v//vn or v/vt/vn; negative numbers count from the end. */
function readFace(words: readonly string[], count: number, triangles: number[], file: string, line: number): void {
  const corners = words.map((word) => {
    const number = Number.parseInt(word, 10);
    return number < 0 ? count + number : number - 1;
  });
  if (corners.length < 3 || corners.some((corner) => !(corner >= 0)))
    throw ImportError.of('mesh', `${file}:${line}`, 'A face needs three or more points that are there.');
  for (let k = 2; k < corners.length; k++) triangles.push(corners[0], corners[k - 1], corners[k]);
}
