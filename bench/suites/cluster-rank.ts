// What a rank of the cluster in miniature does: messages and instructions are measured, then steps of the models that are named, and
// rank 0 prints what they took and what the cost model says. Their numbers are compared with those of the same program alone.

import { mpi, RANK_CONSTANTS } from '#src/engines/mpi/index.js';
import { Planner } from '#src/engines/threads/planner.js';
import { ThreadProgram } from '#src/engines/threads/program.js';
import { State } from '#src/mechanism/state.js';
import { builtinMechanism } from '#src/models/index.js';
import { measureRanks } from '../rank-times.js';

const [BATCHES, STEPS, WARM] = [60, 8, 40];

const ranks = await mpi();
const measured = measureRanks(ranks, 65_536, () => {});
const constants = { ...RANK_CONSTANTS, ranks: measured };
const lines = process.argv.slice(2).map((model) => {
  const mechanism = builtinMechanism(model);
  const planner = new Planner(mechanism, constants);
  const plan = planner.plan(ranks.ranks);
  const program = new ThreadProgram(plan);
  const part = ranks.part(program);
  const state = State.random(mechanism, 1);
  part.arrays.q.set(state.q);
  part.arrays.v.set(state.v);
  for (let k = 0; k < WARM; k++) part.step();
  const times: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = performance.now();
    for (let k = 0; k < STEPS; k++) part.step();
    times.push((1e6 * (performance.now() - start)) / STEPS);
  }
  part.gather();
  const { arrays, runner } = program.alone;
  arrays.q.set(state.q);
  arrays.v.set(state.v);
  runner.alone();
  const equal = part.arrays.qdd.every((x, k) => Object.is(x, arrays.qdd[k]));
  times.sort((a, b) => a - b);
  const [ns, predictedNs] = [Math.round(times[0]), Math.round(plan.schedule.ns)];
  const ratio = Number((ns / predictedNs).toFixed(3));
  const nsMedian = Math.round(times[BATCHES >> 1]);
  return { model, ns, nsMedian, predictedNs, ratio, predictedAloneNs: Math.round(planner.find(1).ns), equal };
});
const equal = ranks.gather(Float64Array.from(lines, (line) => Number(line.equal))).every((x) => x === 1);
if (ranks.rank === 0) console.log(JSON.stringify({ implementation: ranks.implementation, ...measured, lines, equal }));
