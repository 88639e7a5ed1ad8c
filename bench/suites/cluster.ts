// A cluster in miniature: two hosts in network namespaces, 25 and 100 microseconds apart, measured (manikin calibrate --mpi),
// then steps of long chains against what the cost model says, and the bits of threads. Needs root; times of a busy machine say
// little.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endThreads } from '#src/engines/threads/index.js';
import { builtinMechanism } from '#src/models/index.js';
import { Hosts, noHosts } from '../../test/support/hosts.js';
import { ENVIRONMENT, LAUNCHERS } from '../../test/support/mpirun.js';
import { hashOf } from '../parallel.js';
import type { SpreadLine } from '../spread.js';

const MODELS = ['chain-16384', 'chain-100000'];
const MICROSECONDS = [25, 100];
const HOSTS = 2;

export async function run(): Promise<object> {
  const why = noHosts() ?? (LAUNCHERS.length === 0 ? 'there is no mpirun' : undefined);
  if (why !== undefined) return { skipped: why };
  const expected = new Map<string, string>();
  for (const model of MODELS) expected.set(model, await hashOf(builtinMechanism(model), HOSTS, HOSTS));
  endThreads();
  const cache = mkdtempSync(join(tmpdir(), 'manikin-cluster-'));
  const results = [];
  try {
    for (const launcher of LAUNCHERS)
      for (const delay of MICROSECONDS) {
        const hosts = new Hosts(HOSTS, delay);
        try {
          await hosts.ready;
          const manikin = (...words: string[]) => {
            const [command, ...rest] = [
              ...hosts.mpirun(launcher, 1),
              process.execPath,
              'dist/cli/main.js',
              ...words,
              '--mpi',
              '--json',
            ];
            const env = { ...ENVIRONMENT, XDG_CACHE_HOME: cache };
            const { status, stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8', env });
            if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
            return JSON.parse(stdout);
          };
          const { messages, instructions } = manikin('calibrate');
          const { results: lines } = manikin('bench', 'parallel', ...MODELS, '--seconds', '3');
          results.push({
            implementation: launcher.family,
            delay,
            messages,
            instructions,
            lines: (lines as SpreadLine[]).map(({ model, ns, nsMedian, serialNs, predictedNs, hash }) => {
              const ratio = Number((ns / (predictedNs ?? 0)).toFixed(3));
              return { model, ns, nsMedian, predictedNs, ratio, serialNs, equal: hash === expected.get(model) };
            }),
          });
        } finally {
          await hosts.close();
        }
      }
  } finally {
    rmSync(cache, { recursive: true });
  }
  return results;
}
