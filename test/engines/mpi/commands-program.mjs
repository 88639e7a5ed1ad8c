// For ranks: commands of manikin one after the other, given as JSON: words of each, with the folder of its calibration where that matters.
// Rank 0 prints what each has printed. Only what goes well: a rank that fails ends the job.

import { run } from '../../../dist/cli/program.js';
import { mpi } from '../../../dist/engines/mpi/index.js';

const [threads, commands] = process.argv.slice(2);
const ranks = await mpi({ threads: Number(threads) });
const outcomes = [];
for (const { words, cache } of JSON.parse(commands)) {
  if (cache !== undefined) process.env.XDG_CACHE_HOME = cache;
  const outcome = { out: '', err: '' };
  const code = await run(words, {
    out: (text) => {
      outcome.out += text;
    },
    err: (text) => {
      outcome.err += text;
    },
    interactive: false,
    signal: new AbortController().signal,
  });
  if (code !== 0) throw new Error(`${words.join(' ')}: ${outcome.err}`);
  outcomes.push(outcome);
}
if (ranks.rank === 0) console.log(JSON.stringify(outcomes));
