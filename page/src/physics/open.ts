// Files that were dropped on the page: a model with what belongs to it, or a recording.

import { State } from 'manikin';
import { readModel } from 'manikin/files';
import { World } from 'manikin/world';
import { unzipSync } from 'fflate';

export interface Opened {
  readonly title: string;
  readonly about: string;
  readonly world: World;
  readonly warnings: readonly string[];
}

const MOST_BYTES = 256 * 1024 * 1024;
const MODEL = /\.(urdf|xml|sdf|osim|bvh|json)$/i;

/** The named file among those given, or the first that is a model. */
export function openFiles(name: string, given: readonly (readonly [string, Uint8Array])[]): Opened {
  const files = new Map(given.flatMap(([path, bytes]) => (/\.zip$/i.test(path) ? unzipped(bytes) : [[path, bytes] as const])));
  const main = files.has(name) ? name : [...files.keys()].find((path) => MODEL.test(path));
  if (main === undefined)
    throw new Error(`None of these files is a model (.urdf, .xml, .sdf, .osim, .bvh, .json): ${[...files.keys()].slice(0, 5).join(', ')}.`);
  const folder = main.slice(0, Math.max(0, main.lastIndexOf('/')));
  // Files that were dropped one by one have lost their folders.
  const byName = new Map([...files].map(([path, bytes]) => [path.slice(path.lastIndexOf('/') + 1), bytes]));
  const read = (path: string): Uint8Array | undefined =>
    files.get(path) ?? byName.get(path.slice(path.lastIndexOf('/') + 1));
  const { mechanism, state } = readModel(files.get(main)!, main, { files: { folder, read } });
  const free = mechanism.joints.some(({ type, parent }) => type === 'floating' && parent < 0);
  const world = new World({ step: 2e-3, gravity: mechanism.gravity, ground: free });
  world.add(mechanism, { state: state ?? new State(mechanism) });
  return {
    title: mechanism.name,
    about: `${main}: ${mechanism.bodies.length} bodies, ${mechanism.nv} degrees of freedom.`,
    world,
    warnings: mechanism.warnings.map(({ message, where }) => `${where} ${message}`.trim()),
  };
}

function unzipped(bytes: Uint8Array): (readonly [string, Uint8Array])[] {
  let sum = 0;
  const filter = ({ originalSize }: { originalSize: number }): boolean => {
    sum += originalSize;
    if (sum > MOST_BYTES) throw new Error(`The archive holds more than ${MOST_BYTES / 2 ** 20} MB.`);
    return true;
  };
  return Object.entries(unzipSync(bytes, { filter }));
}
