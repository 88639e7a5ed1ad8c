// Forward dynamics by every variant, side by side, with MuJoCo's WebAssembly timed in the same run: readable algorithm,
// generic kernels, code for one mechanism, batches; also inverse dynamics and the mass matrix. Minima of many short
// batches taken in turn (measure.ts), so that the ratios hold on a noisy machine.

import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { CompiledBatch, CompiledDynamics, countOperations, type Task } from '../src/compile/index.js';
import { createPlan } from '../src/compile/plan.js';
import { aba, createAba } from '../src/dynamics/aba.js';
import { crba, createCrba } from '../src/dynamics/crba.js';
import { createRnea, rnea } from '../src/dynamics/rnea.js';
import { parseDescription } from '../src/formats/index.js';
import type { JointTypeName } from '../src/joints/index.js';
import { MechanismBuilder } from '../src/mechanism/builder.js';
import type { Mechanism } from '../src/mechanism/mechanism.js';
import { State } from '../src/mechanism/state.js';
import { createTree } from '../src/mechanism/tree.js';
import type { Mat3 } from '../src/spatial/matrix3.js';
import { MujocoModel, mujoco, toMjcf } from '../test/support/mujoco.js';
import { measure, type Task as Timed } from './measure.js';

export interface Line {
  readonly model: string;
  readonly engine: 'manikin' | 'mujoco-wasm';
  readonly variant: 'readable' | 'generic' | 'specialised' | 'batch';
  readonly algorithm: string;
  /** Nanoseconds for one state: the least of all batches, and the middle one. */
  readonly ns: number;
  readonly nsMedian: number;
  /** Largest difference from the readable algorithm, relative to the largest number of its result. */
  readonly error: number;
}

/** A line still to be timed: `states` computed by one call. */
type Candidate = Omit<Line, 'ns' | 'nsMedian'> & { readonly call: () => void; readonly states: number };

export interface BenchOptions {
  readonly batch?: number;
  readonly rounds?: number;
  /** Fused multiplications and additions in batches. */
  readonly fused?: boolean;
}

const SEED = 1;

function relativeError(got: Float64Array, reference: Float64Array): number {
  let [size, worst] = [1e-300, 0];
  reference.forEach((x, k) => {
    size = Math.max(size, Math.abs(x));
    worst = Math.max(worst, Math.abs(got[k] - x));
  });
  return Number((worst / size).toExponential(1));
}

