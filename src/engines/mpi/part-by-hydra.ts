// The end of ranks of MPICH 4.0 and 4.1 on several machines. Their MPI_Finalize closes connections, waits for the answers of the others, and
// then for the launcher without answering anybody: a rank that closes its own a little later waits for ever (pmodels/mpich#6596
// mended that). So ranks part by the launcher alone, in its own words (PMI 1), and connections end with the processes.

import { builtinModule } from '../../threads/builtin.js';
import type { ProcessEnvironment } from './environment.js';
import type { MpiLibrary } from './library.js';

interface Files {
  writeSync(file: number, text: string): number;
  readSync(file: number, into: Uint8Array): number;
}

/** True where the ranks have parted so; MPI must not be called any more then. */
export function partByHydra({ version, barrier }: MpiLibrary, env: ProcessEnvironment): boolean {
  const files = builtinModule('node:fs') as Files | undefined;
  // Slurm's PMI 2 has the first of these and the last.
  const hydra = env.PMI_FD !== undefined && env.MPI_LOCALNRANKS !== undefined && env.PMI_JOBID === undefined;
  if (files === undefined || !hydra || !/^MPICH 4\.[01]\b/.test(version)) return false;
  const launcher = Number(env.PMI_FD);
  const line = new Uint8Array(new ArrayBuffer(1024));
  const say = (command: string): void => {
    files.writeSync(launcher, `cmd=${command}\n`);
    for (let end = 0; end !== 10; ) {
      const count = files.readSync(launcher, line);
      if (count === 0) return;
      end = line[count - 1];
    }
  };
  // Everything that was sent arrives while all still answer each other; then nobody needs anybody.
  barrier();
  say('barrier_in');
  say('finalize');
  return true;
}
