// MJCF models of a folder with all that MuJoCo needs to load them: a model with a folder of its own has its meshes there; those
// of other models are not part of the shared files, and a tetrahedron stands in for each.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A tetrahedron as OBJ, in place of meshes that are not there: MuJoCo refuses to load without. */
const STAND_IN = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n');
function standInStl(): Uint8Array {
  const bytes = new Uint8Array(84 + 4 * 50);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, 4, true);
  const corners = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  [
    [0, 2, 1],
    [0, 1, 3],
    [0, 3, 2],
    [1, 2, 3],
  ].forEach((face, f) => {
    face.forEach((corner, c) => {
      corners[corner].forEach((value, k) => {
        view.setFloat32(84 + 50 * f + 12 + 12 * c + 4 * k, value, true);
      });
    });
  });
  return bytes;
}

/** The text of `path` in `folder`, without textures, and every file that belongs to it by its path below the model's folder. */
export function mjcfWithFiles(root: string, path: string): { text: string; files: Map<string, Uint8Array> } {
  const folder = dirname(join(root, path));
  let text = readFileSync(join(root, path), 'utf8');
  const files = new Map<string, Uint8Array>();
  const visit = (at: string): void => {
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const name = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else files.set(name, new Uint8Array(readFileSync(join(folder, name))));
    }
  };
  if (path.includes('/')) visit('');
  // Textures are not there, and none is needed.
  const untextured = (xml: string): string =>
    xml.replace(/<texture [^>]*file=[^>]*\/>/g, '').replace(/ texture="[^"]*"/g, '');
  text = untextured(text);
  for (const [name, bytes] of files)
    if (name.endsWith('.xml')) files.set(name, new TextEncoder().encode(untextured(new TextDecoder().decode(bytes))));
  const meshdir = /meshdir="([^"]*)"/.exec(text)?.[1];
  for (const [, file] of text.matchAll(/<mesh [^>]*file="([^"]*)"/g)) {
    const name = meshdir === undefined ? file : `${meshdir}/${file}`;
    if (!files.has(name)) files.set(name, /stl$/i.test(file) ? standInStl() : STAND_IN);
  }
  return { text, files };
}
