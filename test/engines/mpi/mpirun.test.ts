// Ranks under mpirun, of Open MPI and of MPICH. MANIKIN_LONG=1 tries 1, 2, 3, 4 and 8 ranks.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../../bench/parallel.js';
import { endThreads } from '../../../src/engines/threads/index.js';
import { ParallelDynamics } from '../../../src/engines/threads/parallel-dynamics.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { ENGINE_CONSTANTS } from '../../../src/schedule/index.js';
import { until } from '../../cli/process-support.js';
import { json } from '../../cli/support.js';
import { LAUNCHERS, type Launcher, onRanks, startRanks } from '../../support/mpirun.js';
import { Walker } from '../threads/support.js';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = at('../../../dist/cli/main.js');
const built = existsSync(MAIN);
if (!built) console.warn('skipped: dist is not built (npm run build), ranks are not tried');
const LONG = process.env.MANIKIN_LONG === '1';
const launchers = built ? LAUNCHERS : [];
/** What does not depend on whose MPI it is. */
const few = LONG ? launchers : launchers.slice(0, 1);
/** Open MPI would bind each rank to a core. */
const FREE = { OMPI_MCA_hwloc_base_binding_policy: 'none' };
const STEPS = LONG ? 1000 : 200;
const MODELS = ['chain-32-spherical', ...(LONG ? ['human-34', 'chain-200', 'crowd-5'] : [])];

let ofThreads: Promise<Record<string, number>> | undefined;
/** Of so many steps of each model. */
function hashesOfThreads(): Promise<Record<string, number>> {
  ofThreads ??= (async () => {
    const hashes: Record<string, number> = {};
    for (const name of MODELS) {
      const dynamics = new ParallelDynamics(builtinMechanism(name), { threads: 2, deterministic: true });
      await dynamics.ready();
      const walker = new Walker(dynamics, 1);
      for (let step = 0; step < STEPS; step++) walker.step();
      hashes[name] = walker.hash;
      dynamics.dispose();
    }
    return hashes;
  })();
  return ofThreads;
}

afterAll(() => endThreads());

interface Said {
  readonly out: string;
  readonly err: string;
}

