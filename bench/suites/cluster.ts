// A cluster in miniature: two hosts in network namespaces, 25 and 100 microseconds apart, measured as manikin calibrate --mpi does,
// then steps of long chains against what the cost model says. Needs root; times of a busy machine say little.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Hosts, noHosts } from '../../test/support/hosts.js';
import { ENVIRONMENT, LAUNCHERS } from '../../test/support/mpirun.js';

const MODELS = ['chain-16384', 'chain-100000'];
const MICROSECONDS = [25, 100];

export async function run(): Promise<object> {
  const why = noHosts() ?? (LAUNCHERS.length === 0 ? 'there is no mpirun' : undefined);
  if (why !== undefined) return { skipped: why };
  const program = fileURLToPath(new URL('./cluster-rank.js', import.meta.url));
  const results: object[] = [];
  const all = LAUNCHERS.flatMap((launcher) =>
    MICROSECONDS.flatMap((delay) => MODELS.map((model) => ({ launcher, delay, model }))),
  );
  for (const { launcher, delay, model } of all) {
    const hosts = new Hosts(2, delay);
    try {
      await hosts.ready;
      const [command, ...words] = [...hosts.mpirun(launcher, 1), process.execPath, program, model];
      const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', env: ENVIRONMENT });
      if (status !== 0) throw new Error(stderr);
      const result = { delay, ...JSON.parse(stdout) };
      console.error(JSON.stringify(result));
      results.push(result);
    } finally {
      await hosts.close();
    }
  }
  return results;
}
