// Ranks under mpirun, of Open MPI and of MPICH. MANIKIN_LONG=1 tries 1, 2, 3, 4 and 8 ranks.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { endThreads } from '../../../src/engines/threads/index.js';
import { ParallelDynamics } from '../../../src/engines/threads/parallel-dynamics.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { LAUNCHERS, onRanks } from '../../support/mpirun.js';
import { Walker } from '../threads/support.js';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = at('../../../dist/cli/main.js');
const built = existsSync(MAIN);
if (!built) console.warn('skipped: dist is not built (npm run build), ranks are not tried');
const LONG = process.env.MANIKIN_LONG === '1';
const launchers = built ? LAUNCHERS : [];
const MODELS = ['chain-32-spherical', 'human-34', ...(LONG ? ['chain-200', 'crowd-5'] : [])];

afterAll(() => endThreads());

describe.runIf(launchers.length > 0)('ranks', () => {
  it('have the bits of threads over 1000 steps, whatever their number', async () => {
    const expected: Record<string, number> = {};
    for (const name of MODELS) {
      const dynamics = new ParallelDynamics(builtinMechanism(name), { threads: 2, deterministic: true });
      await dynamics.ready();
      const walker = new Walker(dynamics, 1);
      for (let step = 0; step < 1000; step++) walker.step();
      expected[name] = walker.hash;
      dynamics.dispose();
    }
    for (const launcher of launchers)
      for (const count of LONG ? [1, 2, 3, 4, 8] : [3]) {
        const { status, stdout, stderr } = await onRanks(launcher, count, [at('hash-program.mjs'), ...MODELS]);
        expect(status, stderr).toBe(0);
        const { hashes, ranks, implementation } = JSON.parse(stdout);
        expect({ hashes, ranks }).toEqual({ hashes: expected, ranks: count });
        expect(implementation.startsWith(launcher.family), implementation).toBe(true);
      }
  });

  it.each(launchers)('compute what one process computes: $family', async (launcher) => {
    const words = ['fd', 'chain-200', '--seed', '4', '--json'];
    const alone = JSON.parse(spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' }).stdout);
    const { status, stdout, stderr } = await onRanks(launcher, 2, [MAIN, ...words, '--mpi', '--schedule-for', '2']);
    expect(status, stderr).toBe(0);
    const { joints, ranks, implementation, algorithm } = JSON.parse(stdout);
    expect({ ranks, algorithm }).toEqual({ ranks: 2, algorithm: 'mpi' });
    expect(implementation).toContain(launcher.family);
    const largest = Math.max(...alone.joints.map((joint: { qdd: number[] }) => Math.abs(joint.qdd[0])));
    for (const [k, { name, qdd }] of joints.entries()) {
      expect(name).toBe(alone.joints[k].name);
      expect(Math.abs(qdd[0] - alone.joints[k].qdd[0]) / largest, name).toBeLessThan(1e-8);
    }
  });

  it.each(launchers)('say what is wrong once: $family', async (launcher) => {
    const { status, stdout, stderr } = await onRanks(launcher, 2, [MAIN, 'fd', 'human-34', '--mpi', '--forces']);
    expect(status).not.toBe(0);
    expect(stdout.trim().split('\n').length).toBeLessThan(8);
    expect(stderr.match(/leave --forces/g)).toHaveLength(1);
  });
});

describe.runIf(built)('without mpirun', () => {
  it('one sentence says what to do', () => {
    const refusal = (env: object): string => {
      const words = [MAIN, 'fd', 'human-34', '--mpi'];
      const { status, stderr } = spawnSync(process.execPath, words, {
        encoding: 'utf8',
        env: { ...process.env, ...env },
      });
      expect(status).toBe(2);
      return stderr;
    };
    expect(refusal({ MANIKIN_MPI_LIBRARY: '/nowhere.so' })).toMatch(
      /^Error: There is no MPI on this machine: install .*\n$/,
    );
    if (LAUNCHERS.length > 0)
      expect(refusal({})).toMatch(/^Error: This process was not started by mpirun\. Start .*\n$/);
  });
});
