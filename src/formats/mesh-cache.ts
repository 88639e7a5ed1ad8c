// Meshes that were read before. Loading a model again, with the same bytes in hand, need not weigh its meshes again.

import type { MeshData } from '../mechanism/mechanism.js';
import type { MeshMass, SurfaceFaults } from './mesh-mass.js';

/** A mesh as an asset has it, and what was found out about it. */
export interface KnownMesh {
  readonly mesh: MeshData;
  mass?: MeshMass;
  faults?: SurfaceFaults;
}

interface KnownBytes {
  readonly checksum: number;
  readonly meshes: Map<string, KnownMesh>;
}

/** As long as somebody holds the bytes. */
const known = new WeakMap<Uint8Array, KnownBytes>();

/** One file with different scales, say. */
const MOST_MESHES = 16;

/** The mesh of these bytes under these parameters, made where it is not known yet or the bytes have changed. */
export function knownMesh(bytes: Uint8Array, parameters: string, make: () => MeshData): KnownMesh {
  const checksum = checksumOf(bytes);
  let entry = known.get(bytes);
  if (entry?.checksum !== checksum || entry.meshes.size >= MOST_MESHES) {
    entry = { checksum, meshes: new Map() };
    known.set(bytes, entry);
  }
  const before = entry.meshes.get(parameters);
  if (before !== undefined) return before;
  const made = { mesh: make() };
  entry.meshes.set(parameters, made);
  return made;
}

/** FNV-1a over words of four bytes where they lie at such addresses, over bytes otherwise. */
function checksumOf(bytes: Uint8Array): number {
  const whole = bytes.byteOffset % 4 === 0 ? bytes.length >>> 2 : 0;
  const words = new Uint32Array(whole > 0 ? bytes.buffer : new ArrayBuffer(0), whole > 0 ? bytes.byteOffset : 0, whole);
  let hash = 0x811c9dc5 ^ bytes.length;
  for (let k = 0; k < words.length; k++) hash = Math.imul(hash ^ words[k], 0x01000193);
  for (let k = 4 * whole; k < bytes.length; k++) hash = Math.imul(hash ^ bytes[k], 0x01000193);
  return hash;
}
