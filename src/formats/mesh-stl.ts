// STL: a list of triangles with their corners, in 32-bit floating point (binary) or as text. Corners that are equal become
// one vertex.

import { ImportError } from '../mechanism/errors.js';
import type { MeshData } from '../mechanism/mechanism.js';
import { decodeText } from './decode-text.js';
import { checkedMesh, MAX_MESH_ITEMS } from './mesh-data.js';
import { parseNumber } from './xml.js';

const HEADER = 84;
const TRIANGLE = 50;

export function parseStl(bytes: Uint8Array, file: string): MeshData {
  // Some binary files begin with the word "solid" too: their length tells.
  if (bytes.length >= HEADER) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = view.getUint32(80, true);
    if (bytes.length === HEADER + TRIANGLE * count) return binaryStl(view, count, file);
  }
  const start = decodeText(bytes.subarray(0, Math.min(bytes.length, 512)));
  if (/^\s*solid\b/.test(start)) return textStl(decodeText(bytes), file);
  throw ImportError.of('mesh', file, 'It is not an STL file: neither its length nor its first word fits.');
}

function binaryStl(view: DataView, count: number, file: string): MeshData {
  checkCount(count, file);
  const corners = new Float32Array(9 * count);
  for (let k = 0; k < count; k++)
    for (let c = 0; c < 9; c++) corners[9 * k + c] = view.getFloat32(HEADER + TRIANGLE * k + 12 + 4 * c, true);
  return checkedMesh(merged(corners), file);
}

function textStl(text: string, file: string): MeshData {
  const values: number[] = [];
  const line = /^[ \t]*vertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)/gim;
  for (let found = line.exec(text); found !== null; found = line.exec(text)) {
    for (let k = 1; k <= 3; k++) values.push(parseNumber(found[k]) ?? Number.NaN);
    if (values.length > 9 * MAX_MESH_ITEMS) break;
  }
  if (values.length % 9 !== 0) throw ImportError.of('mesh', file, 'An STL triangle needs three points.');
  checkCount(values.length / 9, file);
  return checkedMesh(merged(Float32Array.from(values)), file);
}

function checkCount(count: number, file: string): void {
  if (count < 1 || count > MAX_MESH_ITEMS)
    throw ImportError.of('mesh', file, `A mesh has 1 to ${MAX_MESH_ITEMS} triangles, this one ${count}.`);
}

/** Equal corners become one vertex; found by a hash table over their bits, since these lists are long. */
function merged(corners: Float32Array): MeshData {
  const count = corners.length / 3;
  // -0 and 0 are one place.
  for (let k = 0; k < corners.length; k++) corners[k] += 0;
  const bits = new Uint32Array(corners.buffer);
  let size = 16;
  while (size < 2 * count) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const triangles = new Uint32Array(count);
  const kept = new Uint32Array(bits.length);
  let used = 0;
  for (let i = 0; i < count; i++) {
    const a = bits[3 * i];
    const b = bits[3 * i + 1];
    const c = bits[3 * i + 2];
    let slot = Math.imul(a, 73856093) ^ Math.imul(b, 19349663) ^ Math.imul(c, 83492791);
    slot = (slot ^ (slot >>> 15)) & (size - 1);
    let at = table[slot];
    while (at !== -1 && (kept[3 * at] !== a || kept[3 * at + 1] !== b || kept[3 * at + 2] !== c)) {
      slot = (slot + 1) & (size - 1);
      at = table[slot];
    }
    if (at === -1) {
      at = used++;
      table[slot] = at;
      kept[3 * at] = a;
      kept[3 * at + 1] = b;
      kept[3 * at + 2] = c;
    }
    triangles[i] = at;
  }
  return { points: new Float64Array(new Float32Array(kept.buffer, 0, 3 * used)), triangles };
}
