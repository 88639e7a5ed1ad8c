// How long MJCF files take to load, here and in MuJoCo's WebAssembly, from text and meshes in memory: the first time in a
// fresh process (of each of a few processes), and again and again, both in turns. Needs ../shared/data.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseMjcf } from '#src/formats/index.js';
import { mjcfWithFiles } from '../mjcf-files.js';
import { mujoco } from '../mujoco.js';

const FOLDER = fileURLToPath(new URL('../../../../../shared/data/mjcf', import.meta.url));
const PROCESSES = 5;
const SECONDS = 2;

export interface LoadingLine {
  readonly file: string;
  readonly process: 'fresh' | 'warm';
  /** Milliseconds, least of all. */
  readonly manikin: number;
  readonly mujoco: number;
  readonly ratio: number;
}

function models(): string[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(`${FOLDER}/${entry.name}`).map((name) => `${entry.name}/${name}`)
        : [entry.name],
    )
    .filter((path) => path.endsWith('.xml'));
}

type Loader = () => number;

/** Each call loads the model once more and says how many milliseconds that took. */
async function loaders(path: string): Promise<{ manikin: Loader; mujoco: Loader }> {
  const { text, files } = mjcfWithFiles(FOLDER, path);
  const module = await mujoco();
  // Kept, so that its cache of meshes counts the second time.
  const vfs = new module.MjVFS();
  for (const [name, bytes] of files) vfs.addBuffer(name, bytes);
  return {
    manikin: () => {
      const start = performance.now();
      parseMjcf(text, { file: path, files: { read: (name) => files.get(name) } });
      return performance.now() - start;
    },
    mujoco: () => {
      const start = performance.now();
      const model = module.MjModel.from_xml_string(text, vfs);
      const time = performance.now() - start;
      model.delete();
      return time;
    },
  };
}

const line = (
  file: string,
  process: LoadingLine['process'],
  times: Record<'manikin' | 'mujoco', number>,
): LoadingLine => ({
  file,
  process,
  manikin: Number(times.manikin.toFixed(2)),
  mujoco: Number(times.mujoco.toFixed(2)),
  ratio: Number((times.manikin / times.mujoco).toFixed(2)),
});

/** One fresh process prints what its first loads take. */
async function printFirst(path: string): Promise<void> {
  const { manikin, mujoco: theirs } = await loaders(path);
  console.log(JSON.stringify({ manikin: manikin(), mujoco: theirs() }));
}

export async function run(): Promise<{ readonly lines: readonly LoadingLine[] } | { readonly skipped: string }> {
  if (!existsSync(FOLDER)) return { skipped: 'there is no ../shared/data/mjcf' };
  const lines: LoadingLine[] = [];
  for (const path of models()) {
    const first = { manikin: Infinity, mujoco: Infinity };
    for (let k = 0; k < PROCESSES; k++) {
      const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), path], { encoding: 'utf8' });
      const times = JSON.parse(stdout) as typeof first;
      for (const who of ['manikin', 'mujoco'] as const) first[who] = Math.min(first[who], times[who]);
    }
    lines.push(line(path, 'fresh', first));
    const load = await loaders(path);
    const least = { manikin: Infinity, mujoco: Infinity };
    const end = performance.now() + 1000 * SECONDS;
    for (let k = 0; k < 5 || performance.now() < end; k++)
      for (const who of ['manikin', 'mujoco'] as const) least[who] = Math.min(least[who], load[who]());
    lines.push(line(path, 'warm', least));
  }
  return { lines };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await printFirst(process.argv[2]);
