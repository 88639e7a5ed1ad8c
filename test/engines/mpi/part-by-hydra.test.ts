// How ranks of MPICH part by their launcher: this process plays it, at the other end of the descriptor that it would have given them.
// That they hang otherwise, now and then, shows test/engines/mpi/hosts.test.ts.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { partByHydra } from '../../../src/engines/mpi/part-by-hydra.js';

const MODULE = fileURLToPath(new URL('../../../dist/engines/mpi/part-by-hydra.js', import.meta.url));
const HYDRA = { PMI_FD: '3', MPI_LOCALNRANKS: '1', PMI_RANK: '0', PMI_SIZE: '2' };
const library = (version: string) => ({ version, barrier: () => {} }) as Parameters<typeof partByHydra>[0];

describe.runIf(existsSync(MODULE))('ranks that part by Hydra', () => {
  it('say so after all have met, and wait for its answers', async () => {
    const script = `
      import { partByHydra } from ${JSON.stringify(MODULE)};
      const barrier = () => console.log('met');
      console.log(partByHydra({ version: 'MPICH 4.0.2', barrier }, process.env));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, ...HYDRA },
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    });
    let [out, heard] = ['', ''];
    child.stdout!.on('data', (text) => {
      out += text;
    });
    const launcher = child.stdio[3] as Duplex;
    launcher.on('data', (text) => {
      heard += text;
      // An answer may come in pieces.
      if (heard.endsWith('cmd=barrier_in\n')) {
        launcher.write('cmd=barr');
        setTimeout(() => launcher.write('ier_out rc=0\n'), 20);
      } else launcher.write('cmd=finalize_ack rc=0\n');
    });
    const [status] = await once(child, 'close');
    expect({ status, out, heard }).toEqual({ status: 0, out: 'met\ntrue\n', heard: 'cmd=barrier_in\ncmd=finalize\n' });
  });

  it('are those of MPICH 4.0 and 4.1 alone', () => {
    expect(partByHydra(library('MPICH 4.2.1'), HYDRA)).toBe(false);
    expect(partByHydra(library('Open MPI 4.1.4'), HYDRA)).toBe(false);
    // Slurm speaks another language there.
    expect(partByHydra(library('MPICH 4.0.2'), { ...HYDRA, PMI_JOBID: '7' })).toBe(false);
    expect(partByHydra(library('MPICH 4.0.2'), {})).toBe(false);
  });
});
