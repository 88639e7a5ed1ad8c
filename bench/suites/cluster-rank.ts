// What a rank of the cluster in miniature does: messages and instructions are measured, and steps of the models that are named, in
// turn and several times; rank 0 prints the least of each and what the cost model says. Numbers are compared with those of the same
// program alone.

import { mpi, RANK_CONSTANTS } from '#src/engines/mpi/index.js';
import { Planner } from '#src/engines/threads/planner.js';
import { ThreadProgram } from '#src/engines/threads/program.js';
import { State } from '#src/mechanism/state.js';
import { builtinMechanism } from '#src/models/index.js';
import { playSegments } from '#src/schedule/segment-timeline.js';
import { leastTimes, rankMeter } from '../rank-times.js';

/** Rounds at least and at most. On a busy machine the least times come late: two rounds that found none end it. */
const [LEAST_ROUNDS, MOST_ROUNDS, FRUITLESS] = [4, 12, 2];
/** A time that is less by this part is another one. */
const GAIN = 0.02;
/** Milliseconds of steps of a model in a round. */
const STEPS_MS = 700;
/** Milliseconds of a batch. */
const BATCH = 5;

const ranks = await mpi();
const meter = rankMeter(ranks, 65_536);
const measured = [meter(() => {})];
const constants = { ...RANK_CONSTANTS, ranks: measured[0] };
const models = process.argv.slice(2).map((model) => {
  const mechanism = builtinMechanism(model);
  const planner = new Planner(mechanism, constants);
  const plan = planner.plan(ranks.ranks);
  const program = new ThreadProgram(plan);
  const part = ranks.part(program);
  const state = State.random(mechanism, 1);
  part.arrays.q.set(state.q);
  part.arrays.v.set(state.v);
  return { model, mechanism, plan, program, part, state, times: [] as number[] };
});
/** The least times so far that are compared in the end: of steps, messages and instructions. */
const figures = (): number[] => {
  const { messages, instructions } = leastTimes(measured);
  return [
    ...models.map(({ times }) => times.reduce((least, ns) => Math.min(least, ns), Number.POSITIVE_INFINITY)),
    ...[...messages, ...instructions].map(({ ns }) => ns),
  ];
};
let rounds = 0;
for (let [known, fruitless] = [figures(), 0]; ; ) {
  for (const { part, times } of models) {
    const batch = (count: number): number => {
      const start = performance.now();
      for (let k = 0; k < count; k++) part.step();
      return (performance.now() - start) / count;
    };
    // As many on all ranks: rank 0 says how many.
    const [ms] = ranks.tell(Float64Array.of(Math.min(batch(2), batch(2))));
    const count = Math.max(1, Math.ceil(BATCH / ms));
    for (let k = Math.ceil(STEPS_MS / (count * ms)); k > 0; k--) times.push(1e6 * batch(count));
  }
  measured.push(meter(() => {}));
  rounds++;
  const now = figures();
  fruitless = now.some((ns, k) => ns < (1 - GAIN) * known[k]) ? 0 : fruitless + 1;
  known = now;
  // Rank 0 has the clock for all.
  const [goesOn] = ranks.tell(
    Float64Array.of(Number(rounds < LEAST_ROUNDS || (fruitless < FRUITLESS && rounds < MOST_ROUNDS))),
  );
  if (goesOn === 0) break;
}
const least = leastTimes(measured);
const lines = models.map(({ model, mechanism, plan, program, part, state, times }) => {
  part.gather();
  const { arrays, runner } = program.alone;
  arrays.q.set(state.q);
  arrays.v.set(state.v);
  runner.alone();
  const equal = part.arrays.qdd.every((x, k) => Object.is(x, arrays.qdd[k]));
  times.sort((a, b) => a - b);
  const now = { ...RANK_CONSTANTS, ranks: least };
  const { costs, cutting, processorOf } = plan.schedule;
  const [ns, predictedNs] = [times[0], playSegments(costs, cutting, now, processorOf).ns].map(Math.round);
  const ratio = Number((ns / predictedNs).toFixed(3));
  const nsMedian = Math.round(times[times.length >> 1]);
  const predictedAloneNs = Math.round(new Planner(mechanism, now).find(1).ns);
  return { model, ns, nsMedian, predictedNs, ratio, predictedAloneNs, equal };
});
const equal = ranks.gather(Float64Array.from(lines, (line) => Number(line.equal))).every((x) => x === 1);
if (ranks.rank === 0)
  console.log(JSON.stringify({ implementation: ranks.implementation, rounds, ...least, lines, equal }));