function manikinLines(model: string, mechanism: Mechanism, { batch = 66, fused = false }: BenchOptions): Candidate[] {
  const state = State.random(mechanism, SEED);
  const { q, v } = state;
  const { nv } = mechanism;
  const given = Float64Array.from({ length: nv }, (_, k) => Math.sin(k + 1));
  const common = { model, engine: 'manikin', states: 1 } as const;
  const generic = new CompiledDynamics(mechanism, { specialise: 'never' });
  const special = new CompiledDynamics(mechanism, { specialise: 'now' });
  const { tree } = special.readable;
  const out = new Float64Array(nv);
  const [abaScratch, rneaScratch, crbaScratch] = [createAba(tree), createRnea(tree), createCrba(tree)];
  const expected = {
    forward: special.readable.forward(state, given),
    inverse: special.readable.inverse(state, given),
    massMatrix: special.readable.massMatrix(state).H,
  };
  const readable = { ...common, variant: 'readable', error: 0 } as const;
  const lines: Candidate[] = [
    { ...readable, algorithm: 'aba', call: () => aba(tree, abaScratch, out, q, v, given, null) },
    { ...readable, algorithm: 'rnea', call: () => rnea(tree, rneaScratch, out, q, v, given, null) },
    { ...readable, algorithm: 'crba', call: () => crba(tree, crbaScratch, q) },
  ];
  const algorithms = { forward: 'aba', inverse: 'rnea', massMatrix: 'crba' };
  for (const [variant, compiled] of [
    ['generic', generic],
    ['specialised', special],
  ] as const) {
    // Inverse dynamics of the generic tier is made on first use.
    compiled.inverse(state, given);
    for (const task of ['forward', 'inverse', 'massMatrix'] as const) {
      const direct = compiled.direct(task);
      if (direct === undefined) continue;
      direct.q.set(q);
      direct.v.set(v);
      const [input, result] = task === 'forward' ? [direct.tau, direct.qdd] : [direct.qdd, direct.tau];
      input.set(given);
      direct.run();
      const got = task === 'massMatrix' ? compiled.massMatrix(state).H : result;
      const error = relativeError(got, expected[task]);
      // The tasks share their arrays, which makes no difference to the time.
      const { run: code } = direct;
      // A function around it: the engine then makes the step into WebAssembly part of the loop, as in any program.
      lines.push({ ...common, variant, algorithm: algorithms[task], error, call: () => code() });
    }
    const options = { out };
    const error = relativeError(compiled.forward(state, given), expected.forward);
    const call = (): void => void compiled.forward(state, given, options);
    lines.push({ ...common, variant, algorithm: 'aba, arrays copied in and out', error, call });
  }
  const many = new CompiledBatch(mechanism, { batch, fused, specialise: 'now' });
  for (let s = 0; s < batch; s++) {
    many.setState(s, State.random(mechanism, s));
    for (let k = 0; k < nv; k++) many.tau[k * many.stride + s] = given[k];
  }
  many.forward();
  const last = Float64Array.from({ length: nv }, (_, k) => many.qdd[k * many.stride + batch - 1]);
  const error = relativeError(last, special.readable.forward(State.random(mechanism, batch - 1), given));
  const algorithm = many.fused ? 'aba, fused' : 'aba';
  lines.push({ ...common, states: batch, variant: 'batch', algorithm, error, call: () => many.forward() });
  return lines;
}

/** MuJoCo's forward dynamics without constraints: position, velocity and acceleration stages. */
async function mujocoLines(model: string, mechanism: Mechanism): Promise<Candidate[]> {
  const module = await mujoco();
  const wrapped = await MujocoModel.fromMechanism(mechanism);
  const state = State.random(mechanism, SEED);
  const given = Float64Array.from({ length: mechanism.nv }, (_, k) => Math.sin(k + 1));
  const expected = new CompiledDynamics(mechanism, { specialise: 'never' }).forward(state, given);
  const error = relativeError(wrapped.forward(state, given), expected);
  const mj = module.MjModel.from_xml_string(toMjcf(mechanism));
  const data = new module.MjData(mj);
  mj.opt.disableflags = 1 | 2 | 4 | 8 | 16 | 32 | 64;
  for (let k = 0; k < mechanism.nv; k++) data.qvel[k] = state.v[k];
  const common = { model, engine: 'mujoco-wasm', variant: 'generic', states: 1, error } as const;
  const stages = (): void => {
    module.mj_fwdPosition(mj, data);
    module.mj_fwdVelocity(mj, data);
    module.mj_fwdAcceleration(mj, data);
  };
  return [
    { ...common, algorithm: 'mj_forward', call: () => module.mj_forward(mj, data) },
    { ...common, algorithm: 'position, velocity, acceleration stages', call: stages },
  ];
}

export interface Report {
  readonly machine: { readonly processor: string; readonly cores: number; readonly node: string };
  readonly results: readonly Line[];
  /** Times of forward dynamics over MuJoCo's in the same run (the faster of its two lines). */
  readonly ratios: readonly { readonly model: string; readonly [variant: string]: string | number }[];
}

