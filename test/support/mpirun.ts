// mpirun of Open MPI and of MPICH, where they are installed; who skips for want of them says so once.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PATIENCE } from './patience.js';

export interface Launcher {
  readonly family: 'Open MPI' | 'MPICH';
  readonly command: string;
}

/** As root and with more ranks than cores, which Open MPI asks about. */
export const ENVIRONMENT = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: '1',
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
  OMPI_MCA_rmaps_base_oversubscribe: '1',
  FORCE_COLOR: '0',
};

function familyOf(command: string): Launcher['family'] | undefined {
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  if (/Open MPI|OpenRTE/.test(stdout ?? '')) return 'Open MPI';
  return /HYDRA/i.test(stdout ?? '') ? 'MPICH' : undefined;
}

const found = new Map<string, Launcher>();
for (const command of ['mpirun.openmpi', 'mpirun.mpich', 'mpirun', 'mpiexec.hydra']) {
  const family = familyOf(command);
  if (family !== undefined && !found.has(family)) found.set(family, { family, command });
}

/** One for each family. */
export const LAUNCHERS: readonly Launcher[] = [...found.values()];

for (const family of ['Open MPI', 'MPICH'])
  if (!found.has(family))
    console.warn(`skipped: there is no mpirun of ${family} (Debian: openmpi-bin, mpich), ranks are not tried with it`);

export function startRanks(
  { command }: Launcher,
  ranks: number,
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: { readonly [name: string]: string } } = {},
): ChildProcess {
  const { env, ...more } = options;
  return spawn(command, ['-n', String(ranks), process.execPath, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
    ...more,
    env: { ...ENVIRONMENT, ...env },
  });
}

/** Runs a program of Node on ranks. */
export async function onRanks(
  launcher: Launcher,
  ranks: number,
  words: readonly string[],
  options: Parameters<typeof startRanks>[3] = {},
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = startRanks(launcher, ranks, words, options);
  let [stdout, stderr] = ['', ''];
  child.stdout!.on('data', (text) => {
    stdout += text;
  });
  child.stderr!.on('data', (text) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status, stdout, stderr };
}
