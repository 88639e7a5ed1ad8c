// Ranks on several hosts: a cluster in miniature (test/support/hosts.ts). MANIKIN_LONG=1 also tries more hosts and longer chains; times
// are measured by `npm run bench -- cluster`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { endThreads } from '../../../src/engines/threads/index.js';
import { ParallelDynamics } from '../../../src/engines/threads/parallel-dynamics.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { Hosts, noHosts } from '../../support/hosts.js';
import { ENVIRONMENT, LAUNCHERS, type Launcher } from '../../support/mpirun.js';
import { PATIENCE } from '../../support/patience.js';
import { Walker } from '../threads/support.js';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAIN = at('../../../dist/cli/main.js');
const LONG = process.env.MANIKIN_LONG === '1';
const why = existsSync(MAIN) ? noHosts() : 'dist is not built (npm run build)';
if (why !== undefined) console.warn(`skipped: ${why}, ranks on several hosts are not tried`);
const launchers = why === undefined ? LAUNCHERS : [];
const DELAY = 100;
const STEPS = LONG ? 1000 : 200;

let hosts: Hosts | undefined;
const cache = mkdtempSync(join(tmpdir(), 'manikin-hosts-cache-'));
afterEach(async () => {
  await hosts?.close();
  hosts = undefined;
});
afterAll(() => {
  endThreads();
  rmSync(cache, { recursive: true });
  if (why === undefined)
    expect(readdirSync('/run/netns').filter((name) => name.startsWith(`manikin-${process.pid}-`))).toEqual([]);
});

async function onHosts(launcher: Launcher, count: number, words: readonly string[]) {
  hosts = new Hosts(count, DELAY);
  await hosts.ready;
  const [command, ...rest] = [...hosts.mpirun(launcher, 1), process.execPath, ...words];
  const env = { ...ENVIRONMENT, XDG_CACHE_HOME: cache };
  const child = spawn(command, rest, { env, timeout: PATIENCE, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [status] = await once(child, 'close');
  // mpirun of MPICH says that all went well also where it was ended while ranks hung at their end.
  expect({ status, ended: child.killed }, err).toEqual({ status: 0, ended: false });
  return JSON.parse(out);
}

describe.runIf(launchers.length > 0)('hosts', () => {
  it.each(launchers)('have the bits of threads, over TCP: $family', async (launcher) => {
    const models = LONG ? ['chain-32-spherical', 'chain-16384'] : ['chain-32-spherical'];
    const expected: Record<string, number> = {};
    for (const name of models) {
      const dynamics = new ParallelDynamics(builtinMechanism(name), { threads: 2, deterministic: true });
      await dynamics.ready();
      const walker = new Walker(dynamics, 1);
      for (let step = 0; step < STEPS; step++) walker.step();
      expected[name] = walker.hash;
      dynamics.dispose();
    }
    const { hashes, ranks, sharesMemory } = await onHosts(launcher, LONG ? 3 : 2, [
      at('hash-program.mjs'),
      '1',
      String(STEPS),
      ...models,
    ]);
    expect({ hashes, ranks, sharesMemory }).toEqual({ hashes: expected, ranks: LONG ? 3 : 2, sharesMemory: false });
  });

  it.each(launchers)('are measured: $family', async (launcher) => {
    const words = [MAIN, 'calibrate', '--mpi', '--links', '1024', '--json'];
    const measured = await onHosts(launcher, 2, words);
    expect(measured).toMatchObject({ ranks: 2, hosts: 2, file: join(cache, 'manikin', 'calibration-mpi-hosts.json') });
    // Nothing is faster than the line.
    for (const { ns } of measured.messages) expect(ns).toBeGreaterThanOrEqual(1000 * DELAY);
    expect(measured.partners).toHaveLength(1);
    expect(measured.instructions).toEqual([{ links: 1024, ns: expect.any(Number) }]);
  });
});