export async function benchForward(
  models: readonly { readonly name: string; readonly mechanism: Mechanism }[],
  options: BenchOptions = {},
): Promise<Report> {
  const candidates: Candidate[] = [];
  for (const { name, mechanism } of models) {
    candidates.push(...manikinLines(name, mechanism, options));
    try {
      candidates.push(...(await mujocoLines(name, mechanism)));
    } catch (error) {
      console.error(`${name}: not timed with MuJoCo: ${String(error)}`);
    }
  }
  const timed = measure(
    candidates.map(({ model, call }): Timed => ({ name: model, call })),
    options.rounds ?? 100,
  );
  const results = candidates.map(({ call: _, states, ...line }, i): Line => {
    const { ns, nsMedian } = timed[i];
    return { ...line, ns: Math.round(ns / states), nsMedian: Math.round(nsMedian / states) };
  });
  const ratios = models.map(({ name }) => {
    const own = results.filter(({ model }) => model === name);
    const theirs = Math.min(...own.filter(({ engine }) => engine === 'mujoco-wasm').map(({ ns }) => ns));
    const forward = own.filter(({ engine, algorithm }) => engine === 'manikin' && /^aba(, fused)?$/.test(algorithm));
    const ratio = (ns: number): number => Number((ns / theirs).toFixed(4));
    return { model: name, ...Object.fromEntries(forward.map(({ variant, ns }) => [variant, ratio(ns)])) };
  });
  const processors = cpus();
  const machine = { processor: processors[0]?.model.trim() ?? '?', cores: processors.length, node: process.version };
  return { machine, results, ratios };
}

/** Operations that one more link adds to a chain of ten equal joints: the mean of two, since axes alternate. */
export interface CountLine {
  readonly type: JointTypeName;
  /** How the joints are placed: axes renamed and an offset along one axis, or any rotation and offset. */
  readonly placement: 'along axes' | 'any';
  readonly task: Task;
  readonly multiplications: number;
  readonly additions: number;
  readonly divisions: number;
}

const COUNTED: readonly JointTypeName[] = [
  'revolute',
  'prismatic',
  'helical',
  'cylindrical',
  'universal',
  'planar',
  'spherical',
  'floating',
];

function countedChain(type: JointTypeName, n: number, placement: CountLine['placement']): Mechanism {
  const builder = new MechanismBuilder();
  const I: Mat3 = [0.05, 0.002, 0.003, 0.002, 0.06, -0.004, 0.003, -0.004, 0.04];
  for (let i = 0; i < n; i++)
    builder.link(`b${i}`, {
      parent: i === 0 ? null : `b${i - 1}`,
      joint: { type, axis: i % 2 === 0 ? [0, 1, 0] : [1, 0, 0], axis2: [0, 0, 1], pitch: 0.1 },
      at: placement === 'any' ? [0.1, 0.2, 0.3] : [0, 0, 0.3],
      rpy: placement === 'any' ? [0.3, 0.5, 0.7] : [0, 0, 0],
      mass: 1 + 0.1 * i,
      com: [0.01, 0.02, 0.15],
      inertia: I,
    });
  return builder.build();
}

export function operationCounts(): CountLine[] {
  const lines: CountLine[] = [];
  for (const type of COUNTED)
    for (const placement of ['along axes', 'any'] as const)
      for (const task of ['forward', 'inverse', 'massMatrix'] as const) {
        const [less, more] = [10, 12].map((n) =>
          countOperations(createPlan(createTree(countedChain(type, n, placement))), task),
        );
        lines.push({
          type,
          placement,
          task,
          multiplications: (more.multiplications - less.multiplications) / 2,
          additions: (more.additions - less.additions) / 2,
          divisions: (more.divisions - less.divisions) / 2,
        });
      }
  return lines;
}

const REFERENCE = new URL('../../../../shared/reference/bench/', import.meta.url);
const NAMES = ['chainR-32', 'chainS-32', 'human-34', 'human-161'];

/** The benchmark mechanisms of ../shared/reference/bench. */
export function benchMechanisms(folder: URL = REFERENCE): { name: string; mechanism: Mechanism }[] {
  return NAMES.map((name) => {
    const { mechanism } = parseDescription(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
    return { name, mechanism };
  });
}

export async function run(): Promise<Report & { readonly operations: readonly CountLine[] }> {
  return { ...(await benchForward(benchMechanisms())), operations: operationCounts() };
}
