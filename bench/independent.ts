// A thread that computes by itself, for bench/parallel.ts: the whole mechanism, or the heaviest segment of a cutting.
// Nothing passes between threads but the start and the end.

import { parentPort, workerData } from 'node:worker_threads';
import { stepName } from '../src/compile/block-module.js';
import { webAssembly } from '../src/compile/webassembly.js';
import { State } from '../src/mechanism/state.js';
import { builtinMechanism } from '../src/models/index.js';
import { Cutter } from '../src/parallel/choose.js';
import { Program } from '../src/parallel/program.js';

const { model, segments, gate, count } = workerData as {
  model: string;
  segments: number;
  gate: Int32Array;
  count: number;
};

const mechanism = builtinMechanism(model);
const { made, alone } = new Program(new Cutter(mechanism).choose(segments));
const { Memory, Module, Instance } = webAssembly();
const memory = new Memory({ initial: Math.ceil(made.memoryBytes / 65536) });
const words = new Int32Array(memory.buffer);
for (const { at, values } of made.tables) words.set(values, at / 4);
const state = State.random(mechanism, 1);
new Float64Array(memory.buffer, made.q, mechanism.nq).set(state.q);
new Float64Array(memory.buffer, made.v, mechanism.nv).set(state.v);
alone.arrays.q.set(state.q);
alone.arrays.v.set(state.v);
const { exports } = new Instance(new Module(made.bytes(false)), { manikin: { memory } });
// The segment with most to do.
const segment = made.instructions.indexOf(Math.max(...made.instructions));
const steps = (['spin', 'gather', 'join', 'lead', 'follow'] as const).map((step) => exports[stepName(step, segment)]);
const call = segments === 1 ? () => alone.runner.alone() : () => steps.forEach((step) => void step());

const spend = (milliseconds: number): number[] => {
  const times: number[] = [];
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    const start = performance.now();
    for (let k = 0; k < 10; k++) call();
    times.push(100 * (performance.now() - start));
  }
  return times.sort((a, b) => a - b);
};
for (let round = 0; round < 5; round++) {
  spend(60);
  await new Promise((done) => setTimeout(done, 10));
}
// All begin together.
Atomics.add(gate, 0, 1);
while (Atomics.load(gate, 0) < count);
const times = spend(500);
parentPort!.postMessage({ least: times[0], median: times[times.length >> 1] });
