// A thread that computes by itself, for parallel.ts: the whole mechanism, the slowest segment of a cutting, or nothing
// but multiplications. Nothing passes between threads but the start and the end.

import { parentPort, workerData } from 'node:worker_threads';
import { encodeModule } from '#src/emit/module.js';
import { ConstantPool, emitFunctions } from '#src/emit/wasm.js';
import { stepName } from '#src/engines/threads/block-module.js';
import { Planner } from '#src/engines/threads/planner.js';
import { ThreadProgram } from '#src/engines/threads/program.js';
import { webAssembly } from '#src/engines/wasm/webassembly.js';
import { VectorGraph } from '#src/formulas/vectors.js';
import { State } from '#src/mechanism/state.js';
import { builtinMechanism } from '#src/models/index.js';

/** What is computed: a mechanism, in so many segments, or so many chains of multiplications side by side. */
export type Task = { readonly model: string; readonly segments: number } | { readonly chains: number };

/** Multiplications of all chains together. */
const MULTIPLICATIONS = 3000;

const { task, gate, count } = workerData as { task: Task; gate: Int32Array; count: number };
const { Memory, Module, Instance } = webAssembly();
const call = 'chains' in task ? multiplications(task.chains) : mechanism(task.model, task.segments);

function multiplications(chains: number): () => void {
  const g = new VectorGraph();
  const factors = Array.from({ length: chains }, (_, k) => g.input(0, k));
  let products = factors;
  for (let k = 0; k < MULTIPLICATIONS / chains; k++)
    products = products.map((x, c) => g.mul(x, factors[(c + k) % chains]));
  for (const [k, x] of products.entries()) g.output(0, chains + k, x);
  const { functions } = emitFunctions(g, {
    arrays: [{ parameter: -1, offset: 0, stride: 8 }],
    parameters: 0,
    functionSize: Number.MAX_SAFE_INTEGER,
    constants: new ConstantPool(4096),
    slotsAt: 8192,
  });
  const memory = new Memory({ initial: 1 });
  new Float64Array(memory.buffer).fill(1);
  const bytes = encodeModule({ functions: [{ ...functions[0], name: 'run' }], memoryBytes: 65536, shared: false });
  const { exports } = new Instance(new Module(bytes), { manikin: { memory } });
  return () => void exports.run();
}

function mechanism(model: string, segments: number): () => void {
  const made = builtinMechanism(model);
  const { made: code, alone, segments: heads } = new ThreadProgram(new Planner(made).plan(segments));
  const memory = new Memory({ initial: Math.ceil(code.memoryBytes / 65536) });
  const words = new Int32Array(memory.buffer);
  for (const { at, values } of code.tables) words.set(values, at / 4);
  const state = State.random(made, 1);
  new Float64Array(memory.buffer, code.q, made.nq).set(state.q);
  new Float64Array(memory.buffer, code.v, made.nv).set(state.v);
  alone.arrays.q.set(state.q);
  alone.arrays.v.set(state.v);
  if (segments === 1) return () => alone.runner.alone();
  const { exports } = new Instance(new Module(code.bytes(false)), { manikin: { memory } });
  const calls = heads.map(({ code: s }) => {
    const steps = (['spin', 'gather', 'complete', 'lead', 'follow'] as const).map((step) => exports[stepName(step, s)]);
    return () => steps.forEach((step) => void step());
  });
  const least = calls.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 300; round++)
    calls.forEach((one, s) => {
      const start = performance.now();
      for (let k = 0; k < 10; k++) one();
      least[s] = Math.min(least[s], performance.now() - start);
    });
  return calls[least.indexOf(Math.max(...least))];
}

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