/** What commands print that ranks run one after the other. */
async function commands(
  launcher: Launcher,
  ranks: number,
  list: readonly { readonly words: readonly string[]; readonly cache?: string }[],
  threads = 1,
): Promise<Said[]> {
  const words = [at('commands-program.mjs'), String(threads), JSON.stringify(list)];
  const { status, stdout, stderr } = await onRanks(launcher, ranks, words, { env: FREE });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe.runIf(launchers.length > 0)('ranks', () => {
  const numbers = launchers.flatMap((launcher) =>
    (LONG ? [1, 2, 3, 4, 8] : [3]).map((count) => ({ ...launcher, count })),
  );
  it.each(numbers)(
    'have the bits of threads in every step: $count ranks of $family',
    async ({ count, ...launcher }) => {
      const expected = await hashesOfThreads();
      const hashed = async (threads: number) => {
        const words = [at('hash-program.mjs'), String(threads), String(STEPS), ...MODELS];
        const { status, stdout, stderr } = await onRanks(launcher, count, words);
        expect(status, stderr).toBe(0);
        const { hashes, ranks, implementation, sharesMemory } = JSON.parse(stdout);
        expect({ hashes, ranks, threads }).toEqual({ hashes: expected, ranks: count, threads });
        // Threads inside call MPI, each for itself.
        if (process.platform === 'linux') expect(sharesMemory).toBe(threads === 1 && count > 1);
        expect(implementation.startsWith(launcher.family), implementation).toBe(true);
      };
      await hashed(1);
      // With threads inside, where that is not too many for two cores.
      if (count <= 3 && few.some(({ family }) => family === launcher.family)) await hashed(2);
    },
  );

  it.each(few)('go on from a checkpoint, whatever their number: $family', async (launcher) => {
    const folder = mkdtempSync(join(tmpdir(), 'manikin-ranks-'));
    try {
      const simulate = async (count: number, ...more: string[]) => {
        const words = [
          'simulate',
          'chain-32-spherical',
          '--seed',
          '2',
          '--mpi',
          '--schedule-for',
          '4',
          '--json',
          ...more,
        ];
        const { status, stdout, stderr } = await onRanks(launcher, count, [MAIN, ...words], { cwd: folder });
        expect(status, stderr).toBe(0);
        return JSON.parse(stdout);
      };
      const whole = await simulate(2, '--duration', '0.04');
      const half = await simulate(3, '--duration', '0.02', '--checkpoint', 'half.json');
      expect(half.files).toEqual(['half.json']);
      const rest = await simulate(1, '--duration', '0.04', '--resume', 'half.json');
      expect(whole).toMatchObject({
        ranks: 2,
        steps: 40,
        integrator: 'rk4',
        hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      });
      expect(rest).toMatchObject({ ranks: 1, steps: 20, time: whole.time });
      expect(rest.joints).toEqual(whole.joints);
      // The same motion without MPI, by another code.
      const words = ['chain-32-spherical', '--seed', '2', '--integrator', 'rk4', '--duration', '0.04'];
      const alone = await json('simulate', ...words);
      for (const [k, { q }] of alone.joints.entries())
        for (const [i, x] of q.entries()) expect(Math.abs(x - whole.joints[k].q[i])).toBeLessThan(1e-8);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(launchers)('end with a rank that dies, and name it: $family', async (launcher) => {
    const words = [MAIN, 'simulate', 'chain-32', '--seed', '2', '--mpi', '--schedule-for', '2', '--duration', '1000'];
    const child = startRanks(launcher, 2, words);
    let err = '';
    child.stderr!.on('data', (text) => {
      err += text;
    });
    const ended = once(child, 'close');
    const environment = (pid: number): string => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8');
      } catch {
        return '';
      }
    };
    const children = (pid: number): number[] => {
      try {
        const own = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
          .trim()
          .split(' ')
          .filter(Boolean)
          .map(Number);
        return [...own, ...own.flatMap(children)];
      } catch {
        return [];
      }
    };
    /** Rank 1, once it has some of the processor's time behind it. */
    let victim: number | undefined;
    await until(() => {
      // Of MPICH's ranks the program itself tells the processes, when it begins.
      if (launcher.family === 'MPICH' && !err.includes('Processes of the ranks')) return false;
      victim = children(child.pid!).find(
        (pid) =>
          /(OMPI_COMM_WORLD_RANK|PMI_RANK)=1\0/.test(environment(pid)) &&
          Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[11]) > 50,
      );
      return victim !== undefined;
    });
    process.kill(victim!, 'SIGKILL');
    const [status] = await ended;
    expect(status).not.toBe(0);
    if (launcher.family === 'Open MPI') expect(err).toMatch(/rank 1 .*signal 9/);
    else expect(err).toMatch(new RegExp(`Processes of the ranks, from 0 on: \\d+, ${victim}\\.`));
  });

  it.each(few)('compute and measure: $family', async (launcher) => {
    const brief = ['--mpi', '--seconds', '0.02', '--json'];
    const words = ['fd', 'chain-200', '--seed', '4', '--json'];
    const [computed, measured, table] = await commands(launcher, 2, [
      { words: [...words, '--mpi', '--schedule-for', '2'] },
      { words: ['bench', 'parallel', 'chain-64', ...brief] },
      { words: ['reproduce', '003', ...brief] },
    ]);
    // What one process computes.
    const alone = await json(...words.slice(0, -1));
    const { joints, ...about } = JSON.parse(computed.out);
    expect({ ranks: about.ranks, algorithm: about.algorithm }).toEqual({ ranks: 2, algorithm: 'mpi' });
    expect(about.implementation).toContain(launcher.family);
    const largest = Math.max(...alone.joints.map((joint: { qdd: number[] }) => Math.abs(joint.qdd[0])));
    for (const [k, { name, qdd }] of joints.entries()) {
      expect(name).toBe(alone.joints[k].name);
      expect(Math.abs(qdd[0] - alone.joints[k].qdd[0]) / largest, name).toBeLessThan(1e-8);
    }
    // Times beside those of threads, and the table of a paper.
    const { results, implementation } = JSON.parse(measured.out);
    expect(implementation).toContain(launcher.family);
    expect(results).toHaveLength(1);
    for (const key of ['ns', 'nsMedian', 'gatheredNs', 'threadsNs', 'serialNs', 'predictedNs'])
      expect(results[0][key], key).toBeGreaterThan(100);
    expect(results[0]).toMatchObject({ workers: 2, hash: await hashOf(builtinMechanism('chain-64'), 2, 2) });
    const { rows, ranks } = JSON.parse(table.out);
    expect(ranks).toBe(2);
    expect(rows.map((row: { processes: number; paperMs: number }) => [row.processes, row.paperMs])).toEqual([
      [1, 10.8],
      [2, 8.5],
      [1, 15.1],
      [2, 10.9],
    ]);
  });

  it('cut less or not at all where messages take long, and say so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manikin-ranks-'));
    try {
      const fd = (model: string, ns: number) => {
        const cache = join(folder, String(ns));
        mkdirSync(join(cache, 'manikin'), { recursive: true });
        const ranks = { messages: [{ bytes: 8, ns }], instructions: [{ links: 1, ns: 0.2 }] };
        writeFileSync(join(cache, 'manikin', 'calibration-mpi.json'), JSON.stringify({ ...ENGINE_CONSTANTS, ranks }));
        return { words: ['fd', model, '--seed', '1', '--mpi', '--json'], cache };
      };
      const all = [fd('human-34', 1), fd('chain-100', 600), fd('human-34', 1e6)];
      const [fast, slower, slow] = await commands(launchers[0], 4, all);
      expect(JSON.parse(fast.out)).toMatchObject({ algorithm: 'mpi', measured: true, ranks: 4, hosts: 1 });
      expect(fast.err).toBe('');
      expect(JSON.parse(slower.out)).toMatchObject({ algorithm: 'mpi' });
      expect(slower.err).toMatch(/^Cut for 2 of 4 ranks: [\d.]+ us predicted, [\d.]+ us with all\.\n$/);
      expect(JSON.parse(slow.out).algorithm).not.toBe('mpi');
      expect(slow.err).toMatch(/^not spread over 4 ranks: [\d.]+ us against [\d.]+ us of one, predicted\.\n$/);
      const { words, cache } = fd('human-34', -1);
      const bad = await onRanks(launchers[0], 2, [MAIN, ...words], { env: { XDG_CACHE_HOME: cache } });
      expect(bad.status).not.toBe(0);
      expect(bad.stderr).toContain(
        'is damaged (ranks.messages[0].ns is -1): run "mpirun ... manikin calibrate --mpi" again.',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.runIf(launchers[0]?.family === 'Open MPI' && availableParallelism() > 1)(
    'say that mpirun has bound them to fewer cores than they have threads',
    async () => {
      const words = [MAIN, 'fd', 'human-34', '--mpi', '--threads', '2', '--json'];
      const env = { OMPI_MCA_hwloc_base_binding_policy: 'core' };
      const { status, stderr } = await onRanks(launchers[0], 2, words, { env });
      expect(status, stderr).toBe(0);
      expect(stderr).toContain(
        'Warning: mpirun has bound this rank to 1 core, which its 2 threads share. mpirun --bind-to none sets them free.\n',
      );
      // Ranks that are free say nothing of it.
      const [free] = await commands(launchers[0], 2, [{ words: words.slice(1) }], 2);
      expect(free.err).not.toContain('Warning');
    },
  );

  it.each(few)('say what is wrong once: $family', async (launcher) => {
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
